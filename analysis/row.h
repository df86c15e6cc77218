/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cells that many tables begin with.
 */
#ifndef CS_ANALYSIS_ROW_H
#define CS_ANALYSIS_ROW_H

#include "analysis/result.h"
#include "analysis/task.h"

/** cs_cell_prio - a priority as a cell: null when it is unknown. */
static inline int64_t cs_cell_prio(int32_t prio)
{
	return prio == CS_PRIO_UNKNOWN ? CS_INT_NULL : prio;
}

/** cs_row_task - fill the cells pid, comm and prio (the base priority). */
static inline void cs_row_task(union cs_cell *row, const struct cs_task *task)
{
	row[0].integer = task->pid;
	row[1].text = task->comm;
	row[2].integer = cs_cell_prio(task->base_prio);
}

/** cs_row_switch - fill the cells of a switch: pid and comm of prev, then of next. */
static inline void cs_row_switch(union cs_cell *row, const struct cs_task *prev,
				 const struct cs_task *next)
{
	row[0].integer = prev->pid;
	row[1].text = prev->comm;
	row[2].integer = next->pid;
	row[3].text = next->comm;
}

#endif
