/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report for people. Objects are sections, scalars are lines of label and
 * value, statistics that follow each other are one table, a table shows its
 * first rows. Nothing without a label or heading is shown.
 */
#include <string.h>

#include "user/output/format.h"
#include "user/output/render.h"

/* Longer lines of prose are hard to read. */
#define PROSE_WIDTH 100
#define STEP	    2  /* indentation of what belongs to a heading */
#define GAP	    2  /* between columns */
#define COLUMNS	    64 /* of one grid; more are not shown */
#define WRAP_MIN    24 /* narrower columns of prose are left out instead */
#define DEPTH_MAX   8  /* of sections; deeper ones get no further to the right */

/**
 * struct page - where the output stands
 * @out: the stream
 * @width: columns of a line
 * @pending: spaces that come before the next text of this line, if any does
 * @started: something has been written
 * @joined: the next block belongs to the heading just written
 * @live: see struct cs_render_options
 */
struct page {
	FILE *out;
	unsigned int width;
	unsigned int pending;
	bool started;
	bool joined;
	bool live;
};

/* A column as it is printed: of a table, or a member of a statistic. */
struct column {
	const struct cs_column *source; /* NULL: the label of a statistic */
	const struct cs_stat_member *member;
	const char *heading;
	uint32_t index;
	unsigned int width;
	uint8_t rank; /* the higher, the sooner it is left out; 0: see fit() */
	bool right;
	bool shown;
	bool wrapped; /* prose: it goes on below itself */
};

/**
 * struct grid - rows of cells that line up
 * @cell: fills the value of a row and column
 * @detail: prints what belongs below a row; may be NULL
 * @rows: rows to print
 * @indent: columns before it
 * @lead: stands before the first row, the others are moved as far; may be NULL
 * @headings: whether to print them
 * @gap: spaces between columns
 */
struct grid {
	const struct cs_node *node;
	void (*cell)(const struct grid *grid, uint32_t row, const struct column *column,
		     struct cs_value *value);
	void (*detail)(struct page *page, const struct grid *grid, uint32_t row);
	struct column columns[COLUMNS];
	unsigned int columns_count;
	uint32_t rows;
	unsigned int indent;
	const char *lead;
	bool headings;
	unsigned int gap;
};

/*
 * Which members of a statistic a person sees, in this order, and which of them
 * go first where the line is short.
 */
static const struct {
	const char *key;
	uint8_t rank;
	bool in_tables;
} members[] = {
	{"count", 0, true},	{"min_ns", 4, false}, {"mean_ns", 2, true},
	{"p50_ns", 3, true},	{"p90_ns", 6, false}, {"p99_ns", 1, true},
	{"p99_9_ns", 5, false}, {"max_ns", 0, true},
};

static void put_children(struct page *page, const struct cs_node *parent,
			 unsigned int indent, unsigned int depth);

/* ---- lines ---------------------------------------------------------------------- */

/* Spaces are written when something follows them: no line ends in one. */
static void put(struct page *page, const char *text, unsigned int length)
{
	unsigned int body = length;

	while (body && text[body - 1] == ' ')
		body--;
	if (body) {
		fprintf(page->out, "%*s%.*s", (int)page->pending, "", (int)body, text);
		page->pending = 0;
		page->joined = false;
		page->started = true;
	}
	page->pending += length - body;
}

static void put_string(struct page *page, const char *text)
{
	put(page, text, (unsigned int)strlen(text));
}

static void end_line(struct page *page)
{
	fputc('\n', page->out);
	page->pending = 0;
}

/* Blocks stand apart by an empty line. */
static void begin_block(struct page *page)
{
	if (page->started && !page->joined)
		end_line(page);
	page->joined = false;
}

static void put_repeated(struct page *page, char c, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		put(page, &c, 1);
}

static unsigned int shown_length(const char *text, unsigned int bytes)
{
	unsigned int length = 0;
	char escaped[8];

	for (unsigned int i = 0; i < bytes; i++)
		length += cs_format_escape(text[i], escaped);
	return length;
}

static void put_shown(struct page *page, const char *text, unsigned int bytes)
{
	char escaped[8];

	for (unsigned int i = 0; i < bytes; i++)
		put(page, escaped, cs_format_escape(text[i], escaped));
}

