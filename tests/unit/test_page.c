/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of the ring buffer, in both byte orders and with both longs: headers, losses,
 * times, padding, and everything that a damaged page can hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/page.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE	 1024

/* The four kinds of machine. */
static const struct machine {
	bool big;
	uint8_t commit_size;
} machines[] = {{false, 8}, {false, 4}, {true, 8}, {true, 4}};

static struct cs_page_layout layout_of(const struct machine *machine)
{
	return (struct cs_page_layout){
		.size = SIZE,
		.commit = 8,
		.commit_size = machine->commit_size,
		.data = 8 + machine->commit_size,
		.big = machine->big,
		.swap = machine->big != CS_HOST_BIG,
	};
}

static void layouts(void **state)
{
#define TS "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	static const struct {
		const char *text;
		int ret;
		uint32_t size, data, commit;
		uint8_t commit_size;
	} cases[] = {
		{TS "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n",
		 0, 4096, 16, 8, 8},
		{TS "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		    "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n",
		 0, 4096, 12, 8, 4},
		/* sub-buffers of 64 KiB; no "signed", no "overwrite": old kernels */
		{TS "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		    "\tfield: char data;\toffset:16;\tsize:65520;\n",
		 0, 65536, 16, 8, 8},
		{"", -EBADMSG, 0, 0, 0, 0},
		{TS, -EBADMSG, 0, 0, 0, 0},
		{TS "\tfield: local_t commit;\toffset:8;\tsize:2;\n"
		    "\tfield: char data;\toffset:16;\tsize:4080;\n",
		 -EBADMSG, 0, 0, 0, 0},
		{TS "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		    "\tfield: char data;\toffset:8;\tsize:4080;\n",
		 -EBADMSG, 0, 0, 0, 0},
		{TS "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		    "\tfield: char data;\toffset:99999999999;\tsize:4080;\n",
		 -EBADMSG, 0, 0, 0, 0},
	};
	char huge[5000];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_page_layout layout = {0};

		assert_int_equal(cs_page_layout_parse(&layout, cases[i].text,
						      strlen(cases[i].text)),
				 cases[i].ret);
		if (cases[i].ret)
			continue;
		assert_int_equal(layout.size, cases[i].size);
		assert_int_equal(layout.data, cases[i].data);
		assert_int_equal(layout.commit, cases[i].commit);
		assert_int_equal(layout.commit_size, cases[i].commit_size);
	}
	memset(huge, ' ', sizeof(huge));
	assert_int_equal(cs_page_layout_parse(&(struct cs_page_layout){0}, huge,
					      sizeof(huge)),
			 -EBADMSG);
#undef TS
}

/* Expects a record: at @ts, of @length bytes beginning with @first. */
static void expect(struct cs_page *page, uint64_t ts, uint32_t length, uint8_t first)
{
	struct cs_record record;

	assert_int_equal(cs_page_next(page, &record), 1);
	assert_int_equal(page->ts, ts);
	assert_int_equal(record.length, length);
	if (length)
		assert_int_equal(record.data[0], first);
}

static void expect_end(struct cs_page *page, int end)
{
	struct cs_record record;

	assert_int_equal(cs_page_next(page, &record), end);
}

/* Lengths in the head word and behind it, deltas short and long. */
static void records(void **state)
{
	static const uint64_t long_delta = (UINT64_C(1) << 40) + 12345;
	uint8_t data[600];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i;
	for (size_t m = 0; m < COUNT(machines); m++) {
		struct cs_page_layout layout = layout_of(&machines[m]);
		struct make_page make;
		struct cs_page page;

		make_page_begin(&make, SIZE, machines[m].commit_size, machines[m].big,
				5000);
		make_page_record(&make, 5000, data + 1, 4);
		make_page_record(&make, 5007, data + 2, 112);
		make_page_record(&make, 5007, data + 3, 113);
		make_page_record(&make, 5007 + 0x7ffffff, data + 4, 8);
		make_page_record(&make, 5007 + long_delta, data + 5, 500);
		make_page_end(&make, 0, 0);

		assert_int_equal(cs_page_begin(&page, &layout, make.bytes, SIZE), 1);
		assert_int_equal(page.lost, -1);
		expect(&page, 5000, 4, 1);
		expect(&page, 5007, 112, 2);
		expect(&page, 5007, 116, 3);
		expect(&page, 5007 + 0x7ffffff, 8, 4);
		expect(&page, 5007 + long_delta, 500, 5);
		expect_end(&page, 0);
		expect_end(&page, 0);
		make_page_free(&make);
	}
}

