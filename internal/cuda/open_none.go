//go:build !(cuda && linux && (amd64 || arm64))

package cuda

import "errors"

// Built says whether the program can look for a driver.
const Built = false

func open() (Driver, error) {
	return nil, errors.New("this program was built without the tag cuda, which is for Linux")
}
