/* SPDX-License-Identifier: GPL-2.0 */
/*
 * phases: how long each phase of a context switch took, by kind of switch, CPU and
 * pair of tasks; as measured, and without what the measuring itself costs.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/grow.h"
#include "analysis/pair_table.h"
#include "analysis/row.h"
#include "include/ctxsw/abi.h"

/* Behind the phases: the whole switch. */
#define TOTAL	CS_PHASES
#define FIGURES (CS_PHASES + 1)

/* One switch that is among the worst. */
struct worst {
	const struct cs_task *prev;
	const struct cs_task *next;
	uint64_t end;
	uint64_t total;
	uint32_t ns[CS_PHASES];
	int32_t cpu;
	uint8_t kind;
	uint8_t measured;
};

struct phases {
	struct cs_hist kinds[CS_KINDS][FIGURES];
	struct cs_hist *cpus; /* the whole switch, by CPU */
	uint32_t cpus_room;
	struct cs_tally pairs;
	struct worst *worst; /* worst first */
	uint32_t worst_count;
	uint32_t worst_room;
	uint64_t switches;
	uint64_t disturbed;
	uint64_t partial; /* some phase was not measured */
	uint8_t measured; /* phases that were, in any switch */
	struct cs_options options;
	bool failed;
};

static int init(void *state, const struct cs_options *options)
{
	struct phases *phases = state;

	phases->options = *options;
	phases->worst_room = options->worst;
	if (!options->worst)
		return 0;
	phases->worst = calloc(options->worst, sizeof(*phases->worst));
	return phases->worst ? 0 : -ENOMEM;
}

static void keep_worst(struct phases *phases, const struct cs_phases *sample,
		       uint64_t total)
{
	struct worst *worst = phases->worst;
	uint32_t at = phases->worst_count;

	if (at == phases->worst_room) {
		if (!at || total <= worst[at - 1].total)
			return;
		at--;
	} else {
		phases->worst_count++;
	}
	for (; at && total > worst[at - 1].total; at--)
		worst[at] = worst[at - 1];
	worst[at] = (struct worst){
		.prev = sample->prev,
		.next = sample->next,
		.end = sample->ts,
		.total = total,
		.cpu = sample->cpu,
		.kind = sample->kind,
		.measured = sample->measured,
	};
	for (unsigned int i = 0; i < CS_PHASES; i++)
		worst[at].ns[i] = sample->ns[i];
}

static void on_phases(void *state, const struct cs_phases *sample)
{
	struct phases *phases = state;
	struct cs_hist *hists = phases->kinds[sample->kind];
	uint64_t total = 0;

	phases->switches++;
	phases->measured |= sample->measured;
	if (sample->disturbed) {
		phases->disturbed++;
		return;
	}
	if (sample->measured != (1 << CS_PHASES) - 1)
		phases->partial++;
	if (!sample->measured)
		return;
	for (unsigned int i = 0; i < CS_PHASES; i++) {
		total += sample->ns[i];
		if (sample->measured >> i & 1)
			cs_hist_add(&hists[i], sample->ns[i]);
	}
	cs_hist_add(&hists[TOTAL], total);
	if ((uint32_t)sample->cpu >= phases->cpus_room &&
	    cs_grow(&phases->cpus, &phases->cpus_room, (uint32_t)sample->cpu + 1,
		    sizeof(*phases->cpus)))
		phases->failed = true;
	else
		cs_hist_add(&phases->cpus[sample->cpu], total);
	cs_tally_add(&phases->pairs, sample->prev->index, sample->next->index, total);
	keep_worst(phases, sample, total);
}

static const char *const figure_keys[FIGURES] = {
	[CS_PHASE_PREPARE] = "prepare",
	[CS_PHASE_MM] = "mm",
	[CS_PHASE_SWITCH_TO] = "switch_to",
	[CS_PHASE_FINISH] = "finish",
	[TOTAL] = "total",
};

static const char *const figure_labels[FIGURES] = {
	[CS_PHASE_PREPARE] = "prepare (bookkeeping)",
	[CS_PHASE_MM] = "mm (address space)",
	[CS_PHASE_SWITCH_TO] = "switch_to (registers, stack)",
	[CS_PHASE_FINISH] = "finish (clean up)",
	[TOTAL] = "the whole switch",
};

static const char *const kind_keys[CS_KINDS] = {
	[CS_KIND_THREAD] = "thread",   [CS_KIND_PROCESS] = "process",
	[CS_KIND_KERNEL] = "kernel",   [CS_KIND_IDLE] = "idle",
	[CS_KIND_UNKNOWN] = "unknown",
};

static const char *const kind_labels[CS_KINDS] = {
	[CS_KIND_THREAD] = "To a thread of the same process",
	[CS_KIND_PROCESS] = "To another process",
	[CS_KIND_KERNEL] = "To or from a kernel thread",
	[CS_KIND_IDLE] = "To or from idle",
	[CS_KIND_UNKNOWN] = "Of unknown kind",
};

