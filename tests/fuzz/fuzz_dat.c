// SPDX-License-Identifier: GPL-2.0-only
/*
 * A whole file, as hostile as the fuzzer likes, through the trace.dat reader to its
 * last event; and once more as the FILE.part of a killed recorder, whose FILE.part.cpu0
 * is the file too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/input/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what an event points to, so that a wild pointer is seen. */
static void touch(const struct cs_event *ev)
{
	const char *texts[2] = {NULL, NULL};
	unsigned int sum = 0;

	switch (ev->type) {
	case CS_EVENT_SWITCH:
		texts[0] = ev->sw.prev_comm;
		texts[1] = ev->sw.next_comm;
		break;
	case CS_EVENT_WAKING:
	case CS_EVENT_WAKEUP:
	case CS_EVENT_WAKEUP_NEW:
		texts[0] = ev->wake.comm;
		break;
	case CS_EVENT_MIGRATE:
		texts[0] = ev->migrate.comm;
		break;
	case CS_EVENT_PRIO:
		texts[0] = ev->prio.comm;
		break;
	case CS_EVENT_FORK:
	case CS_EVENT_EXEC:
	case CS_EVENT_EXIT:
	case CS_EVENT_RENAME:
		texts[0] = ev->task.comm;
		break;
	case CS_EVENT_IRQ:
		for (const char *c = ev->irq.name; c && *c; c++)
			sum += *c;
		break;
	case CS_EVENT_MARKER:
		for (uint32_t i = 0; i < ev->marker.length; i++)
			sum += ev->marker.text[i];
		break;
	}
	for (int i = 0; i < 2; i++)
		for (int c = 0; texts[i] && c < CS_COMM_LEN; c++)
			sum += texts[i][c];
	/* The compiler must not find that nobody needs it. */
	__asm__ volatile("" : : "r"(sum));
}

static void read_all(const char *path)
{
	struct cs_reader *reader;
	struct cs_error error;
	struct cs_event ev;

	reader = cs_reader_dat_open(path, NULL, &error);
	if (reader)
		while (cs_reader_next(reader, &ev, &error) == 1)
			touch(&ev);
	cs_reader_close(reader);
}

static char dir[] = "/tmp/fuzz_dat-XXXXXX";
static char part[64], rest[80];

static void remove_links(void)
{
	unlink(part);
	unlink(rest);
	rmdir(dir);
}

/* The file is always behind the same descriptor, so that two links will do. */
static int make_links(void)
{
	int fd = memfd_create("fuzz_dat", MFD_CLOEXEC);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || !mkdtemp(dir))
		abort();
	snprintf(part, sizeof(part), "%s/a.part", dir);
	snprintf(rest, sizeof(rest), "%s.cpu0", part);
	if (symlink(path, part) || symlink(path, rest))
		abort();
	atexit(remove_links);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[32];

	if (fd < 0)
		fd = make_links();
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path);
	read_all(part);
	return 0;
}
