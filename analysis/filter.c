/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter of spans and switches.
 */
#include "analysis/filter.h"

#include <fnmatch.h>

bool cs_filter_active(const struct cs_filter *filter)
{
	return filter->cpus.count || filter->pids.count || filter->prios.count ||
	       filter->comms_count || filter->begin ||
	       (filter->end && filter->end != UINT64_MAX);
}

bool cs_ranges_contain(const struct cs_ranges *ranges, int64_t value)
{
	if (!ranges->count)
		return true;
	for (uint32_t i = 0; i < ranges->count; i++)
		if (value >= ranges->ranges[i].first && value <= ranges->ranges[i].last)
			return true;
	return false;
}

bool cs_filter_task(const struct cs_filter *filter, const struct cs_task *task)
{
	if (!cs_ranges_contain(&filter->pids, task->pid))
		return false;
	if (!filter->comms_count)
		return true;
	for (uint32_t i = 0; i < filter->comms_count; i++)
		if (!fnmatch(filter->comms[i], task->comm, 0))
			return true;
	return false;
}

static uint64_t end_of(const struct cs_filter *filter)
{
	return filter->end ? filter->end : UINT64_MAX;
}

bool cs_filter_span(const struct cs_filter *filter, struct cs_span *span)
{
	uint64_t end = end_of(filter);

	if (!cs_ranges_contain(&filter->cpus, span->cpu))
		return false;
	if (span->task) {
		if (!cs_filter_task(filter, span->task) ||
		    !cs_ranges_contain(&filter->prios, span->prio))
			return false;
	} else if (filter->pids.count || filter->comms_count || filter->prios.count) {
		return false;
	}
	if (span->end < filter->begin || span->begin > end)
		return false;
	if (span->begin < filter->begin) {
		span->begin = filter->begin;
		span->flags |= CS_SPAN_CLIPPED;
	}
	if (span->end > end) {
		span->end = end;
		span->flags |= CS_SPAN_CLIPPED;
	}
	return !(span->flags & CS_SPAN_CLIPPED) || span->end > span->begin;
}

bool cs_filter_switch(const struct cs_filter *filter, const struct cs_switch *sw)
{
	return cs_ranges_contain(&filter->cpus, sw->cpu) &&
	       cs_filter_task(filter, sw->prev) &&
	       cs_ranges_contain(&filter->prios, sw->prev->prio) &&
	       sw->ts >= filter->begin && sw->ts <= end_of(filter);
}
