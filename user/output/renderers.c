/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of renderers, and the terminal's width.
 */
#include <string.h>
#include <sys/ioctl.h>

#include "user/output/render.h"

/* Below this a line holds no table, above it no eye follows a sentence. */
#define WIDTH_MIN 40
#define WIDTH_MAX 1000

const struct cs_renderer *const cs_renderers[] = {
	&cs_renderer_text,
	&cs_renderer_json,
	NULL,
};

const struct cs_renderer *cs_renderer_find(const char *name)
{
	for (size_t i = 0; cs_renderers[i]; i++)
		if (!strcmp(cs_renderers[i]->name, name))
			return cs_renderers[i];
	return NULL;
}

unsigned int cs_render_width(FILE *out)
{
	struct winsize size = {0};

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		return CS_RENDER_WIDTH;
	if (size.ws_col < WIDTH_MIN)
		return WIDTH_MIN;
	return size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}
