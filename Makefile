# Tasks of the project. `make help` lists them; `make ci` is what must pass.

GO ?= go
FUZZTIME ?= 5s
PKGS = ./...

.PHONY: help build test race lint arch purego fuzz generate examples ci bench clean

help: ## list the tasks
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  %-12s %s\n", $$1, $$2}'

build: ## build the program kerf
	CGO_ENABLED=0 $(GO) build -trimpath -o kerf ./cmd/kerf

test: ## run all tests
	$(GO) test $(PKGS)

race: ## run the short tests under the race detector
	$(GO) test -race -short ./run ./internal/par ./gram ./feature ./learn/... ./model ./data/file

format: ## fail if a file is not formatted
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi

lint: format ## format, vet and staticcheck
	$(GO) vet $(PKGS)
	$(GO) tool staticcheck $(PKGS)

arch: ## the order of imports
	$(GO) test ./internal/archtest

purego: ## build and test the numeric core without assembly
	CGO_ENABLED=0 $(GO) build -tags purego $(PKGS)
	$(GO) test -tags purego ./internal/compute ./gram ./feature

fuzz: ## fuzz each parser and decoder for FUZZTIME
	$(GO) test -run '^$$' -fuzz FuzzCSV -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./data/csvfile
	$(GO) test -run '^$$' -fuzz FuzzLIBSVM -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./data/libsvm
	$(GO) test -run '^$$' -fuzz FuzzFile -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./data/file
	$(GO) test -run '^$$' -fuzz FuzzParse -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./spec
	$(GO) test -run '^$$' -fuzz FuzzDecode -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./model

docs: ## check that the commands of the README work and links lead somewhere
	$(GO) test -run 'TestReadme|TestLinks' ./cli

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . ./gram ./learn/linear

ci: lint arch test race purego fuzz docs ## everything that must pass

clean: ## remove what was built
	rm -f kerf kerf-demo.html
