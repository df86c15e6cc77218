/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options that are the same in both versions of trace.dat.
 */
#include "user/input/dat_load.h"

#include <stdio.h>
#include <stdlib.h>

/* "[local] global counter": the one in brackets is in use. */
int cs_dat_take_clock(struct cs_dat_loader *loader, const char *text)
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return 0;
	free(loader->dat->clock);
	loader->dat->clock = strndup(from + 1, to - from - 1);
	return loader->dat->clock ? 0 : cs_dat_no_memory(loader);
}

/* "Linux node 6.18.9 x86_64" */
static int option_uname(struct cs_dat_loader *loader, const char *text)
{
	struct cs_dat *dat = loader->dat;
	char release[128], machine[128];

	if (sscanf(text, "%*s %*s %127s %127s", release, machine) != 2)
		return 0;
	free(dat->kernel);
	free(dat->arch);
	dat->kernel = strdup(release);
	dat->arch = strdup(machine);
	return dat->kernel && dat->arch ? 0 : cs_dat_no_memory(loader);
}

/* The text of per_cpu/cpuN/stats; an instance's are behind one "Buffer: NAME". */
static int option_stat(struct cs_dat_loader *loader, const char *text)
{
	const char *at = strstr(text, "Buffer: ");
	struct cs_dat_loss *losses;
	unsigned long long dropped;
	int cpu;

	if (at) {
		at += strlen("Buffer: ");
		free(loader->stat_buffer);
		loader->stat_buffer = strndup(at, strcspn(at, "\n"));
		return loader->stat_buffer ? 0 : cs_dat_no_memory(loader);
	}
	at = strstr(text, "CPU: ");
	if (!at || sscanf(at, "CPU: %d", &cpu) != 1)
		return 0;
	at = strstr(text, "dropped events: ");
	if (!at || sscanf(at, "dropped events: %llu", &dropped) != 1 || !dropped)
		return 0;
	losses = reallocarray(loader->losses, loader->losses_count + 1, sizeof(*losses));
	if (!losses)
		return cs_dat_no_memory(loader);
	loader->losses = losses;
	losses += loader->losses_count;
	losses->buffer = strdup(loader->stat_buffer ? loader->stat_buffer : "");
	if (!losses->buffer)
		return cs_dat_no_memory(loader);
	losses->cpu = cpu;
	losses->dropped = dropped;
	loader->losses_count++;
	return 0;
}

static int option_text(struct cs_dat_loader *loader, uint16_t option,
		       const uint8_t *bytes, uint32_t size)
{
	char *text = strndup((const char *)bytes, size);
	int r = 0;

	if (!text)
		return cs_dat_no_memory(loader);
	switch (option) {
	case CS_DAT_OPTION_CPUSTAT:
		r = option_stat(loader, text);
		break;
	case CS_DAT_OPTION_TRACECLOCK:
		/* Version 6 has no text here: it stands behind the table of CPUs. */
		loader->clock_at_end = loader->dat->version < 7;
		r = cs_dat_take_clock(loader, text);
		break;
	case CS_DAT_OPTION_UNAME:
		r = option_uname(loader, text);
		break;
	}
	free(text);
	return r;
}

int cs_dat_take_option(struct cs_dat_loader *loader, uint16_t option,
		       const uint8_t *bytes, uint32_t size)
{
	struct cs_dat *dat = loader->dat;
	bool swapped = dat->format->layout.swap;
	uint64_t offset = size >= 8 ? cs_load64(bytes, swapped) : 0;

	switch (option) {
	case CS_DAT_OPTION_CPUSTAT:
	case CS_DAT_OPTION_TRACECLOCK:
	case CS_DAT_OPTION_UNAME:
		return option_text(loader, option, bytes, size);
	case CS_DAT_OPTION_BUFFER:
		return dat->version < 7 ? cs_dat_take_buffer_v6(loader, bytes, size)
					: cs_dat_take_buffer_v7(loader, bytes, size);
	case CS_DAT_OPTION_CPUCOUNT:
		if (size >= 4)
			loader->cpu_count = cs_load32(bytes, swapped);
		break;
	case CS_DAT_OPTION_TSC2NSEC:
		if (size >= 16) {
			dat->tsc_mult = cs_load32(bytes, swapped);
			dat->tsc_shift = cs_load32(bytes + 4, swapped);
			if (dat->tsc_shift > 63)
				return cs_dat_fail(
					loader, -EBADMSG,
					"damaged: the TSC's shift %u cannot be",
					dat->tsc_shift);
		}
		break;
	case CS_DAT_OPTION_HEADER_INFO:
		loader->header_info = offset;
		break;
	case CS_DAT_OPTION_FTRACE_EVENTS:
		loader->ftrace_events = offset;
		break;
	case CS_DAT_OPTION_EVENT_FORMATS:
		loader->event_formats = offset;
		break;
	}
	return 0;
}
