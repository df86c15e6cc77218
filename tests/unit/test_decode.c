/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stored formats and hand-laid bytes to canonical events: every event, both byte
 * orders, both longs, the long headers of RT kernels, and records that lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/decode.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct trace {
	struct make_formats formats;
	struct cs_format *format;
	struct cs_decoder decoder;
	struct cs_notes notes;
};

static void open_trace(struct trace *trace, const char *kernel, bool big)
{
	struct cs_error error = {""};

	memset(trace, 0, sizeof(*trace));
	make_formats_load(&trace->formats, kernel);
	trace->format = cs_format_new(big);
	assert_non_null(trace->format);
	for (unsigned int i = 0; i < trace->formats.count; i++) {
		const struct make_format *format = &trace->formats.list[i];

		if (format->system &&
		    cs_format_add(trace->format, format->system, format->text,
				  strlen(format->text), &trace->notes, &error) < 0)
			fail_msg("%s", error.text);
	}
	assert_int_equal(trace->notes.count, 0);
	trace->decoder.format = trace->format;
}

static void close_trace(struct trace *trace)
{
	make_formats_free(&trace->formats);
	cs_format_free(trace->format);
}

/* Decodes a copy that ends with the record, so that a sanitizer sees one byte more. */
static uint8_t *decode(struct trace *trace, const uint8_t *data, uint32_t length,
		       struct cs_event *ev)
{
	uint8_t *exact = malloc(length ? length : 1);
	struct cs_record record = {exact, length};

	assert_non_null(exact);
	memcpy(exact, data, length);
	memset(ev, 0x55, sizeof(*ev));
	cs_decode(&trace->decoder, &record, ev);
	return exact;
}

static void switches(void **state)
{
	static const struct {
		const char *kernel;
		bool big;
		uint64_t raw;
		cs_state want;
	} cases[] = {
		{"6.1", false, 1, (cs_state)1 << ('S' - 'A')},
		{"6.1-rt", false, 0x100, CS_STATE_PREEMPTED},
		{"6.12", false, 0, CS_STATE_RUNNABLE},
		{"6.18", false, 0x80, (cs_state)1 << ('I' - 'A')},
		{"4.9-arm", false, 0x80, (cs_state)1 << ('K' - 'A')},
		{"4.9-arm", true, 0x800, CS_STATE_PREEMPTED},
		{"3.10-ppc64", true, 0x10, (cs_state)1 << ('Z' - 'A')},
		{"6.18", true, 2, (cs_state)1 << ('D' - 'A')},
		{"6.1-rt", true, 0x100, CS_STATE_PREEMPTED},
		{"2.6.32", false, 0x40, (cs_state)1 << (26 + 'x' - 'a')},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;
		uint32_t length;

		open_trace(&trace, cases[i].kernel, cases[i].big);
		length = make_switch(data, cases[i].kernel, cases[i].big, 70000,
				     cases[i].raw, 4194303);
		kept = decode(&trace, data, length, &ev);
		assert_int_equal(ev.type, CS_EVENT_SWITCH);
		assert_int_equal(ev.pid, 70000);
		assert_int_equal(ev.context, CS_CONTEXT_TASK);
		assert_int_equal(ev.sw.prev_pid, 70000);
		assert_int_equal(ev.sw.prev_prio, 120);
		assert_int_equal(ev.sw.next_pid, 4194303);
		assert_int_equal(ev.sw.next_prio, 19);
		assert_int_equal(ev.sw.prev_unknown, 0);
		assert_true(ev.sw.prev_state == cases[i].want);
		assert_string_equal(ev.sw.prev_comm, "task-70000");
		assert_string_equal(ev.sw.next_comm, "task-4194303");
		free(kept);

		/* Rounded up by the kernel, or one byte too short. */
		kept = decode(&trace, data, length + 4, &ev);
		assert_int_equal(ev.type, CS_EVENT_SWITCH);
		free(kept);
		assert_int_equal(trace.decoder.broken, 0);
		kept = decode(&trace, data, length - 1, &ev);
		assert_int_equal(ev.type, CS_EVENT_OTHER);
		assert_int_equal(ev.pid, 70000);
		assert_int_equal(trace.decoder.broken, 1);
		free(kept);
		close_trace(&trace);
	}
}

