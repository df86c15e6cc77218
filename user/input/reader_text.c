/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads events written as text (doc/text-events.md): test cases, bug reports,
 * what `ctxsw report --dump` wrote. Strict: an error names the line and what
 * was expected there. Only one line is kept in memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/input/notes.h"
#include "user/input/reader.h"

#define MAGIC "# ctxsw events "

/* Longer lines do not exist: the longest is a marker of a whole page, escaped. */
#define LINE_BYTES_MAX (1u << 20)

/* Longest piece of a line that an error repeats. */
#define SHOWN 24

/**
 * struct text_reader - a text file being read
 * @path: copy of its name, for messages
 * @line: the line being read, NUL-terminated; @room bytes of memory
 * @c: where in @line
 * @number: of the line
 * @unit: ns of one unit of time
 * @begun: there has been an event
 * @ended: no more is to come, or an error has been told
 * @first: the first event, read already when the file was opened
 * @waiting: @first has not been delivered
 * @comms: of the event
 * @text: unescaped text of the event; as large as @line
 */
struct text_reader {
	struct cs_reader base;
	FILE *file;
	char *path;
	char *line;
	char *text;
	size_t room;
	const char *c;
	uint64_t number;
	uint64_t unit;
	bool begun;
	bool ended;
	bool waiting;
	struct cs_event first;
	char comms[2][CS_COMM_LEN];
	struct cs_notes notes;
	struct cs_error *error;
};

/* ---- lines ---------------------------------------------------------------------- */

static int out_of_memory(struct text_reader *reader)
{
	return cs_error_set(reader->error, -ENOMEM, "%s: out of memory", reader->path);
}

/* All below return 0, or set the error and return what this returns. */
static int expected(struct text_reader *reader, const char *what)
{
	bool more = strlen(reader->c) > SHOWN;

	if (!*reader->c)
		return cs_error_set(reader->error, -EINVAL,
				    "%s: line %" PRIu64
				    ": expected %s, not the end of the line",
				    reader->path, reader->number, what);
	return cs_error_set(reader->error, -EINVAL,
			    "%s: line %" PRIu64 ": expected %s at '%.*s%s'", reader->path,
			    reader->number, what, SHOWN, reader->c, more ? "..." : "");
}

static bool grow(struct text_reader *reader)
{
	size_t room = reader->room ? 2 * reader->room : 256;
	char *line = realloc(reader->line, room);
	char *text;

	if (!line)
		return false;
	reader->line = line;
	text = realloc(reader->text, room);
	if (!text)
		return false;
	reader->text = text;
	reader->room = room;
	return true;
}

/* The next line, without its end. 1 for a line, 0 at the end of the file. */
static int read_line(struct text_reader *reader)
{
	size_t length = 0;
	int byte;

	errno = 0;
	reader->number++;
	while ((byte = getc(reader->file)) != EOF && byte != '\n') {
		if (length + 2 > reader->room && !grow(reader))
			return out_of_memory(reader);
		if (!byte || length == LINE_BYTES_MAX)
			return cs_error_set(reader->error, -EINVAL,
					    "%s: line %" PRIu64
					    ": %s: this is no text file",
					    reader->path, reader->number,
					    byte ? "longer than a line can be"
						 : "a zero byte");
		reader->line[length++] = (char)byte;
	}
	if (byte == EOF && ferror(reader->file))
		return cs_error_set(reader->error, errno ? -errno : -EIO, "%s: %s",
				    reader->path, strerror(errno ? errno : EIO));
	if (byte == EOF && !length)
		return 0;
	if (!reader->room && !grow(reader))
		return out_of_memory(reader);
	if (length && reader->line[length - 1] == '\r')
		length--;
	reader->line[length] = '\0';
	reader->c = reader->line;
	return 1;
}

static bool skip_spaces(struct text_reader *reader)
{
	size_t length = strspn(reader->c, " \t");

	reader->c += length;
	return length > 0;
}

