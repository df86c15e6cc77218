/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace.dat we write: its tail, what a probe finds, moving pages in, also
 * after it was killed half way; which files a recording may replace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/record/dat_file.h"
#include "user/record/io.h"
#include "user/record/target.h"

#define PAGE 4096
#define PATH "rec.dat.part"
#define CPUS 3

static char place[] = "/tmp/test_record_dat.XXXXXX";

/* A head as small as can be: two header formats, one event of one system. */
static uint64_t put_head(int fd)
{
	static const char magic[] = "\x17\x08\x44tracing6";
	static const char format[] = "name: x\nID: 1\n";
	uint64_t size = sizeof(format) - 1;
	uint32_t page = PAGE;
	uint32_t zero = 0;
	uint32_t one = 1;
	char head[1024];
	size_t used = 0;

#define PUT(data, bytes) (memcpy(head + used, data, bytes), used += (bytes))
	PUT(magic, sizeof(magic));
	head[used++] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	head[used++] = sizeof(long);
	PUT(&page, 4);
	PUT("header_page", 12);
	PUT(&size, 8);
	PUT(format, size);
	PUT("header_event", 13);
	PUT(&size, 8);
	PUT(format, size);
	PUT(&zero, 4); /* ftrace */
	PUT(&one, 4);
	PUT("sched", 6);
	PUT(&one, 4);
	PUT(&size, 8);
	PUT(format, size);
	PUT(&zero, 4); /* symbols */
	PUT(&zero, 4); /* printk */
#undef PUT
	assert_int_equal(cs_io_pwrite(fd, head, used, 0), 0);
	return used;
}

static const struct cs_dat_tail tail_small = {
	.cmdlines = "1 init\n",
	.cmdlines_size = 7,
	.clocks = "local [mono] boot",
	.clock = "mono",
	.cpus = CPUS,
};

static int make_part(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(cs_dat_tail_write(fd, put_head(fd), &tail_small, NULL), 0);
	return fd;
}

/* Pages of a CPU: each page filled with a byte that tells CPU and page. */
static char fill(uint32_t cpu, uint64_t page)
{
	return (char)(cpu * 64 + page % 61 + 1);
}

static void put_pages(uint32_t cpu, uint64_t pages, size_t more)
{
	char *name = cs_dat_cpu_path(PATH, cpu);
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char page[PAGE];

	assert_true(fd >= 0);
	for (uint64_t i = 0; i < pages; i++) {
		memset(page, fill(cpu, i), sizeof(page));
		assert_int_equal(cs_io_pwrite(fd, page, sizeof(page), i * PAGE), 0);
	}
	if (more)
		assert_int_equal(cs_io_pwrite(fd, page, more, pages * PAGE), 0);
	close(fd);
	free(name);
}

static void get_entry(int fd, uint32_t cpu, uint64_t entry[2])
{
	struct cs_dat_info info;

	assert_int_equal(cs_dat_probe(fd, &info), 0);
	assert_int_equal(cs_io_pread(fd, entry, 16, info.table + cpu * 16), 0);
}

static void check_pages(int fd, uint32_t cpu, uint64_t pages)
{
	uint64_t entry[2];
	char page[PAGE];

	get_entry(fd, cpu, entry);
	assert_int_equal(entry[0] % PAGE, 0);
	assert_int_equal(entry[1], pages * PAGE);
	for (uint64_t i = 0; i < pages; i++) {
		assert_int_equal(cs_io_pread(fd, page, PAGE, entry[0] + i * PAGE), 0);
		if (page[0] != fill(cpu, i) || memcmp(page, page + 1, PAGE - 1))
			fail_msg("CPU %u: page %u is another", cpu, (unsigned int)i);
	}
}

static void probe(void **state)
{
	int fd = make_part("probe.dat");
	struct cs_dat_info info;
	struct stat file;

	(void)state;
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	assert_true(info.ours);
	assert_string_equal(info.version, "ctxsw " CTXSW_VERSION);
	assert_int_equal(info.cpus, CPUS);
	assert_int_equal(info.page_size, PAGE);
	fstat(fd, &file);
	assert_int_equal(info.end, file.st_size);
	/* wherever it is cut, it is none */
	for (off_t size = file.st_size - 1; size >= 0; size--) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_int_equal(cs_dat_probe(fd, &info), -EILSEQ);
	}
	close(fd);
}

