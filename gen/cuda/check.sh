#!/usr/bin/env bash
# check.sh FOLDER NVCC fails if the compiled kernels of the folder are not what the compiler makes of the sources. Where
# there is no compiler, or another version than the one that made them, it says so; a test of internal/gpu compares the
# sources in any case.
set -euo pipefail
if ! nvcc=$(command -v "$2"); then
  echo "there is no nvcc: compiled kernels are not compared"
  exit 0
fi
if [ "$("$nvcc" --version | tail -1)" != "$(head -1 "$1/made.txt")" ]; then
  echo "the kernels were compiled by another nvcc ($(head -1 "$1/made.txt")): they are not compared"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(dirname "$0")/build.sh" "$work" "$nvcc"
for file in "$1"/*; do
  if ! cmp -s <(gzip -dcf "$file") <(gzip -dcf "$work/$(basename "$file")"); then
    echo "$file is not what nvcc makes; commit what make generate-cuda writes"
    exit 1
  fi
done
