/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our parser of format files beside libtraceevent's: every field of every format that the
 * tree has, and of every event that the running kernel has.
 */
#include <dirent.h>
#include <event-parse.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/format_text.h"
#include "user/input/formats.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EVENTS	 "/sys/kernel/tracing/events"

/* What was compared. */
struct tally {
	unsigned int events;
	unsigned int fields;
	unsigned int wanted;
};

/* ---- one event, as format_text.c sees it ------------------------------------------- */

static void same_field(const struct cs_format_text *ours,
		       const struct tep_format_field *theirs, bool has_signs)
{
	const struct cs_format_field *field = cs_format_text_find(ours, theirs->name);
	const char *event = theirs->event->name;
	unsigned long flags = theirs->flags;

	if (!field)
		fail_msg("%s: field %s is not found", event, theirs->name);
	if (field->offset != (uint32_t)theirs->offset ||
	    field->size != (uint32_t)theirs->size)
		fail_msg("%s: field %s has %u bytes at %u instead of %d at %d", event,
			 theirs->name, field->size, field->offset, theirs->size,
			 theirs->offset);
	if (field->is_dynamic != !!(flags & TEP_FIELD_IS_DYNAMIC) ||
	    field->is_relative != !!(flags & TEP_FIELD_IS_RELATIVE))
		fail_msg("%s: field %s: dynamic %d, relative %d", event, theirs->name,
			 field->is_dynamic, field->is_relative);
	/* "__data_loc char[] name" is no array in place. */
	if (!field->is_dynamic && field->is_array != !!(flags & TEP_FIELD_IS_ARRAY))
		fail_msg("%s: field %s: array %d", event, theirs->name, field->is_array);
	/* Where a format has no "signed:" libtraceevent knows no signs. */
	if (has_signs && field->is_signed != !!(flags & TEP_FIELD_IS_SIGNED))
		fail_msg("%s: field %s: signed %d", event, theirs->name,
			 field->is_signed);
}

static unsigned int same_fields(const struct cs_format_text *ours,
				const struct tep_format_field *list, bool has_signs)
{
	unsigned int count = 0;

	for (const struct tep_format_field *field = list; field; field = field->next) {
		same_field(ours, field, has_signs);
		count++;
	}
	return count;
}

/* ---- one event, as formats.c keeps it ---------------------------------------------- */

static void same_kept(const struct cs_field *ours, struct tep_event *event,
		      const char *name, bool has_signs)
{
	const struct tep_format_field *theirs = tep_find_any_field(event, name);
	uint8_t kind = CS_FIELD_NUMBER;

	if (!theirs)
		fail_msg("%s: libtraceevent has no field %s", event->name, name);
	if (theirs->flags & TEP_FIELD_IS_ARRAY)
		kind = CS_FIELD_ARRAY;
	if (theirs->flags & TEP_FIELD_IS_DYNAMIC)
		kind = CS_FIELD_DATA_LOC;
	assert_int_equal(ours->kind, kind);
	assert_int_equal(ours->offset, theirs->offset);
	assert_int_equal(ours->size, theirs->size);
	if (kind == CS_FIELD_NUMBER && has_signs)
		assert_int_equal(ours->is_signed,
				 !!(theirs->flags & TEP_FIELD_IS_SIGNED));
}

/* What is decoded most, and what all events have. */
static void same_switch(const struct cs_format *format, struct tep_event *event,
			bool has_signs)
{
	static const char *const names[] = {
		[CS_SWITCH_PREV_COMM] = "prev_comm",
		[CS_SWITCH_NEXT_COMM] = "next_comm",
		[CS_SWITCH_PREV_PID] = "prev_pid",
		[CS_SWITCH_PREV_PRIO] = "prev_prio",
		[CS_SWITCH_PREV_STATE] = "prev_state",
		[CS_SWITCH_NEXT_PID] = "next_pid",
		[CS_SWITCH_NEXT_PRIO] = "next_prio",
	};
	const struct cs_event_format *ours;

	assert_int_equal(format->switch_id, event->id);
	ours = &format->events[format->index[event->id]];
	for (size_t i = 0; i < COUNT(names); i++)
		same_kept(&ours->fields[i], event, names[i], has_signs);
	same_kept(&format->id, event, "common_type", has_signs);
	same_kept(&format->flags, event, "common_flags", has_signs);
	same_kept(&format->pid, event, "common_pid", has_signs);
}

