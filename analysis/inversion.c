/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inversion: which tasks ran on an inherited priority, from when to when, and who
 * lent it. From the raise above a task's own priority to the return to it is one boost.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/grow.h"
#include "analysis/row.h"

/* Memory does not grow with the trace: what is beyond these is counted. */
#define BOOSTS_MAX 65536
#define STEPS_MAX  64

/* Number of no boost. */
#define NONE UINT32_MAX

struct step {
	const struct cs_task *donor;
	uint64_t ts;
	int32_t prio;
};

enum boost_end {
	OPEN,	/* it goes on */
	ENDED,	/* at @end */
	UNSEEN, /* it is over, but its end is not in the trace */
};

/**
 * struct boost - one interval of a task on an inherited priority
 * @task: whose
 * @donor: who lent the most urgent priority first; NULL: not known
 * @begin: ns; valid when @begun
 * @end: ns; valid when it ended
 * @base_prio: the task's own priority
 * @prio: the most urgent one that it had
 * @depth: tasks from the first donor of the chain to this one
 * @steps: changes within; @steps_count of them, at most STEPS_MAX
 */
struct boost {
	const struct cs_task *task;
	const struct cs_task *donor;
	uint64_t begin;
	uint64_t end;
	int32_t base_prio;
	int32_t prio;
	uint32_t depth;
	struct step *steps;
	uint32_t steps_room;
	uint32_t steps_count;
	uint8_t state; /* enum boost_end */
	bool begun;
};

struct inversion {
	struct boost *boosts; /* in the order of their begin */
	uint32_t room;
	uint32_t count;
	uint64_t left_out;
	uint32_t *current; /* by task: 1 + number of its open boost, or 0 */
	uint32_t tasks;
	struct cs_hist durations;
	struct cs_options options;
	bool failed;
};

static int init(void *state, const struct cs_options *options)
{
	((struct inversion *)state)->options = *options;
	return 0;
}

static uint32_t current_of(const struct inversion *inversion, const struct cs_task *task)
{
	if (!task || task->index >= inversion->tasks || !inversion->current[task->index])
		return NONE;
	return inversion->current[task->index] - 1;
}

/* Whether any of it lies in the time that was asked for. */
static bool is_wanted(const struct inversion *inversion, const struct boost *boost)
{
	if (boost->begun && boost->begin > inversion->options.end)
		return false;
	return boost->state != ENDED || boost->end >= inversion->options.begin;
}

static void close(struct inversion *inversion, uint32_t number, enum boost_end state,
		  uint64_t ts)
{
	struct boost *boost = &inversion->boosts[number];

	inversion->current[boost->task->index] = 0;
	boost->state = state;
	boost->end = ts;
	if (!is_wanted(inversion, boost)) {
		/* only the last one can go, which is enough: most are short */
		if (number + 1 == inversion->count) {
			free(boost->steps);
			memset(boost, 0, sizeof(*boost));
			inversion->count--;
		}
		return;
	}
	if (state == ENDED && boost->begun && ts >= boost->begin &&
	    boost->begin >= inversion->options.begin && ts <= inversion->options.end)
		cs_hist_add(&inversion->durations, ts - boost->begin);
}

static struct boost *open(struct inversion *inversion,
			  const struct cs_prio_change *change, bool begun)
{
	struct boost *boost;

	if (inversion->count == BOOSTS_MAX) {
		inversion->left_out++;
		return NULL;
	}
	if (cs_grow(&inversion->boosts, &inversion->room, inversion->count + 1,
		    sizeof(*inversion->boosts)) ||
	    cs_grow(&inversion->current, &inversion->tasks, change->task->index + 1,
		    sizeof(*inversion->current))) {
		inversion->failed = true;
		return NULL;
	}
	boost = &inversion->boosts[inversion->count++];
	inversion->current[change->task->index] = inversion->count;
	boost->task = change->task;
	boost->begin = change->ts;
	boost->begun = begun;
	boost->base_prio = change->base_prio;
	boost->prio = begun ? change->new_prio : change->old_prio;
	boost->depth = 1;
	return boost;
}

