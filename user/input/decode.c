/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoders, one for each shape of event: a fast way for what nearly every trace is,
 * and a general one for other byte orders and field sizes.
 */
#include "user/input/decode.h"

#include "include/ctxsw/abi.h"

/* TRACE_FLAG_* of include/linux/trace_events.h */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI     0x40

/* CLONE_THREAD of include/uapi/linux/sched.h */
#define FLAG_CLONE_THREAD 0x10000

/* enum of include/linux/interrupt.h, as show_softirq_name() prints it */
static const char *const softirqs[] = {"HI",	  "TIMER",    "NET_TX",	 "NET_RX",
				       "BLOCK",	  "IRQ_POLL", "TASKLET", "SCHED",
				       "HRTIMER", "RCU"};

/* By NMI, softirq, hardirq as a number of three bits: no branch to mispredict. */
static const uint8_t contexts[] = {CS_CONTEXT_TASK,    CS_CONTEXT_HARDIRQ,
				   CS_CONTEXT_SOFTIRQ, CS_CONTEXT_HARDIRQ,
				   CS_CONTEXT_NMI,     CS_CONTEXT_NMI,
				   CS_CONTEXT_NMI,     CS_CONTEXT_NMI};

static inline uint8_t context_of(uint32_t flags)
{
	return contexts[(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)) >> 3 |
			(flags & FLAG_NMI) >> 4];
}

static int64_t number(const struct cs_decoder *decoder, const struct cs_field *field,
		      const struct cs_record *record)
{
	return cs_field_load(field, record->data, decoder->format->layout.swap);
}

static int64_t optional(const struct cs_decoder *decoder, const struct cs_field *field,
			const struct cs_record *record, int64_t absent)
{
	return field->kind ? number(decoder, field, record) : absent;
}

/* The bytes of a text field; their number is in @length. NULL: it has none. */
static const char *text_bytes(const struct cs_decoder *decoder,
			      const struct cs_field *field,
			      const struct cs_record *record, uint32_t *length)
{
	uint32_t word, offset;

	switch (field->kind) {
	case CS_FIELD_ARRAY:
		*length = field->size ? field->size : record->length - field->offset;
		return (const char *)record->data + field->offset;
	case CS_FIELD_DATA_LOC:
	case CS_FIELD_REL_LOC:
		word = cs_load32(record->data + field->offset,
				 decoder->format->layout.swap);
		offset = word & 0xffff;
		*length = word >> 16;
		if (field->kind == CS_FIELD_REL_LOC)
			offset += field->offset + field->size;
		if (offset > record->length)
			return NULL;
		if (*length > record->length - offset)
			*length = record->length - offset;
		return (const char *)record->data + offset;
	}
	return NULL;
}

static const char *comm(struct cs_decoder *decoder, unsigned int place,
			const struct cs_field *field, const struct cs_record *record)
{
	char *copy = decoder->comms[place];
	const char *bytes, *end;
	uint32_t length;

	bytes = text_bytes(decoder, field, record, &length);
	if (!bytes)
		return NULL;
	if (field->kind == CS_FIELD_ARRAY && length >= CS_COMM_LEN)
		return bytes;
	end = memchr(bytes, '\0', length);
	if (end)
		length = end - bytes;
	if (length > CS_COMM_LEN)
		length = CS_COMM_LEN;
	memset(copy, 0, CS_COMM_LEN);
	memcpy(copy, bytes, length);
	return copy;
}

static const char *name(struct cs_decoder *decoder, const struct cs_field *field,
			const struct cs_record *record)
{
	const char *bytes;
	uint32_t length;

	bytes = text_bytes(decoder, field, record, &length);
	if (!bytes || memchr(bytes, '\0', length))
		return bytes;
	if (length >= sizeof(decoder->name))
		length = sizeof(decoder->name) - 1;
	memcpy(decoder->name, bytes, length);
	decoder->name[length] = '\0';
	return decoder->name;
}

