// Tiles of K on a GPU, and products with them.
//
// A thread block computes tiles of 128 rows by 128 columns, one after the other
// along a strip of columns: a pair operation, summed in registers over the
// coordinates, then the scalar function of the form, and then either the values are
// stored or they are multiplied by v at once and never leave the registers.
//
// Vectors lie coordinate by coordinate: t[k·ld + i] is coordinate k of vector i, so
// that neighbouring threads read neighbouring numbers. ld and all other strides are
// multiples of 128. Past the n-th vector there may be others up to the next multiple
// of 128; v is zero there.
//
// Sums do not depend on the device: a thread adds up 8 products a tile over at most 32
// tiles in the precision T, all else is added in double in a fixed order.
//
// Args is mirrored by tileArgs of package internal/gpu.

#pragma once

#include "tensor.cuh"

// The pair operations of a kernel's inner loop. What is made of inner products and
// norms (squared distances, Tanimoto) is dotPair; gaussPair is the Gaussian kernel on
// vectors scaled so that K = 2^(⟨x,y⟩ - |x|²/2 - |y|²/2), where close vectors need care; gausstensor.cuh
// has it for the rest.
enum { dotPair, l1Pair, minPair, chiPair, gaussPair };

// What is done with a tile: store it, multiply it by one vector, or by several.
enum { store, one, several };

// kernel.Pair
enum { pairDot, pairDistance2, pairL1, pairTanimoto, pairMin, pairChiSquared };

template <typename T> struct Side {
    const T *t;
    const T *norm;  // Σx², or -Σx²/2 for gaussPair; may be null
    const T *past;  // what coordinates past the d-th add to an L1 distance; may be null
    const T *scale; // 1/√k(x, x); may be null
    const T *top;   // the largest |norm| of each 128 vectors; may be null
    const uint4 *pieces; // of gausstensor.cuh; null but for that
    long long n, ld;
};

template <typename T> struct Args {
    Side<T> x, y;
    const T *v;     // [vector][ldv]
    double *part;   // [strip][vector][ldpart]
    T *out;         // [row][ldout], for store
    long long ldv, ldpart, ldout;
    double a, b, p; // of the scalar function
    double slope, weight, near, far; // which distances are computed again
    int d, tiles;   // tiles of a strip
    int pair, op, normalized, unused;
};

template <typename T> struct Vec { static const int width = 16 / sizeof(T); };
template <typename T> struct Depth { static const int k = 128 / sizeof(T); }; // coordinates at a time

// again computes the squared distance of close vectors from their differences.
template <typename T> __device__ T again(const Args<T> &g, long long i, long long j) {
    double sum = 0;
    for (int k = 0; k < g.d; k++) {
        double e = (double)g.x.t[k * g.x.ld + i] - (double)g.y.t[k * g.y.ld + j];
        sum = fma(e, e, sum);
    }
    return (T)sum;
}

// finish makes a value of K of a pair operation.
template <typename T> __device__ T finish(const Args<T> &g, T s, long long i, long long j) {
    if (g.pair == pairDistance2) {
        T size = g.x.norm[i] + g.y.norm[j];
        s = max(T(0), size - 2 * s);
        if (g.slope * size > g.weight && s < g.near * size && s < g.far) s = again(g, i, j);
    } else if (g.pair == pairTanimoto) {
        T xx = g.x.norm[i], yy = g.y.norm[j];
        s = xx == 0 && yy == 0 ? T(1) : s / (xx + yy - s);
    } else {
        if (g.x.past) s += g.x.past[i];
        if (g.y.past) s += g.y.past[j];
    }
    s = scalar(g.op, T(g.a), T(g.b), T(g.p), s);
    if (g.normalized) s *= g.x.scale[i] * g.y.scale[j];
    return s;
}

// finishRow does so for the 8 values of a row that a thread has; j is the first of their
// columns. It is a function of its own, called for a row, to keep the registers of the
// loops from it. Columns past the last are 0.
template <typename T> __noinline__ __device__ void finishRow(const Args<T> &g, T *row, long long i, long long j) {
    const int W = Vec<T>::width;
#pragma unroll 1
    for (int q = 0; q < 8; q++) {
        long long at = j + (q / W) * 8 * W + q % W;
        row[q] = i < g.x.n && at < g.y.n ? finish(g, row[q], i, at) : T(0);
    }
}

// gaussRow is finishRow for gaussPair where a squared distance may be lost in rounding.
template <typename T> __noinline__ __device__ void gaussRow(const Args<T> &g, T *row, long long i, long long j) {
    const int W = Vec<T>::width;
#pragma unroll 1
    for (int q = 0; q < 8; q++) {
        long long at = j + (q / W) * 8 * W + q % W;
        T s = min(row[q], T(0)), size = -(g.x.norm[i] + g.y.norm[at]);
        if (size > T(g.weight) && -s < T(g.near) * size) s = again(g, i, at) * T(-0.5);
        row[q] = exp2Fast(s);
    }
}

