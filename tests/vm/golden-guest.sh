#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose clock counts instructions: the durations of each phase in a ping-pong that
# at least a fifth of the switches have, by kind. The same in each run, to the instruction:
# the two directions can differ by a few.
tracing=/sys/kernel/tracing
insmod /in/ctxsw.ko || exit
# Until the TSC is the clock source all is different.
sleep 10
echo 0 >$tracing/options/record-cmd
echo 1 >$tracing/events/ctxsw/switch_phases/enable
pingpong 1000 >/dev/null
pingpong -t 1000 >/dev/null
echo 0 >$tracing/events/ctxsw/switch_phases/enable
sed -n 's/.*prev_comm=pingpong .* next_comm=pingpong .*kind=\([a-z]*\) prepare=\([0-9]*\) mm=\([0-9]*\) switch_to=\([0-9]*\) finish=\([0-9]*\) flags=.*finish$/\1 \2 \3 \4 \5/p' \
	$tracing/trace >/tmp/phases
for kind in thread process; do
	line=$kind
	column=2
	for phase in prepare mm switch_to finish; do
		line="$line $phase $(awk -v kind=$kind -v c=$column '$1 == kind { print $c }' /tmp/phases |
			sort -n | awk '{ n[$1]++; if (n[$1] == 1) v[++k] = $1 }
			END { for (i = 1; i <= k; i++) if (n[v[i]] >= NR / 5) printf "%s%s", c++ ? "," : "", v[i] }')"
		column=$((column + 1))
	done
	echo "$line"
done
