/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What people give to a reader, on purpose and by mistake: each gets one line that
 * names what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The error of opening a path, without the path in front of it. */
static void expect(const char *path, const char *buffer, const char *want)
{
	struct cs_error error = {""};
	struct cs_reader *reader = cs_reader_open(path, buffer, &error);

	assert_null(reader);
	assert_memory_equal(error.text, path, strlen(path));
	assert_string_equal(error.text + strlen(path), want);
}

static void files(void **state)
{
#define REPORT \
	": is text output of trace-cmd report, not a trace; give the trace.dat itself"
	static const struct {
		const char *bytes;
		size_t length;
		const char *want;
	} cases[] = {
		{"", 0, ": is empty"},
		{"\x17", 1, ": truncated in the file header at offset 1"},
		{"\x17\x08\x44trac", 7, ": truncated in the file header at offset 7"},
		{"\x17\x08\x44tracing", 10,
		 ": truncated in the file header at offset 10"},
		{"\x17\x08\x44tracing6\0", 12,
		 ": truncated in the file header at offset 12"},
		{"hello\n", 6, ": is no trace: neither a trace.dat nor ctxsw events"},
		{"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16,
		 ": is no trace: neither a trace.dat nor ctxsw events"},
		{"PERFILE2xxxxxxxx", 16,
		 ": is a perf.data file; ctxsw reads trace.dat: record with ctxsw record"},
		{"\x1f\x8b\x08xxxxxxxxxxx", 14,
		 ": is compressed with gzip; decompress it first: gzip -d"},
		{"\x28\xb5\x2f\xfdxxxxxxxxxxxx", 16,
		 ": is compressed with zstd; decompress it first: zstd -d"},
		{"\xfd"
		 "7zXZ\0xxxxxxxxxx",
		 16, ": is compressed with xz; decompress it first: xz -d"},
		{"cpus=2\n  a-1  [000] 1.5: sched_switch: x\n", 42, REPORT},
		{"version = 6\ncpus=2\n", 19, REPORT},
		{"  a-1  [001] d..2. 1.5: sched_switch: prev_comm=a ==> next_comm=b\n",
		 67, REPORT},
		{"# tracer: nop\n#\n", 16,
		 ": is the text of a kernel's trace file, not a trace.dat; record with ctxsw record"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *path = make_file(cases[i].bytes, cases[i].length);

		expect(path, NULL, cases[i].want);
		make_unlink(path);
	}
#undef REPORT
}

static void no_files(void **state)
{
	char dir[] = "/tmp/ctxsw-test-XXXXXX", path[64];

	(void)state;
	expect("/nonexistent/trace.dat", NULL, ": No such file or directory");
	expect("/dev/null", NULL,
	       ": is no regular file; a trace cannot be read from a pipe or a device");
	assert_non_null(mkdtemp(dir));
	expect(dir, NULL, ": is a directory; give the trace.dat in it");
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	/* Nobody writes to it: this must not wait. */
	expect(path, NULL,
	       ": is no regular file; a trace cannot be read from a pipe or a device");
	unlink(path);
	rmdir(dir);
}

/* What a killed recorder leaves is found by the name that it would have had. */
static void broken_off(void **state)
{
	char *path = make_file("x", 1), part[64], want[256];

	(void)state;
	snprintf(part, sizeof(part), "%s.part", path);
	assert_int_equal(rename(path, part), 0);
	snprintf(want, sizeof(want),
		 ": No such file or directory; a recording that was broken off is in %s",
		 part);
	expect(path, NULL, want);
	unlink(part);
	free(path);
}

static void not_allowed(void **state)
{
	char *path = make_file("x", 1);
	bool root = geteuid() == 0;

	(void)state;
	assert_int_equal(chmod(path, 0), 0);
	/* Root may read everything; somebody else may not. */
	if (root)
		assert_int_equal(seteuid(65534), 0);
	expect(path, NULL, ": Permission denied");
	if (root)
		assert_int_equal(seteuid(0), 0);
	make_unlink(path);
}

static void text(void **state)
{
	static const char events[] = "# ctxsw events 1\n";
	char *path = make_file(events, strlen(events));

	(void)state;
	expect(path, "rt", ": is ctxsw text, which has no buffer 'rt'");
	make_unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),      cmocka_unit_test(no_files),
		cmocka_unit_test(broken_off), cmocka_unit_test(not_allowed),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
