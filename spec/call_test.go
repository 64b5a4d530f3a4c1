package spec_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/spec"
)

func TestParseCall(t *testing.T) {
	type args = map[string]any
	for _, c := range []struct {
		text   string
		want   spec.Call
		prints string
	}{
		{"", spec.Call{}, ""},
		{" \t", spec.Call{}, ""},
		{"svm", spec.Call{Name: "svm"}, "svm"},
		{" kernel-svm ", spec.Call{Name: "kernel-svm"}, "kernel-svm"},
		{"f2()", spec.Call{Name: "f2", Args: args{}}, "f2"},
		{"f2( )", spec.Call{Name: "f2", Args: args{}}, "f2"},
		{"f2(dim=100)", spec.Call{Name: "f2", Args: args{"dim": 100.0}}, "f2(dim=100)"},
		{" f2 ( select = kmeans , dim = 1e2 ) ", spec.Call{Name: "f2", Args: args{"dim": 100.0, "select": "kmeans"}},
			"f2(dim=100,select=kmeans)"},
		{"svm(C=0.1,loss=squared hinge)", spec.Call{Name: "svm", Args: args{"C": 0.1, "loss": "squared hinge"}},
			"svm(C=0.1,loss=squared hinge)"},
		{"ridge(choose=false)", spec.Call{Name: "ridge", Args: args{"choose": false}}, "ridge(choose=false)"},
		{"x(a=1,b=0,c=T,d=-0x10)", spec.Call{Name: "x", Args: args{"a": 1.0, "b": 0.0, "c": true, "d": "-0x10"}},
			"x(a=1,b=0,c=true,d=-0x10)"},
		{"x(a=nan,b=Inf,c=1e999)", spec.Call{Name: "x", Args: args{"a": "nan", "b": "Inf", "c": "1e999"}},
			"x(a=nan,b=Inf,c=1e999)"},
		{"x(a=b=c)", spec.Call{Name: "x", Args: args{"a": "b=c"}}, "x(a=b=c)"},
	} {
		got, err := spec.ParseCall(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is %#v (%v), want %#v", c.text, got, err, c.want)
		}
		if got.String() != c.prints {
			t.Errorf("%q prints as %q, want %q", c.text, got, c.prints)
		}
	}
}

func TestParseCallErrors(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"(dim=1)", "column 1: a name"},
		{"()", "column 1: a name"},
		{"f2(", "column 4: a closing"},
		{"f2(dim=1", "column 9: a closing"},
		{"f2(dim=1) x", "column 12: a closing"},
		{"f2(dim=1)(k=2)", "column 15: a closing"},
		{"f2(dim)", "column 4: hyperparameters"},
		{"f2(=1)", "column 4: hyperparameters"},
		{"f2(dim=)", "column 4: hyperparameters"},
		{"f2(,)", "column 4: hyperparameters"},
		{"f2(dim=1,)", "column 10: hyperparameters"},
		{"f2(dim=1,rank=0,dim=2)", "column 17: dim is given twice"},
		{"f2(\n", "column 5: a closing"},
	} {
		got, err := spec.ParseCall(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want …%s…", c.text, err, c.says)
		}
		if !reflect.DeepEqual(got, spec.Call{}) {
			t.Errorf("%q: beside the error there is %#v", c.text, got)
		}
	}
}

// FuzzCall: what is read prints as text that is read back to the same call.
func FuzzCall(f *testing.F) {
	for _, text := range []string{
		"", "svm", "f2()", "f2(dim=100,select=kmeans)", " svm ( C = 1e-3 , loss = hinge ) ", "x(a=true,b=0x1p-3,c=nan)",
		"x(a=b=c)", "x(a(=1)", "f2(dim=1,dim=2)", "f2(", "(", "é(ü=ö)", "x(a=-0)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := spec.ParseCall(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: the message has more than one line", text)
			}
			return
		}
		again, err := spec.ParseCall(c.String())
		if err != nil || again.Name != c.Name || len(again.Args) != len(c.Args) {
			t.Fatalf("%q is %#v and prints as %q, which reads as %#v (%v)", text, c, c, again, err)
		}
		for key, v := range c.Args {
			if again.Args[key] != v {
				t.Fatalf("%q: %s is %#v, read back %#v", text, key, v, again.Args[key])
			}
		}
	})
}

func TestForKind(t *testing.T) {
	of := func(kind dataset.Kind) (string, error) {
		return spec.ForKind(kind,
			func(k spec.Kind[data.Vector]) string { return "vectors " + k.Name() },
			func(k spec.Kind[string]) string { return "strings " + k.Name() },
			func(k spec.Kind[data.Set]) string { return "sets " + k.Name() })
	}
	for _, kind := range []dataset.Kind{dataset.Vectors, dataset.Strings, dataset.Sets} {
		if got, err := of(kind); err != nil || got != string(kind+" "+kind) {
			t.Errorf("%s gives %q, %v", kind, got, err)
		}
	}
	for _, kind := range []dataset.Kind{"", "vector", "Sets"} {
		if got, err := of(kind); err == nil || got != "" {
			t.Errorf("%q gives %q", kind, got)
		}
	}
}

// checkKind checks that a kind's own kernels are for it.
func checkKind[T any](t *testing.T, kind spec.Kind[T], x data.Source[T]) {
	t.Helper()
	for _, text := range append(kind.Candidates(), kind.Default()) {
		k, err := spec.Parse(text)
		if err != nil || string(k.Kind()) != kind.Name() {
			t.Errorf("%s is for %q (%v), want %s", text, k.Kind(), err, kind.Name())
			continue
		}
		made, err := kind.Make(k, x, 1)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v := made.Eval(x.At(0), x.At(0)); !(v > 0) {
			t.Errorf("%s of an instance with itself is %v", text, v)
		}
	}
}

func TestKernelsOfKinds(t *testing.T) {
	checkKind(t, spec.Vectors{}, data.Slice[data.Vector]{data.Dense(1, 2), data.Dense(2, 1)})
	checkKind(t, spec.Strings{}, data.Slice[string]{"abcabcab", "bcabca"})
	checkKind(t, spec.Sets{}, data.Slice[data.Set]{data.NewSet("a", "b"), data.NewSet("b", "c")})
}
