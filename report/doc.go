// Package report writes results as HTML pages with charts: Train and Tune what a
// model was trained to and how it was found, Demo what kernel features do, and
// Write a Document of any content.
//
// A page is one file that asks for nothing from elsewhere and runs nothing. It
// follows the reader's choice of light or dark, and is the same bytes for the
// same results. Texts may hold anything: they are shown as they stand, without
// control characters.
//
// A Chart is an SVG picture of series and rules between two axes, of which each
// may be logarithmic. Figures put charts into a document.
package report
