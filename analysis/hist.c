/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram: values below 64 have a bucket each, then 64 buckets for each
 * octave. The middle of a bucket is within 1/128 of every value in it.
 */
#include "analysis/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS 6
#define SUB	 (1u << SUB_BITS)

/* Octave 0 holds 0 to 63; octave k holds [2^(k+5), 2^(k+6)). */
static unsigned int octave_of(uint64_t ns)
{
	return ns < SUB ? 0 : 64 - SUB_BITS - (unsigned int)__builtin_clzll(ns);
}

static unsigned int slot_of(uint64_t ns, unsigned int octave)
{
	return (octave ? ns >> (octave - 1) : ns) & (SUB - 1);
}

static uint64_t middle_of(unsigned int octave, unsigned int slot)
{
	if (!octave)
		return slot;
	return ((uint64_t)(slot | SUB) << (octave - 1)) +
	       ((uint64_t)1 << (octave - 1)) / 2;
}

/* Octave k >= 1 has its top bit at k + 5, so the slot is the 6 bits below it. */

static int make_room(struct cs_hist *hist, unsigned int octave)
{
	unsigned int first = octave, last = octave;
	uint32_t *buckets;

	if (hist->octaves) {
		unsigned int end = hist->lowest + hist->octaves - 1u;

		if (octave >= hist->lowest && octave <= end)
			return 0;
		first = octave < hist->lowest ? octave : hist->lowest;
		last = octave > end ? octave : end;
	}
	buckets = calloc((size_t)(last - first + 1) * SUB, sizeof(*buckets));
	if (!buckets)
		return -1;
	if (hist->octaves)
		memcpy(buckets + (size_t)(hist->lowest - first) * SUB, hist->buckets,
		       (size_t)hist->octaves * SUB * sizeof(*buckets));
	free(hist->buckets);
	hist->buckets = buckets;
	hist->lowest = first;
	hist->octaves = last - first + 1;
	return 0;
}

static void count_in(struct cs_hist *hist, size_t bucket, uint32_t count)
{
	if (__builtin_add_overflow(hist->buckets[bucket], count, &hist->buckets[bucket]))
		hist->incomplete = 1;
}

static void settle(struct cs_hist *hist)
{
	if (hist->pending)
		count_in(hist, hist->pending - 1, 1);
	hist->pending = 0;
}

static void fill(struct cs_hist *hist, uint64_t ns, uint32_t count)
{
	unsigned int octave = octave_of(ns);

	settle(hist);
	if (make_room(hist, octave))
		hist->incomplete = 1;
	else
		count_in(hist, (octave - hist->lowest) * SUB + slot_of(ns, octave),
			 count);
}

static void add_to_bucket(struct cs_hist *hist, uint64_t ns)
{
	unsigned int octave = octave_of(ns);
	uint32_t bucket = (octave - hist->lowest) * SUB + slot_of(ns, octave);

	if (octave - hist->lowest >= hist->octaves) {
		fill(hist, ns, 1);
		return;
	}
	settle(hist);
	hist->pending = bucket + 1;
	__builtin_prefetch(&hist->buckets[bucket], 1);
}

/* From the third sample on the first two have buckets as well. */
static void open_buckets(struct cs_hist *hist)
{
	fill(hist, hist->min, 1);
	if (hist->count == 2)
		fill(hist, hist->max, 1);
}

void cs_hist_add(struct cs_hist *hist, uint64_t ns)
{
	if (__builtin_add_overflow(hist->squares, (unsigned __int128)ns * ns,
				   &hist->squares))
		hist->overflow = 1;
	hist->sum += ns;
	if (hist->count == 2)
		open_buckets(hist);
	if (hist->count >= 2)
		add_to_bucket(hist, ns);
	if (!hist->count || ns < hist->min)
		hist->min = ns;
	if (!hist->count || ns > hist->max)
		hist->max = ns;
	hist->count++;
}

static void merge_buckets(struct cs_hist *hist, const struct cs_hist *from)
{
	for (size_t i = 0; i < (size_t)from->octaves * SUB; i++) {
		uint32_t count = from->buckets[i];

		if (from->pending && i == from->pending - 1 &&
		    __builtin_add_overflow(count, 1, &count))
			hist->incomplete = 1;
		if (count)
			fill(hist,
			     middle_of(from->lowest + (unsigned int)(i / SUB), i % SUB),
			     count);
	}
}

void cs_hist_merge(struct cs_hist *hist, const struct cs_hist *from)
{
	if (!from->count)
		return;
	if (from->count <= 2) {
		cs_hist_add(hist, from->min);
		if (from->count == 2)
			cs_hist_add(hist, from->max);
		return;
	}
	if (hist->count && hist->count <= 2)
		open_buckets(hist);
	merge_buckets(hist, from);
	if (!hist->count || from->min < hist->min)
		hist->min = from->min;
	if (!hist->count || from->max > hist->max)
		hist->max = from->max;
	hist->count += from->count;
	hist->sum += from->sum;
	if (__builtin_add_overflow(hist->squares, from->squares, &hist->squares))
		hist->overflow = 1;
	hist->overflow |= from->overflow;
	hist->incomplete |= from->incomplete;
}

