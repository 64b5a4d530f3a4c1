// All forms in double precision.

#include "tiles.cuh"

MODES(dot, double, f64, dotPair, 0, 1)
MODES(l1, double, f64, l1Pair, 0, 1)
MODES(min, double, f64, minPair, 0, 1)
MODES(chi, double, f64, chiPair, 0, 1)