/* Any byte may be any other: no crash, no endless loop. */
static void probe_corrupt(void **state)
{
	int fd = make_part("corrupt.dat");
	struct cs_dat_info info;
	struct stat file;

	(void)state;
	fstat(fd, &file);
	for (off_t at = 0; at < file.st_size; at++) {
		static const uint8_t others[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
		uint8_t byte;

		assert_int_equal(cs_io_pread(fd, &byte, 1, (uint64_t)at), 0);
		for (size_t i = 0; i < sizeof(others); i++) {
			assert_int_equal(cs_io_pwrite(fd, &others[i], 1, (uint64_t)at),
					 0);
			if (!cs_dat_probe(fd, &info) && info.end > (uint64_t)file.st_size)
				fail_msg("byte %ld: ends behind the file", (long)at);
		}
		assert_int_equal(cs_io_pwrite(fd, &byte, 1, (uint64_t)at), 0);
	}
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	close(fd);
}

static void tail_again(void **state)
{
	static char *const stats[] = {(char *)"CPU: 0\nentries: 0\n", NULL,
				      (char *)"CPU: 2\nentries: 0\n"};
	struct cs_dat_tail tail = tail_small;
	struct cs_dat_info info;
	struct stat file;
	int fd = open("tail.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t offset = put_head(fd);

	(void)state;
	/* longer, then shorter: what was there is gone */
	assert_int_equal(cs_dat_tail_write(fd, offset, &tail, NULL), 0);
	tail.cmdlines = "1 init\n2 kthreadd\n";
	tail.cmdlines_size = strlen(tail.cmdlines);
	tail.stats = stats;
	assert_int_equal(cs_dat_tail_write(fd, offset, &tail, NULL), 0);
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	assert_int_equal(cs_dat_tail_write(fd, offset, &tail_small, NULL), 0);
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	fstat(fd, &file);
	assert_int_equal(info.end, file.st_size);
	close(fd);
}

/* No room for a longer tail: the one before stays as it was. */
static void tail_no_room(void **state)
{
	static char names[64 * 1024];
	struct cs_dat_tail tail = tail_small;
	int fd = open("tail.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t offset = put_head(fd);
	struct cs_dat_info info;
	struct rlimit before;
	struct rlimit limit;
	struct stat first;
	struct stat now;

	(void)state;
	assert_int_equal(cs_dat_tail_write(fd, offset, &tail_small, NULL), 0);
	fstat(fd, &first);
	memset(names, 'x', sizeof(names));
	tail.cmdlines = names;
	tail.cmdlines_size = sizeof(names);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 8192;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(cs_dat_tail_write(fd, offset, &tail, NULL), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	fstat(fd, &now);
	assert_int_equal(now.st_size, first.st_size);
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	assert_true(info.ours);
	close(fd);
}

static void finish(void **state)
{
	struct cs_error error;
	uint64_t bytes;
	int fd = make_part(PATH);

	(void)state;
	/* 2500 pages are more than one piece; CPU 1 has none; CPU 2 was cut */
	put_pages(0, 2500, 0);
	put_pages(2, 3, 100);
	assert_int_equal(cs_dat_finish(PATH, fd, &bytes, &error), 0);
	assert_int_equal(bytes, 2503 * PAGE);
	check_pages(fd, 0, 2500);
	check_pages(fd, 1, 0);
	check_pages(fd, 2, 3);
	assert_int_equal(access(PATH ".cpu0", F_OK), -1);
	assert_int_equal(access(PATH ".cpu2", F_OK), -1);
	/* once more changes nothing */
	assert_int_equal(cs_dat_finish(PATH, fd, &bytes, &error), 0);
	assert_int_equal(bytes, 2503 * PAGE);
	check_pages(fd, 2, 3);
	close(fd);
}

/* Killed when @moved pages of CPU 1 were in the table, and some bytes more copied. */
static void finish_after(uint64_t moved, size_t copied)
{
	struct cs_dat_info info;
	struct cs_error error;
	uint64_t entry[2];
	uint64_t bytes;
	char page[PAGE];
	int fd = make_part(PATH);

	put_pages(0, 2, 0);
	assert_int_equal(cs_dat_finish(PATH, fd, &bytes, &error), 0);
	put_pages(1, 6, 0);
	put_pages(2, 4, 0);
	assert_int_equal(cs_dat_probe(fd, &info), 0);
	entry[0] = (info.end + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
	entry[1] = moved * PAGE;
	assert_int_equal(cs_io_pwrite(fd, entry, 16, info.table + 16), 0);
	for (uint64_t i = 0; i < moved; i++) {
		memset(page, fill(1, i), sizeof(page));
		assert_int_equal(cs_io_pwrite(fd, page, PAGE, entry[0] + i * PAGE), 0);
	}
	memset(page, 0x7e, sizeof(page));
	if (copied)
		assert_int_equal(cs_io_pwrite(fd, page, copied, entry[0] + moved * PAGE),
				 0);
	assert_int_equal(cs_dat_finish(PATH, fd, &bytes, &error), 0);
	assert_int_equal(bytes, 12 * PAGE);
	check_pages(fd, 0, 2);
	check_pages(fd, 1, 6);
	check_pages(fd, 2, 4);
	close(fd);
}

static void finish_killed(void **state)
{
	(void)state;
	for (uint64_t moved = 0; moved <= 6; moved++) {
		finish_after(moved, 0);
		finish_after(moved, 100);
		finish_after(moved, PAGE);
	}
}

static void finish_refuses(void **state)
{
	struct cs_error error;
	uint64_t bytes;
	int fd = open("text.part", O_RDWR | O_CREAT | O_TRUNC, 0600);

	(void)state;
	assert_int_equal(cs_io_pwrite(fd, "text", 4, 0), 0);
	assert_int_equal(cs_dat_finish("text.part", fd, &bytes, &error), -EILSEQ);
	assert_string_equal(error.text, "text.part: not a recording");
	close(fd);
}

static void put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(cs_io_pwrite(fd, text, strlen(text), 0), 0);
	close(fd);
}

/* FILE x FILE.part x FILE.old: none, ours, of others. */
static void targets(void **state)
{
	static const struct {
		const char *name;
		char file, part, old;
		bool force;
		int open, commit;
		bool renamed, leftover;
	} cases[] = {
		{"nothing there", '-', '-', '-', false, 0, 0, false, false},
		{"ours", 'c', '-', '-', false, 0, 0, true, false},
		{"ours twice", 'c', '-', 'c', false, 0, 0, true, false},
		{"other", 'x', '-', '-', false, -EEXIST, 0, false, false},
		{"other, forced", 'x', '-', '-', true, 0, 0, false, false},
		{"other old", 'c', '-', 'x', false, -EEXIST, 0, false, false},
		{"other old, forced", 'c', '-', 'x', true, -EEXIST, 0, false, false},
		{"other old alone", '-', '-', 'x', false, 0, 0, false, false},
		{"part of others", '-', 'x', '-', false, -EEXIST, 0, false, false},
		{"part of others, forced", '-', 'x', '-', true, 0, 0, false, false},
		{"dead part", '-', 'c', '-', false, 0, 0, false, true},
		{"dead part and ours", 'c', 'c', '-', false, 0, 0, true, true},
	};
	static const char *const names[] = {"t.dat", "t.dat.part", "t.dat.old"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char what[] = {cases[i].file, cases[i].part, cases[i].old};
		struct cs_target target;
		struct cs_error error = {""};
		int code;

		for (int j = 0; j < 3; j++) {
			unlink(names[j]);
			if (what[j] == 'c')
				close(make_part(names[j]));
			else if (what[j] == 'x')
				put_text(names[j], "something else");
		}
		code = cs_target_open(&target, "t.dat", cases[i].force, &error);
		if (code != cases[i].open || (code && !*error.text) ||
		    (!code && target.leftover != cases[i].leftover))
			fail_msg("%s: open %d %s", cases[i].name, code, error.text);
		if (!code) {
			struct cs_target second;

			/* a second one is kept out, and keeps its hands off */
			code = cs_target_open(&second, "t.dat", true, NULL);
			assert_int_equal(code, -EBUSY);
			cs_target_discard(&second);
			cs_target_close(&second);
			assert_int_equal(access("t.dat.part", F_OK), 0);

			code = cs_target_commit(&target, &error);
			if (code != cases[i].commit || target.renamed != cases[i].renamed)
				fail_msg("%s: commit %d %s", cases[i].name, code,
					 error.text);
			assert_int_equal(access("t.dat.part", F_OK), -1);
			assert_int_equal(access("t.dat", F_OK), 0);
		} else {
			/* refused: all is as it was */
			for (int j = 0; j < 3; j++)
				assert_int_equal(access(names[j], F_OK),
						 what[j] == '-' ? -1 : 0);
		}
		cs_target_close(&target);
	}
}

static void target_discard(void **state)
{
	struct cs_target target;

	(void)state;
	unlink("t.dat");
	unlink("t.dat.old");
	put_text("t.dat.part.cpu9", "of somebody");
	assert_int_equal(cs_target_open(&target, "t.dat", false, NULL), 0);
	cs_target_discard(&target);
	cs_target_close(&target);
	assert_int_equal(access("t.dat.part", F_OK), -1);
	assert_int_equal(unlink("t.dat.part.cpu9"), 0);
}

static void texts(void **state)
{
	char text[CS_IO_TEXT];

	(void)state;
	assert_string_equal(cs_io_count_text(0, text), "0");
	assert_string_equal(cs_io_count_text(999, text), "999");
	assert_string_equal(cs_io_count_text(1000, text), "1,000");
	assert_string_equal(cs_io_count_text(UINT64_MAX, text),
			    "18,446,744,073,709,551,615");
	assert_string_equal(cs_io_size_text(0, text), "0 B");
	assert_string_equal(cs_io_size_text(999, text), "999 B");
	assert_string_equal(cs_io_size_text(1000, text), "1.0 kB");
	assert_string_equal(cs_io_size_text(999949, text), "999.9 kB");
	assert_string_equal(cs_io_size_text(999950, text), "1.0 MB");
	assert_string_equal(cs_io_size_text(UINT64_MAX, text), "18.4 EB");
}

static int enter(void **state)
{
	(void)state;
	return !mkdtemp(place) || chdir(place);
}

static int leave(void **state)
{
	static const char *const names[] = {"probe.dat",    "corrupt.dat", "tail.dat",
					    "rec.dat.part", "text.part",   "t.dat",
					    "t.dat.old"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return chdir("/") || rmdir(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe),	  cmocka_unit_test(probe_corrupt),
		cmocka_unit_test(tail_again),	  cmocka_unit_test(finish),
		cmocka_unit_test(finish_killed),  cmocka_unit_test(tail_no_room),
		cmocka_unit_test(finish_refuses), cmocka_unit_test(targets),
		cmocka_unit_test(target_discard), cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
