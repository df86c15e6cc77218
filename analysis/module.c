/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The marker about the kernel module.
 */
#include "analysis/module.h"

#include <string.h>

#include "include/ctxsw/abi.h"

const char *cs_phase_name(enum cs_phase phase)
{
	static const char *const names[] = CTXSW_PHASE_NAMES;

	return names[phase];
}

/* A piece of text that does not end with NUL. */
struct piece {
	const char *at;
	const char *end;
};

/* Cuts off what stands before @by, or all. False: nothing is left. */
static bool cut(struct piece *from, char by, struct piece *piece)
{
	const char *found;

	if (from->at >= from->end)
		return false;
	found = memchr(from->at, by, (size_t)(from->end - from->at));
	piece->at = from->at;
	piece->end = found ? found : from->end;
	from->at = found ? found + 1 : from->end;
	return true;
}

static bool is(const struct piece *piece, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(piece->end - piece->at) == length &&
	       !memcmp(piece->at, word, length);
}

static uint32_t number(const struct piece *piece)
{
	uint64_t value = 0;

	for (const char *c = piece->at; c < piece->end && *c >= '0' && *c <= '9'; c++)
		if (value <= UINT32_MAX)
			value = value * 10 + (uint64_t)(*c - '0');
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void take_phases(struct cs_module *module, struct piece list, bool costs)
{
	struct piece item, name;

	while (cut(&list, ',', &item)) {
		if (!cut(&item, ':', &name))
			continue;
		for (unsigned int i = 0; i < CS_PHASES; i++) {
			if (!is(&name, cs_phase_name(i)))
				continue;
			if (costs)
				module->cost_ns[i] = number(&item);
			else
				module->phases |= 1 << i;
		}
	}
}

bool cs_module_parse(struct cs_module *module, const char *text, uint32_t length)
{
	struct piece rest = {text, text + length}, word, key;
	size_t prefix = strlen(CS_MARKER_MODULE);

	if (length < prefix || memcmp(text, CS_MARKER_MODULE, prefix))
		return false;
	rest.at += prefix;
	memset(module, 0, sizeof(*module));
	module->seen = true;
	while (cut(&rest, ' ', &word)) {
		if (!cut(&word, '=', &key))
			continue;
		if (is(&key, "abi")) {
			module->abi = number(&word);
		} else if (is(&key, "phases")) {
			take_phases(module, word, false);
		} else if (is(&key, "cost_ns")) {
			module->costs = true;
			take_phases(module, word, true);
		}
	}
	return true;
}
