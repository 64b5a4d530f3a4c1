// Command text writes the assembly by which tables in text files are read, for AVX-512: where cells
// end, and the numbers of a column.
//
//	go run ./text -what ends -to ../data/csv
//	go run ./text -what endsbytes -to ../data/csv
//	go run ./text -what columns -to ../data/csv
//	go run ./text -what column -to ../data/decimal
//	go run ./text -what cells -to ../data/decimal
package main

import (
	"bytes"
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

var functions = map[string]func(c *build.Context){
	"ends": ends, "endsbytes": endsOfBytes, "columns": columns, "column": column, "cells": cellsOf,
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("text: ")
	flags := flag.NewFlagSet("text", flag.ExitOnError) // avo claims flag.CommandLine
	what := flags.String("what", "", "the `function`: ends, endsbytes, columns, column or cells")
	to := flags.String("to", "", "`folder` of its package")
	_ = flags.Parse(os.Args[1:])
	emit := functions[*what]
	if emit == nil || *to == "" || flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	emit(c)
	f, err := c.Result()
	if err == nil {
		err = pass.Compile.Execute(f)
	}
	if err != nil {
		log.Fatal(err)
	}
	cfg := printer.Config{Name: "gen/text", Pkg: filepath.Base(*to)}
	for end, p := range map[string]printer.Printer{".s": printer.NewGoAsm(cfg), ".go": printer.NewStubs(cfg)} {
		text, err := p.Print(f)
		if err == nil {
			err = os.WriteFile(filepath.Join(*to, *what+"_amd64"+end), append(bytes.TrimRight(text, "\n"), '\n'), 0o666)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// function begins a function.
func function(c *build.Context, name, signature string, doc ...string) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.SignatureExpr(signature)
	c.Doc(doc...)
}

// words writes a list of words of 64 bits, and returns where it stands.
func words(c *build.Context, name string, list []uint64) operand.Mem {
	m := c.StaticGlobal(name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range list {
		c.AddDatum(8*i, operand.U64(w))
	}
	return m
}
