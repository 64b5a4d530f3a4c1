package repro

// All returns the experiments, in the order of the survey: one line each.
func All() []Experiment {
	return append([]Experiment{
		perceptron(),
		online(),
		weak(),
		boosting(),
		projection(),
		marginKept(),
		f1(),
		f2(),
		f3(),
		separable(),
		noise(),
		offset(),
		hidden(),
	}, taught()...)
}
