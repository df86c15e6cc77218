/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IRQ: what interrupted a CPU, for the story of a wait.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <stdlib.h>
#include <string.h>

static const char *intern(struct cs_tracker *tracker, const char *name)
{
	uint32_t count = tracker->names_count;
	char **names;

	if (!name)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(tracker->names[i], name))
			return tracker->names[i];
	names = realloc(tracker->names, (count + (size_t)1) * sizeof(*names));
	if (!names)
		return NULL;
	tracker->names = names;
	names[count] = strdup(name);
	if (!names[count])
		return NULL;
	tracker->names_count++;
	return names[count];
}

void cs_track_irq(struct cs_tracker *tracker, struct cs_cpu *cpu,
		  const struct cs_event *ev)
{
	uint32_t depth = cpu->open_irqs_count;
	struct cs_irq *irq;

	if (ev->irq.enter) {
		if (depth == CS_IRQ_DEPTH)
			return;
		irq = &cpu->open_irqs[cpu->open_irqs_count++];
		irq->begin = ev->ts;
		irq->name = intern(tracker, ev->irq.name);
		irq->nr = ev->irq.nr;
		irq->kind = ev->irq.kind;
		return;
	}
	while (depth && (cpu->open_irqs[depth - 1].kind != ev->irq.kind ||
			 cpu->open_irqs[depth - 1].nr != ev->irq.nr))
		depth--;
	if (!depth)
		return;
	/* one that never ended is left out: its end is not known */
	cpu->open_irqs_count = depth - 1;
	irq = &cpu->irqs[cpu->irqs_count++ % CS_CPU_IRQS];
	*irq = cpu->open_irqs[depth - 1];
	irq->end = ev->ts;
}