static const char *const net_labels[CS_KINDS] = {
	[CS_KIND_THREAD] = "To a thread of the same process, net",
	[CS_KIND_PROCESS] = "To another process, net",
	[CS_KIND_KERNEL] = "To or from a kernel thread, net",
	[CS_KIND_IDLE] = "To or from idle, net",
	[CS_KIND_UNKNOWN] = "Of unknown kind, net",
};

/* What the hooks add to a phase, or to all that this figure is about. */
static uint64_t cost_of(const struct cs_module *module, unsigned int figure)
{
	uint64_t cost = 0;

	if (figure < TOTAL)
		return module->cost_ns[figure];
	for (unsigned int i = 0; i < CS_PHASES; i++)
		cost += module->cost_ns[i];
	return cost;
}

static void add_kind(const struct phases *phases, const struct cs_module *module,
		     unsigned int kind, struct cs_result *out, struct cs_node *parent)
{
	const struct cs_hist *hists = phases->kinds[kind];
	bool any = hists[TOTAL].count;
	struct cs_node *node, *net = NULL;

	if (kind == CS_KIND_UNKNOWN && !any)
		return;
	node = cs_result_object(out, parent, kind_keys[kind],
				any ? kind_labels[kind] : NULL);
	for (unsigned int i = 0; i < FIGURES; i++)
		cs_result_hist(out, node, figure_keys[i],
			       hists[i].count ? figure_labels[i] : NULL, &hists[i]);
	if (!module->costs)
		return;
	net = cs_result_object(out, node, "net", any ? net_labels[kind] : NULL);
	for (unsigned int i = 0; i < FIGURES; i++) {
		struct cs_hist less = {0};

		cs_hist_less(&less, &hists[i], cost_of(module, i));
		cs_result_hist(out, net, figure_keys[i],
			       hists[i].count ? figure_labels[i] : NULL, &less);
		cs_hist_fini(&less);
	}
}

static void add_available(uint8_t available, struct cs_result *out, struct cs_node *node)
{
	static const char *const notes[CS_PHASES] = {
		[CS_PHASE_PREPARE] =
			"prepare is not available: it is in no figure of its own, but "
			"the whole switch has its time.",
		[CS_PHASE_MM] = "mm is not available: it is in no figure of its own, but "
				"the whole switch has its time.",
		[CS_PHASE_SWITCH_TO] =
			"switch_to is not available: it is in no figure of its own, but "
			"the whole switch has its time.",
		[CS_PHASE_FINISH] =
			"finish is not available: it is in no figure of its own, but "
			"the whole switch has its time.",
	};
	struct cs_node *list = cs_result_list(out, node, "available", "phases measured");

	for (unsigned int i = 0; i < CS_PHASES; i++)
		if (available >> i & 1)
			cs_result_string(out, list, NULL, NULL, cs_phase_name(i));
	for (unsigned int i = 0; i < CS_PHASES; i++)
		if (!(available >> i & 1))
			cs_result_note(out, node, notes[i]);
}

static void add_cost(const struct cs_module *module, struct cs_result *out,
		     struct cs_node *node)
{
	struct cs_node *list;

	cs_result_int(out, node, "self_cost_ns", "cost of the hooks in each switch",
		      CS_UNIT_NS,
		      module->costs ? (int64_t)cost_of(module, TOTAL) : CS_INT_NULL);
	if (!module->costs) {
		cs_result_note(
			out, node,
			"The trace does not tell what the module's hooks cost, so all "
			"figures are with that cost.");
		return;
	}
	list = cs_result_object(out, node, "self_cost", NULL);
	for (unsigned int i = 0; i < CS_PHASES; i++)
		cs_result_int(out, list, cs_phase_name(i), NULL, CS_UNIT_NS,
			      module->cost_ns[i]);
	cs_result_note(
		out, node,
		"The hooks of the module are part of each switch. Net figures are "
		"without their cost, as the module measured it when it was loaded.");
}

static const struct cs_column cpu_columns[] = {
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"total", "the whole switch", CS_TYPE_STAT, CS_UNIT_NONE},
};

static void add_cpus(const struct phases *phases, struct cs_result *out,
		     struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "per_cpu", "By CPU",
						cpu_columns, 2, phases->options.rows);

	for (uint32_t nr = 0; nr < phases->cpus_room; nr++) {
		union cs_cell *row;

		if (!phases->cpus[nr].count)
			continue;
		row = cs_result_row(out, table);
		if (!row)
			return;
		row[0].integer = nr;
		row[1].stat = cs_result_stat(out, &phases->cpus[nr]);
	}
}