/* A donor that is boosted itself passes on what it was lent. */
static uint32_t depth_of(const struct inversion *inversion, const struct cs_task *donor)
{
	uint32_t number = current_of(inversion, donor);

	return number == NONE ? 1 : inversion->boosts[number].depth + 1;
}

static void add_donor(struct inversion *inversion, struct boost *boost,
		      const struct cs_prio_change *change)
{
	uint32_t depth = depth_of(inversion, change->donor);

	if (change->donor && change->new_prio == boost->prio)
		boost->donor = change->donor;
	if (depth > boost->depth)
		boost->depth = depth;
}

static void add_step(struct inversion *inversion, struct boost *boost,
		     const struct cs_prio_change *change)
{
	boost->base_prio = change->base_prio;
	if (change->new_prio < boost->prio) {
		boost->prio = change->new_prio;
		boost->donor = NULL;
	}
	if (!boost->donor || change->new_prio < change->old_prio)
		add_donor(inversion, boost, change);
	if (boost->steps_count == STEPS_MAX)
		return;
	if (cs_grow(&boost->steps, &boost->steps_room, boost->steps_count + 1,
		    sizeof(*boost->steps))) {
		inversion->failed = true;
		return;
	}
	boost->steps[boost->steps_count++] = (struct step){
		.donor = change->donor,
		.ts = change->ts,
		.prio = change->new_prio,
	};
}

/* The module's record of a change that was told before: it knows more. */
static void learn(struct inversion *inversion, const struct cs_prio_change *change)
{
	uint32_t number = current_of(inversion, change->task);
	struct boost *boost;

	if (number == NONE)
		return;
	boost = &inversion->boosts[number];
	boost->base_prio = change->base_prio;
	if (!change->donor)
		return;
	add_donor(inversion, boost, change);
	if (boost->steps_count &&
	    boost->steps[boost->steps_count - 1].prio == change->new_prio)
		boost->steps[boost->steps_count - 1].donor = change->donor;
}

static void on_prio(void *state, const struct cs_prio_change *change)
{
	struct inversion *inversion = state;
	uint32_t number = current_of(inversion, change->task);
	bool boosted = change->new_prio < change->base_prio;
	struct boost *boost;

	if (change->again) {
		learn(inversion, change);
		return;
	}
	/* it has its own priority again, and nobody saw it get that */
	if (number != NONE && change->old_prio >= change->base_prio) {
		close(inversion, number, UNSEEN, 0);
		number = NONE;
	}
	if (number == NONE && (boosted || change->old_prio < change->base_prio)) {
		boost = open(inversion, change, change->old_prio >= change->base_prio);
		if (!boost)
			return;
		number = current_of(inversion, change->task);
	}
	if (number == NONE)
		return;
	if (boosted)
		add_step(inversion, &inversion->boosts[number], change);
	else
		close(inversion, number, ENDED, change->ts);
}

/*
 * RCU lends a reader that holds up a grace period the priority of its thread rcub/N, by
 * a lock that only stands for that (kernel/rcu/tree_plugin.h, rcu_boost()).
 */
static bool is_rcu(const struct cs_task *task)
{
	return task && task->kernel != CS_NO && !strncmp(task->comm, "rcu", 3);
}