/* TIME_STAMP has 59 bits; the page's time gives the others, and a carry. */
static void time_stamps(void **state)
{
	static const struct {
		uint64_t page, stamp, want;
	} cases[] = {
		{5000, 777777777777, 777777777777},
		{UINT64_C(3) << 59 | 5000, 777777777777,
		 UINT64_C(3) << 59 | 777777777777},
		/* the 59 bits ran over since the page began: rb_fix_abs_ts() */
		{(UINT64_C(3) << 59) - 10, 4, (UINT64_C(3) << 59) + 4},
		/* without top bits a smaller time is a smaller time */
		{5000, 4000, 4000},
	};
	uint8_t data[8] = {9};

	(void)state;
	for (size_t m = 0; m < COUNT(machines); m++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct cs_page_layout layout = layout_of(&machines[m]);
			struct make_page make;
			struct cs_page page;

			make_page_begin(&make, SIZE, machines[m].commit_size,
					machines[m].big, cases[i].page);
			make_page_head(&make, 31, cases[i].stamp & 0x7ffffff);
			make_page_word(&make, cases[i].stamp >> 27);
			make.ts = cases[i].want;
			make_page_record(&make, cases[i].want, data, 8);
			make_page_record(&make, cases[i].want + 3, data, 8);
			make_page_end(&make, 0, 0);
			assert_int_equal(cs_page_begin(&page, &layout, make.bytes, SIZE),
					 1);
			expect(&page, cases[i].want, 8, 9);
			expect(&page, cases[i].want + 3, 8, 9);
			expect_end(&page, 0);
			make_page_free(&make);
		}
}

/* Discarded records are skipped and their time counts; padding can end a page. */
static void padding(void **state)
{
	uint8_t data[8] = {7};

	(void)state;
	for (size_t m = 0; m < COUNT(machines); m++) {
		struct cs_page_layout layout = layout_of(&machines[m]);
		struct make_page make;
		struct cs_page page;

		make_page_begin(&make, SIZE, machines[m].commit_size, machines[m].big,
				100);
		make_page_record(&make, 110, data, 8);
		make_page_head(&make, 29, 40); /* discarded, 40 ns later */
		make_page_word(&make, 12);
		make_page_word(&make, 0xdead);
		make_page_word(&make, 0xdead);
		make_page_head(&make, 29, 1); /* discarded, 0 ns later: written as 1 */
		make_page_word(&make, 4);
		make.ts = 150;
		make_page_record(&make, 155, data, 8);
		make_page_head(&make, 29, 0); /* the end */
		make_page_word(&make, 0xffffffff);
		make_page_end(&make, 0, 0);
		assert_int_equal(cs_page_begin(&page, &layout, make.bytes, SIZE), 1);
		expect(&page, 110, 8, 7);
		expect(&page, 155, 8, 7);
		expect_end(&page, 0);
		assert_ptr_equal(page.next, page.end);
		make_page_free(&make);
	}
}

/* RB_MISSED_EVENTS and RB_MISSED_STORED of the commit word. */
static void losses(void **state)
{
	static const struct {
		uint32_t flags;
		uint64_t stored;
		int64_t want;
		bool records;
	} cases[] = {
		{0, 0, -1, true},
		{UINT32_C(1) << 31, 0, 0, true},
		{UINT32_C(3) << 30, 4711, 4711, true},
		{UINT32_C(1) << 30, 4711, -1, true}, /* stored but not missed: nothing */
		{UINT32_C(3) << 30, 12, 12, false},
	};
	uint8_t data[8] = {7};

	(void)state;
	for (size_t m = 0; m < COUNT(machines); m++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct cs_page_layout layout = layout_of(&machines[m]);
			struct make_page make;
			struct cs_page page;

			make_page_begin(&make, SIZE, machines[m].commit_size,
					machines[m].big, 100);
			if (cases[i].records)
				make_page_record(&make, 110, data, 8);
			make_page_end(&make, cases[i].flags, cases[i].stored);
			assert_int_equal(cs_page_begin(&page, &layout, make.bytes, SIZE),
					 1);
			assert_int_equal(page.lost, cases[i].want);
			if (cases[i].records)
				expect(&page, 110, 8, 7);
			expect_end(&page, 0);
			make_page_free(&make);
		}

	/* A full page has no room for the number: the flag alone counts. */
	struct cs_page_layout layout = layout_of(&machines[0]);
	uint8_t bytes[SIZE] = {0};
	struct cs_page page;

	make_put64(bytes + 8, UINT64_C(3) << 30 | (SIZE - 16), false);
	assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), 1);
	assert_int_equal(page.lost, 0);
	/* As the kernel writes it: the flag, an int, is extended. */
	make_put64(bytes + 8, UINT64_C(0xffffffffc0000008), false);
	make_put64(bytes + 24, 4497461, false);
	assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), 1);
	assert_int_equal(page.lost, 4497461);
	/* A number that cannot be is none. */
	make_put64(bytes + 8, UINT64_C(3) << 30 | 8, false);
	make_put64(bytes + 24, UINT64_MAX, false);
	assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), 1);
	assert_int_equal(page.lost, 0);
}

