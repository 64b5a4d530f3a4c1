// Rounds of sequential minimal optimisation for
//
//     minimise ½ Σ_s Σ_t b_s b_t K(x_s, x_t) + Σ_t e_t b_t,   lo ≤ b ≤ hi, Σ b as it is,
//
// where variable t is about instance t mod n. The slope of a variable is f_t = -(scores + e_t), with the scores K·b.
// A round is: survey (how far it is from the end), histogram, tally, write and keep (which variables it solves for),
// gather (their vectors, of which tiles.cuh makes K), inner (steps of two variables each), and then gather once more
// for the product that brings the scores up to date.
//
// Everything is added and chosen in an order that depends on sizes alone. Dual is mirrored by dualArgs of package
// internal/gpu.

#include "common.cuh"

// Numbers of the state.
enum { stUp, stDown, stSum, stInside, stLargest, stSteps, stMoved, stCount, stLeft };

// Whole numbers: how many blocks are done with survey, histogram and tally; the bin at which each list is cut, and how
// many variables of that bin are taken; and how many are in all.
enum { clSurvey, clHistogram, clTally, clCut, clTies = clCut + 2, clFresh = clTies + 2 };

template <typename T> struct Dual {
    const double *e, *lo, *hi;     // of each variable
    double *b, *scores;            // scores of each instance
    double *state, *part;          // part: 4 a block of survey
    const T *k;                    // K of the set, a row of ldk numbers
    T *change;                     // of b, for variables that moved
    const int *before;             // the set of the round before
    int *set, *moved;              // variables; and instances
    int *cell, *tallies;           // tallies: 3 for each block, and the end
    unsigned *bins;                // [2][binCount], zero between rounds
    unsigned short *code;          // list and bin of each variable
    unsigned char *mark;           // whether it is in the set
    long long n, variables, ldk;
    double tolerance;              // of the violation within the set
    int size, earlier, share, steps; // of the set and of the one before; of each list; most steps
};

const int chunk = 1024, binCount = 4096, noCode = 0xffff, perThread = 4;
const unsigned everyone = 0xffffffffu;

template <typename T> __device__ __forceinline__ double slope(const Dual<T> &g, long long t) {
    return -(g.scores[t < g.n ? t : t - g.n] + g.e[t]);
}

// lastBlock reports whether all other blocks of the launch are done; what they wrote is there then.
__device__ bool lastBlock(int *cell) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(cell, 1) == (int)gridDim.x - 1;
        if (last) *cell = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}

// survey finds the extremes of the slopes, Σ|b| and how many variables are inside their ranges. Blocks of 256 threads
// have chunk variables each.
template <typename T> __device__ void survey(const Dual<T> &g) {
    __shared__ double all[4][256];
    const double inf = __longlong_as_double(0x7ff0000000000000ll);
    double up = -inf, down = inf, sum = 0, inside = 0;
    auto reduce = [&]() {
        all[0][threadIdx.x] = up, all[1][threadIdx.x] = down, all[2][threadIdx.x] = sum, all[3][threadIdx.x] = inside;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                int i = threadIdx.x, j = i + half;
                all[0][i] = max(all[0][i], all[0][j]), all[1][i] = min(all[1][i], all[1][j]);
                all[2][i] += all[2][j], all[3][i] += all[3][j];
            }
            __syncthreads();
        }
    };
    for (int q = 0; q < chunk / 256; q++) {
        long long t = (long long)blockIdx.x * chunk + q * 256 + threadIdx.x;
        if (t >= g.variables) break;
        double b = g.b[t], f = slope(g, t), lo = g.lo[t], hi = g.hi[t];
        if (b < hi) up = max(up, f);
        if (b > lo) down = min(down, f);
        sum += fabs(b);
        inside += lo < b && b < hi;
    }
    reduce();
    if (threadIdx.x < 4) g.part[4ll * blockIdx.x + threadIdx.x] = all[threadIdx.x][0];
    if (!lastBlock(g.cell + clSurvey)) return;
    up = -inf, down = inf, sum = 0, inside = 0;
    for (long long k = threadIdx.x; k < gridDim.x; k += 256) {
        up = max(up, __ldcg(g.part + 4 * k)), down = min(down, __ldcg(g.part + 4 * k + 1));
        sum += __ldcg(g.part + 4 * k + 2), inside += __ldcg(g.part + 4 * k + 3);
    }
    reduce();
    if (threadIdx.x < 4) g.state[stUp + threadIdx.x] = all[threadIdx.x][0];
}

