// The Gaussian kernel in single precision: the one that most runs compute. gausslong is for kernels
// that are narrow beside the data.

#include "gausstensor.cuh"

MODES(gausslong, float, f32, gaussPair, 1, 1)

#define GAUSS(NAME, MODE, HELD)                                                                                    \
    extern "C" __global__ void __launch_bounds__(threads, 2) NAME(const __grid_constant__ Args<float> g) {         \
        gaussTiles<MODE, HELD>(g);                                                                                 \
    }

GAUSS(gauss_store_f32, store, 0)
GAUSS(gauss_one_f32, one, 0)
GAUSS(gauss16_one_f32, one, 16)
GAUSS(gauss24_one_f32, one, 24)
GAUSS(gauss32_one_f32, one, 32)
GAUSS(gauss48_one_f32, one, 48)
GAUSS(gauss_several_f32, several, 0)
GAUSS(gauss16_several_f32, several, 16)
GAUSS(gauss24_several_f32, several, 24)
GAUSS(gauss32_several_f32, several, 32)
GAUSS(gauss48_several_f32, several, 48)

extern "C" __global__ void __launch_bounds__(tile) gausssplit_f32(const __grid_constant__ Split g) { gaussSplit(g); }
