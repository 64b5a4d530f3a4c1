// What the kernels share: copies into shared memory, vectors of 16 bytes, and the
// scalar functions of forms.

#pragma once

// kernel.Op
enum { opIdentity, opExp, opPower, opTanh, opSubsets, opMatern, opStretched };

// longChunks pieces of coordinates are summed before the sum goes into another: 12·32
// coordinates, as on the CPU.
const int longChunks = 12;

__device__ __forceinline__ void copyAsync(void *shared, const void *global) {
    unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global));
}
__device__ __forceinline__ void commitAsync() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ __forceinline__ void waitAsync() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__device__ __forceinline__ void loadVec(float *to, const float *from) {
    float4 v = *(const float4 *)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
__device__ __forceinline__ void loadVec(double *to, const double *from) {
    double2 v = *(const double2 *)from;
    to[0] = v.x, to[1] = v.y;
}
__device__ __forceinline__ void storeVec(float *to, const float *from) {
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}
__device__ __forceinline__ void storeVec(double *to, const double *from) {
    *(double2 *)to = make_double2(from[0], from[1]);
}

// exp2Fast is 2^u to 2 ulp, and 0 where that is below the smallest normal number.
__device__ __forceinline__ float exp2Fast(float u) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(u));
    return y;
}

// power is u^p, by multiplication for the integers that the CPU multiplies for.
template <typename T> __device__ T power(T u, T p) {
    int n = (int)p;
    if ((T)n != p || n < -64 || n > 64) return pow(u, p);
    T result = 1;
    for (int m = n < 0 ? -n : n; m > 0; m >>= 1, u *= u)
        if (m & 1) result *= u;
    return n < 0 ? 1 / result : result;
}

// scalar is Op(a·s + b).
template <typename T> __device__ T scalar(int op, T a, T b, T p, T s) {
    T u = fma(a, s, b);
    switch (op) {
    case opExp:
        return exp(u);
    case opPower:
        return power(u, p);
    case opTanh:
        return tanh(u);
    case opMatern: {
        T r = sqrt(max(T(0), u));
        T factor = p == T(1.5) ? 1 + r : p == T(2.5) ? 1 + r + r * r / 3 : T(1);
        return factor * exp(-r);
    }
    case opStretched:
        return exp(-pow(max(T(0), u), p));
    }
    return u;
}
