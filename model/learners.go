package model

import "slices"

// Learners by name.
const (
	LearnerSVM                = "svm"                 // soft-margin separator
	LearnerLogistic           = "logistic"            // logistic and multinomial regression
	LearnerRidge              = "ridge"               // least squares
	LearnerPerceptron         = "perceptron"          // Rosenblatt's
	LearnerAveragedPerceptron = "averaged-perceptron" // with the mean of its separators
	LearnerPegasos            = "pegasos"             // the svm by stochastic descent, a row at a time
	LearnerHardMargin         = "hard-margin"         // largest margin, or a proof that there is none
	LearnerProgram            = "lp"                  // a separator without errors by linear programming
	LearnerBoost              = "boost"               // AdaBoost of stumps
	LearnerBoostHalfspace     = "boost-halfspace"     // AdaBoost of random halfspaces
	LearnerKernelSVM          = "kernel-svm"          // C-SVC by SMO
	LearnerNuSVM              = "nu-svm"              // ν-SVC
	LearnerOneClass           = "one-class"           // where the data lie, without labels
	LearnerSVR                = "svr"                 // ε-SVR
	LearnerNuSVR              = "nu-svr"              // ν-SVR
	LearnerKernelRidge        = "kernel-ridge"        // exact
	LearnerFalkon             = "falkon"              // kernel ridge on landmarks by conjugate gradients
	LearnerKernelSGD          = "kernel-sgd"          // soft svm by stochastic descent
	LearnerKernelPerceptron   = "kernel-perceptron"   // perceptron in the kernel's space
	LearnerCentroid           = "centroid"            // nearest mean in the kernel's space
)

// Task is what a model predicts.
type Task string

// The tasks.
const (
	Classify Task = "classify" // one of some labels
	Regress  Task = "regress"  // a number
)

// Traits say what a learner is.
type Traits struct {
	Name    string
	Kernel  bool   // works in the kernel's own space, without a map
	Price   string // what is chosen on held-out rows where it is not given: C, lambda or nothing
	Tasks   []Task
	Binary  bool // knows two classes only; more are learnt one against the rest
	Weights bool // rows and classes may have weights
	Keeps   bool // can be ended and go on: see Recipe.Checkpoint
}

// Can reports whether the learner does the task.
func (t Traits) Can(task Task) bool { return slices.Contains(t.Tasks, task) }

// prices of learners.
const (
	priceC      = "C"
	priceLambda = "lambda"
)

var (
	labels = []Task{Classify}
	values = []Task{Regress}
	either = []Task{Classify, Regress}
)

// traits are all learners, in the order in which people are told of them.
var traits = []Traits{
	{Name: LearnerSVM, Price: priceC, Tasks: labels, Weights: true},
	{Name: LearnerLogistic, Price: priceC, Tasks: labels, Weights: true},
	{Name: LearnerRidge, Tasks: either, Weights: true}, // chooses lambda itself, by leave-one-out
	{Name: LearnerPerceptron, Tasks: labels},
	{Name: LearnerAveragedPerceptron, Tasks: labels, Weights: true},
	{Name: LearnerPegasos, Price: priceC, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerHardMargin, Tasks: labels},
	{Name: LearnerProgram, Tasks: labels},
	{Name: LearnerBoost, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerBoostHalfspace, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerKernelSVM, Kernel: true, Price: priceC, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerNuSVM, Kernel: true, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerOneClass, Kernel: true, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerSVR, Kernel: true, Price: priceC, Tasks: values, Weights: true, Keeps: true},
	{Name: LearnerNuSVR, Kernel: true, Price: priceC, Tasks: values, Weights: true, Keeps: true},
	{Name: LearnerKernelRidge, Kernel: true, Price: priceLambda, Tasks: either, Weights: true},
	{Name: LearnerFalkon, Kernel: true, Price: priceLambda, Tasks: either, Weights: true, Keeps: true},
	{Name: LearnerKernelSGD, Kernel: true, Price: priceLambda, Tasks: labels, Weights: true, Keeps: true},
	{Name: LearnerKernelPerceptron, Kernel: true, Tasks: labels},
	{Name: LearnerCentroid, Kernel: true, Tasks: labels, Weights: true},
}

// Learners are the names of all learners.
var Learners = func() []string {
	var names []string
	for _, t := range traits {
		names = append(names, t.Name)
	}
	return names
}()

// Keepers are the names of the learners that can be ended and go on.
var Keepers = func() []string {
	var names []string
	for _, t := range traits {
		if t.Keeps {
			names = append(names, t.Name)
		}
	}
	return names
}()

// TraitsOf returns what a learner is, and false for a name that is none.
func TraitsOf(name string) (Traits, bool) {
	i := slices.IndexFunc(traits, func(t Traits) bool { return t.Name == name })
	if i < 0 {
		return Traits{}, false
	}
	return traits[i], true
}

// Weighted are the names of the learners that take weights.
func Weighted() []string {
	var names []string
	for _, t := range traits {
		if t.Weights {
			names = append(names, t.Name)
		}
	}
	return names
}