static void decode_switch(struct cs_decoder *decoder, const struct cs_field *fields,
			  const struct cs_record *record, struct cs_event *ev)
{
	const struct cs_field *state = &fields[CS_SWITCH_PREV_STATE];
	uint64_t raw = number(decoder, state, record);

	if (state->size < 8)
		raw &= (UINT64_C(1) << state->size * 8) - 1;
	ev->sw.prev_comm = comm(decoder, 0, &fields[CS_SWITCH_PREV_COMM], record);
	ev->sw.next_comm = comm(decoder, 1, &fields[CS_SWITCH_NEXT_COMM], record);
	ev->sw.prev_pid = number(decoder, &fields[CS_SWITCH_PREV_PID], record);
	ev->sw.prev_prio = number(decoder, &fields[CS_SWITCH_PREV_PRIO], record);
	ev->sw.next_pid = number(decoder, &fields[CS_SWITCH_NEXT_PID], record);
	ev->sw.next_prio = number(decoder, &fields[CS_SWITCH_NEXT_PRIO], record);
	ev->sw.prev_state = cs_states_decode(&decoder->format->states, raw,
					     &ev->sw.prev_unknown);
}

/* Fields and phases that a module's ABI may drop are unknown, or not measured. */
static void decode_phases(struct cs_decoder *decoder, const struct cs_field *fields,
			  const struct cs_record *record, struct cs_event *ev)
{
	static const uint8_t kinds[CTXSW_KINDS] = {
		[CTXSW_KIND_THREAD] = CS_KIND_THREAD,
		[CTXSW_KIND_PROCESS] = CS_KIND_PROCESS,
		[CTXSW_KIND_KERNEL] = CS_KIND_KERNEL,
		[CTXSW_KIND_IDLE] = CS_KIND_IDLE,
	};
	static const struct {
		uint8_t phase;
		uint8_t flag;
	} phases[] = {
		{CS_PHASE_PREPARE, CTXSW_F_PREPARE},
		{CS_PHASE_MM, CTXSW_F_MM},
		{CS_PHASE_SWITCH_TO, CTXSW_F_SWITCH_TO},
		{CS_PHASE_FINISH, CTXSW_F_FINISH},
	};
	const struct cs_field *kind = &fields[CS_PHASES_KIND];
	uint64_t flags = number(decoder, &fields[CS_PHASES_FLAGS], record);
	int64_t value = optional(decoder, kind, record, -1);

	decode_switch(decoder, fields, record, ev);
	ev->sw.prev_tgid = optional(decoder, &fields[CS_PHASES_PREV_TGID], record,
				    CS_PID_UNKNOWN);
	ev->sw.next_tgid = optional(decoder, &fields[CS_PHASES_NEXT_TGID], record,
				    CS_PID_UNKNOWN);
	ev->sw.kind = value >= 0 && value < CTXSW_KINDS ? kinds[value] : CS_KIND_UNKNOWN;
	ev->sw.disturbed = flags & CTXSW_F_DISTURBED;
	ev->sw.measured = 0;
	for (unsigned int i = 0; i < CS_PHASES; i++) {
		const struct cs_field *ns = &fields[CS_PHASES_NS + phases[i].phase];

		ev->sw.phase_ns[phases[i].phase] = optional(decoder, ns, record, 0);
		if (flags & phases[i].flag && ns->kind)
			ev->sw.measured |= 1 << phases[i].phase;
	}
}

static void decode_wake(struct cs_decoder *decoder, const struct cs_field *fields,
			const struct cs_record *record, struct cs_event *ev)
{
	if (fields[CS_WAKE_SUCCESS].kind &&
	    !number(decoder, &fields[CS_WAKE_SUCCESS], record)) {
		ev->type = CS_EVENT_OTHER;
		return;
	}
	ev->wake.comm = comm(decoder, 0, &fields[CS_WAKE_COMM], record);
	ev->wake.pid = number(decoder, &fields[CS_WAKE_PID], record);
	ev->wake.prio = number(decoder, &fields[CS_WAKE_PRIO], record);
	ev->wake.target_cpu = fields[CS_WAKE_TARGET_CPU].kind
				      ? number(decoder, &fields[CS_WAKE_TARGET_CPU],
					       record)
				      : CS_CPU_UNKNOWN;
}

