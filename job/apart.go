package job

import (
	"os"

	"github.com/kerf-ml/kerf/dataset"
)

// Apart reports an output that is one of the inputs, by name or by a link: what is
// written there would take the place of what was read. Empty names and standard
// input and output are none.
func Apart(output string, inputs ...string) error {
	if output == "" || output == "-" {
		return nil
	}
	to, err := os.Stat(output)
	if err != nil {
		return nil // there is nothing that could be lost
	}
	for _, input := range inputs {
		if input == "" || input == "-" {
			continue
		}
		if from, err := os.Stat(input); err == nil && os.SameFile(from, to) {
			return dataset.BadOption("the output %s is the input %s; choose another file", output, input)
		}
	}
	return nil
}

// apart reports an output of a training that is one of its inputs, or the other
// output.
func (o *TrainOptions) apart(path string) error {
	inputs := []string{path, o.Test, o.TestLabels, o.TestWeights, o.Read.Labels, o.Read.Weights}
	for _, array := range append([]string{path, o.Test}, o.Read.More...) {
		inputs = append(inputs, dataset.LabelsBeside(array, "IDX"))
		if files, err := dataset.Files(array); err == nil && array != "" {
			inputs = append(inputs, files...)
		}
	}
	for _, output := range []string{o.Output, o.Checkpoint} {
		if err := Apart(output, inputs...); err != nil {
			return err
		}
	}
	if o.Output != "" && o.Output == o.Checkpoint {
		return dataset.BadOption("the model and the checkpoint are one file, %s; choose two", o.Output)
	}
	return Apart(o.Output, o.Checkpoint)
}