static bool at_end_of_word(const char *c)
{
	return !*c || *c == ' ' || *c == '\t';
}

/* Takes @word and the spaces behind it, if it is what comes next. */
static bool take_word(struct text_reader *reader, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(reader->c, word, length) || !at_end_of_word(reader->c + length))
		return false;
	reader->c += length;
	skip_spaces(reader);
	return true;
}

static bool take_char(struct text_reader *reader, char c)
{
	if (*reader->c != c)
		return false;
	reader->c++;
	return true;
}

/* ---- values --------------------------------------------------------------------- */

static int take_unsigned(struct text_reader *reader, uint64_t max, const char *what,
			 uint64_t *value)
{
	const char *begin = reader->c;
	char *end;

	if (*begin < '0' || *begin > '9')
		return expected(reader, what);
	errno = 0;
	*value = strtoull(begin, &end, 10);
	if (errno || *value > max)
		return expected(reader, what);
	reader->c = end;
	return 0;
}

/* A 32-bit number; "?" is @unknown, where there is such a thing. */
static int take_number(struct text_reader *reader, const char *what,
		       const int32_t *unknown, int32_t *value)
{
	const char *begin = reader->c;
	bool negative;
	uint64_t size;
	char *end;

	if (unknown && take_char(reader, '?')) {
		*value = *unknown;
		return 0;
	}
	negative = take_char(reader, '-');
	if (*reader->c < '0' || *reader->c > '9') {
		reader->c = begin;
		return expected(reader, what);
	}
	errno = 0;
	size = strtoull(reader->c, &end, 10);
	reader->c = end;
	if (errno || size > (uint64_t)INT32_MAX + negative) {
		reader->c = begin;
		return expected(reader, what);
	}
	*value = (int32_t)(negative ? -(int64_t)size : (int64_t)size);
	return 0;
}

static int take_pid(struct text_reader *reader, const char *what, int32_t *pid)
{
	static const int32_t unknown = CS_PID_UNKNOWN;

	return take_number(reader, what, &unknown, pid);
}

static int take_prio(struct text_reader *reader, int32_t *prio)
{
	static const int32_t unknown = CS_PRIO_UNKNOWN;

	return take_number(reader, "a kernel priority or '?'", &unknown, prio);
}

static int take_cpu(struct text_reader *reader, int32_t *cpu)
{
	static const int32_t unknown = CS_CPU_UNKNOWN;
	const char *begin = reader->c;
	int ret = take_number(reader, "a CPU number or '?'", &unknown, cpu);

	if (!ret && *cpu < 0 && *begin != '?') {
		reader->c = begin;
		return expected(reader, "a CPU number or '?'");
	}
	return ret;
}

/* The CPU that wrote an event: one that an analysis takes, or '?'. */
static int take_own_cpu(struct text_reader *reader, int32_t *cpu)
{
	const char *begin = reader->c;
	int ret = take_cpu(reader, cpu);

	if (!ret && *cpu >= CS_CPUS_MAX) {
		reader->c = begin;
		return expected(reader, "a CPU number below 8192");
	}
	return ret;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* One character of an escaped text at *@c, which is moved behind it. */
static bool unescape(const char **c, char *byte)
{
	const char *at = *c;
	int high, low;

	if (*at != '\\') {
		*byte = *at;
		*c = at + 1;
		return true;
	}
	switch (at[1]) {
	case '"':
	case '\\':
		*byte = at[1];
		break;
	case 'n':
		*byte = '\n';
		break;
	case 't':
		*byte = '\t';
		break;
	case 'x':
		high = hex_digit(at[2]);
		low = high < 0 ? -1 : hex_digit(at[3]);
		if (low < 0)
			return false;
		*byte = (char)(high << 4 | low);
		*c = at + 4;
		return true;
	default:
		return false;
	}
	*c = at + 2;
	return true;
}

/* A quoted text into reader->text, its length into *@length. */
static int take_quoted(struct text_reader *reader, const char *what, size_t *length)
{
	if (!take_char(reader, '"'))
		return expected(reader, what);
	*length = 0;
	while (*reader->c != '"') {
		if (!*reader->c)
			return expected(reader, "a closing '\"'");
		if (!unescape(&reader->c, &reader->text[*length]))
			return expected(reader, "\\\", \\\\, \\n, \\t or \\xNN");
		++*length;
	}
	reader->c++;
	return 0;
}

static bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || (c && strchr("_./()+@-", c));
}

