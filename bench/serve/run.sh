#!/bin/sh
# Measures kerf serve beside FastAPI, uvicorn and scikit-learn with the same data, map size
# and bodies: F2 of 500 landmarks on a9a, one row a request from 64 connections, in turns;
# then 1,000 rows a request beside kerf predict on a file; then a soak with a model that
# changes every second.
#
#   A9A=a9a.libsvm.gz PYTHON=venv/bin/python bench/serve/run.sh
#
# It needs wrk, and Python with fastapi, uvicorn and scikit-learn. SECONDS_EACH (8), ROUNDS
# (3) and SOAK (180 seconds; 0 for none) say how long it takes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
each=${SECONDS_EACH:-8} rounds=${ROUNDS:-3} soak=${SOAK:-180} python=${PYTHON:-python3}
dir=$(mktemp -d)
pids=
stop() {
	for p in $pids; do kill "$p" 2>/dev/null || true; done
	rm -rf "$dir"
}
trap stop EXIT
kerf=${KERF:-$dir/kerf}
[ -n "$KERF" ] || (cd "$here/../.." && CGO_ENABLED=0 go build -o "$kerf" ./cmd/kerf)
"$kerf" train "$A9A" --kernel 'rbf(gamma=0.05)' --map f2 --dim 500 --C 1 -o "$dir/a9a.kerf" -q >/dev/null
"$kerf" train "$A9A" --kernel 'rbf(gamma=0.05)' --map f2 --dim 500 --C 2 -o "$dir/other.kerf" -q >/dev/null

# Bodies: one row, and a thousand, as dense lists of 123 numbers.
gzip -dc "$A9A" | head -1000 | awk '
	function row(  i, j, p, v, s) {
		for (j = 1; j <= 123; j++) v[j] = 0
		for (i = 2; i <= NF; i++) { split($i, p, ":"); v[p[1]] = p[2] }
		for (j = 1; j <= 123; j++) s = s (j > 1 ? "," : "") v[j]
		return "[" s "]"
	}
	NR == 1 { print row() > one }
	{ printf("%s%s", (NR > 1 ? "," : "["), row()) > many }
	END { print "]" > many }' one="$dir/one.json" many="$dir/many.json"
for name in one many; do
	cat >"$dir/$name.lua" <<LUA
local f = io.open("$dir/$name.json"); wrk.method = "POST"; wrk.body = f:read("*a"); f:close()
wrk.headers["Content-Type"] = "application/json"
done = function(s, l, r)
	io.write(string.format("%.0f requests/s, p50 %.2f ms, p99 %.2f ms, %d errors\n", s.requests / s.duration * 1e6,
		l:percentile(50) / 1e3, l:percentile(99) / 1e3,
		s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout))
end
LUA
done
"$kerf" serve "$dir/a9a.kerf" --listen 127.0.0.1:18080 --grpc off --watch --log off >/dev/null &
pids="$pids $!"
service=$!
(cd "$here" && A9A=$A9A OPENBLAS_NUM_THREADS=${BLAS:-2} exec "$python" -m uvicorn app:app --port 18090 --log-level error) &
pids="$pids $!"
until curl -sf -o /dev/null -d @"$dir/one.json" 'http://127.0.0.1:18080/predict?first=1' &&
	curl -sf -o /dev/null -d @"$dir/one.json" http://127.0.0.1:18090/predict; do sleep 1; done
measure() { wrk -t1 -c"$1" -d"$2"s -s "$dir/$3.lua" "$4" | tail -1; }
for round in $(seq "$rounds"); do
	echo "round $round, one row a request, 64 connections"
	printf '  kerf serve  '; measure 64 "$each" one 'http://127.0.0.1:18080/predict?first=1'
	printf '  FastAPI     '; measure 64 "$each" one http://127.0.0.1:18090/predict
done
echo "1,000 rows a request, 4 connections"
for round in $(seq "$rounds"); do
	printf '  kerf serve  '; measure 4 "$each" many 'http://127.0.0.1:18080/predict?first=1'
	printf '  kerf predict  '
	begin=$(date +%s.%N)
	"$kerf" predict "$dir/a9a.kerf" "$A9A" -q -o "$dir/labels"
	awk -v b="$begin" -v e="$(date +%s.%N)" -v n="$(wc -l <"$dir/labels")" \
		'BEGIN { printf "%.0f rows/s from a file, with the start of the program\n", n / (e - b) }'
done
[ "$soak" -gt 0 ] || exit 0
echo "soak, one row a request, 64 connections, the model changes every second"
(
	while sleep 1; do
		cp "$dir/other.kerf" "$dir/next" && mv "$dir/next" "$dir/a9a.kerf"
		sleep 1
		cp "$dir/first.kerf" "$dir/next" 2>/dev/null && mv "$dir/next" "$dir/a9a.kerf"
	done
) 2>/dev/null &
pids="$pids $!"
cp "$dir/a9a.kerf" "$dir/first.kerf"
memory() { awk '/^VmRSS/ { print $2 " KiB resident" }' "/proc/$service/status"; }
for part in 1 2 3; do
	printf '  '; measure 64 "$((soak / 3))" one 'http://127.0.0.1:18080/predict?first=1'
	printf '  '; memory
done
curl -s http://127.0.0.1:18080/metrics | grep -E '^kerf_(reloads|requests)_total'
