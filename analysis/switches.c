/* SPDX-License-Identifier: GPL-2.0 */
/*
 * switches: how many context switches, of which class and kind, by CPU, task
 * and pair, and where the time of each CPU and task went.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/grow.h"
#include "analysis/pair_table.h"
#include "analysis/row.h"

#define NS_PER_SEC UINT64_C(1000000000)

/* Buckets of the rate over time; when they are full two become one. */
#define RATE_BUCKETS 1024

/* Time of a CPU or a task by kind of span; a CPU's idle is not its busy. */
struct account {
	uint64_t classes[CS_SWITCH_CLASSES];
	uint64_t ns[CS_SPAN_KINDS];
	uint64_t idle_ns;
};

struct accounts {
	struct account *all;
	uint32_t room;
};

struct rate {
	uint64_t counts[RATE_BUCKETS];
	uint64_t begin;
	uint64_t end; /* of bucket @used - 1 */
	uint64_t width;
	uint32_t used;
};

struct switches {
	struct accounts cpus;
	struct accounts tasks;
	struct cs_tally pairs;
	struct rate rate;
	uint64_t kinds[CS_KINDS];
	uint64_t classes[CS_SWITCH_CLASSES];
	uint64_t total;
	struct cs_options options;
	bool failed;
};

static int init(void *state, const struct cs_options *options)
{
	struct switches *switches = state;

	switches->options = *options;
	switches->rate.width = NS_PER_SEC;
	return 0;
}

static struct account *grow_to(struct switches *switches, struct accounts *accounts,
			       uint32_t index)
{
	if (cs_grow(&accounts->all, &accounts->room, index + 1, sizeof(*accounts->all))) {
		switches->failed = true;
		return NULL;
	}
	return &accounts->all[index];
}

static inline struct account *account_of(struct switches *switches,
					 struct accounts *accounts, uint32_t index)
{
	if (__builtin_expect(index < accounts->room, 1))
		return &accounts->all[index];
	return grow_to(switches, accounts, index);
}

static void halve(struct rate *rate)
{
	for (uint32_t i = 0; i < RATE_BUCKETS / 2; i++)
		rate->counts[i] = rate->counts[2 * i] + rate->counts[2 * i + 1];
	memset(rate->counts + RATE_BUCKETS / 2, 0, sizeof(rate->counts) / 2);
	rate->width *= 2;
	rate->used = (rate->used + 1) / 2;
	rate->end = rate->begin + rate->used * rate->width;
}

static void count_rate(struct rate *rate, uint64_t ts)
{
	if (!rate->used) {
		rate->begin = ts;
		rate->used = 1;
		rate->end = ts + rate->width;
	}
	if (ts < rate->end && ts >= rate->end - rate->width) {
		rate->counts[rate->used - 1]++;
		return;
	}
	if (ts < rate->begin) {
		/* the clock of some CPU is behind: it belongs to no later bucket */
		rate->counts[0]++;
		return;
	}
	while ((ts - rate->begin) / rate->width >= RATE_BUCKETS)
		halve(rate);
	if ((ts - rate->begin) / rate->width >= rate->used) {
		rate->used = (uint32_t)((ts - rate->begin) / rate->width) + 1;
		rate->end = rate->begin + rate->used * rate->width;
	}
	rate->counts[(ts - rate->begin) / rate->width]++;
}

static void on_switch(void *state, const struct cs_switch *sw)
{
	struct switches *switches = state;
	struct account *cpu = account_of(switches, &switches->cpus, (uint32_t)sw->cpu);
	struct account *task = account_of(switches, &switches->tasks, sw->prev->index);

	switches->total++;
	switches->classes[sw->class]++;
	switches->kinds[sw->kind]++;
	if (cpu)
		cpu->classes[sw->class]++;
	if (task)
		task->classes[sw->class]++;
	cs_tally_add(&switches->pairs, sw->prev->index, sw->next->index, 0);
	count_rate(&switches->rate, sw->ts);
}

