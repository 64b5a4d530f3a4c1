package serve

import (
	"context"
	"encoding/json"

	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
)

// Limits of explanations, each of which costs as many scores as there are columns and
// rows of the background.
const (
	mostWhys   = 100    // rows of a request
	whyScores  = 20_000 // of a row, about
	fewestBack = 10     // rows of the background, at least
	mostBack   = 100
)

// why explains the rows of a request.
func (s *Server) why(ctx context.Context, e *edition, parts []*model.Encoded) ([]*explain.Row, error) {
	n := 0
	for _, part := range parts {
		n += part.Len()
	}
	if n > mostWhys {
		return nil, unfit("%s is for at most %d rows a request, and there are %d", outWhy, mostWhys, n)
	}
	w := explain.NewWhy(e.Model)
	w.Run = s.o.Run
	var out []*explain.Row
	for _, part := range parts {
		columns, err := e.Columns(part)
		if err == nil {
			w.Cells = min(max(whyScores/max(len(columns), 1), fewestBack), mostBack)
		}
		for i := range part.Len() {
			one, err := w.Row(ctx, nil, part, i)
			if err != nil {
				return nil, err
			}
			one.Row = len(out) + 1
			out = append(out, one)
		}
	}
	return out, nil
}

// whyTexts are explanations as JSON texts.
func (a *answer) whyTexts() []string {
	out := make([]string, len(a.why))
	for i, one := range a.why {
		text, err := json.Marshal(one)
		if err != nil {
			text = []byte("{}") // a result of finite numbers and texts can be written
		}
		out[i] = string(text)
	}
	return out
}
