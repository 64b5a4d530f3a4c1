//go:build unix

package job_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

var record = flag.String("record", "", "folder to record the progress of real trainings in")

// recorded are the trainings whose progress is kept for the tests of run.Meter.
var recorded = map[string]func(o *job.TrainOptions) (path string){
	"california": func(o *job.TrainOptions) string { o.Choices.Task = model.Regress; return "california.csv.gz" },
	"mnist": func(o *job.TrainOptions) string {
		o.Read.Labels = dataFile("mnist-train-labels.idx.gz")
		return "mnist-train-images.idx.gz"
	},
	"adult":  func(*job.TrainOptions) string { return "adult.csv.gz" },
	"letter": func(*job.TrainOptions) string { return "letter.libsvm.gz" },
	"covtype": func(o *job.TrainOptions) string {
		o.Choices.Learner = spec.Call{Name: "logistic"}
		return "covtype20k.csv.gz"
	},
	"ijcnn1-machine": func(o *job.TrainOptions) string {
		o.Choices.Learner = spec.Call{Name: "kernel-svm"}
		return "ijcnn1.libsvm.gz"
	},
	"sms": func(o *job.TrainOptions) string {
		o.Read.Target, o.Read.Kind = "first", dataset.Strings
		return "sms-spam.tsv.gz"
	},
	"kin40k": func(o *job.TrainOptions) string { o.Choices.Task = model.Regress; return "kin40k.csv.gz" },
	"ijcnn1": func(*job.TrainOptions) string { return "ijcnn1.libsvm.gz" },
}

// untold are trainings with nothing chosen, of which each effort is recorded.
var untold = map[string]func(o *job.TrainOptions) (path string){
	"adult":      recorded["adult"],
	"california": func(*job.TrainOptions) string { return "california.csv.gz" },
	"celegans":   func(*job.TrainOptions) string { return "celegans-acceptor.fasta.gz" },
	"concrete":   func(*job.TrainOptions) string { return "concrete.csv.gz" },
	"covtype":    func(*job.TrainOptions) string { return "covtype20k.csv.gz" },
	"ijcnn1":     recorded["ijcnn1"],
	"kin40k":     func(*job.TrainOptions) string { return "kin40k.csv.gz" },
	"letter":     recorded["letter"],
	"mnist":      recorded["mnist"],
	"splice":     func(*job.TrainOptions) string { return "splice-dna.csv.gz" },
	"svmguide1":  func(*job.TrainOptions) string { return "svmguide1.libsvm.gz" },
}

func dataFile(name string) string {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	return filepath.Join(folder, name)
}

// TestRecord writes the progress of real trainings, one file each, as
//
//	go test ./job -run TestRecord -timeout 1h -record ../run/testdata/progress
//
// A line is the time in seconds and one call of run.Progress: its name and what it was
// told. The training has one worker, and the time is that of the processor, which a busy
// machine does not stretch: about what a clock shows on a quiet one. Calls of Step and
// Near that come less than 20 ms after another one of the same task are left out.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("-record names no folder")
	}
	for name, set := range recorded {
		t.Run(name, func(t *testing.T) { writeProgress(t, name, job.Least, set) })
	}
	for name, set := range untold {
		for _, effort := range []job.Effort{job.Quick, job.Normal} {
			long := name + "-" + string(effort)
			t.Run(long, func(t *testing.T) { writeProgress(t, long, effort, set) })
		}
	}
}

// writeProgress trains, and writes what is told meanwhile.
func writeProgress(t *testing.T, name string, effort job.Effort, set func(o *job.TrainOptions) (path string)) {
	f, err := os.Create(filepath.Join(*record, name+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	o := job.NewTrainOptions()
	o.Effort = effort
	path := dataFile(set(&o))
	o.Run.Workers, o.Run.Progress = 1, recorder(w)
	if _, err := job.Train(context.Background(), path, o); err != nil {
		t.Error(err)
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// recorder writes what it is told, and when.
func recorder(w *bufio.Writer) run.Progress {
	begun, last := processorTime(), map[string]time.Duration{}
	line := func(call string, args ...any) {
		fmt.Fprintf(w, "%.3f\t%s", (processorTime() - begun).Seconds(), call)
		for _, a := range args {
			fmt.Fprintf(w, "\t%v", a)
		}
		fmt.Fprintln(w)
	}
	often := func(call string, arg any) {
		now := processorTime()
		if at, ok := last[call]; !ok || now-at >= 20*time.Millisecond {
			line(call, arg)
			last[call] = now
		}
	}
	return run.Progress{
		Start:  func(task string, total int64) { clear(last); line("Start", bare(task), total) },
		Step:   func(done int64) { often("Step", done) },
		Share:  func(units int64) { line("Share", units) },
		Total:  func(total int64) { line("Total", total) },
		Near:   func(part float64) { often("Near", part) },
		Finish: func() { clear(last); line("Finish") },
	}
}

// bare is the name of a task without the folder of a file that it reads.
func bare(task string) string {
	if path, ok := strings.CutPrefix(task, "read "); ok {
		return "read " + filepath.Base(path)
	}
	return task
}

// processorTime is the time that the process has computed.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
