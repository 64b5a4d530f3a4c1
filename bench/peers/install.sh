#!/usr/bin/env bash
# Makes a folder with the programs that kerf is measured against: a virtual environment with packages from PyPI.
# bench/peers/install.sh FOLDER. What is there stays; what cannot be had is written to FOLDER/missing, a line each,
# and the measurement goes without it; RETRY=1 tries those again. TORCH=0
# leaves out PyTorch and what needs it: it is several GiB large.
set -u
folder=$1
venv=$folder/venv
mkdir -p "$folder"
[ "${RETRY:-0}" = 1 ] && rm -f "$folder/missing"
touch "$folder/missing"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || exit 1

# have NAME MODULE [OPTION]...: installs a package unless its module can be found.
have() {
	name=$1 module=$2
	shift 2
	find="import importlib.util as u, sys; sys.exit(u.find_spec('$module') is None)"
	"$venv/bin/python" -c "$find" && return
	grep -q "^$name:" "$folder/missing" && return
	echo "installing $name" >&2
	timeout 900 "$venv/bin/pip" install -q "$@" "$name" >> "$folder/install.log" 2>&1 &&
		"$venv/bin/python" -c "$find" && return
	reason=$(grep -iE 'error' "$folder/install.log" | tail -1 | cut -c 1-120)
	echo "$name: ${reason:-it does not install}" | tee -a "$folder/missing" >&2
}

for p in numpy scipy pandas polars pyarrow onnxruntime; do have $p $p; done
have scikit-learn sklearn
have scikit-learn-intelex sklearnex
have skl2onnx skl2onnx
# Both are compiled here from their authors' sources, LIBSVM with its threads.
CFLAGS="-O3 -fopenmp" CXXFLAGS="-O3 -fopenmp" LDFLAGS="-fopenmp" have libsvm-official libsvm
CFLAGS="-O3" CXXFLAGS="-O3" have liblinear-official liblinear
have thundersvm-cpu thundersvm
have strkernel strkernel
have fastsk fastsk
if [ "${TORCH:-1}" = 1 ]; then
	have torch torch
	have pykeops pykeops
	have xrfm xrfm
	have falkon falkon
elif ! grep -q '^torch' "$folder/missing"; then
	echo "torch, pykeops, xrfm, falkon: left out, TORCH=0" >> "$folder/missing"
fi
