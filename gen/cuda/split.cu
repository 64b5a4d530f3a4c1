// The product of features, K·Bᵀ, on tensor cores: as good as in single precision.
//
// A vector is divided by a power of two so that its largest coordinate is between 2^13 and 2^14,
// and each coordinate is the sum of two numbers of 11 bits; lo·lo is below rounding and left
// out. Sums of 64 coordinates are made by the tensor cores, which cut off what they add behind
// 24 bits, and rounded into those of all.

#include "tensor.cuh"

// Most sets most[i] to the largest |t[k][i]|: 32 vectors a block, of 32 by 32 threads.
struct Most {
    const float *t;
    float *most;
    long long ld;
    int d, unused;
};
__device__ void most(const Most &g) {
    __shared__ float part[32][33];
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
    float largest = 0;
    for (int k = threadIdx.y; k < g.d; k += 32) largest = fmaxf(largest, fabsf(g.t[k * g.ld + i]));
    part[threadIdx.y][threadIdx.x] = largest;
    __syncthreads();
    if (threadIdx.y > 0) return;
    for (int r = 1; r < 32; r++) largest = fmaxf(largest, part[r][threadIdx.x]);
    g.most[i] = largest;
}

// Split makes the pieces of vectors, 8 steps a block of 128 threads, and what their inner products
// are to be multiplied by.
struct Split {
    const float *t, *most;
    uint4 *to;
    float *back;
    long long ld;
    int d, unused;
};
__device__ void split(const Split &g) {
    const long long i = (long long)blockIdx.x * tile + threadIdx.x;
    const int steps = (g.d + 15) / 16, lo8 = blockIdx.y * 8;
    const int exponent = max(-100, min(100, ilogbf(g.most[i]))); // of no vector that matters beyond that
    const float scale = exp2f(13 - exponent);
    if (blockIdx.y == 0) g.back[i] = exp2f(exponent - 13);
    for (int s = lo8; s < min(steps, lo8 + 8); s++) {
        float hi[16], lo[16];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            const int k = s * 16 + j;
            const float a = k < g.d ? g.t[k * g.ld + i] * scale : 0.f;
            hi[j] = __half2float(__float2half_rn(a));
            lo[j] = a - hi[j];
        }
        storeStep(g.to + ((long long)blockIdx.x * steps + s) * stepPieces + threadIdx.x * 4, hi, lo);
    }
}

// Product sets out[i·ldout + j] = ⟨x_i, y_j⟩; lower says that y_j has zeros past its j-th coordinate.
struct Product {
    const uint4 *x, *y;
    const float *backX, *backY;
    float *out;
    long long nx, ny, ldout;
    int steps, lower;
};
const int chunk = 2, stages = 3; // steps of a stage

__device__ __forceinline__ void addStep(float (*sum)[8][4], const uint4 *x, const uint4 *y) {
    Left a[2];
#pragma unroll
    for (int m = 0; m < 2; m++) a[m].take(x + m * 64);
#pragma unroll
    for (int n = 0; n < 8; n++) {
        const uint4 b = y[n * 32];
#pragma unroll
        for (int m = 0; m < 2; m++) {
            multiply(sum[m][n], a[m].hi, b.z, b.w);
            multiply(sum[m][n], a[m].lo, b.x, b.y);
            multiply(sum[m][n], a[m].hi, b.x, b.y);
        }
    }
}

__device__ void product(const Product &g) {
    extern __shared__ __align__(16) char raw[];
    uint4 *ys = (uint4 *)raw, *xs = ys + stages * chunk * stepPieces;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = warp / 2 * 32, col0 = warp % 2 * 64;
    const int t = gridDim.y - 1 - blockIdx.y; // those of a triangle with many steps go first
    const int steps = g.lower ? min(g.steps, (t + 1) * (tile / 16)) : g.steps, chunks = (steps + chunk - 1) / chunk;
    const uint4 *x = g.x + (long long)blockIdx.x * g.steps * stepPieces, *y = g.y + (long long)t * g.steps * stepPieces;
    auto fetch = [&](int c) {
        if (c < chunks) {
            const int count = min(chunk, steps - c * chunk) * stepPieces, to = c % stages * chunk * stepPieces;
            for (int at = threadIdx.x; at < count; at += threads) {
                copyAsync(ys + to + at, y + c * chunk * stepPieces + at);
                copyAsync(xs + to + at, x + c * chunk * stepPieces + at);
            }
        }
        commitAsync();
    };
    float sum[2][8][4], total[2][8][4];
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) sum[m][n][e] = total[m][n][e] = 0;
    for (int c = 0; c < stages - 1; c++) fetch(c);
    for (int c = 0; c < chunks; c++) {
        waitAsync<stages - 2>();
        __syncthreads(); // all are done with the stage before, whose memory is the next one's
        fetch(c + stages - 1);
        const int at = c % stages * chunk * stepPieces + lane, count = min(chunk, steps - c * chunk);
#pragma unroll
        for (int s = 0; s < chunk; s++) {
            if (s >= count) break;
            addStep(sum, xs + at + s * stepPieces + row0 * 4, ys + at + s * stepPieces + col0 * 4);
        }
        if (c % 2 == 0 && c < chunks - 1) continue;
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
            for (int n = 0; n < 8; n++)
#pragma unroll
                for (int e = 0; e < 4; e++) total[m][n][e] += sum[m][n][e], sum[m][n][e] = 0;
    }
    waitAsync<0>();
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const long long i = (long long)blockIdx.x * tile + row0 + r * 8 + lane / 4;
        if (i >= g.nx) continue;
        const float back = g.backX[i];
#pragma unroll
        for (int n = 0; n < 8; n++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const long long j = (long long)t * tile + col0 + n * 8 + lane % 4 * 2 + e;
                if (j < g.ny) g.out[i * g.ldout + j] = total[r / 2][n][r % 2 * 2 + e] * back * g.backY[j];
            }
    }
}

extern "C" __global__ void splitmost_f32(const __grid_constant__ Most g) { most(g); }
extern "C" __global__ void __launch_bounds__(tile) splitvectors_f32(const __grid_constant__ Split g) { split(g); }
extern "C" __global__ void __launch_bounds__(threads, 1) splitproduct_f32(const __grid_constant__ Product g) {
    product(g);
}
