// What goes before and after tiles: vectors are turned and measured when they arrive,
// sums of strips are added up, and rows of K that are kept are multiplied.

#include "common.cuh"

// turn writes vectors that lie one after the other coordinate by coordinate:
// to[k·ld + i] = factor·from[i·d + k], and zero for rows ≤ i < the next multiple of 128.
template <typename T> struct Turn {
    const T *from;
    T *to;
    long long rows, ld;
    double factor;
    long long d;
};
template <typename T> __device__ void turn(const Turn<T> &g) {
    __shared__ T part[32][33];
    long long i0 = (long long)blockIdx.x * 32;
    int k0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) {
        long long i = i0 + r;
        int k = k0 + threadIdx.x;
        part[r][threadIdx.x] = i < g.rows && k < g.d ? T(g.factor * g.from[i * g.d + k]) : T(0);
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        int k = k0 + r;
        if (k < g.d) g.to[k * g.ld + i0 + threadIdx.x] = part[threadIdx.x][r];
    }
}

// measure sets norm[i] = factor·(Σ_k t[k][i]² + past[i]), added up as tiles add up inner
// products, and top to the largest |norm| of 128 vectors. Blocks have 128 threads.
template <typename T> struct Measure {
    const T *t, *past;
    T *norm, *top;
    long long n, ld;
    double factor;
    int d, longSums;
};
template <typename T> __device__ void measure(const Measure<T> &g) {
    __shared__ T largest[128];
    long long i = (long long)blockIdx.x * 128 + threadIdx.x;
    T sum = 0, more = 0;
    const int part = longChunks * 128 / sizeof(T);
    for (int k = 0; k < g.d; k++) {
        T a = g.t[k * g.ld + i];
        sum = fma(a, a, sum);
        if (g.longSums && k % part == part - 1) more += sum, sum = 0;
    }
    if (g.longSums) sum = more + sum;
    if (g.past && i < g.n) sum += g.past[i];
    sum *= T(g.factor);
    g.norm[i] = sum;
    largest[threadIdx.x] = fabs(sum);
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) g.top[blockIdx.x] = largest[0];
}

// join adds up the sums of strips in their order: a = weight[i]·(Σ_s part[s][q][i] + u[q][i]),
// in double, stored in the precision T and, where out is there, in double. strips may be 0.
template <typename T> struct Join {
    const double *part, *u, *weight; // u and weight may be null
    double *out;                     // [q][n], may be null
    T *v;                            // [q][ld], zero past n; may be null
    long long n, ld, ldu;
    int strips, vectors; // vectors that part has for each strip
};
template <typename T> __device__ void join(const Join<T> &g) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y;
    if (i >= g.ld) return;
    double sum = 0;
    if (i < g.n) {
        for (int s = 0; s < g.strips; s++) sum += g.part[((long long)s * g.vectors + q) * g.ld + i];
        if (g.u) sum += g.u[q * g.ldu + i];
        if (g.weight) sum *= g.weight[i];
        if (g.out) g.out[q * g.n + i] = sum;
    }
    if (g.v) g.v[q * g.ld + i] = (T)sum;
}

// Kept rows of K: k[i·ldk + j], with v a row of ldk numbers a vector and zero past m.
template <typename T> struct Kept {
    const T *k, *v;
    double *part;
    long long rows, ldk, ldpart; // ldpart: numbers of part a vector
    int vectors, strip;          // rows of a strip
};

