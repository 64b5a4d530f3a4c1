package spec_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/spec"
)

func TestParse(t *testing.T) {
	cubic := kernel.NewPolynomial(3)
	for _, c := range []struct {
		text string
		want kernel.Kernel[data.Vector]
	}{
		{"linear", kernel.Linear{}},
		{"linear()", kernel.Linear{}},
		{" \tlinear\t ", kernel.Linear{}},
		{"rbf(gamma=0.1)", kernel.Gaussian{Gamma: 0.1}},
		{"rbf(gamma=1e-3)", kernel.Gaussian{Gamma: 0.001}},
		{"rbf(gamma=+2)", kernel.Gaussian{Gamma: 2}},
		{"rbf(sigma=2)", kernel.Gaussian{Gamma: 0.125}},
		{" rbf ( gamma = 0.5 ) ", kernel.Gaussian{Gamma: 0.5}},
		{"poly", cubic},
		{"poly()", cubic},
		{"poly(degree=3,coef=1,gamma=1)", cubic},
		{"poly(gamma=0.5, degree=2)", kernel.Polynomial{Degree: 2, Coef: 1, Gamma: 0.5}},
		{"poly(coef=0)", kernel.Polynomial{Degree: 3, Coef: 0, Gamma: 1}},
		{"normalize(poly)", kernel.Normalize[data.Vector](cubic)},
		{"(poly)", cubic},
		{"2*poly+linear^2", kernel.Sum(kernel.Scale[data.Vector](2, cubic), kernel.PowerOf[data.Vector](kernel.Linear{}, 2))},
		{"2*(poly+rbf(gamma=1))*laplace(gamma=2)", kernel.Scale(2,
			kernel.Product(kernel.Sum[data.Vector](cubic, kernel.Gaussian{Gamma: 1}),
				kernel.Kernel[data.Vector](kernel.Laplacian{Gamma: 2})))},
		{"linear+1", kernel.Sum[data.Vector](kernel.Linear{}, kernel.Constant[data.Vector]{Value: 1})},
		{"exp(0.5*linear)", kernel.ExpOf(kernel.Scale[data.Vector](0.5, kernel.Linear{}))},
		{"normalize(normalize(linear))", kernel.Normalize[data.Vector](kernel.Normalize[data.Vector](kernel.Linear{}))},
	} {
		k, err := spec.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if k.Open() {
			t.Errorf("%q leaves its width open", c.text)
		}
		got, err := spec.Vectors{}.Make(k, nil, 1)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q gives %v (%v), want %v", c.text, got, err, c.want)
		}
		if k.String() != c.text {
			t.Errorf("%q prints as %q", c.text, k)
		}
		again, err := spec.Vectors{}.Kernel(fmt.Sprint(got))
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q prints as %q, which reads as %v (%v)", c.text, got, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("normalize(", 40) + "linear" + strings.Repeat(")", 40)
	for _, c := range []struct {
		text   string
		column int
		says   string
	}{
		{"", 1, "name is expected"},
		{"   ", 4, "name is expected"},
		{"(gamma=1)", 7, "closing parenthesis"},
		{"(rbf", 5, "closing parenthesis"},
		{"2*", 3, "name is expected"},
		{"1e999", 1, "is not a number"},
		{"rbf^", 5, "whole number"},
		{"rbf^0", 5, "whole number"},
		{"rbf+degree(d=3)", 5, "is for strings"},
		{"jaccard*linear", 9, "is for vectors"},
		{"degree(d=0)", 1, ""},
		{"exp(linear,linear)", 1, "takes one kernel"},
		{"gaussian", 1, `unknown kernel "gaussian"`},
		{"RBF", 1, `unknown kernel "RBF"`},
		{"  nosuch(x=1)", 3, `unknown kernel "nosuch"`},
		{"normalize(nosuch)", 11, `unknown kernel "nosuch"`},
		{"rbf(", 5, "name is expected"},
		{"rbf(gamma", 10, "comma or a closing"},
		{"rbf(gamma=", 11, "takes a number"},
		{"rbf(gamma=1", 12, "comma or a closing"},
		{"rbf(gamma=1,", 13, "name is expected"},
		{"rbf(gamma=1,)", 13, "name is expected"},
		{"rbf(,gamma=1)", 5, "name is expected"},
		{"rbf(gamma=1))", 13, "unexpected ')'"},
		{"rbf gamma=1", 5, "unexpected 'g'"},
		{"rbf-linear", 1, `unknown kernel "rbf-linear"`},
		{"rbfé", 4, "unexpected 'é'"},
		{"rbf\xff", 4, "unexpected"},
		{"rbf(gamma=one)", 11, `takes a number, not "one"`},
		{"rbf(gamma=1e999)", 11, "takes a number"},
		{"rbf(gamma=NaN)", 11, "takes a number"},
		{"rbf(gamma=Inf)", 11, "takes a number"},
		{"rbf(gamma=1=2)", 11, "takes a number"},
		{"rbf(gamma=0)", 1, "gamma is 0"},
		{"rbf(gamma=-1)", 1, "gamma is -1"},
		{"rbf(sigma=0)", 1, "sigma is 0"},
		{"rbf(sigma=1e-200)", 1, "must be a positive number"},
		{"rbf(sigma=1e200)", 1, "must be a positive number"},
		{"rbf(gamma=1,gamma=1)", 13, "given twice"},
		{"rbf(gamma=1,sigma=1)", 1, "not both"},
		{"rbf(degree=2)", 5, `no parameter "degree"`},
		{"rbf(linear)", 5, "takes parameters"},
		{"linear(gamma=1)", 8, "it takes none"},
		{"poly(degree=0)", 1, "degree is 0"},
		{"poly(degree=2.5)", 1, "whole number"},
		{"poly(degree=1e300)", 1, "whole number"},
		{"poly(degree=-3)", 1, "degree is -3"},
		{"poly(coef=-1)", 1, "coef is -1"},
		{"poly(gamma=0,coef=-1)", 1, "gamma is 0"},
		{"normalize", 1, "takes one kernel"},
		{"normalize()", 1, "takes one kernel"},
		{"normalize(linear,linear)", 1, "takes one kernel"},
		{"normalize(linear,gamma=1)", 1, "takes one kernel"},
		{deep, 331, "deeper than 32"},
		{strings.Repeat("x", 5000), 4097, "longer than 4096"},
	} {
		_, err := spec.Parse(c.text)
		var fault *spec.Error
		if !errors.As(err, &fault) {
			t.Errorf("%.40q: error is %v, want a *spec.Error", c.text, err)
			continue
		}
		if fault.Column != c.column || !strings.Contains(fault.Problem, c.says) {
			t.Errorf("%.40q: column %d: %q, want column %d: …%s…", c.text, fault.Column, fault.Problem, c.column, c.says)
		}
		if line := err.Error(); strings.Contains(line, "\n") || !strings.Contains(line, fmt.Sprintf("column %d", c.column)) ||
			len(line) > 300 {
			t.Errorf("%.40q: the message is %q", c.text, line)
		}
	}
}