/* -1 is SCHED_DEADLINE and not 4294967295; a pid can be negative in odd traces. */
static void signs(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;
		uint32_t length;

		open_trace(&trace, "6.18", big);
		length = make_switch(data, "6.18", big, -5, 0, 3);
		make_put32(data + 28, UINT32_MAX, big);
		make_put32(data + 60, UINT32_MAX, big);
		kept = decode(&trace, data, length, &ev);
		assert_int_equal(ev.pid, -5);
		assert_int_equal(ev.sw.prev_pid, -5);
		assert_int_equal(ev.sw.prev_prio, -1);
		assert_int_equal(ev.sw.next_prio, -1);
		free(kept);
		length = make_waking(data, "6.18", big, 1, 2, -1);
		make_put32(data + 28, UINT32_MAX, big);
		kept = decode(&trace, data, length, &ev);
		assert_int_equal(ev.wake.prio, -1);
		assert_int_equal(ev.wake.target_cpu, -1);
		free(kept);
		close_trace(&trace);
	}
}

static void unknown_bits(void **state)
{
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;
	uint32_t length;

	(void)state;
	open_trace(&trace, "6.18", false);
	length = make_switch(data, "6.18", false, 1, 0x402, 2);
	kept = decode(&trace, data, length, &ev);
	assert_true(ev.sw.prev_state == (cs_state_of('D') | CS_STATE_UNKNOWN));
	assert_int_equal(ev.sw.prev_unknown, 0x400);
	free(kept);
	close_trace(&trace);

	/* A 32-bit long with its top bit set is no 64-bit number. */
	open_trace(&trace, "4.9-arm", true);
	length = make_switch(data, "4.9-arm", true, 1, 0x80000001, 2);
	kept = decode(&trace, data, length, &ev);
	assert_true(ev.sw.prev_state == (cs_state_of('S') | CS_STATE_UNKNOWN));
	assert_int_equal(ev.sw.prev_unknown, 0x80000000);
	free(kept);
	close_trace(&trace);
}

static void contexts(void **state)
{
	static const struct {
		uint8_t flags;
		uint8_t want;
	} cases[] = {
		{0x00, CS_CONTEXT_TASK},    {0x01, CS_CONTEXT_TASK},
		{0x04, CS_CONTEXT_TASK},    {0x20, CS_CONTEXT_TASK},
		{0x80, CS_CONTEXT_TASK},    {0x08, CS_CONTEXT_HARDIRQ},
		{0x09, CS_CONTEXT_HARDIRQ}, {0x10, CS_CONTEXT_SOFTIRQ},
		{0x18, CS_CONTEXT_HARDIRQ}, {0x40, CS_CONTEXT_NMI},
		{0x58, CS_CONTEXT_NMI},	    {0xff, CS_CONTEXT_NMI},
	};

	(void)state;
	for (int big = 0; big < 2; big++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			uint8_t data[128], *kept;
			struct trace trace;
			struct cs_event ev;
			uint32_t length;

			open_trace(&trace, "6.18", big);
			length = make_waking(data, "6.18", big, 1, 2, 3);
			data[2] = cases[i].flags;
			kept = decode(&trace, data, length, &ev);
			assert_int_equal(ev.context, cases[i].want);
			free(kept);
			close_trace(&trace);
		}
}

/* The ids stand in tests/data/formats. */
static void put_common(uint8_t *data, uint16_t id, int32_t pid, bool big)
{
	memset(data, 0, 128);
	make_put16(data, id, big);
	make_put32(data + 4, (uint32_t)pid, big);
}