/* COMM:PID or PID. @comm gets the memory @to, or NULL when there is none. */
static int take_task(struct text_reader *reader, char *to, const char **comm,
		     int32_t *pid)
{
	const char *start = reader->c, *begin = start;
	size_t length = 0;
	int ret;

	*comm = NULL;
	if (*begin == '"') {
		ret = take_quoted(reader, "a comm in quotes", &length);
		if (ret)
			return ret;
		begin = reader->text;
		if (!take_char(reader, ':'))
			return expected(reader, "':' and a pid behind the comm");
	} else {
		while (is_bare(begin[length]))
			length++;
		if (!length || begin[length] != ':')
			return take_pid(reader, "a task, COMM:PID or PID", pid);
		reader->c += length + 1;
	}
	if (length > CS_COMM_LEN) {
		reader->c = start;
		return expected(reader, "a comm of at most 16 bytes");
	}
	memset(to, 0, CS_COMM_LEN);
	memcpy(to, begin, length);
	*comm = to;
	return take_pid(reader, "a pid or '?' behind the comm", pid);
}

static int take_slash(struct text_reader *reader, const char *what)
{
	return take_char(reader, '/') ? 0 : expected(reader, what);
}

/* Letters as cs_state_text() writes them; 0xN for bits without a letter. */
static int take_state(struct text_reader *reader, cs_state *state, uint32_t *unknown)
{
	static const char what[] = "a task state such as S, D|W, R+ or S|0x400";
	const char *begin = reader->c, *hex = NULL;
	size_t length = strcspn(begin, " \t>");
	size_t letters = length;
	bool plus = false;
	char *end;

	for (size_t i = 0; i + 2 < length && !hex; i++)
		if (begin[i] == '0' && begin[i + 1] == 'x' && (!i || begin[i - 1] == '|'))
			hex = begin + i;
	*unknown = 0;
	*state = CS_STATE_RUNNABLE;
	if (hex) {
		unsigned long long bits;

		if (hex_digit(hex[2]) < 0)
			return expected(reader, what);
		errno = 0;
		bits = strtoull(hex, &end, 16);
		plus = *end == '+';
		if (errno || !bits || bits > UINT32_MAX || end + plus != begin + length)
			return expected(reader, what);
		*unknown = (uint32_t)bits;
		letters = hex == begin ? 0 : (size_t)(hex - begin) - 1;
	}
	if (hex != begin && !cs_state_parse(begin, (unsigned int)letters, state))
		return expected(reader, what);
	if (hex)
		*state |= CS_STATE_UNKNOWN;
	if (plus)
		*state |= CS_STATE_PREEMPTED;
	reader->c += length;
	return 0;
}

static int take_arrow(struct text_reader *reader, const char *what)
{
	skip_spaces(reader);
	if (!take_char(reader, '>'))
		return expected(reader, what);
	skip_spaces(reader);
	return 0;
}

/* ---- events --------------------------------------------------------------------- */