template <typename T, int PAIR> __device__ __forceinline__ T pairStep(T acc, T a, T b) {
    if (PAIR == l1Pair) return acc + fabs(a - b);
    if (PAIR == minPair) return acc + (max(T(0), min(a, b)) + max(T(0), min(-a, -b)));
    if (PAIR == chiPair) {
        T size = fabs(a) + fabs(b), e = a - b;
        return size == 0 ? acc : acc + e * (e / size);
    }
    return fma(a, b, acc);
}

// copyIn starts to copy count coordinates of 128 vectors into shared memory.
template <typename T>
__device__ __forceinline__ void copyIn(T *to, const T *from, long long ld, int count) {
    const int across = tile / Vec<T>::width; // pieces of 16 bytes of one coordinate
    for (int at = threadIdx.x; at < count * across; at += threads) {
        int k = at / across, c = (at % across) * Vec<T>::width;
        copyAsync(to + k * tile + c, from + k * ld + c);
    }
}

template <typename T, int PAIR, int MODE, int LONG> __device__ __forceinline__ void tiles(const Args<T> &g) {
    const int K = Depth<T>::k, W = Vec<T>::width;
    constexpr int unrolled = 2;
    const int Q = MODE == several ? (sizeof(T) == 4 ? 4 : 2) : 1;
    extern __shared__ __align__(16) char raw[];
    T *xs = (T *)raw, *ys = xs + 2 * K * tile, *vs = ys + 2 * K * tile; // vs: 2·Q·tile, then norms 2·tile
    T *ns = vs + 2 * Q * tile;

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row0 = (warp / 2) * 32 + (lane / 8) * W, col0 = (warp % 2) * 64 + (lane % 8) * W;
    // Row r of a thread is row0 + (r/W)·4W + r%W of the tile, column c is col0 + (c/W)·8W + c%W.
    const long long i0 = (long long)blockIdx.x * tile;
    const int all = (int)((g.y.n + tile - 1) / tile), first = blockIdx.y * g.tiles, last = min(first + g.tiles, all);
    const int chunks = (g.d + K - 1) / K, stages = (last - first) * chunks;

    auto fetch = [&](int stage) {
        if (stage < stages) {
            int t = first + stage / chunks, c = stage % chunks, count = min(K, g.d - c * K), b = stage & 1;
            if (chunks > 1 || stage == 0)
                copyIn(xs + (chunks > 1 ? b : 0) * K * tile, g.x.t + (long long)c * K * g.x.ld + i0, g.x.ld, count);
            copyIn(ys + b * K * tile, g.y.t + (long long)c * K * g.y.ld + (long long)t * tile, g.y.ld, count);
            if (c == 0) {
                int p = (t - first) & 1;
                if (MODE != store)
                    copyIn(vs + p * Q * tile, g.v + (long long)t * tile, g.ldv, Q);
                if (PAIR == gaussPair) copyIn(ns + p * tile, g.y.norm + (long long)t * tile, 0, 1);
            }
        }
        commitAsync();
    };

    T sums[Q][8];
    T xn[8], acc[8][8], more[LONG ? 8 : 1][LONG ? 8 : 1];
#pragma unroll
    for (int r = 0; r < 8; r++) {
#pragma unroll
        for (int q = 0; q < Q; q++) sums[q][r] = 0;
        xn[r] = PAIR == gaussPair ? g.x.norm[i0 + row0 + (r / W) * 4 * W + r % W] : T(0);
    }

    fetch(0);
    for (int stage = 0; stage < stages; stage++) {
        const int c = stage % chunks, t = first + stage / chunks, p = (t - first) & 1;
        // Behind the barrier all threads are done with the stage before, whose memory is the next one's.
        waitAsync<0>();
        __syncthreads();
        fetch(stage + 1);
        if (c == 0) {
            T yn[8];
#pragma unroll
            for (int q = 0; q < 8; q++)
                yn[q] = PAIR == gaussPair ? ns[p * tile + col0 + (q / W) * 8 * W + q % W] : T(0);
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int q = 0; q < 8; q++) {
                    acc[r][q] = 0;
                    if (LONG) more[LONG ? r : 0][LONG ? q : 0] = PAIR == gaussPair ? xn[r] + yn[q] : T(0);
                }
        }
        const T *xk = xs + (chunks > 1 ? stage & 1 : 0) * K * tile + row0, *yk = ys + (stage & 1) * K * tile + col0;
        const int count = min(K, g.d - c * K);
#pragma unroll unrolled
        for (int k = 0; k < count; k++, xk += tile, yk += tile) {
            T a[8], b[8];
#pragma unroll
            for (int q = 0; q < 8; q += W) {
                loadVec(a + q, xk + (q / W) * 4 * W);
                loadVec(b + q, yk + (q / W) * 8 * W);
            }
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int q = 0; q < 8; q++) acc[r][q] = pairStep<T, PAIR>(acc[r][q], a[r], b[q]);
        }
        if (LONG && (c % longChunks == longChunks - 1 || c == chunks - 1)) {
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int q = 0; q < 8; q++) {
                    T sum = more[LONG ? r : 0][LONG ? q : 0] + acc[r][q];
                    more[LONG ? r : 0][LONG ? q : 0] = sum;
                    acc[r][q] = c == chunks - 1 ? sum : T(0);
                }
        }
        if (c == chunks - 1) {
            const long long j0 = (long long)t * tile;
            // Past the last column K may be anything finite: v is 0 there. A Gaussian is finite.
            if (PAIR == gaussPair && !(g.x.top[blockIdx.x] + g.y.top[t] > T(g.weight))) {
#pragma unroll
                for (int r = 0; r < 8; r++)
#pragma unroll
                    for (int q = 0; q < 8; q++) acc[r][q] = exp2Fast(acc[r][q]);
            } else {
#pragma unroll
                for (int r = 0; r < 8; r++) {
                    const long long i = i0 + row0 + (r / W) * 4 * W + r % W;
                    T row[8];
#pragma unroll
                    for (int q = 0; q < 8; q++) row[q] = acc[r][q];
                    if (PAIR == gaussPair) gaussRow(g, row, i, j0 + col0);
                    else finishRow(g, row, i, j0 + col0);
#pragma unroll
                    for (int q = 0; q < 8; q++) acc[r][q] = row[q];
                }
            }
            if (MODE == store) {
#pragma unroll
                for (int r = 0; r < 8; r++) {
                    const long long i = i0 + row0 + (r / W) * 4 * W + r % W;
                    if (i >= g.x.n) continue;
#pragma unroll
                    for (int q = 0; q < 8; q += W)
                        storeVec(g.out + i * g.ldout + j0 + col0 + (q / W) * 8 * W, &acc[r][q]);
                }
            } else {
#pragma unroll
                for (int o = 0; o < Q; o++) {
                    T v[8];
#pragma unroll
                    for (int q = 0; q < 8; q += W)
                        loadVec(v + q, vs + (p * Q + o) * tile + col0 + (q / W) * 8 * W);
#pragma unroll
                    for (int r = 0; r < 8; r++)
#pragma unroll
                        for (int q = 0; q < 8; q++) sums[o][r] = fma(acc[r][q], v[q], sums[o][r]);
                }
            }
        }
    }
    waitAsync<0>();
    if (MODE == store) return;

    // The sums of 8 lanes, then those of the two halves of the columns.
    double *halves = (double *)raw; // [Q][128], by the warps of the left half
    __syncthreads();