// before256 returns the sum of v over the threads before the caller's, and the sum over all of them.
__device__ int before256(int v, int *total) {
    __shared__ int sums[256];
    __syncthreads();
    sums[threadIdx.x] = v;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int add = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += add;
        __syncthreads();
    }
    *total = sums[255];
    return sums[threadIdx.x] - v;
}

// histogram puts the variables that violate the conditions into one of two lists, those that are to grow and those
// that are to fall, by how far they are from the other end: a bin is a sixteenth of a power of two. Of each list the
// share that is farthest is taken.
template <typename T> __device__ void histogram(const Dual<T> &g) {
    __shared__ unsigned bins[2][binCount];
    for (int k = threadIdx.x; k < 2 * binCount; k += 256) bins[0][k] = 0;
    __syncthreads();
    const double low = g.state[stDown], high = g.state[stUp];
    for (int q = 0; q < chunk / 256; q++) {
        long long t = (long long)blockIdx.x * chunk + q * 256 + threadIdx.x;
        if (t >= g.variables) break;
        double b = g.b[t], f = slope(g, t), grow = f - low, fall = high - f;
        bool grows = b < g.hi[t] && grow > 0, falls = b > g.lo[t] && fall > 0;
        int list = grows && (!falls || grow >= fall) ? 0 : 1, code = noCode;
        if (grows || falls) {
            int bin = (int)(__float_as_uint((float)(list ? fall : grow)) >> 19);
            atomicAdd(&bins[list][bin], 1u);
            code = list * binCount + bin;
        }
        g.code[t] = (unsigned short)code;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * binCount; k += 256)
        if (bins[0][k]) atomicAdd(g.bins + k, bins[0][k]);
    if (!lastBlock(g.cell + clHistogram)) return;
    const int mine = binCount / 256; // bins of a thread, the first has the highest ones
    for (int list = 0; list < 2; list++) {
        const unsigned *from = g.bins + list * binCount;
        int sum = 0, all, first = binCount - 1 - threadIdx.x * mine;
        for (int k = 0; k < mine; k++) sum += (int)__ldcg(from + first - k);
        int above = before256(sum, &all);
        if (all < g.share && threadIdx.x == 0) g.cell[clCut + list] = -1, g.cell[clTies + list] = 0;
        if (all >= g.share && above < g.share && above + sum >= g.share)
            for (int k = 0;; k++) {
                int here = (int)__ldcg(from + first - k);
                if (above + here >= g.share) {
                    g.cell[clCut + list] = first - k, g.cell[clTies + list] = g.share - above;
                    break;
                }
                above += here;
            }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * binCount; k += 256) g.bins[k] = 0;
}

// place is what a variable adds to the tallies: 1 for what is above the cut, and 1 for the bin of the cut of a list.
template <typename T> __device__ __forceinline__ int place(const Dual<T> &g, long long t, int cut0, int cut1) {
    int code = t < g.variables ? g.code[t] : noCode;
    if (code == noCode) return -1;
    int list = code / binCount, bin = code % binCount, cut = list ? cut1 : cut0;
    return bin > cut ? 0 : bin == cut ? 1 + list : -1;
}

// tally counts for each block of variables what is above the cuts and what is in their bins, and adds up what blocks
// before it have.
template <typename T> __device__ void tally(const Dual<T> &g) {
    const int cut0 = g.cell[clCut], cut1 = g.cell[clCut + 1];
    const long long blocks = gridDim.x;
    int count[3] = {0, 0, 0}, all;
    for (int q = 0; q < perThread; q++) {
        int p = place(g, (long long)blockIdx.x * chunk + threadIdx.x * perThread + q, cut0, cut1);
        for (int c = 0; c < 3; c++) count[c] += p == c;
    }
    for (int c = 0; c < 3; c++) {
        before256(count[c], &all);
        if (threadIdx.x == 0) g.tallies[c * (blocks + 1) + blockIdx.x] = all;
    }
    if (!lastBlock(g.cell + clTally)) return;
    for (int c = 0; c < 3; c++) {
        int *list = g.tallies + c * (blocks + 1), carry = 0;
        for (long long k0 = 0; k0 < blocks; k0 += 256) {
            long long k = k0 + threadIdx.x;
            int v = k < blocks ? __ldcg(list + k) : 0, sum = before256(v, &all);
            if (k < blocks) list[k] = carry + sum;
            carry += all;
        }
        if (threadIdx.x == 0) list[blocks] = carry;
        count[c] = carry;
    }
    if (threadIdx.x == 0)
        g.cell[clFresh] = count[0] + min(g.cell[clTies], count[1]) + min(g.cell[clTies + 1], count[2]);
}

