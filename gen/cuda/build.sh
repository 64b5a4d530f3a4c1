#!/usr/bin/env bash
# build.sh FOLDER NVCC compiles the kernels into the folder: for each source PTX, which every driver that kerf takes
# compiles for any device, and the code of the devices named in ARCHS, which needs no compiling. All are compressed.
# made.txt says which compiler made them, of which sources.
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
nvcc=$(command -v "$2")
cd "$(dirname "$0")"
ARCHS=${ARCHS:-sm_80 sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in rows gauss split single double dual dense pivot; do
  "$nvcc" -O3 -std=c++17 -arch=compute_80 -ptx -o "$work/$source.ptx" "$source.cu"
  # The compiler names its own version of the language, which drivers older than it refuse. The kernels use nothing
  # that version 8.0, of CUDA 12.0, does not have; the assembler holds them to that.
  sed -i -E 's/^\.version .*/.version 8.0/; /^\/\//d' "$work/$source.ptx"
  gzip -9nc "$work/$source.ptx" >"$out/$source.ptx.gz"
  for arch in $ARCHS; do
    "$(dirname "$nvcc")/ptxas" -arch="$arch" -o "$work/$source.$arch" "$work/$source.ptx"
    gzip -9nc "$work/$source.$arch" >"$out/$source.$arch.gz"
  done
done
{ "$nvcc" --version | tail -1; cat -- *.cu *.cuh | sha256sum | cut -d' ' -f1; } >"$out/made.txt"
