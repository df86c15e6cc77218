/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tally as a table: one row for each pair of tasks, the heaviest first.
 */
#ifndef CS_ANALYSIS_PAIR_TABLE_H
#define CS_ANALYSIS_PAIR_TABLE_H

#include "analysis/analysis.h"
#include "analysis/tally.h"

/* Fills the cells of one row. */
typedef void cs_pair_fill(union cs_cell *row, const struct cs_task *from,
			  const struct cs_task *to, const struct cs_pair *pair);

/**
 * cs_pair_table_fill - the rows of a table from a tally
 * @table: an empty table, or NULL
 * @tally: the pairs, by index of their tasks
 * @options: all of them for a machine, else as many as people see
 * @tracker: whose tasks they are
 * @result: @failed is set where memory is short
 * @fill: fills a row
 */
void cs_pair_table_fill(struct cs_node *table, const struct cs_tally *tally,
			const struct cs_options *options,
			const struct cs_tracker *tracker, struct cs_result *result,
			cs_pair_fill *fill);

#endif
