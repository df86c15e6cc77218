/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Format files: fields by name wherever they lie, what is missing, what is odd.
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
#include "user/input/format_text.h"
#include "user/input/formats.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void field_lines(void **state)
{
	static const struct {
		const char *line;
		const char *name; /* NULL: no field */
		uint32_t offset, size;
		bool is_signed, is_array, is_dynamic, is_relative;
	} cases[] = {
		{"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;", "common_pid",
		 4, 4, true, false, false, false},
		{"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;",
		 "prev_comm", 8, 16, false, true, false, false},
		{"\tfield:char prev_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;",
		 "prev_comm", 8, 16, true, true, false, false},
		{"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;",
		 "name", 12, 4, false, false, true, false},
		{"\tfield:__rel_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;", "name",
		 12, 4, false, false, true, true},
		{"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;", "buf", 16, 0,
		 false, true, false, false},
		{"\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;", "hrtimer", 8,
		 8, false, false, false, false},
		{"\tfield:struct a *(*f);\toffset:8;\tsize:8;\tsigned:0;", NULL, 0, 0,
		 false, false, false, false},
		/* before 2.6.33 or so there was no "signed" */
		{"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;",
		 "common_flags", 2, 1, false, false, false, false},
		{"\tfield:int prev_prio;\toffset:28;\tsize:4;", "prev_prio", 28, 4, true,
		 false, false, false},
		{"\tfield:u64 x ;\toffset:28;\tsize:8;", "x", 28, 8, false, false, false,
		 false},
		{"\tfield special:int x;\toffset:8;\tsize:4;\tsigned:1;", "x", 8, 4, true,
		 false, false, false},
		{"\tfield:int;\toffset:8;\tsize:4;\tsigned:1;", NULL, 0, 0, false, false,
		 false, false},
		{"\tfield:int x", NULL, 0, 0, false, false, false, false},
		{"\tfield:int x;", NULL, 0, 0, false, false, false, false},
		{"\tfield:int x;\toffset:;\tsize:4;\tsigned:1;", NULL, 0, 0, false, false,
		 false, false},
		{"\tfield:int x;\toffset:-4;\tsize:4;\tsigned:1;", NULL, 0, 0, false,
		 false, false, false},
		{"\tfield:int x;\toffset:99999999999;\tsize:4;\tsigned:1;", NULL, 0, 0,
		 false, false, false, false},
		{"\tfield:char x];\toffset:8;\tsize:4;\tsigned:1;", NULL, 0, 0, false,
		 false, false, false},
		{"\tfield", NULL, 0, 0, false, false, false, false},
		{"\tfield:;", NULL, 0, 0, false, false, false, false},
	};
	static struct cs_format_text text;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct cs_format_field *field = &text.fields[0];
		char file[256];

		snprintf(file, sizeof(file),
			 "name: a\nID: 7\nformat:\n%s\n\nprint fmt: \"\"\n",
			 cases[i].line);
		assert_int_equal(cs_format_text_parse(&text, file, strlen(file)), 0);
		assert_int_equal(text.id, 7);
		assert_int_equal(text.print_length, strlen(" \"\"\n"));
		if (text.count != (cases[i].name != NULL))
			fail_msg("case %zu: %u fields", i, text.count);
		if (!cases[i].name)
			continue;
		assert_ptr_equal(cs_format_text_find(&text, cases[i].name), field);
		if (field->offset != cases[i].offset || field->size != cases[i].size ||
		    field->is_signed != cases[i].is_signed ||
		    field->is_array != cases[i].is_array ||
		    field->is_dynamic != cases[i].is_dynamic ||
		    field->is_relative != cases[i].is_relative)
			fail_msg("case %zu: wrong", i);
		assert_null(cs_format_text_find(&text, "y"));
	}
	assert_int_equal(cs_format_text_parse(&text, "", 0), -EBADMSG);
	assert_int_equal(cs_format_text_parse(&text, "name: ", 6), -EBADMSG);
	assert_int_equal(cs_format_text_parse(&text, "name: a", 7), 0);
	assert_int_equal(text.id, -1);
}

static void add_all(struct cs_format *format, const struct make_formats *formats,
		    struct cs_notes *notes)
{
	struct cs_error error = {""};

	for (unsigned int i = 0; i < formats->count; i++)
		if (formats->list[i].system &&
		    cs_format_add(format, formats->list[i].system, formats->list[i].text,
				  strlen(formats->list[i].text), notes, &error) < 0)
			fail_msg("%s", error.text);
}

