// The pivoted Cholesky factorisation of a positive semidefinite matrix in double precision (linalg.PivotedCholesky).
//
// Rows stay where they are: the factor has them in the order of the matrix, and what stands right of a pivot is zero.
// A panel of 128 columns is made by one kernel, whose blocks all run at once and tell each other their candidates; what
// it takes off the rest of the matrix is a product of tiles (dense.cu). The bits do not depend on how many blocks
// there are.
//
// The structs are mirrored by package internal/gpu.

#include "common.cuh"

const int side = 128, team = 512, most = 256; // columns of a panel, threads that have rows of it, blocks of them at most
const double infinity = __builtin_huge_val();

// What is known of each row, and of the whole: state has the number of columns that are done, 1 where there are no more
// to come, 1 where the matrix is not positive semidefinite, and from stateNegative on the least part of each block.
enum { stateRank, stateDone, stateBad, stateNegative };
struct Rows {
    double *rest, *whole;   // of the diagonal: what is left, and what that is a part of
    long long *place;       // in the order of pivots: rows change places as they do on the cores
    double *order, *state;  // the pivots
};

// A candidate is the row of which the largest part is left, of those that a block has. Each has a slot for every column
// of the panel; what is not written yet is all ones.
struct __align__(16) Slot {
    unsigned long long part, where; // where: place·2³² + row
};

// pivotstart fills in what is known before the first column. One block of 1024 threads.
struct Start {
    const double *a;
    Rows rows;
    unsigned long long *slots;
    long long ld, n, words;
};
extern "C" __global__ void __launch_bounds__(1024) pivotstart_f64(const __grid_constant__ Start g) {
    __shared__ double largest[1024];
    const int tid = threadIdx.x;
    double top = 0;
    for (long long i = tid; i < g.n; i += 1024) top = max(top, fabs(g.a[i * g.ld + i]));
    largest[tid] = top;
    __syncthreads();
    for (int half = 512; half > 0; half /= 2) {
        if (tid < half) largest[tid] = max(largest[tid], largest[tid + half]);
        __syncthreads();
    }
    top = largest[0] == 0 ? 1 : largest[0];
    for (long long i = tid; i < g.n; i += 1024) {
        double d = g.a[i * g.ld + i];
        g.rows.rest[i] = d;
        g.rows.whole[i] = d > 0 ? d : top;
        g.rows.place[i] = i;
    }
    for (int i = tid; i < stateNegative + most; i += 1024) g.rows.state[i] = 0;
    for (long long i = tid; i < g.words; i += 1024) g.slots[i] = ~0ull;
}

// pivotproof looks for numbers that are not finite, and for values that are too large for those on the diagonal, as the
// cores do. Blocks of 256 threads take turns with rows.
struct Proof {
    const double *a;
    Rows rows;
    long long ld, n;
    double slack;
};
extern "C" __global__ void __launch_bounds__(256) pivotproof_f64(const __grid_constant__ Proof g) {
    bool bad = false;
    for (long long i = blockIdx.x; i < g.n; i += gridDim.x) {
        const double mine = max(0.0, g.rows.rest[i]), slack = g.slack * g.rows.whole[i];
        for (long long j = threadIdx.x; j <= i; j += 256) {
            double v = g.a[i * g.ld + j];
            if (!(v - v == 0)) bad = true;
            if (j < i && v * v > mine * max(0.0, g.rows.rest[j]) + slack * g.rows.whole[j]) bad = true;
        }
    }
    if (bad) g.rows.state[stateBad] = 1;
}

// pivotpanel makes columns first to first+steps-1 of the factor L of what is left of the matrix A, whose tiles on and
// below the diagonal count. Blocks of 512 threads have so many rows each, 8 threads for a row. It stops where no part is
// above stop. The slots of the next panel are made ready. inside says that a block's part of the panel fits into shared
// memory.
struct Panel {
    const double *a;
    double *l;
    Rows rows;
    Slot *slots, *next;
    long long ld, n, first;
    double stop;
    int steps, each, inside, unused;
};

struct Candidate {
    double part;
    unsigned long long where;
};

// better takes the larger part, and the earlier place where they are equal.
__device__ __forceinline__ void better(Candidate &c, double part, unsigned long long where) {
    if (part > c.part || (part == c.part && where < c.where)) c.part = part, c.where = where;
}
__device__ __forceinline__ void betterOf(Candidate &c, int distance) {
    double part = __shfl_xor_sync(0xffffffffu, c.part, distance);
    better(c, part, __shfl_xor_sync(0xffffffffu, c.where, distance));
}

// fence orders what the block has done before it for other blocks.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