/*
 * Words, wrapped at @width. The line already holds @column characters; the
 * following ones begin at @indent. @escaped: the text is printable already.
 */
static void put_words(struct page *page, const char *text, unsigned int column,
		      unsigned int indent, unsigned int width, bool escaped)
{
	bool first = true;

	while (*(text += strspn(text, " \n"))) {
		unsigned int bytes = (unsigned int)strcspn(text, " \n");
		unsigned int length = escaped ? bytes : shown_length(text, bytes);

		if (!first && column + 1 + length > width) {
			end_line(page);
			page->pending = indent;
			column = indent;
		} else if (!first) {
			page->pending++;
			column++;
		}
		if (escaped)
			put(page, text, bytes);
		else
			put_shown(page, text, bytes);
		column += length;
		text += bytes;
		first = false;
	}
}

static void put_prose(struct page *page, const char *text, unsigned int column,
		      unsigned int indent)
{
	unsigned int width = page->width < PROSE_WIDTH ? page->width : PROSE_WIDTH;

	put_words(page, text, column, indent, width, false);
}

/* A cell of prose, which begins at @column. */
static void put_wrapped(struct page *page, const char *text, unsigned int column)
{
	put_words(page, text, column, column, page->width, true);
}

static void put_heading(struct page *page, const char *label, unsigned int indent,
			unsigned int depth)
{
	begin_block(page);
	page->pending = indent;
	put_shown(page, label, (unsigned int)strlen(label));
	end_line(page);
	if (depth <= 1) {
		put_repeated(page, '=', shown_length(label, (unsigned int)strlen(label)));
		end_line(page);
	}
	page->joined = true;
}

/* ---- grids ---------------------------------------------------------------------- */

static const struct cs_stat_member *member_of(const char *key)
{
	for (const struct cs_stat_member *m = cs_stat_members; m->key; m++)
		if (!strcmp(m->key, key))
			return m;
	return NULL;
}

static void add_column(struct grid *grid, struct column column)
{
	if (grid->columns_count == COLUMNS)
		return;
	column.shown = true;
	grid->columns[grid->columns_count++] = column;
}

static void add_members(struct grid *grid, const struct cs_column *source, uint32_t index)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct cs_stat_member *m = member_of(members[i].key);

		if (source && !members[i].in_tables)
			continue;
		add_column(grid, (struct column){.source = source,
						 .index = index,
						 .member = m,
						 .heading = m->heading,
						 .rank = members[i].rank,
						 .right = true});
	}
}

static void stat_value(const struct cs_stat *stat, const struct cs_stat_member *member,
		       struct cs_value *value)
{
	bool count = member == cs_stat_members;
	int64_t number = CS_INT_NULL;

	if (stat && (count || stat->count))
		memcpy(&number, (const char *)stat + member->offset, sizeof(number));
	cs_format_int(value, count ? CS_UNIT_COUNT : CS_UNIT_NS, number, true);
}

static void measure(struct grid *grid)
{
	struct cs_value value;

	for (unsigned int i = 0; i < grid->columns_count; i++) {
		struct column *column = &grid->columns[i];

		column->width = grid->headings ? (unsigned int)strlen(column->heading)
					       : 0;
		for (uint32_t row = 0; row < grid->rows; row++) {
			grid->cell(grid, row, column, &value);
			if (value.length > column->width)
				column->width = value.length;
		}
	}
}

static unsigned int total_width(const struct grid *grid)
{
	unsigned int width = grid->indent +
			     (grid->lead ? (unsigned int)strlen(grid->lead) : 0);
	bool first = true;

	for (unsigned int i = 0; i < grid->columns_count; i++) {
		if (!grid->columns[i].shown)
			continue;
		width += grid->columns[i].width + (first ? 0 : grid->gap);
		first = false;
	}
	return width;
}

/* The last column may be prose, which can be wrapped instead of left out. */
static bool wrap(const struct page *page, const struct grid *grid, struct column *last)
{
	unsigned int excess = total_width(grid) - page->width;

	if (!last->source || last->source->type != CS_TYPE_TEXT ||
	    last->width < excess + WRAP_MIN)
		return false;
	last->width -= excess;
	last->wrapped = true;
	return true;
}

