/* SPDX-License-Identifier: GPL-2.0 */
/*
 * preemption: how long a running lower task kept the CPU from a higher one,
 * how long preempted tasks waited, and who preempted whom.
 */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/pair_table.h"
#include "analysis/row.h"

struct preemption {
	struct cs_hist latency;
	struct cs_hist preempted;
	struct cs_tally by; /* from: who took the CPU, to: the victim */
	struct cs_options options;
};

static int init(void *state, const struct cs_options *options)
{
	struct preemption *preemption = state;

	preemption->options = *options;
	return 0;
}

static void on_span(void *state, const struct cs_span *span)
{
	struct preemption *preemption = state;
	uint64_t ns = cs_span_ns(span);

	if (span->flags & CS_SPAN_PARTIAL)
		return;
	if (span->cause == CS_WAIT_PREEMPTED) {
		cs_hist_add(&preemption->preempted, ns);
		if (span->peer)
			cs_tally_add(&preemption->by, span->peer->index,
				     span->task->index, ns);
	} else if (span->found == CS_FOUND_LOWER) {
		cs_hist_add(&preemption->latency, ns);
	}
}

static const struct cs_column by_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "took the CPU", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"victim", "from pid", CS_TYPE_INT, CS_UNIT_PID},
	{"victim_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"count", "times", CS_TYPE_INT, CS_UNIT_COUNT},
	{"total_ns", "it waited", CS_TYPE_INT, CS_UNIT_NS},
};

static void fill_by(union cs_cell *row, const struct cs_task *by,
		    const struct cs_task *victim, const struct cs_pair *pair)
{
	cs_row_task(row, by);
	row[3].integer = victim->pid;
	row[4].text = victim->comm;
	row[5].integer = (int64_t)pair->count;
	row[6].integer = (int64_t)pair->total_ns;
}

static void add_by(const struct preemption *preemption, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "by", "Who preempted whom",
						by_columns, 7, preemption->options.rows);

	cs_pair_table_fill(table, &preemption->by, &preemption->options, tracker, out,
			   fill_by);
}

static void result(const void *state, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	const struct preemption *preemption = state;
	struct cs_node *node = cs_result_object(out, parent, "preemption", "Preemption");

	cs_result_hist(out, node, "latency", "woken, and a lower task ran",
		       &preemption->latency);
	cs_result_hist(out, node, "preempted", "preempted until it runs again",
		       &preemption->preempted);
	if (!tracker->health.seen[CS_EVENT_WAKING] &&
	    !tracker->health.seen[CS_EVENT_WAKEUP])
		cs_result_note(
			out, node,
			"Without wakeups in the trace preemption latency is not known. Record "
			"sched_waking.");
	if (tracker->health.raced)
		cs_result_note(
			out, node,
			"Some sleepers were traced as runnable by a race in the kernel; they are "
			"no preemptions (raced, in health).");
	add_by(preemption, tracker, out, node);
}

static bool failed(const void *state)
{
	return ((const struct preemption *)state)->by.failed;
}

static void fini(void *state)
{
	struct preemption *preemption = state;

	cs_hist_fini(&preemption->latency);
	cs_hist_fini(&preemption->preempted);
	cs_tally_fini(&preemption->by);
}

const struct cs_analysis cs_analysis_preemption = {
	.name = "preemption",
	.spans = 1 << CS_SPAN_WAIT,
	.needs = 1 << CS_EVENT_SWITCH | 1 << CS_EVENT_PHASES,
	.needs_text = "sched_switch, sched_waking",
	.size = sizeof(struct preemption),
	.init = init,
	.on_span = on_span,
	.failed = failed,
	.result = result,
	.fini = fini,
};
