// Inner products on tensor cores, as good as those of single precision.
//
// A vector comes as pieces: each coordinate is a sum hi + lo of two numbers of 11 bits, whose
// products a tensor core computes exactly; what it adds it cuts off behind 24 bits.
//
// Pieces lie as the instructions take them. 16 coordinates of 8 vectors, a step of a group, are
// 32 lanes of 16 bytes: lane 4·i + t has of vector i the coordinates 2t, 2t+1 and 2t+8, 2t+9 of
// hi, then those of lo. One group is the right side of an instruction, two are the left. The 16
// groups of 128 vectors follow each other, then the next step, then the next 128 vectors.

#pragma once

#include <cuda_fp16.h>

#include "common.cuh"

const int tile = 128, threads = 256;
const int stepPieces = 512; // of 16 bytes, of a step of 128 vectors

__device__ __forceinline__ void multiply(float *c, const unsigned *a, unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// multiplyHalf does so for the first 8 coordinates of a step.
__device__ __forceinline__ void multiplyHalf(float *c, const unsigned *a, unsigned b0) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
}

// Left is a step of 16 vectors.
struct Left {
    unsigned hi[4], lo[4];
    __device__ __forceinline__ void take(const uint4 *group) {
        uint4 a = group[0], b = group[32];
        hi[0] = a.x, hi[1] = b.x, hi[2] = a.y, hi[3] = b.y;
        lo[0] = a.z, lo[1] = b.z, lo[2] = a.w, lo[3] = b.w;
    }
};

__device__ __forceinline__ unsigned two(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *(unsigned *)&h;
}

// store writes a step of a vector, to its four lanes.
__device__ __forceinline__ void storeStep(uint4 *to, const float *hi, const float *lo) {
#pragma unroll
    for (int t = 0; t < 4; t++)
        to[t] = make_uint4(two(hi[2 * t], hi[2 * t + 1]), two(hi[2 * t + 8], hi[2 * t + 9]),
                           two(lo[2 * t], lo[2 * t + 1]), two(lo[2 * t + 8], lo[2 * t + 9]));
}
