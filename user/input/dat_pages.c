/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading ahead in one CPU's range of a trace.dat.
 */
#include "user/input/dat_pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* trace-cmd makes chunks of ten pages (trace-output.c, PAGES_IN_CHUNK). */
#define CHUNK_PAGES_MAX 16
#define CHUNK_MIN	(1u << 20)

/* A zstd block of 128 KiB of one byte has four bytes: nothing gets smaller. */
#define RATIO_MAX 32768

static void tear(struct cs_dat_pages *pages)
{
	pages->torn = true;
	pages->pages.cut = true;
}

static bool give(struct cs_dat_pages *pages, const uint8_t **bytes, size_t *size)
{
	if (pages->filled - pages->next < pages->page_size)
		return false;
	*bytes = pages->buffer + pages->next;
	*size = pages->page_size;
	pages->next += pages->page_size;
	return true;
}

/* From the end of the range in the file on to the rest in a file of its own. */
static bool go_on(struct cs_dat_pages *pages)
{
	if (pages->left || !pages->rest_left)
		return false;
	pages->fd = pages->rest_fd;
	pages->at = pages->rest_at;
	pages->left = pages->rest_left;
	pages->rest_left = 0;
	return true;
}

/* Fills the buffer with @want bytes, of which the file has to have some. */
static int fill(struct cs_dat_pages *pages, size_t want)
{
	pages->next = pages->filled = 0;
	pages->origin = pages->at;
	while (pages->filled < want) {
		size_t size = want - pages->filled;
		ssize_t got;

		if (size > pages->left)
			size = pages->left;
		got = cs_dat_read(pages->fd, pages->buffer + pages->filled, size,
				  pages->at);
		if (got < 0)
			return got;
		pages->at += got;
		pages->left -= got;
		pages->filled += got;
		if ((size_t)got < size) {
			pages->left = pages->rest_left = 0;
			tear(pages);
			return 0;
		}
		if (!pages->left && !go_on(pages))
			return 0;
	}
	return 0;
}

static int next_plain(struct cs_pages *base, const uint8_t **bytes, size_t *size)
{
	struct cs_dat_pages *pages = (struct cs_dat_pages *)base;
	size_t want;
	int r;

	if (give(pages, bytes, size))
		return 1;
	if (!pages->left)
		go_on(pages);
	/* Whole pages of one file; only the page between two of them is in both. */
	want = pages->left < pages->room ? pages->left : pages->room;
	want -= want % pages->page_size;
	if (!want && pages->left + pages->rest_left >= pages->page_size)
		want = pages->page_size;
	if (!want) {
		if (pages->left + pages->rest_left)
			tear(pages);
		pages->left = pages->rest_left = 0;
		return 0;
	}
	r = fill(pages, want);
	return r < 0 ? r : give(pages, bytes, size);
}

static int cut_off(struct cs_dat_pages *pages)
{
	tear(pages);
	pages->chunks = 0;
	return 0;
}

static int read_word(struct cs_dat_pages *pages, uint32_t *value)
{
	uint8_t bytes[4];
	ssize_t got;

	if (pages->left < sizeof(bytes))
		return 0;
	got = cs_dat_read(pages->fd, bytes, sizeof(bytes), pages->at);
	if (got < 0)
		return got;
	if (got < (ssize_t)sizeof(bytes))
		return 0;
	*value = cs_load32(bytes, pages->dat->format->layout.swap);
	pages->at += sizeof(bytes);
	pages->left -= sizeof(bytes);
	return 1;
}

static void *grow(void *bytes, size_t *room, size_t want)
{
	void *more;

	if (want <= *room)
		return bytes;
	more = realloc(bytes, want);
	if (more)
		*room = want;
	return more;
}

