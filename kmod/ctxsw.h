/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module's files know of each other: groups of hooks that come and go with the
 * users of their trace events, hooks found by name, counters.
 */
#ifndef CTXSW_KMOD_H
#define CTXSW_KMOD_H

#include <linux/percpu.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include <ctxsw/abi.h>

/**
 * struct ctxsw_group - hooks that serve one or more trace events
 * @name:	the module parameter and what users call it
 * @attach:	hooks in; called with the groups' mutex held, may sleep
 * @detach:	the reverse; when it returns no hook runs any more
 * @users:	how many instances and perf users have an event of the group on
 * @allowed:	the module parameter: hooks may be in
 * @attached:	the hooks are in
 *
 * Hooks are in exactly while allowed and users > 0.
 */
struct ctxsw_group {
	const char	*name;
	int		(*attach)(void);
	void		(*detach)(void);
	unsigned int	users;
	bool		allowed;
	bool		attached;
};

extern struct ctxsw_group ctxsw_phases_group;
extern struct ctxsw_group ctxsw_boosts_group;
extern struct ctxsw_group ctxsw_locks_group;

/* hooks.c */
int ctxsw_group_allow(struct ctxsw_group *group, bool allowed);
void ctxsw_groups_start(void);
void ctxsw_groups_stop(void);
bool ctxsw_group_attached(const struct ctxsw_group *group);
int ctxsw_event_reg(struct trace_event_call *call, enum trace_reg type, void *data);

/**
 * struct ctxsw_tracepoint - a probe on a tracepoint that is found by its name
 * @name:	the tracepoint
 * @probe:	its prototype is checked where the table is, see CTXSW_TRACEPOINT()
 * @tp:		set by ctxsw_tracepoints_find()
 */
struct ctxsw_tracepoint {
	const char		*name;
	void			*probe;
	struct tracepoint	*tp;
};

int ctxsw_tracepoints_find(struct ctxsw_tracepoint *table, unsigned int count);
int ctxsw_tracepoints_hook(const struct ctxsw_tracepoint *table, unsigned int count);
void ctxsw_tracepoints_unhook(const struct ctxsw_tracepoint *table, unsigned int count);

/* phases.c */
int ctxsw_phases_init(void);
void ctxsw_phases_fini(void);
extern unsigned int ctxsw_phases_available;
extern unsigned int ctxsw_phases_cost_ns[CTXSW_PHASES];
extern char ctxsw_phases_hooks[];

/* boosts.c, locks.c */
int ctxsw_boosts_init(void);
int ctxsw_locks_init(void);

/* Per-CPU counts, summed when somebody reads them. */
enum ctxsw_count {
	CTXSW_N_SEEN,		/* switches the hooks saw begin */
	CTXSW_N_EMITTED,	/* records handed to the trace event */
	CTXSW_N_DISTURBED,	/* of these, with an interrupt or NMI inside */
	CTXSW_N_NESTED,		/* a switch began inside another one on its CPU */
	CTXSW_N_DROPPED,	/* began, and nobody saw the end */
	CTXSW_N_BOOSTS,
	CTXSW_N_LOCK_BLOCKS,
	CTXSW_N_LOCK_ACQUIRES,
	CTXSW_N_LOCK_FORGOTTEN,	/* waits that lost their slot to another one */
	CTXSW_COUNTS
};

DECLARE_PER_CPU(u64[CTXSW_COUNTS], ctxsw_counts);

static inline void ctxsw_count_inc(enum ctxsw_count which)
{
	__this_cpu_inc(ctxsw_counts[which]);
}

#endif