static int take_switch(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_task(reader, reader->comms[0], &ev->sw.prev_comm,
			    &ev->sw.prev_pid);

	if (!ret)
		ret = take_slash(reader, "'/' and the priority of the task that leaves");
	if (!ret)
		ret = take_prio(reader, &ev->sw.prev_prio);
	if (!ret)
		ret = take_slash(reader, "'/' and the state of the task that leaves");
	if (!ret)
		ret = take_state(reader, &ev->sw.prev_state, &ev->sw.prev_unknown);
	if (!ret)
		ret = take_arrow(reader, "'>' and the task that comes");
	if (!ret)
		ret = take_task(reader, reader->comms[1], &ev->sw.next_comm,
				&ev->sw.next_pid);
	if (!ret)
		ret = take_slash(reader, "'/' and the priority of the task that comes");
	if (!ret)
		ret = take_prio(reader, &ev->sw.next_prio);
	ev->pid = ev->sw.prev_pid;
	return ret;
}

/* "50t": a process. */
static int take_tgid(struct text_reader *reader, int32_t *tgid)
{
	int ret = take_slash(reader, "'/' and the process, as in 50t");

	if (!ret)
		ret = take_pid(reader, "a process, as in 50t", tgid);
	if (!ret && !take_char(reader, 't'))
		ret = expected(reader, "'t' behind the process");
	return ret;
}

static int take_kind(struct text_reader *reader, uint8_t *kind)
{
	static const char *const words[] = {
		[CS_KIND_THREAD] = "thread",   [CS_KIND_PROCESS] = "process",
		[CS_KIND_KERNEL] = "kernel",   [CS_KIND_IDLE] = "idle",
		[CS_KIND_UNKNOWN] = "unknown",
	};

	skip_spaces(reader);
	for (uint8_t i = 0; i < CS_KINDS; i++) {
		if (take_word(reader, words[i])) {
			*kind = i;
			return 0;
		}
	}
	return expected(reader, "thread, process, kernel, idle or unknown");
}

/* "mm=306", or "mm=?306" for ns that belong to several phases. */
static int take_durations(struct text_reader *reader, struct cs_event *ev)
{
	static const char *const names[CS_PHASES] = {
		[CS_PHASE_PREPARE] = "prepare=",
		[CS_PHASE_MM] = "mm=",
		[CS_PHASE_SWITCH_TO] = "switch_to=",
		[CS_PHASE_FINISH] = "finish=",
	};

	for (unsigned int i = 0; i < CS_PHASES; i++) {
		size_t length = strlen(names[i]);
		uint64_t ns;
		int ret;

		if (strncmp(reader->c, names[i], length))
			continue;
		reader->c += length;
		if (!take_char(reader, '?'))
			ev->sw.measured |= 1 << i;
		ret = take_unsigned(reader, UINT32_MAX, "a duration in ns", &ns);
		if (!ret && !at_end_of_word(reader->c))
			ret = expected(reader, "a space");
		if (ret)
			return ret;
		ev->sw.phase_ns[i] = (uint32_t)ns;
		skip_spaces(reader);
	}
	ev->sw.disturbed = take_word(reader, "disturbed");
	return 0;
}

static int take_phases(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_task(reader, reader->comms[0], &ev->sw.prev_comm,
			    &ev->sw.prev_pid);

	if (!ret)
		ret = take_tgid(reader, &ev->sw.prev_tgid);
	if (!ret)
		ret = take_slash(reader, "'/' and the priority of the task that left");
	if (!ret)
		ret = take_prio(reader, &ev->sw.prev_prio);
	if (!ret)
		ret = take_slash(reader, "'/' and the state of the task that left");
	if (!ret)
		ret = take_state(reader, &ev->sw.prev_state, &ev->sw.prev_unknown);
	if (!ret)
		ret = take_arrow(reader, "'>' and the task that came");
	if (!ret)
		ret = take_task(reader, reader->comms[1], &ev->sw.next_comm,
				&ev->sw.next_pid);
	if (!ret)
		ret = take_tgid(reader, &ev->sw.next_tgid);
	if (!ret)
		ret = take_slash(reader, "'/' and the priority of the task that came");
	if (!ret)
		ret = take_prio(reader, &ev->sw.next_prio);
	if (!ret)
		ret = take_kind(reader, &ev->sw.kind);
	ev->pid = ev->sw.next_pid;
	return ret ? ret : take_durations(reader, ev);
}

