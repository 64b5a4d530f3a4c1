package job_test

import "github.com/kerf-ml/kerf/job"

// quickly returns the options of a training that tests can wait for: what a search
// does has tests of its own.
func quickly() job.TrainOptions {
	o := job.NewTrainOptions()
	o.Effort = job.Least
	return o
}