extern "C" __global__ void __launch_bounds__(team, 1) pivotpanel_f64(const __grid_constant__ Panel g) {
    extern __shared__ double known[]; // of the block's rows rest, whole and place, then their part of the panel if it fits
    __shared__ Candidate mine[team / 32], theirs[team / 32];
    double *rest = known, *whole = known + g.each, *panel = known + 3 * g.each;
    long long *place = (long long *)(known + 2 * g.each), ld = side + 8;
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, group = tid / 8, part = tid % 8;
    const long long lo = (long long)blockIdx.x * g.each;
    const int rows = (int)min((long long)g.each, g.n - lo);
    if (!g.inside) panel = g.l + lo * g.ld + g.first, ld = g.ld;
    for (int at = blockIdx.x * team + tid; at < side * gridDim.x; at += gridDim.x * team)
        g.next[at].part = g.next[at].where = ~0ull;
    for (int i = tid; i < rows; i += team)
        rest[i] = g.rows.rest[lo + i], whole[i] = g.rows.whole[lo + i], place[i] = g.rows.place[lo + i];
    __syncthreads();
    double least = 0;
    int step = 0;
    for (; step < g.steps; step++) {
        const long long k = g.first + step;
        Candidate c = {-infinity, ~1ull};
        for (int i = group; i < rows && part == 0; i += team / 8)
            if (place[i] >= k) {
                double left = rest[i] / whole[i];
                least = min(least, left);
                better(c, left, (unsigned long long)place[i] << 32 | (unsigned long long)(lo + i));
            }
        __syncwarp();
        betterOf(c, 8);
        betterOf(c, 16);
        if (lane == 0) mine[warp] = c;
        __syncthreads(); // the column before is written, too
        Slot *slots = g.slots + (long long)step * gridDim.x;
        if (warp == 0) {
            c = mine[lane % (team / 32)];
            for (int distance = 1; distance < team / 32; distance *= 2) betterOf(c, distance);
            if (lane == 0) {
                const long long row = (long long)(c.where & 0xffffffffull);
                if (c.part > g.stop) g.rows.rest[row] = rest[row - lo];
                fence();
                asm volatile("st.volatile.global.v2.u64 [%0], {%1,%2};" ::"l"(slots + blockIdx.x),
                             "l"(__double_as_longlong(c.part)), "l"(c.where)
                             : "memory");
            }
        }
        c = {-infinity, ~1ull};
        if (tid < gridDim.x) {
            const Slot *from = slots + tid;
            unsigned long long p, w;
            do asm volatile("ld.volatile.global.v2.u64 {%0,%1}, [%2];" : "=l"(p), "=l"(w) : "l"(from) : "memory");
            while (p == ~0ull || w == ~0ull);
            fence();
            c.part = __longlong_as_double(p), c.where = w;
        }
        __syncwarp();
        if (warp * 32 < gridDim.x) {
            for (int distance = 1; distance < 32; distance *= 2) betterOf(c, distance);
            if (lane == 0) theirs[warp] = c;
        }
        __syncthreads();
        c = theirs[0];
        for (int w = 1; w * 32 < gridDim.x; w++) better(c, theirs[w].part, theirs[w].where);
        if (!(c.part > g.stop)) break;
        const long long pivot = (long long)(c.where & 0xffffffffull), from = (long long)(c.where >> 32);
        const double *head = g.l + pivot * g.ld + g.first;
        double h[side / 8];
#pragma unroll
        for (int q = 0; q < side / 8; q++) h[q] = part + 8 * q < step ? __ldcg(head + part + 8 * q) : 0;
        const double d = sqrt(__ldcg(&g.rows.rest[pivot]));
        for (int r = 0; r < g.each; r += team / 8) { // the same for all threads of a warp
            const int i = r + group;
            const long long row = lo + i, at = i < rows ? place[i] : -1;
            const bool left = at >= k && row != pivot;
            double value = 0, sum = 0;
            if (left) {
                if (part == 0) value = row / side >= pivot / side ? g.a[row * g.ld + pivot] : g.a[pivot * g.ld + row];
                const double *own = panel + i * ld;
#pragma unroll
                for (int q = 0; q < side / 8; q++)
                    if (part + 8 * q < step) sum += own[part + 8 * q] * h[q];
            }
            for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
            if (part == 0 && i < rows) {
                double v = left ? (value - sum) / d : 0.0;
                if (row == pivot) v = d, place[i] = k, g.rows.order[k] = (double)row;
                if (left && at == k) place[i] = from;
                if (left) rest[i] -= v * v;
                g.l[row * g.ld + k] = v;
                if (g.inside) panel[i * ld + step] = v;
            }
        }
        __syncwarp();
    }
    __syncthreads();
    for (int i = tid; i < rows; i += team) g.rows.rest[lo + i] = rest[i], g.rows.place[lo + i] = place[i];
    for (int distance = 8; distance < 32; distance *= 2) least = min(least, __shfl_xor_sync(0xffffffffu, least, distance));
    if (lane == 0) mine[warp].part = least;
    __syncthreads();
    if (tid == 0) {
        for (int w = 0; w < team / 32; w++) least = min(least, mine[w].part);
        g.rows.state[stateNegative + blockIdx.x] = min(g.rows.state[stateNegative + blockIdx.x], least);
        if (blockIdx.x == 0) g.rows.state[stateRank] = (double)(g.first + step), g.rows.state[stateDone] = step < g.steps;
    }
}

// pivotturn writes Lᵀ, of the rows of L in the order of pivots, and the identity past the rank. Blocks of 32×8 threads turn
// 32×32 numbers.
struct Turned {
    const double *l, *order;
    double *to;
    long long ld, rank;
};
extern "C" __global__ void __launch_bounds__(256) pivotturn_f64(const __grid_constant__ Turned g) {
    __shared__ double part[32][33];
    const long long i0 = (long long)blockIdx.x * 32, k0 = (long long)blockIdx.y * 32;
    if (i0 / side < k0 / side) return;
    for (int r = threadIdx.y; r < 32; r += 8) {
        const long long i = i0 + r, k = k0 + threadIdx.x;
        double v = i == k;
        if (i < g.rank && k < g.rank) v = k <= i ? g.l[(long long)g.order[i] * g.ld + k] : 0.0;
        part[r][threadIdx.x] = v;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) g.to[(k0 + r) * g.ld + i0 + threadIdx.x] = part[threadIdx.x][r];
}
