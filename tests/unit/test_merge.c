/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lanes and their merge: order, ties, times that go backwards, losses, corrupt pages,
 * CPUs that have nothing, or nothing yet.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/merge.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE	 512

static const struct cs_page_layout layout = {
	.size = SIZE, .data = 16, .commit = 8, .commit_size = 8, .swap = CS_HOST_BIG};

/* What a fake source hands out: a page, or an error. */
struct step {
	int ret;
	struct make_page page;
};

struct fake {
	struct cs_pages pages;
	struct step steps[8];
	unsigned int count;
	unsigned int at;
};

static int fake_next(struct cs_pages *pages, const uint8_t **bytes, size_t *size)
{
	struct fake *fake = (struct fake *)pages;
	struct step *step;

	if (fake->at == fake->count)
		return 0;
	step = &fake->steps[fake->at++];
	*bytes = step->page.bytes;
	*size = SIZE;
	return step->ret;
}

static void fake_where(const struct cs_pages *pages, char *text, size_t size)
{
	snprintf(text, size, "page %u", ((const struct fake *)pages)->at - 1);
}

/* A page with records at these times, ended by 0; the first byte of each is @mark. */
static void add_page(struct fake *fake, uint8_t mark, const uint64_t *times,
		     uint32_t flags, uint64_t lost)
{
	struct step *step = &fake->steps[fake->count++];
	uint8_t data[8] = {mark};

	fake->pages.next = fake_next;
	fake->pages.where = fake_where;
	step->ret = 1;
	make_page_begin(&step->page, SIZE, 8, false, times[0]);
	for (; *times; times++)
		make_page_record(&step->page, *times, data, sizeof(data));
	make_page_end(&step->page, flags, lost);
}

static void add_step(struct fake *fake, int ret)
{
	fake->pages.next = fake_next;
	fake->pages.where = fake_where;
	fake->steps[fake->count++].ret = ret;
}

static void free_fakes(struct fake *fakes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned int s = 0; s < fakes[i].count; s++)
			make_page_free(&fakes[i].steps[s].page);
}

struct item {
	int32_t cpu;
	uint64_t ts;
	int64_t lost; /* -1: a record */
};

/* Merges @count lanes and expects exactly @want. */
static void expect(struct fake *fakes, const int32_t *cpus, size_t count,
		   struct cs_notes *notes, const struct item *want, size_t wanted,
		   int end)
{
	struct cs_lane *lanes = calloc(count, sizeof(*lanes)), *lane;
	struct cs_merge merge;
	int r;

	assert_non_null(lanes);
	assert_int_equal(cs_merge_init(&merge, count), 0);
	for (size_t i = 0; i < count; i++) {
		fakes[i].pages.next = fake_next;
		cs_lane_init(&lanes[i], cpus[i], &layout, &fakes[i].pages, notes);
		assert_int_equal(cs_merge_add(&merge, &lanes[i]), 0);
	}
	for (size_t i = 0; i < wanted; i++) {
		r = cs_merge_next(&merge, &lane);
		if (r != 1 || lane->cpu != want[i].cpu || lane->ts != want[i].ts ||
		    (lane->state == CS_LANE_LOST ? (int64_t)lane->lost : -1) !=
			    want[i].lost)
			fail_msg("item %zu: %d, CPU %d at %llu", i, r,
				 r == 1 ? lane->cpu : -1,
				 r == 1 ? (unsigned long long)lane->ts : 0);
	}
	assert_int_equal(cs_merge_next(&merge, &lane), end);
	assert_int_equal(cs_merge_next(&merge, &lane), end);
	cs_merge_fini(&merge);
	free(lanes);
}

