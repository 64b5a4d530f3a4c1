#!/usr/bin/env bash
# Compiles the kernels with nvcc into the folder named: for each source PTX, which every driver that kerf takes
# compiles for any device, and the code of the devices named in ARCHS, which needs no compiling. All are compressed.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")"
ARCHS=${ARCHS:-sm_80 sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in rows gauss single double; do
  "$NVCC" -O3 -std=c++17 -arch=compute_80 -ptx -o "$work/$source.ptx" "$source.cu"
  # The compiler names its own version of the language, which drivers older than it refuse. The kernels use nothing
  # that version 8.0, of CUDA 12.0, does not have; the assembler holds them to that.
  sed -i -E 's/^\.version .*/.version 8.0/; /^\/\//d' "$work/$source.ptx"
  gzip -9nc "$work/$source.ptx" >"$out/$source.ptx.gz"
  for arch in $ARCHS; do
    "${NVCC%/nvcc}/ptxas" -arch="$arch" -o "$work/$source.$arch" "$work/$source.ptx"
    gzip -9nc "$work/$source.$arch" >"$out/$source.$arch.gz"
  done
done
