// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the trace events. The events' classes call ctxsw_event_reg() instead of the kernel's
 * trace_event_reg(), so that the first user of an event brings the hooks in.
 */
#include <linux/module.h>

#include "ctxsw.h"

/*
 * include/trace/trace_events.h puts trace_event_reg into each event class; it is called with
 * event_mutex held, for tracefs (kernel/trace/trace_events.c, __ftrace_event_enable_disable())
 * and for perf (kernel/trace/trace_event_perf.c, perf_trace_event_reg()). The tracepoint's own
 * regfunc (TRACE_EVENT_FN) would not do: it runs with tracepoints_mutex held, and so could not
 * register a probe on another tracepoint.
 */
#define trace_event_reg ctxsw_event_reg

#define CREATE_TRACE_POINTS
#include "trace.h"

#include "emit.h"

void ctxsw_lock_block_emit(const struct ctxsw_lock *l)
{
	trace_lock_block(l);
}

void ctxsw_lock_acquired_emit(const struct ctxsw_lock *l, int ret)
{
	trace_lock_acquired(l, ret);
}
