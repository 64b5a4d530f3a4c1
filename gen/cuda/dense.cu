// Factors of symmetric positive definite matrices in double precision, and what is solved with them.
//
// A matrix is stored row after row, with as many rows and numbers a row as the next multiple of 128; past its end it
// is the identity. Of the factor L only the tiles on and below the diagonal count, those on it with zeros above. A tile
// is 128×128. Sums are made in an order that depends on sizes alone.
//
// The structs are mirrored by package internal/gpu.

#include "common.cuh"

const int side = 128, deep = 16, rowStride = deep + 4, turnedStride = side + 4, stage = side * rowStride;

// multiplyAdd adds the product of an 8×4 and a 4×8 matrix, of which a warp has a number a thread.
__device__ __forceinline__ void multiplyAdd(double *c, double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
}

// frame adds shift to the diagonal and makes the rest of the rows past the m-th the identity. A block has a row.
struct Frame {
    double *a;
    long long m, ld;
    double shift;
};
extern "C" __global__ void frame_f64(const __grid_constant__ Frame g) {
    long long i = blockIdx.x;
    if (i < g.m) {
        if (threadIdx.x == 0) g.a[i * g.ld + i] += g.shift;
        return;
    }
    for (long long j = threadIdx.x; j < g.ld; j += blockDim.x) g.a[i * g.ld + j] = i == j;
}

// blocks sets tiles of C to alpha·A·Bᵀ + beta·C or, turned, to alpha·Aᵀ·B + beta·C. The tiles are those on and below the
// diagonal, or all of the grid's first two axes; its third is for products that lie so many numbers apart. fall and rise
// say that A is a lower triangle, turned or not: then there is nothing above row I of tiles of Aᵀ, or right of it in A.
struct Blocks {
    const double *a, *b;
    double *c;
    long long lda, ldb, ldc, depth, apart;
    double alpha, beta;
    int lower, fall, rise, unused;
};

template <bool TURNED> __device__ __forceinline__ void fetchSide(double *to, const double *from, long long ld, long long k) {
    for (int at = threadIdx.x; at < side * deep / 2; at += 256) {
        if (TURNED) {
            int row = at / (side / 2), c = at % (side / 2) * 2;
            copyAsync(to + row * turnedStride + c, from + (k + row) * ld + c);
        } else {
            int row = at / (deep / 2), c = at % (deep / 2) * 2;
            copyAsync(to + row * rowStride + c, from + row * ld + k + c);
        }
    }
}

