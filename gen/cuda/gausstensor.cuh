// Tiles of the Gaussian kernel on tensor cores: K = 2^(⟨x,y⟩ - |x|²/2 - |y|²/2).
//
// All hi are multiples of a unit that the host chooses so that no sum of products hi·hi, norms
// included, has more than 2^23 units squared: a tensor core adds them without loss. The other
// products are smaller by 2^10 and more, and are added apart, as (hi+lo)·lo + lo·hi with
// hi + lo rounded to 11 bits. What is lost is below the rounding of the vectors to 24 bits of
// the longest one.
//
// The norms are four coordinates more, so that the sum of a pair is the exponent: its vector's
// own in units of 2048·unit² and of unit², beside the other side's 2048·unit and unit. They are
// those of the rounded vectors, so that K is that of points near the given ones.

#pragma once

#include "tensor.cuh"
#include "tiles.cuh"

const int normSlots = 4;

template <bool HALF, int N>
__device__ __forceinline__ void addStep(float (*h)[N][4], float (*c)[N][4], const Left *a, const uint4 *y) {
    unsigned near[2][4];
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            asm("add.rn.f16x2 %0, %1, %2;" : "=r"(near[m][q]) : "r"(a[m].hi[q]), "r"(a[m].lo[q]));
#pragma unroll
    for (int n = 0; n < N; n++) {
        uint4 b = y[n * 32];
#pragma unroll
        for (int m = 0; m < 2; m++) {
            if (HALF) {
                multiplyHalf(h[m][n], a[m].hi, b.x);
                multiplyHalf(c[m][n], a[m].lo, b.x);
                multiplyHalf(c[m][n], near[m], b.z);
            } else {
                multiply(h[m][n], a[m].hi, b.x, b.y);
                multiply(c[m][n], a[m].lo, b.x, b.y);
                multiply(c[m][n], near[m], b.z, b.w);
            }
        }
    }
}

// gaussTiles is tiles of tiles.cuh. Up to HELD coordinates, norms included, the left side stays in
// registers; for more (HELD 0) both sides come in chunks of 4 steps, for 64 columns at a time.
// A thread adds up 16 products a tile, over at most 16 tiles.
template <int MODE, int HELD> __device__ __forceinline__ void gaussTiles(const Args<float> &g) {
    constexpr int STEPS = (HELD + 15) / 16, CHUNK = HELD ? STEPS : 4, COLS = HELD ? 128 : 64, N = 4;
    constexpr bool HALF = HELD % 16 != 0;
    constexpr int Q = MODE == several ? 4 : 1, UNITS = tile / COLS, GROUP = COLS / 8 * 32; // pieces of a step
    extern __shared__ __align__(16) char raw[];
    uint4 *ys = (uint4 *)raw, *xs = ys + 2 * CHUNK * GROUP;
    float *vs = (float *)(HELD ? xs : xs + 2 * CHUNK * stepPieces); // [2][Q][COLS]

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row0 = warp / 2 * 32, col0 = warp % 2 * (COLS / 2);
    const long long i0 = (long long)blockIdx.x * tile;
    const int steps = HELD ? STEPS : (g.d + normSlots + 15) / 16, chunks = HELD ? 1 : (steps + CHUNK - 1) / CHUNK;
    const int all = (int)((g.y.n + tile - 1) / tile), first = blockIdx.y * g.tiles, last = min(first + g.tiles, all);
    const int stages = (last - first) * UNITS * chunks;
    const uint4 *x = g.x.pieces + (long long)blockIdx.x * steps * stepPieces;

    auto fetch = [&](int stage) {
        if (stage < stages) {
            const int u = stage / chunks, c = stage % chunks, b = stage & 1, count = min(CHUNK, steps - c * CHUNK);
            const long long t = first + u / UNITS;
            const int col = u % UNITS * COLS;
            const uint4 *y = g.y.pieces + (t * steps + c * CHUNK) * stepPieces + col * 4;
            for (int at = threadIdx.x; at < count * GROUP; at += threads)
                copyAsync(ys + b * CHUNK * GROUP + at, y + at / GROUP * stepPieces + at % GROUP);
            if constexpr (!HELD)
                for (int at = threadIdx.x; at < count * stepPieces; at += threads)
                    copyAsync(xs + b * CHUNK * stepPieces + at, x + c * CHUNK * stepPieces + at);
            if (MODE != store && c == 0)
                for (int at = threadIdx.x * 4; at < Q * COLS; at += threads * 4)
                    copyAsync(vs + (u & 1) * Q * COLS + at, g.v + at / COLS * g.ldv + t * tile + col + at % COLS);
        }
        commitAsync();
    };

    Left a[HELD ? STEPS : 1][2];
    if constexpr (HELD > 0)
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int m = 0; m < 2; m++) a[s][m].take(x + s * stepPieces + (row0 / 8 + 2 * m) * 32 + lane);

    float sums[Q][4], h[2][N][4], c[2][N][4];
#pragma unroll
    for (int q = 0; q < Q; q++)
