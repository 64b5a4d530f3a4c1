package kerf_test

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf"
	"github.com/kerf-ml/kerf/kernel"
)

// An instance of your own type, with a closure as its kernel.
func Example() {
	type Song struct{ BPM, Loudness float64 }
	similar := kernel.Func[Song](func(a, b Song) float64 {
		beat, loud := (a.BPM-b.BPM)/30, a.Loudness-b.Loudness
		return math.Exp(-beat*beat - loud*loud)
	})
	var songs []Song
	var moods []string
	for i := range 200 { // dance music is neither slow nor frantic
		s := Song{BPM: 60 + float64(i%100)*1.5, Loudness: float64(i%7) / 7}
		mood := "listen"
		if s.BPM > 100 && s.BPM < 150 {
			mood = "dance"
		}
		songs, moods = append(songs, s), append(moods, mood)
	}
	m, _, err := kerf.Train(context.Background(), similar, songs, moods, 50)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(Song{70, 0.5}), m.Predict(Song{125, 0.5}), m.Predict(Song{190, 0.5}))
	// Output: listen dance listen
}