static int take_wake(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_task(reader, reader->comms[0], &ev->wake.comm, &ev->wake.pid);

	ev->wake.prio = CS_PRIO_UNKNOWN;
	ev->wake.target_cpu = CS_CPU_UNKNOWN;
	if (!ret && take_char(reader, '/'))
		ret = take_prio(reader, &ev->wake.prio);
	skip_spaces(reader);
	if (!ret && take_char(reader, '@'))
		ret = take_cpu(reader, &ev->wake.target_cpu);
	return ret;
}

static int take_migrate(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_task(reader, reader->comms[0], &ev->migrate.comm,
			    &ev->migrate.pid);

	skip_spaces(reader);
	if (!ret)
		ret = take_cpu(reader, &ev->migrate.from);
	if (!ret)
		ret = take_arrow(reader, "'>' and the CPU it goes to");
	if (!ret)
		ret = take_cpu(reader, &ev->migrate.to);
	return ret;
}

static int take_boost(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_task(reader, reader->comms[0], &ev->prio.comm, &ev->prio.pid);

	ev->prio.base_prio = CS_PRIO_UNKNOWN;
	ev->prio.donor = CS_PID_UNKNOWN;
	skip_spaces(reader);
	if (!ret)
		ret = take_prio(reader, &ev->prio.old_prio);
	if (!ret)
		ret = take_arrow(reader, "'>' and the new priority");
	if (!ret)
		ret = take_prio(reader, &ev->prio.new_prio);
	skip_spaces(reader);
	if (!ret && take_word(reader, "base"))
		ret = take_prio(reader, &ev->prio.base_prio);
	skip_spaces(reader);
	if (!ret && take_word(reader, "donor"))
		ret = take_pid(reader, "the donor's pid", &ev->prio.donor);
	return ret;
}

static int take_identity(struct text_reader *reader, struct cs_event *ev)
{
	ev->task.parent = CS_PID_UNKNOWN;
	ev->task.same_thread = -1;
	return take_task(reader, reader->comms[0], &ev->task.comm, &ev->task.pid);
}

static int take_gap(struct text_reader *reader)
{
	if (!at_end_of_word(reader->c) && !at_end_of_word(reader->c - 1))
		return expected(reader, "a space");
	skip_spaces(reader);
	return 0;
}

static int take_fork(struct text_reader *reader, struct cs_event *ev)
{
	int ret = take_identity(reader, ev);

	if (!ret)
		ret = take_gap(reader);
	if (ret)
		return ret;
	if (take_word(reader, "thread"))
		ev->task.same_thread = 1;
	else if (take_word(reader, "process"))
		ev->task.same_thread = 0;
	return 0;
}

static int take_irq(struct text_reader *reader, struct cs_event *ev)
{
	static const char *const kinds[] = {
		[CS_IRQ_HARD] = "hard",
		[CS_IRQ_SOFT] = "soft",
		[CS_IRQ_VECTOR] = "vector",
		[CS_IRQ_HRTIMER] = "hrtimer",
	};
	size_t length;
	int ret;

	ev->irq.kind = UINT8_MAX;
	for (uint8_t i = 0; i <= CS_IRQ_HRTIMER && ev->irq.kind == UINT8_MAX; i++)
		if (take_word(reader, kinds[i]))
			ev->irq.kind = i;
	if (ev->irq.kind == UINT8_MAX)
		return expected(reader, "hard, soft, vector or hrtimer");
	ret = take_number(reader, "the interrupt's number", NULL, &ev->irq.nr);
	if (!ret)
		ret = take_gap(reader);
	if (ret || *reader->c != '"')
		return ret;
	ret = take_quoted(reader, "the interrupt's name", &length);
	if (ret)
		return ret;
	reader->text[length] = '\0';
	if (strlen(reader->text) != length)
		return expected(reader, "a name without a zero byte");
	ev->irq.name = reader->text;
	return 0;
}

