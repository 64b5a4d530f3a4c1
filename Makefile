# Tasks of the project. `make help` lists them; `make ci` is what must pass.

GO ?= go
# A count, not a time: at the end of a time the go command may report its own deadline as a failure.
FUZZTIME ?= 3000x
PKGS = ./...
CORE = ./internal/gemm ./internal/vmath ./internal/compute ./internal/linalg ./gram

.PHONY: help build beam beam-test wheel python-test test claims graphs race race-all format lint arch purego cross fuzz torture generate generated docs docs-long docs-update ci bench bench-core bench-maps bench-learners bench-peers bench-cores bench-serve bench-batch bench-beam soak bench-python cuda test-gpu bench-gpu generate-cuda generated-cuda clean

help: ## list the tasks
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  %-14s %s\n", $$1, $$2}'

# Functions need not begin at multiples of 32 bytes, which fill a quarter of a megabyte with nothing; it is as fast.
SMALL = -trimpath -ldflags '-s -w -funcalign=4'

build: ## build the program kerf
	CGO_ENABLED=0 $(GO) build $(SMALL) -o kerf ./cmd/kerf

wheel: ## build the Python package with the program inside: dist/kerf-*.whl, for GOOS and GOARCH
	@rm -f dist/kerf-*.whl
	@python3 python/backend.py dist

python-test: ## test the Python package, from a wheel, in an environment that is made once
	$(GO) test ./python -count 1 -v

beam: ## build the program kerf-beam, a module of its own
	cd beam && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o ../kerf-beam ./cmd/kerf-beam

beam-test: ## test kerf-beam on Prism and, where there is Java, on Flink
	cd beam && $(GO) vet -trimpath ./... && $(GO) test -trimpath -timeout 20m ./...

test: ## run all tests
	$(GO) test -timeout 30m $(PKGS)

# What starts goroutines: the packages where that is quick, and commands that go through all of the others.
RACED = TrainEveryLearner|TuneDoesNotDependOnWorkers|CVOfEveryKind|TrainToACertificate|Interrupt$$|Checkpoint$$|Margin$$|Blend|DemoReport|ServeTLS|Stream

race: ## run what is concurrent under the race detector
	$(GO) test -race -short ./run ./internal/par ./project ./learn ./learn/stream ./data/file ./dataset ./pipe
	$(GO) test -race -short ./cli -run '$(RACED)'

race-all: ## run the short tests of all packages with numbers in them under the race detector: many minutes
	$(GO) test -race -short -timeout 1h ./run ./internal/par ./gram ./project ./feature ./certificate ./learn/... ./model ./data/file ./dataset ./job ./cli

format: ## fail if a file is not formatted
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi

lint: format ## format, vet and staticcheck
	$(GO) vet $(PKGS)
	$(GO) tool staticcheck $(PKGS)

arch: ## the order of imports
	$(GO) test ./internal/archtest

purego: ## build and test the numeric core without assembly
	CGO_ENABLED=0 $(GO) build -tags purego $(PKGS)
	$(GO) test -tags purego $(CORE) ./project ./feature
	@if [ "$$($(GO) env GOARCH)" = amd64 ] && grep -qw avx2 /proc/cpuinfo 2>/dev/null; then \
		echo "again with multiply-adds that the compiler fuses, as on arm64"; \
		GOAMD64=v3 $(GO) test -tags purego $(CORE); fi

# Whether it builds for other systems is seen sooner where code is not made fast.
PLAINLY = -gcflags 'all=-N -l'

cross: ## build the program for other systems
	@for t in windows/amd64 darwin/arm64 linux/arm64; do echo "$$t"; \
		CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build $(PLAINLY) -o /dev/null ./cmd/kerf || exit 1; done

cuda: ## build and test with the tag cuda: on the driver's double, and on a GPU where there is one
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 $(GO) build -tags cuda -o /dev/null ./cmd/kerf
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build -tags cuda $(PLAINLY) -o /dev/null ./cmd/kerf
	$(GO) vet -tags cuda ./internal/cuda/... ./internal/gpu
	$(GO) test -tags cuda -short ./internal/cuda/... ./internal/gpu

test-gpu: ## run the tests of the back end on the first GPU of this machine
	$(GO) test -tags cuda -count 1 -v -run 'TestOpen' ./internal/cuda
	$(GO) test -tags cuda -count 1 ./internal/cuda/... ./internal/gpu
	$(GO) test -tags cuda -count 1 -v -run 'TestBackends/gpu' ./gram | grep -v '^ *=== '

bench-gpu: ## products, prediction, Falkon and kernel-svm on the first GPU; bench/gpu/peer.py has PyTorch
	$(GO) run -tags cuda ./bench/gpu

NVCC ?= nvcc

generate-cuda: ## compile the kernels for GPUs anew: NVCC=/path/to/nvcc
	gen/cuda/build.sh internal/gpu/code $(NVCC)

generated-cuda: ## fail if compiled kernels are not what nvcc makes of them, where it is the one that made them
	gen/cuda/check.sh internal/gpu/code $(NVCC)

generate: ## write the assembly and the messages of the protocol anew
	$(GO) generate ./internal/gemm ./internal/vmath ./data/decimal ./data/csv ./bench/core ./serve/inference

