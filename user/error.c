/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error messages: one printable line.
 */
#include "user/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int cs_error_set(struct cs_error *error, int code, const char *format, ...)
{
	va_list args;

	if (!error)
		return code;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	for (char *c = error->text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return code;
}
