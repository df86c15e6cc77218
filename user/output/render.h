/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of a renderer: a result in, text on a stream out. It knows
 * result.h and nothing of any analysis. A new renderer is one file and one
 * line in renderers.c.
 */
#ifndef CS_USER_OUTPUT_RENDER_H
#define CS_USER_OUTPUT_RENDER_H

#include <stdio.h>

#include "analysis/result.h"

/* Where no terminal says how wide it is. */
#define CS_RENDER_WIDTH 80

/**
 * struct cs_render_options - what the output should look like
 * @width: columns of a line; 0: CS_RENDER_WIDTH
 * @live: it will be shown again soon: no advice on how to see more
 */
struct cs_render_options {
	unsigned int width;
	bool live;
};

/**
 * struct cs_renderer - one output format
 * @name: as typed after -f
 * @complete: for machines: it shows all rows of a table (struct cs_options)
 * @render: writes all of a result, which must not have failed
 *
 * A renderer does not look for write errors: ferror(3) tells the caller.
 */
struct cs_renderer {
	const char *name;
	bool complete;
	void (*render)(const struct cs_result *result,
		       const struct cs_render_options *options, FILE *out);
};

extern const struct cs_renderer cs_renderer_text; /* text.c */
extern const struct cs_renderer cs_renderer_json; /* json.c */

/* The list, ended by NULL; the first is the default. */
extern const struct cs_renderer *const cs_renderers[];

/** cs_renderer_find - a renderer by its name, or NULL. */
const struct cs_renderer *cs_renderer_find(const char *name);

/** cs_render_width - columns of the terminal that @out is, or CS_RENDER_WIDTH. */
unsigned int cs_render_width(FILE *out);

#endif
