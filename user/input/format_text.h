/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of one event's format file, as events/SYSTEM/EVENT/format prints it: its id
 * and its fields. Parsed here and not by libtraceevent, which leaks memory on damaged
 * ones and parses print formats that nobody needs.
 */
#ifndef CS_USER_INPUT_FORMAT_TEXT_H
#define CS_USER_INPUT_FORMAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No event has so many fields; those beyond are not seen. */
#define CS_FORMAT_TEXT_FIELDS 96

/**
 * struct cs_format_field - one field, as the kernel declares it
 * @name: its name; @name_length bytes of the text, no NUL
 * @offset: in the record
 * @size: bytes; 0: it goes on to the record's end
 * @is_signed: a number that can be negative
 * @is_array: declared with [...]
 * @is_dynamic: __data_loc or __rel_loc: a word that tells where the text is
 * @is_relative: __rel_loc: from the end of that word
 */
struct cs_format_field {
	const char *name;
	size_t name_length;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	bool is_array;
	bool is_dynamic;
	bool is_relative;
};

/**
 * struct cs_format_text - one event
 * @name: its name; @name_length bytes of the text, no NUL
 * @id: its id; -1 where there is none
 * @fields: @count of them
 * @print: what follows "print fmt:"; @print_length bytes
 */
struct cs_format_text {
	const char *name;
	size_t name_length;
	int32_t id;
	uint32_t count;
	struct cs_format_field fields[CS_FORMAT_TEXT_FIELDS];
	const char *print;
	size_t print_length;
};

/**
 * cs_format_text_parse - parse a format file
 * @format: result; points into @text
 * @text: the file; need not end with NUL
 * @length: bytes of it
 *
 * Lines that are no fields are skipped, and fields that make no sense. A format of an
 * old kernel without "signed:" is signed where the type is.
 *
 * Return: 0, -EBADMSG when it has no name.
 */
int cs_format_text_parse(struct cs_format_text *format, const char *text, size_t length);

/** cs_format_text_find - a field by its name, or NULL. */
const struct cs_format_field *cs_format_text_find(const struct cs_format_text *format,
						  const char *name);

#endif
