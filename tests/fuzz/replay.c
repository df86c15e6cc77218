// SPDX-License-Identifier: GPL-2.0
/*
 * A main() for fuzz harnesses without a fuzzer: gives each named file to the harness
 * once, so that stored cases are tests in every flavour, also where libFuzzer is absent.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, room = 0, got;

	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	do {
		if (size == room) {
			uint8_t *more = realloc(data, room += 65536);

			if (!more)
				abort();
			data = more;
		}
		got = fread(data + size, 1, room - size, file);
		size += got;
	} while (got);
	fclose(file);

	/* A copy of the exact size: reading one byte too far is then seen. */
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	memcpy(exact, data, size);
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	printf("%d cases replayed\n", argc - 1);
	return failed;
}