static uint64_t less(uint64_t sample, uint64_t ns)
{
	return sample > ns ? sample - ns : 0;
}

void cs_hist_less(struct cs_hist *hist, const struct cs_hist *from, uint64_t ns)
{
	unsigned __int128 n = from->count;

	if (from->count <= 2) {
		if (from->count)
			cs_hist_add(hist, less(from->min, ns));
		if (from->count == 2)
			cs_hist_add(hist, less(from->max, ns));
		return;
	}
	for (size_t i = 0; i < (size_t)from->octaves * SUB; i++) {
		uint64_t sample =
			less(middle_of(from->lowest + (unsigned int)(i / SUB), i % SUB),
			     ns);
		uint32_t count = from->buckets[i];

		if (from->pending && i == from->pending - 1 &&
		    __builtin_add_overflow(count, 1, &count))
			hist->incomplete = 1;
		if (!count)
			continue;
		fill(hist, sample, count);
		hist->sum += (unsigned __int128)sample * count;
		hist->squares += (unsigned __int128)sample * sample * count;
	}
	hist->count = from->count;
	hist->min = less(from->min, ns);
	hist->max = less(from->max, ns);
	if (from->min >= ns) {
		/* wraps modulo 2^128 in between, but the result is in range */
		hist->sum = from->sum - n * ns;
		hist->squares = from->squares - 2 * from->sum * ns + n * ns * ns;
	}
	hist->overflow = from->overflow;
	hist->incomplete |= from->incomplete;
}

/* A statistic is signed; a duration beyond 292 years is a fault of the trace. */
static int64_t clamp(uint64_t ns)
{
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

int64_t cs_hist_quantile(const struct cs_hist *hist, uint64_t num, uint64_t den)
{
	unsigned __int128 product = (unsigned __int128)hist->count * num;
	uint64_t rank = (uint64_t)((product + den - 1) / den);
	uint64_t below = 0;

	if (!hist->count || hist->incomplete)
		return CS_STAT_NONE;
	if (rank <= 1)
		return clamp(hist->min);
	if (rank >= hist->count)
		return clamp(hist->max);
	for (size_t i = 0; i < (size_t)hist->octaves * SUB; i++) {
		below += hist->buckets[i] + (i + 1 == hist->pending);
		if (below >= rank) {
			uint64_t ns = middle_of(hist->lowest + i / SUB, i % SUB);

			if (ns < hist->min)
				ns = hist->min;
			return clamp(ns > hist->max ? hist->max : ns);
		}
	}
	return clamp(hist->max);
}

/*
 * The population's standard deviation. With q = floor(sum / n) and r the rest,
 * the sum of (x - q)^2 is squares - 2 q sum + n q^2, exact in integers; the
 * mean is q + r/n, so the variance is that sum / n - (r/n)^2.
 */
static int64_t stddev_of(const struct cs_hist *hist)
{
	unsigned __int128 n = hist->count, q = hist->sum / n, r = hist->sum % n;
	unsigned __int128 deviations;
	long double rest, variance;

	if (hist->overflow)
		return CS_STAT_NONE;
	/* wraps modulo 2^128 in between, but the result is in range */
	deviations = hist->squares - 2 * q * hist->sum + n * q * q;
	rest = (long double)r / (long double)n;
	variance = (long double)deviations / (long double)n - rest * rest;
	return variance > 0 ? llroundl(sqrtl(variance)) : 0;
}

void cs_hist_stat(const struct cs_hist *hist, struct cs_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->count = hist->count;
	if (!hist->count) {
		stat->min_ns = stat->mean_ns = stat->max_ns = stat->stddev_ns =
			CS_STAT_NONE;
	} else {
		stat->min_ns = clamp(hist->min);
		stat->max_ns = clamp(hist->max);
		stat->mean_ns =
			clamp((uint64_t)((hist->sum + hist->count / 2) / hist->count));
		stat->stddev_ns = stddev_of(hist);
	}
	stat->p50_ns = cs_hist_quantile(hist, 50, 100);
	stat->p90_ns = cs_hist_quantile(hist, 90, 100);
	stat->p99_ns = cs_hist_quantile(hist, 99, 100);
	stat->p99_9_ns = cs_hist_quantile(hist, 999, 1000);
	stat->p99_99_ns = cs_hist_quantile(hist, 9999, 10000);
}

void cs_hist_fini(struct cs_hist *hist)
{
	free(hist->buckets);
	memset(hist, 0, sizeof(*hist));
}
