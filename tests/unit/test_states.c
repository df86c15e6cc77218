/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Letters of task states out of print formats of many kernels, and what raw values
 * mean under each of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/format_text.h"
#include "user/input/states.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void load(struct cs_states *states, const char *kernel)
{
	static struct cs_format_text text;
	struct make_formats formats;
	struct make_format *format;

	make_formats_load(&formats, kernel);
	format = make_formats_find(&formats, "sched_switch");
	assert_non_null(format);
	assert_int_equal(cs_format_text_parse(&text, format->text, strlen(format->text)),
			 0);
	cs_states_parse(states, text.print, text.print_length);
	make_formats_free(&formats);
}

static void kernels(void **state)
{
	static const struct {
		const char *kernel;
		const char *letters; /* by bit */
		uint32_t plus;
	} cases[] = {
		{"2.6.32", "SDTtZXxKW", 0},	  {"3.10-ppc64", "SDTtZXxKWP", 1024},
		{"4.9-arm", "SDTtZXxKWPN", 2048}, {"4.14", "SDTtXZPI", 256},
		{"6.1", "SDTtXZPI", 256},	  {"6.1-rt", "SDTtXZPI", 256},
		{"6.12", "SDTtXZPI", 256},	  {"6.18", "SDTtXZPI", 256},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_states states;

		load(&states, cases[i].kernel);
		assert_true(states.known);
		assert_string_equal(states.letters, cases[i].letters);
		assert_int_equal(states.plus, cases[i].plus);
		assert_null(cs_states_note(&states));
	}
}

/* Both ways to decode must say the same. */
static void expect(const struct cs_states *states, uint64_t raw, const char *want,
		   uint32_t want_unknown)
{
	char text[CS_STATE_TEXT];
	uint32_t unknown = 77;
	cs_state decoded = cs_states_decode(states, raw, &unknown);
	cs_state quick = cs_states_quick(states, raw);

	assert_string_equal(cs_state_text(decoded, text), want);
	assert_int_equal(unknown, want_unknown);
	if (quick != CS_STATE_UNKNOWN)
		assert_true(quick == decoded);
}

/* The same numbers under formats of different kernels. */
static void raw_values(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t raw;
		const char *want;
		uint32_t unknown;
	} cases[] = {
		{"6.18", 0, "R", 0},
		{"6.18", 1, "S", 0},
		{"6.18", 2, "D", 0},
		{"6.18", 0x80, "I", 0},
		{"4.9-arm", 0x80, "K", 0},
		{"6.18", 0x20, "Z", 0},
		{"4.9-arm", 0x20, "X", 0},
		{"3.10-ppc64", 0x10, "Z", 0},
		{"6.18", 0x100, "R+", 0},
		{"4.9-arm", 0x100, "W", 0},
		{"4.9-arm", 0x800, "R+", 0},
		{"3.10-ppc64", 0x400, "R+", 0},
		{"2.6.32", 0, "R", 0},
		{"6.18", 0x30, "X|Z", 0},
		{"4.9-arm", 0x30, "X|Z", 0},
		{"4.9-arm", 0x82, "D|K", 0},
		{"4.9-arm", 0x102, "D|W", 0},
		{"6.18", 0x101, "S+", 0},
		{"6.18", 0x200, "?", 0x200},
		{"6.18", 0x202, "D|?", 0x200},
		{"6.18", 0x302, "D|?+", 0x200},
		{"6.18", UINT64_C(1) << 40, "?", UINT32_MAX},
		{"2.6.32", 0x200, "?", 0x200},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_states states;

		load(&states, cases[i].kernel);
		expect(&states, cases[i].raw, cases[i].want, cases[i].unknown);
	}
}

/* Ways to write the same thing, and things that are none. */
static void texts(void **state)
{
	static const struct {
		const char *text;
		const char *letters;
		uint32_t plus;
		bool known;
	} cases[] = {
		{"__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" })",
		 "SD", 0, true},
		{"__print_flags(REC->prev_state & (1024-1), \"|\", {0x1,\"S\"} , {0x2 , \"D\"},"
		 "{ 1 << 2, \"T\" }, { (0x4 | 0x4) * 2, \"t\" }), REC->prev_state & 1024 ? \"+\" "
		 ": \"\"",
		 "SDTt", 1024, true},
		{"__print_flags(REC->prev_state, \"|\", { 01, \"S\" }, { 1UL << 1, \"D\" }, "
		 "{ ~(~0x4), \"T\" }), ((REC->prev_state) & ((((0|1)+1) << 3))) ? \"+\" : \"\"",
		 "SDT", 16, true},
		{"__print_flags(REC->prev_state, \"|\", { 3 ^ 2, \"S\" }, { 6 & 3, \"D\" }, "
		 "{ 8 >> 1, \"T\" }, { -(-8), \"t\" }, { +16 % 32, \"Z\" })",
		 "SDTtZ", 0, true},
		/* another field's flags first */
		{"__print_flags(REC->mode, \"|\", { 1, \"Q\" }), "
		 "__print_flags(REC->prev_state, \"|\", { 1, \"S\" })",
		 "S", 0, true},
		/* a letter that is no letter, two bits, no bit: not taken */
		{"__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"Disk\" }, { 12, \"T\" },"
		 " { 0, \"R\" }, { 16, \"Z\" })",
		 "S\0\0\0Z", 0, true},
		/* names that are not resolved */
		{"__print_flags(REC->prev_state & (TASK_MAX-1), \"|\", { 1, \"S\" }), "
		 "REC->prev_state & TASK_MAX ? \"+\" : \"\"",
		 "S", 0, true},
		{"\"%d\", REC->prev_state", "SDTt", 0, false},
		{"", "SDTt", 0, false},
		{"__print_flags(REC->prev_state", "SDTt", 0, false},
		{"__print_flags(REC->prev_state, {", "SDTt", 0, false},
		{"__print_flags(REC->prev_state, { 1, \"S", "SDTt", 0, false},
		{"__print_flags(REC->prev_state, { 1 / 0, \"S\" })", "SDTt", 0, false},
		{"__print_flags(REC->prev_state, { 12a, \"S\" })", "SDTt", 0, false},
		{"__print_flags(REC->prev_state, { 0x, \"S\" })", "SDTt", 0, false},
		{"REC->prev_state & 0x100000000 ? \"+\" : \"\"", "SDTt", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_states states;

		cs_states_parse(&states, cases[i].text, strlen(cases[i].text));
		if (strncmp(states.letters, cases[i].letters, 5) ||
		    states.plus != cases[i].plus || states.known != cases[i].known)
			fail_msg("case %zu: letters '%.32s' plus %u", i, states.letters,
				 states.plus);
		if (!cases[i].known)
			assert_non_null(cs_states_note(&states));
	}
}

