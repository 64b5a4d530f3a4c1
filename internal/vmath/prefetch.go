package vmath

// Prefetch asks for x to be brought into the first level of cache, and does not wait
// for it. It pays to ask for a few dozen lines at a time, ahead of their use and
// between steps that work on what is in cache; in plain Go it does nothing.
func Prefetch[F Float](x []F) {
	at[F]().prefetch(x)
}