static int take_enter(struct text_reader *reader, struct cs_event *ev)
{
	ev->irq.enter = true;
	return take_irq(reader, ev);
}

static int take_marker(struct text_reader *reader, struct cs_event *ev)
{
	size_t length;
	int ret = take_quoted(reader, "a text in quotes", &length);

	ev->marker.text = reader->text;
	ev->marker.length = ret ? 0 : (uint32_t)length;
	return ret;
}

static int take_lost(struct text_reader *reader, struct cs_event *ev)
{
	static const char what[] = "how many were lost, or '?'";
	const char *begin = reader->c;
	int ret;

	ev->context = CS_CONTEXT_UNKNOWN;
	if (take_char(reader, '?'))
		return 0;
	ret = take_unsigned(reader, UINT64_MAX, what, &ev->lost.count);
	if (!ret && !ev->lost.count) {
		reader->c = begin;
		ret = expected(reader, what);
	}
	return ret;
}

static int take_nothing(struct text_reader *reader, struct cs_event *ev)
{
	(void)reader;
	(void)ev;
	return 0;
}

static const struct kind {
	const char *word;
	enum cs_event_type type;
	int (*take)(struct text_reader *reader, struct cs_event *ev);
} kinds_of_event[] = {
	{"SW", CS_EVENT_SWITCH, take_switch},	{"WG", CS_EVENT_WAKING, take_wake},
	{"WK", CS_EVENT_WAKEUP, take_wake},	{"WN", CS_EVENT_WAKEUP_NEW, take_wake},
	{"MG", CS_EVENT_MIGRATE, take_migrate}, {"PI", CS_EVENT_PRIO, take_boost},
	{"FK", CS_EVENT_FORK, take_fork},	{"EX", CS_EVENT_EXEC, take_identity},
	{"XT", CS_EVENT_EXIT, take_identity},	{"RN", CS_EVENT_RENAME, take_identity},
	{"IRQ+", CS_EVENT_IRQ, take_enter},	{"IRQ-", CS_EVENT_IRQ, take_irq},
	{"MK", CS_EVENT_MARKER, take_marker},	{"LOST", CS_EVENT_LOST, take_lost},
	{"PH", CS_EVENT_PHASES, take_phases},	{"OT", CS_EVENT_OTHER, take_nothing},
};

static bool take_context(struct text_reader *reader, uint8_t *context)
{
	static const char *const words[] = {
		[CS_CONTEXT_TASK] = "task",	  [CS_CONTEXT_SOFTIRQ] = "softirq",
		[CS_CONTEXT_HARDIRQ] = "hardirq", [CS_CONTEXT_NMI] = "nmi",
		[CS_CONTEXT_UNKNOWN] = "unknown",
	};

	for (uint8_t i = 0; i <= CS_CONTEXT_UNKNOWN; i++) {
		if (take_word(reader, words[i])) {
			*context = i;
			return true;
		}
	}
	return false;
}

/* What any event may end in: who wrote it, in which context, a child's parent. */
static int take_origin(struct text_reader *reader, struct cs_event *ev)
{
	bool by = false, context = false, parent = ev->type != CS_EVENT_FORK;
	bool fork = !parent;
	int ret;

	for (;;) {
		ret = take_gap(reader);
		if (ret || !*reader->c)
			break;
		if (!by && take_word(reader, "by")) {
			ret = take_pid(reader, "a pid or '?' behind 'by'", &ev->pid);
			by = true;
		} else if (!parent && take_word(reader, "parent")) {
			ret = take_pid(reader, "a pid or '?' behind 'parent'",
				       &ev->task.parent);
			parent = true;
		} else if (!context && take_context(reader, &ev->context)) {
			context = true;
		} else {
			ret = expected(reader,
				       by && context
					       ? "the end of the line"
					       : "'by PID', a context word, or the end "
						 "of the line");
		}
		if (ret)
			break;
	}
	if (fork && !parent)
		ev->task.parent = ev->pid;
	return ret;
}

