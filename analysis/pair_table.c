/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows from a tally.
 */
#include "analysis/pair_table.h"

#include <stdlib.h>

void cs_pair_table_fill(struct cs_node *table, const struct cs_tally *tally,
			const struct cs_options *options,
			const struct cs_tracker *tracker, struct cs_result *result,
			cs_pair_fill *fill)
{
	uint32_t limit = options->complete ? UINT32_MAX : options->rows;
	struct cs_task *const *tasks = tracker->tasks.tasks;
	struct cs_pair *pairs;
	uint32_t count, left;

	if (cs_tally_top(tally, limit, &pairs, &count, &left))
		result->failed = true;
	if (table)
		table->table.rows_left = left;
	for (uint32_t i = 0; i < count; i++) {
		union cs_cell *row = cs_result_row(result, table);

		if (!row)
			break;
		fill(row, tasks[pairs[i].from], tasks[pairs[i].to], &pairs[i]);
	}
	free(pairs);
}
