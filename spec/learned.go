package spec

import (
	"regexp"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// makeLearned makes a kernel in the coordinates of a metric:
// learned(laplace(gamma=1),metric=diag2:AACAPwAAgD8).
func makeLearned(a *arguments) (kernel.Kernel[data.Vector], error) {
	n := a.node
	if len(n.inner) != 1 || len(n.params) != 1 || n.params[0].name != metricParam {
		return nil, a.fail("learned takes a kernel and the metric that a training wrote, " +
			"as in learned(rbf(gamma=1),metric=diag1:AACAPw)")
	}
	of, err := build(a.kernel, n.inner[0], vectorKernels(), a.width)
	if err != nil {
		return nil, err
	}
	m, err := kernel.ParseMetric(n.params[0].text)
	if err != nil {
		return nil, a.kernel.fail(n.params[0].column, "%v", err)
	}
	return kernel.Learned{Of: of, Metric: m}, nil
}

var longMetric = regexp.MustCompile(`(metric=[a-z0-9]+):[A-Za-z0-9_-]*`)

// longNumber are the digits of a width that was learnt with it.
var longNumber = regexp.MustCompile(`[0-9]\.[0-9]{5,}`)

// Short returns the text of a kernel for people: without the numbers of a metric, and with
// few digits of others beside it. It is for reading, not for Parse.
func Short(text string) string {
	if !longMetric.MatchString(text) {
		return text
	}
	return longNumber.ReplaceAllStringFunc(longMetric.ReplaceAllString(text, "$1"), func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}