/* Decompresses the next chunk: 1, 0 at the end, -errno as struct cs_pages says. */
static int next_chunk(struct cs_dat_pages *pages)
{
	struct cs_dat *dat = pages->dat;
	uint32_t packed, plain, limit = CHUNK_PAGES_MAX * pages->page_size;
	ssize_t got;
	void *more;
	int r;

	pages->origin = pages->at;
	pages->filled = pages->next = 0;
	r = read_word(pages, &packed);
	if (r == 1)
		r = read_word(pages, &plain);
	if (r < 1)
		return r < 0 ? r : cut_off(pages);
	if (packed > pages->left)
		return cut_off(pages);
	pages->at += packed;
	pages->left -= packed;
	if (plain > (limit > CHUNK_MIN ? limit : CHUNK_MIN) || plain / RATIO_MAX > packed)
		return -EBADMSG;

	more = grow(dat->packed, &dat->packed_room, packed);
	if (!more)
		return -ENOMEM;
	dat->packed = more;
	more = grow(pages->buffer, &pages->room, plain);
	if (!more)
		return -ENOMEM;
	pages->buffer = more;
	got = cs_dat_read(pages->fd, dat->packed, packed, pages->at - packed);
	if (got < 0)
		return got;
	if (got < packed)
		return cut_off(pages);
	r = cs_compress_block(dat->compress, dat->packed, packed, pages->buffer, plain);
	if (r < 0)
		return r;
	pages->filled = plain;
	return 1;
}

static int next_compressed(struct cs_pages *base, const uint8_t **bytes, size_t *size)
{
	struct cs_dat_pages *pages = (struct cs_dat_pages *)base;
	int r;

	while (!give(pages, bytes, size)) {
		if (!pages->begun) {
			pages->begun = true;
			if (!pages->left)
				return 0;
			r = read_word(pages, &pages->chunks);
			if (r < 1)
				return r < 0 ? r : cut_off(pages);
		}
		if (!pages->chunks)
			return 0;
		pages->chunks--;
		r = next_chunk(pages);
		if (r < 1)
			return r;
	}
	return 1;
}

static void where(const struct cs_pages *base, char *text, size_t size)
{
	const struct cs_dat_pages *pages = (const struct cs_dat_pages *)base;

	if (pages->compressed)
		snprintf(text, size, "page in the chunk at offset %" PRIu64,
			 pages->origin);
	else
		snprintf(text, size, "page at offset %" PRIu64,
			 pages->origin +
				 (pages->next ? pages->next - pages->page_size : 0));
}

int cs_dat_pages_init(struct cs_dat_pages *pages, struct cs_dat *dat,
		      const struct cs_dat_buffer *buffer,
		      const struct cs_dat_range *range, size_t room)
{
	uint64_t all;

	memset(pages, 0, sizeof(*pages));
	pages->compressed = buffer->compressed;
	pages->pages.next = pages->compressed ? next_compressed : next_plain;
	pages->pages.where = where;
	pages->page_size = buffer->page_size;
	pages->dat = dat;
	pages->fd = dat->fd;
	pages->rest_fd = -1;
	pages->at = range->offset;
	pages->left = range->size;
	pages->pages.cut = range->truncated || dat->unfinished;
	if (range->rest) {
		pages->rest_fd = open(range->rest, O_RDONLY | O_CLOEXEC);
		if (pages->rest_fd < 0)
			return -errno;
		pages->rest_at = range->rest_offset;
		pages->rest_left = range->rest_size;
	}
	if (pages->compressed) {
		/*
		 * trace-cmd 3.1.6 leaves the number of chunks out of the size; the
		 * number is what counts (trace-compress.c, tracecmd_load_chunks_info()).
		 */
		if (pages->left)
			pages->left = dat->size - pages->at;
		return 0;
	}
	all = pages->left + pages->rest_left;
	if (all < pages->page_size)
		return 0;
	if (room > all)
		room = all;
	room -= room % pages->page_size;
	pages->room = room ? room : pages->page_size;
	pages->buffer = malloc(pages->room);
	return pages->buffer ? 0 : -ENOMEM;
}

void cs_dat_pages_fini(struct cs_dat_pages *pages)
{
	free(pages->buffer);
	pages->buffer = NULL;
	if (pages->rest_fd >= 0)
		close(pages->rest_fd);
	pages->rest_fd = -1;
}
