/* Streams, a chain of loads and random updates in C, beside which Plimsoll's are held: memory_pairs.py compiles and runs it.
 *
 * memory_reference WORK BYTES SECONDS CPU
 *
 * WORK is copy-ordinary, copy-non-temporal, triad-ordinary, triad-non-temporal, update, chase-small or chase-huge. BYTES are
 * those of each array, or of the working set. It prints JSON: mb_per_s by the median of all passes, updates_per_s, or latency_ns.
 */
#define _GNU_SOURCE
#include <immintrin.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PASSES_MAX = 1 << 20, BLOCK = 1 << 14, LINE = 8, PAGE = 2 << 20, WARM_STEPS_MAX = 1 << 22 };

static double now_s(void)
{
	struct timespec at;
	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec + 1e-9 * at.tv_nsec;
}

static void *memory(size_t bytes, int huge)
{
	size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
	char *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED) {
		perror("mmap");
		exit(4);
	}
	madvise(start, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(start, 0, whole);
	return start;
}

static double *doubles(size_t many, double value)
{
	double *made = memory(many * sizeof *made, 0);
	for (size_t i = 0; i < many; i++)
		made[i] = value;
	return made;
}

static void copy(double *restrict to, const double *restrict one, size_t many)
{
	for (size_t i = 0; i < many; i++)
		to[i] = one[i];
}

static void triad(double *restrict to, const double *restrict one, const double *restrict other, size_t many)
{
	for (size_t i = 0; i < many; i++)
		to[i] = one[i] + 3.0 * other[i];
}

static void copy_past(double *restrict to, const double *restrict one, size_t many)
{
	for (size_t i = 0; i < many; i += 4)
		_mm256_stream_pd(to + i, _mm256_load_pd(one + i));
	_mm_sfence();
}

static void triad_past(double *restrict to, const double *restrict one, const double *restrict other, size_t many)
{
	const __m256d factor = _mm256_set1_pd(3.0);
	for (size_t i = 0; i < many; i += 4) {
		__m256d scaled = _mm256_mul_pd(_mm256_load_pd(other + i), factor);
		_mm256_stream_pd(to + i, _mm256_add_pd(_mm256_load_pd(one + i), scaled));
	}
	_mm_sfence();
}

static int by_size(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

static double median(double *values, size_t many)
{
	qsort(values, many, sizeof *values, by_size);
	return many % 2 ? values[many / 2] : (values[many / 2 - 1] + values[many / 2]) / 2;
}

static void stream(const char *work, size_t bytes, double seconds)
{
	static double passes[PASSES_MAX];
	size_t many = bytes / sizeof(double) / 16 * 16, made = 0;
	double *a = doubles(many, 1.0), *b = doubles(many, 2.0), *c = doubles(many, 0.5);
	int is_copy = !strncmp(work, "copy", 4), is_past = strstr(work, "non-temporal") != NULL;
	double start = 0;
	for (int warm = 1; warm || made < 2 || now_s() - start < seconds; warm = 0) {
		double before = now_s();
		if (is_copy)
			is_past ? copy_past(c, a, many) : copy(c, a, many);
		else
			is_past ? triad_past(a, b, c, many) : triad(a, b, c, many);
		if (warm)
			start = now_s();
		else if (made < PASSES_MAX)
			passes[made++] = now_s() - before;
	}
	printf("{\"mb_per_s\": %.6f}\n", (is_copy ? 2 : 3) * many * sizeof(double) / median(passes, made) / 1e6);
}

static uint64_t state = 88172645463325252u;

static inline size_t below(size_t most)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((unsigned __int128)(state * 0x2545F4914F6CDD1Du) * most) >> 64;
}

static void update(size_t bytes, double seconds)
{
	size_t lines = bytes / 64;
	uint64_t *words = memory(bytes, 0), made = 0;
	double start = now_s();
	while (!made || now_s() - start < seconds) {
		for (int i = 0; i < BLOCK; i++)
			words[below(lines) * LINE]++;
		made += BLOCK;
	}
	printf("{\"updates_per_s\": %.6f}\n", made / (now_s() - start));
}

static void link_all(uint64_t *words, size_t lines)
{
	for (size_t line = 0; line < lines; line++)
		words[line * LINE] = line * LINE;
	for (size_t line = lines - 1; line > 0; line--) {
		size_t other = below(line) * LINE;
		uint64_t kept = words[line * LINE];
		words[line * LINE] = words[other];
		words[other] = kept;
	}
}

static size_t steps(const uint64_t *words, size_t at, size_t many)
{
	while (many--)
		at = words[at];
	return at;
}

static void chase(size_t bytes, double seconds, int huge)
{
	size_t lines = bytes / 64, made = 0;
	uint64_t *words = memory(bytes, huge);
	link_all(words, lines);
	size_t at = steps(words, 0, lines < WARM_STEPS_MAX ? lines : WARM_STEPS_MAX);
	double start = now_s();
	for (; !made || now_s() - start < seconds; made += BLOCK)
		at = steps(words, at, BLOCK);
	double elapsed = now_s() - start;
	printf("{\"latency_ns\": %.6f, \"at\": %zu}\n", 1e9 * elapsed / made, at);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: %s WORK BYTES SECONDS CPU\n", argv[0]);
		return 2;
	}
	size_t bytes = strtoull(argv[2], NULL, 10);
	double seconds = atof(argv[3]);
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[4]), &set);
	if (sched_setaffinity(0, sizeof set, &set)) {
		perror("sched_setaffinity");
		return 4;
	}
	if (!strcmp(argv[1], "update"))
		update(bytes, seconds);
	else if (!strncmp(argv[1], "chase", 5))
		chase(bytes, seconds, !strcmp(argv[1], "chase-huge"));
	else
		stream(argv[1], bytes, seconds);
	return 0;
}
