/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spans on their way out of the tracker.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

static void send(const struct cs_tracker *tracker, const struct cs_span *span)
{
	if (tracker->sink.on_span)
		tracker->sink.on_span(tracker->sink.ctx, span);
}

/* Whatever @task did since it was last understood is not known. */
void cs_emit_unknown(const struct cs_tracker *tracker, const struct cs_task *task,
		     uint64_t ts)
{
	struct cs_span span = {
		.task = task,
		.begin = task->since,
		.end = ts,
		.cpu = task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_UNKNOWN,
	};

	if (ts > task->since)
		send(tracker, &span);
}

void cs_emit_cpu_unknown(const struct cs_tracker *tracker, const struct cs_cpu *cpu,
			 uint64_t ts)
{
	struct cs_span span = {
		.where = cpu,
		.begin = cpu->since,
		.end = ts,
		.cpu = cpu->nr,
		.prio = CS_PRIO_UNKNOWN,
		.kind = CS_SPAN_UNKNOWN,
	};

	if (ts > cpu->since)
		send(tracker, &span);
}

void cs_emit_run(const struct cs_tracker *tracker, const struct cs_cpu *cpu, uint64_t ts,
		 const struct cs_task *next, cs_state state, unsigned int flags)
{
	struct cs_span span = {
		.task = cpu->current,
		.peer = next,
		.where = cpu,
		.begin = cpu->since,
		.end = ts,
		.state = state,
		.cpu = cpu->nr,
		.prio = cpu->current->prio,
		.kind = CS_SPAN_RUN,
		.flags = flags,
	};

	send(tracker, &span);
}

void cs_emit_block(const struct cs_tracker *tracker, const struct cs_task *task,
		   uint64_t ts, const struct cs_task *waker, unsigned int context,
		   unsigned int flags)
{
	struct cs_span span = {
		.task = task,
		.peer = waker,
		.begin = task->since,
		.end = ts,
		.state = task->left_state,
		.cpu = task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_BLOCK,
		.waker_context = context,
		.flags = flags,
	};

	send(tracker, &span);
}

static enum cs_found found_of(int32_t prio, bool idle, int32_t running)
{
	if (idle)
		return CS_FOUND_IDLE;
	if (prio == CS_PRIO_UNKNOWN || running == CS_PRIO_UNKNOWN)
		return CS_FOUND_UNKNOWN;
	return running > prio ? CS_FOUND_LOWER : CS_FOUND_SAME_OR_HIGHER;
}

/* What ran, when the wait of @task began, where it queued; it now runs on @cpu. */
static enum cs_found find(const struct cs_cpu *cpu, const struct cs_task *task)
{
	const struct cs_run *run;

	if (task->woken_idle != CS_UNKNOWN && (task->moved || task->woken_cpu == cpu->nr))
		return found_of(task->prio, task->woken_idle == CS_YES, task->woken_prio);
	if (task->moved)
		return CS_FOUND_UNKNOWN;
	/* nobody told where it queued: it will have been where it runs */
	run = cs_cpu_run_at(cpu, task->since, NULL);
	if (!run || !run->task)
		return CS_FOUND_UNKNOWN;
	return found_of(task->prio, cs_task_is_idle(run->task), run->prio);
}

void cs_emit_wait(struct cs_tracker *tracker, const struct cs_task *task,
		  const struct cs_cpu *cpu, uint64_t ts, unsigned int flags)
{
	struct cs_span span = {
		.task = task,
		.peer = task->peer,
		.where = cpu,
		.begin = task->since,
		.end = ts,
		.cpu = cpu ? cpu->nr : task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_WAIT,
		.cause = CS_WAIT_PREEMPTED,
		.found = CS_FOUND_UNKNOWN,
		.flags = flags,
	};

	if (ts < task->since) {
		tracker->health.negative++;
		return;
	}
	if (task->state != CS_TASK_PREEMPTED) {
		span.cause = CS_WAIT_WOKEN;
		span.peer = task->waker;
		span.waker_context = task->waker_context;
		if (cpu)
			span.found = find(cpu, task);
		if (task->moved && cs_cpu_is_watched(tracker, task->woken_cpu) &&
		    task->woken_cpu >= 0) {
			span.queued = tracker->cpus[task->woken_cpu];
			span.moved = task->moved;
			span.moved_last = task->moved_last;
		}
	}
	send(tracker, &span);
}
