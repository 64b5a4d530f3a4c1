package decimal

// ColumnFast is what Column does with AVX-512.
var ColumnFast = columnAVX512