/*
 * Leaves out members of statistics by rank; then narrows the gaps, if that makes
 * room for all that is left; else leaves out columns from the right.
 */
static void fit(struct page *page, struct grid *grid)
{
	bool narrowed = false;

	grid->gap = GAP;
	if (total_width(grid) <= page->width ||
	    wrap(page, grid, &grid->columns[grid->columns_count - 1]))
		return;
	while (total_width(grid) > page->width) {
		struct column *victim = NULL;

		for (unsigned int i = 1; i < grid->columns_count; i++) {
			struct column *column = &grid->columns[i];

			if (column->shown && (!victim || column->rank >= victim->rank))
				victim = column;
		}
		if (!victim)
			return;
		if (!victim->rank && !narrowed) {
			narrowed = true;
			grid->gap = 1;
			if (total_width(grid) <= page->width)
				return;
			grid->gap = GAP;
		}
		victim->shown = false;
	}
}

static void put_cell(struct page *page, const struct column *column, const char *text,
		     unsigned int length)
{
	unsigned int room = column->width > length ? column->width - length : 0;

	if (column->right)
		page->pending += room;
	put(page, text, length);
	if (!column->right)
		page->pending += room;
}

/* Names of statistics above their members: "--- wakeup ---". */
static void put_groups(struct page *page, const struct grid *grid)
{
	bool any = false;

	for (unsigned int i = 0; i < grid->columns_count; i++) {
		const struct column *column = &grid->columns[i];

		any = any || (column->shown && column->member && column->source &&
			      *column->source->heading);
	}
	if (!any)
		return;
	page->pending = grid->indent;
	for (unsigned int i = 0; i < grid->columns_count;) {
		const struct column *column = &grid->columns[i];
		unsigned int span = 0, name;

		for (;
		     i < grid->columns_count && grid->columns[i].source == column->source;
		     i++)
			if (grid->columns[i].shown)
				span += grid->columns[i].width + (span ? grid->gap : 0);
		if (!span)
			continue;
		name = column->member && column->source
			       ? (unsigned int)strlen(column->source->heading)
			       : 0;
		if (name && name + 4 <= span) {
			put_repeated(page, '-', (span - name - 2) / 2);
			page->pending++;
			put(page, column->source->heading, name);
			page->pending++;
			put_repeated(page, '-', span - name - 2 - (span - name - 2) / 2);
		} else if (name) {
			name = name < span ? name : span;
			put(page, column->source->heading, name);
			page->pending += span - name;
		} else {
			page->pending += span;
		}
		page->pending += grid->gap;
	}
	end_line(page);
}

static void put_grid(struct page *page, struct grid *grid)
{
	struct cs_value value;
	unsigned int lead = grid->lead ? (unsigned int)strlen(grid->lead) : 0;

	measure(grid);
	fit(page, grid);
	if (grid->headings) {
		put_groups(page, grid);
		page->pending = grid->indent;
		for (unsigned int i = 0; i < grid->columns_count; i++) {
			const struct column *column = &grid->columns[i];

			if (!column->shown)
				continue;
			put_cell(page, column, column->heading,
				 (unsigned int)strlen(column->heading));
			page->pending += grid->gap;
		}
		end_line(page);
	}
	for (uint32_t row = 0; row < grid->rows; row++) {
		page->pending = grid->indent;
		if (!row && lead)
			put(page, grid->lead, lead);
		else
			page->pending += lead;
		for (unsigned int i = 0; i < grid->columns_count; i++) {
			const struct column *column = &grid->columns[i];

			if (!column->shown)
				continue;
			grid->cell(grid, row, column, &value);
			if (column->wrapped)
				put_wrapped(page, value.text,
					    total_width(grid) - column->width);
			else
				put_cell(page, column, value.text, value.length);
			page->pending += grid->gap;
		}
		end_line(page);
		if (grid->detail)
			grid->detail(page, grid, row);
	}
}

/* ---- tables --------------------------------------------------------------------- */

