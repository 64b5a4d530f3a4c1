// The pivoted Cholesky factorisation of a positive semidefinite matrix in double precision (linalg.PivotedCholesky).
//
// Rows stay where they are: the factor has them in the order of the matrix, and what stands right of a pivot is zero.
// A panel of 128 columns is made by one kernel, whose blocks all run at once and tell each other their candidates; what
// it takes off the rest of the matrix is a product of tiles (dense.cu). The bits do not depend on how many blocks
// there are.
//
// The structs are mirrored by package internal/gpu.

#include "common.cuh"

const int side = 128, team = 512, most = 256; // columns of a panel; threads of a block, and blocks

// What is known of each row, and of the whole: state has the number of columns that are done, 1 where there are no more
// to come, 1 where the matrix is not positive semidefinite, and from stateNegative on the least part of each block.
enum { stateRank, stateDone, stateBad, stateNegative };
struct Rows {
    double *rest, *whole;   // of the diagonal: what is left, and what that is a part of
    long long *place;       // in the order of pivots: rows change places as they do on the cores
    double *order, *state;  // the pivots
};

// A candidate is the row of which the largest part is left, of those that a block has, with its last number in the
// factor and what is left of it. Each block has a slot for every column of the panel; what is not written yet is all
// ones. The part is 0 where none is above the stop. where is place·2³² + row.
struct __align__(32) Slot {
    unsigned long long part, where;
    double last, rest;
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
// below the diagonal count. Blocks of 512 threads have so many rows each, 8 threads for a row. It stops where no part
// is above stop. The slots of the next panel are made ready. inside says that a block's part of the panel fits into
// shared memory.
struct Panel {
    const double *a;
    double *l;
    Rows rows;
    Slot *slots, *next;
    long long ld, n, first;
    double stop;
    int steps, each, inside, unused;
};

// best returns the lane whose candidate is the best of a warp: the largest part, and the earliest place where parts are
// equal.
__device__ __forceinline__ int best(unsigned long long part, unsigned place) {
    const unsigned high = (unsigned)(part >> 32), low = (unsigned)part, all = 0xffffffffu;
    bool in = high == __reduce_max_sync(all, high);
    const unsigned lowest = __reduce_max_sync(all, in ? low : 0);
    in = in && low == lowest;
    const unsigned first = __reduce_min_sync(all, in ? place : all);
    return __ffs(__ballot_sync(all, in && place == first)) - 1;
}

// fence orders what the block has done before it for other blocks.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// write and read are of slots that other blocks read and write meanwhile. Who has read sees what the writer's fences
// were behind.
__device__ __forceinline__ void write(Slot *to, const Slot &s) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1,%2};" ::"l"(&to->last), "l"(__double_as_longlong(s.last)),
                 "l"(__double_as_longlong(s.rest))
                 : "memory");
    asm volatile("st.volatile.global.v2.u64 [%0], {%1,%2};" ::"l"(to), "l"(s.part), "l"(s.where) : "memory");
}
__device__ __forceinline__ Slot read(const Slot *from) {
    unsigned long long part, where, last, rest;
    do {
        asm volatile("ld.volatile.global.v2.u64 {%0,%1}, [%2];" : "=l"(last), "=l"(rest) : "l"(&from->last) : "memory");
        asm volatile("ld.acquire.gpu.global.v2.u64 {%0,%1}, [%2];" : "=l"(part), "=l"(where) : "l"(from) : "memory");
    } while (part == ~0ull || where == ~0ull || last == ~0ull || rest == ~0ull);
    return {part, where, __longlong_as_double(last), __longlong_as_double(rest)};
}

