/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a person must know about a source: short sentences that a reader collects.
 */
#ifndef CS_USER_INPUT_NOTES_H
#define CS_USER_INPUT_NOTES_H

#include <stdint.h>

/* More than these would hide what matters; the last one says so. */
#define CS_NOTES_MAX 16

/**
 * struct cs_notes - sentences, for struct cs_source
 * @text: @count of them, allocated
 */
struct cs_notes {
	const char *text[CS_NOTES_MAX];
	uint32_t count;
};

/**
 * cs_notes_add - add a sentence
 * @notes: the sentences
 * @format: of printf(3); no newline. Control characters become '?'
 *
 * A sentence that is there already is not added again, nor one too many; without
 * memory none is added: a note never stops a reader.
 */
void cs_notes_add(struct cs_notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** cs_notes_fini - free all sentences. */
void cs_notes_fini(struct cs_notes *notes);

#endif
