#!/usr/bin/env bash
# How work spreads over the cores: bench/cores/run.sh KERF DATA [WORKERS...]. KERF is the program, DATA the folder
# with the public data sets, and the workers are 1, 2, 4, ... up to all cores unless given. Each work runs RUNS times (3)
# with each number of workers, which take turns. What counts is the time of the whole program, reading and testing
# included; it must come to the same test error with any number of workers. Writes a table to standard output, and every
# run as JSON, one a line, to the file that JSON names, with the seconds of the training alone beside those of the whole;
# ONLY takes the works whose names have it. It needs bash, awk and gzip.
set -eu
kerf=$(realpath "${1:?the program kerf}") data=$(realpath "${2:?the folder of data}")
shift 2
runs=${RUNS:-3}
cores=$(nproc 2>/dev/null || sysctl -n hw.ncpu)
if [ $# -eq 0 ]; then
	for ((w = 1; w < cores; w *= 2)); do set -- "$@" "$w"; done
	set -- "$@" "$cores"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
log=${JSON:-$dir/runs}
: > "$log"

# Clusters with wrong labels for as many support vectors as rows allow: 80,000 rows of 20 coordinates.
awk -v rows=100000 '
function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.28318530717959 * rand()) }
BEGIN {
	srand(1)
	for (c = 0; c < 20; c++) for (j = 0; j < 20; j++) centre[c, j] = 0.9 * normal()
	for (i = 0; i < rows; i++) {
		c = int(20 * rand()); y = c < 10 ? 1 : -1
		if (rand() < 0.1) y = -y
		line = y
		for (j = 0; j < 20; j++) line = line sprintf(" %d:%.5f", j + 1, centre[c, j] + normal())
		print line
	}
}' > "$dir/all"
head -n 80000 "$dir/all" > "$dir/clusters.libsvm"
tail -n 20000 "$dir/all" > "$dir/clusters.t.libsvm"
gzip -cd "$data/kin40k.csv.gz" > "$dir/kin40k.csv"

# The name of each work, and the arguments of the program.
works=(
	"mnist, F2 of 2,000 landmarks|train $data/mnist-train-images.idx.gz --test $data/mnist-test-images.idx.gz \
		--precision float32 --kernel rbf(gamma=3.8e-7) --map f2 --dim 2000 --learner svm --C 10 --tolerance 0.01"
	"C-SVC, ijcnn1|train $data/ijcnn1.libsvm.gz --test $data/ijcnn1.t.libsvm.gz \
		--kernel rbf(gamma=2) --learner kernel-svm --C 32"
	"C-SVC, clusters of 80,000 rows|train $dir/clusters.libsvm --test $dir/clusters.t.libsvm \
		--kernel rbf(gamma=0.05) --learner kernel-svm --C 1"
	"Falkon, kin40k, 4,000 landmarks|train $dir/kin40k.csv --holdout 0.1 --precision float32 \
		--kernel rbf(gamma=0.2) --learner falkon(dim=4000) --lambda 1e-7"
)
for ((r = 0; r < runs; r++)); do
	for k in "${!works[@]}"; do
		IFS='|' read -r name args <<< "${works[k]}"
		[[ $name == *"${ONLY:-}"* ]] || continue
		for w in "$@"; do
			read -ra list <<< "$args"
			begun=$(date +%s.%N)
			if ! "$kerf" "${list[@]}" --quiet --json --workers "$w" > "$dir/out" 2> "$dir/fault"; then
				echo "$name: $(head -1 "$dir/fault")" >&2
				continue
			fi
			awk -v name="$name" -v w="$w" -v begun="$begun" -v ended="$(date +%s.%N)" '
				function field(key,   n) {
					n = length(key) + 3
					return match($0, "\"" key "\": *[-+.0-9e]+") ? substr($0, RSTART + n, RLENGTH - n) + 0 : ""
				}
				{ all = all $0 }
				END {
					$0 = all; train = field("seconds")
					sub(/.*"test":/, ""); value = field("error"); if (value == "") value = field("rmse")
					printf "{\"work\": \"%s\", \"workers\": %d, \"seconds\": %.4f, ", name, w, train
					printf "\"whole\": %.4f, \"value\": %.9g}\n", ended - begun, value
				}' "$dir/out" >> "$log"
		done
	done
done

awk -v order="$*" '
	{
		split($0, part, "\""); name = part[4]
		match($0, /"workers": [0-9]+/); w = substr($0, RSTART + 11, RLENGTH - 11)
		match($0, /"whole": [0-9.]+/); s = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, /"value": [-+.0-9e]+/); v = substr($0, RSTART + 9, RLENGTH - 9)
		if (!(name in seen)) { seen[name] = ++names; called[names] = name; value[name] = v }
		if (v != value[name]) differs[name] = 1
		n = ++count[name, w]; time[name, w, n] = s
	}
	function median(name, w,   n, i, j, t, v) {
		n = count[name, w]
		for (i = 1; i <= n; i++) v[i] = time[name, w, i]
		for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
		return n == 0 ? 0 : n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	END {
		workers = split(order, list, " ")
		printf "| work, whole program |"
		for (i = 1; i <= workers; i++) printf " %s |", list[i]
		print " times | test |"
		printf "|---|"
		for (i = 1; i <= workers; i++) printf "---|"
		print "---|---|"
		for (k = 1; k <= names; k++) {
			printf "| %s |", called[k]
			for (i = 1; i <= workers; i++) printf " %.2f |", median(called[k], list[i])
			last = median(called[k], list[workers])
			printf " %.1f |", last ? median(called[k], list[1]) / last : 0
			printf " %.5g%s |\n", value[called[k]], called[k] in differs ? " and others" : ""
		}
	}' "$log"