// write puts the variables that are taken into the set, in their order.
template <typename T> __device__ void write(const Dual<T> &g) {
    const int cut0 = g.cell[clCut], cut1 = g.cell[clCut + 1], ties[2] = {g.cell[clTies], g.cell[clTies + 1]};
    const long long blocks = gridDim.x, t0 = (long long)blockIdx.x * chunk + threadIdx.x * perThread;
    int count[3] = {0, 0, 0}, at[3], all;
    for (int q = 0; q < perThread; q++) {
        int p = place(g, t0 + q, cut0, cut1);
        for (int c = 0; c < 3; c++) count[c] += p == c;
    }
    for (int c = 0; c < 3; c++) at[c] = before256(count[c], &all) + g.tallies[c * (blocks + 1) + blockIdx.x];
    for (int q = 0; q < perThread; q++) {
        long long t = t0 + q;
        if (t >= g.variables) break;
        int p = place(g, t, cut0, cut1), spot = at[0] + min(ties[0], at[1]) + min(ties[1], at[2]);
        bool taken = p == 0 || p == 1 && at[1] < ties[0] || p == 2 && at[2] < ties[1];
        g.mark[t] = taken;
        if (taken) g.set[spot] = (int)t;
        for (int c = 0; c < 3; c++) at[c] += p == c;
    }
}

// slot1024 returns how many threads of a block before the caller's have a variable, and how many have one in all.
__device__ int slot1024(bool has, int *total) {
    __shared__ int warps[32];
    unsigned vote = __ballot_sync(everyone, has);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = __popc(vote & ((1u << lane) - 1)), all = 0;
    __syncthreads();
    if (lane == 0) warps[warp] = __popc(vote);
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / 32; w++) {
        if (w < warp) before += warps[w];
        all += warps[w];
    }
    *total = all;
    return before;
}

// keep fills the set up with variables of the one before, those inside their ranges first. One block of 1024 threads.
template <typename T> __device__ void keep(const Dual<T> &g) {
    int count = g.cell[clFresh], all;
    for (int turn = 0; turn < 2; turn++)
        for (int k0 = 0; k0 < g.earlier; k0 += 1024) {
            int k = k0 + threadIdx.x;
            bool has = false;
            int t = 0;
            if (k < g.earlier) {
                t = g.before[k];
                bool inside = g.lo[t] < g.b[t] && g.b[t] < g.hi[t];
                has = !g.mark[t] && inside == (turn == 0);
            }
            int spot = count + slot1024(has, &all);
            if (has && spot < g.size) g.set[spot] = t;
            count = min(g.size, count + all);
        }
    if (threadIdx.x == 0) g.state[stCount] = count;
}

// gather takes the vectors of a set out of all. Blocks of 128 threads have 128 of them and 32 coordinates; those past
// the last are zero.
template <typename T> struct Gather {
    const T *t, *norm, *scale; // scale may be null
    T *toT, *toNorm, *toScale, *toTop;
    const int *index;
    const double *count;
    long long n, ld, ldto; // instances
    long long d;
};
template <typename T> __device__ void gather(const Gather<T> &g) {
    __shared__ T largest[128];
    int c = blockIdx.x * 128 + threadIdx.x;
    bool there = c < (int)*g.count;
    long long i = there ? g.index[c] : 0;
    if (i >= g.n) i -= g.n;
    for (long long k = blockIdx.y * 32; k < min((long long)blockIdx.y * 32 + 32, g.d); k++)
        g.toT[k * g.ldto + c] = there ? g.t[k * g.ld + i] : T(0);
    if (blockIdx.y > 0) return;
    T norm = there ? g.norm[i] : T(0);
    g.toNorm[c] = norm;
    if (g.scale) g.toScale[c] = there ? g.scale[i] : T(0);
    largest[threadIdx.x] = fabs(norm);
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) g.toTop[blockIdx.x] = largest[0];
}

const double curvature = 1e-12; // what a direction with less counts as

