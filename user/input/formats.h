/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bytes of a trace's records mean: fields looked up by name once, when the
 * trace is opened, and kept as offsets by event id.
 */
#ifndef CS_USER_INPUT_FORMATS_H
#define CS_USER_INPUT_FORMATS_H

#include "analysis/event.h"
#include "user/error.h"
#include "user/input/notes.h"
#include "user/input/page.h"
#include "user/input/states.h"

/* An event id has 16 bits: common_type is an unsigned short. */
#define CS_EVENT_IDS 65536

/* Events that are decoded, all irq_vectors among them. */
#define CS_FORMAT_EVENTS 96

/* What a record looks like; one decoder for each. */
enum cs_shape {
	CS_SHAPE_OTHER,
	CS_SHAPE_SWITCH,
	CS_SHAPE_WAKE,
	CS_SHAPE_MIGRATE,
	CS_SHAPE_PRIO,
	CS_SHAPE_FORK,
	CS_SHAPE_NEWTASK,
	CS_SHAPE_TASK,
	CS_SHAPE_IRQ,
	CS_SHAPE_MARKER,
	CS_SHAPE_PHASES,
};

/* Where each shape keeps its fields. */
enum {
	CS_SWITCH_PREV_COMM,
	CS_SWITCH_NEXT_COMM,
	CS_SWITCH_PREV_PID,
	CS_SWITCH_PREV_PRIO,
	CS_SWITCH_PREV_STATE,
	CS_SWITCH_NEXT_PID,
	CS_SWITCH_NEXT_PRIO,
	CS_PHASES_PREV_TGID, /* PHASES: the fields of SWITCH, and these */
	CS_PHASES_NEXT_TGID,
	CS_PHASES_KIND,
	CS_PHASES_FLAGS,
	CS_PHASES_NS, /* CS_PHASES of them, as in enum cs_phase */
	CS_FORMAT_FIELDS = CS_PHASES_NS + CS_PHASES,

	CS_WAKE_COMM = 0,
	CS_WAKE_PID,
	CS_WAKE_PRIO,
	CS_WAKE_TARGET_CPU,
	CS_WAKE_SUCCESS,

	CS_MIGRATE_COMM = 0,
	CS_MIGRATE_PID,
	CS_MIGRATE_FROM,
	CS_MIGRATE_TO,

	CS_PRIO_COMM = 0,
	CS_PRIO_PID,
	CS_PRIO_OLD,
	CS_PRIO_NEW,
	CS_PRIO_BASE,
	CS_PRIO_DONOR,

	CS_TASK_COMM = 0, /* FORK, NEWTASK too */
	CS_TASK_PID,
	CS_TASK_PARENT, /* FORK */
	CS_TASK_FLAGS,	/* NEWTASK */

	CS_IRQ_NAME = 0,
	CS_IRQ_NR,

	CS_MARKER_TEXT = 0,
};

enum cs_field_kind {
	CS_FIELD_ABSENT,
	CS_FIELD_NUMBER,
	CS_FIELD_ARRAY,	   /* characters in place */
	CS_FIELD_DATA_LOC, /* offset and length in the record, from its begin */
	CS_FIELD_REL_LOC,  /* the same, from the field's end */
};

/**
 * struct cs_field - one field of an event
 * @offset: from the record's begin
 * @size: bytes; 0 for an array that goes on to the record's end
 * @kind: enum cs_field_kind
 * @is_signed: a number that can be negative
 */
struct cs_field {
	uint16_t offset;
	uint16_t size;
	uint8_t kind;
	bool is_signed;
};

/**
 * struct cs_event_format - one event
 * @shape: enum cs_shape
 * @type: enum cs_event_type
 * @irq_kind: enum cs_irq_kind, for IRQ
 * @enter: for IRQ
 * @plain: SWITCH or WAKE, and all numbers have four bytes (prev_state: four or eight)
 *	   in the order of this machine, comms lie in place: the fast way
 * @need: bytes that a record of it has at least
 * @fields: by the enums above
 * @name: its name; for irq_vectors without _entry and _exit
 */
struct cs_event_format {
	uint8_t shape;
	uint8_t type;
	uint8_t irq_kind;
	bool enter;
	bool plain;
	uint16_t need;
	struct cs_field fields[CS_FORMAT_FIELDS];
	char name[48];
};

/**
 * struct cs_format - all formats of a trace
 * @layout: of its pages; filled by who opens the trace
 * @states: letters of task states
 * @id: common_type
 * @flags: common_flags; may be absent
 * @pid: common_pid; may be absent
 * @common: bytes that every record has at least
 * @plain: these three have 2, 1 and 4 bytes in the order of this machine
 * @switch_id: id of sched_switch; -1 before it was added
 * @index: by event id: number in @events; 0 is CS_SHAPE_OTHER
 * @events: @count of them
 */
struct cs_format {
	struct cs_page_layout layout;
	struct cs_states states;
	struct cs_field id;
	struct cs_field flags;
	struct cs_field pid;
	uint16_t common;
	bool plain;
	int32_t switch_id;
	uint32_t count;
	struct cs_event_format events[CS_FORMAT_EVENTS];
	uint8_t index[CS_EVENT_IDS];
};

/**
 * cs_format_new - no formats yet
 * @big: whether the traced machine was big-endian
 *
 * Return: the formats; NULL without memory.
 */
struct cs_format *cs_format_new(bool big);

/** cs_format_free - free all; NULL is taken. */
void cs_format_free(struct cs_format *format);

/**
 * cs_format_wants - whether an event is one that gets decoded
 * @system: its system
 * @name: its name; need not end with NUL
 * @length: bytes of @name
 */
bool cs_format_wants(const char *system, const char *name, size_t length);

/**
 * cs_format_add - take one event's format
 * @format: the formats
 * @system: the event's system
 * @text: the format file; need not end with NUL
 * @length: bytes of it
 * @notes: gets a sentence where an event has to be ignored
 * @error: on failure: the event and what it lacks
 *
 * An event that is not wanted, or there already, is not looked at.
 *
 * Return: 0; -EBADMSG when sched_switch cannot be used; -ENOMEM.
 */
int cs_format_add(struct cs_format *format, const char *system, const char *text,
		  size_t length, struct cs_notes *notes, struct cs_error *error);

/** cs_field_load - a number's value; the record must hold the field. */
static inline int64_t cs_field_load(const struct cs_field *field, const uint8_t *data,
				    bool swap)
{
	uint64_t value;

	data += field->offset;
	switch (field->size) {
	case 4:
		value = cs_load32(data, swap);
		return field->is_signed ? (int32_t)value : (int64_t)value;
	case 8:
		return (int64_t)cs_load64(data, swap);
	case 2:
		value = cs_load16(data, swap);
		return field->is_signed ? (int16_t)value : (int64_t)value;
	default:
		return field->is_signed ? (int8_t)*data : *data;
	}
}

/**
 * cs_format_id - which event a record is
 * @format: the formats
 * @record: a record
 *
 * Return: its id; -1 when it is too short for any event.
 */
static inline int32_t cs_format_id(const struct cs_format *format,
				   const struct cs_record *record)
{
	if (record->length < format->common)
		return -1;
	return cs_field_load(&format->id, record->data, format->layout.swap) & 0xffff;
}

#endif
