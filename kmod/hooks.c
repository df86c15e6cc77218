// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of hooks that come with the first user of their trace events and go with the last,
 * and tracepoints that are found by name because the kernel does not export them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/tracepoint.h>

#include "ctxsw.h"

static struct ctxsw_group *const groups[] = {
	&ctxsw_phases_group,
	&ctxsw_boosts_group,
	&ctxsw_locks_group,
};

/* Order: event_mutex or the parameters' lock, then this, then the kernel's hook locks. */
static DEFINE_MUTEX(groups_lock);
static bool started;

static int group_sync(struct ctxsw_group *group)
{
	bool wanted = started && group->allowed && group->users;
	int err = 0;

	lockdep_assert_held(&groups_lock);
	if (wanted == group->attached)
		return 0;
	if (wanted)
		err = group->attach();
	else
		group->detach();
	if (!err)
		group->attached = wanted;
	return err;
}

/**
 * ctxsw_group_allow() - lets the group's hooks in, or takes them out and keeps them out
 * @group:	the group
 * @allowed:	the new value of its parameter
 *
 * Return: 0, or -errno when the hooks should be in and cannot.
 */
int ctxsw_group_allow(struct ctxsw_group *group, bool allowed)
{
	int err;

	mutex_lock(&groups_lock);
	group->allowed = allowed;
	err = group_sync(group);
	mutex_unlock(&groups_lock);
	return err;
}

/**
 * ctxsw_groups_start() - from now on hooks come in when somebody uses an event
 *
 * An event can be switched on before the module's init has run (the kernel makes the files
 * before, in trace_module_notify()): such a group is served here.
 */
void ctxsw_groups_start(void)
{
	unsigned int i;

	mutex_lock(&groups_lock);
	started = true;
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (group_sync(groups[i]))
			pr_err("%s: the hooks cannot be put in\n", groups[i]->name);
	}
	mutex_unlock(&groups_lock);
}

/**
 * ctxsw_groups_stop() - takes all hooks out, for good
 *
 * Later calls of ctxsw_event_reg() only count: the kernel removes the events after the
 * module's exit has run.
 */
void ctxsw_groups_stop(void)
{
	unsigned int i;

	mutex_lock(&groups_lock);
	started = false;
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		group_sync(groups[i]);
	mutex_unlock(&groups_lock);
}

/**
 * ctxsw_group_attached() - whether the group's hooks are in at the moment
 * @group:	the group
 *
 * Return: true when they are.
 */
bool ctxsw_group_attached(const struct ctxsw_group *group)
{
	return READ_ONCE(group->attached);
}

static struct ctxsw_group *group_of(struct trace_event_call *call)
{
	const char *name = trace_event_name(call);

	if (!strcmp(name, CTXSW_EVENT_SWITCH_PHASES))
		return &ctxsw_phases_group;
	if (!strcmp(name, CTXSW_EVENT_PI_BOOST))
		return &ctxsw_boosts_group;
	return &ctxsw_locks_group;
}

static int group_get(struct ctxsw_group *group)
{
	int err;

	/* A recording keeps the module: its removal would empty the buffers that hold it. */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	mutex_lock(&groups_lock);
	group->users++;
	err = group_sync(group);
	if (err)
		group->users--;
	mutex_unlock(&groups_lock);
	if (err)
		module_put(THIS_MODULE);
	return err;
}

static void group_put(struct ctxsw_group *group)
{
	mutex_lock(&groups_lock);
	group->users--;
	group_sync(group);
	mutex_unlock(&groups_lock);
	module_put(THIS_MODULE);
}

/**
 * ctxsw_event_reg() - the reg function of our trace events
 * @call:	the event
 * @type:	what happens to it
 * @data:	the kernel's, for trace_event_reg()
 *
 * Hooks are in before the first record can be written and out after the last.
 *
 * Return: 0 or -errno, which the user gets who switches the event on.
 */
int ctxsw_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct ctxsw_group *group = group_of(call);
	bool begins = type == TRACE_REG_REGISTER;
	bool ends = type == TRACE_REG_UNREGISTER;
	int err;

#ifdef CONFIG_PERF_EVENTS
	begins |= type == TRACE_REG_PERF_REGISTER;
	ends |= type == TRACE_REG_PERF_UNREGISTER;
#endif
	if (begins) {
		err = group_get(group);
		if (err)
			return err;
	}
	err = trace_event_reg(call, type, data);
	if (begins && err)
		group_put(group);
	if (ends)
		group_put(group);
	return err;
}

struct search {
	struct ctxsw_tracepoint *table;
	unsigned int count;
};

static void match_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->count; i++) {
		if (!strcmp(tp->name, search->table[i].name))
			search->table[i].tp = tp;
	}
}

/**
 * ctxsw_tracepoints_find() - looks the tracepoints up by name
 * @table:	what is wanted
 * @count:	its length
 *
 * sched_switch and sched_pi_setprio are not exported to modules, contention_begin and
 * contention_end by 6.12 but not by 6.1.
 *
 * Return: 0, or -ENOENT with a message that names each one that is missing.
 */
int ctxsw_tracepoints_find(struct ctxsw_tracepoint *table, unsigned int count)
{
	struct search search = { table, count };
	unsigned int i;
	int err = 0;

	for_each_kernel_tracepoint(match_tracepoint, &search);
	for (i = 0; i < count; i++) {
		if (!table[i].tp) {
			pr_err("this kernel has no tracepoint %s\n", table[i].name);
			err = -ENOENT;
		}
	}
	return err;
}

/**
 * ctxsw_tracepoints_hook() - registers all probes of the table, or none
 * @table:	found by ctxsw_tracepoints_find()
 * @count:	its length
 *
 * Ours run after all other probes of the tracepoint, whose time is then in no phase.
 *
 * Return: 0 or -errno.
 */
int ctxsw_tracepoints_hook(const struct ctxsw_tracepoint *table, unsigned int count)
{
	unsigned int i;
	int err;

	for (i = 0; i < count; i++) {
		err = tracepoint_probe_register_prio(table[i].tp, table[i].probe, NULL, INT_MIN);
		if (err) {
			ctxsw_tracepoints_unhook(table, i);
			return err;
		}
	}
	return 0;
}

/**
 * ctxsw_tracepoints_unhook() - takes the probes out and waits until none runs
 * @table:	what was hooked
 * @count:	its length
 */
void ctxsw_tracepoints_unhook(const struct ctxsw_tracepoint *table, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		tracepoint_probe_unregister(table[i].tp, table[i].probe, NULL);
	tracepoint_synchronize_unregister();
}
