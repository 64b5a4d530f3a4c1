// Package serve answers requests for the predictions of models over HTTP: by the Open
// Inference Protocol, version 2, as JSON, with binary tensors, and as gRPC; and by plain
// JSON or CSV at /predict.
//
//	s, err := serve.New([]serve.Source{{Name: "iris", Path: "iris.kerf"}}, serve.NewOptions())
//	err = s.Serve(ctx, rest, grpc) // until ctx ends, and then until requests are answered
//
// Rows of requests that come together are predicted together; what is said of a row
// does not depend on the rows beside it. Answers are those of kerf predict, bit for bit.
package serve
