/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of events, parsed by libtraceevent; only those that somebody wants, so that
 * the other ten thousand of a trace neither cost time nor do harm.
 */
#include "user/input/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

/* The longest format of a 6.18 kernel has 12 KiB, nearly all of it print format. */
#define TEXT_MAX   65536
#define FIELDS_MAX 8192

/* A field that a shape has; its place is its place in the list. */
struct want_field {
	const char *name;
	const char *other; /* its name in other kernels */
	bool text;
	bool needed;
};

/* An event that is decoded; @name may end with '*'. */
struct want {
	const char *system;
	const char *name;
	uint8_t type;
	uint8_t shape;
	uint8_t irq_kind;
	bool enter;
	struct want_field fields[CS_FORMAT_FIELDS];
};

#define WAKE_FIELDS                                                         \
	{                                                                   \
		[CS_WAKE_COMM] = {"comm", NULL, true, false},               \
		[CS_WAKE_PID] = {"pid", NULL, false, true},                 \
		[CS_WAKE_PRIO] = {"prio", NULL, false, true},               \
		[CS_WAKE_TARGET_CPU] = {"target_cpu", "cpu", false, false}, \
		[CS_WAKE_SUCCESS] = {"success", NULL, false, false},        \
	}
#define PID_FIELD [CS_TASK_PID] = {"pid", NULL, false, true}

static const struct want wants[] = {
	{"sched",
	 "sched_switch",
	 CS_EVENT_SWITCH,
	 CS_SHAPE_SWITCH,
	 0,
	 false,
	 {
		 [CS_SWITCH_PREV_COMM] = {"prev_comm", NULL, true, true},
		 [CS_SWITCH_NEXT_COMM] = {"next_comm", NULL, true, true},
		 [CS_SWITCH_PREV_PID] = {"prev_pid", NULL, false, true},
		 [CS_SWITCH_PREV_PRIO] = {"prev_prio", NULL, false, true},
		 [CS_SWITCH_PREV_STATE] = {"prev_state", NULL, false, true},
		 [CS_SWITCH_NEXT_PID] = {"next_pid", NULL, false, true},
		 [CS_SWITCH_NEXT_PRIO] = {"next_prio", NULL, false, true},
	 }},
	{"sched", "sched_waking", CS_EVENT_WAKING, CS_SHAPE_WAKE, 0, false, WAKE_FIELDS},
	{"sched", "sched_wakeup", CS_EVENT_WAKEUP, CS_SHAPE_WAKE, 0, false, WAKE_FIELDS},
	{"sched", "sched_wakeup_new", CS_EVENT_WAKEUP_NEW, CS_SHAPE_WAKE, 0, false,
	 WAKE_FIELDS},
	{"sched",
	 "sched_migrate_task",
	 CS_EVENT_MIGRATE,
	 CS_SHAPE_MIGRATE,
	 0,
	 false,
	 {
		 [CS_MIGRATE_COMM] = {"comm", NULL, true, false},
		 [CS_MIGRATE_PID] = {"pid", NULL, false, true},
		 [CS_MIGRATE_FROM] = {"orig_cpu", NULL, false, true},
		 [CS_MIGRATE_TO] = {"dest_cpu", NULL, false, true},
	 }},
	{"sched",
	 "sched_pi_setprio",
	 CS_EVENT_PRIO,
	 CS_SHAPE_PRIO,
	 0,
	 false,
	 {
		 [CS_PRIO_COMM] = {"comm", NULL, true, false},
		 [CS_PRIO_PID] = {"pid", NULL, false, true},
		 [CS_PRIO_OLD] = {"oldprio", "old_prio", false, true},
		 [CS_PRIO_NEW] = {"newprio", "new_prio", false, true},
	 }},
	{"sched",
	 "sched_process_fork",
	 CS_EVENT_FORK,
	 CS_SHAPE_FORK,
	 0,
	 false,
	 {
		 [CS_TASK_COMM] = {"child_comm", NULL, true, false},
		 [CS_TASK_PID] = {"child_pid", NULL, false, true},
		 [CS_TASK_PARENT] = {"parent_pid", NULL, false, true},
	 }},
	{"task",
	 "task_newtask",
	 CS_EVENT_FORK,
	 CS_SHAPE_NEWTASK,
	 0,
	 false,
	 {
		 [CS_TASK_COMM] = {"comm", NULL, true, false},
		 PID_FIELD,
		 [CS_TASK_FLAGS] = {"clone_flags", NULL, false, true},
	 }},
	{"sched",
	 "sched_process_exec",
	 CS_EVENT_EXEC,
	 CS_SHAPE_TASK,
	 0,
	 false,
	 {PID_FIELD}},
	{"sched",
	 "sched_process_exit",
	 CS_EVENT_EXIT,
	 CS_SHAPE_TASK,
	 0,
	 false,
	 {[CS_TASK_COMM] = {"comm", NULL, true, false}, PID_FIELD}},
	{"task",
	 "task_rename",
	 CS_EVENT_RENAME,
	 CS_SHAPE_TASK,
	 0,
	 false,
	 {[CS_TASK_COMM] = {"newcomm", NULL, true, true}, PID_FIELD}},
	{"irq",
	 "irq_handler_entry",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_HARD,
	 true,
	 {
		 [CS_IRQ_NAME] = {"name", NULL, true, false},
		 [CS_IRQ_NR] = {"irq", NULL, false, true},
	 }},
	{"irq",
	 "irq_handler_exit",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_HARD,
	 false,
	 {[CS_IRQ_NR] = {"irq", NULL, false, true}}},
	{"irq",
	 "softirq_entry",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_SOFT,
	 true,
	 {[CS_IRQ_NR] = {"vec", NULL, false, true}}},
	{"irq",
	 "softirq_exit",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_SOFT,
	 false,
	 {[CS_IRQ_NR] = {"vec", NULL, false, true}}},
	{"irq_vectors",
	 "*_entry",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_VECTOR,
	 true,
	 {[CS_IRQ_NR] = {"vector", NULL, false, false}}},
	{"irq_vectors",
	 "*_exit",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_VECTOR,
	 false,
	 {[CS_IRQ_NR] = {"vector", NULL, false, false}}},
	{"timer",
	 "hrtimer_expire_entry",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_HRTIMER,
	 true,
	 {{0}}},
	{"timer",
	 "hrtimer_expire_exit",
	 CS_EVENT_IRQ,
	 CS_SHAPE_IRQ,
	 CS_IRQ_HRTIMER,
	 false,
	 {{0}}},
	{"ftrace",
	 "print",
	 CS_EVENT_MARKER,
	 CS_SHAPE_MARKER,
	 0,
	 false,
	 {[CS_MARKER_TEXT] = {"buf", NULL, true, true}}},
};