static void order(void **state)
{
	struct fake fakes[4] = {0};
	struct cs_notes notes = {.count = 0};
	static const int32_t cpus[] = {0, 1, 5, 7};
	static const struct item want[] = {
		{5, 5, -1},  {0, 10, -1}, {1, 10, -1}, {1, 11, -1},
		{1, 12, -1}, {0, 13, -1}, {0, 20, -1}, {1, 20, -1},
		{5, 20, -1}, {0, 30, -1}, {0, 40, -1}, {5, 50, -1},
	};

	(void)state;
	add_page(&fakes[0], 0, (uint64_t[]){10, 13, 20, 0}, 0, 0);
	add_page(&fakes[0], 0, (uint64_t[]){30, 40, 0}, 0, 0);
	add_page(&fakes[1], 1, (uint64_t[]){10, 11, 12, 20, 0}, 0, 0);
	add_page(&fakes[2], 2, (uint64_t[]){5, 20, 50, 0}, 0, 0);
	expect(fakes, cpus, 4, &notes, want, COUNT(want), 0);
	assert_int_equal(notes.count, 0);
	free_fakes(fakes, 4);
}

static void nothing(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};

	(void)state;
	expect(fakes, (int32_t[]){0, 3}, 2, &notes, NULL, 0, 0);
	expect(fakes, NULL, 0, &notes, NULL, 0, 0);
}

/* A time that goes backwards on its CPU is delivered as it is, at once. */
static void backwards(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};
	static const struct item want[] = {
		{1, 70, -1}, {0, 100, -1}, {0, 50, -1},
		{0, 60, -1}, {1, 110, -1}, {0, 120, -1},
	};

	(void)state;
	add_page(&fakes[0], 0, (uint64_t[]){100, 0}, 0, 0);
	add_page(&fakes[0], 0, (uint64_t[]){50, 60, 120, 0}, 0, 0);
	add_page(&fakes[1], 1, (uint64_t[]){70, 110, 0}, 0, 0);
	expect(fakes, (int32_t[]){0, 1}, 2, &notes, want, COUNT(want), 0);
	free_fakes(fakes, 2);
}

/* A loss comes before the first record of its page, at that record's time. */
static void losses(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};
	static const struct item want[] = {
		{0, 10, 3}, {0, 10, -1}, {1, 15, -1}, {0, 20, 0},  {0, 20, -1},
		{0, 40, 0}, {0, 40, -1}, {1, 41, 12}, {1, 41, -1}, {1, 41, 5},
	};

	(void)state;
	add_page(&fakes[0], 0, (uint64_t[]){10, 0}, UINT32_C(3) << 30, 3);
	add_page(&fakes[0], 0, (uint64_t[]){20, 0}, UINT32_C(1) << 31, 0);
	/* an empty page with a loss, and one more before the next record */
	add_page(&fakes[0], 0, (uint64_t[]){0}, UINT32_C(1) << 31, 0);
	add_page(&fakes[0], 0, (uint64_t[]){40, 0}, UINT32_C(3) << 30, 7);
	add_page(&fakes[1], 1, (uint64_t[]){15, 0}, 0, 0);
	add_page(&fakes[1], 1, (uint64_t[]){0}, UINT32_C(3) << 30, 4);
	add_page(&fakes[1], 1, (uint64_t[]){41, 0}, UINT32_C(3) << 30, 8);
	/* and one that nothing follows */
	add_page(&fakes[1], 1, (uint64_t[]){0}, UINT32_C(3) << 30, 5);
	expect(fakes, (int32_t[]){0, 1}, 2, &notes, want, COUNT(want), 0);
	assert_int_equal(notes.count, 0);
	free_fakes(fakes, 2);
}