// A step: every block tells its candidate; when all are known the best of them is the pivot, and each block computes
// the column for its rows. Of the pivot's row other blocks read what was written a step before and earlier, for which
// there was a fence since; its last number came with the candidate.
extern "C" __global__ void __launch_bounds__(team, 1) pivotpanel_f64(const __grid_constant__ Panel g) {
    extern __shared__ double known[]; // of the block's rows, then their part of the panel if it fits
    __shared__ Slot found[most / 32];
    double *rest = known, *whole = rest + g.each, *parts = whole + g.each, *panel = parts + 2 * g.each;
    long long *place = (long long *)(parts + g.each), ld = side + 8;
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, group = tid / 8, part = tid % 8;
    const long long lo = (long long)blockIdx.x * g.each;
    const int rows = (int)min((long long)g.each, g.n - lo);
    if (!g.inside) panel = g.l + lo * g.ld + g.first, ld = g.ld;
    for (int at = blockIdx.x * team + tid; at < side * gridDim.x; at += gridDim.x * team) {
        unsigned long long *words = (unsigned long long *)(g.next + at);
        words[0] = words[1] = words[2] = words[3] = ~0ull;
    }
    double least = 0;
    for (int i = tid; i < rows; i += team) {
        rest[i] = g.rows.rest[lo + i], whole[i] = g.rows.whole[lo + i], place[i] = g.rows.place[lo + i];
        parts[i] = place[i] < g.first ? 0 : rest[i] / whole[i];
        least = min(least, parts[i]);
    }
    int step = 0;
    for (; step < g.steps; step++) {
        const long long k = g.first + step;
        __syncthreads(); // the column before is written
        Slot *slots = g.slots + (long long)step * gridDim.x;
        Slot c = {0, ~1ull, 0, 0};
        if (warp == 0) {
            int mine = -1;
            unsigned at = ~0u;
            for (int i = lane; i < rows; i += 32) {
                const unsigned long long p = parts[i] > g.stop ? __double_as_longlong(parts[i]) : 0;
                const unsigned here = (unsigned)place[i];
                if (p > c.part || (p == c.part && p > 0 && here < at)) c.part = p, at = here, mine = i;
            }
            if (lane == best(c.part, at)) {
                if (c.part > 0) {
                    c.where = (unsigned long long)at << 32 | (unsigned long long)(lo + mine);
                    c.last = step > 0 ? panel[mine * ld + step - 1] : 0, c.rest = rest[mine];
                }
                write(slots + blockIdx.x, c);
            }
            fence();
        } else if (warp <= (gridDim.x + 31) / 32) {
            const int from = tid - 32;
            if (from < gridDim.x) c = read(slots + from);
            __syncwarp();
            if (lane == best(c.part, (unsigned)(c.where >> 32))) found[warp - 1] = c;
        }
        __syncthreads();
        int winner = 0;
        for (int w = 1; w * 32 < gridDim.x; w++)
            if (found[w].part > found[winner].part ||
                (found[w].part == found[winner].part && found[w].where < found[winner].where))
                winner = w;
        c = found[winner];
        if (c.part == 0) break;
        const long long pivot = (long long)(c.where & 0xffffffffull), from = (long long)(c.where >> 32);
        auto value = [&](int i) {
            const long long row = lo + i;
            if (part > 0 || i >= rows || place[i] < k) return 0.0;
            return row / side >= pivot / side ? g.a[row * g.ld + pivot] : g.a[pivot * g.ld + row];
        };
        double next = value(group), h[side / 8];
        const double *head = g.l + pivot * g.ld + g.first;
#pragma unroll
        for (int q = 0; q < side / 8; q++) {
            const int at = part + 8 * q;
            h[q] = at < step - 1 ? __ldcg(head + at) : at == step - 1 ? c.last : 0;
        }
        const double d = sqrt(c.rest);
        for (int r = 0; r < g.each; r += team / 8) { // the same for all threads of a warp
            const int i = r + group;
            const long long row = lo + i, at = i < rows ? place[i] : -1;
            const bool left = at >= k && row != pivot;
            double v = next, sum = 0;
            if (r + team / 8 < g.each) next = value(i + team / 8);
            if (left) {
                const double *own = panel + i * ld;
#pragma unroll
                for (int q = 0; q < side / 8; q++)
                    if (part + 8 * q < step) sum += own[part + 8 * q] * h[q];
            }
            // All 8 threads have read the row's place, on which their sums depend, when one of them writes it.
            for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
            if (part == 0 && i < rows) {
                v = left ? (v - sum) / d : 0.0;
                if (left) {
                    rest[i] -= v * v;
                    parts[i] = rest[i] / whole[i];
                    least = min(least, parts[i]);
                    if (at == k) place[i] = from;
                }
                if (row == pivot) v = d, parts[i] = 0, place[i] = k, g.rows.order[k] = (double)row;
                g.l[row * g.ld + k] = v;
                if (g.inside) panel[i * ld + step] = v;
            }
        }
        __syncwarp();
    }
    __syncthreads();
    for (int i = tid; i < rows; i += team) g.rows.rest[lo + i] = rest[i], g.rows.place[lo + i] = place[i];
    for (int distance = 1; distance < 32; distance *= 2)
        least = min(least, __shfl_xor_sync(0xffffffffu, least, distance));
    __syncthreads();
    if (lane == 0) known[warp] = least;
    __syncthreads();
    if (tid == 0) {
        for (int w = 0; w < team / 32; w++) least = min(least, known[w]);
        g.rows.state[stateNegative + blockIdx.x] = min(g.rows.state[stateNegative + blockIdx.x], least);
        if (blockIdx.x > 0) return;
        g.rows.state[stateRank] = (double)(g.first + step);
        g.rows.state[stateDone] = step < g.steps;
    }
}

// pivotturn writes Lᵀ, of the rows of L in the order of pivots, and the identity past the rank. Blocks of 32×8 threads
// turn 32×32 numbers.
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
