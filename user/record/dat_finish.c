/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes a trace.dat of version 6 and moves the pages of the CPUs into it,
 * piece by piece, so that it can be killed at any time and taken up again.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/record/dat_file.h"
#include "user/record/dat_layout.h"
#include "user/record/io.h"

/* One piece that is moved; as much is kept free on the disk, and some to align it. */
#define PIECE	((uint64_t)4 << 20)
#define RESERVE (PIECE + ((uint64_t)1 << 18))
/* More CPUs than any Linux has; a larger number is a corrupt file. */
#define CPUS_MAX 65536

/* ---- probe ------------------------------------------------------------------------ */

struct cursor {
	int fd;
	int code;
	uint64_t at;
};

static void take(struct cursor *cursor, void *data, size_t size)
{
	memset(data, 0, size);
	if (cursor->code)
		return;
	cursor->code = cs_io_pread(cursor->fd, data, size, cursor->at);
	cursor->at += size;
	if (cursor->code)
		memset(data, 0, size);
}

static uint32_t take32(struct cursor *cursor)
{
	uint32_t value;

	take(cursor, &value, sizeof(value));
	return value;
}

static uint64_t take64(struct cursor *cursor)
{
	uint64_t value;

	take(cursor, &value, sizeof(value));
	return value;
}

static void skip(struct cursor *cursor, uint64_t size)
{
	if (size > (uint64_t)1 << 40)
		cursor->code = -EILSEQ;
	else
		cursor->at += size;
}

/* A string of known text, with its NUL. */
static void expect(struct cursor *cursor, const void *text, size_t size)
{
	char found[CS_DAT_WORD + 4];

	take(cursor, found, size);
	if (!cursor->code && memcmp(found, text, size))
		cursor->code = -EILSEQ;
}

static void skip_string(struct cursor *cursor)
{
	char letter = 0;

	for (int i = 0; i < 256 && !cursor->code; i++) {
		take(cursor, &letter, 1);
		if (!letter)
			return;
	}
	cursor->code = -EILSEQ;
}

static void skip_events(struct cursor *cursor)
{
	uint32_t count = take32(cursor);

	for (uint32_t i = 0; i < count && !cursor->code; i++)
		skip(cursor, take64(cursor));
}

static void take_option(struct cursor *cursor, uint16_t option, uint32_t size,
			struct cs_dat_info *info)
{
	uint64_t next = cursor->at + size;

	if (option == CS_DAT_OPTION_VERSION && size) {
		size_t room = sizeof(info->version) - 1;

		take(cursor, info->version, size < room ? size : room);
		info->ours = !strncmp(info->version, CS_DAT_OURS, strlen(CS_DAT_OURS));
	}
	cursor->at = next;
}

static void take_tail(struct cursor *cursor, struct cs_dat_info *info)
{
	bool clock = false;
	char word[CS_DAT_WORD];

	skip(cursor, take64(cursor));
	info->cpus = take32(cursor);
	if (!info->cpus || info->cpus > CPUS_MAX)
		cursor->code = -EILSEQ;
	take(cursor, word, sizeof(word));
	if (!memcmp(word, CS_DAT_OPTIONS, sizeof(word))) {
		while (!cursor->code) {
			uint16_t option;

			take(cursor, &option, sizeof(option));
			if (option == CS_DAT_OPTION_DONE)
				break;
			clock |= option == CS_DAT_OPTION_TRACECLOCK;
			take_option(cursor, option, take32(cursor), info);
		}
		take(cursor, word, sizeof(word));
	}
	if (!cursor->code && memcmp(word, CS_DAT_FLYRECORD, sizeof(word)))
		cursor->code = -EILSEQ;
	info->table = cursor->at;
	cursor->at += (uint64_t)info->cpus * 16;
	if (clock)
		skip(cursor, take64(cursor));
	info->end = cursor->at;
}

int cs_dat_probe(int fd, struct cs_dat_info *info)
{
	struct cursor cursor = {.fd = fd};
	struct stat file;
	uint8_t shape[2];
	uint32_t systems;

	memset(info, 0, sizeof(*info));
	if (fstat(fd, &file))
		return -errno;
	expect(&cursor, CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE);
	expect(&cursor, "6", 2);
	take(&cursor, shape, sizeof(shape));
	if (shape[0] != (__BYTE_ORDER == __BIG_ENDIAN))
		cursor.code = cursor.code ? cursor.code : -EILSEQ;
	info->page_size = take32(&cursor);
	expect(&cursor, "header_page", 12);
	skip(&cursor, take64(&cursor));
	expect(&cursor, "header_event", 13);
	skip(&cursor, take64(&cursor));
	skip_events(&cursor);
	systems = take32(&cursor);
	for (uint32_t i = 0; i < systems && !cursor.code; i++) {
		skip_string(&cursor);
		skip_events(&cursor);
	}
	skip(&cursor, take32(&cursor));
	skip(&cursor, take32(&cursor));
	take_tail(&cursor, info);
	if (!cursor.code &&
	    (info->end > (uint64_t)file.st_size || info->page_size < 512 ||
	     info->page_size & (info->page_size - 1)))
		cursor.code = -EILSEQ;
	return cursor.code == -ENODATA ? -EILSEQ : cursor.code;
}

