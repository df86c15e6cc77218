/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency: from a task's wakeup until it runs, by what it found on its CPU, by
 * class, CPU and task; the worst cases with their story.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/grow.h"
#include "analysis/row.h"
#include "analysis/story.h"

enum prio_class { DEADLINE, REAL_TIME, FAIR, UNCLASSED, PRIO_CLASSES };

/* One wakeup that is among the worst. */
struct worst {
	const struct cs_task *task;
	const struct cs_task *waker;
	uint64_t begin;
	uint64_t end;
	int32_t cpu;
	int32_t queued; /* where it queued, when it was moved later */
	int32_t prio;
	uint8_t context;
	uint8_t found;
	struct cs_story story;
};

struct hists {
	struct cs_hist *all;
	uint32_t room;
};

struct latency {
	struct cs_hist hists[PRIO_CLASSES][CS_FOUNDS];
	struct hists tasks;
	struct hists cpus;
	struct worst *worst; /* worst first */
	uint32_t worst_count;
	uint32_t worst_room;
	uint32_t rows;
	bool failed;
};

static int init(void *state, const struct cs_options *options)
{
	struct latency *latency = state;

	latency->rows = options->rows;
	latency->worst_room = options->worst;
	if (!options->worst)
		return 0;
	latency->worst = calloc(options->worst, sizeof(*latency->worst));
	return latency->worst ? 0 : -ENOMEM;
}

static enum prio_class class_of(int32_t prio)
{
	if (prio == CS_PRIO_UNKNOWN)
		return UNCLASSED;
	if (prio < 0)
		return DEADLINE;
	return cs_prio_is_rt(prio) ? REAL_TIME : FAIR;
}

static void add(struct latency *latency, struct hists *hists, uint32_t index, uint64_t ns)
{
	if (index >= hists->room &&
	    cs_grow(&hists->all, &hists->room, index + 1, sizeof(*hists->all)))
		latency->failed = true;
	else
		cs_hist_add(&hists->all[index], ns);
}

static void keep_worst(struct latency *latency, const struct cs_span *span)
{
	struct worst *worst = latency->worst;
	uint64_t ns = cs_span_ns(span);
	uint32_t at = latency->worst_count;

	if (at == latency->worst_room) {
		if (!at || ns <= worst[at - 1].end - worst[at - 1].begin)
			return;
		at--;
	} else {
		latency->worst_count++;
	}
	for (; at && ns > worst[at - 1].end - worst[at - 1].begin; at--)
		worst[at] = worst[at - 1];
	worst[at] = (struct worst){
		.task = span->task,
		.waker = span->peer,
		.begin = span->begin,
		.end = span->end,
		.cpu = span->cpu,
		.prio = span->prio,
		.context = span->waker_context,
		.found = span->found,
	};
	worst[at].queued = span->queued ? span->queued->nr : CS_CPU_UNKNOWN;
	cs_story_tell_wait(&worst[at].story, span);
}

static void on_span(void *state, const struct cs_span *span)
{
	struct latency *latency = state;
	uint64_t ns = cs_span_ns(span);

	if (span->cause != CS_WAIT_WOKEN || span->flags & CS_SPAN_PARTIAL)
		return;
	cs_hist_add(&latency->hists[class_of(span->prio)][span->found], ns);
	add(latency, &latency->tasks, span->task->index, ns);
	add(latency, &latency->cpus, (uint32_t)span->cpu, ns);
	keep_worst(latency, span);
}

static void add_merged(const struct latency *latency, struct cs_result *out,
		       struct cs_node *parent, const char *key, const char *label,
		       unsigned int classes, unsigned int founds)
{
	struct cs_hist merged = {0};

	for (unsigned int c = 0; c < PRIO_CLASSES; c++)
		for (unsigned int f = 0; f < CS_FOUNDS; f++)
			if (classes >> c & 1 && founds >> f & 1)
				cs_hist_merge(&merged, &latency->hists[c][f]);
	cs_result_hist(out, parent, key, label, &merged);
	cs_hist_fini(&merged);
}

#define ALL (~0u)

