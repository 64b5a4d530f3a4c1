package repro

// taught are the experiments on what the first paper remarks and the textbooks teach, and
// on practice.
func taught() []Experiment {
	return []Experiment{
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
