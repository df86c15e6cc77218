#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report: every option given wrongly is one line and exit status 2, before the trace is read.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t

expect 2 'ctxsw: report: option --colour is not known; see: ctxsw help report' report --colour t
expect 2 'ctxsw: report: option -x is not known; see: ctxsw help report' report -x t
expect 2 'ctxsw: report: option --worst needs an argument' report t --worst
expect 2 'ctxsw: report: option -f (--format) needs an argument' report t -f
expect 2 'ctxsw: report: option --dump takes no argument' report t --dump=1
expect 2 'ctxsw: report: one trace at a time, not u too' report t u
expect 2 'ctxsw: report: one trace at a time, not u too' report -i t u
expect 2 'ctxsw: report: one trace at a time, not t too' report -i u -i t

expect 2 'ctxsw: report: the file name is empty' report ''
expect 2 'ctxsw: report: the file name is empty' report -i ''
expect 2 'ctxsw: report: a trace cannot be read from a pipe; give its file' report -

expect 2 "ctxsw: format 'csv': not known; known are text, json" report -f csv t
expect 2 "ctxsw: format '': not known; known are text, json" report -f '' t
expect_like 2 "^ctxsw: analysis 'none': not known; known are switches, latency, preemption" \
	report -a switches,none t
expect 2 'ctxsw: analysis: a name is empty' report -a switches, t
expect 2 'ctxsw: analysis: a name is empty' report -a '' t

for what in cpu:CPU:8191:0 pid:pid:4194304:0 prio:priority:139:-1; do
	IFS=: read -r option noun max min <<<"$what"
	expect 2 "ctxsw: $noun 'abc': not a list such as 0-3,7" report "--$option" abc t
	expect 2 "ctxsw: $noun '': not a list such as 0-3,7" report "--$option" '' t
	expect 2 "ctxsw: $noun '1,': not a list such as 0-3,7" report "--$option" 1, t
	expect 2 "ctxsw: $noun '1-': not a list such as 0-3,7" report "--$option" 1- t
	expect 2 "ctxsw: $noun 5-3: goes backwards" report "--$option" 5-3 t
	expect 2 "ctxsw: $noun $((max + 1)): must be from $min to $max" \
		report "--$option" $((max + 1)) t
	expect 2 "ctxsw: $noun $((max + 1)): must be from $min to $max" \
		report "--$option" 0-$((max + 1)) t
	expect 2 "ctxsw: $noun $((min - 1)): must be from $min to $max" \
		report "--$option" $((min - 1)) t
done
expect 2 'ctxsw: --comm: the name is empty' report --comm '' t

expect 2 "ctxsw: --time '5': write A,B; either may be left out" report --time 5 t
expect 2 "ctxsw: --time ',': has neither begin nor end" report --time , t
expect 2 "ctxsw: --time '5,3': the end must be later than the begin" report --time 5,3 t
expect 2 "ctxsw: --time '5,5': the end must be later than the begin" report --time 5,5 t
expect 2 "ctxsw: --time '+2,+1': the end must be later than the begin" report --time +2,+1 t
expect 2 "ctxsw: --time ',0': the end must be later than the begin" report --time ,0 t
expect 2 "ctxsw: time 'x': not a time; write 500ms, 10s, 1.5m or 1h" report --time x,5 t
expect 2 "ctxsw: time '5sec': not a time; its unit can be ns, us, ms, s, m or h" \
	report --time 1,5sec t
expect 2 "ctxsw: time '-1': not a time; write 500ms, 10s, 1.5m or 1h" report --time -1,5 t
expect 2 "ctxsw: time '': not a time; write 500ms, 10s, 1.5m or 1h" report --time +,5 t
expect 2 "ctxsw: time '99999999999h': too large" report --time ,99999999999h t

expect 2 "ctxsw: --worst 'x': not a whole number" report --worst x t
expect 2 'ctxsw: --worst -1: must be from 0 to 1000000' report --worst -1 t
expect 2 'ctxsw: --rows 0: must be from 1 to 1000000' report --rows 0 t

write="write METRIC=VALUE, such as latency.wakeup.max_ns=100us"
expect 2 "ctxsw: --fail-above 'x': $write" report --fail-above x t
expect 2 "ctxsw: --fail-above '=5': $write" report --fail-above =5 t
expect 2 "ctxsw: --fail-above 'a=': '' is not a number" report --fail-above a= t
expect 2 "ctxsw: --fail-above 'a=5us': '5us' is not a number" report --fail-above a=5us t
expect 2 "ctxsw: --fail-above 'a=-5': '-5' is not a number" report --fail-above a=-5 t
expect 2 "ctxsw: --fail-above 'a=nan': 'nan' is not a number" report --fail-above a=nan t
expect 2 "ctxsw: --fail-above 'a=1e5': '1e5' is not a number" report --fail-above a=1e5 t
expect_like 2 "^ctxsw: --fail-above 'a_ns=5x': time '5x': " report --fail-above a_ns=5x t

for option in '-f json' '-a latency' '--cpu 0' '--time 0,5' '--worst 5' '--fail-above a=1'; do
	# shellcheck disable=SC2086 # an option and its argument
	expect_like 2 '^ctxsw: report: --dump writes all events; --[a-z-]* has no effect on them$' \
		report --dump $option t
done
# A wrong option is told even where the trace cannot be read.
expect 2 "ctxsw: --rows 'x': not a whole number" report --rows x missing
passed
