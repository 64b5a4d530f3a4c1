// The Gaussian kernel in single precision: the one that most runs compute. gausslong is
// for many coordinates, and for kernels that are narrow beside the data.

#include "tiles.cuh"

MODES(gauss, float, f32, gaussPair, 0, 2)
MODES(gausslong, float, f32, gaussPair, 1, 1)