static const union cs_cell *cell_at(const struct cs_node *table, uint32_t row,
				    uint32_t column)
{
	return &table->table.cells[(size_t)row * table->table.columns_count + column];
}

static void table_cell(const struct grid *grid, uint32_t row, const struct column *column,
		       struct cs_value *value)
{
	const union cs_cell *cell = cell_at(grid->node, row, column->index);

	switch (column->source->type) {
	case CS_TYPE_BOOL:
		cs_format_bool(value, cell->integer);
		break;
	case CS_TYPE_INT:
		cs_format_int(value, column->source->unit, cell->integer, true);
		break;
	case CS_TYPE_REAL:
		cs_format_real(value, cell->real);
		break;
	case CS_TYPE_STAT:
		stat_value(cell->stat, column->member, value);
		break;
	default:
		cs_format_text(value, cell->text);
	}
}

static bool is_scalar(const struct cs_node *node)
{
	return node->type <= CS_TYPE_TEXT;
}

static bool is_scalar_list(const struct cs_node *node)
{
	if (node->type != CS_TYPE_LIST)
		return false;
	for (const struct cs_node *child = node->children.first; child;
	     child = child->next)
		if (!is_scalar(child))
			return false;
	return true;
}

static void scalar_value(const struct cs_node *node, struct cs_value *value)
{
	switch (node->type) {
	case CS_TYPE_BOOL:
		cs_format_bool(value, node->integer);
		break;
	case CS_TYPE_INT:
		cs_format_int(value, node->unit, node->integer, false);
		break;
	case CS_TYPE_REAL:
		cs_format_real(value, node->real);
		break;
	case CS_TYPE_TEXT:
		cs_format_text(value, node->text);
		break;
	default:
		cs_format_text(value, NULL);
	}
}

static void put_scalar_list(struct page *page, const struct cs_node *list,
			    unsigned int column, unsigned int indent)
{
	struct cs_value value;
	bool first = true;

	for (const struct cs_node *child = list->children.first; child;
	     child = child->next) {
		unsigned int comma = child->next ? 1 : 0;

		scalar_value(child, &value);
		if (!first && column + 1 + value.length + comma > page->width) {
			end_line(page);
			page->pending = indent;
			column = indent;
		} else if (!first) {
			page->pending++;
			column++;
		}
		put(page, value.text, value.length);
		put(page, ",", comma);
		column += value.length + comma;
		first = false;
	}
	if (first)
		put_string(page, "none");
}

static void table_columns(struct grid *grid)
{
	for (uint32_t i = 0; i < grid->node->table.columns_count; i++) {
		const struct cs_column *source = &grid->node->table.columns[i];

		if (!source->heading)
			continue;
		if (source->type == CS_TYPE_STAT)
			add_members(grid, source, i);
		else if (source->type <= CS_TYPE_TEXT)
			add_column(
				grid,
				(struct column){.source = source,
						.index = i,
						.heading = source->heading,
						.right = source->type == CS_TYPE_REAL ||
							 (source->type == CS_TYPE_INT &&
							  source->unit != CS_UNIT_PRIO)});
	}
}

static uint32_t rows_of(const struct cs_node *table)
{
	return table->table.rows_count < table->table.rows_shown
		       ? table->table.rows_count
		       : table->table.rows_shown;
}

static void put_more(struct page *page, const struct cs_node *table, unsigned int indent)
{
	int64_t more = (int64_t)table->table.rows_count + table->table.rows_left -
		       rows_of(table);
	struct cs_value value;

	if (!more)
		return;
	cs_format_int(&value, CS_UNIT_COUNT, more, false);
	page->pending = indent;
	put(page, value.text, value.length);
	put_string(page, page->live ? " more" : " more (all of them: -f json)");
	end_line(page);
}

