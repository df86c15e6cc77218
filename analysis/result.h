/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A result: a tree of named values that every renderer can show. Keys are for
 * machines (doc/json.md), labels and notes for people. A value without a label
 * is for machines only; a note is for people only.
 */
#ifndef CS_ANALYSIS_RESULT_H
#define CS_ANALYSIS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/hist.h"

enum cs_type {
	CS_TYPE_NULL,
	CS_TYPE_BOOL,
	CS_TYPE_INT,
	CS_TYPE_REAL,
	CS_TYPE_TEXT,
	CS_TYPE_STAT,	/* struct cs_stat */
	CS_TYPE_OBJECT, /* named children */
	CS_TYPE_LIST,	/* children without names, of one type */
	CS_TYPE_TABLE,	/* rows that share columns */
	CS_TYPE_NOTE,	/* a sentence for people; no key */
};

/* How a person sees a number. */
enum cs_unit {
	CS_UNIT_NONE,
	CS_UNIT_COUNT,
	CS_UNIT_NS,   /* a duration */
	CS_UNIT_TIME, /* a time of the trace clock, ns */
	CS_UNIT_PRIO, /* a kernel priority */
	CS_UNIT_PID,
	CS_UNIT_CPU,
};

/* An integer that is null. */
#define CS_INT_NULL INT64_MIN

struct cs_node;

/**
 * struct cs_column - one column of a table
 * @key: its key in each row's object
 * @heading: for people; NULL: for machines only
 * @type: BOOL, INT, REAL, TEXT, STAT, or OBJECT for any node (LIST, TABLE too)
 * @unit: of an INT
 */
struct cs_column {
	const char *key;
	const char *heading;
	enum cs_type type;
	enum cs_unit unit;
};

/* One cell; which member is valid says the column. A NULL pointer is null. */
union cs_cell {
	int64_t integer; /* INT, BOOL; CS_INT_NULL is null */
	double real;	 /* NaN is null */
	const char *text;
	const struct cs_stat *stat;
	struct cs_node *node;
};

/**
 * struct cs_node - a value
 * @key: NULL for the root, in lists and for notes
 * @label: for people; NULL: for machines only
 * @next: next sibling
 * @type: enum cs_type, says which member of the union is valid
 * @unit: of an INT
 */
struct cs_node {
	const char *key;
	const char *label;
	struct cs_node *next;
	enum cs_type type;
	enum cs_unit unit;
	union {
		int64_t integer;
		double real;
		const char *text;
		struct cs_stat stat;
		struct {
			struct cs_node *first;
			struct cs_node *last;
		} children;
		struct {
			const struct cs_column *columns;
			union cs_cell *cells; /* row by row */
			uint32_t columns_count;
			uint32_t rows_count;
			uint32_t rows_room;
			/* rows that people see; the rest is counted */
			uint32_t rows_shown;
			/* rows there are beyond those in @cells */
			uint32_t rows_left;
		} table;
	};
};

/**
 * struct cs_result - a tree and its memory
 * @root: an OBJECT
 * @failed: memory ran out while it was built: it must not be shown
 */
struct cs_result {
	struct cs_node *root;
	bool failed;
	struct cs_block *blocks;
};

/** cs_result_init - an empty result; @failed is set where memory is short. */
void cs_result_init(struct cs_result *result);

/** cs_result_fini - free the tree. */
void cs_result_fini(struct cs_result *result);

/** cs_result_text - a copy of @text that lives as long as the result; NULL for NULL. */
const char *cs_result_text(struct cs_result *result, const char *text);

/** cs_result_stat - the statistics of @hist, living as long as the result. */
const struct cs_stat *cs_result_stat(struct cs_result *result,
				     const struct cs_hist *hist);

/*
 * Adding values. @parent is an OBJECT or a LIST (then @key is NULL); a NULL
 * parent makes a node that stands in a table's cell. Keys, labels and columns
 * are kept as pointers, texts are copied. Each returns the node; when memory
 * is short NULL, which every function here takes as parent, and @failed is set.
 */
struct cs_node *cs_result_object(struct cs_result *result, struct cs_node *parent,
				 const char *key, const char *label);
struct cs_node *cs_result_list(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label);
struct cs_node *cs_result_table(struct cs_result *result, struct cs_node *parent,
				const char *key, const char *label,
				const struct cs_column *columns, uint32_t columns_count,
				uint32_t rows_shown);
struct cs_node *cs_result_null(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label);
struct cs_node *cs_result_bool(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label, bool value);
struct cs_node *cs_result_int(struct cs_result *result, struct cs_node *parent,
			      const char *key, const char *label, enum cs_unit unit,
			      int64_t value);
struct cs_node *cs_result_real(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label, double value);
struct cs_node *cs_result_string(struct cs_result *result, struct cs_node *parent,
				 const char *key, const char *label, const char *text);
struct cs_node *cs_result_hist(struct cs_result *result, struct cs_node *parent,
			       const char *key, const char *label,
			       const struct cs_hist *hist);
struct cs_node *cs_result_note(struct cs_result *result, struct cs_node *parent,
			       const char *text);

/**
 * cs_result_row - a new row of a table
 * @result: the result
 * @table: the table, or NULL
 *
 * Return: its cells, one for each column, all null; valid until the next row.
 * NULL when memory is short.
 */
union cs_cell *cs_result_row(struct cs_result *result, struct cs_node *table);

/**
 * cs_result_find - the value at a path such as "latency.wakeup.max_ns"
 * @node: where to begin
 * @path: keys with dots between them; the last may name a member of a STAT
 * @value: the number found
 *
 * Return: 0; -ENOENT when there is no such value; -EINVAL when it is no
 * number; -ENODATA when it is null.
 */
int cs_result_find(const struct cs_node *node, const char *path, double *value);

/** cs_stat_members - names and offsets of a statistic's members, in order,
 * ended by a NULL key; the first is "count". */
struct cs_stat_member {
	const char *key;
	const char *heading;
	size_t offset;
};
extern const struct cs_stat_member cs_stat_members[];

#endif
