/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Constants of a trace.dat of version 6, for the files that write and probe
 * it (man trace-cmd.dat.v6.5; options: trace-cmd's trace-cmd-private.h).
 */
#ifndef CS_USER_RECORD_DAT_LAYOUT_H
#define CS_USER_RECORD_DAT_LAYOUT_H

#define CS_DAT_MAGIC	  "\x17\x08\x44tracing"
#define CS_DAT_MAGIC_SIZE 10

/* The words between sections, each with its NUL. */
#define CS_DAT_WORD	 10
#define CS_DAT_OPTIONS	 "options  "
#define CS_DAT_FLYRECORD "flyrecord"

/* How the VERSION option of our files begins. */
#define CS_DAT_OURS "ctxsw "

enum cs_dat_option {
	CS_DAT_OPTION_DONE = 0,
	CS_DAT_OPTION_CPUSTAT = 2,
	CS_DAT_OPTION_TRACECLOCK = 4,
	CS_DAT_OPTION_UNAME = 5,
	CS_DAT_OPTION_CPUCOUNT = 8,
	CS_DAT_OPTION_VERSION = 9,
};

#endif