/* A text, list or table that belongs to one row, after the name of its column. */
static void put_detail_node(struct page *page, const char *heading,
			    const struct cs_node *node, unsigned int indent)
{
	char lead[64];
	unsigned int length;

	snprintf(lead, sizeof(lead), "%s%s", heading, *heading ? ": " : "");
	length = (unsigned int)strlen(lead);
	if (node->type == CS_TYPE_TEXT && node->text) {
		page->pending = indent;
		put(page, lead, length);
		put_prose(page, node->text, indent + length, indent + length);
		end_line(page);
	} else if (is_scalar_list(node) && node->children.first) {
		page->pending = indent;
		put(page, lead, length);
		put_scalar_list(page, node, indent + length, indent + length);
		end_line(page);
	} else if (node->type == CS_TYPE_TABLE && node->table.rows_count) {
		struct grid grid = {
			.node = node,
			.cell = table_cell,
			.rows = rows_of(node),
			.indent = indent,
			.lead = lead,
		};

		table_columns(&grid);
		put_grid(page, &grid);
		put_more(page, node, indent + length);
	}
}

static void table_detail(struct page *page, const struct grid *grid, uint32_t row)
{
	for (uint32_t i = 0; i < grid->node->table.columns_count; i++) {
		const struct cs_column *source = &grid->node->table.columns[i];
		const union cs_cell *cell = cell_at(grid->node, row, i);

		if (source->heading && source->type >= CS_TYPE_OBJECT && cell->node)
			put_detail_node(page, source->heading, cell->node,
					grid->indent + 2 * STEP);
	}
}

/* Which columns did not fit; missing members of statistics go without saying. */
static void put_left_out(struct page *page, const struct grid *grid)
{
	char text[1024] = "too wide to show here:";
	size_t length = strlen(text);
	bool any = false;

	for (unsigned int i = 0; i < grid->columns_count; i++) {
		const struct column *column = &grid->columns[i];

		if (column->shown || column->member)
			continue;
		if (length < sizeof(text))
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "%s %s", any ? "," : "",
						   column->heading);
		any = true;
	}
	if (!any)
		return;
	page->pending = grid->indent;
	put_words(page, text, grid->indent, grid->indent, page->width, true);
	end_line(page);
}

static void put_table(struct page *page, const struct cs_node *node, unsigned int indent,
		      unsigned int depth)
{
	struct grid grid = {
		.node = node,
		.cell = table_cell,
		.detail = table_detail,
		.rows = rows_of(node),
		.indent = indent + STEP,
		.headings = true,
	};

	put_heading(page, node->label, indent, depth);
	if (!node->table.rows_count) {
		page->pending = indent + STEP;
		put_string(page, "none");
		end_line(page);
		return;
	}
	table_columns(&grid);
	if (grid.rows)
		put_grid(page, &grid);
	put_left_out(page, &grid);
	put_more(page, node, grid.indent);
}

/* ---- runs of siblings ----------------------------------------------------------- */

enum shape { SKIPPED, NOTE, LINE, STAT, SECTION };

static bool has_content(const struct cs_node *node);

static enum shape shape_of(const struct cs_node *node)
{
	if (node->type == CS_TYPE_NOTE)
		return node->text ? NOTE : SKIPPED;
	if (!node->label)
		return SKIPPED;
	if (is_scalar(node) || is_scalar_list(node))
		return LINE;
	if (node->type == CS_TYPE_STAT)
		return STAT;
	return has_content(node) ? SECTION : SKIPPED;
}

static bool has_content(const struct cs_node *node)
{
	if (node->type != CS_TYPE_OBJECT)
		return true;
	for (const struct cs_node *child = node->children.first; child;
	     child = child->next)
		if (shape_of(child) != SKIPPED)
			return true;
	return false;
}

/* The next sibling of the same shape with only skipped ones between, or NULL. */
static const struct cs_node *next_of_run(const struct cs_node *node)
{
	enum shape shape = shape_of(node);

	for (node = node->next; node; node = node->next) {
		enum shape other = shape_of(node);

		if (other == shape)
			return node;
		if (other != SKIPPED)
			return NULL;
	}
	return NULL;
}

static void put_notes(struct page *page, const struct cs_node *first, unsigned int indent)
{
	begin_block(page);
	for (const struct cs_node *node = first; node; node = next_of_run(node)) {
		page->pending = indent;
		put_prose(page, node->text, indent, indent);
		end_line(page);
	}
}