static void add_found(const struct latency *latency, struct cs_result *out,
		      struct cs_node *parent)
{
	struct cs_node *node = cs_result_object(out, parent, "found",
						"By what the task found on its CPU");

	add_merged(latency, out, node, "idle", "idle CPU", ALL, 1 << CS_FOUND_IDLE);
	add_merged(latency, out, node, "lower", "lower priority (it preempts)", ALL,
		   1 << CS_FOUND_LOWER);
	add_merged(latency, out, node, "same_or_higher", "same or higher (it queues)",
		   ALL, 1 << CS_FOUND_SAME_OR_HIGHER);
	add_merged(latency, out, node, "unknown", "not known", ALL,
		   1 << CS_FOUND_UNKNOWN);
}

static void add_classes(const struct latency *latency, struct cs_result *out,
			struct cs_node *parent)
{
	struct cs_node *node = cs_result_object(out, parent, "classes",
						"By priority class");

	add_merged(latency, out, node, "deadline", "deadline", 1 << DEADLINE, ALL);
	add_merged(latency, out, node, "rt", "real time (0 to 99)", 1 << REAL_TIME, ALL);
	add_merged(latency, out, node, "fair", "fair (100 to 139)", 1 << FAIR, ALL);
}

static const struct cs_column cpu_columns[] = {
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"wakeup", "wakeup latency", CS_TYPE_STAT, CS_UNIT_NONE},
};

static void add_cpus(const struct latency *latency, struct cs_result *out,
		     struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "per_cpu", "By CPU",
						cpu_columns, 2, latency->rows);

	for (uint32_t nr = 0; nr < latency->cpus.room; nr++) {
		union cs_cell *row;

		if (!latency->cpus.all[nr].count)
			continue;
		row = cs_result_row(out, table);
		if (!row)
			return;
		row[0].integer = nr;
		row[1].stat = cs_result_stat(out, &latency->cpus.all[nr]);
	}
}

static const struct cs_column task_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"wakeup", "wakeup latency", CS_TYPE_STAT, CS_UNIT_NONE},
};

static int by_max(const void *a, const void *b)
{
	const struct cs_hist *left = *(const struct cs_hist *const *)a;
	const struct cs_hist *right = *(const struct cs_hist *const *)b;

	if (left->max != right->max)
		return left->max < right->max ? 1 : -1;
	return (left > right) - (left < right);
}

static void add_tasks(const struct latency *latency, const struct cs_tracker *tracker,
		      struct cs_result *out, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "per_task",
						"By task, worst first", task_columns, 4,
						latency->rows);
	const struct cs_hist **order =
		malloc((latency->tasks.room + (size_t)1) * sizeof(*order));
	uint32_t count = 0;

	if (!order) {
		out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < latency->tasks.room; i++)
		if (latency->tasks.all[i].count)
			order[count++] = &latency->tasks.all[i];
	qsort(order, count, sizeof(*order), by_max);
	for (uint32_t i = 0; i < count; i++) {
		union cs_cell *row = cs_result_row(out, table);

		if (!row)
			break;
		cs_row_task(row, tracker->tasks.tasks[order[i] - latency->tasks.all]);
		row[3].stat = cs_result_stat(out, order[i]);
	}
	free(order);
}

static const struct cs_column worst_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"latency_ns", "latency", CS_TYPE_INT, CS_UNIT_NS},
	{"begin_ns", "woken at", CS_TYPE_INT, CS_UNIT_TIME},
	{"waker_comm", "by", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"waker_context", "in", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"found", "found", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"end_ns", NULL, CS_TYPE_INT, CS_UNIT_TIME},
	{"waker", NULL, CS_TYPE_INT, CS_UNIT_PID},
	{"queued_cpu", NULL, CS_TYPE_INT, CS_UNIT_CPU},
	{"ran", "what ran meanwhile", CS_TYPE_OBJECT, CS_UNIT_NONE},
	{"interrupts", "interrupts meanwhile", CS_TYPE_OBJECT, CS_UNIT_NONE},
};