static void decode_task(struct cs_decoder *decoder, const struct cs_event_format *format,
			const struct cs_record *record, struct cs_event *ev)
{
	const struct cs_field *fields = format->fields;

	ev->task.comm = comm(decoder, 0, &fields[CS_TASK_COMM], record);
	ev->task.pid = number(decoder, &fields[CS_TASK_PID], record);
	ev->task.parent = CS_PID_UNKNOWN;
	ev->task.same_thread = -1;
	if (format->shape == CS_SHAPE_FORK) {
		ev->task.parent = number(decoder, &fields[CS_TASK_PARENT], record);
	} else if (format->shape == CS_SHAPE_NEWTASK) {
		ev->task.parent = ev->pid;
		ev->task.same_thread = number(decoder, &fields[CS_TASK_FLAGS], record) &
						       FLAG_CLONE_THREAD
					       ? 1
					       : 0;
	}
}

static void decode_irq(struct cs_decoder *decoder, const struct cs_event_format *format,
		       const struct cs_record *record, struct cs_event *ev)
{
	const struct cs_field *nr = &format->fields[CS_IRQ_NR];

	ev->irq.kind = format->irq_kind;
	ev->irq.enter = format->enter;
	ev->irq.nr = nr->kind ? number(decoder, nr, record) : -1;
	ev->irq.name = NULL;
	switch (format->irq_kind) {
	case CS_IRQ_HARD:
		ev->irq.name = name(decoder, &format->fields[CS_IRQ_NAME], record);
		break;
	case CS_IRQ_SOFT:
		if (ev->irq.nr >= 0 &&
		    (size_t)ev->irq.nr < sizeof(softirqs) / sizeof(softirqs[0]))
			ev->irq.name = softirqs[ev->irq.nr];
		break;
	case CS_IRQ_VECTOR:
		ev->irq.name = format->name;
		break;
	case CS_IRQ_HRTIMER:
		ev->irq.name = "hrtimer";
		break;
	}
}

static void decode_marker(struct cs_decoder *decoder,
			  const struct cs_event_format *format,
			  const struct cs_record *record, struct cs_event *ev)
{
	const char *end;
	uint32_t length = 0;

	ev->marker.text = text_bytes(decoder, &format->fields[CS_MARKER_TEXT], record,
				     &length);
	if (!ev->marker.text) {
		ev->type = CS_EVENT_OTHER;
		return;
	}
	end = memchr(ev->marker.text, '\0', length);
	if (end)
		length = end - ev->marker.text;
	while (length && ev->marker.text[length - 1] == '\n')
		length--;
	ev->marker.length = length;
}

/* Everything that is not two events out of three. */
static __attribute__((noinline)) void decode_slow(struct cs_decoder *decoder,
						  const struct cs_record *record,
						  struct cs_event *ev)
{
	const struct cs_format *format = decoder->format;
	const struct cs_event_format *event;
	const struct cs_field *fields;
	int32_t id = cs_format_id(format, record);

	ev->type = CS_EVENT_OTHER;
	ev->pid = CS_PID_UNKNOWN;
	ev->context = CS_CONTEXT_UNKNOWN;
	if (id < 0) {
		decoder->broken++;
		return;
	}
	if (format->pid.kind)
		ev->pid = number(decoder, &format->pid, record);
	if (format->flags.kind)
		ev->context = context_of(number(decoder, &format->flags, record));
	event = &format->events[format->index[id]];
	if (event->shape == CS_SHAPE_OTHER)
		return;
	if (record->length < event->need) {
		decoder->broken++;
		return;
	}

