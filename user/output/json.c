/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON, written as the tree is walked. The output is well-formed UTF-8
 * whatever a text holds: each byte that is no part of a valid sequence becomes
 * U+FFFD. Rows of tables and statistics take one line each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/render.h"

#define INDENT 2

static void put_node(FILE *out, const struct cs_node *node, unsigned int depth);

static void new_line(FILE *out, unsigned int depth)
{
	fprintf(out, "\n%*s", (int)(depth * INDENT), "");
}

/*
 * Length of the valid UTF-8 sequence at @text, 0 when there is none (table
 * 3-7 of the Unicode standard: no surrogates, nothing overlong, at most
 * U+10FFFF). A NUL byte ends every sequence, so that none is read past it.
 */
static unsigned int sequence_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	unsigned int length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (unsigned int i = 2; i < length; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return length;
}

static void put_text(FILE *out, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*c) {
		unsigned int length = sequence_length(c);

		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\u%04x", *c);
		else if (*c == 0xc2 && length && c[1] < 0xa0)
			fprintf(out, "\\u%04x", c[1]); /* a terminal would obey it */
		else if (length)
			fwrite(c, 1, length, out);
		else
			fputs("\xef\xbf\xbd", out);
		c += length ? length : 1;
	}
	fputc('"', out);
}

static void put_key(FILE *out, const char *key)
{
	put_text(out, key ? key : "");
	fputs(": ", out);
}

static void put_int(FILE *out, int64_t value)
{
	if (value == CS_INT_NULL)
		fputs("null", out);
	else
		fprintf(out, "%lld", (long long)value);
}

static void put_bool(FILE *out, int64_t value)
{
	fputs(value == CS_INT_NULL ? "null" : value ? "true" : "false", out);
}

/* JSON has no infinity; what is left is read back as the same double. */
static void put_real(FILE *out, double value)
{
	char text[40];

	if (!isfinite(value)) {
		fputs("null", out);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
}

static void put_stat(FILE *out, const struct cs_stat *stat)
{
	if (!stat) {
		fputs("null", out);
		return;
	}
	for (const struct cs_stat_member *m = cs_stat_members; m->key; m++) {
		int64_t value;

		memcpy(&value, (const char *)stat + m->offset, sizeof(value));
		if (m != cs_stat_members && !stat->count)
			value = CS_STAT_NONE;
		fputs(m == cs_stat_members ? "{" : ", ", out);
		put_key(out, m->key);
		put_int(out, value);
	}
	fputc('}', out);
}

static void put_cell(FILE *out, const struct cs_column *column, const union cs_cell *cell,
		     unsigned int depth)
{
	switch (column->type) {
	case CS_TYPE_BOOL:
		put_bool(out, cell->integer);
		break;
	case CS_TYPE_INT:
		put_int(out, cell->integer);
		break;
	case CS_TYPE_REAL:
		put_real(out, cell->real);
		break;
	case CS_TYPE_TEXT:
		put_text(out, cell->text);
		break;
	case CS_TYPE_STAT:
		put_stat(out, cell->stat);
		break;
	default:
		if (cell->node)
			put_node(out, cell->node, depth);
		else
			fputs("null", out);
	}
}

static void put_table(FILE *out, const struct cs_node *node, unsigned int depth)
{
	const union cs_cell *cell = node->table.cells;

	fputc('[', out);
	for (uint32_t row = 0; row < node->table.rows_count; row++) {
		if (row)
			fputc(',', out);
		new_line(out, depth + 1);
		fputc('{', out);
		for (uint32_t i = 0; i < node->table.columns_count; i++) {
			const struct cs_column *column = &node->table.columns[i];

			if (i)
				fputs(", ", out);
			put_key(out, column->key);
			put_cell(out, column, cell++, depth + 1);
		}
		fputc('}', out);
	}
	if (node->table.rows_count)
		new_line(out, depth);
	fputc(']', out);
}

static bool is_scalar(const struct cs_node *node)
{
	return node->type <= CS_TYPE_TEXT;
}

static void put_children(FILE *out, const struct cs_node *node, unsigned int depth)
{
	bool object = node->type == CS_TYPE_OBJECT;
	bool lines = object, first = true;

	for (const struct cs_node *child = node->children.first; child;
	     child = child->next)
		lines = lines || (!is_scalar(child) && child->type != CS_TYPE_NOTE);
	fputc(object ? '{' : '[', out);
	for (const struct cs_node *child = node->children.first; child;
	     child = child->next) {
		if (child->type == CS_TYPE_NOTE)
			continue;
		if (!first)
			fputs(lines ? "," : ", ", out);
		first = false;
		if (lines)
			new_line(out, depth + 1);
		if (object)
			put_key(out, child->key);
		put_node(out, child, depth + 1);
	}
	if (lines && !first)
		new_line(out, depth);
	fputc(object ? '}' : ']', out);
}

static void put_node(FILE *out, const struct cs_node *node, unsigned int depth)
{
	switch (node->type) {
	case CS_TYPE_BOOL:
		put_bool(out, node->integer);
		break;
	case CS_TYPE_INT:
		put_int(out, node->integer);
		break;
	case CS_TYPE_REAL:
		put_real(out, node->real);
		break;
	case CS_TYPE_TEXT:
		put_text(out, node->text);
		break;
	case CS_TYPE_STAT:
		put_stat(out, &node->stat);
		break;
	case CS_TYPE_OBJECT:
	case CS_TYPE_LIST:
		put_children(out, node, depth);
		break;
	case CS_TYPE_TABLE:
		put_table(out, node, depth);
		break;
	default:
		fputs("null", out);
	}
}

static void render(const struct cs_result *result,
		   const struct cs_render_options *options, FILE *out)
{
	(void)options;
	put_node(out, result->root, 0);
	fputc('\n', out);
}

const struct cs_renderer cs_renderer_json = {
	.name = "json",
	.complete = true,
	.render = render,
};
