/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one interface of everything that delivers events: a trace.dat, a text
 * file, a live tracefs instance.
 */
#ifndef CS_USER_INPUT_READER_H
#define CS_USER_INPUT_READER_H

#include "analysis/event.h"
#include "analysis/report.h"
#include "user/error.h"

struct cs_reader;

/**
 * struct cs_reader_ops - one kind of reader
 * @next: the next event in the order of time; 1 event, 0 end, -errno with
 *	  @error set. A live reader returns -EAGAIN when there is none yet
 * @close: free all
 */
struct cs_reader_ops {
	int (*next)(struct cs_reader *reader, struct cs_event *ev,
		    struct cs_error *error);
	void (*close)(struct cs_reader *reader);
};

/**
 * struct cs_reader - first member of each reader's own struct
 * @ops: its functions
 * @source: what it reads; complete once open, notes may be added up to the end
 */
struct cs_reader {
	const struct cs_reader_ops *ops;
	struct cs_source source;
};

/**
 * cs_reader_open - open a file, whatever kind it is
 * @path: the file
 * @buffer: buffer instance to read; NULL: the one with sched events in it
 * @error: on failure: one line that names what is wrong and what to do
 *
 * Tells the kind by the file's first bytes: trace.dat ("\x17\x08\x44tracing"),
 * ctxsw text ("# ctxsw events").
 *
 * Return: the reader, NULL on failure.
 */
struct cs_reader *cs_reader_open(const char *path, const char *buffer,
				 struct cs_error *error);

/** cs_reader_next - see struct cs_reader_ops. */
static inline int cs_reader_next(struct cs_reader *reader, struct cs_event *ev,
				 struct cs_error *error)
{
	return reader->ops->next(reader, ev, error);
}

/** cs_reader_close - close and free; NULL is taken. */
static inline void cs_reader_close(struct cs_reader *reader)
{
	if (reader)
		reader->ops->close(reader);
}

/**
 * cs_reader_dat_open - a trace.dat; for cs_reader_open() and tests
 * @path: of the file
 * @buffer: name of a buffer instance, NULL for the top one
 * @error: on failure: what is wrong and what to do
 *
 * Return: the reader, or NULL.
 */
struct cs_reader *cs_reader_dat_open(const char *path, const char *buffer,
				     struct cs_error *error);

/** cs_reader_text_open - events as text; otherwise as cs_reader_dat_open(). */
struct cs_reader *cs_reader_text_open(const char *path, struct cs_error *error);

#endif