static void put_lines(struct page *page, const struct cs_node *first, unsigned int indent)
{
	unsigned int labels = 0, numbers = 0;
	bool texts = false;
	struct cs_value value;

	for (const struct cs_node *node = first; node; node = next_of_run(node)) {
		unsigned int length = shown_length(node->label,
						   (unsigned int)strlen(node->label));

		if (length > labels)
			labels = length;
		if (!is_scalar(node)) {
			texts = true;
			continue;
		}
		scalar_value(node, &value);
		texts = texts || node->type == CS_TYPE_TEXT;
		if (value.right && value.length > numbers)
			numbers = value.length;
	}
	labels += GAP;
	begin_block(page);
	for (const struct cs_node *node = first; node; node = next_of_run(node)) {
		unsigned int bytes = (unsigned int)strlen(node->label);

		page->pending = indent;
		put_shown(page, node->label, bytes);
		page->pending += labels - shown_length(node->label, bytes);
		if (!is_scalar(node)) {
			put_scalar_list(page, node, indent + labels, indent + labels);
			end_line(page);
			continue;
		}
		scalar_value(node, &value);
		/* Numbers among texts begin where the texts do. */
		if (value.right && !texts)
			page->pending += numbers - value.length;
		if (node->type == CS_TYPE_TEXT && node->text && *node->text) {
			put_prose(page, node->text, indent + labels, indent + labels);
		} else {
			put(page, value.text, value.length);
		}
		end_line(page);
	}
}

static void stat_cell(const struct grid *grid, uint32_t row, const struct column *column,
		      struct cs_value *value)
{
	const struct cs_node *node = grid->node;

	while (row--)
		node = next_of_run(node);
	if (column->member)
		stat_value(&node->stat, column->member, value);
	else
		cs_format_text(value, node->label);
}

static void put_stats(struct page *page, const struct cs_node *first, unsigned int indent)
{
	struct grid grid = {
		.node = first,
		.cell = stat_cell,
		.indent = indent,
		.headings = true,
	};

	for (const struct cs_node *node = first; node; node = next_of_run(node))
		grid.rows++;
	add_column(&grid, (struct column){.heading = ""});
	add_members(&grid, NULL, 0);
	begin_block(page);
	put_grid(page, &grid);
}

static void put_section(struct page *page, const struct cs_node *node,
			unsigned int indent, unsigned int depth)
{
	unsigned int inside = indent + (depth < DEPTH_MAX ? STEP : 0);

	if (node->type == CS_TYPE_TABLE) {
		put_table(page, node, indent, depth);
		return;
	}
	put_heading(page, node->label, indent, depth);
	if (node->type == CS_TYPE_OBJECT) {
		put_children(page, node, inside, depth + 1);
		return;
	}
	for (const struct cs_node *child = node->children.first; child;
	     child = child->next) {
		if (child->type == CS_TYPE_OBJECT && child->label)
			put_section(page, child, inside, depth + 1);
		else if (child->type == CS_TYPE_OBJECT)
			put_children(page, child, inside, depth + 1);
	}
}

static void put_children(struct page *page, const struct cs_node *parent,
			 unsigned int indent, unsigned int depth)
{
	const struct cs_node *node = parent->children.first;

	while (node) {
		enum shape shape = shape_of(node);

		switch (shape) {
		case NOTE:
			put_notes(page, node, indent);
			break;
		case LINE:
			put_lines(page, node, indent);
			break;
		case STAT:
			put_stats(page, node, indent);
			break;
		case SECTION:
			put_section(page, node, indent, depth);
			break;
		default:
			break;
		}
		if (shape != SKIPPED && shape != SECTION)
			for (const struct cs_node *next; (next = next_of_run(node));
			     node = next)
				;
		node = node->next;
	}
}

static void render(const struct cs_result *result,
		   const struct cs_render_options *options, FILE *out)
{
	struct page page = {
		.out = out,
		.live = options && options->live,
		.width = options && options->width ? options->width : CS_RENDER_WIDTH,
	};

	if (result->root->label)
		put_heading(&page, result->root->label, 0, 1);
	put_children(&page, result->root, 0, 1);
}

const struct cs_renderer cs_renderer_text = {
	.name = "text",
	.render = render,
};
