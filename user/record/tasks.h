/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that lived before or during a recording: names, processes, which
 * are kernel threads. From /proc and the kernel's saved_cmdlines.
 */
#ifndef CS_USER_RECORD_TASKS_H
#define CS_USER_RECORD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TASK_COMM_LEN of include/linux/sched.h */
#define CS_TASKS_COMM 16

/* The kernel cuts a marker at 1024 bytes (kernel/trace/trace.h, TRACE_BUF_SIZE). */
#define CS_TASKS_MARKER 900

/* Which name of a pid counts: the larger one. */
enum cs_tasks_source {
	CS_TASKS_START, /* /proc when the recording began */
	CS_TASKS_SAVED, /* saved_cmdlines: the name at its last switch */
	CS_TASKS_END,	/* /proc when the recording ended */
};

/**
 * struct cs_tasks_entry - what one source says of one task
 * @pid: the thread
 * @tgid: its process, or -1 when unknown
 * @kernel: a kernel thread
 * @source: enum cs_tasks_source
 * @comm: its name, NUL-terminated, no control characters
 */
struct cs_tasks_entry {
	int32_t pid;
	int32_t tgid;
	bool kernel;
	uint8_t source;
	char comm[CS_TASKS_COMM];
};

/** struct cs_tasks - all entries; zeroed memory is empty. */
struct cs_tasks {
	struct cs_tasks_entry *entries;
	size_t count;
	size_t room;
};

/**
 * cs_tasks_walk - add every thread of a /proc
 * @tasks: where
 * @proc: "/proc", or another place in tests
 * @source: CS_TASKS_START or CS_TASKS_END
 *
 * A task that ends while we look is left out.
 *
 * Return: 0 or -errno (no /proc, no memory).
 */
int cs_tasks_walk(struct cs_tasks *tasks, const char *proc, enum cs_tasks_source source);

/**
 * cs_tasks_stat - add a task from the text of its /proc/PID/stat
 * @tasks: where
 * @text: the text
 * @tgid: its process
 * @source: enum cs_tasks_source
 *
 * Return: 0, -EINVAL (not such a text) or -ENOMEM.
 */
int cs_tasks_stat(struct cs_tasks *tasks, const char *text, int32_t tgid,
		  enum cs_tasks_source source);

/**
 * cs_tasks_saved - add the lines "PID COMM" of saved_cmdlines
 * @tasks: where
 * @text: its content
 *
 * Return: 0 or -ENOMEM.
 */
int cs_tasks_saved(struct cs_tasks *tasks, const char *text);

/**
 * cs_tasks_markers - the lines that carry tgids into a trace
 * @tasks: every CS_TASKS_START entry is written
 * @put: takes one line, at most CS_TASKS_MARKER bytes with its newline
 * @arg: handed to @put
 *
 * "ctxsw:tasks 1/1 2/2k 35/34": pid/tgid, k for a kernel thread.
 *
 * Return: 0 or the first failure of @put.
 */
int cs_tasks_markers(const struct cs_tasks *tasks,
		     int (*put)(void *arg, const char *line, size_t length), void *arg);

/**
 * cs_tasks_cmdlines - the lines "PID COMM" for a trace.dat, each pid once
 * @tasks: gets sorted
 * @size: bytes of the result
 *
 * Return: the text, to be freed with free(); NULL: no memory.
 */
char *cs_tasks_cmdlines(struct cs_tasks *tasks, size_t *size);

/** cs_tasks_fini - free the entries. */
void cs_tasks_fini(struct cs_tasks *tasks);

#endif
