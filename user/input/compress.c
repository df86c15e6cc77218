/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zstd and zlib, each with one context for the whole file.
 */
#include "user/input/compress.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct cs_compress {
	ZSTD_DCtx *zstd;
	z_stream zlib;
	bool is_zlib;
};

struct cs_compress *cs_compress_new(const char *name)
{
	struct cs_compress *compress = calloc(1, sizeof(*compress));

	if (!compress)
		return NULL;
	if (!strcmp(name, "zstd")) {
		compress->zstd = ZSTD_createDCtx();
		if (compress->zstd)
			return compress;
		errno = ENOMEM;
	} else if (!strcmp(name, "zlib")) {
		compress->is_zlib = inflateInit(&compress->zlib) == Z_OK;
		if (compress->is_zlib)
			return compress;
		errno = ENOMEM;
	} else {
		errno = ENOTSUP;
	}
	free(compress);
	return NULL;
}

void cs_compress_free(struct cs_compress *compress)
{
	if (!compress)
		return;
	if (compress->is_zlib)
		inflateEnd(&compress->zlib);
	ZSTD_freeDCtx(compress->zstd);
	free(compress);
}

static int block_zlib(z_stream *zlib, const void *from, size_t from_size, void *to,
		      size_t to_size)
{
	if (from_size > UINT32_MAX || to_size > UINT32_MAX || inflateReset(zlib) != Z_OK)
		return -EBADMSG;
	zlib->next_in = (Bytef *)from;
	zlib->avail_in = from_size;
	zlib->next_out = to;
	zlib->avail_out = to_size;
	if (inflate(zlib, Z_FINISH) != Z_STREAM_END || zlib->avail_out)
		return -EBADMSG;
	return 0;
}

int cs_compress_block(struct cs_compress *compress, const void *from, size_t from_size,
		      void *to, size_t to_size)
{
	size_t got;

	if (compress->is_zlib)
		return block_zlib(&compress->zlib, from, from_size, to, to_size);
	got = ZSTD_decompressDCtx(compress->zstd, to, to_size, from, from_size);
	return ZSTD_isError(got) || got != to_size ? -EBADMSG : 0;
}