#pragma unroll
        for (int r = 0; r < 4; r++) sums[q][r] = 0;
    auto begin = [&]() {
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < N; n++)
#pragma unroll
                for (int e = 0; e < 4; e++) h[m][n][e] = c[m][n][e] = 0;
    };
    // A thread has of row row0 + 8·r + lane/4 the columns 2·(lane%4) and the next one of every 8.
    auto value = [&](int n, int r, int e) {
        return exp2Fast(h[r / 2][n][r % 2 * 2 + e] + c[r / 2][n][r % 2 * 2 + e]);
    };
    // finish is for 32 rows and 32 columns of a warp, from column at of the unit on. Past the last column K is
    // finite, and v is 0.
    auto finish = [&](int u, int at) {
#pragma unroll
        for (int n = 0; n < N; n++) {
            const int col = at + n * 8 + lane % 4 * 2;
#pragma unroll
            for (int q = 0; q < Q; q++) {
                const float2 v = *(const float2 *)(vs + ((u & 1) * Q + q) * COLS + col);
#pragma unroll
                for (int r = 0; r < 4; r++)
                    sums[q][r] = fmaf(value(n, r, 1), v.y, fmaf(value(n, r, 0), v.x, sums[q][r]));
            }
        }
    };
    // keep stores them. Of two times 8 columns neighbours swap halves, so that each has 4 columns in a row.
    auto keep = [&](int u, int at) {
        const bool odd = lane & 1;
        const long long j = (long long)(first + u / UNITS) * tile + u % UNITS * COLS + at + lane % 4 / 2 * 4 + odd * 8;
#pragma unroll
        for (int n = 0; n < N; n += 2)
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const float a0 = value(n, r, 0), a1 = value(n, r, 1), b0 = value(n + 1, r, 0), b1 = value(n + 1, r, 1);
                const float c0 = __shfl_xor_sync(0xffffffffu, odd ? a0 : b0, 1);
                const float c1 = __shfl_xor_sync(0xffffffffu, odd ? a1 : b1, 1);
                const long long i = i0 + row0 + r * 8 + lane / 4;
                const float4 row = odd ? make_float4(c0, c1, b0, b1) : make_float4(a0, a1, c0, c1);
                if (i < g.x.n) *(float4 *)(g.out + i * g.ldout + j + n * 8) = row;
            }
    };

    fetch(0);
    for (int stage = 0; stage < stages; stage++) {
        const int u = stage / chunks;
        // Behind the barrier all threads are done with the stage before, whose memory is the next one's.
        waitAsync<0>();
        __syncthreads();
        fetch(stage + 1);
        const uint4 *y = ys + (stage & 1) * CHUNK * GROUP + col0 * 4 + lane;
        if constexpr (HELD > 0) {
#pragma unroll
            for (int at = 0; at < COLS / 2; at += N * 8) {
                begin();
#pragma unroll
                for (int s = 0; s < STEPS; s++) {
                    if (HALF && s == STEPS - 1) addStep<true, N>(h, c, a[s], y + s * GROUP + at * 4);
                    else addStep<false, N>(h, c, a[s], y + s * GROUP + at * 4);
                }
                if constexpr (MODE == store) keep(u, col0 + at);
                else finish(u, col0 + at);
            }
        } else {
            const int ch = stage % chunks, count = min(CHUNK, steps - ch * CHUNK);
            if (ch == 0) begin();
            const uint4 *xk = xs + (stage & 1) * CHUNK * stepPieces + row0 * 4 + lane;
#pragma unroll
            for (int s = 0; s < CHUNK; s++) {
                if (s >= count) break;
#pragma unroll
                for (int m = 0; m < 2; m++) a[0][m].take(xk + s * stepPieces + m * 64);
                addStep<false, N>(h, c, a[0], y + s * GROUP);
            }
            if (ch < chunks - 1) continue;
            if constexpr (MODE == store) keep(u, col0);
            else finish(u, col0);
        }
    }
    waitAsync<0>();
    if (MODE == store) return;

    // The sums of 4 lanes, then those of the two halves of the columns.
    double *halves = (double *)raw; // [Q][128]
#pragma unroll
    for (int half = 0; half < 2; half++) {
        __syncthreads();
#pragma unroll
        for (int q = 0; q < Q; q++)
#pragma unroll
            for (int r = 0; r < 4; r++) {
                double s = (double)sums[q][r];
                s += __shfl_xor_sync(0xffffffffu, s, 1);
                s += __shfl_xor_sync(0xffffffffu, s, 2);
                const int at = row0 + r * 8 + lane / 4;
                if (lane % 4 != 0 || warp % 2 != half) continue;
                if (half == 0) halves[q * tile + at] = s;
                else g.part[((long long)blockIdx.y * Q + q) * g.ldpart + i0 + at] = halves[q * tile + at] + s;
            }
    }
}

// Split makes the pieces of the Gaussian kernel: of the left side (rows of K), or of the right.
struct Split {
    const float *t, *past;
    uint4 *to;
    long long n, ld;
    float unit;
    int d, right, unused;
};
__device__ void gaussSplit(const Split &g) {
    const long long i = (long long)blockIdx.x * tile + threadIdx.x;
    const int steps = (g.d + normSlots + 15) / 16;
    const float unit = g.unit, inverse = 1 / unit;
    double sum = g.past && i < g.n ? (double)g.past[i] : 0;
    for (int s = 0; s < steps; s++) {
        float hi[16], lo[16];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int k = s * 16 + j, slot = k - g.d;
            hi[j] = lo[j] = 0;
            if (slot < 0) {
                const float a = g.t[k * g.ld + i];
                hi[j] = __half2float(__float2half_rn(rintf(a * inverse) * unit));
                lo[j] = __half2float(__float2half_rn(a - hi[j]));
                const double b = (double)hi[j] + lo[j];
                sum = fma(b, b, sum);
            } else if (slot < normSlots) {
                const double norm = -0.5 * sum * inverse, units = rint(norm * inverse);
                const float high = rintf((float)units / 2048), low = (float)(units - 2048.0 * high);
                const bool own = slot / 2 == g.right;
                if (slot % 2 == 0) {
                    hi[j] = own ? high * unit : 2048 * unit;
                } else {
                    hi[j] = own ? low * unit : unit;
                    lo[j] = own ? (float)(norm - units * unit) : 0.f;
                }
            }
        }
        storeStep(g.to + ((long long)blockIdx.x * steps + s) * stepPieces + threadIdx.x * 4, hi, lo);
    }
}