	ev->type = event->type;
	fields = event->fields;
	switch (event->shape) {
	case CS_SHAPE_SWITCH:
		decode_switch(decoder, fields, record, ev);
		break;
	case CS_SHAPE_WAKE:
		decode_wake(decoder, fields, record, ev);
		break;
	case CS_SHAPE_MIGRATE:
		ev->migrate.comm = comm(decoder, 0, &fields[CS_MIGRATE_COMM], record);
		ev->migrate.pid = number(decoder, &fields[CS_MIGRATE_PID], record);
		ev->migrate.from = number(decoder, &fields[CS_MIGRATE_FROM], record);
		ev->migrate.to = number(decoder, &fields[CS_MIGRATE_TO], record);
		break;
	case CS_SHAPE_PRIO:
		ev->prio.comm = comm(decoder, 0, &fields[CS_PRIO_COMM], record);
		ev->prio.pid = number(decoder, &fields[CS_PRIO_PID], record);
		ev->prio.old_prio = number(decoder, &fields[CS_PRIO_OLD], record);
		ev->prio.new_prio = number(decoder, &fields[CS_PRIO_NEW], record);
		ev->prio.base_prio = optional(decoder, &fields[CS_PRIO_BASE], record,
					      CS_PRIO_UNKNOWN);
		ev->prio.donor = optional(decoder, &fields[CS_PRIO_DONOR], record,
					  CS_PID_UNKNOWN);
		break;
	case CS_SHAPE_FORK:
	case CS_SHAPE_NEWTASK:
	case CS_SHAPE_TASK:
		decode_task(decoder, event, record, ev);
		break;
	case CS_SHAPE_IRQ:
		decode_irq(decoder, event, record, ev);
		break;
	case CS_SHAPE_PHASES:
		decode_phases(decoder, fields, record, ev);
		break;
	case CS_SHAPE_MARKER:
		decode_marker(decoder, event, record, ev);
		break;
	}
}

static inline void plain_switch(const struct cs_states *states,
				const struct cs_field *fields, const uint8_t *data,
				struct cs_event *ev)
{
	const struct cs_field *state = &fields[CS_SWITCH_PREV_STATE];
	uint64_t raw = state->size == 8 ? cs_load64(data + state->offset, false)
					: cs_load32(data + state->offset, false);

	ev->sw.prev_comm = (const char *)data + fields[CS_SWITCH_PREV_COMM].offset;
	ev->sw.next_comm = (const char *)data + fields[CS_SWITCH_NEXT_COMM].offset;
	ev->sw.prev_pid = cs_load32(data + fields[CS_SWITCH_PREV_PID].offset, false);
	ev->sw.prev_prio = cs_load32(data + fields[CS_SWITCH_PREV_PRIO].offset, false);
	ev->sw.next_pid = cs_load32(data + fields[CS_SWITCH_NEXT_PID].offset, false);
	ev->sw.next_prio = cs_load32(data + fields[CS_SWITCH_NEXT_PRIO].offset, false);
	ev->sw.prev_unknown = 0;
	ev->sw.prev_state = cs_states_quick(states, raw);
	if (__builtin_expect(ev->sw.prev_state & CS_STATE_UNKNOWN, 0))
		ev->sw.prev_state = cs_states_decode(states, raw, &ev->sw.prev_unknown);
}

static inline void plain_wake(const struct cs_field *fields, const uint8_t *data,
			      struct cs_event *ev)
{
	ev->wake.comm = (const char *)data + fields[CS_WAKE_COMM].offset;
	ev->wake.pid = cs_load32(data + fields[CS_WAKE_PID].offset, false);
	ev->wake.prio = cs_load32(data + fields[CS_WAKE_PRIO].offset, false);
	ev->wake.target_cpu = cs_load32(data + fields[CS_WAKE_TARGET_CPU].offset, false);
}

void cs_decode(struct cs_decoder *decoder, const struct cs_record *record,
	       struct cs_event *ev)
{
	const struct cs_format *format = decoder->format;
	const uint8_t *data = record->data;

	if (__builtin_expect(format->plain && record->length >= format->common, 1)) {
		const struct cs_event_format *event =
			&format->events[format->index[cs_load16(data + format->id.offset,
								false)]];

		if (__builtin_expect(event->plain && record->length >= event->need, 1)) {
			ev->type = event->type;
			ev->pid = cs_load32(data + format->pid.offset, false);
			ev->context = context_of(data[format->flags.offset]);
			if (event->shape == CS_SHAPE_SWITCH)
				plain_switch(&format->states, event->fields, data, ev);
			else
				plain_wake(event->fields, data, ev);
			return;
		}
	}
	decode_slow(decoder, record, ev);
}