/* ---- move the pages in -------------------------------------------------------------- */

char *cs_dat_cpu_path(const char *path, uint32_t cpu)
{
	char *name;

	return asprintf(&name, "%s.cpu%u", path, cpu) < 0 ? NULL : name;
}

static int copy_by_hand(int from, uint64_t from_at, int to, uint64_t to_at, uint64_t size)
{
	size_t room = 1 << 16;
	char *data = malloc(room);
	int code = data ? 0 : -ENOMEM;

	while (size && !code) {
		size_t piece = size < room ? size : room;

		code = cs_io_pread(from, data, piece, from_at);
		if (!code)
			code = cs_io_pwrite(to, data, piece, to_at);
		from_at += piece;
		to_at += piece;
		size -= piece;
	}
	free(data);
	return code;
}

static int copy(int from, uint64_t from_at, int to, uint64_t to_at, uint64_t size)
{
	while (size) {
		off_t in = (off_t)from_at;
		off_t out = (off_t)to_at;
		ssize_t done = copy_file_range(from, &in, to, &out, size, 0);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
			return -errno;
		/* any other reason: this pair of files cannot, or not today */
		if (done <= 0)
			return copy_by_hand(from, from_at, to, to_at, size);
		from_at += (uint64_t)done;
		to_at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

void cs_dat_reserve(int fd)
{
	struct stat file;

	if (!fstat(fd, &file))
		(void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, file.st_size, RESERVE);
}

struct entry {
	uint64_t offset;
	uint64_t size;
};

/*
 * Move the rest of one CPU's pages to the end of the file. The table says
 * what is there only after it is, and only then the source is given up.
 */
static int move_cpu(const char *path, int fd, const struct cs_dat_info *info,
		    uint32_t cpu, struct entry *entry)
{
	uint64_t slot = info->table + (uint64_t)cpu * sizeof(*entry);
	char *name = cs_dat_cpu_path(path, cpu);
	struct stat file;
	uint64_t room = PIECE;
	uint64_t size;
	int code = 0;
	int from;

	if (!name)
		return -ENOMEM;
	from = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (from < 0) {
		code = errno == ENOENT ? 0 : -errno;
		free(name);
		return code ? code : cs_io_pwrite(fd, entry, sizeof(*entry), slot);
	}
	if (fstat(from, &file))
		code = -errno;
	/* a page that was cut when its writer died is none */
	size = code ? 0 : (uint64_t)file.st_size / info->page_size * info->page_size;
	if (!code && !entry->size)
		code = cs_io_pwrite(fd, entry, sizeof(*entry), slot);
	while (!code && entry->size < size) {
		uint64_t piece = size - entry->size;

		if (piece > room)
			piece = room;
		code = copy(from, entry->size, fd, entry->offset + entry->size, piece);
		/* less may still fit, and makes room for more */
		if ((code == -ENOSPC || code == -EDQUOT) && room > info->page_size) {
			room /= 2;
			code = 0;
			continue;
		}
		if (code)
			break;
		entry->size += piece;
		code = cs_io_pwrite(fd, entry, sizeof(*entry), slot);
		if (!code)
			(void)!fallocate(from, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					 0, (off_t)entry->size);
	}
	close(from);
	if (!code && unlink(name))
		code = -errno;
	free(name);
	return code;
}

int cs_dat_finish(const char *path, int fd, uint64_t *bytes, struct cs_error *error)
{
	struct cs_dat_info info;
	uint64_t end;
	int code = cs_dat_probe(fd, &info);

	*bytes = 0;
	if (code)
		return cs_error_set(error, code, "%s: %s", path,
				    code == -EILSEQ ? "not a recording"
						    : strerror(-code));
	end = (info.end + info.page_size - 1) / info.page_size * info.page_size;
	for (uint32_t cpu = 0; cpu < info.cpus && !code; cpu++) {
		struct entry entry;

		code = cs_io_pread(fd, &entry, sizeof(entry),
				   info.table + (uint64_t)cpu * sizeof(entry));
		if (code)
			break;
		if (!entry.size)
			entry.offset = end;
		code = move_cpu(path, fd, &info, cpu, &entry);
		end = entry.offset + entry.size;
		*bytes += entry.size;
	}
	/* what a killed run copied and did not enter, and the room kept */
	if (!code && ftruncate(fd, (off_t)end))
		code = -errno;
	if (code)
		return cs_error_set(error, code, "%s: %s", path, strerror(-code));
	return 0;
}

void cs_dat_remove(const char *path)
{
	struct cs_dat_info info = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0) {
		if (cs_dat_probe(fd, &info))
			info.cpus = 0;
		close(fd);
	}
	for (uint32_t cpu = 0; cpu < info.cpus; cpu++) {
		char *name = cs_dat_cpu_path(path, cpu);

		if (name)
			unlink(name);
		free(name);
	}
	unlink(path);
}
