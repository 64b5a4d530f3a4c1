#!/usr/bin/env bash
# Makes libsvm.json with the programs svm-train, svm-scale and svm-predict of
# LIBSVM 3.24 (Debian's libsvm-tools) and optimum.py, which needs numpy:
# PYTHON=/usr/bin/python3 ./libsvm.sh <folder of the data sets> > libsvm.json
set -eu
data=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for f in heart svmguide1 svmguide1.t a9a letter letter.t; do gunzip -c "$data/$f.libsvm.gz" > $f; done
head -10000 a9a > a9a10k
# The last column is the target; every feature is divided by 100.
gunzip -c "$data/concrete.csv.gz" |
  awk -F, '{ printf "%s", $NF; for (j = 1; j < NF; j++) printf " %d:%.17g", j, $j/100; print "" }' > concrete
svm-scale -l -1 -u 1 -s range svmguide1 > scaled
svm-scale -r range svmguide1.t > scaled.t
first=1
one() { # name, data, test data or -, options
  local name=$1 file=$2 test=$3
  shift 3
  svm-train -e 1e-5 -m 2000 "$@" $file model > log
  local objective sv accuracy=null usual=null steps=null rho
  objective=$(awk '/^obj/ { sub(",", "", $3); s += $3 } END { printf "%.6f", s }' log)
  rho=$(awk '/^obj/ { r = $6 } END { print r }' log)
  sv=$(awk '/^total_sv/ { print $2 }' model)
  if [ $test != - ]; then
    accuracy=$(svm-predict $test model out | awk '{ gsub("[(/)]", " "); sub("%", "", $3); print $3 }')
    svm-train -m 2000 "$@" $file model > log
    steps=$(awk '/#iter/ { s += $NF } END { print s }' log)
    usual=$(svm-predict $test model out | awk '{ gsub("[(/)]", " "); sub("%", "", $3); print $3 }')
  fi
  [ $first = 1 ] || echo ","
  first=0
  printf ' {"name": "%s", "options": "%s", "objective": %s, "optimum": %s, "rho": %s, "support": %s, "accuracy": %s, "usual": %s, "steps": %s}' \
    "$name" "$*" "$objective" "$optimum" "$rho" "$sv" "$accuracy" "$usual" "$steps"
  optimum=null
}
optimum=null
exact() { # type, gamma, C or nu: the optimum of the case on heart that comes next
  local price=-c
  [ $1 = 0 ] || price=-n
  svm-train -q -e 1e-8 -s $1 -g $2 $price $3 heart model
  optimum=$("${PYTHON:-python3}" "$here/optimum.py" $1 $2 $3 heart model)
}
echo "["
exact 0 0.0769230769230769 1
one heart heart - -s 0 -t 2 -c 1 -g 0.0769230769230769
exact 0 0.05 1000
one heart-hard heart - -s 0 -t 2 -c 1000 -g 0.05
one heart-weight heart - -s 0 -t 2 -c 1 -g 0.05 -w1 3 -w-1 0.5
one heart-linear heart - -s 0 -t 0 -c 1
one heart-poly heart - -s 0 -t 1 -c 1 -g 0.1 -r 1 -d 3
one heart-sigmoid heart - -s 0 -t 3 -c 1 -g 0.05 -r 0
exact 1 0.05 0.5
one heart-nu heart - -s 1 -t 2 -n 0.5 -g 0.05
exact 1 0.05 0.2
one heart-nu-small heart - -s 1 -t 2 -n 0.2 -g 0.05 -e 1e-8
one heart-one heart - -s 2 -t 2 -n 0.3 -g 0.05
one heart-svr heart - -s 3 -t 2 -c 1 -p 0.1 -g 0.05
one concrete-svr concrete - -s 3 -t 2 -c 10 -p 0.5 -g 0.5
one concrete-nu-svr concrete - -s 4 -t 2 -c 10 -n 0.4 -g 0.5
one concrete-one concrete - -s 2 -t 2 -n 0.1 -g 0.5
one guide svmguide1 svmguide1.t -s 0 -t 2 -c 1 -g 0.25
one guide-scaled scaled scaled.t -s 0 -t 2 -c 1 -g 0.25
one guide-tuned scaled scaled.t -s 0 -t 2 -c 2 -g 2
one a9a a9a10k - -s 0 -t 2 -c 1 -g 0.01
one letter letter letter.t -s 0 -t 2 -c 10 -g 0.1
echo
echo "]"
