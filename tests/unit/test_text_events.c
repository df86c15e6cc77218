/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text form of events: what is read is what was written, for every kind of
 * event and every byte of a comm; errors name the line and what was expected.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/input/reader.h"
#include "user/output/dump.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HEAD	 "# ctxsw events 1\n"

static char path[] = "/tmp/ctxsw-text-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const void *text, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* What a dump of the file's events is; NULL with @error for an error. */
static char *redump(struct cs_error *error)
{
	struct cs_reader *reader = cs_reader_text_open(path, error);
	struct cs_event ev;
	struct cs_dump dump;
	char *text = NULL;
	size_t size;
	FILE *out;
	int ret;

	if (!reader)
		return NULL;
	out = open_memstream(&text, &size);
	cs_dump_begin(&dump, out, &reader->source);
	while ((ret = cs_reader_next(reader, &ev, error)) == 1)
		cs_dump_event(&dump, &ev);
	if (!ret)
		assert_int_equal(cs_reader_next(reader, &ev, error), 0);
	cs_dump_end(&dump, &reader->source);
	fclose(out);
	cs_reader_close(reader);
	if (!ret)
		return text;
	free(text);
	return NULL;
}

static void check_line(const char *line, const char *expected)
{
	struct cs_error error = {""};
	char text[2048];
	char *got;

	snprintf(text, sizeof(text), HEAD "%s\n", line);
	write_file(text, strlen(text));
	got = redump(&error);
	if (!got)
		fail_msg("%s: %s", line, error.text);
	snprintf(text, sizeof(text), HEAD "%s\n", expected);
	assert_string_equal(got, text);
	free(got);
}