static int take_event(struct text_reader *reader, struct cs_event *ev)
{
	const struct kind *kind = NULL;
	uint64_t time;
	int ret;

	memset(ev, 0, sizeof(*ev));
	ev->pid = CS_PID_UNKNOWN;
	ret = take_unsigned(reader, INT64_MAX / reader->unit,
			    "a time (a whole number), '#' or '!'", &time);
	if (!ret && !skip_spaces(reader))
		ret = expected(reader, "a space and the CPU");
	if (!ret)
		ret = take_own_cpu(reader, &ev->cpu);
	if (!ret && !skip_spaces(reader))
		ret = expected(reader, "a space and the event");
	if (ret)
		return ret;
	ev->ts = time * reader->unit;
	for (size_t i = 0; i < sizeof(kinds_of_event) / sizeof(kinds_of_event[0]); i++) {
		if (take_word(reader, kinds_of_event[i].word)) {
			kind = &kinds_of_event[i];
			break;
		}
	}
	if (!kind)
		return expected(reader,
				"SW, WG, WK, WN, MG, PI, FK, EX, XT, RN, IRQ+, IRQ-, "
				"MK, LOST, PH or OT");
	ev->type = kind->type;
	ret = kind->take(reader, ev);
	return ret ? ret : take_origin(reader, ev);
}

/* ---- head ----------------------------------------------------------------------- */

/* The rest of the line, unescaped, as a new string. */
static int take_rest(struct text_reader *reader, const char **value)
{
	size_t length = 0;
	char *copy;

	while (*reader->c)
		if (!unescape(&reader->c, &reader->text[length++]))
			return expected(reader, "\\\", \\\\, \\n, \\t or \\xNN");
	reader->text[length] = '\0';
	copy = strdup(reader->text);
	if (!copy)
		return out_of_memory(reader);
	free((char *)*value);
	*value = copy;
	return 0;
}

static int take_unit(struct text_reader *reader)
{
	if (take_word(reader, "ns"))
		reader->unit = 1;
	else if (take_word(reader, "us"))
		reader->unit = 1000;
	else if (take_word(reader, "ms"))
		reader->unit = 1000000;
	else
		return expected(reader, "ns, us or ms");
	return 0;
}

static int take_note(struct text_reader *reader)
{
	const char *note = NULL;
	int ret = take_rest(reader, &note);

	if (ret)
		return ret;
	cs_notes_add(&reader->notes, "%s", note);
	free((char *)note);
	reader->base.source.notes_count = reader->notes.count;
	return 0;
}

/* A line that begins with '!'. Notes may stand anywhere, all else before the events. */
static int take_directive(struct text_reader *reader)
{
	struct cs_source *source = &reader->base.source;
	const char *begin = reader->c++;
	uint64_t cpus;
	int ret;

	skip_spaces(reader);
	if (take_word(reader, "note"))
		return take_note(reader);
	if (reader->begun) {
		reader->c = begin;
		return expected(reader, "an event: only '! note' may follow one");
	}
	if (take_word(reader, "kernel"))
		return take_rest(reader, &source->kernel);
	if (take_word(reader, "arch"))
		return take_rest(reader, &source->arch);
	if (take_word(reader, "clock"))
		return take_rest(reader, &source->clock);
	if (take_word(reader, "buffer"))
		return take_rest(reader, &source->buffer);
	if (take_word(reader, "unit")) {
		ret = take_unit(reader);
	} else if (take_word(reader, "cpus")) {
		ret = take_unsigned(reader, INT32_MAX, "the number of CPUs", &cpus);
		source->cpus = ret ? 0 : (uint32_t)cpus;
	} else {
		return expected(reader,
				"kernel, arch, clock, buffer, cpus, unit or note");
	}
	if (!ret && *reader->c)
		ret = expected(reader, "the end of the line");
	return ret;
}

