/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes on a source.
 */
#include "user/input/notes.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const too_many = "there is more to say about this source";

void cs_notes_add(struct cs_notes *notes, const char *format, ...)
{
	char text[512], *copy;
	va_list args;

	if (notes->count == CS_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	for (uint32_t i = 0; i < notes->count; i++)
		if (!strcmp(notes->text[i], text))
			return;
	copy = strdup(notes->count == CS_NOTES_MAX - 1 ? too_many : text);
	if (copy)
		notes->text[notes->count++] = copy;
}

void cs_notes_fini(struct cs_notes *notes)
{
	for (uint32_t i = 0; i < notes->count; i++)
		free((char *)notes->text[i]);
	notes->count = 0;
}
