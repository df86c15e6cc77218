/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that do nothing, to measure what hooks on them cost.
 */
#ifndef CTXSW_CALIBRATE_H
#define CTXSW_CALIBRATE_H

void ctxsw_calibrate_mm(void);
void ctxsw_calibrate_finish(void);

#endif