#pragma unroll
    for (int o = 0; o < Q; o++)
#pragma unroll
        for (int r = 0; r < 8; r++) {
            double s = (double)sums[o][r];
            for (int step = 1; step < 8; step *= 2) s += __shfl_xor_sync(0xffffffffu, s, step);
            int at = o * tile + row0 + (r / W) * 4 * W + r % W;
            if (lane % 8 == 0 && warp % 2 == 0) halves[at] = s;
        }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < Q; o++)
#pragma unroll
        for (int r = 0; r < 8; r++) {
            double s = (double)sums[o][r];
            for (int step = 1; step < 8; step *= 2) s += __shfl_xor_sync(0xffffffffu, s, step);
            int at = row0 + (r / W) * 4 * W + r % W;
            if (lane % 8 == 0 && warp % 2 == 1)
                g.part[((long long)blockIdx.y * Q + o) * g.ldpart + i0 + at] = halves[o * tile + at] + s;
        }
}

#define TILES(NAME, T, PAIR, MODE, LONG, BLOCKS)                                                                   \
    extern "C" __global__ void __launch_bounds__(threads, BLOCKS) NAME(const __grid_constant__ Args<T> g) {        \
        tiles<T, PAIR, MODE, LONG>(g);                                                                             \
    }

// The name of a kernel is its pair operation, what it does with a tile, and its precision.
#define MODES(NAME, T, SUFFIX, PAIR, LONG, BLOCKS)                                                                 \
    TILES(NAME##_store_##SUFFIX, T, PAIR, store, LONG, BLOCKS)                                                     \
    TILES(NAME##_one_##SUFFIX, T, PAIR, one, LONG, BLOCKS)                                                         \
    TILES(NAME##_several_##SUFFIX, T, PAIR, several, LONG, 1)
