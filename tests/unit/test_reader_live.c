/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live reader on a directory that looks like a tracefs instance: pipes for the
 * buffers of the CPUs, a clock that the test winds.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/reader_live.h"

#define SIZE 4096

struct instance {
	char dir[64];
	int pipes[2]; /* of CPU 0 and CPU 3 */
	bool clock;
};

static void write_text(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_dir(const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mkdir(path, 0700) < 0)
		assert_int_equal(errno, EEXIST);
}

/* The trace clock, in ns. */
static void wind(const struct instance *instance, uint64_t now)
{
	char text[256];

	if (!instance->clock)
		return;
	snprintf(text, sizeof(text),
		 "entries: 0\nnow ts: %5llu.%06llu\ndropped events: 0\n",
		 (unsigned long long)(now / 1000000000),
		 (unsigned long long)(now / 1000 % 1000000));
	write_text(instance->dir, "per_cpu/cpu0/stats", text);
}

static void make_instance(struct instance *instance, bool clock)
{
	static const int cpus[] = {0, 3};
	struct make_formats formats;
	char path[512], name[256];

	snprintf(instance->dir, sizeof(instance->dir), "/tmp/ctxsw-test-XXXXXX");
	assert_non_null(mkdtemp(instance->dir));
	instance->clock = clock;
	make_dir(instance->dir, "events");
	make_dir(instance->dir, "per_cpu");
	make_formats_load(&formats, "6.18");
	for (unsigned int i = 0; i < formats.count; i++) {
		const struct make_format *format = &formats.list[i];

		if (!format->system) {
			write_text(instance->dir, "events/header_page", format->text);
			continue;
		}
		snprintf(name, sizeof(name), "events/%s", format->system);
		make_dir(instance->dir, name);
		snprintf(name, sizeof(name), "events/%s/%s", format->system,
			 format->name);
		make_dir(instance->dir, name);
		strcat(name, "/format");
		write_text(instance->dir, name, format->text);
	}
	make_formats_free(&formats);
	write_text(instance->dir, "trace_clock", "local [mono] boot\n");
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%d", cpus[i]);
		make_dir(instance->dir, name);
		snprintf(path, sizeof(path), "%s/%s/trace_pipe_raw", instance->dir, name);
		assert_int_equal(mkfifo(path, 0600), 0);
		instance->pipes[i] = open(path, O_RDWR | O_NONBLOCK);
		assert_true(instance->pipes[i] >= 0);
	}
	wind(instance, 0);
}

static void remove_instance(struct instance *instance)
{
	char command[128];

	close(instance->pipes[0]);
	close(instance->pipes[1]);
	snprintf(command, sizeof(command), "rm -r '%s'", instance->dir);
	assert_int_equal(system(command), 0);
}

/* A page with switches at these times, ended by 0. */
static void put_page(const struct instance *instance, int pipe, const uint64_t *times,
		     uint32_t flags)
{
	struct make_page page;
	uint8_t data[128];

	make_page_begin(&page, SIZE, 8, false, times[0]);
	for (; *times; times++)
		make_page_record(&page, *times, data,
				 make_switch(data, "6.18", false, pipe, 0, 9));
	make_page_end(&page, flags, 0);
	assert_int_equal(write(instance->pipes[pipe], page.bytes, SIZE), SIZE);
	make_page_free(&page);
}

static void expect(struct cs_reader *reader, int32_t cpu, uint64_t ts, uint8_t type)
{
	struct cs_error error = {""};
	struct cs_event ev;
	int r = cs_reader_next(reader, &ev, &error);

	if (r != 1)
		fail_msg("%d '%s' instead of CPU %d at %llu", r, error.text, cpu,
			 (unsigned long long)ts);
	assert_int_equal(ev.cpu, cpu);
	assert_int_equal(ev.ts, ts);
	assert_int_equal(ev.type, type);
}

static void expect_nothing(struct cs_reader *reader, int end)
{
	struct cs_error error = {""};
	struct cs_event ev;

	assert_int_equal(cs_reader_next(reader, &ev, &error), end);
	assert_string_equal(error.text, "");
}

/* Longer than the reader asks the kernel. */
static void tick(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
}

#define MS UINT64_C(1000000)

