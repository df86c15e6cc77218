/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole reads and writes of small files, and number formats for a person.
 * Nothing here knows what is in them.
 */
#ifndef CS_USER_RECORD_IO_H
#define CS_USER_RECORD_IO_H

#include <stddef.h>
#include <stdint.h>

/* Enough for what cs_io_count_text() and cs_io_size_text() write. */
#define CS_IO_TEXT 32

/**
 * cs_io_read - read a file of unknown size to its end
 * @path: the file; may be one of /proc or tracefs, whose size reads as 0
 * @data: result, with a NUL behind it; free with free()
 * @size: its bytes without the NUL; NULL is taken
 *
 * Return: 0 or -errno.
 */
int cs_io_read(const char *path, char **data, size_t *size);

/**
 * cs_io_pwrite - write all bytes at an offset
 * @fd: the file
 * @data: the bytes
 * @size: how many
 * @offset: where, bytes from the file's start
 *
 * Return: 0 or -errno.
 */
int cs_io_pwrite(int fd, const void *data, size_t size, uint64_t offset);

/**
 * cs_io_pread - read all bytes at an offset
 * @fd: the file
 * @data: room for them
 * @size: how many
 * @offset: where, bytes from the file's start
 *
 * Return: 0, -ENODATA when the file ends before, or -errno.
 */
int cs_io_pread(int fd, void *data, size_t size, uint64_t offset);

/**
 * cs_io_count_text - write a count with a comma every three digits
 * @count: the count
 * @text: at least CS_IO_TEXT bytes
 *
 * Return: @text.
 */
const char *cs_io_count_text(uint64_t count, char *text);

/**
 * cs_io_size_text - write a size as "512 B", "1.5 MB" (powers of 1000)
 * @bytes: the size, bytes
 * @text: at least CS_IO_TEXT bytes
 *
 * Return: @text.
 */
const char *cs_io_size_text(uint64_t bytes, char *text);

#endif
