#!/bin/sh
# The linear kernel on vectors for kerf: --kernel 'exec:sh kernel.sh'.
#
# Each line read is a JSON array of pairs of vectors, such as [[[1,2],[3,4]]]; the
# line written has one number for each pair, such as [11]. One awk a line is slow,
# but shows all there is to it.
while IFS= read -r line; do
	printf '%s\n' "$line" | awk '{
		gsub(/^\[\[\[|\]\]\]$/, "")
		n = split($0, pair, /\]\],\[\[/)
		for (i = 1; i <= n; i++) {
			split(pair[i], side, /\],\[/)
			nx = split(side[1], x, ",")
			ny = split(side[2], y, ",")
			sum = 0
			for (j = 1; j <= nx && j <= ny; j++) sum += x[j] * y[j]
			printf "%s%.17g", (i > 1 ? "," : "["), sum
		}
		print "]"
	}'
done