func TestOpenWidth(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(3, 4)}
	for _, text := range []string{"rbf", "rbf()", "normalize(rbf)"} {
		k, err := spec.Parse(text)
		if err != nil || !k.Open() {
			t.Errorf("%q: open %v, error %v", text, k.Open(), err)
			continue
		}
		made, err := spec.Vectors{}.Make(k, x, 1)
		if err != nil {
			t.Fatal(err)
		}
		// The one distance is 5, so K = exp(-25/(2·25)).
		inner, _ := kernel.Unnormalized(made)
		if inner != kernel.GaussianWidth(5) {
			t.Errorf("%q gives %v", text, made)
		}
		var fault *spec.Error
		if _, err := (spec.Vectors{}).Kernel(text); !errors.As(err, &fault) {
			t.Errorf("%q in a file: error is %v", text, err)
		}
	}
}

// TestExtremeWidth: data of any size must give a kernel that is one, or an
// error that says so.
func TestExtremeWidth(t *testing.T) {
	k, err := spec.Parse("rbf")
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{1e-300, 1e-170, 1e-160, 1, 1e150, 1e300} {
		x := data.Slice[data.Vector]{data.Dense(0), data.Dense(scale), data.Dense(2 * scale)}
		made, err := spec.Vectors{}.Make(k, x, 1)
		var fault *spec.Error
		switch {
		case err != nil && !errors.As(err, &fault):
			t.Errorf("data of size %v: error is %v", scale, err)
		case err == nil && kernel.Validate(made) != nil:
			t.Errorf("data of size %v: the kernel is %v", scale, made)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range spec.Names() {
		text := name
		if name == "normalize" || name == "exp" {
			text = name + "(linear)"
		}
		if name == "learned" {
			text = "learned(linear,metric=diag1:AACAPw)"
		}
		if name == "block" {
			text = "block(from=0,to=1,linear)"
		}
		if _, err := spec.Parse(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKinds checks that a kernel's names say what it is for.
func TestKinds(t *testing.T) {
	for text, kind := range map[string]dataset.Kind{
		"rbf": dataset.Vectors, "normalize(spectrum(k=3))+1": dataset.Strings, "2*jaccard": dataset.Sets, "1": "",
	} {
		k, err := spec.Parse(text)
		if err != nil || k.Kind() != kind {
			t.Errorf("%s is for %q (%v), want %q", text, k.Kind(), err, kind)
		}
	}
}

func TestName(t *testing.T) {
	for text, name := range map[string]string{
		"rbf": "rbf", " rbf(gamma=2) ": "rbf", "(rbf)": "rbf", "rbf+1": "", "2*rbf": "", "normalize(poly(degree=2))": "",
		"jaccard": "jaccard", "1": "",
	} {
		k, err := spec.Parse(text)
		if err != nil || k.Name() != name {
			t.Errorf("%s has the name %q (%v), want %q", text, k.Name(), err, name)
		}
	}
}

// roundTrip checks that a kernel of one kind prints as text that is read back to
// the same kernel.
func roundTrip[T any](
	t *testing.T, text string, made kernel.Kernel[T], err error, read func(text string) (kernel.Kernel[T], error), x, y T,
) {
	t.Helper()
	if err != nil {
		t.Fatalf("%q parses and cannot be made: %v", text, err)
	}
	printed := fmt.Sprint(made)
	again, err := read(printed)
	if err != nil {
		t.Fatalf("%q prints as %q, which does not parse: %v", text, printed, err)
	}
	if fmt.Sprint(again) != printed {
		t.Fatalf("%q prints as %q, which reads as %v", text, printed, again)
	}
	a, b := made.Eval(x, y), again.Eval(x, y)
	if math.Abs(a-b) > 1e-12*math.Abs(a) && (a == a || b == b) {
		t.Fatalf("%q: %v and %v evaluate to %v and %v", text, made, again, a, b)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"linear", "rbf", "rbf(gamma=0.1)", "rbf(sigma=2)", " poly ( degree = 3 , coef = 1 , gamma = 1 ) ",
		"normalize(normalize(poly(gamma=1e-300)))", "rbf(", "rbf(gamma=1e999)", "poly(degree=64)", "normalize(rbf,linear)",
		"é", "rbf(gamma=0x1p-3)",
		"2*rbf+linear^2", "(linear+1)^3*cosine", "normalize(spectrum(k=3))+0.5*degree(d=4)",
		"jaccard+2*conjunction(degree=3)", "exp(linear)", "1+1", "mismatch(k=4,m=1)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := spec.Parse(text)
		if err != nil {
			var fault *spec.Error
			if !errors.As(err, &fault) {
				t.Fatalf("%q: error of type %T", text, err)
			}
			if fault.Column < 1 || fault.Column > len(text)+1 {
				t.Fatalf("%q: column %d is outside the text", text, fault.Column)
			}
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: the message has more than one line", text)
			}
			return
		}
		switch k.Kind() {
		case dataset.Strings:
			made, err := spec.Strings{}.Make(k, nil, 1)
			roundTrip(t, text, made, err, spec.Strings{}.Kernel, "abcabd", "bcabx")
		case dataset.Sets:
			made, err := spec.Sets{}.Make(k, nil, 1)
			roundTrip(t, text, made, err, spec.Sets{}.Kernel, data.NewSet("a", "b", "c"), data.NewSet("b", "c"))
		default:
			made, err := spec.Vectors{}.Make(k, data.Slice[data.Vector]{data.Dense(0), data.Dense(1)}, 1)
			roundTrip(t, text, made, err, spec.Vectors{}.Kernel, data.Dense(0.5, 0.25), data.Dense(0.25, 0.5))
		}
	})
}