/* A record of the module; there is no sched_switch in the trace. */
static void phases(void **state)
{
	static const struct {
		const char *kernel;
		uint16_t id;
		uint16_t raw;
		uint8_t kind;
		uint8_t flags;
		cs_state want;
		uint8_t want_kind;
		uint8_t measured;
		bool disturbed;
	} cases[] = {
		{"6.12-ctxsw", 1499, 0, 1, 0x0f, CS_STATE_RUNNABLE, CS_KIND_PROCESS, 15,
		 false},
		{"6.12-ctxsw", 1499, 0x100, 0, 0x1f, CS_STATE_PREEMPTED, CS_KIND_THREAD,
		 15, true},
		{"6.1-ctxsw", 1341, 0x80, 2, 0x08, (cs_state)1 << ('I' - 'A'),
		 CS_KIND_KERNEL, 8, false},
		{"6.1-ctxsw", 1341, 0x10, 3, 0x0f, (cs_state)1 << ('X' - 'A'),
		 CS_KIND_IDLE, 15, false},
		/* of a module that is newer: a kind and a flag that nobody knows */
		{"6.1-ctxsw", 1341, 2, 4, 0x2f, (cs_state)1 << ('D' - 'A'),
		 CS_KIND_UNKNOWN, 15, false},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		bool big = i >= COUNT(cases);
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;
		size_t c = i % COUNT(cases);

		open_trace(&trace, cases[c].kernel, big);
		assert_int_equal(trace.format->switch_id, -1);
		put_common(data, cases[c].id, 51, big);
		memcpy(data + 8, "prev", 5);
		memcpy(data + 24, "next-next-next-1", 16);
		make_put32(data + 40, 50, big);
		make_put32(data + 44, 51, big);
		make_put32(data + 48, 40, big);
		make_put32(data + 52, 4194303, big);
		make_put16(data + 56, (uint16_t)-1, big);
		make_put16(data + 58, 120, big);
		make_put16(data + 60, cases[c].raw, big);
		data[62] = cases[c].kind;
		data[63] = cases[c].flags;
		for (unsigned int j = 0; j < 4; j++)
			make_put32(data + 64 + 4 * (size_t)j, UINT32_MAX - j, big);
		kept = decode(&trace, data, 80, &ev);
		assert_int_equal(ev.type, CS_EVENT_PHASES);
		assert_int_equal(ev.pid, 51);
		assert_string_equal(ev.sw.prev_comm, "prev");
		assert_memory_equal(ev.sw.next_comm, "next-next-next-1", 16);
		assert_int_equal(ev.sw.prev_pid, 50);
		assert_int_equal(ev.sw.next_pid, 51);
		assert_int_equal(ev.sw.prev_tgid, 40);
		assert_int_equal(ev.sw.next_tgid, 4194303);
		assert_int_equal(ev.sw.prev_prio, -1);
		assert_int_equal(ev.sw.next_prio, 120);
		assert_true(ev.sw.prev_state == cases[c].want);
		assert_int_equal(ev.sw.kind, cases[c].want_kind);
		assert_int_equal(ev.sw.measured, cases[c].measured);
		assert_int_equal(ev.sw.disturbed, cases[c].disturbed);
		for (unsigned int j = 0; j < CS_PHASES; j++)
			assert_int_equal(ev.sw.phase_ns[j], UINT32_MAX - j);
		free(kept);
		kept = decode(&trace, data, 79, &ev);
		assert_int_equal(ev.type, CS_EVENT_OTHER);
		assert_int_equal(trace.decoder.broken, 1);
		free(kept);
		close_trace(&trace);
	}
}

static void pi_boosts(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;
		uint16_t id = 0;

		open_trace(&trace, "6.12-ctxsw", big);
		for (int i = 0; i < CS_EVENT_IDS; i++)
			if (trace.format->index[i] &&
			    trace.format->events[trace.format->index[i]].type ==
				    CS_EVENT_PRIO)
				id = (uint16_t)i;
		put_common(data, id, 60, big);
		memcpy(data + 8, "holder", 7);
		make_put32(data + 40, 50, big);
		make_put32(data + 44, 50, big);
		make_put32(data + 48, 60, big);
		make_put16(data + 52, (uint16_t)-1, big);
		make_put16(data + 54, 120, big);
		make_put16(data + 56, 98, big);
		make_put16(data + 58, (uint16_t)-1, big);
		data[60] = 1;
		kept = decode(&trace, data, 64, &ev);
		assert_int_equal(ev.type, CS_EVENT_PRIO);
		assert_string_equal(ev.prio.comm, "holder");
		assert_int_equal(ev.prio.pid, 50);
		assert_int_equal(ev.prio.old_prio, 98);
		assert_int_equal(ev.prio.new_prio, -1);
		assert_int_equal(ev.prio.base_prio, 120);
		assert_int_equal(ev.prio.donor, 60);
		free(kept);
		close_trace(&trace);
	}
}

