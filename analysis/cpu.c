/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU's short memory of what ran.
 */
#include "analysis/cpu.h"

#include <stddef.h>

const struct cs_run *cs_cpu_run_at(const struct cs_cpu *cpu, uint64_t ts,
				   uint64_t *number)
{
	uint64_t oldest = cpu->runs_count > CS_CPU_RUNS ? cpu->runs_count - CS_CPU_RUNS
							: 0;
	uint64_t low = oldest, high = cpu->runs_count;
	uint64_t step = 1;

	/* Most questions are about the last few runs: gallop back, then bisect. */
	while (high - low > step) {
		if (cpu->runs[(high - step) % CS_CPU_RUNS].begin <= ts) {
			low = high - step;
			break;
		}
		high -= step;
		step *= 2;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (cpu->runs[middle % CS_CPU_RUNS].begin <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == oldest)
		return NULL;
	if (number)
		*number = low - 1;
	return &cpu->runs[(low - 1) % CS_CPU_RUNS];
}

void cs_cpu_forget_runs(struct cs_cpu *cpu, uint64_t ts)
{
	uint64_t oldest = cpu->runs_count > CS_CPU_RUNS ? cpu->runs_count - CS_CPU_RUNS
							: 0;

	for (uint64_t i = cpu->runs_count; i > oldest; i--) {
		struct cs_run *run = &cpu->runs[(i - 1) % CS_CPU_RUNS];

		if (run->begin < ts)
			return;
		run->task = NULL;
		run->prio = CS_PRIO_UNKNOWN;
	}
}
