#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report --dump: what is dumped reads back as the same events and makes the same report.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t
expect 0 '' report --dump t
head -n 3 out >first
is 'head' "$(<first)" $'# ctxsw events 1\n! kernel 6.1.0\n! cpus 2'
is 'an event' "$(sed -n 4p out)" '1000000 0 SW swapper/0:0/120/R > fifo:50/9'
cp out once
expect 0 '' report --dump once -o twice
cmp once twice

count=0
for trace in "$traces"/*.dat "$root"/tests/golden/*.events; do
	[[ -f $trace ]] || continue
	count=$((count + 1))
	# Golden cases may hold what a strict reader refuses, to show just that.
	"$CTXSW" report --dump "$trace" >once 2>/dev/null || continue
	expect 0 '' report --dump once -o twice
	cmp once twice || fail "dump of $trace"
	"$CTXSW" report -f json "$trace" >a 2>/dev/null || continue
	expect 0 '' report -f json once -o b
	for report in a b; do
		grep -vE '^    "(path|reader|buffer)": ' $report >$report.json
	done
	cmp a.json b.json || fail "report on the dump of $trace"
done
is 'dumps of some traces' $((count > 0)) 1
passed
