// Package lab is a page in the browser that shows what kernels, maps and learners do to
// points of the plane while their settings are moved, and that tries rows on a model.
//
//	l, err := lab.New(lab.NewOptions())
//	err = l.Serve(ctx, listener) // until ctx ends
//
// The page is embedded and asks for nothing from elsewhere. What it shows is computed by
// Compute, from a State that stands in the page's address: the same state gives the same
// numbers, for any number of workers. State.Draft asks for less, while a slider moves.
//
// The handler answers only requests that are made to it by name or address and come from
// its own page: no other site can ask through a visitor's browser.
package lab
