/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that lived before or during a recording, from /proc and the
 * kernel's saved_cmdlines, as markers and as the cmdlines of a trace.dat.
 */
#include "user/record/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000UL

static bool read_pid(const char *text, int32_t *pid)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtol(text, &end, 10);
	if (*end || errno || value < 0 || value > INT32_MAX)
		return false;
	*pid = (int32_t)value;
	return true;
}

static void set_comm(struct cs_tasks_entry *entry, const char *comm, size_t length)
{
	if (length >= sizeof(entry->comm))
		length = sizeof(entry->comm) - 1;
	for (size_t i = 0; i < length; i++)
		entry->comm[i] = (char)(iscntrl((unsigned char)comm[i]) ? '?' : comm[i]);
	entry->comm[length] = '\0';
}

static int add(struct cs_tasks *tasks, const struct cs_tasks_entry *entry)
{
	if (tasks->count == tasks->room) {
		size_t room = tasks->room ? tasks->room * 2 : 256;
		struct cs_tasks_entry *more = realloc(tasks->entries,
						      room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		tasks->entries = more;
		tasks->room = room;
	}
	tasks->entries[tasks->count++] = *entry;
	return 0;
}

int cs_tasks_stat(struct cs_tasks *tasks, const char *text, int32_t tgid,
		  enum cs_tasks_source source)
{
	struct cs_tasks_entry entry = {.tgid = tgid, .source = (uint8_t)source};
	/* a comm may hold any byte, brackets too: the last one closes it */
	const char *open = strchr(text, '(');
	const char *shut = strrchr(text, ')');
	unsigned long flags;
	size_t length;
	int pid;

	if (!open || !shut || shut < open || sscanf(text, "%d (", &pid) != 1 || pid < 0)
		return -EINVAL;
	/* state ppid pgrp session tty_nr tpgid flags */
	if (sscanf(shut + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1)
		return -EINVAL;
	entry.pid = pid;
	entry.kernel = flags & PF_KTHREAD;
	length = (size_t)(shut - open - 1);
	/*
	 * fs/proc/array.c proc_task_name() adds the current work to the name
	 * of a kworker; events carry the bare name.
	 */
	if (entry.kernel && !strncmp(open + 1, "kworker/", 8) &&
	    strncmp(open + 9, "R-", 2))
		length = strcspn(open + 1, "-+)");
	set_comm(&entry, open + 1, length);
	return add(tasks, &entry);
}

static int walk_process(struct cs_tasks *tasks, int proc_fd, int32_t tgid,
			enum cs_tasks_source source)
{
	struct dirent *item;
	char path[64];
	DIR *dir;
	int code = 0;
	int fd;

	snprintf(path, sizeof(path), "%d/task", tgid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!code && (item = readdir(dir))) {
		char text[1024];
		int32_t pid;
		ssize_t got;
		int stat;

		if (!read_pid(item->d_name, &pid))
			continue;
		snprintf(path, sizeof(path), "%d/stat", pid);
		stat = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
		if (stat < 0)
			continue;
		got = read(stat, text, sizeof(text) - 1);
		close(stat);
		if (got <= 0)
			continue;
		text[got] = '\0';
		code = cs_tasks_stat(tasks, text, tgid, source);
		if (code == -EINVAL)
			code = 0;
	}
	closedir(dir);
	return code;
}

int cs_tasks_walk(struct cs_tasks *tasks, const char *proc, enum cs_tasks_source source)
{
	DIR *dir = opendir(proc);
	struct dirent *item;
	int32_t tgid;
	int code = 0;

	if (!dir)
		return -errno;
	while (!code && (item = readdir(dir)))
		if (read_pid(item->d_name, &tgid))
			code = walk_process(tasks, dirfd(dir), tgid, source);
	closedir(dir);
	return code;
}

int cs_tasks_saved(struct cs_tasks *tasks, const char *text)
{
	while (*text) {
		struct cs_tasks_entry entry = {.tgid = -1, .source = CS_TASKS_SAVED};
		size_t length = strcspn(text, "\n");
		char *comm;
		long pid = strtol(text, &comm, 10);

		/* <idle> and <...> are no names of tasks */
		if (comm > text && *comm == ' ' && comm[1] != '<' && pid > 0 &&
		    pid <= INT32_MAX) {
			comm++;
			entry.pid = (int32_t)pid;
			set_comm(&entry, comm, (size_t)(text + length - comm));
			if (add(tasks, &entry))
				return -ENOMEM;
		}
		text += length;
		if (*text)
			text++;
	}
	return 0;
}

int cs_tasks_markers(const struct cs_tasks *tasks,
		     int (*put)(void *arg, const char *line, size_t length), void *arg)
{
	static const char head[] = "ctxsw:tasks";
	char line[CS_TASKS_MARKER + 1];
	size_t used = 0;
	int code = 0;

	for (size_t i = 0; i < tasks->count && !code; i++) {
		const struct cs_tasks_entry *entry = &tasks->entries[i];
		char word[32];
		int length;

		if (entry->source != CS_TASKS_START)
			continue;
		length = snprintf(word, sizeof(word), " %d/%d%s", entry->pid, entry->tgid,
				  entry->kernel ? "k" : "");
		if (used && used + (size_t)length + 1 > CS_TASKS_MARKER) {
			line[used++] = '\n';
			code = put(arg, line, used);
			used = 0;
		}
		if (!used) {
			memcpy(line, head, sizeof(head) - 1);
			used = sizeof(head) - 1;
		}
		memcpy(line + used, word, (size_t)length);
		used += (size_t)length;
	}
	if (used && !code) {
		line[used++] = '\n';
		code = put(arg, line, used);
	}
	return code;
}

static int by_pid_and_source(const void *left, const void *right)
{
	const struct cs_tasks_entry *a = left;
	const struct cs_tasks_entry *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (int)a->source - (int)b->source;
}

char *cs_tasks_cmdlines(struct cs_tasks *tasks, size_t *size)
{
	char *text = malloc(tasks->count * (CS_TASKS_COMM + 16) + 1);
	size_t used = 0;

	if (!text)
		return NULL;
	if (tasks->count)
		qsort(tasks->entries, tasks->count, sizeof(*tasks->entries),
		      by_pid_and_source);
	for (size_t i = 0; i < tasks->count; i++) {
		const struct cs_tasks_entry *entry = &tasks->entries[i];

		if (i + 1 < tasks->count && tasks->entries[i + 1].pid == entry->pid)
			continue;
		used += (size_t)sprintf(text + used, "%d %s\n", entry->pid, entry->comm);
	}
	text[used] = '\0';
	*size = used;
	return text;
}

void cs_tasks_fini(struct cs_tasks *tasks)
{
	free(tasks->entries);
	*tasks = (struct cs_tasks){0};
}
