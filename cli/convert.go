package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/convert"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report/text"
)

// formats that a model may be made of, and be made into.
var (
	readable  = []convert.Format{convert.Kerf, convert.LIBSVM, convert.LIBLINEAR}
	writeable = []convert.Format{convert.Kerf, convert.LIBSVM, convert.LIBLINEAR, convert.ONNX, convert.JSON}
)

func (a *app) convert() *cobra.Command {
	var (
		in                           inputFlags
		from, to, out, rows, rowsOut string
	)
	c := &cobra.Command{
		Use:   "convert MODEL --to FORMAT -o FILE",
		Short: "Exchange models with LIBSVM, LIBLINEAR, ONNX and JSON",
		Long: `Write a model for other programs, or read one of theirs.

  libsvm     a model file of LIBSVM: svm-predict gives the same labels and decision values
  liblinear  a model file of LIBLINEAR, of a model that is linear in the coordinates
  onnx       a graph of standard operators with the encoding of rows, as onnxruntime runs
  json       all that is in the model file, as text
  kerf       a model of kerf, of a file of LIBSVM or LIBLINEAR

What a format cannot express is refused with the reason. A model of LIBSVM or LIBLINEAR
knows rows of numbers alone: --rows writes data as the model sees them, for svm-predict.`,
		Example: `  kerf convert model.kerf --to onnx -o model.onnx
  kerf convert model.kerf --to libsvm -o model.svm --rows test.csv --rows-to test.libsvm
  kerf convert heart.model --from libsvm -o heart.kerf`,
		Args: cobra.ExactArgs(1),
	}
	in.addKnown(c.Flags())
	c.Flags().StringVar(&from, "from", "", "what the model is: kerf, libsvm or liblinear (default: what it begins as)")
	c.Flags().StringVar(&to, "to", "", "what it is to become: kerf, libsvm, liblinear, onnx or json\n"+
		"(default: by the ending .onnx, .json or .kerf of the output; kerf for a model of another program)")
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to; - for standard output")
	c.Flags().StringVar(&rows, "rows", "", "data to write as a model of libsvm or liblinear sees them")
	c.Flags().StringVar(&rowsOut, "rows-to", "", "file to write these to, in the format LIBSVM")
	c.RunE = func(c *cobra.Command, args []string) error {
		o := job.ConvertOptions{From: convert.Format(from), To: convert.Format(to), Encoded: rows != ""}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		o.Options = a.options(&in)
		if err := a.checkConvert(&o, args[0], out, rows, rowsOut); err != nil {
			return err
		}
		return a.converted(c.Context(), args[0], o, out, rows, rowsOut)
	}
	return c
}

// checkConvert reports flags that do not go together, and fills in what the output's
// ending says.
func (a *app) checkConvert(o *job.ConvertOptions, path, out, rows, rowsOut string) error {
	if o.From != "" && !slices.Contains(readable, o.From) {
		return usage("--from is %q and must be kerf, libsvm or liblinear", o.From)
	}
	if o.To == "" {
		switch strings.ToLower(filepath.Ext(out)) {
		case ".onnx":
			o.To = convert.ONNX
		case ".json":
			o.To = convert.JSON
		}
	}
	switch {
	case o.To != "" && !slices.Contains(writeable, o.To):
		return usage("--to is %q and must be kerf, libsvm, liblinear, onnx or json", o.To)
	case out == "":
		return usage("kerf convert writes a file; name it with -o FILE")
	case a.json && (out == "-" || rowsOut == "-"):
		return usage("--json and the model cannot both go to standard output; use -o FILE")
	case (rows == "") != (rowsOut == ""):
		return usage("--rows and --rows-to go together")
	case rows != "" && o.To != convert.LIBSVM && o.To != convert.LIBLINEAR:
		return usage("--rows is for --to libsvm and liblinear; other formats encode rows themselves")
	case rowsOut != "" && filepath.Clean(rowsOut) == filepath.Clean(out):
		return usage("the model and the rows cannot both go to %s", out)
	}
	return flagged(cmp.Or(job.Writable(out), job.Apart(out, path, rows, o.Read.Labels), job.Writable(rowsOut),
		job.Apart(rowsOut, path, rows, o.Read.Labels)))
}

// converted converts and says what came of it.
func (a *app) converted(ctx context.Context, path string, o job.ConvertOptions, out, rows, rowsOut string) error {
	done, err := job.Convert(ctx, path, o)
	if err != nil {
		return flagged(err)
	}
	encoded := 0
	if rows != "" { // first: of a model that does not go with the data no file is left
		err = a.output(ctx, rowsOut, func(w io.Writer) (err error) {
			encoded, err = done.EncodeRows(ctx, rows, o.Options, w)
			return err
		})
	}
	if err == nil {
		err = a.output(ctx, out, done.Write)
	}
	if err != nil {
		return flagged(err)
	}
	for _, note := range done.Notes {
		a.note(note)
	}
	if out == "-" || rowsOut == "-" {
		return nil
	}
	done.Output = out
	return a.result(done, func(w io.Writer) error { return text.Converted(w, done, encoded, rowsOut) })
}