static const char *const contexts[] = {
	[CS_CONTEXT_TASK] = "task",	  [CS_CONTEXT_SOFTIRQ] = "softirq",
	[CS_CONTEXT_HARDIRQ] = "hardirq", [CS_CONTEXT_NMI] = "nmi",
	[CS_CONTEXT_UNKNOWN] = NULL,
};

static const char *const founds[] = {
	[CS_FOUND_IDLE] = "idle",
	[CS_FOUND_LOWER] = "lower",
	[CS_FOUND_SAME_OR_HIGHER] = "same_or_higher",
	[CS_FOUND_UNKNOWN] = NULL,
};

static void add_worst(const struct latency *latency, struct cs_result *out,
		      struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "worst", "Worst wakeups",
						worst_columns, 14, latency->worst_count);

	for (uint32_t i = 0; i < latency->worst_count; i++) {
		const struct worst *worst = &latency->worst[i];
		union cs_cell *row = cs_result_row(out, table);

		if (!row)
			return;
		row[0].integer = worst->task->pid;
		row[1].text = worst->task->comm;
		row[2].integer = (int64_t)(worst->end - worst->begin);
		row[3].integer = (int64_t)worst->begin;
		row[4].text = worst->waker ? worst->waker->comm : NULL;
		row[5].text = contexts[worst->context];
		row[6].integer = worst->cpu;
		row[7].integer = cs_cell_prio(worst->prio);
		row[8].text = founds[worst->found];
		row[9].integer = (int64_t)worst->end;
		row[10].integer = worst->waker ? worst->waker->pid : CS_INT_NULL;
		row[11].integer = worst->queued == CS_CPU_UNKNOWN ? worst->cpu
								  : worst->queued;
		row[12].node = cs_story_ran(out, &worst->story);
		row[13].node = worst->story.irqs_count ? cs_story_irqs(out, &worst->story)
						       : NULL;
	}
}

static void add_notes(const struct cs_tracker *tracker, struct cs_result *out,
		      struct cs_node *parent)
{
	const uint64_t *seen = tracker->health.seen;

	if (seen[CS_EVENT_WAKING])
		return;
	if (seen[CS_EVENT_WAKEUP])
		cs_result_note(
			out, parent,
			"The trace has no sched_waking: latencies count from sched_wakeup, "
			"which comes later, so each is too short by the time between.");
	else
		cs_result_note(
			out, parent,
			"The trace has neither sched_waking nor sched_wakeup: only the first "
			"waits of new tasks are known. Record sched_waking.");
}

static void result(const void *state, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	const struct latency *latency = state;
	struct cs_node *node = cs_result_object(out, parent, "latency",
						"Wakeup latency (woken until it runs)");

	add_notes(tracker, out, node);
	add_merged(latency, out, node, "wakeup", "all wakeups", ALL, ALL);
	add_found(latency, out, node);
	add_classes(latency, out, node);
	add_cpus(latency, out, node);
	add_tasks(latency, tracker, out, node);
	add_worst(latency, out, node);
}

static bool failed(const void *state)
{
	return ((const struct latency *)state)->failed;
}

static void free_hists(struct hists *hists)
{
	for (uint32_t i = 0; i < hists->room; i++)
		cs_hist_fini(&hists->all[i]);
	free(hists->all);
}

static void fini(void *state)
{
	struct latency *latency = state;

	for (unsigned int c = 0; c < PRIO_CLASSES; c++)
		for (unsigned int f = 0; f < CS_FOUNDS; f++)
			cs_hist_fini(&latency->hists[c][f]);
	free_hists(&latency->tasks);
	free_hists(&latency->cpus);
	free(latency->worst);
}

const struct cs_analysis cs_analysis_latency = {
	.name = "latency",
	.spans = 1 << CS_SPAN_WAIT,
	.needs = 1 << CS_EVENT_WAKING | 1 << CS_EVENT_WAKEUP | 1 << CS_EVENT_WAKEUP_NEW,
	.needs_text = "sched_waking",
	.size = sizeof(struct latency),
	.init = init,
	.on_span = on_span,
	.failed = failed,
	.result = result,
	.fini = fini,
};