template <bool TURNED> __device__ __forceinline__ void blocks(const Blocks &g) {
    extern __shared__ __align__(16) double memory[];
    long long row = blockIdx.x, col = blockIdx.y;
    if (g.lower) {
        row = (long long)((sqrt(8.0 * blockIdx.x + 1) - 1) / 2);
        while (row * (row + 1) / 2 > blockIdx.x) row--;
        while ((row + 1) * (row + 2) / 2 <= blockIdx.x) row++;
        col = blockIdx.x - row * (row + 1) / 2;
    }
    const long long apart = blockIdx.z * g.apart;
    const double *a = g.a + apart + row * side * (TURNED ? 1 : g.lda);
    const double *b = g.b + apart + col * side * (TURNED ? 1 : g.ldb);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, r0 = warp / 4 * 64 + lane / 4, c0 = warp % 4 * 32 + lane / 4;
    const long long first = g.fall ? row * side : 0, last = g.rise ? min(g.depth, (row + 1) * side) : g.depth;
    const long long steps = (last - first) / deep;
    double acc[8][4][2];
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) acc[r][c][0] = acc[r][c][1] = 0;
    auto fetch = [&](long long step) {
        if (step < steps) {
            double *to = memory + (step & 1) * 2 * stage;
            fetchSide<TURNED>(to, a, g.lda, first + step * deep);
            fetchSide<TURNED>(to + stage, b, g.ldb, first + step * deep);
        }
        commitAsync();
    };
    fetch(0);
    for (long long step = 0; step < steps; step++) {
        waitAsync<0>();
        __syncthreads(); // all are done with the stage before, whose memory is the next one's
        fetch(step + 1);
        const double *as = memory + (step & 1) * 2 * stage, *bs = as + stage;
#pragma unroll
        for (int k0 = 0; k0 < deep; k0 += 4) {
            const int k = k0 + lane % 4;
            double x[8], y[4];
#pragma unroll
            for (int r = 0; r < 8; r++)
                x[r] = TURNED ? as[k * turnedStride + r0 + 8 * r] : as[(r0 + 8 * r) * rowStride + k];
#pragma unroll
            for (int c = 0; c < 4; c++)
                y[c] = TURNED ? bs[k * turnedStride + c0 + 8 * c] : bs[(c0 + 8 * c) * rowStride + k];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int c = 0; c < 4; c++) multiplyAdd(acc[r][c], x[r], y[c]);
        }
    }
    double *to = g.c + apart + row * side * g.ldc + col * side;
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            double2 *at = (double2 *)(to + (r0 + 8 * r) * g.ldc + warp % 4 * 32 + 8 * c + lane % 4 * 2);
            double2 v = make_double2(g.alpha * acc[r][c][0], g.alpha * acc[r][c][1]);
            if (g.beta != 0) {
                double2 old = *at;
                v.x += g.beta * old.x, v.y += g.beta * old.y;
            }
            *at = v;
        }
}
extern "C" __global__ void __launch_bounds__(256, 1) blocks_f64(const __grid_constant__ Blocks g) { blocks<false>(g); }
extern "C" __global__ void __launch_bounds__(256, 1) turned_f64(const __grid_constant__ Blocks g) { blocks<true>(g); }

// corner replaces a tile on the diagonal by its factor, and writes the inverse of that. Where a pivot is not positive
// state becomes its number, counted from 1, and the pivot. One block of 512 threads.
struct Corner {
    double *a, *inverse, *state;
    long long ld, first;
};
__device__ __forceinline__ int packed(int i, int j) { return i * (i + 1) / 2 + j; }

