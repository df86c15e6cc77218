/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-repeat IN OUT EVENTS: makes a long trace.dat (v6, plain) out of a short
 * one by appending its pages again and again, each time later. For benchmarks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/input/dat.h"
#include "user/input/reader.h"

/* A pause between two repetitions, so that no time goes backwards. */
#define PAUSE_NS 1000000

static const char table_mark[] = "flyrecord";

struct piece {
	unsigned char *bytes;
	size_t size;
	const struct cs_dat_buffer *buffer;
	unsigned char *table; /* of v6: offset and size of each CPU's pages */
	size_t head;	      /* bytes before the first page */
	uint64_t span_ns;
	uint64_t events;
};

static void die(const char *what)
{
	fprintf(stderr, "trace-repeat: %s\n", what);
	exit(1);
}

static void load(struct piece *piece, const char *path)
{
	struct stat st;
	FILE *in = fopen(path, "rb");

	if (!in || fstat(fileno(in), &st))
		die("cannot open the input");
	piece->size = (size_t)st.st_size;
	piece->bytes = malloc(piece->size);
	if (!piece->bytes || fread(piece->bytes, 1, piece->size, in) != piece->size)
		die("cannot read the input");
	fclose(in);
}

static void count_events(struct piece *piece, const char *path)
{
	struct cs_error error;
	struct cs_reader *reader = cs_reader_open(path, NULL, &error);
	struct cs_event ev;
	uint64_t first = UINT64_MAX, last = 0;

	if (!reader)
		die(error.text);
	while (cs_reader_next(reader, &ev, &error) > 0) {
		first = ev.ts < first ? ev.ts : first;
		last = ev.ts > last ? ev.ts : last;
		piece->events++;
	}
	cs_reader_close(reader);
	if (!piece->events)
		die("the input has no events");
	piece->span_ns = last - first + PAUSE_NS;
}

static void find_table(struct piece *piece, const struct cs_dat *dat)
{
	unsigned char *at = piece->bytes, *mark = NULL;

	if (dat->version != 6 || dat->buffers_count != 1 || dat->unfinished)
		die("the input is no plain trace.dat of version 6 with one buffer");
	piece->buffer = &dat->buffers[0];
	piece->head = SIZE_MAX;
	for (uint32_t i = 0; i < piece->buffer->count; i++)
		if (piece->buffer->ranges[i].size &&
		    piece->buffer->ranges[i].offset < piece->head)
			piece->head = piece->buffer->ranges[i].offset;
	if (piece->head > piece->size)
		die("the input has no pages");
	while ((at = memmem(at, piece->bytes + piece->head - at, table_mark,
			    sizeof(table_mark))))
		mark = at++;
	if (!mark)
		die("the input has no table of CPUs");
	piece->table = mark + sizeof(table_mark);
}

/* The table of the output, in the order of the input's. */
static void write_head(const struct piece *piece, uint64_t repeats, FILE *out)
{
	uint64_t offset = piece->head, entry[2];

	for (uint32_t i = 0; i < piece->buffer->count; i++) {
		unsigned char *at = piece->table + i * sizeof(entry);

		memcpy(entry, at, sizeof(entry));
		entry[0] = offset;
		offset += entry[1] *= repeats;
		memcpy(at, entry, sizeof(entry));
	}
	fwrite(piece->bytes, 1, piece->head, out);
}

static void write_pages(const struct piece *piece, uint64_t repeats, uint32_t page_size,
			FILE *out)
{
	unsigned char *page = malloc(page_size);

	if (!page)
		die("no memory");
	for (uint32_t cpu = 0; cpu < piece->buffer->count; cpu++) {
		const struct cs_dat_range *range = &piece->buffer->ranges[cpu];

		for (uint64_t i = 0; i < repeats; i++) {
			for (uint64_t at = 0; at < range->size; at += page_size) {
				uint64_t ts;

				memcpy(page, piece->bytes + range->offset + at,
				       page_size);
				memcpy(&ts, page, sizeof(ts));
				ts += i * piece->span_ns;
				memcpy(page, &ts, sizeof(ts));
				fwrite(page, 1, page_size, out);
			}
		}
	}
	free(page);
}

int main(int argc, char **argv)
{
	struct piece piece = {0};
	struct cs_notes notes = {0};
	struct cs_error error;
	struct cs_dat dat;
	uint64_t repeats;
	FILE *out;

	if (argc != 4 || strtoull(argv[3], NULL, 10) == 0)
		die("usage: trace-repeat IN OUT EVENTS");
	load(&piece, argv[1]);
	count_events(&piece, argv[1]);
	if (cs_dat_open(&dat, argv[1], &notes, &error))
		die(error.text);
	find_table(&piece, &dat);
	repeats = (strtoull(argv[3], NULL, 10) + piece.events - 1) / piece.events;
	out = fopen(argv[2], "wb");
	if (!out)
		die("cannot create the output");
	write_head(&piece, repeats, out);
	write_pages(&piece, repeats, piece.buffer->page_size, out);
	if (fclose(out))
		die("cannot write the output");
	cs_dat_close(&dat);
	free(piece.bytes);
	return 0;
}