static void lines(void **state)
{
	static const struct {
		const char *line;
		const char *dumped; /* NULL: the same */
	} cases[] = {
		{"0 0 SW a:50/120/S > b:51/98", NULL},
		{"1 3 SW a:50/120/S>b:51/98", "1 3 SW a:50/120/S > b:51/98"},
		{"1 3 SW a:50/120/R+ > swapper/3:0/120", NULL},
		{"1 3 SW 50/120/D|W > 51/98", NULL},
		{"1 3 SW a:50/?/? > ?/?", NULL},
		{"1 3 SW ?/-1/S > a:?/-1", NULL},
		{"1 3 SW a:50/120/S|0x400 > b:51/98", NULL},
		{"1 3 SW a:50/120/S|0x400+ > b:51/98", NULL},
		{"1 3 SW a:50/120/0x80000000 > b:51/98", NULL},
		{"1 3 SW a:50/120/0x1+ > b:51/98", NULL},
		{"1 3 SW a:50/120/S|?+ > b:51/98", NULL},
		{"1 3 SW a:50/120/S > b:51/98 by 50", "1 3 SW a:50/120/S > b:51/98"},
		{"1 3 SW a:50/120/S > b:51/98 by 60 nmi", NULL},
		{"1 3 SW a:50/120/S > b:51/98 hardirq by ?",
		 "1 3 SW a:50/120/S > b:51/98 by ? hardirq"},
		{"1 3 SW -5/120/S > b:2147483647/-2147483647", NULL},
		{"1 3 SW 50:50/120/S > by:51/98", NULL},
		{"1 3 SW \"a pid=1 ==> b\":50/120/S > \"\":51/98", NULL},
		{"1 3 SW \"\\\"\\\\\\n\\t\\x01\\xff\":50/120/S > \"\xc3\xa9\":51/98",
		 "1 3 SW \"\\\"\\\\\\n\\t\\x01\\xff\":50/120/S > \"\\xc3\\xa9\":51/98"},
		{"1 3 SW \"abc\":50/120/S > 0123456789abcdef:51/98",
		 "1 3 SW abc:50/120/S > 0123456789abcdef:51/98"},
		{"1 3 SW \"kworker/u8:1\":50/120/S > 51/98", NULL},
		{"5 0 WG a:50/98 @0", NULL},
		{"5 0 WG a:50/98", NULL},
		{"5 0 WG a:50", "5 0 WG a:50/?"},
		{"5 0 WG 50@7", "5 0 WG 50/? @7"},
		{"5 0 WK a:50/98 @0 by 7 softirq", NULL},
		{"5 0 WN a:50/98 @8191 unknown", NULL},
		{"5 0 MG a:50 0>3", NULL},
		{"5 0 MG 50 ? > 3 by 1", "5 0 MG 50 ?>3 by 1"},
		{"5 0 PI a:50 120>98 donor 51", NULL},
		{"5 0 PI a:50 -1>-1", NULL},
		{"5 0 PI a:50 ?>120 by 51", NULL},
		{"5 0 FK child:60 by 50", NULL},
		{"5 0 FK child:60 thread by 50", NULL},
		{"5 0 FK child:60 process by 50", NULL},
		{"5 0 FK child:60 process parent 1 by 50", NULL},
		{"5 0 FK child:60 by 50 parent 1 hardirq",
		 "5 0 FK child:60 parent 1 by 50 hardirq"},
		{"5 0 FK child:60 parent ? by 50", NULL},
		{"5 0 FK child:60 parent 50", NULL},
		{"5 0 FK child:60 parent 50 by 50", "5 0 FK child:60 by 50"},
		{"5 0 FK child:60", NULL},
		{"5 0 EX a:50", NULL},
		{"5 0 XT a:50 by 50", NULL},
		{"5 0 RN new:50", NULL},
		{"5 0 IRQ+ hard 24 \"eth0\"", NULL},
		{"5 0 IRQ- hard 24", NULL},
		{"5 0 IRQ+ soft 7 \"SCHED\" by 0 hardirq", NULL},
		{"5 0 IRQ+ vector -1 \"\"", NULL},
		{"5 0 IRQ- hrtimer 0 \"a\\x80\\\"b\"", NULL},
		{"5 0 MK \"text with \\\\ and \\\" and \\n\" by 50", NULL},
		{"5 0 MK \"\"", NULL},
		{"5 0 MK \"\\x00zero\"", NULL},
		{"5 0 LOST 5", NULL},
		{"5 0 LOST ?", NULL},
		{"5 0 LOST 18446744073709551615 task", NULL},
		{"5 0 LOST 5 unknown", "5 0 LOST 5"},
		{"5 0 PI a:50 120>98 base 120 donor 51", NULL},
		{"5 0 PI a:50 98>120 base 120 donor 0 by 50", NULL},
		{"5 0 PI a:50 -1>120 base -1", NULL},
		{"5 0 PH a:50/50t/120/S > b:51/51t/98 process prepare=606 mm=306 "
		 "switch_to=782 finish=297",
		 NULL},
		{"5 0 PH a:50/50t/120/R+>b:51/50t/98 thread  mm=0 disturbed by 51",
		 "5 0 PH a:50/50t/120/R+ > b:51/50t/98 thread mm=0 disturbed"},
		{"5 0 PH 50/?t/?/S|0x400 > 0/0t/120 idle prepare=?900 finish=4294967295 "
		 "by 50 hardirq",
		 NULL},
		{"5 0 PH ?/?t/-1/D|W > \"x y\":7/7t/-1 kernel disturbed", NULL},
		{"5 0 PH a:50/50t/120/S > b:51/51t/98 unknown", NULL},
		{"5 0 OT", NULL},
		{"5 0 OT by 50 nmi", NULL},
		{"5 ? OT", NULL},
		{"  5\t0  OT \t", "5 0 OT"},
		{"5 0 OT\r", "5 0 OT"},
		{"9223372036854775807 0 OT", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_line(cases[i].line,
			   cases[i].dumped ? cases[i].dumped : cases[i].line);
}

static void heads(void **state)
{
	static const struct {
		const char *text;
		const char *dumped;
	} cases[] = {
		{HEAD, HEAD},
		{"# ctxsw events 1", HEAD},
		{HEAD "\n\n  # a comment\n#\n", HEAD},
		{HEAD
		 "! kernel 6.1.0\n! arch x86_64\n! clock mono\n! buffer a b\n! cpus 4\n"
		 "! note One sentence.\n! note Two\\n\\x01.\n0 0 OT\n",
		 HEAD
		 "! kernel 6.1.0\n! arch x86_64\n! clock mono\n! buffer a b\n! cpus 4\n"
		 "! note One sentence.\n! note Two??.\n0 0 OT\n"},
		{HEAD "! cpus 4\n!kernel \\x1b\\\\\n! cpus 5\n",
		 HEAD "! kernel \\x1b\\\\\n! cpus 5\n"},
		{HEAD "! unit us\n7 0 OT\n# c\n8 0 OT", HEAD "7000 0 OT\n8000 0 OT\n"},
		{HEAD "! kernel \\x20\\x20a \n! note \\x20b\n",
		 HEAD "! kernel \\x20 a \n! note \\x20b\n"},
		{HEAD "! unit ms\n7 0 OT\n", HEAD "7000000 0 OT\n"},
		{HEAD "! unit ns\n7 0 OT\n", HEAD "7 0 OT\n"},
		{HEAD "7 0 OT\n6 1 OT\n! note late\n",
		 HEAD "7 0 OT\n6 1 OT\n! note late\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		char *got;

		write_file(cases[i].text, strlen(cases[i].text));
		got = redump(&error);
		if (!got)
			fail_msg("case %zu: %s", i, error.text);
		assert_string_equal(got, cases[i].dumped);
		free(got);
	}
}

static void errors(void **state)
{
	static const struct {
		const char *text;
		const char *message; /* behind the path */
	} cases[] = {
		{"", ": the file is empty"},
		{"\n", ": no ctxsw events: the first line must be '# ctxsw events 1'"},
		{"hello\n",
		 ": no ctxsw events: the first line must be '# ctxsw events 1'"},
		{"# ctxsw events 2\n",
		 ": version '2' of ctxsw events is not known, only 1"},
		{"# ctxsw events 1 \n",
		 ": version '1 ' of ctxsw events is not known, only 1"},
		{HEAD "x",
		 ": line 2: expected a time (a whole number), '#' or '!' at 'x'"},
		{HEAD "\n-1 0 OT",
		 ": line 3: expected a time (a whole number), '#' or '!' at '-1 0 OT'"},
		{HEAD "1.5 0 OT", ": line 2: expected a space and the CPU at '.5 0 OT'"},
		{HEAD "18446744073709551616 0 OT",
		 ": line 2: expected a time (a whole number), '#' or '!' at "
		 "'18446744073709551616 0 O...'"},
		{HEAD "! unit us\n18446744073709552 0 OT",
		 ": line 3: expected a time (a whole number), '#' or '!' at "
		 "'18446744073709552 0 OT'"},
		{HEAD "1",
		 ": line 2: expected a space and the CPU, not the end of the line"},
		{HEAD "9223372036854775808 0 OT",
		 ": line 2: expected a time (a whole number), '#' or '!' at "
		 "'9223372036854775808 0 OT'"},
		{HEAD "1 8192 OT",
		 ": line 2: expected a CPU number below 8192 at '8192 OT'"},
		{HEAD "1 OT", ": line 2: expected a CPU number or '?' at 'OT'"},
		{HEAD "1 -1 OT", ": line 2: expected a CPU number or '?' at '-1 OT'"},
		{HEAD "1 99999999999 OT",
		 ": line 2: expected a CPU number or '?' at '99999999999 OT'"},
		{HEAD "1 0",
		 ": line 2: expected a space and the event, not the end of the line"},
		{HEAD "1 0 XX",
		 ": line 2: expected SW, WG, WK, WN, MG, PI, FK, EX, XT, RN, IRQ+, IRQ-, MK, "
		 "LOST, PH or OT at 'XX'"},
		{HEAD "1 0 SWa:5/1/S > 6/1",
		 ": line 2: expected SW, WG, WK, WN, MG, PI, FK, EX, XT, RN, IRQ+, IRQ-, MK, "
		 "LOST, PH or OT at 'SWa:5/1/S > 6/1'"},
		{HEAD "1 0 SW",
		 ": line 2: expected a task, COMM:PID or PID, not the end of the "
		 "line"},
		{HEAD "1 0 SW a/1/S > b",
		 ": line 2: expected a task, COMM:PID or PID at 'a/1/S > b'"},
		{HEAD "1 0 SW a b:5/1/S",
		 ": line 2: expected a task, COMM:PID or PID at 'a b:5/1/S'"},
		{HEAD "1 0 SW a:5 > b:6",
		 ": line 2: expected '/' and the priority of the task that leaves at ' > b:6'"},
		{HEAD "1 0 SW a:5/x/S > b:6",
		 ": line 2: expected a kernel priority or '?' at 'x/S > b:6'"},
		{HEAD "1 0 SW a:5/1 > b:6",
		 ": line 2: expected '/' and the state of the task that leaves at ' > b:6'"},
		{HEAD "1 0 SW a:5/1/ > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at ' > b:6'"},
		{HEAD "1 0 SW a:5/1/SD > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at 'SD > b:6'"},
		{HEAD "1 0 SW a:5/1/0x > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at '0x > b:6'"},
		{HEAD "1 0 SW a:5/1/S|0x100000000 > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at "
		 "'S|0x100000000 > b:6'"},
		{HEAD "1 0 SW a:5/1/S|0x0 > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at "
		 "'S|0x0 > b:6'"},
		{HEAD "1 0 SW a:5/1/|0x1 > b:6",
		 ": line 2: expected a task state such as S, D|W, R+ or S|0x400 at "
		 "'|0x1 > b:6'"},
		{HEAD "1 0 SW a:5/1/S b:6/1",
		 ": line 2: expected '>' and the task that comes at "
		 "'b:6/1'"},
		{HEAD "1 0 SW a:5/1/S > b:6",
		 ": line 2: expected '/' and the priority of the task that comes, not the end "
		 "of the line"},
		{HEAD "1 0 SW a:5/1/S > b:6/1x", ": line 2: expected a space at 'x'"},
		{HEAD "1 0 SW a:5/1/S > b:6/1 x",
		 ": line 2: expected 'by PID', a context word, or the end of the line at 'x'"},
		{HEAD "1 0 SW a:5/1/S > b:6/1 by",
		 ": line 2: expected a pid or '?' behind 'by', not the end of the line"},
		{HEAD "1 0 SW a:5/1/S > b:6/1 by 1 by 2",
		 ": line 2: expected 'by PID', a context word, or the end of the line at "
		 "'by 2'"},
		{HEAD "1 0 OT task nmi",
		 ": line 2: expected 'by PID', a context word, or the end of the line at "
		 "'nmi'"},
		{HEAD "1 0 OT nmi by 5 x",
		 ": line 2: expected the end of the line at 'x'"},
		{HEAD "1 0 OT by 5nmi", ": line 2: expected a space at 'nmi'"},
		{HEAD "1 0 WG \"a",
		 ": line 2: expected a closing '\"', not the end of the line"},
		{HEAD "1 0 WG \"a\\q\":5",
		 ": line 2: expected \\\", \\\\, \\n, \\t or \\xNN at '\\q\":5'"},
		{HEAD "1 0 WG \"a\\x1\":5",
		 ": line 2: expected \\\", \\\\, \\n, \\t or \\xNN at '\\x1\":5'"},
		{HEAD "1 0 WG \"a\"5",
		 ": line 2: expected ':' and a pid behind the comm at '5'"},
		{HEAD "1 0 WG a:",
		 ": line 2: expected a pid or '?' behind the comm, not the end "
		 "of the line"},
		{HEAD "1 0 WG 0123456789abcdefg:5",
		 ": line 2: expected a comm of at most 16 bytes at '0123456789abcdefg:5'"},
		{HEAD "1 0 WG \"0123456789abcdefg\":5",
		 ": line 2: expected a comm of at most 16 bytes at '\"0123456789abcdefg\":5'"},
		{HEAD "1 0 WG a:2147483648",
		 ": line 2: expected a pid or '?' behind the comm at '2147483648'"},
		{HEAD "1 0 WG a:5 @",
		 ": line 2: expected a CPU number or '?', not the end of "
		 "the line"},
		{HEAD "1 0 MG a:5 0",
		 ": line 2: expected '>' and the CPU it goes to, not the "
		 "end of the line"},
		{HEAD "1 0 PI a:5 120",
		 ": line 2: expected '>' and the new priority, not the "
		 "end of the line"},
		{HEAD "1 0 PI a:5 120>98 donor",
		 ": line 2: expected the donor's pid, not the end of the line"},
		{HEAD "1 0 IRQ+ 24",
		 ": line 2: expected hard, soft, vector or hrtimer at '24'"},
		{HEAD "1 0 IRQ+ hard ?",
		 ": line 2: expected the interrupt's number at '?'"},
		{HEAD "1 0 IRQ+ hard 1 \"\\x00\"",
		 ": line 2: expected a name without a zero byte, not the end of the line"},
		{HEAD "1 0 PH a:1/120/S > b:2/2t/1 idle",
		 ": line 2: expected 't' behind the process at '/S > b:2/2t/1 idle'"},
		{HEAD "1 0 PH a:1/1t/120/S > b:2/2t/1 mm=3",
		 ": line 2: expected thread, process, kernel, idle or unknown at 'mm=3'"},
		{HEAD "1 0 PH a:1/1t/120/S > b:2/2t/1 idle mm=4294967296",
		 ": line 2: expected a duration in ns at '4294967296'"},
		{HEAD "1 0 PH a:1/1t/120/S > b:2/2t/1 idle mm=3 prepare=4",
		 ": line 2: expected 'by PID', a context word, or the end of the line at "
		 "'prepare=4'"},
		{HEAD "1 0 MK text", ": line 2: expected a text in quotes at 'text'"},
		{HEAD "1 0 LOST",
		 ": line 2: expected how many were lost, or '?', not the end "
		 "of the line"},
		{HEAD "1 0 LOST 0",
		 ": line 2: expected how many were lost, or '?' at '0'"},
		{HEAD "! colour red",
		 ": line 2: expected kernel, arch, clock, buffer, cpus, unit or note at "
		 "'colour red'"},
		{HEAD "! unit s", ": line 2: expected ns, us or ms at 's'"},
		{HEAD "! unit us x", ": line 2: expected the end of the line at 'x'"},
		{HEAD "! cpus x", ": line 2: expected the number of CPUs at 'x'"},
		{HEAD "1 0 OT\n! unit us\n",
		 ": line 3: expected an event: only '! note' may follow one at '! unit us'"},
		{HEAD "! kernel \\q",
		 ": line 2: expected \\\", \\\\, \\n, \\t or \\xNN at "
		 "'\\q'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_error error = {""};
		char *got;

		write_file(cases[i].text, strlen(cases[i].text));
		got = redump(&error);
		if (got)
			fail_msg("case %zu was taken: %s", i, got);
		assert_memory_equal(error.text, path, strlen(path));
		assert_string_equal(error.text + strlen(path), cases[i].message);
	}
}

static void no_text(void **state)
{
	static const char zero[] = HEAD "1 0 \0OT\n";
	struct cs_error error = {""};
	size_t length = 2u << 20;
	char *text = malloc(length);

	(void)state;
	write_file(zero, sizeof(zero) - 1);
	assert_null(redump(&error));
	assert_non_null(
		strstr(error.text, ": line 2: a zero byte: this is no text file"));

	memset(text, ' ', length);
	memcpy(text, HEAD, strlen(HEAD));
	write_file(text, length);
	assert_null(redump(&error));
	assert_non_null(strstr(error.text, ": line 2: longer than a line can be"));
	free(text);

	assert_null(cs_reader_text_open("/nonexistent/file", &error));
	assert_string_equal(error.text, "/nonexistent/file: No such file or directory");
	assert_null(cs_reader_text_open("/", &error));
	assert_non_null(strstr(error.text, "/: Is a directory"));
}

/* An error is told once; nothing follows it. */
static void ends_after_error(void **state)
{
	static const char text[] = HEAD "1 0 OT\nbad\n2 0 OT\n";
	struct cs_error error = {""};
	struct cs_reader *reader;
	struct cs_event ev;

	(void)state;
	write_file(text, strlen(text));
	reader = cs_reader_text_open(path, &error);
	assert_non_null(reader);
	assert_int_equal(cs_reader_next(reader, &ev, &error), 1);
	assert_int_equal(cs_reader_next(reader, &ev, &error), -EINVAL);
	assert_int_equal(cs_reader_next(reader, &ev, &error), 0);
	cs_reader_close(reader);
}

/* Events as a reader of trace.dat makes them, not from text. */
static void events_round_trip(void **state)
{
	char comm[CS_COMM_LEN], marker[8192];
	struct cs_source source = {.kernel = "6.1\n\"\\", .cpus = 2};
	struct cs_error error = {""};
	char *text, *again;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct cs_dump dump;

	(void)state;
	cs_dump_begin(&dump, out, &source);
	for (int byte = 0; byte < 256; byte++) {
		struct cs_event ev = {
			.ts = (uint64_t)byte,
			.cpu = byte,
			.pid = 5,
			.type = CS_EVENT_SWITCH,
			.context = (uint8_t)(byte % (CS_CONTEXT_UNKNOWN + 1)),
			.sw = {.prev_comm = comm,
			       .next_comm = comm,
			       .prev_pid = 5,
			       .prev_prio = -1,
			       .next_prio = CS_PRIO_UNKNOWN,
			       .prev_state = cs_state_of((char)byte),
			       .next_pid = byte},
		};

		memset(comm, byte, sizeof(comm));
		cs_dump_event(&dump, &ev);
		ev.sw.prev_state |= CS_STATE_PREEMPTED | CS_STATE_UNKNOWN;
		ev.sw.prev_unknown = 1u << byte % 32;
		comm[byte % CS_COMM_LEN] = '\0';
		cs_dump_event(&dump, &ev);
	}
	for (size_t i = 0; i < sizeof(marker); i++)
		marker[i] = (char)i;
	cs_dump_event(&dump, &(struct cs_event){.type = CS_EVENT_MARKER,
						.pid = CS_PID_UNKNOWN,
						.marker = {marker, sizeof(marker)}});
	cs_dump_end(&dump, &source);
	fclose(out);
	write_file(text, size);
	again = redump(&error);
	if (!again)
		fail_msg("%s", error.text);
	assert_string_equal(again, text);
	free(again);
	free(text);
}

static void values(void **state)
{
	static const char text[] = HEAD
		"! unit us\n"
		"3 1 SW \"a b\":50/120/S|0x400+ > 51/? by 7 softirq\n"
		"4 1 FK c:60 thread by 50\n";
	struct cs_error error = {""};
	struct cs_reader *reader;
	struct cs_event ev;

	(void)state;
	write_file(text, strlen(text));
	reader = cs_reader_text_open(path, &error);
	assert_non_null(reader);
	assert_string_equal(reader->source.reader, "text");
	assert_string_equal(reader->source.path, path);
	assert_int_equal(cs_reader_next(reader, &ev, &error), 1);
	assert_true(ev.ts == 3000 && ev.cpu == 1 && ev.pid == 7);
	assert_int_equal(ev.type, CS_EVENT_SWITCH);
	assert_int_equal(ev.context, CS_CONTEXT_SOFTIRQ);
	assert_memory_equal(ev.sw.prev_comm, "a b\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_null(ev.sw.next_comm);
	assert_true(ev.sw.prev_state ==
		    (cs_state_of('S') | CS_STATE_UNKNOWN | CS_STATE_PREEMPTED));
	assert_int_equal(ev.sw.prev_unknown, 0x400);
	assert_true(ev.sw.next_prio == CS_PRIO_UNKNOWN);
	assert_int_equal(cs_reader_next(reader, &ev, &error), 1);
	assert_int_equal(ev.task.parent, 50);
	assert_int_equal(ev.task.same_thread, 1);
	assert_int_equal(ev.pid, 50);
	cs_reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(heads),
		cmocka_unit_test(errors),
		cmocka_unit_test(no_text),
		cmocka_unit_test(ends_after_error),
		cmocka_unit_test(events_round_trip),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
