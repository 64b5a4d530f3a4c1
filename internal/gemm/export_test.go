package gemm

// Blocking returns the blocking of the level in use, for tests at its edges.
func Blocking[F Float]() (mr, nr, kc, mc, nc int) {
	t := kernelsOf[F]()
	return t.mr, t.nr, t.kc, t.mc, t.nc
}
