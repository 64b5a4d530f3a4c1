package decimal

// ColumnFast is what Column does with AVX-512.
var ColumnFast = columnAVX512

// CellsFast is what Cells does with AVX-512 and VBMI.
var CellsFast = cellsAVX512
