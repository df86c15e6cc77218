/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of events; only those that somebody wants, so that the other ten thousand of
 * a trace neither cost time nor do harm.
 */
#include "user/input/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/ctxsw/abi.h"
#include "user/input/format_text.h"

/* The longest format of a 6.18 kernel has 12 KiB, nearly all of it print format. */
#define TEXT_MAX 65536

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

/* clang-format off */
#define SWITCH_FIELDS                                                 \
	[CS_SWITCH_PREV_COMM] = {"prev_comm", NULL, true, true},      \
	[CS_SWITCH_NEXT_COMM] = {"next_comm", NULL, true, true},      \
	[CS_SWITCH_PREV_PID] = {"prev_pid", NULL, false, true},       \
	[CS_SWITCH_PREV_PRIO] = {"prev_prio", NULL, false, true},     \
	[CS_SWITCH_PREV_STATE] = {"prev_state", NULL, false, true},   \
	[CS_SWITCH_NEXT_PID] = {"next_pid", NULL, false, true},       \
	[CS_SWITCH_NEXT_PRIO] = {"next_prio", NULL, false, true}
/* clang-format on */

static const struct want wants[] = {
	{"sched",
	 "sched_switch",
	 CS_EVENT_SWITCH,
	 CS_SHAPE_SWITCH,
	 0,
	 false,
	 {SWITCH_FIELDS}},
	{CTXSW_EVENT_GROUP,
	 CTXSW_EVENT_SWITCH_PHASES,
	 CS_EVENT_PHASES,
	 CS_SHAPE_PHASES,
	 0,
	 false,
	 {
		 SWITCH_FIELDS,
		 [CS_PHASES_PREV_TGID] = {"prev_tgid", NULL, false, false},
		 [CS_PHASES_NEXT_TGID] = {"next_tgid", NULL, false, false},
		 [CS_PHASES_KIND] = {"kind", NULL, false, false},
		 [CS_PHASES_FLAGS] = {"flags", NULL, false, true},
		 [CS_PHASES_NS + CS_PHASE_PREPARE] = {"prepare_ns", NULL, false, false},
		 [CS_PHASES_NS + CS_PHASE_MM] = {"mm_ns", NULL, false, false},
		 [CS_PHASES_NS +
			 CS_PHASE_SWITCH_TO] = {"switch_to_ns", NULL, false, false},
		 [CS_PHASES_NS + CS_PHASE_FINISH] = {"finish_ns", NULL, false, false},
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
	{CTXSW_EVENT_GROUP,
	 CTXSW_EVENT_PI_BOOST,
	 CS_EVENT_PRIO,
	 CS_SHAPE_PRIO,
	 0,
	 false,
	 {
		 [CS_PRIO_COMM] = {"comm", NULL, true, false},
		 [CS_PRIO_PID] = {"pid", NULL, false, true},
		 [CS_PRIO_OLD] = {"old_prio", NULL, false, true},
		 [CS_PRIO_NEW] = {"new_prio", NULL, false, true},
		 [CS_PRIO_BASE] = {"base_prio", NULL, false, true},
		 [CS_PRIO_DONOR] = {"donor_pid", NULL, false, true},
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
static bool take_number(struct cs_field *field, const struct cs_format_field *found)
{
	if (found->is_array || found->is_dynamic)
		return false;
	if (found->size != 1 && found->size != 2 && found->size != 4 && found->size != 8)
		return false;
	field->kind = CS_FIELD_NUMBER;
	field->is_signed = found->is_signed;
	return true;
}

static bool take_text(struct cs_field *field, const struct cs_format_field *found)
{
	if (found->is_dynamic && found->size != 4)
		return false;
	field->kind = CS_FIELD_ARRAY;
	if (found->is_dynamic)
		field->kind = found->is_relative ? CS_FIELD_REL_LOC : CS_FIELD_DATA_LOC;
	return true;
}

static bool take_field(struct cs_field *field, const struct cs_format_field *found,
		       bool text)
{
	memset(field, 0, sizeof(*field));
	if (!found || (uint64_t)found->offset + found->size > UINT16_MAX)
		return false;
	field->offset = found->offset;
	field->size = found->size;
	if (text ? take_text(field, found) : take_number(field, found))
		return true;
	field->kind = CS_FIELD_ABSENT;
	return false;
}

static uint16_t end_of(const struct cs_field *field)
{
	return field->kind ? field->offset + field->size : 0;
}

static int take_common(struct cs_format *format, const struct cs_format_text *event,
		       const char *name, struct cs_error *error)
{
	uint16_t end;

	if (format->common)
		return 0;
	if (!take_field(&format->id, cs_format_text_find(event, "common_type"), false))
		return cs_error_set(error, -EBADMSG,
				    "event %s: its format has no field common_type",
				    name);
	take_field(&format->flags, cs_format_text_find(event, "common_flags"), false);
	take_field(&format->pid, cs_format_text_find(event, "common_pid"), false);
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
		      const struct cs_format_text *event, const char *name,
		      struct cs_error *error)
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
		const struct cs_format_field *found;
		uint16_t end;

		if (!field->name)
			continue;
		found = cs_format_text_find(event, field->name);
		if (!found && field->other)
			found = cs_format_text_find(event, field->other);
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
	struct cs_event_format *new = &format->events[format->count];
	char name[sizeof(new->name)], shown[sizeof(new->name)];
	struct cs_error why = {.text = ""};
	struct cs_format_text event;
	const struct want *want;
	int r;

	if (length > TEXT_MAX || cs_format_text_parse(&event, text, length) < 0 ||
	    event.name_length >= sizeof(name))
		return 0;
	want = find_want(system, event.name, event.name_length);
	if (!want)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)event.name_length, event.name);
	name_shown(shown, sizeof(shown), want, name);
	if (have_event(format, want, shown))
		return 0;

	if (format->count == CS_FORMAT_EVENTS)
		r = cs_error_set(&why, -EBADMSG, "event %s: too many events", name);
	else
		r = take_event(format, want, &event, name, &why);
	if (r < 0 && want->shape == CS_SHAPE_SWITCH)
		return cs_error_set(error, r, "%s", why.text);
	if (r < 0) {
		cs_notes_add(notes, "%s; it is ignored", why.text);
		return 0;
	}
	memcpy(new->name, shown, sizeof(shown));
	format->count++;
	/* the module writes the states of sched_switch, with the same letters */
	if (want->shape == CS_SHAPE_SWITCH ||
	    (want->shape == CS_SHAPE_PHASES && format->switch_id < 0))
		cs_states_parse(&format->states, event.print, event.print_length);
	return 0;
}