static const struct cs_column pair_columns[] = {
	{"prev", "from pid", CS_TYPE_INT, CS_UNIT_PID},
	{"prev_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"next", "to pid", CS_TYPE_INT, CS_UNIT_PID},
	{"next_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"count", "switches", CS_TYPE_INT, CS_UNIT_COUNT},
	{"total_ns", "in all", CS_TYPE_INT, CS_UNIT_NS},
	{"mean_ns", "mean", CS_TYPE_INT, CS_UNIT_NS},
};

static void fill_pair(union cs_cell *row, const struct cs_task *prev,
		      const struct cs_task *next, const struct cs_pair *pair)
{
	cs_row_switch(row, prev, next);
	row[4].integer = (int64_t)pair->count;
	row[5].integer = (int64_t)pair->total_ns;
	row[6].integer = (int64_t)((pair->total_ns + pair->count / 2) / pair->count);
}

static void add_pairs(const struct phases *phases, const struct cs_tracker *tracker,
		      struct cs_result *out, struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "per_pair",
						"From task to task, heaviest first",
						pair_columns, 7, phases->options.rows);

	cs_pair_table_fill(table, &phases->pairs, &phases->options, tracker, out,
			   fill_pair);
}

static const struct cs_column worst_columns[] = {
	{"prev", "from pid", CS_TYPE_INT, CS_UNIT_PID},
	{"prev_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"next", "to pid", CS_TYPE_INT, CS_UNIT_PID},
	{"next_comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"total_ns", "took", CS_TYPE_INT, CS_UNIT_NS},
	{"end_ns", "done at", CS_TYPE_INT, CS_UNIT_TIME},
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"kind", "kind", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prepare_ns", "prepare", CS_TYPE_INT, CS_UNIT_NS},
	{"mm_ns", "mm", CS_TYPE_INT, CS_UNIT_NS},
	{"switch_to_ns", "switch_to", CS_TYPE_INT, CS_UNIT_NS},
	{"finish_ns", "finish", CS_TYPE_INT, CS_UNIT_NS},
};

static void add_worst(const struct phases *phases, struct cs_result *out,
		      struct cs_node *parent)
{
	struct cs_node *table = cs_result_table(out, parent, "worst", "Worst switches",
						worst_columns, 12, phases->worst_count);

	for (uint32_t i = 0; i < phases->worst_count; i++) {
		const struct worst *worst = &phases->worst[i];
		union cs_cell *row = cs_result_row(out, table);

		if (!row)
			return;
		cs_row_switch(row, worst->prev, worst->next);
		row[4].integer = (int64_t)worst->total;
		row[5].integer = (int64_t)worst->end;
		row[6].integer = worst->cpu;
		row[7].text = kind_keys[worst->kind];
		for (unsigned int p = 0; p < CS_PHASES; p++)
			row[8 + p].integer = worst->measured >> p & 1 ? worst->ns[p]
								      : CS_INT_NULL;
	}
}

static void result(const void *state, const struct cs_tracker *tracker,
		   struct cs_result *out, struct cs_node *parent)
{
	const struct phases *phases = state;
	const struct cs_module *module = &tracker->module;
	struct cs_node *node = cs_result_object(out, parent, "phases",
						"Phases of the context switch");
	struct cs_node *kinds;

	cs_result_int(out, node, "switches", "switches with phases", CS_UNIT_COUNT,
		      (int64_t)phases->switches);
	cs_result_int(out, node, "disturbed", "left out, an interrupt came inside",
		      CS_UNIT_COUNT, (int64_t)phases->disturbed);
	cs_result_int(out, node, "partial",
		      phases->partial ? "with a phase not measured" : NULL, CS_UNIT_COUNT,
		      (int64_t)phases->partial);
	add_available(phases->measured | module->phases, out, node);
	add_cost(module, out, node);
	if (module->abi > CTXSW_ABI_VERSION)
		cs_result_note(out, node,
			       "Recorded with a module that is newer than this ctxsw: "
			       "figures may mean something else.");
	kinds = cs_result_object(out, node, "by_kind", "By what must change");
	for (unsigned int kind = 0; kind < CS_KINDS; kind++)
		add_kind(phases, module, kind, out, kinds);
	add_cpus(phases, out, node);
	add_pairs(phases, tracker, out, node);
	add_worst(phases, out, node);
}

static bool failed(const void *state)
{
	const struct phases *phases = state;

	return phases->failed || phases->pairs.failed;
}

static void fini(void *state)
{
	struct phases *phases = state;

	for (unsigned int kind = 0; kind < CS_KINDS; kind++)
		for (unsigned int i = 0; i < FIGURES; i++)
			cs_hist_fini(&phases->kinds[kind][i]);
	for (uint32_t nr = 0; nr < phases->cpus_room; nr++)
		cs_hist_fini(&phases->cpus[nr]);
	free(phases->cpus);
	cs_tally_fini(&phases->pairs);
	free(phases->worst);
}

const struct cs_analysis cs_analysis_phases = {
	.name = "phases",
	.needs = 1 << CS_EVENT_PHASES,
	.needs_text = "ctxsw:switch_phases, of the ctxsw kernel module",
	.size = sizeof(struct phases),
	.init = init,
	.on_phases = on_phases,
	.failed = failed,
	.result = result,
	.fini = fini,
};