static void on_span(void *state, const struct cs_span *span)
{
	struct switches *switches = state;
	struct account *account;
	uint64_t ns = cs_span_ns(span);

	if (span->kind == CS_SPAN_RUN || !span->task) {
		account = account_of(switches, &switches->cpus, (uint32_t)span->cpu);
		if (!account)
			return;
		if (span->task && !span->task->pid)
			account->idle_ns += ns;
		else
			account->ns[span->kind] += ns;
	}
	if (span->task && span->task->pid) {
		account = account_of(switches, &switches->tasks, span->task->index);
		if (account)
			account->ns[span->kind] += ns;
	}
}

static uint64_t sum(const uint64_t *counts, uint32_t count)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += counts[i];
	return total;
}

static const struct cs_column cpu_columns[] = {
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"total", "switches", CS_TYPE_INT, CS_UNIT_COUNT},
	{"busy_ns", "busy", CS_TYPE_INT, CS_UNIT_NS},
	{"idle_ns", "idle", CS_TYPE_INT, CS_UNIT_NS},
	{"unknown_ns", "unknown", CS_TYPE_INT, CS_UNIT_NS},
	{"voluntary", "voluntary", CS_TYPE_INT, CS_UNIT_COUNT},
	{"preempted", "preempted", CS_TYPE_INT, CS_UNIT_COUNT},
	{"runnable", "runnable", CS_TYPE_INT, CS_UNIT_COUNT},
	{"from_idle", "from idle", CS_TYPE_INT, CS_UNIT_COUNT},
	{"observed_ns", NULL, CS_TYPE_INT, CS_UNIT_NS},
};

/* How long a CPU was watched within the time that was asked for. */
static int64_t observed_ns(const struct switches *switches,
			   const struct cs_tracker *tracker, const struct cs_cpu *cpu)
{
	uint64_t begin = switches->options.begin, end = switches->options.end;

	if (begin <= cpu->begin && end >= tracker->end)
		return (int64_t)cs_cpu_observed_ns(tracker, cpu);
	if (cpu->observed_before)
		return CS_INT_NULL; /* its clock went backwards: in which part? */
	if (begin < cpu->begin)
		begin = cpu->begin;
	if (end > tracker->end)
		end = tracker->end;
	return end > begin ? (int64_t)(end - begin) : 0;
}

static void add_cpus(const struct switches *switches, const struct cs_tracker *tracker,
		     struct cs_result *result, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(result, parent, "per_cpu", "By CPU",
						cpu_columns, 10, switches->options.rows);

	for (uint32_t nr = 0; nr < switches->cpus.room; nr++) {
		const struct account *cpu = &switches->cpus.all[nr];
		uint64_t observed = cpu->ns[CS_SPAN_RUN] + cpu->idle_ns +
				    cpu->ns[CS_SPAN_UNKNOWN];
		union cs_cell *row;

		if (!observed && !sum(cpu->classes, CS_SWITCH_CLASSES))
			continue;
		row = cs_result_row(result, table);
		if (!row)
			return;
		row[0].integer = nr;
		row[1].integer = (int64_t)sum(cpu->classes, CS_SWITCH_CLASSES);
		row[2].integer = (int64_t)cpu->ns[CS_SPAN_RUN];
		row[3].integer = (int64_t)cpu->idle_ns;
		row[4].integer = (int64_t)cpu->ns[CS_SPAN_UNKNOWN];
		row[5].integer = (int64_t)cpu->classes[CS_SWITCH_VOLUNTARY];
		row[6].integer = (int64_t)cpu->classes[CS_SWITCH_PREEMPTED];
		row[7].integer = (int64_t)cpu->classes[CS_SWITCH_RUNNABLE];
		row[8].integer = (int64_t)cpu->classes[CS_SWITCH_FROM_IDLE];
		if (nr < tracker->cpus_count && tracker->cpus[nr])
			row[9].integer = observed_ns(switches, tracker,
						     tracker->cpus[nr]);
	}
}

