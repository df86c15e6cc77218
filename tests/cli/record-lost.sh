#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events that are lost are said, also with -q, and stand in the file.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing
need_tool trace-cmd

load=$root/${BUILD:-build}/tests/tools/switch-load
if [[ ! -x $load ]]; then
	load=$(dirname "$CTXSW")/tests/tools/switch-load
fi
[[ -x $load ]] || skip "needs tests/tools/switch-load"

expect 0 "$CTXSW" record -q -b 1 -o lost.dat -- "$load" 0 400000 2
lost=$(sed -nE 's/.* ([0-9,]+) lost.*/\1/p' out.err | tr -d ,)
[[ -n $lost ]] || skip "nothing was lost with a buffer of 1 KB"
((lost > 0)) || fail "lost is $lost"
said "a larger -b loses fewer"
trace-cmd report lost.dat >report.txt 2>/dev/null
grep -a -q 'EVENTS DROPPED' report.txt || fail "the file shows no loss"
trace-cmd report --stat lost.dat >report.txt 2>/dev/null
overrun=$(awk '/^(commit )?overrun:|^dropped events:/ { n += $NF } END { print n }' report.txt)
((overrun == lost)) || fail "the statistics in the file say $overrun, we say $lost"

# Our report reads every page that says so, and counts what the kernel counted there.
trace-cmd report -R lost.dat >report.txt 2>/dev/null
events=$(grep -a -c -E '^ .*\[[0-9]+\] +[0-9]+\.[0-9]+:' report.txt)
told=$(sed -nE 's/.*\[([0-9]+) EVENTS DROPPED\].*/\1/p' report.txt | awk '{ n += $1 } END { print n + 0 }')
"$CTXSW" report -i lost.dat -f json >report.json
"$CTXSW" report -i lost.dat >report.out
! grep -q corrupt report.out || fail "pages with losses are called corrupt"
[[ $(jq .health.events report.json) == "$events" ]] ||
	fail "trace-cmd sees $events events, we $(jq .health.events report.json)"
[[ $(jq .health.lost report.json) == "$told" ]] ||
	fail "trace-cmd sees $told lost, we $(jq .health.lost report.json)"
