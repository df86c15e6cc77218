// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of one page, of either byte order and long, through walk and decoder.
 * The first byte of a case says which; the next may be the id of the decoded events.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/input/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMON                                                                 \
	"format:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct {
	const char *system;
	const char *text;
} events[] = {
	{"sched",
	 "name: sched_switch\nID: 1\n" COMMON
	 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	 "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	 "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	 "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	 "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	 "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	 "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	 "\nprint fmt: \"\", __print_flags(REC->prev_state, \"|\", { 1, \"S\" }) , "
	 "REC->prev_state & 2 ? \"+\" : \"\"\n"},
	{"sched", "name: sched_waking\nID: 2\n" COMMON
		  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		  "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"\"\n"},
	{"sched", "name: sched_pi_setprio\nID: 3\n" COMMON
		  "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
		  "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		  "\tfield:int oldprio;\toffset:16;\tsize:4;\tsigned:1;\n"
		  "\tfield:int newprio;\toffset:20;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"\"\n"},
	{"irq", "name: irq_handler_entry\nID: 4\n" COMMON
		"\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:__rel_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"\"\n"},
	{"ftrace", "name: print\nID: 5\n" COMMON
		   "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"
		   "\nprint fmt: \"\"\n"},
	{"task", "name: task_newtask\nID: 6\n" COMMON
		 "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:char comm[8];\toffset:12;\tsize:8;\tsigned:0;\n"
		 "\tfield:u64 clone_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
		 "\nprint fmt: \"\"\n"},
};

static struct cs_format *format_of(bool big, bool wide)
{
	struct cs_format *format = cs_format_new(big);
	struct cs_notes notes = {0};
	struct cs_error error;

	if (!format)
		abort();
	format->layout.size = 4096;
	format->layout.commit = 8;
	format->layout.commit_size = wide ? 8 : 4;
	format->layout.data = wide ? 16 : 12;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (cs_format_add(format, events[i].system, events[i].text,
				  strlen(events[i].text), &notes, &error) < 0)
			abort();
	cs_notes_fini(&notes);
	return format;
}

static void touch(const struct cs_event *ev)
{
	const char *comm = NULL;
	unsigned int sum = 0;

	if (ev->type == CS_EVENT_SWITCH)
		comm = ev->sw.prev_comm;
	else if (ev->type == CS_EVENT_WAKING)
		comm = ev->wake.comm;
	else if (ev->type == CS_EVENT_PRIO)
		comm = ev->prio.comm;
	else if (ev->type == CS_EVENT_FORK)
		comm = ev->task.comm;
	for (int i = 0; comm && i < CS_COMM_LEN; i++)
		sum += comm[i];
	if (ev->type == CS_EVENT_IRQ)
		for (const char *c = ev->irq.name; c && *c; c++)
			sum += *c;
	for (uint32_t i = 0; ev->type == CS_EVENT_MARKER && i < ev->marker.length; i++)
		sum += ev->marker.text[i];
	/* The compiler must not find that nobody needs it. */
	__asm__ volatile("" : : "r"(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cs_format *formats[4];
	struct cs_decoder decoder = {0};
	struct cs_record record;
	struct cs_page page;
	struct cs_event ev;
	uint8_t *bytes;

	if (!formats[0])
		for (int i = 0; i < 4; i++)
			formats[i] = format_of(i & 1, i & 2);
	if (size < 1 || size > 4097)
		return 0;
	/* A copy that ends where the page does. */
	bytes = malloc(size - 1 ? size - 1 : 1);
	if (!bytes)
		abort();
	memcpy(bytes, data + 1, size - 1);
	decoder.format = formats[*data & 3];
	if (cs_page_begin(&page, &decoder.format->layout, bytes, size - 1) == 1)
		while (cs_page_next(&page, &record) == 1) {
			cs_decode(&decoder, &record, &ev);
			touch(&ev);
		}
	free(bytes);
	return 0;
}