static const struct cs_column task_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"run_ns", "ran", CS_TYPE_INT, CS_UNIT_NS},
	{"wait_ns", "waited", CS_TYPE_INT, CS_UNIT_NS},
	{"switches", "switches", CS_TYPE_INT, CS_UNIT_COUNT},
	{"preempted", "preempted", CS_TYPE_INT, CS_UNIT_COUNT},
	{"voluntary", "voluntary", CS_TYPE_INT, CS_UNIT_COUNT},
	{"runnable", "runnable", CS_TYPE_INT, CS_UNIT_COUNT},
	{"block_ns", "slept", CS_TYPE_INT, CS_UNIT_NS},
	{"unknown_ns", "unknown", CS_TYPE_INT, CS_UNIT_NS},
	{"tgid", NULL, CS_TYPE_INT, CS_UNIT_PID},
	{"begin_ns", NULL, CS_TYPE_INT, CS_UNIT_TIME},
	{"end_ns", NULL, CS_TYPE_INT, CS_UNIT_TIME},
	{"prio_highest", NULL, CS_TYPE_INT, CS_UNIT_PRIO},
	{"prio_changes", NULL, CS_TYPE_INT, CS_UNIT_COUNT},
	{"comms", NULL, CS_TYPE_OBJECT, CS_UNIT_NONE},
};

static struct cs_node *earlier_comms(const struct cs_task *task, struct cs_result *result)
{
	struct cs_node *list;

	if (!task->comms_count)
		return NULL;
	list = cs_result_list(result, NULL, NULL, NULL);
	for (unsigned int i = 0; i < task->comms_count; i++)
		cs_result_string(result, list, NULL, NULL, task->comms[i]);
	return list;
}

static void add_task(const struct account *account, const struct cs_task *task,
		     struct cs_result *result, struct cs_node *table)
{
	union cs_cell *row = cs_result_row(result, table);

	if (!row)
		return;
	cs_row_task(row, task);
	row[3].integer = (int64_t)account->ns[CS_SPAN_RUN];
	row[4].integer = (int64_t)account->ns[CS_SPAN_WAIT];
	row[5].integer = (int64_t)sum(account->classes, CS_SWITCH_CLASSES);
	row[6].integer = (int64_t)account->classes[CS_SWITCH_PREEMPTED];
	row[7].integer = (int64_t)account->classes[CS_SWITCH_VOLUNTARY];
	row[8].integer = (int64_t)account->classes[CS_SWITCH_RUNNABLE];
	row[9].integer = (int64_t)account->ns[CS_SPAN_BLOCK];
	row[10].integer = (int64_t)account->ns[CS_SPAN_UNKNOWN];
	row[11].integer = task->tgid == CS_PID_UNKNOWN ? CS_INT_NULL : task->tgid;
	row[12].integer = (int64_t)task->begin;
	if (task->state == CS_TASK_DEAD)
		row[13].integer = (int64_t)task->end;
	row[14].integer = cs_cell_prio(task->prio_highest);
	row[15].integer = task->prio_changes;
	row[16].node = earlier_comms(task, result);
}

static int by_run_time(const void *a, const void *b)
{
	const struct account *left = *(const struct account *const *)a;
	const struct account *right = *(const struct account *const *)b;

	if (left->ns[CS_SPAN_RUN] != right->ns[CS_SPAN_RUN])
		return left->ns[CS_SPAN_RUN] < right->ns[CS_SPAN_RUN] ? 1 : -1;
	return (left > right) - (left < right);
}

static bool is_empty(const struct account *account)
{
	return !sum(account->classes, CS_SWITCH_CLASSES) &&
	       !sum(account->ns, CS_SPAN_KINDS);
}

static void add_tasks(const struct switches *switches, const struct cs_tracker *tracker,
		      struct cs_result *result, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(result, parent, "per_task", "By task",
						task_columns, 17, switches->options.rows);
	uint32_t known = tracker->tasks.count;
	const struct account **order;
	uint32_t count = 0;

	if (known > switches->tasks.room)
		known = switches->tasks.room;
	order = malloc((known + (size_t)1) * sizeof(*order));
	if (!order) {
		result->failed = true;
		return;
	}
	for (uint32_t i = 0; i < known; i++)
		if (tracker->tasks.tasks[i]->pid && !is_empty(&switches->tasks.all[i]))
			order[count++] = &switches->tasks.all[i];
	qsort(order, count, sizeof(*order), by_run_time);
	for (uint32_t i = 0; i < count; i++)
		add_task(order[i], tracker->tasks.tasks[order[i] - switches->tasks.all],
			 result, table);
	free(order);
}

