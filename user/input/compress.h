/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decompression of the blocks of a trace.dat version 7.
 */
#ifndef CS_USER_INPUT_COMPRESS_H
#define CS_USER_INPUT_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

struct cs_compress;

/**
 * cs_compress_new - a decompressor, to be used for any number of blocks
 * @name: the method as the file's header names it: "zstd", "zlib"
 *
 * Return: the decompressor; NULL with errno ENOTSUP (method not known) or ENOMEM.
 */
struct cs_compress *cs_compress_new(const char *name);

/** cs_compress_free - free it; NULL is taken. */
void cs_compress_free(struct cs_compress *compress);

/**
 * cs_compress_block - decompress one block
 * @compress: the decompressor
 * @from: compressed bytes
 * @from_size: how many
 * @to: room for the result
 * @to_size: how many bytes the result has to have
 *
 * Return: 0; -EBADMSG when the block is damaged or gives another size.
 */
int cs_compress_block(struct cs_compress *compress, const void *from, size_t from_size,
		      void *to, size_t to_size);

#endif