// rankOf is a whole number whose order is that of v, and 0 for no number; numberOf is v again.
__device__ __forceinline__ unsigned rankOf(float v) {
    int bits = __float_as_int(v);
    return (unsigned)bits ^ ((unsigned)(bits >> 31) | 0x80000000u);
}
__device__ __forceinline__ unsigned long long rankOf(double v) {
    long long bits = __double_as_longlong(v);
    return (unsigned long long)bits ^ ((unsigned long long)(bits >> 63) | 0x8000000000000000ull);
}
__device__ __forceinline__ float numberOf(unsigned rank) {
    return __int_as_float((int)(rank ^ (rank >> 31 ? 0x80000000u : everyone)));
}
__device__ __forceinline__ double numberOf(unsigned long long rank) {
    return __longlong_as_double((long long)(rank ^ (rank >> 63 ? 0x8000000000000000ull : ~0ull)));
}
template <typename T> struct RankOf { typedef unsigned type; };
template <> struct RankOf<double> { typedef unsigned long long type; };

__device__ __forceinline__ unsigned warpMost(unsigned v) { return __reduce_max_sync(everyone, v); }
__device__ __forceinline__ unsigned long long warpMost(unsigned long long v) {
    unsigned high = (unsigned)(v >> 32), top = __reduce_max_sync(everyone, high);
    unsigned low = __reduce_max_sync(everyone, high == top ? (unsigned)v : 0u);
    return (unsigned long long)top << 32 | low;
}

__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

// What the warps tell each other of the variable that is to grow, and of its partner. A variable is told as its
// thread, and its number there from bit 10 on.
template <typename T> struct Told {
    typename RankOf<T>::type rank[32], bottom[32]; // bottom: of the slope turned round
    double room[32], partnerRoom[32];
    T own[32], length[32];
    int at[32], partner[32];
    unsigned gain[32];
};

