/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Format files, line by line (kernel/trace/trace_events.c, f_show()).
 */
#include "user/input/format_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* A piece of the text. */
struct piece {
	const char *at;
	size_t length;
};

static bool begins(struct piece piece, const char *word)
{
	size_t length = strlen(word);

	return piece.length >= length && !memcmp(piece.at, word, length);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The decimal number behind @key in @line. */
static bool number_of(struct piece line, const char *key, uint32_t *value)
{
	const char *at = memmem(line.at, line.length, key, strlen(key));
	const char *end = line.at + line.length;
	uint64_t number = 0;

	if (!at)
		return false;
	at += strlen(key);
	if (at == end || !isdigit((unsigned char)*at))
		return false;
	for (; at < end && isdigit((unsigned char)*at); at++) {
		number = number * 10 + (*at - '0');
		if (number > INT32_MAX)
			return false;
	}
	*value = number;
	return true;
}

/* "char prev_comm[16]", "__data_loc char[] name", "unsigned long ip" */
static bool parse_declaration(struct cs_format_field *field, struct piece text)
{
	size_t end = text.length, begin;

	field->is_dynamic = begins(text, "__data_loc ") || begins(text, "__rel_loc ");
	field->is_relative = begins(text, "__rel_loc ");
	while (end && text.at[end - 1] == ' ')
		end--;
	if (end && text.at[end - 1] == ']') {
		while (end && text.at[end - 1] != '[')
			end--;
		end -= end > 0;
		field->is_array = true;
	}
	for (begin = end; begin && is_word(text.at[begin - 1]); begin--)
		;
	field->name = text.at + begin;
	field->name_length = end - begin;
	/* There is a type before the name. */
	return begin && begin < end;
}

static bool parse_field(struct cs_format_field *field, struct piece line)
{
	const char *colon = memchr(line.at, ':', line.length), *semicolon;
	struct piece text;
	uint32_t is_signed;

	memset(field, 0, sizeof(*field));
	if (!colon)
		return false;
	text.at = colon + 1;
	semicolon = memchr(text.at, ';', line.at + line.length - text.at);
	if (!semicolon)
		return false;
	text.length = semicolon - text.at;
	if (!parse_declaration(field, text))
		return false;

	line.length -= semicolon - line.at;
	line.at = semicolon;
	if (!number_of(line, "offset:", &field->offset) ||
	    !number_of(line, "size:", &field->size))
		return false;
	if (number_of(line, "signed:", &is_signed))
		field->is_signed = is_signed;
	else
		field->is_signed = !begins(text, "unsigned ") && !begins(text, "u");
	return true;
}

static struct piece take_line(struct piece *rest)
{
	const char *end = memchr(rest->at, '\n', rest->length);
	struct piece line = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
	size_t taken = line.length + (end ? 1 : 0);

	rest->at += taken;
	rest->length -= taken;
	return line;
}

int cs_format_text_parse(struct cs_format_text *format, const char *text, size_t length)
{
	struct piece rest = {text, length}, line;
	uint32_t id;

	format->name = NULL;
	format->name_length = 0;
	format->id = -1;
	format->count = 0;
	format->print = text + length;
	format->print_length = 0;
	while (rest.length) {
		line = take_line(&rest);
		if (begins(line, "name: ") && !format->name) {
			format->name = line.at + strlen("name: ");
			format->name_length = line.length - strlen("name: ");
		} else if (begins(line, "ID: ") && number_of(line, "ID: ", &id)) {
			format->id = id;
		} else if (begins(line, "\tfield")) {
			if (format->count < CS_FORMAT_TEXT_FIELDS &&
			    parse_field(&format->fields[format->count], line))
				format->count++;
		} else if (begins(line, "print fmt:")) {
			format->print = line.at + strlen("print fmt:");
			format->print_length = text + length - format->print;
			break;
		}
	}
	return format->name_length ? 0 : -EBADMSG;
}

const struct cs_format_field *cs_format_text_find(const struct cs_format_text *format,
						  const char *name)
{
	size_t length = strlen(name);

	for (uint32_t i = 0; i < format->count; i++)
		if (format->fields[i].name_length == length &&
		    !memcmp(format->fields[i].name, name, length))
			return &format->fields[i];
	return NULL;
}