/* Old kernels: success 0 woke nobody; newer ones have no such field. */
static void wakeups(void **state)
{
	static const struct {
		const char *kernel;
		bool big;
		uint16_t id; /* 0: that of sched_waking */
		int success; /* -1: no such field */
		uint8_t want;
	} cases[] = {
		{"6.18", false, 0, -1, CS_EVENT_WAKING},
		{"6.18", false, 374, -1, CS_EVENT_WAKEUP},
		{"6.18", false, 373, -1, CS_EVENT_WAKEUP_NEW},
		{"6.18", true, 374, -1, CS_EVENT_WAKEUP},
		{"6.1-rt", false, 0, -1, CS_EVENT_WAKING},
		{"4.9-arm", false, 66, 1, CS_EVENT_WAKEUP},
		{"4.9-arm", false, 66, 0, CS_EVENT_OTHER},
		{"4.9-arm", false, 65, 1, CS_EVENT_WAKEUP_NEW},
		{"4.9-arm", true, 67, 1, CS_EVENT_WAKING},
		{"3.10-ppc64", true, 60, 1, CS_EVENT_WAKEUP},
		{"3.10-ppc64", true, 60, 0, CS_EVENT_OTHER},
		{"2.6.32", false, 52, 0, CS_EVENT_OTHER},
		{"2.6.32", false, 52, 1, CS_EVENT_WAKEUP},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;
		uint32_t length;

		open_trace(&trace, cases[i].kernel, cases[i].big);
		length = make_waking(data, cases[i].kernel, cases[i].big, 11, 22, 33);
		if (cases[i].id)
			make_put16(data, cases[i].id, cases[i].big);
		if (cases[i].success >= 0)
			make_put32(data + 32, cases[i].success, cases[i].big);
		kept = decode(&trace, data, length, &ev);
		assert_int_equal(ev.type, cases[i].want);
		assert_int_equal(ev.pid, 11);
		if (ev.type != CS_EVENT_OTHER) {
			assert_int_equal(ev.wake.pid, 22);
			assert_int_equal(ev.wake.prio, 98);
			assert_int_equal(ev.wake.target_cpu, 33);
			assert_string_equal(ev.wake.comm, "task-22");
		}
		free(kept);
		close_trace(&trace);
	}
}

/* Common fields of 6.18; the id stands in tests/data/formats/6.18. */
static void begin(uint8_t *data, uint16_t id, int32_t pid, bool big)
{
	memset(data, 0, 128);
	make_put16(data, id, big);
	make_put32(data + 4, pid, big);
}

