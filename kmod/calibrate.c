// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that do nothing, to measure what hooks on them cost. The only file of the module
 * that ftrace can hook, see Kbuild.
 */
#include <linux/compiler.h>

#include "calibrate.h"

noinline void ctxsw_calibrate_mm(void)
{
	barrier();
}

noinline void ctxsw_calibrate_finish(void)
{
	barrier();
}
