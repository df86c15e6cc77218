/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of tasks: all of them by index, the youngest of each pid by hash.
 */
#include "analysis/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256

static uint32_t bucket_of(int32_t pid, uint32_t mask)
{
	/* Knuth's multiplicative hash; pids are dense, so any spreading will do */
	return ((uint32_t)pid * 2654435761u >> 7) & mask;
}

int cs_task_table_init(struct cs_task_table *table)
{
	memset(table, 0, sizeof(*table));
	table->buckets = calloc(FIRST_ROOM, sizeof(*table->buckets));
	table->tasks = calloc(FIRST_ROOM, sizeof(*table->tasks));
	if (!table->buckets || !table->tasks) {
		cs_task_table_fini(table);
		return -ENOMEM;
	}
	table->room = FIRST_ROOM;
	table->mask = FIRST_ROOM - 1;
	return 0;
}

void cs_task_table_fini(struct cs_task_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free(table->tasks[i]);
	free(table->tasks);
	free(table->buckets);
	memset(table, 0, sizeof(*table));
}

struct cs_task *cs_task_find(struct cs_task_table *table, int32_t pid)
{
	struct cs_task *task = table->last;

	if (task && task->pid == pid)
		return task;
	task = table->buckets[bucket_of(pid, table->mask)];
	while (task && task->pid != pid)
		task = task->next_by_pid;
	if (task)
		table->last = task;
	return task;
}

static void chain(struct cs_task_table *table, struct cs_task *task)
{
	struct cs_task **bucket = &table->buckets[bucket_of(task->pid, table->mask)];

	task->next_by_pid = *bucket;
	*bucket = task;
}

static void unchain(struct cs_task_table *table, const struct cs_task *task)
{
	struct cs_task **link = &table->buckets[bucket_of(task->pid, table->mask)];

	while (*link != task)
		link = &(*link)->next_by_pid;
	*link = task->next_by_pid;
}

static int grow(struct cs_task_table *table)
{
	uint32_t room = table->room * 2;
	struct cs_task **tasks = realloc(table->tasks, room * sizeof(*tasks));
	struct cs_task **buckets;

	if (!tasks)
		return -ENOMEM;
	table->tasks = tasks;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i <= table->mask; i++) {
		for (struct cs_task *task = table->buckets[i], *next; task; task = next) {
			uint32_t to = bucket_of(task->pid, room - 1);

			next = task->next_by_pid;
			task->next_by_pid = buckets[to];
			buckets[to] = task;
		}
	}
	free(table->buckets);
	table->buckets = buckets;
	table->room = room;
	table->mask = room - 1;
	return 0;
}

struct cs_task *cs_task_add(struct cs_task_table *table, int32_t pid, uint64_t ts)
{
	struct cs_task *older = pid ? cs_task_find(table, pid) : NULL;
	struct cs_task *task;

	if (table->count == table->room && grow(table))
		return NULL;
	task = aligned_alloc(CS_CACHE_LINE, sizeof(*task));
	if (!task)
		return NULL;
	memset(task, 0, sizeof(*task));
	task->index = table->count;
	task->pid = pid;
	task->tgid = CS_PID_UNKNOWN;
	task->kernel = CS_UNKNOWN;
	task->prio = task->base_prio = task->prio_highest = CS_PRIO_UNKNOWN;
	task->cpu = CS_CPU_UNKNOWN;
	task->begin = task->since = ts;
	table->tasks[table->count++] = task;
	if (older)
		unchain(table, older);
	if (pid) {
		chain(table, task);
		table->last = task;
	}
	return task;
}

void cs_task_set_comm(struct cs_task *task, const char *comm)
{
	char clean[CS_COMM_LEN + 1] = "";

	/* Kernels before 6.x may leave rubbish behind the NUL of a shorter comm. */
	memcpy(clean, comm, strnlen(comm, CS_COMM_LEN));
	if (!memcmp(task->comm, clean, sizeof(clean)))
		return;
	if (task->comm[0] && task->comms_count < CS_TASK_COMMS)
		memcpy(task->comms[task->comms_count++], task->comm, sizeof(task->comm));
	memcpy(task->comm, clean, sizeof(clean));
}