#define WANTS (sizeof(wants) / sizeof(wants[0]))

static bool matches(const char *pattern, const char *name, size_t length)
{
	size_t want = strlen(pattern);

	if (*pattern == '*')
		return length > want - 1 &&
		       !memcmp(name + length - (want - 1), pattern + 1, want - 1);
	return length == want && !memcmp(name, pattern, length);
}

static const struct want *find_want(const char *system, const char *name, size_t length)
{
	for (size_t i = 0; i < WANTS; i++)
		if (!strcmp(wants[i].system, system) &&
		    matches(wants[i].name, name, length))
			return &wants[i];
	return NULL;
}

bool cs_format_wants(const char *system, const char *name, size_t length)
{
	return find_want(system, name, length);
}

struct cs_format *cs_format_new(bool big)
{
	struct cs_format *format = calloc(1, sizeof(*format));

	if (!format)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	format->layout.big = big;
	format->layout.swap = big != CS_HOST_BIG;
	format->switch_id = -1;
	format->count = 1;
	return format;
}

void cs_format_free(struct cs_format *format)
{
	free(format);
}

/* A number of a size that cs_field_load() knows. */
static bool take_number(struct cs_field *field, const struct tep_format_field *found)
{
	if (found->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		return false;
	if (found->size != 1 && found->size != 2 && found->size != 4 && found->size != 8)
		return false;
	field->kind = CS_FIELD_NUMBER;
	field->size = found->size;
	field->is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	return true;
}

static bool take_text(struct cs_field *field, const struct tep_format_field *found)
{
	if (found->flags & TEP_FIELD_IS_DYNAMIC) {
		if (found->size != 4)
			return false;
		field->kind = CS_FIELD_DATA_LOC;
		/* TEP_FIELD_IS_RELATIVE came with libtraceevent 1.5. */
		if (found->flags & TEP_FIELD_IS_RELATIVE)
			field->kind = CS_FIELD_REL_LOC;
	} else {
		field->kind = CS_FIELD_ARRAY;
	}
	field->size = found->size;
	return true;
}

static bool take_field(struct cs_field *field, const struct tep_format_field *found,
		       bool text)
{
	memset(field, 0, sizeof(*field));
	if (!found || found->offset < 0 || found->size < 0 ||
	    found->offset + (int64_t)found->size > UINT16_MAX)
		return false;
	field->offset = found->offset;
	if (text ? take_text(field, found) : take_number(field, found))
		return true;
	field->kind = CS_FIELD_ABSENT;
	return false;
}

static uint16_t end_of(const struct cs_field *field)
{
	return field->kind ? field->offset + field->size : 0;
}

static int take_common(struct cs_format *format, struct tep_event *event,
		       const char *name, struct cs_error *error)
{
	uint16_t end;

	if (format->common)
		return 0;
	if (!take_field(&format->id, tep_find_common_field(event, "common_type"), false))
		return cs_error_set(error, -EBADMSG,
				    "event %s: its format has no field common_type",
				    name);
	take_field(&format->flags, tep_find_common_field(event, "common_flags"), false);
	take_field(&format->pid, tep_find_common_field(event, "common_pid"), false);
	format->common = end_of(&format->id);
	end = end_of(&format->flags);
	if (end > format->common)
		format->common = end;
	end = end_of(&format->pid);
	if (end > format->common)
		format->common = end;
	format->plain = !format->layout.swap && format->id.size == 2 &&
			format->flags.size == 1 && format->pid.size == 4;
	return 0;
}

/* Whether the fast way of decode.c can be taken; only the commonest events have one. */
static bool is_plain(const struct cs_format *format, const struct cs_event_format *event,
		     const struct want *want)
{
	if (!format->plain ||
	    (event->shape != CS_SHAPE_SWITCH && event->shape != CS_SHAPE_WAKE))
		return false;
	for (int i = 0; i < CS_FORMAT_FIELDS; i++) {
		const struct cs_field *field = &event->fields[i];

		if (!want->fields[i].name)
			continue;
		if (want->fields[i].text) {
			if (field->kind != CS_FIELD_ARRAY || field->size < CS_COMM_LEN)
				return false;
		} else if (event->shape == CS_SHAPE_SWITCH && i == CS_SWITCH_PREV_STATE) {
			if (field->size != 4 && field->size != 8)
				return false;
		} else if (event->shape == CS_SHAPE_WAKE && i == CS_WAKE_SUCCESS) {
			if (field->kind)
				return false;
		} else if (field->size != 4) {
			return false;
		}
	}
	return true;
}

static int take_event(struct cs_format *format, const struct want *want,
		      struct tep_event *event, const char *name, struct cs_error *error)
{
	struct cs_event_format *new = &format->events[format->count];
	int r = take_common(format, event, name, error);

	if (r < 0)
		return r;
	memset(new, 0, sizeof(*new));
	new->shape = want->shape;
	new->type = want->type;
	new->irq_kind = want->irq_kind;
	new->enter = want->enter;
	new->need = format->common;
	for (int i = 0; i < CS_FORMAT_FIELDS; i++) {
		const struct want_field *field = &want->fields[i];
		struct tep_format_field *found;
		uint16_t end;

		if (!field->name)
			continue;
		found = tep_find_field(event, field->name);
		if (!found && field->other)
			found = tep_find_field(event, field->other);
		if (!take_field(&new->fields[i], found, field->text) && field->needed)
			return cs_error_set(error, -EBADMSG,
					    "event %s: its format %s field %s", name,
					    found ? "has an unusable" : "has no",
					    field->name);
		end = end_of(&new->fields[i]);
		if (end > new->need)
			new->need = end;
	}
	if (event->id <= 0 || event->id >= CS_EVENT_IDS)
		return cs_error_set(error, -EBADMSG, "event %s: its id %d cannot be",
				    name, event->id);
	if (format->index[event->id])
		return cs_error_set(error, -EBADMSG,
				    "event %s: its id %d is that of %s too", name,
				    event->id,
				    format->events[format->index[event->id]].name);
	new->plain = is_plain(format, new, want);
	format->index[event->id] = format->count;
	if (new->shape == CS_SHAPE_SWITCH)
		format->switch_id = event->id;
	return 0;
}

/*
 * The print format is not the library's business: it may be anything, and what we
 * need of it states.c reads.
 */
static char *text_for_library(const char *text, size_t length)
{
	static const char print[] = "\nprint fmt:", nothing[] = "\nprint fmt: \"\"\n";
	const char *end = memmem(text, length, print, sizeof(print) - 1);
	char *copy;

	if (end)
		length = end - text;
	if (length > FIELDS_MAX)
		return NULL;
	for (size_t i = 0; i < length; i++)
		if (!isprint((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
			return NULL;
	copy = malloc(length + sizeof(nothing));
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	memcpy(copy + length, nothing, sizeof(nothing));
	return copy;
}

static int add_wanted(struct cs_format *format, const struct want *want, const char *name,
		      const char *text, size_t length, struct cs_error *error)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	char *copy = text_for_library(text, length);
	int r = -EBADMSG;

	/* A handle of its own: the library keeps what it parsed, also by halves. */
	if (tep && copy && !tep_parse_event(tep, copy, strlen(copy), want->system))
		event = tep_get_first_event(tep);
	if (event)
		r = take_event(format, want, event, name, error);
	else
		cs_error_set(error, r, "event %s: its format cannot be parsed", name);
	tep_free(tep);
	free(copy);
	return r;
}

static bool have_event(const struct cs_format *format, const struct want *want,
		       const char *shown)
{
	for (uint32_t i = 1; i < format->count; i++)
		if (format->events[i].type == want->type &&
		    format->events[i].irq_kind == want->irq_kind &&
		    format->events[i].enter == want->enter &&
		    format->events[i].shape == want->shape &&
		    !strcmp(format->events[i].name, shown))
			return true;
	return false;
}

/* The event's name; of irq_vectors:local_timer_entry "local_timer". */
static void name_shown(char *shown, size_t size, const struct want *want,
		       const char *name)
{
	size_t length = strlen(name);

	if (want->name[0] == '*')
		length -= strlen(want->name) - 1;
	snprintf(shown, size, "%.*s", (int)length, name);
}

int cs_format_add(struct cs_format *format, const char *system, const char *text,
		  size_t length, struct cs_notes *notes, struct cs_error *error)
{
	static const char key[] = "name: ";
	const char *start = text + sizeof(key) - 1, *end, *print;
	struct cs_error why = {.text = ""};
	struct cs_event_format *new = &format->events[format->count];
	const struct want *want;
	char name[sizeof(new->name)], shown[sizeof(new->name)];
	int r;

	if (length <= sizeof(key) || memcmp(text, key, sizeof(key) - 1))
		return 0;
	end = memchr(start, '\n', text + length - start);
	if (!end || (size_t)(end - start) >= sizeof(name))
		return 0;
	want = find_want(system, start, end - start);
	if (!want)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(end - start), start);
	name_shown(shown, sizeof(shown), want, name);
	if (have_event(format, want, shown))
		return 0;

	if (length > TEXT_MAX)
		r = cs_error_set(&why, -EBADMSG,
				 "event %s: its format of %zu bytes is too long", name,
				 length);
	else if (format->count == CS_FORMAT_EVENTS)
		r = cs_error_set(&why, -EBADMSG, "event %s: too many events", name);
	else
		r = add_wanted(format, want, name, text, length, &why);
	if (r < 0 && want->shape == CS_SHAPE_SWITCH)
		return cs_error_set(error, r, "%s", why.text);
	if (r < 0) {
		cs_notes_add(notes, "%s; it is ignored", why.text);
		return 0;
	}
	memcpy(new->name, shown, sizeof(shown));
	format->count++;
	if (want->shape != CS_SHAPE_SWITCH)
		return 0;

	print = memmem(text, length, "print fmt:", 10);
	cs_states_parse(&format->states, print ? print : text,
			print ? text + length - print : 0);
	return 0;
}