/* libtraceevent leaks on some print formats, and nobody needs them here. */
static void parse_theirs(struct tep_handle *tep, const char *system, const char *text,
			 size_t length)
{
	static const char none[] = "print fmt: \"\"\n";
	const char *print = memmem(text, length, "print fmt:", 10);
	size_t fields = print ? (size_t)(print - text) : length;
	char *copy = malloc(fields + sizeof(none));

	assert_non_null(copy);
	memcpy(copy, text, fields);
	memcpy(copy + fields, none, sizeof(none));
	tep_parse_event(tep, copy, fields + sizeof(none) - 1, system);
	free(copy);
}

static void same_event(const char *system, const char *text, size_t length,
		       struct tally *tally)
{
	static struct cs_format_text ours;
	bool has_signs = memmem(text, length, "signed:", 7);
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	unsigned int fields;
	char name[128];

	assert_non_null(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	assert_int_equal(cs_format_text_parse(&ours, text, length), 0);
	snprintf(name, sizeof(name), "%.*s", (int)ours.name_length, ours.name);
	parse_theirs(tep, system, text, length);
	event = tep_find_event_by_name(tep, system, name);
	if (!event)
		fail_msg("%s:%s: libtraceevent does not know it", system, name);
	assert_int_equal(ours.id, event->id);

	fields = same_fields(&ours, event->format.common_fields, has_signs) +
		 same_fields(&ours, event->format.fields, has_signs);
	if (fields != ours.count)
		fail_msg("%s:%s: %u fields instead of %u", system, name, ours.count,
			 fields);
	tally->events++;
	tally->fields += fields;

	if (cs_format_wants(system, name, strlen(name))) {
		struct cs_format *format = cs_format_new(false);
		struct cs_notes notes = {0};
		struct cs_error error;

		assert_non_null(format);
		assert_int_equal(cs_format_add(format, system, text, length, &notes,
					       &error),
				 0);
		if (notes.count)
			fail_msg("%s", notes.text[0]);
		if (!strcmp(system, "sched") && !strcmp(name, "sched_switch"))
			same_switch(format, event, has_signs);
		cs_format_free(format);
		tally->wanted++;
	}
	tep_free(tep);
}

/* ---- the formats ------------------------------------------------------------------- */

static void stored(void **state)
{
	struct tally tally = {0};
	struct dirent *entry;
	DIR *dir = opendir("tests/data/formats");

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct make_formats formats;

		if (entry->d_name[0] == '.')
			continue;
		make_formats_load(&formats, entry->d_name);
		for (unsigned int i = 0; i < formats.count; i++) {
			const struct make_format *format = &formats.list[i];

			if (format->system)
				same_event(format->system, format->text,
					   strlen(format->text), &tally);
		}
		make_formats_free(&formats);
	}
	closedir(dir);
	print_message("%u events, %u of them wanted, %u fields\n", tally.events,
		      tally.wanted, tally.fields);
	assert_true(tally.events >= 8 && tally.wanted >= 8);
}

/* The format of one event; 0 when there is none to be read. */
static size_t read_format(const char *system, const char *event, char *text, size_t room)
{
	char path[1024];
	size_t size = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), EVENTS "/%s/%s/format", system, event);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (size < room && (got = read(fd, text + size, room - size)) > 0)
		size += got;
	close(fd);
	return size < room ? size : 0;
}

static void running_kernel(void **state)
{
	static char text[1 << 17];
	struct tally tally = {0};
	struct dirent *system, *event;
	DIR *systems = opendir(EVENTS), *events;
	char path[512];

	(void)state;
	if (!systems) {
		print_message("no " EVENTS " to be read here\n");
		skip();
	}
	while ((system = readdir(systems))) {
		snprintf(path, sizeof(path), EVENTS "/%s", system->d_name);
		events = system->d_name[0] == '.' ? NULL : opendir(path);
		while (events && (event = readdir(events))) {
			size_t size = 0;

			if (event->d_name[0] != '.')
				size = read_format(system->d_name, event->d_name, text,
						   sizeof(text));
			if (size)
				same_event(system->d_name, text, size, &tally);
		}
		if (events)
			closedir(events);
	}
	closedir(systems);
	print_message("%u events, %u of them wanted, %u fields\n", tally.events,
		      tally.wanted, tally.fields);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stored),
		cmocka_unit_test(running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
