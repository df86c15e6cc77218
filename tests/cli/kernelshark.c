/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens a trace with KernelShark's library, as KernelShark does, and prints
 * how many entries it has. For record-kernelshark.sh.
 */
#include <libkshark-tepdata.h>
#include <libkshark.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct kshark_context *kshark = NULL;
	struct kshark_entry **rows = NULL;
	ssize_t count;
	ssize_t plain = 0;
	int stream;

	if (argc != 2 || !kshark_instance(&kshark))
		return 2;
	stream = kshark_open(kshark, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "%s: cannot be opened\n", argv[1]);
		return 1;
	}
	count = kshark_load_entries(kshark, stream, &rows);
	/* entries it makes up itself, for lost events, have negative numbers */
	for (ssize_t i = 0; i < count; i++) {
		plain += rows[i]->event_id >= 0;
		free(rows[i]);
	}
	free(rows);
	kshark_close(kshark, stream);
	kshark_free(kshark);
	printf("%zd\n", plain);
	return count > 0 ? 0 : 1;
}
