/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What users write: times, numbers, lists and names, right and wrong.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "user/options.h"
#include "user/parse.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void times(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t ns;
	} cases[] = {
		{"0", 0, 0},
		{"500ms", 0, 500000000},
		{"10s", 0, 10000000000},
		{"10", 0, 10000000000},
		{"5m", 0, 300000000000},
		{"1h", 0, 3600000000000},
		{"250us", 0, 250000},
		{"100ns", 0, 100},
		{"1.5s", 0, 1500000000},
		{"1.5", 0, 1500000000},
		{".5ms", 0, 500000},
		{"5.", 0, 5000000000},
		{"0.1h", 0, 360000000000},
		{"0.123456789", 0, 123456789},
		{"1.1234567899", 0, 1123456789},
		{"1.99ns", 0, 1},
		{"0.99999999999999999999999999999", 0, 999999999},
		{"18446744073.709551615", 0, UINT64_MAX},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.709551616", -EINVAL, 0},
		{"18446744073709551616ns", -EINVAL, 0},
		{"99999999999999999999999", -EINVAL, 0},
		{"6000000h", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{".", -EINVAL, 0},
		{".s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"+1s", -EINVAL, 0},
		{" 1s", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1sec", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1,5s", -EINVAL, 0},
		{"1.5.5", -EINVAL, 0},
		{"nan", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		uint64_t ns = 0;
		int ret = cs_parse_time(cases[i].text, &ns, &error);

		if (ret != cases[i].ret || ns != cases[i].ns || !!ret != !!error.text[0])
			fail_msg("'%s': %d %llu '%s'", cases[i].text, ret,
				 (unsigned long long)ns, error.text);
	}
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t min, max;
		int ret;
		int64_t value;
	} cases[] = {
		{"5", 0, 10, 0, 5},
		{"0", 0, 10, 0, 0},
		{"10", 0, 10, 0, 10},
		{"-1", -1, 10, 0, -1},
		{"007", 0, 10, 0, 7},
		{"9223372036854775807", 0, INT64_MAX, 0, INT64_MAX},
		{"-9223372036854775808", INT64_MIN, 0, 0, INT64_MIN},
		{"9223372036854775808", 0, INT64_MAX, -EINVAL, 0},
		{"11", 0, 10, -EINVAL, 0},
		{"-1", 0, 10, -EINVAL, 0},
		{"", 0, 10, -EINVAL, 0},
		{"-", -5, 10, -EINVAL, 0},
		{"abc", 0, 10, -EINVAL, 0},
		{"5x", 0, 10, -EINVAL, 0},
		{" 5", 0, 10, -EINVAL, 0},
		{"+5", 0, 10, -EINVAL, 0},
		{"5.0", 0, 10, -EINVAL, 0},
		{"--5", -10, 10, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		int64_t value = 0;
		int ret = cs_parse_number(cases[i].text, cases[i].min, cases[i].max,
					  "thing", &value, &error);

		if (ret != cases[i].ret || value != cases[i].value ||
		    !!ret != !strncmp(error.text, "thing ", 6))
			fail_msg("'%s': %d %lld '%s'", cases[i].text, ret,
				 (long long)value, error.text);
	}
}

static void lists(void **state)
{
	static const struct {
		const char *text;
		uint32_t count; /* 0: wrong */
		struct cs_range last;
	} cases[] = {
		{"0", 1, {0, 0}},
		{"0-3,7", 2, {7, 7}},
		{"7,0-3", 2, {0, 3}},
		{"-1", 1, {-1, -1}},
		{"-1-5", 1, {-1, 5}},
		{"1,1,1", 3, {1, 1}},
		{"100", 1, {100, 100}},
		{"", 0, {0, 0}},
		{",", 0, {0, 0}},
		{"1,", 0, {0, 0}},
		{",1", 0, {0, 0}},
		{"1,,2", 0, {0, 0}},
		{"3-1", 0, {0, 0}},
		{"1-", 0, {0, 0}},
		{"-", 0, {0, 0}},
		{"1-2-3", 0, {0, 0}},
		{"101", 0, {0, 0}},
		{"1-101", 0, {0, 0}},
		{"-2", 0, {0, 0}},
		{"abc", 0, {0, 0}},
		{"1 ,2", 0, {0, 0}},
		{"1;2", 0, {0, 0}},
		{"99999999999999999999", 0, {0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		struct cs_ranges ranges;
		int ret = cs_parse_list(cases[i].text, -1, 100, "thing", &ranges, &error);

		if (!ret != !!cases[i].count || ranges.count != cases[i].count ||
		    !!ret != !strncmp(error.text, "thing ", 6))
			fail_msg("'%s': %d %u '%s'", cases[i].text, ret, ranges.count,
				 error.text);
		if (!ret) {
			struct cs_range *last = &ranges.ranges[ranges.count - 1];

			assert_int_equal(last->first, cases[i].last.first);
			assert_int_equal(last->last, cases[i].last.last);
		}
		cs_ranges_free(&ranges);
	}
}

static void names(void **state)
{
	static const struct {
		const char *text;
		uint32_t count; /* 0: wrong */
		const char *last;
	} cases[] = {
		{"a", 1, "a"},	   {"latency,switches", 2, "switches"},
		{"a,b,c", 3, "c"}, {"", 0, NULL},
		{"a,", 0, NULL},   {",a", 0, NULL},
		{"a,,b", 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		uint32_t count;
		char **list;
		int ret = cs_parse_names(cases[i].text, "thing", &list, &count, &error);

		if (!ret != !!cases[i].count || (!ret && count != cases[i].count) ||
		    !!ret != !!error.text[0])
			fail_msg("'%s': %d %u '%s'", cases[i].text, ret, count,
				 error.text);
		if (!ret) {
			assert_string_equal(list[count - 1], cases[i].last);
			assert_null(list[count]);
		}
		cs_names_free(list);
	}
}

static void options(void **state)
{
	static const struct option longs[] = {
		{"time", required_argument, NULL, 't'},
		{"quiet", no_argument, NULL, 'q'},
		{"worst", required_argument, NULL, 1000},
		{"worse", no_argument, NULL, 1001},
		{NULL, 0, NULL, 0},
	};
	static const struct {
		const char *words[4];
		int got;
		const char *error;
	} cases[] = {
		{{"-q"}, 'q', ""},
		{{"file", "-q"}, 'q', ""},
		{{"file"}, -1, ""},
		{{"--", "-q"}, -1, ""},
		{{"--time", "5"}, 't', ""},
		{{"--worst=5"}, 1000, ""},
		{{"-t"}, '?', "cmd: option -t (--time) needs an argument"},
		{{"--time"}, '?', "cmd: option --time needs an argument"},
		{{"file", "--worst"}, '?', "cmd: option --worst needs an argument"},
		{{"--quiet=1"}, '?', "cmd: option --quiet takes no argument"},
		{{"-x"}, '?', "cmd: option -x is not known; see: ctxsw help cmd"},
		{{"-xq"}, '?', "cmd: option -x is not known; see: ctxsw help cmd"},
		{{"--what"}, '?', "cmd: option --what is not known; see: ctxsw help cmd"},
		{{"f", "--what=5", "g"},
		 '?',
		 "cmd: option --what is not known; see: ctxsw help cmd"},
		{{"--wors"}, '?', "cmd: option --wors is ambiguous; see: ctxsw help cmd"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		char *argv[6] = {(char *)"cmd"};
		int argc = 1, got;

		for (int j = 0; j < 4 && cases[i].words[j]; j++)
			argv[argc++] = (char *)cases[i].words[j];
		optind = 0;
		got = cs_options_next(argc, argv, ":t:q", longs, &error);
		if (got != cases[i].got || strcmp(error.text, cases[i].error))
			fail_msg("case %zu: %d '%s'", i, got, error.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),   cmocka_unit_test(numbers),
		cmocka_unit_test(lists),   cmocka_unit_test(names),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
