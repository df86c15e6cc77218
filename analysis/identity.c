/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is who: births, names, thread groups, priorities, and pids that come back.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/grow.h"

static int compare_identity(const void *a, const void *b)
{
	const struct cs_identity *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* By pid, and of those with one pid the one told last first. */
static int compare_age(const void *a, const void *b)
{
	const struct cs_identity *left = a, *right = b;
	int order = compare_identity(a, b);

	return order ? order : (left->told < right->told) - (left->told > right->told);
}

/* Markers repeat what they said before: sort once they are asked, keep the last word. */
static void sort_identities(struct cs_tracker *tracker)
{
	struct cs_identity *all = tracker->identities;
	uint32_t kept = 0;

	qsort(all, tracker->identities_count, sizeof(*all), compare_age);
	for (uint32_t i = 0; i < tracker->identities_count; i++)
		if (!kept || all[kept - 1].pid != all[i].pid)
			all[kept++] = all[i];
	tracker->identities_count = kept;
	tracker->identities_sorted = true;
}

static void identify(struct cs_tracker *tracker, struct cs_task *task)
{
	struct cs_identity key = {.pid = task->pid};
	const struct cs_identity *identity;

	if (!tracker->identities_count)
		return;
	if (!tracker->identities_sorted)
		sort_identities(tracker);
	identity = bsearch(&key, tracker->identities, tracker->identities_count,
			   sizeof(key), compare_identity);
	if (!identity)
		return;
	task->tgid = identity->tgid;
	task->kernel = identity->kernel ? CS_YES : CS_NO;
}

/* The living task with @pid, which an event has just proved to exist. */
struct cs_task *cs_task_see(struct cs_tracker *tracker, int32_t pid, uint64_t ts)
{
	struct cs_task *task = cs_task_find(&tracker->tasks, pid);
	bool reused = task;

	if (task && task->state != CS_TASK_DEAD)
		return task;
	task = cs_task_add(&tracker->tasks, pid, ts);
	if (task && !reused)
		identify(tracker, task);
	return task;
}

/* Who was in charge when a record was written: it may be dead by then. */
const struct cs_task *cs_waker_see(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const struct cs_task *task = tracker->cpus[ev->cpu]->current;

	if (ev->context != CS_CONTEXT_TASK || ev->pid <= 0)
		return NULL;
	if (task && task->pid == ev->pid)
		return task;
	task = cs_task_find(&tracker->tasks, ev->pid);
	return task ? task : cs_task_see(tracker, ev->pid, ev->ts);
}

void cs_prio_change(struct cs_task *task, int32_t prio)
{
	if (task->prio == CS_PRIO_UNKNOWN) {
		task->base_prio = task->prio_highest = prio;
	} else {
		task->prio_changes++;
		if (prio < task->prio_highest)
			task->prio_highest = prio;
		if (task->flags & CS_BOOST_DOUBTED && prio >= task->base_prio)
			task->flags &= ~(CS_BOOSTED | CS_BOOST_DOUBTED);
		if (!(task->flags & CS_BOOSTED))
			task->base_prio = prio;
	}
	task->prio = prio;
}

/* The task that begins its life with @pid now; one seen a moment ago will do. */
struct cs_task *cs_life_begin(struct cs_tracker *tracker, int32_t pid, uint64_t ts)
{
	struct cs_task *task = cs_task_find(&tracker->tasks, pid);

	if (task && task->state == CS_TASK_UNKNOWN && !(task->flags & CS_LIVED))
		return task;
	if (task && task->state != CS_TASK_DEAD) {
		/* its end was not seen */
		if (task->state == CS_TASK_RUNNING) {
			tracker->health.unexpected++;
			cs_cpu_lose(tracker, tracker->cpus[task->cpu]);
		}
		cs_task_lose(tracker, task);
		cs_emit_unknown(tracker, task, ts);
		task->state = CS_TASK_DEAD;
		task->end = ts;
		cs_task_unplace(task);
	}
	return cs_task_add(&tracker->tasks, pid, ts);
}

int cs_track_fork(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const struct cs_task *parent;
	struct cs_task *task;

	if (ev->task.pid <= 0)
		return 0;
	task = cs_life_begin(tracker, ev->task.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	cs_comm_see(task, ev->task.comm);
	parent = ev->task.parent > 0 ? cs_task_find(&tracker->tasks, ev->task.parent)
				     : NULL;
	/* kthreadd is pid 2: rest_init() (init/main.c); all others are its children */
	if (ev->task.parent == 2) {
		task->kernel = CS_YES;
		task->tgid = task->pid;
	} else if (parent && parent->kernel == CS_NO) {
		task->kernel = CS_NO;
	}
	if (!ev->task.same_thread)
		task->tgid = task->pid;
	else if (ev->task.same_thread > 0 && parent)
		task->tgid = parent->tgid;
	return 0;
}

int cs_track_task(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_task *task;

	if (ev->task.pid <= 0)
		return 0;
	task = cs_task_see(tracker, ev->task.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	cs_comm_see(task, ev->task.comm);
	if (ev->type == CS_EVENT_EXEC) {
		/* begin_new_exec() (fs/exec.c): a user process, led by this task */
		task->kernel = CS_NO;
		task->tgid = task->pid;
	}
	return 0;
}

static const char *read_pid(const char *text, const char *end, int32_t *pid)
{
	int64_t value = 0;
	const char *start = text;

	for (; text < end && isdigit((unsigned char)*text) && value < INT32_MAX; text++)
		value = value * 10 + (*text - '0');
	if (text == start || value > INT32_MAX)
		return NULL;
	*pid = (int32_t)value;
	return text;
}

static int add_identity(struct cs_tracker *tracker, const struct cs_identity *identity)
{
	uint32_t count = tracker->identities_count;

	if (count == tracker->identities_room) {
		if (!tracker->identities_sorted && count)
			sort_identities(tracker);
		count = tracker->identities_count;
		if (count > tracker->identities_room / 2 || !count) {
			if (cs_grow(&tracker->identities, &tracker->identities_room,
				    tracker->identities_room + 1,
				    sizeof(*tracker->identities)))
				return -ENOMEM;
		}
	}
	tracker->identities[count] = *identity;
	tracker->identities[count].told = tracker->health.events;
	tracker->identities_count = count + 1;
	tracker->identities_sorted = false;
	return 0;
}

int cs_track_marker(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const char *text = ev->marker.text, *end = text + ev->marker.length;
	size_t prefix = strlen(CS_MARKER_TASKS);

	if (cs_module_parse(&tracker->module, text, ev->marker.length))
		return 0;
	if (ev->marker.length < prefix || memcmp(text, CS_MARKER_TASKS, prefix))
		return 0;
	for (text += prefix; text < end; text++) {
		struct cs_identity identity = {0};
		struct cs_task *task;

		text = read_pid(text, end, &identity.pid);
		if (!text || text == end || *text != '/')
			break;
		text = read_pid(text + 1, end, &identity.tgid);
		if (!text)
			break;
		if (text < end && *text == 'k') {
			identity.kernel = true;
			text++;
		}
		if (add_identity(tracker, &identity))
			return -ENOMEM;
		task = identity.pid ? cs_task_find(&tracker->tasks, identity.pid) : NULL;
		if (task && task->tgid == CS_PID_UNKNOWN) {
			task->tgid = identity.tgid;
			task->kernel = identity.kernel ? CS_YES : CS_NO;
		}
	}
	return 0;
}