/* Brackets without end must not use the stack up. */
static void deep(void **state)
{
	static char text[65536];
	struct cs_states states;
	size_t length = sprintf(text, "__print_flags(REC->prev_state, {");

	(void)state;
	memset(text + length, '(', sizeof(text) - length);
	cs_states_parse(&states, text, sizeof(text));
	assert_false(states.known);
	memset(text + length, '~', sizeof(text) - length);
	cs_states_parse(&states, text, sizeof(text));
	assert_false(states.known);
}

/* 4.14 to 4.19: which of three things the kernel wrote. */
static void settle(void **state)
{
	static const struct {
		const char *release;
		struct cs_states_seen seen;
		bool doubtful;
		uint8_t kind;
	} cases[] = {
		{"6.18.9", {5, 0, 0x183}, false, CS_STATES_MASK},
		{"4.13.16", {5, 0, 0x3}, false, CS_STATES_MASK},
		{"5.14.0-1.el9", {5, 0, 0x3}, false, CS_STATES_MASK},
		{NULL, {0, 0, 0}, false, CS_STATES_MASK},
		{"odd", {0, 0, 0}, false, CS_STATES_MASK},
		{"4.14.0", {5, 0, 0x103}, true, CS_STATES_INDEX},
		{"4.14.62-v8", {5, 0, 0x10b}, true, CS_STATES_INDEX},
		{"4.14.62", {5, 0, 0x183}, true, CS_STATES_MASK}, /* mended by a vendor */
		{"4.14.70", {0, 5, 0x107}, true, CS_STATES_SHIFTED},
		{"4.14.98", {5, 0, 0x103}, true, CS_STATES_MASK},
		{"4.19.0-5-amd64", {0, 5, 0x107}, true, CS_STATES_SHIFTED},
		{"4.19.304", {5, 0, 0x181}, true, CS_STATES_MASK},
		{"4.20.0", {5, 0, 0x181}, false, CS_STATES_MASK},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_states states;

		load(&states, "4.14");
		assert_int_equal(cs_states_doubtful(cases[i].release), cases[i].doubtful);
		cs_states_settle(&states, cases[i].release, &cases[i].seen);
		assert_int_equal(states.kind, cases[i].kind);
		assert_int_equal(cs_states_note(&states) != NULL,
				 cases[i].kind != CS_STATES_MASK);
	}
}

static void numbers(void **state)
{
	static const struct {
		uint8_t kind;
		uint64_t raw;
		const char *want;
		uint32_t unknown;
	} cases[] = {
		{CS_STATES_INDEX, 0, "R", 0},	    {CS_STATES_INDEX, 1, "S", 0},
		{CS_STATES_INDEX, 2, "D", 0},	    {CS_STATES_INDEX, 3, "T", 0},
		{CS_STATES_INDEX, 5, "X", 0},	    {CS_STATES_INDEX, 8, "I", 0},
		{CS_STATES_INDEX, 0x100, "R+", 0},  {CS_STATES_INDEX, 9, "?", 0x100},
		{CS_STATES_INDEX, 60, "?", 60},	    {CS_STATES_SHIFTED, 1, "R", 0},
		{CS_STATES_SHIFTED, 2, "S", 0},	    {CS_STATES_SHIFTED, 4, "D", 0},
		{CS_STATES_SHIFTED, 64, "Z", 0},    {CS_STATES_SHIFTED, 128, "P", 0},
		{CS_STATES_SHIFTED, 256, "?", 256}, /* preempted or idle */
		{CS_STATES_SHIFTED, 0, "R", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static const struct cs_states_seen index = {5, 0, 3}, shifted = {0, 5, 6};
		bool is_index = cases[i].kind == CS_STATES_INDEX;
		struct cs_states states;

		load(&states, "4.14");
		cs_states_settle(&states, "4.14.20", is_index ? &index : &shifted);
		assert_int_equal(states.kind, cases[i].kind);
		expect(&states, cases[i].raw, cases[i].want, cases[i].unknown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels), cmocka_unit_test(raw_values),
		cmocka_unit_test(texts),   cmocka_unit_test(deep),
		cmocka_unit_test(settle),  cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
