// Package eval measures models and chooses among them.
//
// Measure takes what a model said of rows whose truth is known and returns a
// Classification or a Regression: error, precision, AUC, log loss, calibration,
// RMSE and so on, each with a confidence interval. Measures that the rows leave
// undefined, such as the AUC of a single class, are nil and left out of JSON;
// nothing is ever NaN. Classify, Confusion and AUC are the bare measures.
//
// Folds divides rows for cross-validation, and Search finds the best of many
// candidates, which a Space can make. ConvexSquares and Greedy find the weights of a
// blend of some of them.
//
// docs/math/evaluation.md has the formulas.
package eval
