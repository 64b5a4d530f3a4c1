package external

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var errFuel = errors.New("the fuel is used up")

// portion is how many instructions a module executes at most before it is asked
// whether it may go on: about a millisecond.
const portion = 1_000_000

// tank holds the fuel of a copy of a module, which gets it in portions.
type tank struct {
	fuel  int64             // for each call
	spare int64             // of the call, beside what the module has
	left  api.MutableGlobal // what the module has
}

type tankKey struct{}

// full fills the tank, and returns the context with which to call the module.
func (t *tank) full(ctx context.Context) context.Context {
	t.spare = t.fuel - min(t.fuel, portion)
	t.left.Set(uint64(t.fuel - t.spare))
	return context.WithValue(ctx, tankKey{}, t)
}

// refill gives the module its next portion. It returns an error where there is none,
// or the context has ended.
func (t *tank) refill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rest := t.spare + int64(t.left.Get()) // what it has is below zero
	if rest < 0 {
		return errFuel
	}
	next := min(rest, portion)
	t.spare = rest - next
	t.left.Set(uint64(next))
	return nil
}

// offerCheck gives modules the function that they call when a portion is used up.
func offerCheck(ctx context.Context, r wazero.Runtime) error {
	check := func(ctx context.Context, _ api.Module, _ []uint64) {
		if err := ctx.Value(tankKey{}).(*tank).refill(ctx); err != nil {
			panic(err) // wazero ends the call and returns it
		}
	}
	_, err := r.NewHostModuleBuilder(hostName).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(check), nil, nil).Export(checkName).Instantiate(ctx)
	return err
}
