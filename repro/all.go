package repro

// All returns the experiments, in the order of the survey, and then of what the
// first paper remarks and the textbooks teach: one line each.
func All() []Experiment {
	return []Experiment{
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
		direct(),
		noKernel(),
		oblivious(),
		selection(),
		certificates(),
		practical(),
		lecture(),
		gaussian(),
		representer(),
		exercises(),
	}
}
