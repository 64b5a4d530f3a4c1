// Command vmath writes the assembly of package internal/vmath: elementwise
// functions and sums over slices of float32 and float64, for AVX2 with FMA and
// for AVX-512, their Go stubs, and the tables of them.
//
//	go run ./vmath -out ../internal/vmath
//
// Every function is written once, in terms of a target (see target.go), and
// emitted four times: two precisions, two levels. The same operations in the
// same order make the levels agree bit for bit.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// files lists what goes into each assembly file.
var files = []struct {
	name string
	ops  []op
}{
	{"exp", expOps},
	{"log", logOps},
	{"tanh", tanhOps},
	{"sincos", sinCosOps},
	{"scatter", scatterOps},
	{"row", rowOps},
	{"sum", sumOps},
	{"hadamard", hadamardOps},
	{"narrow", narrowOps},
	{"widen", widenOps},
	{"prefetch", prefetchOps},
	{"gather", gatherOps},
	{"pair", pairOps},
	{"stream", streamOps},
	{"runs", runsOps},
	{"weave", weaveOps},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("vmath: ")
	// A set of its own: avo claims flag.CommandLine.
	flags := flag.NewFlagSet("vmath", flag.ExitOnError)
	out := flags.String("out", "", "`directory` to write to")
	_ = flags.Parse(os.Args[1:])
	if *out == "" || flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	var all []op
	for _, f := range files {
		asm, stub, err := assemble(f.ops)
		if err != nil {
			log.Fatalf("%s: %v", f.name, err)
		}
		write(*out, f.name+"_amd64.s", asm)
		write(*out, f.name+"_amd64.go", stub)
		all = append(all, f.ops...)
	}
	for name, text := range tables(all) {
		write(*out, name, text)
	}
}

func write(dir, name string, text []byte) {
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		log.Fatal(err)
	}
}

// assemble returns the assembly and the stubs of the operations.
func assemble(ops []op) (asm, stub []byte, err error) {
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	masked, counted := false, false
	pool := [2]*pool{{name: "const32", size: 4}, {name: "const64", size: 8}}
	for _, o := range ops {
		for p, bits := range []int{32, 64} {
			if o.only != 0 && o.only != bits {
				continue
			}
			for _, wide := range []bool{false, true} {
				t := &target{Context: c, bits: bits, wide: wide, pool: pool[p], double: pool[1], masked: &masked, counted: &counted}
				c.Function(t.symbol(o.name))
				c.Attributes(attr.NOSPLIT)
				c.Pragma("noescape")
				c.SignatureExpr(o.signature(bits))
				c.Doc(t.symbol(o.name) + " is " + o.name + " of a table.")
				o.emit(t, o)
			}
		}
	}
	for _, p := range pool {
		p.emit(c)
	}
	if masked {
		emitTailMask(c)
	}
	if counted {
		emitCounts(c)
	}

	f, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "gen/vmath", Pkg: "vmath"}
	if asm, err = printer.NewGoAsm(cfg).Print(f); err != nil {
		return nil, nil, err
	}
	stub, err = printer.NewStubs(cfg).Print(f)
	return append(bytes.TrimRight(asm, "\n"), '\n'), stub, err
}

// emitTailMask writes tailBytes of ones followed by tailBytes of zeros. A
// window that starts at tailBytes - r has ones in its first r bytes.
func emitTailMask(c *build.Context) {
	c.StaticGlobal(tailMaskName)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < tailBytes; i += 8 {
		c.AddDatum(i, operand.U64(^uint64(0)))
	}
	for i := tailBytes; i < 2*tailBytes; i += 8 {
		c.AddDatum(i, operand.U64(0))
	}
}

// emitCounts writes the numbers of the lanes.
func emitCounts(c *build.Context) {
	c.StaticGlobal(countsName)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		c.AddDatum(8*i, operand.U64(uint64(i)))
	}
}

// pool gathers the scalar constants of one precision in a file.
type pool struct {
	name  string
	size  int
	bits  []uint64
	index map[uint64]int
}

// at returns the address of the constant with the given bits.
func (p *pool) at(bits uint64) operand.Mem {
	i, ok := p.index[bits]
	if !ok {
		i = len(p.bits)
		if p.index == nil {
			p.index = map[uint64]int{}
		}
		p.index[bits] = i
		p.bits = append(p.bits, bits)
	}
	return operand.NewDataAddr(operand.Symbol{Name: p.name, Static: true}, i*p.size)
}

func (p *pool) emit(c *build.Context) {
	if len(p.bits) == 0 {
		return
	}
	c.StaticGlobal(p.name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, b := range p.bits {
		if p.size == 4 {
			c.AddDatum(4*i, operand.U32(b))
		} else {
			c.AddDatum(8*i, operand.U64(b))
		}
	}
}

func typeName(bits int) string { return fmt.Sprintf("float%d", bits) }