generated: ## fail if generated code is not what its generators write
	@before=$$(cat internal/gemm/*_amd64.* internal/vmath/*_amd64.* data/decimal/*_amd64.* data/csv/*_amd64.* bench/core/peak_amd64.* serve/inference/*.pb.go | sha256sum); \
	$(MAKE) -s generate; \
	after=$$(cat internal/gemm/*_amd64.* internal/vmath/*_amd64.* data/decimal/*_amd64.* data/csv/*_amd64.* bench/core/peak_amd64.* serve/inference/*.pb.go | sha256sum); \
	if [ "$$before" != "$$after" ]; then echo "generated code was not current; commit what make generate wrote"; exit 1; fi

FUZZED = internal/wire:FuzzRead data/csv:FuzzCSV data/libsvm:FuzzLIBSVM data/file:FuzzFile data/lines:FuzzLines data/fasta:FuzzFASTA \
	data/sets:FuzzSets data/jsonl:FuzzJSONL data/npy:FuzzNPY data/idx:FuzzIDX data/parquet:FuzzParquet data/arrow:FuzzArrow data/table:FuzzCells \
	kernel/text:FuzzKernels kernel/external:FuzzAnswer kernel/external:FuzzFuel spec:FuzzParse spec:FuzzVectors \
	spec:FuzzCall dataset:FuzzRecord model:FuzzOpen model:FuzzDecode learn:FuzzParts learn/kernelized:FuzzPart learn/kernelized:FuzzSteps \
	learn/linear:FuzzPegasosState learn/boost:FuzzState report:FuzzChartTexts serve:FuzzInfer \
	serve:FuzzPredictJSON serve:FuzzPredictCSV serve:FuzzPredictArrow serve:FuzzMessage sums:FuzzSums data/csv:FuzzPlain data/decimal:FuzzRead data/decimal:FuzzCells lab:FuzzState lab:FuzzRow \
	convert/foreign:FuzzSVM convert/foreign:FuzzSeparators convert:FuzzForeign pipe:FuzzRequest dataset:FuzzPartial

fuzz: ## fuzz each parser and decoder FUZZTIME times
	@for target in $(FUZZED); do \
		$(GO) test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./$${target%:*} || exit 1; \
	done

TIME ?= 10m
SOAK ?= 30m
SEED ?= 1
KILLS ?= 1000
MODELS ?= 5000

torture: ## attack the program: TIME of mutated arguments and files, KILLS kills, MODELS damaged models, from SEED on
	$(GO) test ./internal/torture -count 1 -timeout 0 -v -args -time $(TIME) -seed $(SEED) -kills $(KILLS) -models $(MODELS)

claims: ## measure all claims of the papers at their default size: minutes
	$(GO) test ./repro -run TestHold -count 1 -v -args -full

graphs: ## models of all public data sets as graphs of ONNX, run by onnxruntime: many minutes
	$(GO) test ./convert -run TestGraphsOfData -count 1 -timeout 0 -v -args -long

docs: ## check that the code and commands of the documentation work and links lead somewhere
	$(GO) test -run TestLinks ./cli
	$(GO) test ./internal/doctest

docs-long: ## the same with the commands that take minutes
	$(GO) test -timeout 30m ./internal/doctest -long

docs-update: ## write what the commands of the documentation print into its pages
	$(GO) test -timeout 30m ./internal/doctest -run 'TestCommands|TestExtending' -update -long
	@git diff --stat -- README.md docs

bench-core: ## the numeric core beside OpenBLAS, scikit-learn and gonum (JSON=1 for machines)
	$(GO) run ./bench/core

bench-maps: ## feature maps and projections beside scikit-learn (JSON=1 for machines)
	$(GO) run ./bench/maps

bench-serve: ## the service beside FastAPI and scikit-learn: A9A=a9a.libsvm.gz PYTHON=venv/bin/python
	bench/serve/run.sh

bench-beam: build beam ## CPU and time of kerf-beam on Flink beside kerf, as rows double (5 minutes)
	$(GO) run ./bench/beam

bench-batch: build ## what a row costs the service in batches beside kerf predict: A9A=a9a.libsvm.gz
	$(GO) run ./bench/serve/batch -kerf ./kerf -data $(A9A)

soak: build ## ask the service for SOAK (30m) while its model changes every second: A9A=a9a.libsvm.gz
	$(GO) run ./bench/serve/soak -kerf ./kerf -data $(A9A) -time $(SOAK)

bench-python: ## the Python package beside the program on a file, in CPU seconds: PYTHON=venv/bin/python with kerf installed
	$${PYTHON:-python3} bench/python/overhead.py

bench-learners: ## learners beside scikit-learn, LIBLINEAR, numpy, LIBSVM and ThunderSVM (JSON=1 for machines)
	$(GO) run ./bench/learners

bench-peers: ## kerf beside the best others, which it installs: writes docs/benchmarks.md (QUICK=1: fewer rows; WORKS=C-SVC: these alone)
	$(GO) build -o $${TMPDIR:-/tmp}/kerf-bench-peers ./bench/peers
	$${TMPDIR:-/tmp}/kerf-bench-peers $(if $(QUICK),-quick) $(if $(WORKS),-update $(WORKS))

bench-cores: build ## training with 1, 2, 4, … workers up to all cores: DATA=folder of the public data sets
	bench/cores/run.sh ./kerf $(or $(DATA),$(KERF_DATA),../shared/data)

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . ./gram ./learn/linear

# Tests of all packages have the order of imports and the documentation among them. What is made anew comes before,
# alone, since it is what the others compile; of the others, those that take longest come first.
CHECKS = test race lint fuzz purego cuda cross

ci: generated generated-cuda ## everything that must pass, two tasks at a time, and MORE tasks
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(MORE) $(CHECKS)

clean: ## remove what was built
	rm -rf kerf kerf-beam kerf-demo.html dist
