/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this system allows: checks that look, and try where looking is not
 * enough. Nothing that they do outlives them.
 */
#ifndef CS_USER_DOCTOR_DOCTOR_H
#define CS_USER_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/result.h"

enum cs_verdict {
	CS_OK,
	CS_WARNING, /* works, but a measurement may suffer, or something is not there */
	CS_MISSING, /* ctxsw cannot work without it */
};

/**
 * struct cs_doctor - checks under way
 * @result: where the findings go
 * @table: of the findings
 * @ready: whether recording is possible, as far as is known
 * @warnings: how many findings are no CS_OK
 */
struct cs_doctor {
	struct cs_result *result;
	struct cs_node *table;
	bool ready;
	unsigned int warnings;
};

/**
 * cs_doctor_begin - make the table of findings
 * @doctor: filled
 * @result: it goes below this one's root
 */
void cs_doctor_begin(struct cs_doctor *doctor, struct cs_result *result);

/**
 * cs_doctor_found - note one finding
 * @doctor: the checks
 * @check: key of the check; a constant
 * @verdict: what it means
 * @mend: how to mend it, or NULL
 * @format: what was found; as of printf(3)
 */
void cs_doctor_found(struct cs_doctor *doctor, const char *check, enum cs_verdict verdict,
		     const char *mend, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/**
 * cs_doctor_read - first line of a small file
 * @path: the file
 * @text: filled; "" on failure
 * @size: of @text
 *
 * Return: 0 or -errno.
 */
int cs_doctor_read(const char *path, char *text, size_t size);

/** cs_doctor_tracing - tracefs, events, clocks, and whether events really arrive. */
void cs_doctor_tracing(struct cs_doctor *doctor);

/** cs_doctor_system - privileges, real-time settings, the module, clocks. */
void cs_doctor_system(struct cs_doctor *doctor);

#endif
