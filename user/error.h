/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One line on what went wrong: made where it is found, printed once by the
 * command as "ctxsw: <text>".
 */
#ifndef CS_USER_ERROR_H
#define CS_USER_ERROR_H

/**
 * struct cs_error - a message
 * @text: "<noun>: <reason>[; <what to do>]", no newline; "" for none
 */
struct cs_error {
	char text[512];
};

/**
 * cs_error_set - fill a message
 * @error: the message; NULL is taken
 * @code: what to return: -errno
 * @format: of printf(3)
 *
 * Control characters in the text (of a file name, say) become '?'.
 *
 * Return: @code.
 */
int cs_error_set(struct cs_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