static void in_order(void **state)
{
	struct cs_error error = {""};
	struct instance instance;
	struct cs_reader *reader;

	(void)state;
	make_instance(&instance, true);
	reader = cs_reader_live_open(instance.dir, &error);
	if (!reader)
		fail_msg("%s", error.text);
	assert_string_equal(reader->source.reader, "live");
	assert_string_equal(reader->source.clock, "mono");
	assert_int_equal(reader->source.cpus, 2);
	assert_int_equal(reader->source.notes_count, 0);
	expect_nothing(reader, -EAGAIN);

	/* CPU 0 has events; CPU 3 may still bring some from the last 10 ms. */
	put_page(&instance, 0, (uint64_t[]){100 * MS, 105 * MS, 111 * MS, 0}, 0);
	wind(&instance, 116 * MS);
	tick();
	expect(reader, 0, 100 * MS, CS_EVENT_SWITCH);
	expect(reader, 0, 105 * MS, CS_EVENT_SWITCH);
	expect_nothing(reader, -EAGAIN);
	/* It does, in two pages, the second one after a loss. */
	put_page(&instance, 1, (uint64_t[]){107 * MS, 110 * MS, 0}, 0);
	put_page(&instance, 1, (uint64_t[]){112 * MS, 0}, UINT32_C(1) << 31);
	wind(&instance, 117 * MS);
	tick();
	expect(reader, 3, 107 * MS, CS_EVENT_SWITCH);
	expect(reader, 3, 110 * MS, CS_EVENT_SWITCH);
	expect(reader, 0, 111 * MS, CS_EVENT_SWITCH);
	/* Now CPU 0 has none. */
	expect_nothing(reader, -EAGAIN);
	wind(&instance, 200 * MS);
	tick();
	expect(reader, 3, 112 * MS, CS_EVENT_LOST);
	expect(reader, 3, 112 * MS, CS_EVENT_SWITCH);
	expect_nothing(reader, -EAGAIN);

	/* Asked again at once, the kernel is left in peace. */
	put_page(&instance, 0, (uint64_t[]){150 * MS, 0}, 0);
	expect_nothing(reader, -EAGAIN);
	/* The end: what is there comes out, whatever the clock says. */
	put_page(&instance, 1, (uint64_t[]){149 * MS, 1000 * MS, 0}, 0);
	cs_reader_live_stop(reader);
	expect(reader, 3, 149 * MS, CS_EVENT_SWITCH);
	expect(reader, 0, 150 * MS, CS_EVENT_SWITCH);
	expect(reader, 3, 1000 * MS, CS_EVENT_SWITCH);
	expect_nothing(reader, 0);
	expect_nothing(reader, 0);
	cs_reader_close(reader);
	remove_instance(&instance);
}

/* Without a readable clock, what was seen a tick ago is old enough. */
static void no_clock(void **state)
{
	struct cs_error error = {""};
	struct instance instance;
	struct cs_reader *reader;

	(void)state;
	make_instance(&instance, false);
	put_page(&instance, 0, (uint64_t[]){100, 200, 0}, 0);
	reader = cs_reader_live_open(instance.dir, &error);
	assert_non_null(reader);
	expect_nothing(reader, -EAGAIN);
	tick();
	expect(reader, 0, 100, CS_EVENT_SWITCH);
	expect(reader, 0, 200, CS_EVENT_SWITCH);
	expect_nothing(reader, -EAGAIN);
	cs_reader_close(reader);
	remove_instance(&instance);
}

static void errors(void **state)
{
	struct cs_error error = {""};
	struct instance instance;
	char path[512];

	(void)state;
	assert_null(cs_reader_live_open("/nonexistent", &error));
	assert_string_equal(error.text,
			    "/nonexistent: cannot read events/header_page: No such "
			    "file or directory");

	make_instance(&instance, true);
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/format", instance.dir);
	assert_int_equal(unlink(path), 0);
	assert_null(cs_reader_live_open(instance.dir, &error));
	assert_non_null(strstr(error.text, ": no sched_switch event: "));
	write_text(instance.dir, "events/header_page", "nothing\n");
	assert_null(cs_reader_live_open(instance.dir, &error));
	assert_non_null(strstr(error.text, ": events/header_page makes no sense"));
	remove_instance(&instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(no_clock),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
