package external

import (
	"context"
	"errors"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var (
	errNotFinite = errors.New("the module returned a value that is not finite")
	errPlace     = errors.New("alloc returned a place outside of the module's memory")
)

// copied is a copy of a module with a memory of its own. One goroutine uses it at
// a time.
type copied struct {
	module        api.Module
	alloc, kernel api.Function
	tank
	x, y  place
	bytes []byte    // the instance being written
	stack [4]uint64 // arguments and results of a call
}

// place is where an instance stands in the memory of a module.
type place struct {
	at, size uint32 // what alloc gave; size is 0 before that
	length   int    // that the module is told
}

// copy makes a copy of the module.
func (k *Wasm[T]) copy() (*copied, error) {
	c := &copied{tank: tank{fuel: k.o.Fuel}}
	err := k.bounded(func(ctx context.Context) (err error) {
		// Without a name, any number of copies may live in one runtime.
		c.module, err = k.runtime.InstantiateModule(ctx, k.compiled,
			wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			return err
		}
		c.left = c.module.ExportedGlobal(fuelName).(api.MutableGlobal)
		for _, name := range []string{startName, "_initialize"} {
			if f := c.module.ExportedFunction(name); f != nil {
				if _, err := f.Call(c.full(ctx)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.alloc, c.kernel = c.module.ExportedFunction("alloc"), c.module.ExportedFunction("kernel")
	return c, nil
}

// smallest is what alloc is asked for at least, so that short instances of
// different lengths share a place.
const smallest = 1 << 10

// fits reports whether a place has room for n bytes.
func (p *place) fits(n int) bool { return p.size > 0 && n <= int(p.size) }

// enlarge asks the module for a place that has room for c.bytes.
func (c *copied) enlarge(ctx context.Context, p *place) error {
	size := uint32(max(smallest, min(2*len(c.bytes), math.MaxInt32)))
	c.stack[0] = uint64(size)
	if err := c.alloc.CallWithStack(c.full(ctx), c.stack[:]); err != nil {
		return err
	}
	p.at, p.size = uint32(c.stack[0]), size
	return nil
}

// write copies c.bytes to a place that they fit.
func (c *copied) write(p *place) error {
	memory := c.module.Memory()
	if uint64(p.at)+uint64(p.size) > uint64(memory.Size()) || !memory.Write(p.at, c.bytes) {
		return errPlace
	}
	return nil
}

// call returns K of what stands at x and y.
func (c *copied) call(ctx context.Context) (float64, error) {
	c.stack = [4]uint64{uint64(c.x.at), uint64(uint32(c.x.length)), uint64(c.y.at), uint64(uint32(c.y.length))}
	if err := c.kernel.CallWithStack(c.full(ctx), c.stack[:]); err != nil {
		return 0, err
	}
	v := api.DecodeF64(c.stack[0])
	if v-v != 0 {
		return 0, errNotFinite
	}
	return v, nil
}