static void tasks(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;

		open_trace(&trace, "6.18", big);

		/* sched_process_fork: both comms elsewhere in the record */
		begin(data, 366, 100, big);
		make_put32(data + 8, 7u << 16 | 24, big);
		make_put32(data + 12, 100, big);
		make_put32(data + 16, 6u << 16 | 31, big);
		make_put32(data + 20, 101, big);
		memcpy(data + 24, "parent", 7);
		memcpy(data + 31, "child", 6);
		kept = decode(&trace, data, 40, &ev);
		assert_int_equal(ev.type, CS_EVENT_FORK);
		assert_int_equal(ev.task.pid, 101);
		assert_int_equal(ev.task.parent, 100);
		assert_int_equal(ev.task.same_thread, -1);
		assert_string_equal(ev.task.comm, "child");
		free(kept);

		/* task_newtask: a thread, then a process */
		begin(data, 205, 100, big);
		make_put32(data + 8, 102, big);
		memcpy(data + 12, "thread", 7);
		make_put64(data + 32, 0x3d0f00, big);
		kept = decode(&trace, data, 44, &ev);
		assert_int_equal(ev.type, CS_EVENT_FORK);
		assert_int_equal(ev.task.pid, 102);
		assert_int_equal(ev.task.parent, 100);
		assert_int_equal(ev.task.same_thread, 1);
		assert_string_equal(ev.task.comm, "thread");
		free(kept);
		make_put64(data + 32, 0x1200011 & ~0x10000, big);
		kept = decode(&trace, data, 44, &ev);
		assert_int_equal(ev.task.same_thread, 0);
		free(kept);

		/* sched_process_exec tells no comm */
		begin(data, 365, 101, big);
		make_put32(data + 8, 8u << 16 | 20, big);
		make_put32(data + 12, 101, big);
		make_put32(data + 16, 99, big);
		memcpy(data + 20, "/bin/ls", 8);
		kept = decode(&trace, data, 28, &ev);
		assert_int_equal(ev.type, CS_EVENT_EXEC);
		assert_int_equal(ev.task.pid, 101);
		assert_int_equal(ev.task.parent, CS_PID_UNKNOWN);
		assert_null(ev.task.comm);
		free(kept);

		/* sched_process_exit */
		begin(data, 369, 101, big);
		memcpy(data + 8, "ls", 3);
		make_put32(data + 24, 101, big);
		kept = decode(&trace, data, 36, &ev);
		assert_int_equal(ev.type, CS_EVENT_EXIT);
		assert_int_equal(ev.task.pid, 101);
		assert_string_equal(ev.task.comm, "ls");
		free(kept);

		/* task_rename: the new comm */
		begin(data, 204, 101, big);
		make_put32(data + 8, 101, big);
		memcpy(data + 12, "old", 4);
		memcpy(data + 28, "0123456789abcdef", 16);
		kept = decode(&trace, data, 46, &ev);
		assert_int_equal(ev.type, CS_EVENT_RENAME);
		assert_memory_equal(ev.task.comm, "0123456789abcdef", CS_COMM_LEN);
		free(kept);

		/* sched_migrate_task */
		begin(data, 371, 1, big);
		make_put32(data + 8, 4u << 16 | 28, big);
		make_put32(data + 12, 55, big);
		make_put32(data + 20, 2, big);
		make_put32(data + 24, 7, big);
		memcpy(data + 28, "mig", 4);
		kept = decode(&trace, data, 32, &ev);
		assert_int_equal(ev.type, CS_EVENT_MIGRATE);
		assert_int_equal(ev.migrate.pid, 55);
		assert_int_equal(ev.migrate.from, 2);
		assert_int_equal(ev.migrate.to, 7);
		assert_string_equal(ev.migrate.comm, "mig");
		free(kept);

		/* sched_pi_setprio, from deadline back to normal */
		begin(data, 362, 9, big);
		make_put32(data + 8, 5u << 16 | 24, big);
		make_put32(data + 12, 77, big);
		make_put32(data + 16, UINT32_MAX, big);
		make_put32(data + 20, 120, big);
		memcpy(data + 24, "lock", 5);
		kept = decode(&trace, data, 32, &ev);
		assert_int_equal(ev.type, CS_EVENT_PRIO);
		assert_int_equal(ev.prio.pid, 77);
		assert_int_equal(ev.prio.old_prio, -1);
		assert_int_equal(ev.prio.new_prio, 120);
		assert_int_equal(ev.prio.donor, CS_PID_UNKNOWN);
		assert_string_equal(ev.prio.comm, "lock");
		free(kept);
		close_trace(&trace);
	}
}

/* Older kernels have the comm of sched_pi_setprio in place. */
static void pi_setprio_in_place(void **state)
{
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;
	int32_t id = -1;

	(void)state;
	open_trace(&trace, "4.9-arm", false);
	for (uint32_t i = 0; i < CS_EVENT_IDS; i++)
		if (trace.format->events[trace.format->index[i]].type == CS_EVENT_PRIO)
			id = i;
	assert_int_equal(id, 60);
	begin(data, id, 9, false);
	memcpy(data + 8, "lock", 5);
	make_put32(data + 24, 77, false);
	make_put32(data + 28, 120, false);
	make_put32(data + 32, 98, false);
	kept = decode(&trace, data, 36, &ev);
	assert_int_equal(ev.prio.pid, 77);
	assert_int_equal(ev.prio.old_prio, 120);
	assert_int_equal(ev.prio.new_prio, 98);
	assert_string_equal(ev.prio.comm, "lock");
	free(kept);
	close_trace(&trace);
}