static struct cs_node *steps_of(const struct boost *boost, struct cs_result *out)
{
	static const struct cs_column columns[] = {
		{"ts_ns", "at", CS_TYPE_INT, CS_UNIT_TIME},
		{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
		{"donor", "lent by", CS_TYPE_INT, CS_UNIT_PID},
	};
	struct cs_node *table = cs_result_table(out, NULL, NULL, NULL, columns, 3,
						STEPS_MAX);

	for (uint32_t i = 0; i < boost->steps_count; i++) {
		const struct step *step = &boost->steps[i];
		union cs_cell *row = cs_result_row(out, table);

		if (!row)
			break;
		row[0].integer = (int64_t)step->ts;
		row[1].integer = step->prio;
		if (step->donor)
			row[2].integer = step->donor->pid;
	}
	return table;
}

static const struct cs_column boost_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"base_prio", "its prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"prio", "boosted to", CS_TYPE_INT, CS_UNIT_PRIO},
	{"donor", "by pid", CS_TYPE_INT, CS_UNIT_PID},
	{"donor_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"duration_ns", "for", CS_TYPE_INT, CS_UNIT_NS},
	{"begin_ns", "from", CS_TYPE_INT, CS_UNIT_TIME},
	{"depth", "depth", CS_TYPE_INT, CS_UNIT_COUNT},
	{"end_ns", NULL, CS_TYPE_INT, CS_UNIT_TIME},
	{"open", "open", CS_TYPE_BOOL, CS_UNIT_NONE},
	{"rcu", "RCU", CS_TYPE_BOOL, CS_UNIT_NONE},
	{"steps", NULL, CS_TYPE_OBJECT, CS_UNIT_NONE},
};

static uint64_t length_of(const struct boost *boost, const struct cs_tracker *tracker)
{
	uint64_t end = boost->state == ENDED ? boost->end : tracker->end;

	return boost->begun && boost->state != UNSEEN && end > boost->begin
		       ? end - boost->begin
		       : 0;
}

static void add_boost(const struct boost *boost, const struct cs_tracker *tracker,
		      struct cs_result *out, struct cs_node *table)
{
	const struct cs_task *task = boost->task;
	/* the task runs on its own priority, or not at all, so the end was lost */
	bool unseen = boost->state == UNSEEN ||
		      (boost->state == OPEN &&
		       (task->prio >= task->base_prio || task->state == CS_TASK_DEAD));
	union cs_cell *row = cs_result_row(out, table);

	if (!row)
		return;
	row[0].integer = task->pid;
	row[1].text = task->comm;
	row[2].integer = cs_cell_prio(boost->base_prio);
	row[3].integer = cs_cell_prio(boost->prio);
	if (boost->donor) {
		row[4].integer = boost->donor->pid;
		row[5].text = boost->donor->comm;
	}
	if (boost->begun && !unseen)
		row[6].integer = (int64_t)length_of(boost, tracker);
	if (boost->begun)
		row[7].integer = (int64_t)boost->begin;
	row[8].integer = boost->depth;
	if (boost->state == ENDED)
		row[9].integer = (int64_t)boost->end;
	row[10].integer = boost->state == OPEN && !unseen;
	row[11].integer = is_rcu(boost->task) || is_rcu(boost->donor);
	row[12].node = steps_of(boost, out);
}

static void add_boosts(const struct inversion *inversion,
		       const struct cs_tracker *tracker, struct cs_result *out,
		       struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "boosts",
						"Boosts, in order of time", boost_columns,
						13, inversion->options.rows);

	for (uint32_t i = 0; i < inversion->count; i++)
		if (is_wanted(inversion, &inversion->boosts[i]))
			add_boost(&inversion->boosts[i], tracker, out, table);
}

static void result(const void *state, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	const struct inversion *inversion = state;
	struct cs_node *node = cs_result_object(out, parent, "inversion",
						"Priority inheritance");

	cs_result_hist(out, node, "boost", "boosts, begin to end", &inversion->durations);
	cs_result_int(out, node, "boosts_left_out",
		      inversion->left_out ? "boosts not listed" : NULL, CS_UNIT_COUNT,
		      (int64_t)inversion->left_out);
	add_boosts(inversion, tracker, out, node);
}

static bool failed(const void *state)
{
	return ((const struct inversion *)state)->failed;
}

static void fini(void *state)
{
	struct inversion *inversion = state;

	for (uint32_t i = 0; i < inversion->count; i++)
		free(inversion->boosts[i].steps);
	free(inversion->boosts);
	free(inversion->current);
	cs_hist_fini(&inversion->durations);
}

const struct cs_analysis cs_analysis_inversion = {
	.name = "inversion",
	.needs = 1 << CS_EVENT_PRIO,
	.needs_text = "sched_pi_setprio; there was no boost, if it was recorded",
	.size = sizeof(struct inversion),
	.init = init,
	.on_prio = on_prio,
	.failed = failed,
	.result = result,
	.fini = fini,
};
