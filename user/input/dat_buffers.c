/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of buffer instances and of their CPUs, and what becomes known of them late:
 * losses, and pages that are still in files of their own.
 */
#include "user/input/dat_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct cs_dat_buffer *cs_dat_add_buffer(struct cs_dat_loader *loader, const char *name)
{
	struct cs_dat *dat = loader->dat;
	struct cs_dat_buffer *buffers, *new;

	buffers = reallocarray(dat->buffers, dat->buffers_count + 1, sizeof(*buffers));
	if (!buffers)
		return NULL;
	dat->buffers = buffers;
	new = &buffers[dat->buffers_count];
	/* The main one first, whatever the file's order. */
	if (!*name) {
		memmove(buffers + 1, buffers, dat->buffers_count * sizeof(*buffers));
		new = buffers;
	}
	memset(new, 0, sizeof(*new));
	dat->buffers_count++;
	new->name = strdup(name);
	return new->name ? new : NULL;
}

int cs_dat_add_range(struct cs_dat_loader *loader, struct cs_dat_buffer *buffer,
		     uint32_t cpu, uint64_t offset, uint64_t size)
{
	struct cs_dat_range *range;
	uint64_t left;

	if (cpu >= CS_CPUS_MAX)
		return cs_dat_fail(loader, -EBADMSG, "damaged: CPU number %u cannot be",
				   cpu);
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->ranges[i].cpu == (int32_t)cpu)
			return cs_dat_fail(loader, -EBADMSG,
					   "damaged: CPU %u has data twice", cpu);
	range = &buffer->ranges[buffer->count++];
	memset(range, 0, sizeof(*range));
	range->cpu = cpu;
	range->offset = offset;
	range->size = size;
	left = offset < loader->dat->size ? loader->dat->size - offset : 0;
	if (size > left) {
		range->size = left;
		range->truncated = true;
	}
	return 0;
}

int cs_dat_alloc_ranges(struct cs_dat_loader *loader, struct cs_dat_buffer *buffer,
			uint32_t count)
{
	if (count > CS_CPUS_MAX)
		return cs_dat_fail(loader, -EBADMSG, "damaged: %u CPUs cannot be", count);
	buffer->ranges = calloc(count ? count : 1, sizeof(*buffer->ranges));
	return buffer->ranges ? 0 : cs_dat_no_memory(loader);
}

/*
 * Whether the table of CPUs may be the begin of what was recorded. Our recorder moves the
 * pages of FILE.part.cpuN into FILE.part piece by piece (user/record/dat_finish.c); of
 * others a table is filled when all is done, and a FILE.cpuN beside it means nothing.
 */
static bool may_have_rests(const struct cs_dat *dat)
{
	static const char suffix[] = ".part";
	size_t length = strlen(dat->path);
	const struct cs_dat_buffer *buffer;

	if (dat->version > 6 || dat->buffers_count != 1)
		return false;
	if (length >= sizeof(suffix) - 1 &&
	    !strcmp(dat->path + length - (sizeof(suffix) - 1), suffix))
		return true;
	buffer = &dat->buffers[0];
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->ranges[i].size || buffer->ranges[i].truncated)
			return false;
	return true;
}

/* The rest of one CPU: FILE.cpuN, from the size in the table on. */
static int find_rest(struct cs_dat_loader *loader, const struct cs_dat_buffer *buffer,
		     struct cs_dat_range *range)
{
	uint64_t moved = range->size, whole;
	struct stat status;
	char *path;

	if (asprintf(&path, "%s.cpu%d", loader->dat->path, range->cpu) < 0)
		return cs_dat_no_memory(loader);
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode)) {
		free(path);
		return 0;
	}
	loader->dat->unfinished = true;
	/* A page that was cut when its writer died is none. */
	whole = status.st_size - status.st_size % buffer->page_size;
	/* What was moved but is missing cannot be skipped: there is no more to read. */
	if (range->truncated || whole <= moved) {
		free(path);
		return 0;
	}
	range->rest = path;
	range->rest_offset = moved;
	range->rest_size = whole - moved;
	return 0;
}

int cs_dat_find_rests(struct cs_dat_loader *loader)
{
	struct cs_dat *dat = loader->dat;
	struct cs_dat_buffer *buffer = dat->buffers;
	int r = 0;

	if (!may_have_rests(dat))
		return 0;
	for (uint32_t i = 0; !r && i < buffer->count; i++)
		r = find_rest(loader, buffer, &buffer->ranges[i]);
	if (dat->unfinished)
		cs_notes_add(
			loader->notes,
			"the recording was not finished; what it had saved so far is read");
	return r;
}

void cs_dat_apply_losses(struct cs_dat_loader *loader)
{
	struct cs_dat *dat = loader->dat;

	for (uint32_t i = 0; i < loader->losses_count; i++) {
		const struct cs_dat_loss *loss = &loader->losses[i];

		for (uint32_t b = 0; b < dat->buffers_count; b++) {
			struct cs_dat_buffer *buffer = &dat->buffers[b];

			if (strcmp(buffer->name, loss->buffer))
				continue;
			for (uint32_t c = 0; c < buffer->count; c++)
				if (buffer->ranges[c].cpu == loss->cpu)
					buffer->ranges[c].dropped = loss->dropped;
		}
	}
}