static void corrupt(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};
	static const struct item want[] = {
		{1, 5, 0},   {1, 5, -1}, {0, 10, -1}, {0, 11, -1}, {0, 20, 0},
		{0, 20, -1}, {0, 30, 0}, {0, 30, -1}, {0, 30, 0},
	};

	(void)state;
	/* a good record and then garbage */
	add_page(&fakes[0], 0, (uint64_t[]){10, 11, 0}, 0, 0);
	make_page_head(&fakes[0].steps[0].page, 28, 1);
	make_page_end(&fakes[0].steps[0].page, 0, 0);
	add_page(&fakes[0], 0, (uint64_t[]){20, 0}, 0, 0);
	/* a header that claims too much, a page of zeros, one that cannot be read */
	add_page(&fakes[0], 0, (uint64_t[]){25, 0}, 0, 0);
	make_put64(fakes[0].steps[2].page.bytes + 8, 5000, false);
	add_page(&fakes[0], 0, (uint64_t[]){0}, 0, 0);
	add_page(&fakes[0], 0, (uint64_t[]){30, 0}, 0, 0);
	add_step(&fakes[0], -EBADMSG);
	/* the first page already */
	add_step(&fakes[1], -EBADMSG);
	add_page(&fakes[1], 1, (uint64_t[]){5, 0}, 0, 0);
	expect(fakes, (int32_t[]){0, 1}, 2, &notes, want, COUNT(want), 0);
	assert_int_equal(notes.count, 4);
	assert_string_equal(notes.text[0], "CPU 1: corrupt page 0; its events are lost");
	assert_string_equal(notes.text[1], "CPU 0: corrupt page 0; its events are lost");
	assert_string_equal(notes.text[2], "CPU 0: corrupt page 2; its events are lost");
	assert_string_equal(notes.text[3], "CPU 0: corrupt page 5; its events are lost");
	cs_notes_fini(&notes);
	free_fakes(fakes, 2);
}

/* The caller, or the source, knows that the end is missing. */
static void ends(void **state)
{
	static const struct {
		bool ends_lost, cut;
		uint64_t count;
		int64_t want; /* -2: nothing */
	} cases[] = {{false, false, 0, -2},
		     {true, false, 9, 9},
		     {false, true, 0, 0},
		     {true, true, 9, 0}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int empty = 0; empty < 2; empty++) {
			struct fake fake = {0};
			struct cs_notes notes = {.count = 0};
			struct cs_lane lane;

			fake.pages.next = fake_next;
			fake.pages.cut = cases[i].cut;
			if (!empty)
				add_page(&fake, 0, (uint64_t[]){10, 0}, 0, 0);
			cs_lane_init(&lane, 0, &layout, &fake.pages, &notes);
			lane.ends_lost = cases[i].ends_lost;
			lane.ends_count = cases[i].count;
			assert_int_equal(cs_lane_next(&lane), 0);
			if (!empty) {
				assert_int_equal(lane.state, CS_LANE_RECORD);
				assert_int_equal(cs_lane_next(&lane), 0);
			}
			/* Without a record a loss has no time. */
			if (!empty && cases[i].want >= 0) {
				assert_int_equal(lane.state, CS_LANE_LOST);
				assert_int_equal(lane.ts, 10);
				assert_int_equal(lane.lost, cases[i].want);
				assert_int_equal(cs_lane_next(&lane), 0);
			}
			assert_int_equal(lane.state, CS_LANE_ENDED);
			assert_int_equal(cs_lane_next(&lane), 0);
			assert_int_equal(lane.state, CS_LANE_ENDED);
			free_fakes(&fake, 1);
		}
}

static void source_error(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};
	static const struct item want[] = {{0, 10, -1}, {1, 12, -1}};

	(void)state;
	add_page(&fakes[0], 0, (uint64_t[]){10, 0}, 0, 0);
	add_page(&fakes[1], 1, (uint64_t[]){12, 0}, 0, 0);
	add_step(&fakes[1], -EIO);
	add_step(&fakes[1], -EIO);
	add_step(&fakes[1], -EIO);
	expect(fakes, (int32_t[]){0, 1}, 2, &notes, want, COUNT(want), -EIO);
	free_fakes(fakes, 2);
}

