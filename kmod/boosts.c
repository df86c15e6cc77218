// SPDX-License-Identifier: GPL-2.0
/*
 * Priority inheritance: each change of a task's priority by who waits for it, with the
 * donor, which the kernel's own event sched_pi_setprio leaves out.
 */
#include <linux/module.h>
#include <trace/events/sched.h>

#include "ctxsw.h"
#include "trace.h"

/*
 * kernel/sched/core.c, rt_mutex_setprio(): before the priority changes, with the runqueue
 * lock and the task's pi_lock held, so that both tasks stay what they are.
 */
static void on_pi_setprio(void *data, struct task_struct *task, struct task_struct *donor)
{
	ctxsw_count_inc(CTXSW_N_BOOSTS);
	trace_pi_boost(task, donor);
}

static struct ctxsw_tracepoint tracepoints[] = {
	{ .name = "sched_pi_setprio", .probe = on_pi_setprio },
};

static int attach(void)
{
	return ctxsw_tracepoints_hook(tracepoints, ARRAY_SIZE(tracepoints));
}

static void detach(void)
{
	ctxsw_tracepoints_unhook(tracepoints, ARRAY_SIZE(tracepoints));
}

struct ctxsw_group ctxsw_boosts_group = {
	.name = "boosts",
	.attach = attach,
	.detach = detach,
	.allowed = true,
};

/**
 * ctxsw_boosts_init() - finds what the group needs
 *
 * Return: 0, or -ENOENT after a message.
 */
int ctxsw_boosts_init(void)
{
	check_trace_callback_type_sched_pi_setprio(on_pi_setprio);
	return ctxsw_tracepoints_find(tracepoints, ARRAY_SIZE(tracepoints));
}
