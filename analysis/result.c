/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result tree: nodes in an arena, a table's cells in a block of their own
 * that grows with its rows.
 */
#include "analysis/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Size of an arena block; larger pieces get a block of their own. */
#define BLOCK_SIZE 16384

#define FIRST_ROWS 16

/* The first member of the list is the one that small pieces come from. */
struct cs_block {
	struct cs_block *next;
	struct cs_block *prev;
	size_t used;
	size_t size;
	unsigned char data[] __attribute__((aligned(16)));
};

const struct cs_stat_member cs_stat_members[] = {
	{"count", "count", offsetof(struct cs_stat, count)},
	{"min_ns", "min", offsetof(struct cs_stat, min_ns)},
	{"mean_ns", "mean", offsetof(struct cs_stat, mean_ns)},
	{"max_ns", "max", offsetof(struct cs_stat, max_ns)},
	{"stddev_ns", "stddev", offsetof(struct cs_stat, stddev_ns)},
	{"p50_ns", "p50", offsetof(struct cs_stat, p50_ns)},
	{"p90_ns", "p90", offsetof(struct cs_stat, p90_ns)},
	{"p99_ns", "p99", offsetof(struct cs_stat, p99_ns)},
	{"p99_9_ns", "p99.9", offsetof(struct cs_stat, p99_9_ns)},
	{"p99_99_ns", "p99.99", offsetof(struct cs_stat, p99_99_ns)},
	{NULL, NULL, 0},
};

/* ---- memory --------------------------------------------------------------------- */

/* A block before or, when it is for one piece alone, behind the first one. */
static struct cs_block *add_block(struct cs_result *result, size_t size, bool alone)
{
	struct cs_block *block, *first = result->blocks;
	size_t bytes;

	if (__builtin_add_overflow(sizeof(*block), size, &bytes))
		return NULL;
	block = malloc(bytes);
	if (!block)
		return NULL;
	block->size = size;
	block->used = alone ? size : 0;
	if (alone && first) {
		block->prev = first;
		block->next = first->next;
		first->next = block;
	} else {
		block->prev = NULL;
		block->next = first;
		result->blocks = block;
	}
	if (block->next)
		block->next->prev = block;
	return block;
}

static void *take(struct cs_result *result, size_t size)
{
	struct cs_block *block = result->blocks;
	void *piece;

	if (size > BLOCK_SIZE / 4) {
		block = add_block(result, size, true);
		if (!block)
			goto fail;
		return block->data;
	}
	size = (size + 7) & ~(size_t)7;
	if (!block || block->size - block->used < size)
		block = add_block(result, BLOCK_SIZE, false);
	if (!block)
		goto fail;
	piece = block->data + block->used;
	block->used += size;
	return piece;
fail:
	result->failed = true;
	return NULL;
}

/* Cells stand in a block of their own, so that growing one copies nothing else. */
static union cs_cell *resize_cells(struct cs_result *result, union cs_cell *cells,
				   size_t size)
{
	struct cs_block *block, *old;
	size_t bytes;

	if (!cells) {
		block = add_block(result, size, true);
		return block ? (union cs_cell *)block->data : NULL;
	}
	old = (struct cs_block *)((unsigned char *)cells -
				  offsetof(struct cs_block, data));
	if (__builtin_add_overflow(sizeof(*block), size, &bytes))
		return NULL;
	block = realloc(old, bytes);
	if (!block)
		return NULL;
	block->size = block->used = size;
	if (block->prev)
		block->prev->next = block;
	else
		result->blocks = block;
	if (block->next)
		block->next->prev = block;
	return (union cs_cell *)block->data;
}

void cs_result_init(struct cs_result *result)
{
	memset(result, 0, sizeof(*result));
	result->root = cs_result_object(result, NULL, NULL, NULL);
}

void cs_result_fini(struct cs_result *result)
{
	struct cs_block *block = result->blocks;

	while (block) {
		struct cs_block *next = block->next;

		free(block);
		block = next;
	}
	memset(result, 0, sizeof(*result));
}

const char *cs_result_text(struct cs_result *result, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	char *copy = text ? take(result, size) : NULL;

	return copy ? memcpy(copy, text, size) : NULL;
}

/* Nobody should meet an old value where there is none. */
static void fill_stat(struct cs_stat *stat, const struct cs_hist *hist)
{
	if (hist && hist->count) {
		cs_hist_stat(hist, stat);
		return;
	}
	*stat = (struct cs_stat){
		.min_ns = CS_STAT_NONE,
		.mean_ns = CS_STAT_NONE,
		.max_ns = CS_STAT_NONE,
		.stddev_ns = CS_STAT_NONE,
		.p50_ns = CS_STAT_NONE,
		.p90_ns = CS_STAT_NONE,
		.p99_ns = CS_STAT_NONE,
		.p99_9_ns = CS_STAT_NONE,
		.p99_99_ns = CS_STAT_NONE,
	};
}

const struct cs_stat *cs_result_stat(struct cs_result *result, const struct cs_hist *hist)
{
	struct cs_stat *stat = take(result, sizeof(*stat));

	if (stat)
		fill_stat(stat, hist);
	return stat;
}

/* ---- nodes ---------------------------------------------------------------------- */

static struct cs_node *add(struct cs_result *result, struct cs_node *parent,
			   const char *key, const char *label, enum cs_type type)
{
	struct cs_node *node = take(result, sizeof(*node));

	if (!node)
		return NULL;
	memset(node, 0, sizeof(*node));
	node->key = key;
	node->label = label;
	node->type = type;
	if (!parent)
		return node;
	if (parent->children.last)
		parent->children.last->next = node;
	else
		parent->children.first = node;
	parent->children.last = node;
	return node;
}