// inner takes steps of two variables each on the set, until the violation in it is within the tolerance: the first has
// the highest slope of all that can grow, the second gains most with it to second order (Fan, Chen and Lin 2005). One
// block; a thread has perThread variables. Slopes are counted from the middle between the extremes of all, so that
// rounding to T is small beside the violation.
template <typename T> __device__ void inner(const Dual<T> &g) {
    extern __shared__ __align__(16) char raw[];
    __shared__ Told<T> told;
    typedef typename RankOf<T>::type Rank;
    const int threads = blockDim.x, tid = threadIdx.x, lane = tid % 32, warp = tid / 32, warps = threads / 32;
    double *b = (double *)raw, *lo = b + perThread * threads, *hi = lo + perThread * threads;
    const int count = (int)g.state[stCount];
    const double middle = (g.state[stUp] + g.state[stDown]) / 2;
    const T inf = (T)__longlong_as_double(0x7ff0000000000000ll), tolerance = (T)g.tolerance;
    T f[perThread], own[perThread];
    unsigned grows = 0, falls = 0; // a bit a variable
    double largest = 0;
#pragma unroll
    for (int q = 0; q < perThread; q++) {
        int k = q * threads + tid;
        f[q] = 0, own[q] = 0;
        if (k >= count) continue;
        long long t = g.set[k];
        b[k] = g.b[t], lo[k] = g.lo[t], hi[k] = g.hi[t], f[q] = (T)(slope(g, t) - middle), own[q] = g.k[k * g.ldk + k];
        grows |= (b[k] < hi[k]) << q, falls |= (b[k] > lo[k]) << q;
        largest = max(largest, fabs((double)own[q]));
    }
    int done = 0;
    double left = 0;
    for (;; done++) {
        T top = -inf, bottom = -inf;
#pragma unroll
        for (int q = 0; q < perThread; q++)
            top = max(top, grows >> q & 1 ? f[q] : -inf), bottom = max(bottom, falls >> q & 1 ? -f[q] : -inf);
        const Rank mine = grows ? rankOf(top) : 0;
        Rank most = warpMost(mine), least = warpMost(falls ? rankOf(bottom) : Rank(0));
        unsigned vote = __ballot_sync(everyone, mine == most);
        if (lane == __ffs(vote) - 1) {
            int at = 0;
            T self = own[0];
#pragma unroll
            for (int q = perThread - 1; q >= 0; q--)
                if (grows >> q & 1 && f[q] == top) at = q, self = own[q];
            told.rank[warp] = most, told.bottom[warp] = least, told.at[warp] = at << 10 | tid, told.own[warp] = self;
            told.room[warp] = hi[at * threads + tid] - b[at * threads + tid];
        }
        __syncthreads();
        Rank theirs = lane < warps ? told.rank[lane] : 0;
        most = warpMost(theirs), least = warpMost(lane < warps ? told.bottom[lane] : Rank(0));
        int from = __ffs(__ballot_sync(everyone, theirs == most)) - 1;
        left = 0;
        if (most == 0 || least == 0) break;
        const T fi = numberOf(most), violation = fi + numberOf(least);
        left = (double)violation;
        if (!(violation > tolerance) || done == g.steps) break;
        const int i = told.at[from];
        const double room = told.room[from];
        const T ownI = told.own[from];
        // Past the last variable of the set K is of vectors that are zero.
        const T *row = g.k + ((i >> 10) * threads + (i & 1023)) * g.ldk + tid;
        T a[perThread];
#pragma unroll
        for (int q = 0; q < perThread; q++) a[q] = row[q * threads];

        float gains[perThread], gain = 0;
#pragma unroll
        for (int q = 0; q < perThread; q++) {
            float bow = max((float)curvature, (float)(ownI + own[q] - 2 * a[q]));
            float d = falls >> q & 1 ? max((float)(fi - f[q]), 0.0f) : 0.0f;
            gains[q] = __fdividef(d * d, bow);
            gain = max(gain, gains[q]);
        }
        const unsigned worth = __float_as_uint(gain);
        unsigned best = __reduce_max_sync(everyone, worth);
        vote = __ballot_sync(everyone, worth == best);
        if (lane == __ffs(vote) - 1) {
            int at = 0;
            T fj = f[0], bend = 1;
#pragma unroll
            for (int q = perThread - 1; q >= 0; q--)
                if (gains[q] == gain) at = q, fj = f[q], bend = ownI + own[q] - 2 * a[q];
            told.gain[warp] = best, told.partner[warp] = at << 10 | tid;
            told.length[warp] = quotient(fi - fj, max((T)curvature, bend));
            told.partnerRoom[warp] = b[at * threads + tid] - lo[at * threads + tid];
        }
        __syncthreads();
        const unsigned all = lane < warps ? told.gain[lane] : 0;
        best = __reduce_max_sync(everyone, all);
        from = __ffs(__ballot_sync(everyone, all == best)) - 1;
        if (best == 0) break;
        const int j = told.partner[from];
        row = g.k + ((j >> 10) * threads + (j & 1023)) * g.ldk + tid;
        T c[perThread];
#pragma unroll
        for (int q = 0; q < perThread; q++) c[q] = row[q * threads];
        const double delta = min(min((double)told.length[from], room), told.partnerRoom[from]);
        const T by = (T)delta;
#pragma unroll
        for (int q = 0; q < perThread; q++) f[q] -= by * (a[q] - c[q]);
        if ((i & 1023) == tid || (j & 1023) == tid) {
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const int at = side ? j : i, k = (at >> 10) * threads + tid;
                if ((at & 1023) != tid) continue;
                double next = side ? (delta >= b[k] - lo[k] ? lo[k] : b[k] - delta)
                                   : (delta >= hi[k] - b[k] ? hi[k] : b[k] + delta);
                unsigned bit = 1u << (at >> 10);
                b[k] = next;
                grows = next < hi[k] ? grows | bit : grows & ~bit, falls = next > lo[k] ? falls | bit : falls & ~bit;
            }
        }
    }
    __syncthreads();
    int total = 0, all;
    for (int q = 0; q < perThread; q++) {
        int k = q * threads + tid;
        double by = 0;
        long long t = 0;
        if (k < count) t = g.set[k], by = b[k] - g.b[t];
        int spot = total + slot1024(by != 0, &all);
        if (by != 0) g.b[t] = b[k], g.moved[spot] = (int)(t < g.n ? t : t - g.n), g.change[spot] = (T)by;
        total += all;
    }
    for (int k = total + tid; k < (total + 127) / 128 * 128; k += threads) g.change[k] = 0;
    largest = numberOf(warpMost(rankOf(largest)));
    __syncthreads();
    if (lane == 0) told.room[warp] = largest;
    __syncthreads();
    if (tid > 0) return;
    for (int w = 0; w < warps; w++) largest = max(largest, told.room[w]);
    g.state[stLargest] = max(g.state[stLargest], largest);
    g.state[stSteps] = done, g.state[stMoved] = total, g.state[stLeft] = left;
}

#define BOTH(NAME, ARGS, THREADS)                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME##_f32(const __grid_constant__ ARGS<float> g) {      \
        NAME<float>(g);                                                                                            \
    }                                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME##_f64(const __grid_constant__ ARGS<double> g) {     \
        NAME<double>(g);                                                                                           \
    }

BOTH(survey, Dual, 256)
BOTH(histogram, Dual, 256)
BOTH(tally, Dual, 256)
BOTH(write, Dual, 256)
BOTH(keep, Dual, 1024)
BOTH(gather, Gather, 128)
BOTH(inner, Dual, 1024)
