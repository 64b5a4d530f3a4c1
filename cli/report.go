package cli

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	// SVG output of plots.
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
)

// Colours of the two classes and of three curves, readable for the colour-blind
// too (Okabe and Ito).
var (
	blue   = color.RGBA{0, 114, 178, 255}
	orange = color.RGBA{230, 159, 0, 255}
	green  = color.RGBA{0, 158, 115, 255}
	black  = color.RGBA{0, 0, 0, 255}
)

const reportPage = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kerf demo</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
figure { display: inline-block; margin: .5rem; }
figcaption { text-align: center; color: #555; }
svg { max-width: 100%; height: auto; }
</style>
<h1>Kernel features on two rings</h1>
<p>{{.Train}} points for training, {{.Test}} for testing, kernel <code>{{.D.Kernel}}</code>. No line splits the
rings. F1, F2 and F3 turn the kernel into a few explicit features in which a plain linear separator does what the
kernel machine does.</p>
<table>
<tr><th>method<th>features<th>test error<th>margin<th>training</tr>
{{range .D.Results}}<tr><td>{{.Method}}<td>{{.Dim}}<td>{{percent .Error}}<td>{{printf "%.3f" .Margin}}<td>{{printf "%.2f s" .Seconds}}</tr>
{{end}}</table>
<p>The margin is the cosine of the angle by which the worst training point is on its right side, in the space of each
method's features; negative means that some are on the wrong side. The exact kernel SVM is the linear SVM on F2 with
every training point as a landmark: by the representer theorem nothing is lost.</p>
<h2>What the separators look like</h2>
{{range .Pictures}}<figure>{{.SVG}}<figcaption>{{.Caption}}</figcaption></figure>
{{end}}
<h2>How many features are enough?</h2>
<figure>{{.Curve}}</figure>
{{if .D.Plan.Landmarks}}<p>The exact SVM found the margin {{printf "%.3f" .D.Plan.Margin}}. For that margin, whatever
the data, the theory promises an error of at most {{percent .D.Plan.Error}} with confidence {{percent .D.Plan.Confidence}}
from {{.D.Plan.Landmarks}} landmarks (Blum's survey, lemma 1). Real data are kinder than the worst case: the curve shows
what these needed.</p>{{end}}
</html>
`

// picture is a plot in the report.
type picture struct {
	SVG     template.HTML
	Caption string
}

// writeReport writes the demo's report as one HTML file.
func (d *demonstration) writeReport(w io.Writer) error {
	page, err := template.New("report").Funcs(template.FuncMap{"percent": percent}).Parse(reportPage)
	if err != nil {
		return err
	}
	var pictures []picture
	for _, name := range []string{demoLinear, demoF1, demoF2, demoF3} {
		svg, err := boundaryPlot(d.models[name], d.test)
		if err != nil {
			return err
		}
		pictures = append(pictures, picture{SVG: svg, Caption: name})
	}
	curve, err := curvePlot(d.Curve)
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{
		"D": d, "Train": d.train.X.Len(), "Test": d.test.X.Len(), "Pictures": pictures, "Curve": curve,
	})
}

// scoreGrid is the score of class 1 over a square, for contours.
type scoreGrid struct {
	values [gridSize][gridSize]float64
	reach  float64
}

const gridSize = 81

func (g *scoreGrid) Dims() (c, r int)   { return gridSize, gridSize }
func (g *scoreGrid) X(c int) float64    { return g.reach * (2*float64(c)/(gridSize-1) - 1) }
func (g *scoreGrid) Y(r int) float64    { return g.X(r) }
func (g *scoreGrid) Z(c, r int) float64 { return g.values[r][c] }

// boundaryPlot draws points and the line where the model changes its mind.
func boundaryPlot(p *model.Pipeline[data.Vector], d data.Labeled[data.Vector, string]) (template.HTML, error) {
	g := &scoreGrid{reach: 2.5}
	scores := make([]float64, 2)
	low, high := math.Inf(1), math.Inf(-1)
	for r := range gridSize {
		for c := range gridSize {
			p.Scores(scores, data.Dense(g.X(c), g.Y(r)))
			g.values[r][c] = scores[1]
			low, high = min(low, scores[1]), max(high, scores[1])
		}
	}
	pl := plot.New()
	pl.HideAxes()
	points := map[string]plotter.XYs{}
	for i, l := range d.Y {
		v := d.X.At(i).Value
		points[l] = append(points[l], plotter.XY{X: v[0], Y: v[1]})
	}
	for c, colour := range []color.Color{orange, blue} {
		s, err := plotter.NewScatter(points[p.Classes.Names[c]])
		if err != nil {
			return "", err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
		pl.Add(s)
	}
	if low < 0 && high > 0 {
		contour := plotter.NewContour(g, []float64{0}, nil)
		contour.LineStyles = []draw.LineStyle{{Color: black, Width: vg.Points(2)}}
		pl.Add(contour)
	}
	return svg(pl, 5.5*vg.Centimeter, 5.5*vg.Centimeter)
}

// curvePlot draws the test error against the dimension, a line a map.
func curvePlot(curve []demoPoint) (template.HTML, error) {
	pl := plot.New()
	pl.X.Label.Text = "features"
	pl.Y.Label.Text = "test error"
	pl.X.Scale = plot.LogScale{}
	pl.X.Tick.Marker = plot.ConstantTicks{
		{Value: 2, Label: "2"}, {Value: 4, Label: "4"}, {Value: 8, Label: "8"}, {Value: 16, Label: "16"}, {Value: 32, Label: "32"}, {Value: 64, Label: "64"},
	}
	pl.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		ticks := plot.DefaultTicks{}.Ticks(low, high)
		for i, t := range ticks {
			if t.Label != "" {
				ticks[i].Label = fmt.Sprintf("%.0f%%", 100*t.Value)
			}
		}
		return ticks
	})
	pl.Y.Min = 0
	pl.Legend.Top = true
	lines := map[string]plotter.XYs{}
	for _, c := range curve {
		lines[c.Map] = append(lines[c.Map], plotter.XY{X: float64(c.Dim), Y: c.Error})
	}
	for i, kind := range []string{model.MapF1, model.MapF2, model.MapF3} {
		line, marks, err := plotter.NewLinePoints(lines[kind])
		if err != nil {
			return "", err
		}
		colour := []color.Color{orange, blue, green}[i]
		line.LineStyle = draw.LineStyle{Color: colour, Width: vg.Points(1.5)}
		marks.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(3), Shape: []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}[i]}
		pl.Add(line, marks)
		pl.Legend.Add(map[string]string{model.MapF1: "F1", model.MapF2: "F2", model.MapF3: "F3"}[kind], line, marks)
	}
	return svg(pl, 16*vg.Centimeter, 9*vg.Centimeter)
}

// svg renders a plot as an element that HTML can hold.
func svg(pl *plot.Plot, w, h vg.Length) (template.HTML, error) {
	writer, err := pl.WriterTo(w, h, "svg")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if _, err := writer.WriteTo(&b); err != nil {
		return "", err
	}
	text := b.Bytes()
	if i := bytes.Index(text, []byte("<svg")); i > 0 {
		text = text[i:] // the XML prolog has no place inside a page
	}
	return template.HTML(text), nil
}