// along sets part[q][i] = Σ_j k[i][j]·v[q][j]: a warp a row and at most 4 vectors at a time.
template <typename T> __device__ void along(const Kept<T> &g) {
    const int W = 16 / sizeof(T);
    long long i = (long long)blockIdx.x * 8 + threadIdx.x / 32;
    int lane = threadIdx.x % 32, q0 = blockIdx.y * 4, count = min(4, g.vectors - q0);
    if (i >= g.rows) return;
    const T *row = g.k + i * g.ldk;
    double total[4] = {0, 0, 0, 0};
    for (long long j0 = 0; j0 < g.ldk; j0 += 32 * 128) { // at most 128 products before the sum goes on in double
        T sum[4] = {0, 0, 0, 0};
        long long end = min(j0 + 32 * 128, g.ldk);
        for (long long j = j0 + lane * W; j < end; j += 32 * W) {
            T a[W], b[W];
            loadVec(a, row + j);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                if (q >= count) break;
                loadVec(b, g.v + (q0 + q) * g.ldk + j);
#pragma unroll
                for (int e = 0; e < W; e++) sum[q] = fma(a[e], b[e], sum[q]);
            }
        }
#pragma unroll
        for (int q = 0; q < 4; q++) total[q] += (double)sum[q];
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        for (int step = 16; step > 0; step /= 2) total[q] += __shfl_xor_sync(0xffffffffu, total[q], step);
        if (lane == 0 && q < count) g.part[(q0 + q) * g.ldpart + i] = total[q];
    }
}

// across sets part[s][q][j] = Σ_i k[i][j]·v[q][i] over the rows of strip s, at most 4 vectors at a time. A row
// of v has as many numbers as there are rows, and more to a multiple of 128.
template <typename T> __device__ void across(const Kept<T> &g) {
    const int W = 16 / sizeof(T);
    long long j = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * W;
    int q0 = blockIdx.z * 4, count = min(4, g.vectors - q0);
    if (j >= g.ldk) return;
    long long lo = (long long)blockIdx.y * g.strip, hi = min(lo + g.strip, g.rows), ldv = (g.rows + 127) / 128 * 128;
    double total[4][W];
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int e = 0; e < W; e++) total[q][e] = 0;
    for (long long i0 = lo; i0 < hi; i0 += 128) {
        T sum[4][W];
#pragma unroll
        for (int q = 0; q < 4; q++)
#pragma unroll
            for (int e = 0; e < W; e++) sum[q][e] = 0;
        long long end = min(i0 + 128, hi);
#pragma unroll 4
        for (long long i = i0; i < end; i++) {
            T a[W];
            loadVec(a, g.k + i * g.ldk + j);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                if (q >= count) break;
                T b = g.v[(q0 + q) * ldv + i];
#pragma unroll
                for (int e = 0; e < W; e++) sum[q][e] = fma(a[e], b, sum[q][e]);
            }
        }
#pragma unroll
        for (int q = 0; q < 4; q++)
#pragma unroll
            for (int e = 0; e < W; e++) total[q][e] += (double)sum[q][e];
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        if (q >= count) break;
#pragma unroll
        for (int e = 0; e < W; e++)
            g.part[((long long)blockIdx.y * g.vectors + q0 + q) * g.ldk + j + e] = total[q][e];
    }
}

// Widen sets to[i] = from[i].
struct Widen {
    const float *from;
    double *to;
    long long n;
};
extern "C" __global__ void widen_f64(const __grid_constant__ Widen g) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < g.n; i += step) g.to[i] = g.from[i];
}

// Look sets found[blockIdx.x] to 1 where one of the block's share of the numbers is not finite, else to 0.
template <typename T> struct Look {
    const T *of;
    T *found;
    long long n;
};
template <typename T> __device__ void look(const Look<T> &g) {
    bool bad = false;
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < g.n; i += step) bad |= !isfinite(g.of[i]);
    bad = __syncthreads_or(bad);
    if (threadIdx.x == 0) g.found[blockIdx.x] = bad;
}

#define BOTH(NAME, ARGS)                                                                                           \
    extern "C" __global__ void NAME##_f32(const __grid_constant__ ARGS<float> g) { NAME<float>(g); }               \
    extern "C" __global__ void NAME##_f64(const __grid_constant__ ARGS<double> g) { NAME<double>(g); }

BOTH(turn, Turn)
BOTH(measure, Measure)
BOTH(join, Join)
BOTH(along, Kept)
BOTH(across, Kept)
BOTH(look, Look)