static void headers(void **state)
{
	uint8_t bytes[SIZE] = {0};
	struct cs_page page;

	(void)state;
	for (size_t m = 0; m < COUNT(machines); m++) {
		struct cs_page_layout layout = layout_of(&machines[m]);
		uint32_t room = SIZE - layout.data;
		bool wide = machines[m].commit_size == 8;

		memset(bytes, 0, sizeof(bytes));
		/* nothing was written */
		assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), 0);
		make_put64(bytes, 12345, machines[m].big);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), 0);
		/* more than fits */
		if (wide)
			make_put64(bytes + 8, room + 4, machines[m].big);
		else
			make_put32(bytes + 8, room + 4, machines[m].big);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), -EBADMSG);
		/* bits that no kernel sets */
		if (wide) {
			make_put64(bytes + 8, UINT64_C(1) << 40 | 8, machines[m].big);
			assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE),
					 -EBADMSG);
			/* extended, but from no flag */
			make_put64(bytes + 8, UINT64_C(0xffffffff40000008),
				   machines[m].big);
			assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE),
					 -EBADMSG);
		}
		if (wide)
			make_put64(bytes + 8, UINT64_C(1) << 27 | 8, machines[m].big);
		else
			make_put32(bytes + 8, UINT32_C(1) << 27 | 8, machines[m].big);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, SIZE), -EBADMSG);
		/* less of it is there than it says */
		if (wide)
			make_put64(bytes + 8, 512, machines[m].big);
		else
			make_put32(bytes + 8, 512, machines[m].big);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, 512), -EBADMSG);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, layout.data - 1),
				 -EBADMSG);
		assert_int_equal(cs_page_begin(&page, &layout, bytes, 512 + layout.data),
				 1);
	}
}

/* What comes after a good record; -EBADMSG and no byte beyond the page is read. */
static void damaged(void **state)
{
	static const struct {
		uint32_t words[4]; /* type_len, delta, then payload words */
		unsigned int count;
	} cases[] = {
		{{28, 0, 0, 0}, 3},	    /* longer than what is there */
		{{0, 0, 0, 0}, 3},	    /* length 0 does not count itself */
		{{0, 0, 3, 0}, 3},	    /* neither does 3 */
		{{0, 0, 0xffffffff, 0}, 3}, /* rounds up to 0 */
		{{0, 0, 0xfffffffc, 0}, 3},
		{{0, 0, 13, 0}, 4}, /* one byte more than what is there */
		{{0, 0, 0, 0}, 2},  /* no length at all */
		{{30, 1, 0, 0}, 2}, /* a time without its upper half */
		{{31, 1, 0, 0}, 2},
		{{29, 5, 0, 0}, 2}, /* a discarded record without length */
		{{29, 5, 3, 0}, 3},
		{{29, 5, 64, 0}, 3},
		{{1, 5, 0, 0}, 2}, /* a record without its bytes */
	};
	uint8_t data[8] = {7};

	(void)state;
	for (size_t m = 0; m < COUNT(machines); m++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct cs_page_layout layout = layout_of(&machines[m]);
			struct make_page make;
			struct cs_page page;
			uint8_t *exact;

			make_page_begin(&make, SIZE, machines[m].commit_size,
					machines[m].big, 100);
			make_page_record(&make, 110, data, 8);
			make_page_head(&make, cases[i].words[0], cases[i].words[1]);
			for (unsigned int w = 2; w < cases[i].count; w++)
				make_page_word(&make, cases[i].words[w]);
			make_page_end(&make, 0, 0);
			/* In memory that ends with the records: a sanitizer sees more. */
			exact = malloc(layout.data + make.used);
			assert_non_null(exact);
			memcpy(exact, make.bytes, layout.data + make.used);
			assert_int_equal(cs_page_begin(&page, &layout, exact,
						       layout.data + make.used),
					 1);
			expect(&page, 110, 8, 7);
			expect_end(&page, -EBADMSG);
			expect_end(&page, -EBADMSG);
			free(exact);
			make_page_free(&make);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),     cmocka_unit_test(records),
		cmocka_unit_test(time_stamps), cmocka_unit_test(padding),
		cmocka_unit_test(losses),      cmocka_unit_test(headers),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