// invertTriangle replaces a triangle in shared memory by its inverse; column has room for one.
__device__ __forceinline__ void invertTriangle(double *s, double *column) {
    const int tid = threadIdx.x, row = tid / 4, part = tid % 4;
    for (int j = side - 1; j >= 0; j--) { // behind column j the inverse is there
        __syncthreads();
        const double d = 1 / s[packed(j, j)];
        if (tid > j && tid < side) column[tid] = s[packed(tid, j)];
        __syncthreads();
        double sum = 0;
        if (row > j)
            for (int k = j + 1 + part; k <= row; k += 4) sum += s[packed(row, k)] * column[k];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if (part == 0 && row >= j) s[packed(row, j)] = row == j ? d : -sum * d;
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(512) corner_f64(const __grid_constant__ Corner g) {
    extern __shared__ double s[]; // the lower triangle row after row, then a column
    double *column = s + side * (side + 1) / 2;
    const int tid = threadIdx.x, row = tid / 4, part = tid % 4;
    for (int at = tid; at < side * side; at += 512)
        if (at % side <= at / side) s[packed(at / side, at % side)] = g.a[at / side * g.ld + at % side];
    __syncthreads();
    for (int j = 0; j < side; j++) {
        const double pivot = s[packed(j, j)];
        if (tid == 0 && g.state[0] == 0 && !(pivot > 0 && pivot < __longlong_as_double(0x7ff0000000000000ll)))
            g.state[0] = (double)(g.first + j + 1), g.state[1] = pivot;
        __syncthreads();
        if (tid >= j && tid < side) {
            double v = tid == j ? sqrt(pivot) : s[packed(tid, j)] / sqrt(pivot);
            s[packed(tid, j)] = column[tid] = v;
        }
        __syncthreads();
        if (row > j)
            for (int k = j + 1 + part; k <= row; k += 4) s[packed(row, k)] -= column[row] * column[k];
        __syncthreads();
    }
    for (int at = tid; at < side * side; at += 512) {
        int i = at / side, j = at % side;
        g.a[i * g.ld + j] = j <= i ? s[packed(i, j)] : 0.0;
    }
    invertTriangle(s, column);
    for (int at = tid; at < side * side; at += 512) {
        int i = at / side, j = at % side;
        g.inverse[at] = j <= i ? s[packed(i, j)] : 0.0;
    }
}

// invert writes the inverses of tiles on the diagonal of L to those of a matrix, of which the rows are as long. Lᵀ is
// given. Blocks have 512 threads.
struct Invert {
    const double *turned;
    double *to;
    long long ld;
};
extern "C" __global__ void __launch_bounds__(512) invert_f64(const __grid_constant__ Invert g) {
    extern __shared__ double s[];
    const long long first = (long long)blockIdx.x * side * (g.ld + 1);
    for (int at = threadIdx.x; at < side * side; at += 512)
        if (at / side <= at % side) s[packed(at % side, at / side)] = g.turned[first + at / side * g.ld + at % side];
    invertTriangle(s, s + side * (side + 1) / 2);
    for (int at = threadIdx.x; at < side * side; at += 512) {
        int i = at / side, j = at % side;
        g.to[first + i * g.ld + j] = j <= i ? s[packed(i, j)] : 0.0;
    }
}

// Of a right-hand side x the unknowns of block are solved for by settle, and what they mean for others is added to to
// by tell, times sign: to those behind them or, turned, to those of the blocks before end. A vector has ld numbers.
struct Step {
    const double *l, *inverse, *from;
    double *to;
    long long ld;
    double sign;
    int block, end, turned, unused;
};

// settle has a block of 512 threads for each vector.
extern "C" __global__ void __launch_bounds__(512) settle_f64(const __grid_constant__ Step g) {
    __shared__ double b[side], sums[4][side];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    double *x = g.to + blockIdx.x * g.ld + g.block * side;
    const double *inverse = g.inverse + (long long)g.block * side * side;
    if (tid < side) b[tid] = x[tid];
    __syncthreads();
    if (g.turned) {
        const int j = tid % side, part = tid / side;
        double sum = 0;
#pragma unroll 8
        for (int i = part * 32; i < part * 32 + 32; i++) sum += inverse[i * side + j] * b[i];
        sums[part][j] = sum;
        __syncthreads();
        if (tid < side) x[tid] = ((sums[0][tid] + sums[1][tid]) + sums[2][tid]) + sums[3][tid];
        return;
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int i = warp * 8 + r;
        double sum = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) sum += inverse[i * side + q * 32 + lane] * b[q * 32 + lane];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (lane == 0) x[i] = sum;
    }
}

// tell has blocks of 512 threads for 128 numbers each, and of the grid's second axis one for each vector.
extern "C" __global__ void __launch_bounds__(512) tell_f64(const __grid_constant__ Step g) {
    __shared__ double z[side], sums[4][side];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const long long at = (long long)g.block * side, vector = blockIdx.y * g.ld;
    if (tid < side) z[tid] = g.from[vector + at + tid];
    __syncthreads();
    if (g.turned) {
        const int part = tid / side;
        const long long j = (long long)blockIdx.x * side + tid % side;
        double sum = 0;
#pragma unroll 8
        for (int i = part * 32; i < part * 32 + 32; i++) sum += g.l[(at + i) * g.ld + j] * z[i];
        sums[part][tid % side] = sum;
        __syncthreads();
        if (tid < side)
            g.to[vector + j] += g.sign * (((sums[0][tid] + sums[1][tid]) + sums[2][tid]) + sums[3][tid]);
        return;
    }
    const long long first = at + side + (long long)blockIdx.x * side + warp * 8;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        double sum = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) sum += g.l[(first + r) * g.ld + at + q * 32 + lane] * z[q * 32 + lane];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (lane == 0) g.to[vector + first + r] += g.sign * sum;
    }
}