struct cs_node *cs_result_object(struct cs_result *result, struct cs_node *parent,
				 const char *key, const char *label)
{
	return add(result, parent, key, label, CS_TYPE_OBJECT);
}

struct cs_node *cs_result_list(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label)
{
	return add(result, parent, key, label, CS_TYPE_LIST);
}

struct cs_node *cs_result_table(struct cs_result *result, struct cs_node *parent,
				const char *key, const char *label,
				const struct cs_column *columns, uint32_t columns_count,
				uint32_t rows_shown)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_TABLE);

	if (node) {
		node->table.columns = columns;
		node->table.columns_count = columns_count;
		node->table.rows_shown = rows_shown;
	}
	return node;
}

struct cs_node *cs_result_null(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label)
{
	return add(result, parent, key, label, CS_TYPE_NULL);
}

struct cs_node *cs_result_bool(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label, bool value)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_BOOL);

	if (node)
		node->integer = value;
	return node;
}

struct cs_node *cs_result_int(struct cs_result *result, struct cs_node *parent,
			      const char *key, const char *label, enum cs_unit unit,
			      int64_t value)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_INT);

	if (node) {
		node->unit = unit;
		node->integer = value;
	}
	return node;
}

struct cs_node *cs_result_real(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label, double value)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_REAL);

	if (node)
		node->real = value;
	return node;
}

struct cs_node *cs_result_string(struct cs_result *result, struct cs_node *parent,
				 const char *key, const char *label, const char *text)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_TEXT);

	if (node)
		node->text = cs_result_text(result, text);
	return node;
}

struct cs_node *cs_result_hist(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label,
			       const struct cs_hist *hist)
{
	struct cs_node *node = add(result, parent, key, label, CS_TYPE_STAT);

	if (node)
		fill_stat(&node->stat, hist);
	return node;
}

struct cs_node *cs_result_note(struct cs_result *result, struct cs_node *parent,
			       const char *text)
{
	struct cs_node *node = add(result, parent, NULL, NULL, CS_TYPE_NOTE);

	if (node)
		node->text = cs_result_text(result, text);
	return node;
}

static union cs_cell null_cell(enum cs_type type)
{
	union cs_cell cell;

	memset(&cell, 0, sizeof(cell));
	if (type == CS_TYPE_INT || type == CS_TYPE_BOOL)
		cell.integer = CS_INT_NULL;
	else if (type == CS_TYPE_REAL)
		cell.real = __builtin_nan("");
	return cell;
}

union cs_cell *cs_result_row(struct cs_result *result, struct cs_node *table)
{
	uint32_t columns;
	union cs_cell *row;

	if (!table)
		return NULL;
	columns = table->table.columns_count;
	if (table->table.rows_count == table->table.rows_room) {
		uint32_t room = table->table.rows_room;
		union cs_cell *cells = NULL;
		size_t size;

		if (!__builtin_mul_overflow(room, 2u, &room)) {
			room = room ? room : FIRST_ROWS;
			if (!__builtin_mul_overflow((size_t)room, columns, &size) &&
			    !__builtin_mul_overflow(size, sizeof(*cells), &size))
				cells = resize_cells(result, table->table.cells, size);
		}
		if (!cells) {
			result->failed = true;
			return NULL;
		}
		table->table.cells = cells;
		table->table.rows_room = room;
	}
	row = table->table.cells + (size_t)table->table.rows_count++ * columns;
	for (uint32_t i = 0; i < columns; i++)
		row[i] = null_cell(table->table.columns[i].type);
	return row;
}

/* ---- finding -------------------------------------------------------------------- */

static bool is_key(const char *key, const char *path, size_t length)
{
	return key && strlen(key) == length && !memcmp(key, path, length);
}

static int find_in_stat(const struct cs_stat *stat, const char *key, double *value)
{
	for (const struct cs_stat_member *m = cs_stat_members; m->key; m++) {
		int64_t number;

		if (strcmp(m->key, key))
			continue;
		memcpy(&number, (const char *)stat + m->offset, sizeof(number));
		if (m != cs_stat_members && (!stat->count || number == CS_STAT_NONE))
			return -ENODATA;
		*value = (double)number;
		return 0;
	}
	return -ENOENT;
}

static int number_of(const struct cs_node *node, double *value)
{
	switch (node->type) {
	case CS_TYPE_NULL:
		return -ENODATA;
	case CS_TYPE_INT:
	case CS_TYPE_BOOL:
		if (node->integer == CS_INT_NULL)
			return -ENODATA;
		*value = (double)node->integer;
		return 0;
	case CS_TYPE_REAL:
		if (__builtin_isnan(node->real))
			return -ENODATA;
		*value = node->real;
		return 0;
	default:
		return -EINVAL;
	}
}

int cs_result_find(const struct cs_node *node, const char *path, double *value)
{
	while (node) {
		size_t length = strcspn(path, ".");
		const struct cs_node *child;

		if (node->type == CS_TYPE_STAT)
			return find_in_stat(&node->stat, path, value);
		if (node->type != CS_TYPE_OBJECT)
			return -ENOENT;
		for (child = node->children.first; child; child = child->next)
			if (is_key(child->key, path, length))
				break;
		if (!child)
			return -ENOENT;
		if (!path[length])
			return number_of(child, value);
		path += length + 1;
		node = child;
	}
	return -ENOENT;
}
