// All other forms in single precision. dotlong is for many coordinates.

#include "tiles.cuh"

MODES(dot, float, f32, dotPair, 0, 2)
MODES(dotlong, float, f32, dotPair, 1, 1)
MODES(l1, float, f32, l1Pair, 0, 2)
MODES(min, float, f32, minPair, 0, 2)
MODES(chi, float, f32, chiPair, 0, 2)