/* Offsets that tests/data/formats has, read off by eye. */
static void offsets(void **state)
{
	static const struct {
		const char *kernel;
		bool big;
		int32_t id;
		uint16_t prev_comm, prev_pid, prev_state, state_size, next_comm,
			next_prio;
		bool plain;
		uint32_t events;
	} cases[] = {
		{"6.1", false, 319, 8, 24, 32, 8, 40, 60, true, 20},
		{"6.1-rt", false, 319, 12, 28, 40, 8, 48, 68, true, 20},
		{"6.12", false, 310, 8, 24, 32, 8, 40, 60, true, 20},
		{"6.18", false, 372, 8, 24, 32, 8, 40, 60, true, 20},
		{"4.9-arm", false, 64, 8, 24, 32, 4, 36, 56, true, 7},
		{"3.10-ppc64", true, 58, 8, 24, 32, 8, 40, 60, false, 5},
		{"2.6.32", false, 50, 8, 24, 32, 8, 40, 60, true, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_format *format = cs_format_new(cases[i].big);
		struct cs_notes notes = {.count = 0};
		const struct cs_event_format *event;
		struct make_formats formats;

		assert_non_null(format);
		make_formats_load(&formats, cases[i].kernel);
		add_all(format, &formats, &notes);
		/* once more: the second one of each is not looked at */
		add_all(format, &formats, &notes);
		assert_int_equal(notes.count, 0);
		assert_int_equal(format->count - 1, cases[i].events);
		assert_int_equal(format->switch_id, cases[i].id);
		event = &format->events[format->index[cases[i].id]];
		assert_int_equal(event->type, CS_EVENT_SWITCH);
		assert_int_equal(event->fields[CS_SWITCH_PREV_COMM].offset,
				 cases[i].prev_comm);
		assert_int_equal(event->fields[CS_SWITCH_PREV_PID].offset,
				 cases[i].prev_pid);
		assert_int_equal(event->fields[CS_SWITCH_PREV_STATE].offset,
				 cases[i].prev_state);
		assert_int_equal(event->fields[CS_SWITCH_PREV_STATE].size,
				 cases[i].state_size);
		assert_int_equal(event->fields[CS_SWITCH_NEXT_COMM].offset,
				 cases[i].next_comm);
		assert_int_equal(event->fields[CS_SWITCH_NEXT_PRIO].offset,
				 cases[i].next_prio);
		assert_int_equal(event->plain, cases[i].plain != CS_HOST_BIG);
		assert_int_equal(format->events[0].shape, CS_SHAPE_OTHER);
		make_formats_free(&formats);
		cs_format_free(format);
	}
}

/* Replaces the first @from in a format's text. */
static void edit(struct make_format *format, const char *from, const char *to)
{
	char *at = strstr(format->text, from), *text;

	assert_non_null(at);
	text = malloc(strlen(format->text) + strlen(to) + 1);
	assert_non_null(text);
	sprintf(text, "%.*s%s%s", (int)(at - format->text), format->text, to,
		at + strlen(from));
	free(format->text);
	format->text = text;
}

static void missing(void **state)
{
	static const struct {
		const char *event, *from, *to;
		const char *error; /* of sched_switch */
		const char *note;  /* of others */
	} cases[] = {
		{"sched_switch", "prev_pid;", "prev_tid;",
		 "event sched_switch: its format has no field prev_pid", NULL},
		{"sched_switch", "prev_state;", "state;",
		 "event sched_switch: its format has no field prev_state", NULL},
		{"sched_switch", "common_type;", "type;",
		 "event sched_switch: its format has no field common_type", NULL},
		{"sched_switch", "next_prio;\toffset:60;\tsize:4;",
		 "next_prio;\toffset:60;\tsize:3;",
		 "event sched_switch: its format has an unusable field next_prio", NULL},
		{"sched_switch", "next_prio;\toffset:60;", "next_prio;\toffset:70000;",
		 "event sched_switch: its format has an unusable field next_prio", NULL},
		{"sched_switch", "next_comm[16];\toffset:40;\tsize:16;",
		 "next_comm[16];\toffset:65530;\tsize:16;",
		 "event sched_switch: its format has an unusable field next_comm", NULL},
		{"sched_switch", "ID: 372", "ID: 0",
		 "event sched_switch: its id 0 cannot be", NULL},
		{"sched_switch", "ID: 372", "ID: 65536",
		 "event sched_switch: its id 65536 cannot be", NULL},
		{"sched_switch", "ID: 372", "No: 372",
		 "event sched_switch: its id -1 cannot be", NULL},
		{"sched_waking", "pid;\toffset:24", "tid;\toffset:24", NULL,
		 "event sched_waking: its format has no field pid; it is ignored"},
		{"sched_waking", "ID: 375", "ID: 372", NULL,
		 "event sched_waking: its id 372 is that of sched_switch too; it is ignored"},
		{"task_newtask", "clone_flags", "flags", NULL,
		 "event task_newtask: its format has no field clone_flags; it is ignored"},
		/* not needed */
		{"sched_waking", "target_cpu;", "cpu;", NULL, NULL},
		{"sched_waking", "comm[16]", "name[16]", NULL, NULL},
		{"sched_switch", "common_flags;", "flags;", NULL, NULL},
		{"sched_switch", "common_pid;", "pid;", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_format *format = cs_format_new(false);
		struct make_format *first, *edited;
		struct cs_notes notes = {.count = 0};
		struct cs_error error = {""};
		struct make_formats formats;
		int r;

		make_formats_load(&formats, "6.18");
		first = make_formats_find(&formats, "sched_switch");
		edited = make_formats_find(&formats, cases[i].event);
		assert_non_null(first);
		assert_non_null(edited);
		edit(edited, cases[i].from, cases[i].to);
		r = cs_format_add(format, "sched", first->text, strlen(first->text),
				  &notes, &error);
		assert_int_equal(r, cases[i].error ? -EBADMSG : 0);
		assert_string_equal(error.text, cases[i].error ? cases[i].error : "");
		if (edited != first)
			assert_int_equal(cs_format_add(format, edited->system,
						       edited->text, strlen(edited->text),
						       &notes, &error),
					 0);
		assert_int_equal(notes.count, cases[i].note != NULL);
		if (cases[i].note)
			assert_string_equal(notes.text[0], cases[i].note);
		cs_notes_fini(&notes);
		make_formats_free(&formats);
		cs_format_free(format);
	}
}

static void wants(void **state)
{
	static const struct {
		const char *system, *name;
		bool want;
	} cases[] = {
		{"sched", "sched_switch", true},
		{"sched", "sched_switc", false},
		{"sched", "sched_switch2", false},
		{"ftrace", "print", true},
		{"ftrace", "function", false},
		{"other", "sched_switch", false},
		{"irq_vectors", "local_timer_entry", true},
		{"irq_vectors", "call_function_single_exit", true},
		{"irq_vectors", "vector_alloc", false},
		{"irq_vectors", "_entry", false},
		{"irq", "local_timer_entry", false},
		{"timer", "hrtimer_expire_exit", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (cs_format_wants(cases[i].system, cases[i].name,
				    strlen(cases[i].name)) != cases[i].want)
			fail_msg("%s:%s", cases[i].system, cases[i].name);
}

/* call_function is the begin of call_function_single: both are events of their own. */
static void vectors(void **state)
{
	static const char *const names[] = {"call_function", "call_function_single"};
	struct cs_format *format = cs_format_new(false);
	struct cs_notes notes = {.count = 0};
	struct cs_error error = {""};
	char text[512];
	int id = 100;

	(void)state;
	for (int end = 0; end < 2; end++)
		for (size_t i = 0; i < COUNT(names); i++) {
			snprintf(
				text, sizeof(text),
				"name: %s_%s\nID: %d\nformat:\n"
				"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
				"\tfield:int vector;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				"print fmt: \"\"\n",
				names[i], end ? "exit" : "entry", id);
			assert_int_equal(cs_format_add(format, "irq_vectors", text,
						       strlen(text), &notes, &error),
					 0);
			assert_string_equal(format->events[format->index[id]].name,
					    names[i]);
			assert_int_equal(format->events[format->index[id]].enter, !end);
			id++;
		}
	assert_int_equal(format->count, 5);
	assert_int_equal(notes.count, 0);
	cs_format_free(format);
}

static void too_many(void **state)
{
	struct cs_format *format = cs_format_new(false);
	struct cs_notes notes = {.count = 0};
	struct cs_error error = {""};
	char text[256];

	(void)state;
	for (int id = 1; id < 300; id++) {
		snprintf(text, sizeof(text),
			 "name: v%d_entry\nID: %d\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n",
			 id, id);
		assert_int_equal(cs_format_add(format, "irq_vectors", text, strlen(text),
					       &notes, &error),
				 0);
	}
	assert_int_equal(format->count, CS_FORMAT_EVENTS);
	assert_int_equal(notes.count, CS_NOTES_MAX);
	cs_notes_fini(&notes);
	cs_format_free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(field_lines), cmocka_unit_test(offsets),
		cmocka_unit_test(missing),     cmocka_unit_test(wants),
		cmocka_unit_test(vectors),     cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