static void interrupts(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t data[128], *kept;
		struct trace trace;
		struct cs_event ev;

		open_trace(&trace, "6.18", big);
		begin(data, 225, 0, big);
		make_put32(data + 8, 33, big);
		make_put32(data + 12, 5u << 16 | 16, big);
		memcpy(data + 16, "eth0", 5);
		kept = decode(&trace, data, 24, &ev);
		assert_int_equal(ev.type, CS_EVENT_IRQ);
		assert_int_equal(ev.irq.kind, CS_IRQ_HARD);
		assert_true(ev.irq.enter);
		assert_int_equal(ev.irq.nr, 33);
		assert_string_equal(ev.irq.name, "eth0");
		free(kept);

		begin(data, 224, 0, big);
		make_put32(data + 8, 33, big);
		kept = decode(&trace, data, 16, &ev);
		assert_int_equal(ev.irq.kind, CS_IRQ_HARD);
		assert_false(ev.irq.enter);
		assert_null(ev.irq.name);
		free(kept);

		begin(data, 223, 0, big);
		make_put32(data + 8, 9, big);
		kept = decode(&trace, data, 12, &ev);
		assert_int_equal(ev.irq.kind, CS_IRQ_SOFT);
		assert_int_equal(ev.irq.nr, 9);
		assert_string_equal(ev.irq.name, "RCU");
		free(kept);
		make_put32(data + 8, 10, big);
		kept = decode(&trace, data, 12, &ev);
		assert_null(ev.irq.name);
		free(kept);
		make_put32(data + 8, UINT32_MAX, big);
		kept = decode(&trace, data, 12, &ev);
		assert_null(ev.irq.name);
		free(kept);

		begin(data, 165, 0, big);
		make_put32(data + 8, 236, big);
		kept = decode(&trace, data, 12, &ev);
		assert_int_equal(ev.irq.kind, CS_IRQ_VECTOR);
		assert_true(ev.irq.enter);
		assert_int_equal(ev.irq.nr, 236);
		assert_string_equal(ev.irq.name, "local_timer");
		free(kept);

		begin(data, 458, 0, big);
		kept = decode(&trace, data, 16, &ev);
		assert_int_equal(ev.irq.kind, CS_IRQ_HRTIMER);
		assert_false(ev.irq.enter);
		free(kept);
		close_trace(&trace);
	}
}

static void markers(void **state)
{
	static const struct {
		const char *text;
		uint32_t length; /* behind the 16 bytes before it */
		const char *want;
	} cases[] = {
		{"hello\n\0xxxx", 12, "hello"},
		{"hello\n", 6, "hello"},
		{"hello", 5, "hello"},
		{"a\nb\n\n\0", 8, "a\nb"},
		{"", 0, ""},
		{"\n", 4, ""},
	};
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;

	(void)state;
	open_trace(&trace, "6.18", false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		begin(data, 5, 42, false);
		memcpy(data + 16, cases[i].text, strlen(cases[i].text) + 1);
		kept = decode(&trace, data, 16 + cases[i].length, &ev);
		assert_int_equal(ev.type, CS_EVENT_MARKER);
		assert_int_equal(ev.pid, 42);
		assert_int_equal(ev.marker.length, strlen(cases[i].want));
		assert_memory_equal(ev.marker.text, cases[i].want, ev.marker.length);
		free(kept);
	}
	close_trace(&trace);
}

