/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens a trace.dat: its first bytes, then all metadata in the way of its version, then
 * whether the whole makes sense.
 */
#include "user/input/dat_load.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(struct cs_dat_loader *loader)
{
	struct cs_dat *dat = loader->dat;

	if (dat->format->switch_id < 0)
		return cs_dat_fail(loader, -ENODATA,
				   "has no sched events; record with: ctxsw record, or "
				   "trace-cmd record -e sched");
	/* Not the size in header_page: that is of the kernel's main buffer. */
	for (uint32_t i = 0; i < dat->buffers_count; i++) {
		uint32_t size = dat->buffers[i].page_size;

		if (size < CS_PAGE_SIZE_MIN || size > CS_PAGE_SIZE_MAX || size % 4)
			return cs_dat_fail(loader, -EBADMSG,
					   "damaged: pages of %u bytes cannot be", size);
	}
	if (dat->clock && !strcmp(dat->clock, "counter"))
		cs_notes_add(loader->notes,
			     "the trace clock counts events: times are no times");
	if (dat->clock && !strcmp(dat->clock, "uptime"))
		cs_notes_add(loader->notes,
			     "the trace clock counts jiffies: times are no ns");
	if (dat->clock && !strcmp(dat->clock, "x86-tsc") && !dat->tsc_mult)
		cs_notes_add(loader->notes,
			     "times are ticks of the TSC, not ns: the file does "
			     "not tell its speed");
	return 0;
}

static int read_begin(struct cs_dat_cursor *cursor)
{
	struct cs_dat_loader *loader = cursor->loader;
	struct cs_dat *dat = loader->dat;
	const uint8_t *bytes;
	char version[16], *end;
	int r;

	cursor->section = "the file header";
	r = cs_dat_take(cursor, CS_DAT_MAGIC_SIZE, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE))
		return cs_dat_fail(loader, -EBADMSG, "is no trace.dat");
	r = cs_dat_take_string(cursor, version, sizeof(version));
	if (r < 0)
		return r;
	dat->version = strtoul(version, &end, 10);
	if (*end || (dat->version != 6 && dat->version != 7))
		return cs_dat_fail(loader, -EBADMSG,
				   "trace.dat version %s is not known; only 6 and 7 are",
				   version);
	r = cs_dat_take(cursor, 2, &bytes);
	if (r < 0)
		return r;
	if (bytes[0] > 1)
		return cs_dat_damaged(cursor, "an unknown byte order");
	dat->format = cs_format_new(bytes[0]);
	if (!dat->format)
		return cs_dat_no_memory(loader);
	r = cs_dat_take32(cursor, &dat->page_size);
	if (r < 0)
		return r;
	return dat->version == 6 ? cs_dat_read_v6(cursor) : cs_dat_read_v7(cursor);
}

static int load(struct cs_dat_loader *loader)
{
	struct cs_dat_cursor cursor;
	int r;

	cs_dat_cursor_file(&cursor, loader, 0, "the file header");
	r = read_begin(&cursor);
	cs_dat_cursor_close(&cursor);
	if (!r)
		r = check(loader);
	if (!r)
		r = cs_dat_find_rests(loader);
	if (!r)
		cs_dat_apply_losses(loader);
	return r;
}

int cs_dat_open(struct cs_dat *dat, const char *path, struct cs_notes *notes,
		struct cs_error *error)
{
	struct cs_dat_loader loader = {.dat = dat, .notes = notes, .error = error};
	struct stat status;
	int r;

	memset(dat, 0, sizeof(*dat));
	dat->fd = -1;
	dat->path = strdup(path);
	if (!dat->path)
		return cs_error_set(error, -ENOMEM, "%s: out of memory", path);
	dat->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (dat->fd < 0 || fstat(dat->fd, &status) < 0) {
		r = -errno;
		return cs_dat_fail(&loader, r, "%s", strerror(-r));
	}
	dat->size = status.st_size;
	r = load(&loader);

	for (uint32_t i = 0; i < loader.losses_count; i++)
		free(loader.losses[i].buffer);
	for (uint32_t i = 0; i < loader.instances_count; i++)
		free(loader.instances[i].name);
	free(loader.losses);
	free(loader.instances);
	free(loader.stat_buffer);
	return r;
}

void cs_dat_close(struct cs_dat *dat)
{
	for (uint32_t i = 0; i < dat->buffers_count; i++) {
		for (uint32_t c = 0; c < dat->buffers[i].count; c++)
			free(dat->buffers[i].ranges[c].rest);
		free(dat->buffers[i].ranges);
		free(dat->buffers[i].name);
		free(dat->buffers[i].clock);
	}
	free(dat->buffers);
	free(dat->packed);
	free(dat->clock);
	free(dat->kernel);
	free(dat->arch);
	cs_compress_free(dat->compress);
	cs_format_free(dat->format);
	if (dat->fd >= 0)
		close(dat->fd);
	free(dat->path);
	memset(dat, 0, sizeof(*dat));
	dat->fd = -1;
}
