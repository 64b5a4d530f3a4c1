package foreign_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
)

const (
	svm = "svm_type c_svc\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 1\nnr_class 3\ntotal_sv 3\nrho 0.1 " +
		"-2 0.003\n" +
		"label 1 -1 7\nprobA 1 2 3\nprobB 1 2 3\nnr_sv 1 1 1\nSV\n1 0.5 1:1 3:-2 \n-1 0.25 2:0.001 \n0.5 -0.125 \n"
	regression = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0.1\nprobA " +
		"0.5\nSV\n1 0:0.5 1:1 \n"
	oneClass   = "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0.1\nSV\n"
	separators = "solver_type MCSVM_CS\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.5 1 \n-1 2 \n0 3 \n"
	numbers    = "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\nbias -1\nw\n0.5 \n-1 \n"
)

// checkSVM: what is read is written as text that is read to the same model.
func checkSVM(t *testing.T, text []byte) {
	t.Helper()
	m, err := foreign.ParseSVM("m", text)
	if err != nil {
		checkError(t, err)
		return
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := foreign.ParseSVM("m", b.Bytes())
	if err != nil {
		t.Fatalf("%q was written as %q: %v", text, b.Bytes(), err)
	}
	var c bytes.Buffer
	if err := again.Write(&c); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
		t.Fatalf("%q is %q the second time: %v", b.Bytes(), c.Bytes(), err)
	}
}

func checkSeparators(t *testing.T, text []byte) {
	t.Helper()
	m, err := foreign.ParseSeparators("m", text)
	if err != nil {
		checkError(t, err)
		return
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := foreign.ParseSeparators("m", b.Bytes())
	if err != nil || !reflect.DeepEqual(m.Labels, again.Labels) || m.Bias != again.Bias || m.W.Rows != again.W.Rows {
		t.Fatalf("%q was written as %q: %v", text, b.Bytes(), err)
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.File != "m" || strings.ContainsAny(err.Error(), "\n\r") || input.Advice == "" {
		t.Fatalf("%q is no error of the file with a line and advice", err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, text := range []string{svm, regression, oneClass} {
		checkSVM(t, []byte(text))
		checkSVM(t, []byte(strings.ReplaceAll(text, "\n", "\r\n")))
		m, err := foreign.ParseSVM("m", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil || b.String() != text {
			t.Errorf("%q was written as %q: %v", text, b.String(), err)
		}
	}
	for _, text := range []string{separators, numbers} {
		if _, err := foreign.ParseSeparators("m", []byte(text)); err != nil {
			t.Error(err)
		}
		checkSeparators(t, []byte(text))
	}
}

// TestFaults: each is one line that says where and what.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ old, new, says string }{
		{"c_svc", "d_svc", "m:1: svm_type"}, {"polynomial", "poly", "m:2: kernel_type"}, {"total_sv 3", "total_sv 4",
			"sums to 3"},
		{"total_sv 3", "total_sv -1", "m:7: total_sv"}, {"total_sv 3\n", "", "total_sv is missing"},
		{"label 1 -1 7", "label 1 -1 1", "label 1 is there twice"}, {"label 1 -1 7", "label 1 -1", "2 labels"},
		{"rho 0.1 -2 0.003", "rho 0.1", "1 values of rho"}, {"rho 0.1", "rho nan", "not a finite number"},
		{"probB 1 2 3\n", "", "probB"}, {"1:1 3:-2", "3:1 3:-2", "comes after"}, {"1:1 3:-2", "a:1",
			"expected index:value"},
		{"1:1 3:-2", "-1:1", "expected index:value"}, {"2:0.001", "2:1e999", "not a finite number"},
		{"SV\n", "", "unknown line"}, {"0.5 -0.125 \n", "", "there are 2 support vectors"}, {"0.5 -0.125 ", "0.5",
			"1 coefficients"},
		{"gamma 0.5", "gamma 0.5\ngamma 1", "gamma is there twice"}, {"gamma 0.5", "", "empty"},
	} {
		_, err := foreign.ParseSVM("m", []byte(strings.Replace(svm, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
			continue
		}
		checkError(t, err)
	}
	for _, c := range []struct{ old, new, says string }{
		{"MCSVM_CS", "SVM", "m:1: solver_type"}, {"nr_feature 2\n", "", "nr_feature is missing"}, {"nr_feature 2",
			"nr_feature 3", "and must be of 4"},
		{"nr_feature 2", "nr_feature 2000000000", "and must be of"}, {"0 3 \n", "", "and must be of 3"}, {"0 3 \n",
			"0 3\n1 1\n", "more than 3"},
		{"0 3", "0", "1 weights"}, {"0 3", "0 x", "not a finite"}, {"label 1 -1", "label 1", "1 labels for 2"},
	} {
		_, err := foreign.ParseSeparators("m", []byte(strings.Replace(separators, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
			continue
		}
		checkError(t, err)
	}
}

func FuzzSVM(f *testing.F) {
	for _, text := range []string{svm, regression, oneClass, separators, "", "svm_type"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkSVM(t, text) })
}

func FuzzSeparators(f *testing.F) {
	for _, text := range []string{separators, numbers, svm, "", "solver_type"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkSeparators(t, text) })
}