/* Words that tell where a text is can tell anything. */
static void locations(void **state)
{
	static const struct {
		uint32_t offset, length, record;
		const char *comm; /* NULL: none */
	} cases[] = {
		{24, 5, 32, "lock"},
		{24, 60000, 32, "lockABCD"}, /* cut at the record's end */
		{24, 0, 32, ""},
		{32, 5, 32, ""}, /* at the end there is nothing */
		{33, 5, 32, NULL},
		{65535, 65535, 32, NULL},
		{0, 4, 32, "j\x01"}, /* into the header: bytes as they are */
		{24, 100, 64, "lockABCDEFGHIJKL"}, /* longer than a comm */
	};
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;

	(void)state;
	open_trace(&trace, "6.18", false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		begin(data, 362, 9, false);
		make_put32(data + 8, cases[i].length << 16 | cases[i].offset, false);
		memcpy(data + 24, "lockABCDEFGHIJKLMNOPQRSTUVWXYZ", 30);
		if (!strcmp(cases[i].comm ? cases[i].comm : "", "lock"))
			data[28] = '\0';
		kept = decode(&trace, data, cases[i].record, &ev);
		assert_int_equal(ev.type, CS_EVENT_PRIO);
		if (!cases[i].comm) {
			assert_null(ev.prio.comm);
		} else {
			char want[CS_COMM_LEN] = "";

			memcpy(want, cases[i].comm, strlen(cases[i].comm));
			if (i == 6)
				assert_memory_equal(ev.prio.comm, "j\x01", 3);
			else
				assert_memory_equal(ev.prio.comm, want, CS_COMM_LEN);
		}
		free(kept);
	}

	/* An interrupt's name without NUL is copied, and cut where it is too long. */
	begin(data, 225, 0, false);
	make_put32(data + 12, 4u << 16 | 16, false);
	memcpy(data + 16, "eth0", 4);
	kept = decode(&trace, data, 20, &ev);
	assert_string_equal(ev.irq.name, "eth0");
	free(kept);
	memset(data + 16, 'x', 100);
	make_put32(data + 12, 100u << 16 | 16, false);
	kept = decode(&trace, data, 116, &ev);
	assert_int_equal(strlen(ev.irq.name), sizeof(trace.decoder.name) - 1);
	free(kept);
	close_trace(&trace);
}

/* Too short for any event, and ids that nobody knows. */
static void others(void **state)
{
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;

	(void)state;
	open_trace(&trace, "6.18", false);
	begin(data, 372, 9, false);
	for (uint32_t length = 0; length < 8; length++) {
		kept = decode(&trace, data, length, &ev);
		assert_int_equal(ev.type, CS_EVENT_OTHER);
		assert_int_equal(ev.pid, CS_PID_UNKNOWN);
		assert_int_equal(ev.context, CS_CONTEXT_UNKNOWN);
		assert_int_equal(trace.decoder.broken, length + 1);
		free(kept);
	}
	begin(data, 65535, 9, false);
	kept = decode(&trace, data, 8, &ev);
	assert_int_equal(ev.type, CS_EVENT_OTHER);
	assert_int_equal(ev.pid, 9);
	assert_int_equal(ev.context, CS_CONTEXT_TASK);
	assert_int_equal(trace.decoder.broken, 8);
	free(kept);
	close_trace(&trace);
}

/* Bytes of a comm stay as they are: 16 without NUL, quotes, non-ASCII. */
static void comms(void **state)
{
	static const char bytes[] = "a pid=1 ==> \"\xff\n:";
	uint8_t data[128], *kept;
	struct trace trace;
	struct cs_event ev;
	uint32_t length;

	(void)state;
	for (int big = 0; big < 2; big++) {
		open_trace(&trace, "6.18", big);
		length = make_switch(data, "6.18", big, 1, 0, 2);
		memcpy(data + 8, bytes, CS_COMM_LEN);
		memcpy(data + 40, "0123456789abcdef", CS_COMM_LEN);
		kept = decode(&trace, data, length, &ev);
		assert_memory_equal(ev.sw.prev_comm, bytes, CS_COMM_LEN);
		assert_memory_equal(ev.sw.next_comm, "0123456789abcdef", CS_COMM_LEN);
		free(kept);
		close_trace(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches),
		cmocka_unit_test(signs),
		cmocka_unit_test(unknown_bits),
		cmocka_unit_test(contexts),
		cmocka_unit_test(phases),
		cmocka_unit_test(pi_boosts),
		cmocka_unit_test(wakeups),
		cmocka_unit_test(tasks),
		cmocka_unit_test(pi_setprio_in_place),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(markers),
		cmocka_unit_test(locations),
		cmocka_unit_test(others),
		cmocka_unit_test(comms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
