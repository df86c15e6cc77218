/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the text form of events: doc/text-events.md. Each line is put
 * together in memory: a dump has as many lines as the trace has events.
 */
#include "user/output/dump.h"

#include <string.h>

/* A line without its quoted text: the longest has two states and two comms. */
#define LINE_MAX_BYTES 640

struct line {
	char text[LINE_MAX_BYTES];
	unsigned int length;
};

static void put_char(struct line *line, char c)
{
	if (line->length < sizeof(line->text))
		line->text[line->length++] = c;
}

static void put(struct line *line, const char *text)
{
	while (*text)
		put_char(line, *text++);
}

static void put_unsigned(struct line *line, uint64_t number)
{
	char digits[24];
	unsigned int count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count)
		put_char(line, digits[--count]);
}

/* A number that may be unknown: then it is @unknown, written as "?". */
static void put_number(struct line *line, int64_t number, int64_t unknown)
{
	if (number == unknown) {
		put_char(line, '?');
		return;
	}
	if (number < 0)
		put_char(line, '-');
	put_unsigned(line, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static unsigned int escape(char byte, char *text)
{
	static const char hex[] = "0123456789abcdef";
	char letter = byte == '\n' ? 'n' : byte == '\t' ? 't' : byte;
	unsigned char value = (unsigned char)byte;

	if (byte == '"' || byte == '\\' || letter != byte) {
		text[0] = '\\';
		text[1] = letter;
		return 2;
	}
	if (byte >= ' ' && byte <= '~') {
		text[0] = byte;
		return 1;
	}
	text[0] = '\\';
	text[1] = 'x';
	text[2] = hex[value >> 4];
	text[3] = hex[value & 15];
	return 4;
}

static void put_quoted(struct line *line, const char *text, unsigned int bytes)
{
	char escaped[4];

	put_char(line, '"');
	for (unsigned int i = 0; i < bytes; i++) {
		unsigned int length = escape(text[i], escaped);

		for (unsigned int j = 0; j < length; j++)
			put_char(line, escaped[j]);
	}
	put_char(line, '"');
}

/* The same on the stream, for a text of any length. */
static void write_escaped(FILE *out, const char *text, size_t bytes)
{
	char escaped[4];

	for (size_t i = 0; i < bytes; i++)
		fwrite(escaped, 1, escape(text[i], escaped), out);
}

/* Characters of a comm that needs no quotes. */
static bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || (c && strchr("_./()+@-", c));
}

static void put_task(struct line *line, const char *comm, int32_t pid)
{
	put_char(line, ' ');
	if (comm) {
		unsigned int bytes = (unsigned int)strnlen(comm, CS_COMM_LEN);
		bool bare = bytes > 0;

		for (unsigned int i = 0; i < bytes; i++)
			bare = bare && is_bare(comm[i]);
		if (bare)
			for (unsigned int i = 0; i < bytes; i++)
				put_char(line, comm[i]);
		else
			put_quoted(line, comm, bytes);
		put_char(line, ':');
	}
	put_number(line, pid, CS_PID_UNKNOWN);
}

static void put_prio(struct line *line, int32_t prio)
{
	put_char(line, '/');
	put_number(line, prio, CS_PRIO_UNKNOWN);
}

static void put_state(struct line *line, cs_state state, uint32_t unknown)
{
	char text[CS_STATE_TEXT], hex[16];
	cs_state letters = state & ~(CS_STATE_UNKNOWN | CS_STATE_PREEMPTED);

	put_char(line, '/');
	if (!unknown) {
		put(line, cs_state_text(state, text));
		return;
	}
	if (letters) {
		put(line, cs_state_text(letters, text));
		put_char(line, '|');
	}
	snprintf(hex, sizeof(hex), "0x%x", unknown);
	put(line, hex);
	if (state & CS_STATE_PREEMPTED)
		put_char(line, '+');
}

static void put_switch(struct line *line, const struct cs_event *ev)
{
	put(line, "SW");
	put_task(line, ev->sw.prev_comm, ev->sw.prev_pid);
	put_prio(line, ev->sw.prev_prio);
	put_state(line, ev->sw.prev_state, ev->sw.prev_unknown);
	put(line, " >");
	put_task(line, ev->sw.next_comm, ev->sw.next_pid);
	put_prio(line, ev->sw.next_prio);
}

static void put_tgid(struct line *line, int32_t tgid)
{
	put_char(line, '/');
	put_number(line, tgid, CS_PID_UNKNOWN);
	put_char(line, 't');
}

static void put_phases(struct line *line, const struct cs_event *ev)
{
	static const char *const kinds[] = {
		[CS_KIND_THREAD] = " thread",	[CS_KIND_PROCESS] = " process",
		[CS_KIND_KERNEL] = " kernel",	[CS_KIND_IDLE] = " idle",
		[CS_KIND_UNKNOWN] = " unknown",
	};
	static const char *const phases[CS_PHASES] = {
		[CS_PHASE_PREPARE] = " prepare=",
		[CS_PHASE_MM] = " mm=",
		[CS_PHASE_SWITCH_TO] = " switch_to=",
		[CS_PHASE_FINISH] = " finish=",
	};

	put(line, "PH");
	put_task(line, ev->sw.prev_comm, ev->sw.prev_pid);
	put_tgid(line, ev->sw.prev_tgid);
	put_prio(line, ev->sw.prev_prio);
	put_state(line, ev->sw.prev_state, ev->sw.prev_unknown);
	put(line, " >");
	put_task(line, ev->sw.next_comm, ev->sw.next_pid);
	put_tgid(line, ev->sw.next_tgid);
	put_prio(line, ev->sw.next_prio);
	put(line, kinds[ev->sw.kind]);
	for (unsigned int i = 0; i < CS_PHASES; i++) {
		bool measured = ev->sw.measured >> i & 1;

		if (!measured && !ev->sw.phase_ns[i])
			continue;
		put(line, phases[i]);
		if (!measured)
			put_char(line, '?');
		put_unsigned(line, ev->sw.phase_ns[i]);
	}
	if (ev->sw.disturbed)
		put(line, " disturbed");
}

static void put_wake(struct line *line, const char *name, const struct cs_event *ev)
{
	put(line, name);
	put_task(line, ev->wake.comm, ev->wake.pid);
	put_prio(line, ev->wake.prio);
	if (ev->wake.target_cpu != CS_CPU_UNKNOWN) {
		put(line, " @");
		put_number(line, ev->wake.target_cpu, CS_CPU_UNKNOWN);
	}
}

static void put_boost(struct line *line, const struct cs_event *ev)
{
	put(line, "PI");
	put_task(line, ev->prio.comm, ev->prio.pid);
	put_char(line, ' ');
	put_number(line, ev->prio.old_prio, CS_PRIO_UNKNOWN);
	put_char(line, '>');
	put_number(line, ev->prio.new_prio, CS_PRIO_UNKNOWN);
	if (ev->prio.base_prio != CS_PRIO_UNKNOWN) {
		put(line, " base ");
		put_number(line, ev->prio.base_prio, CS_PRIO_UNKNOWN);
	}
	if (ev->prio.donor != CS_PID_UNKNOWN) {
		put(line, " donor ");
		put_number(line, ev->prio.donor, CS_PID_UNKNOWN);
	}
}

static void put_fork(struct line *line, const struct cs_event *ev)
{
	put(line, "FK");
	put_task(line, ev->task.comm, ev->task.pid);
	if (ev->task.same_thread >= 0)
		put(line, ev->task.same_thread ? " thread" : " process");
	if (ev->task.parent != ev->pid) {
		put(line, " parent ");
		put_number(line, ev->task.parent, CS_PID_UNKNOWN);
	}
}

static void put_irq(struct line *line, const struct cs_event *ev)
{
	static const char *const kinds[] = {
		[CS_IRQ_HARD] = " hard ",
		[CS_IRQ_SOFT] = " soft ",
		[CS_IRQ_VECTOR] = " vector ",
		[CS_IRQ_HRTIMER] = " hrtimer ",
	};

	put(line, ev->irq.enter ? "IRQ+" : "IRQ-");
	put(line, kinds[ev->irq.kind]);
	put_number(line, ev->irq.nr, INT64_MIN);
}

static void put_event(struct line *line, const struct cs_event *ev)
{
	switch (ev->type) {
	case CS_EVENT_SWITCH:
		put_switch(line, ev);
		break;
	case CS_EVENT_PHASES:
		put_phases(line, ev);
		break;
	case CS_EVENT_WAKING:
		put_wake(line, "WG", ev);
		break;
	case CS_EVENT_WAKEUP:
		put_wake(line, "WK", ev);
		break;
	case CS_EVENT_WAKEUP_NEW:
		put_wake(line, "WN", ev);
		break;
	case CS_EVENT_MIGRATE:
		put(line, "MG");
		put_task(line, ev->migrate.comm, ev->migrate.pid);
		put_char(line, ' ');
		put_number(line, ev->migrate.from, CS_CPU_UNKNOWN);
		put_char(line, '>');
		put_number(line, ev->migrate.to, CS_CPU_UNKNOWN);
		break;
	case CS_EVENT_PRIO:
		put_boost(line, ev);
		break;
	case CS_EVENT_FORK:
		put_fork(line, ev);
		break;
	case CS_EVENT_EXEC:
	case CS_EVENT_EXIT:
	case CS_EVENT_RENAME:
		put(line, ev->type == CS_EVENT_EXEC   ? "EX"
			  : ev->type == CS_EVENT_EXIT ? "XT"
						      : "RN");
		put_task(line, ev->task.comm, ev->task.pid);
		break;
	case CS_EVENT_IRQ:
		put_irq(line, ev);
		break;
	case CS_EVENT_MARKER:
		put(line, "MK");
		break;
	case CS_EVENT_LOST:
		put(line, "LOST ");
		if (ev->lost.count)
			put_unsigned(line, ev->lost.count);
		else
			put_char(line, '?');
		break;
	default:
		put(line, "OT");
	}
}

static void put_origin(struct line *line, const struct cs_event *ev)
{
	static const char *const contexts[] = {
		[CS_CONTEXT_TASK] = " task",	   [CS_CONTEXT_SOFTIRQ] = " softirq",
		[CS_CONTEXT_HARDIRQ] = " hardirq", [CS_CONTEXT_NMI] = " nmi",
		[CS_CONTEXT_UNKNOWN] = " unknown",
	};
	int32_t pid = ev->type == CS_EVENT_SWITCH   ? ev->sw.prev_pid
		      : ev->type == CS_EVENT_PHASES ? ev->sw.next_pid
						    : CS_PID_UNKNOWN;
	uint8_t context = ev->type == CS_EVENT_LOST ? CS_CONTEXT_UNKNOWN
						    : CS_CONTEXT_TASK;

	if (ev->pid != pid) {
		put(line, " by ");
		put_number(line, ev->pid, CS_PID_UNKNOWN);
	}
	if (ev->context != context)
		put(line, contexts[ev->context]);
}

void cs_dump_event(struct cs_dump *dump, const struct cs_event *ev)
{
	struct line line = {.length = 0};
	const char *text = NULL;
	size_t bytes = 0;

	put_unsigned(&line, ev->ts);
	put_char(&line, ' ');
	put_number(&line, ev->cpu, CS_CPU_UNKNOWN);
	put_char(&line, ' ');
	put_event(&line, ev);
	if (ev->type == CS_EVENT_MARKER) {
		text = ev->marker.text;
		bytes = ev->marker.length;
	} else if (ev->type == CS_EVENT_IRQ && ev->irq.name) {
		text = ev->irq.name;
		bytes = strlen(text);
	}
	if (text) {
		put(&line, " \"");
		fwrite(line.text, 1, line.length, dump->out);
		write_escaped(dump->out, text, bytes);
		line.length = 0;
		put_char(&line, '"');
	}
	put_origin(&line, ev);
	put_char(&line, '\n');
	fwrite(line.text, 1, line.length, dump->out);
}

static void put_directive(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "! %s ", name);
	if (*text == ' ') { /* else it would be one that separates words */
		fputs("\\x20", out);
		text++;
	}
	write_escaped(out, text, strlen(text));
	fputc('\n', out);
}

static void put_notes(struct cs_dump *dump, const struct cs_source *source)
{
	while (dump->notes < source->notes_count)
		put_directive(dump->out, "note", source->notes[dump->notes++]);
}

void cs_dump_begin(struct cs_dump *dump, FILE *out, const struct cs_source *source)
{
	dump->out = out;
	dump->notes = 0;
	fputs("# ctxsw events 1\n", out);
	put_directive(out, "kernel", source->kernel);
	put_directive(out, "arch", source->arch);
	put_directive(out, "clock", source->clock);
	if (source->buffer && *source->buffer)
		put_directive(out, "buffer", source->buffer);
	if (source->cpus)
		fprintf(out, "! cpus %u\n", source->cpus);
	put_notes(dump, source);
}

void cs_dump_end(struct cs_dump *dump, const struct cs_source *source)
{
	put_notes(dump, source);
}