/* A lane that has nothing yet holds the others back, up to what it was asked for. */
static void blocked(void **state)
{
	struct fake fakes[2] = {0};
	struct cs_notes notes = {.count = 0};
	struct cs_lane lanes[2], *lane;
	struct cs_merge merge;

	(void)state;
	add_page(&fakes[0], 0, (uint64_t[]){10, 20, 30, 40, 0}, 0, 0);
	add_step(&fakes[1], -EAGAIN);
	add_step(&fakes[1], -EAGAIN);
	add_page(&fakes[1], 1, (uint64_t[]){25, 26, 0}, 0, 0);
	add_step(&fakes[1], -EAGAIN);
	add_step(&fakes[1], -EAGAIN);
	add_page(&fakes[1], 1, (uint64_t[]){50, 0}, 0, 0);

	assert_int_equal(cs_merge_init(&merge, 2), 0);
	for (int i = 0; i < 2; i++) {
		cs_lane_init(&lanes[i], i, &layout, &fakes[i].pages, &notes);
		assert_int_equal(cs_merge_add(&merge, &lanes[i]), 0);
	}
	/* Nobody has said anything about CPU 1. */
	assert_int_equal(cs_merge_next(&merge, &lane), -EAGAIN);
	assert_int_equal(cs_merge_poll(&merge, 20), 0);
	assert_int_equal(cs_merge_next(&merge, &lane), 1);
	assert_int_equal(lane->ts, 10);
	assert_int_equal(cs_merge_next(&merge, &lane), 1);
	assert_int_equal(lane->ts, 20);
	assert_int_equal(cs_merge_next(&merge, &lane), -EAGAIN);
	assert_int_equal(cs_merge_next(&merge, &lane), -EAGAIN);
	assert_int_equal(cs_merge_poll(&merge, 22), 0);
	for (unsigned int i = 25; i < 27; i++) {
		assert_int_equal(cs_merge_next(&merge, &lane), 1);
		assert_int_equal(lane->cpu, 1);
		assert_int_equal(lane->ts, i);
	}
	/* CPU 1 has run dry; 30 has to wait for it again. */
	assert_int_equal(cs_merge_next(&merge, &lane), -EAGAIN);
	assert_int_equal(cs_merge_poll(&merge, 35), 0);
	assert_int_equal(cs_merge_next(&merge, &lane), 1);
	assert_int_equal(lane->ts, 30);
	/* Asked while its item is out: the page must not be lost. */
	assert_int_equal(cs_merge_poll(&merge, 45), 0);
	assert_int_equal(cs_merge_next(&merge, &lane), 1);
	assert_int_equal(lane->ts, 40);
	assert_int_equal(cs_merge_next(&merge, &lane), 1);
	assert_int_equal(lane->ts, 50);
	assert_int_equal(cs_merge_next(&merge, &lane), 0);
	cs_merge_fini(&merge);
	free_fakes(fakes, 2);
}

static uint64_t random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Many CPUs, random times: against the simplest merge there is. */
static void many(void **state)
{
	enum { CPUS = 67, PAGES = 3, RECORDS = 20 };
	static uint64_t times[CPUS][PAGES * RECORDS + 1];
	struct fake *fakes = calloc(CPUS, sizeof(*fakes));
	struct cs_notes notes = {.count = 0};
	struct item *want = calloc(CPUS * PAGES * RECORDS, sizeof(*want));
	unsigned int at[CPUS] = {0};
	int32_t cpus[CPUS];
	size_t wanted = 0;
	uint64_t seed = 2026;

	(void)state;
	assert_non_null(fakes);
	assert_non_null(want);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		uint64_t ts = 1 + random_of(&seed) % 100;

		cpus[cpu] = cpu * 3;
		for (int page = 0; page < PAGES; page++) {
			uint64_t list[RECORDS + 1] = {0};

			for (int i = 0; i < RECORDS; i++) {
				list[i] = ts;
				times[cpu][page * RECORDS + i] = ts;
				/* long runs and ties */
				ts += random_of(&seed) % 3 ? 0 : random_of(&seed) % 50;
			}
			add_page(&fakes[cpu], cpu, list, 0, 0);
		}
	}
	for (;;) {
		int best = -1;

		for (int cpu = 0; cpu < CPUS; cpu++)
			if (at[cpu] < PAGES * RECORDS &&
			    (best < 0 || times[cpu][at[cpu]] < times[best][at[best]]))
				best = cpu;
		if (best < 0)
			break;
		want[wanted++] = (struct item){cpus[best], times[best][at[best]++], -1};
	}
	expect(fakes, cpus, CPUS, &notes, want, wanted, 0);
	free_fakes(fakes, CPUS);
	free(fakes);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),	cmocka_unit_test(nothing),
		cmocka_unit_test(backwards),	cmocka_unit_test(losses),
		cmocka_unit_test(corrupt),	cmocka_unit_test(ends),
		cmocka_unit_test(source_error), cmocka_unit_test(blocked),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
