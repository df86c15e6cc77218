/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Findings of the checks, as a table of a result.
 */
#include "user/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cs_column columns[] = {
	{"status", "status", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"check", "check", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"found", "found", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"mend", "to mend it", CS_TYPE_OBJECT, CS_UNIT_NONE},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

void cs_doctor_begin(struct cs_doctor *doctor, struct cs_result *result)
{
	memset(doctor, 0, sizeof(*doctor));
	doctor->result = result;
	doctor->ready = true;
	doctor->table = cs_result_table(result, result->root, "checks",
					"What this system allows", columns, COLUMNS,
					UINT32_MAX);
}

void cs_doctor_found(struct cs_doctor *doctor, const char *check, enum cs_verdict verdict,
		     const char *mend, const char *format, ...)
{
	static const char *const verdicts[] = {
		[CS_OK] = "ok",
		[CS_WARNING] = "warning",
		[CS_MISSING] = "missing",
	};
	union cs_cell *row = cs_result_row(doctor->result, doctor->table);
	char found[512];
	va_list args;

	if (verdict == CS_MISSING)
		doctor->ready = false;
	doctor->warnings += verdict == CS_WARNING;
	if (!row)
		return;
	va_start(args, format);
	vsnprintf(found, sizeof(found), format, args);
	va_end(args);
	row[0].text = verdicts[verdict];
	row[1].text = check;
	row[2].text = cs_result_text(doctor->result, found);
	if (mend)
		row[3].node = cs_result_string(doctor->result, NULL, NULL, NULL, mend);
}

int cs_doctor_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	int err = 0;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	if (length < 0) {
		err = -errno;
		length = 0;
	}
	close(fd);
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return err;
}