static int read_magic(struct text_reader *reader)
{
	int ret = read_line(reader);

	if (ret < 0)
		return ret;
	if (!ret)
		return cs_error_set(reader->error, -EINVAL, "%s: the file is empty",
				    reader->path);
	if (strncmp(reader->c, MAGIC, strlen(MAGIC)))
		return cs_error_set(reader->error, -EINVAL,
				    "%s: no ctxsw events: the first line must be '" MAGIC
				    "1'",
				    reader->path);
	reader->c += strlen(MAGIC);
	if (strcmp(reader->c, "1"))
		return cs_error_set(
			reader->error, -EINVAL,
			"%s: version '%.*s' of ctxsw events is not known, only 1",
			reader->path, SHOWN, reader->c);
	return 0;
}

/* ---- the reader ----------------------------------------------------------------- */

/* Reads up to and with the next event. 1 for one, 0 at the end. */
static int read_event(struct text_reader *reader, struct cs_event *ev)
{
	int ret;

	for (;;) {
		ret = read_line(reader);
		if (ret <= 0)
			return ret;
		skip_spaces(reader);
		if (!*reader->c || *reader->c == '#')
			continue;
		if (*reader->c == '!') {
			ret = take_directive(reader);
			if (ret)
				return ret;
			continue;
		}
		reader->begun = true;
		ret = take_event(reader, ev);
		return ret ? ret : 1;
	}
}

static int text_next(struct cs_reader *base, struct cs_event *ev, struct cs_error *error)
{
	struct text_reader *reader = (struct text_reader *)base;
	int ret;

	if (reader->waiting) {
		reader->waiting = false;
		*ev = reader->first;
		return 1;
	}
	if (reader->ended)
		return 0;
	reader->error = error;
	ret = read_event(reader, ev);
	reader->error = NULL;
	reader->ended = ret <= 0;
	return ret;
}

static void text_close(struct cs_reader *base)
{
	struct text_reader *reader = (struct text_reader *)base;

	if (reader->file)
		fclose(reader->file);
	free((char *)reader->base.source.kernel);
	free((char *)reader->base.source.arch);
	free((char *)reader->base.source.clock);
	free((char *)reader->base.source.buffer);
	cs_notes_fini(&reader->notes);
	free(reader->path);
	free(reader->line);
	free(reader->text);
	free(reader);
}

static const struct cs_reader_ops text_ops = {
	.next = text_next,
	.close = text_close,
};

struct cs_reader *cs_reader_text_open(const char *path, struct cs_error *error)
{
	struct text_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader) {
		cs_error_set(error, -ENOMEM, "%s: out of memory", path);
		return NULL;
	}
	reader->base.ops = &text_ops;
	reader->base.source.reader = "text";
	reader->base.source.notes = reader->notes.text;
	reader->unit = 1;
	reader->error = error;
	reader->path = strdup(path);
	if (!reader->path) {
		cs_error_set(error, -ENOMEM, "%s: out of memory", path);
		goto fail;
	}
	reader->base.source.path = reader->path;
	reader->file = fopen(path, "re");
	if (!reader->file) {
		cs_error_set(error, -errno, "%s: %s", path, strerror(errno));
		goto fail;
	}
	ret = read_magic(reader);
	if (ret)
		goto fail;
	/* The source must be complete now: what stands before the first event. */
	ret = read_event(reader, &reader->first);
	if (ret < 0)
		goto fail;
	reader->waiting = ret == 1;
	reader->ended = ret == 0;
	reader->error = NULL;
	return &reader->base;
fail:
	text_close(&reader->base);
	return NULL;
}
