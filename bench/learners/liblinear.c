//go:build ignore

// LIBLINEAR as a peer of bench/learners: it loads arrays that numpy.save wrote,
// then trains once for every line on standard input and answers with the seconds
// that train() took and the primal objective it reached.
//
//	liblinear dense  ROWS COLS SOLVER EPS y.npy x.npy
//	liblinear sparse ROWS COLS SOLVER EPS y.npy data.npy indices.npy indptr.npy
//
// y holds float64, x and data float32, indices int32 and indptr int64. SOLVER is
// LIBLINEAR's number: 1 for the dual and 2 for the primal of the squared hinge,
// 3 for the dual of the hinge.

#include <linear.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fail(const char *what) {
	fprintf(stderr, "liblinear: %s\n", what);
	exit(1);
}

static void *grab(size_t bytes) {
	void *p = malloc(bytes ? bytes : 1);
	if (!p)
		fail("out of memory");
	return p;
}

// begin opens an array and stands at its first value.
static FILE *begin(const char *path) {
	unsigned char head[12];
	FILE *f = fopen(path, "rb");
	if (!f || fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY", 6))
		fail(path);
	long length = head[8] + 256L * head[9], start = 10;
	if (head[6] > 1) { // versions 2 and 3 have four bytes of length
		if (fread(head + 10, 1, 2, f) != 2)
			fail(path);
		length += 65536L * head[10] + 16777216L * head[11];
		start = 12;
	}
	if (fseek(f, start + length, SEEK_SET))
		fail(path);
	return f;
}

static void take(FILE *f, void *to, size_t size, size_t count) {
	if (fread(to, size, count, f) != count)
		fail("an array is too short");
}

static void *whole(const char *path, size_t size, size_t count) {
	FILE *f = begin(path);
	void *to = grab(size * count);
	take(f, to, size, count);
	fclose(f);
	return to;
}

static void dense(struct problem *p, char **path) {
	size_t cols = p->n;
	struct feature_node *node = grab(p->l * (cols + 1) * sizeof *node);
	float *row = grab(cols * sizeof *row);
	FILE *f = begin(path[1]);
	for (int i = 0; i < p->l; i++) {
		take(f, row, sizeof *row, cols);
		p->x[i] = node;
		for (size_t j = 0; j < cols; j++, node++) {
			node->index = j + 1;
			node->value = row[j];
		}
		(node++)->index = -1;
	}
	fclose(f);
	free(row);
}

static void sparse(struct problem *p, char **path) {
	int64_t *ptr = whole(path[3], sizeof *ptr, p->l + 1);
	size_t stored = ptr[p->l];
	int32_t *index = whole(path[2], sizeof *index, stored);
	float *value = whole(path[1], sizeof *value, stored);
	struct feature_node *node = grab((stored + p->l) * sizeof *node);
	for (int i = 0; i < p->l; i++) {
		p->x[i] = node;
		for (int64_t k = ptr[i]; k < ptr[i + 1]; k++, node++) {
			node->index = index[k] + 1;
			node->value = value[k];
		}
		(node++)->index = -1;
	}
	free(ptr);
	free(index);
	free(value);
}

// objective returns |w|²/2 + C Σ ℓ with ℓ = max(0, 1 - y(w·x)), or its square.
static double objective(const struct problem *p, const struct model *m, const struct parameter *how) {
	double sum = 0, norm = 0;
	for (int j = 0; j < m->nr_feature; j++)
		norm += m->w[j] * m->w[j];
	for (int i = 0; i < p->l; i++) {
		double score = 0;
		for (const struct feature_node *x = p->x[i]; x->index != -1; x++)
			score += m->w[x->index - 1] * x->value;
		double slack = 1 - p->y[i] * score * m->label[0]; // w is for the first label
		if (slack > 0)
			sum += how->solver_type == L2R_L1LOSS_SVC_DUAL ? slack : slack * slack;
	}
	return norm / 2 + how->C * sum;
}

static void silent(const char *text) {
	(void)text;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
	if (argc < 8)
		fail("arguments are missing");
	struct problem p = {.l = atoi(argv[2]), .n = atoi(argv[3]), .bias = -1};
	struct parameter how = {.solver_type = atoi(argv[4]), .eps = atof(argv[5]), .C = 1};
	char **path = argv + 6;
	p.y = whole(path[0], sizeof *p.y, p.l);
	p.x = grab(p.l * sizeof *p.x);
	if (!strcmp(argv[1], "dense"))
		dense(&p, path);
	else if (argc == 10)
		sparse(&p, path);
	else
		fail("arguments are missing");
	set_print_string_function(silent);
	if (check_parameter(&p, &how))
		fail(check_parameter(&p, &how));

	char line[4096];
	while (fgets(line, sizeof line, stdin)) {
		if (strstr(line, "\"hello\"")) {
			printf("{\"seconds\": 0}\n");
		} else {
			double begun = now();
			struct model *m = train(&p, &how);
			double seconds = now() - begun;
			printf("{\"seconds\": %.6f, \"result\": {\"value\": %.17g}}\n", seconds, objective(&p, m, &how));
			free_and_destroy_model(&m);
		}
		fflush(stdout);
	}
	return 0;
}