static const struct cs_column pair_columns[] = {
	{"prev", "from pid", CS_TYPE_INT, CS_UNIT_PID},
	{"prev_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"next", "to pid", CS_TYPE_INT, CS_UNIT_PID},
	{"next_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"count", "switches", CS_TYPE_INT, CS_UNIT_COUNT},
};

static void fill_pair(union cs_cell *row, const struct cs_task *prev,
		      const struct cs_task *next, const struct cs_pair *pair)
{
	cs_row_switch(row, prev, next);
	row[4].integer = (int64_t)pair->count;
}

static void add_pairs(const struct switches *switches, const struct cs_tracker *tracker,
		      struct cs_result *result, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(result, parent, "per_pair",
						"From task to task", pair_columns, 5,
						switches->options.rows);

	cs_pair_table_fill(table, &switches->pairs, &switches->options, tracker, result,
			   fill_pair);
}

static void add_count(struct cs_result *result, struct cs_node *node, const char *key,
		      const char *label, uint64_t count)
{
	cs_result_int(result, node, key, label, CS_UNIT_COUNT, (int64_t)count);
}

static void add_kinds(const struct switches *switches, struct cs_result *result,
		      struct cs_node *parent)
{
	struct cs_node *kinds = cs_result_object(result, parent, "kinds",
						 "By what must change");

	add_count(result, kinds, "thread", "thread (same process)",
		  switches->kinds[CS_KIND_THREAD]);
	add_count(result, kinds, "process", "process (other address space)",
		  switches->kinds[CS_KIND_PROCESS]);
	add_count(result, kinds, "kernel", "kernel thread",
		  switches->kinds[CS_KIND_KERNEL]);
	add_count(result, kinds, "idle", "to or from idle",
		  switches->kinds[CS_KIND_IDLE]);
	add_count(result, kinds, "unknown", "unknown (no tgid)",
		  switches->kinds[CS_KIND_UNKNOWN]);
}

static void add_rate(const struct switches *switches, struct cs_result *result,
		     struct cs_node *parent)
{
	const struct rate *rate = &switches->rate;
	struct cs_node *node = cs_result_object(result, parent, "per_second", NULL);
	struct cs_node *list;

	cs_result_int(result, node, "begin_ns", NULL, CS_UNIT_TIME,
		      rate->used ? (int64_t)rate->begin : CS_INT_NULL);
	cs_result_int(result, node, "width_ns", NULL, CS_UNIT_NS, (int64_t)rate->width);
	list = cs_result_list(result, node, "counts", NULL);
	for (uint32_t i = 0; i < rate->used; i++)
		add_count(result, list, NULL, NULL, rate->counts[i]);
}

static void result(const void *state, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	const struct switches *switches = state;
	struct cs_node *node = cs_result_object(out, parent, "switches",
						"Context switches");

	add_count(out, node, "total", "switches", switches->total);
	add_count(out, node, "voluntary", "voluntary (went to sleep)",
		  switches->classes[CS_SWITCH_VOLUNTARY]);
	add_count(out, node, "preempted", "preempted",
		  switches->classes[CS_SWITCH_PREEMPTED]);
	add_count(out, node, "runnable", "runnable (yielded, or time slice over)",
		  switches->classes[CS_SWITCH_RUNNABLE]);
	add_count(out, node, "from_idle", "from idle",
		  switches->classes[CS_SWITCH_FROM_IDLE]);
	add_kinds(switches, out, node);
	add_rate(switches, out, node);
	add_cpus(switches, tracker, out, node);
	add_tasks(switches, tracker, out, node);
	add_pairs(switches, tracker, out, node);
}

static bool failed(const void *state)
{
	const struct switches *switches = state;

	return switches->failed || switches->pairs.failed;
}

static void fini(void *state)
{
	struct switches *switches = state;

	free(switches->cpus.all);
	free(switches->tasks.all);
	cs_tally_fini(&switches->pairs);
}

const struct cs_analysis cs_analysis_switches = {
	.name = "switches",
	.spans = 1 << CS_SPAN_RUN | 1 << CS_SPAN_WAIT | 1 << CS_SPAN_BLOCK |
		 1 << CS_SPAN_UNKNOWN,
	.needs = 1 << CS_EVENT_SWITCH | 1 << CS_EVENT_PHASES,
	.needs_text = "sched_switch",
	.size = sizeof(struct switches),
	.init = init,
	.on_span = on_span,
	.on_switch = on_switch,
	.failed = failed,
	.result = result,
	.fini = fini,
};
