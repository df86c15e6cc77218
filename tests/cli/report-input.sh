#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report: input that cannot be read, or only in part: one line that names it, status 1.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t

expect 1 'ctxsw: missing: No such file or directory' report missing
expect 1 'ctxsw: trace.dat: No such file or directory' report
mkdir d
expect_like 1 '^ctxsw: d: is a directory' report d
: >empty
expect_like 1 '^ctxsw: empty: is empty' report empty
mkfifo pipe
expect_like 1 '^ctxsw: pipe: is no regular file' report pipe
expect_like 1 '^ctxsw: /dev/null: is no regular file' report /dev/null
echo 'hello, world' >hello
expect_like 1 '^ctxsw: hello: is no trace' report hello
printf '\x17\x08\x44trac' >short
expect_like 1 '^ctxsw: short: truncated' report short
expect_like 1 '^ctxsw: a\?b: No such file' report $'a\nb'
if ((EUID != 0)); then
	cp t secret
	chmod 0 secret
	expect 1 'ctxsw: secret: Permission denied' report secret
fi

# No switches: nothing to report on, and the line says what to record.
printf '# ctxsw events 1\n1 0 WG a:5/120 @0\n' >wakes
none='no sched_switch events; record with: ctxsw record, or trace-cmd record -e sched_switch'
expect 1 "ctxsw: wakes: $none" report wakes
is 'no half a report' "$(<out)" ''
printf '# ctxsw events 1\n' >nothing
expect 1 "ctxsw: nothing: $none" report nothing
expect 0 '' report --dump nothing
# A filter does not make switches that are there go away.
expect 0 'ctxsw: filter: nothing in t matches; its CPUs, tasks and times are in a report without filters' \
	report --pid 4711 t
grep -q '^The filter matches nothing in this trace' out || fail 'an empty filter is not told'
expect 0 '' report --pid 50 t
grep -q '^Filtered: ' out || fail 'a filter is not told'

# A line that is wrong: the report is about what came before, and says so.
{ cat t; echo bad; } >half
expect 1 "ctxsw: half: line 14: expected a time (a whole number), '#' or '!' at 'bad'" report half
grep -q '^  switches  *7$' out || fail 'no report on the part that was read'
grep -q 'Reading ended early' out || fail 'the text report does not say that it ended early'
expect_like 1 '^ctxsw: half: line 14: ' report -f json half
is 'error in JSON' "$(number .error)" \
	"half: line 14: expected a time (a whole number), '#' or '!' at 'bad'"
expect_like 1 '^ctxsw: half: line 14: ' report --dump half
is 'dump of the part' "$(grep -c '^[0-9]' out)" 9
printf '# ctxsw events 1\nbad\n' >bad
expect 1 "ctxsw: bad: line 2: expected a time (a whole number), '#' or '!' at 'bad'" report bad
is 'no report on nothing' "$(<out)" ''
expect_like 1 "^ctxsw: t: .*no buffer 'x'" report --buffer x t

# A real trace cut anywhere: one line that says so, or a report that does; never a crash.
for trace in "$traces"/lisa-sched-load.dat "$traces"/isolbench-v7-zstd.dat; do
	[[ -f $trace ]] || continue
	size=$(stat -c %s "$trace")
	for part in 0 1 2 3 5 10 50 90 99; do
		head -c $((size * part / 100)) "$trace" >piece
		status=0
		timeout 20 "$CTXSW" report piece >out 2>err || status=$?
		((status == 0 || status == 1)) ||
			fail "$trace cut to $part %: exit status $status: $(<err)"
		is "lines about $trace cut to $part %" "$(wc -l <err)" $status
		((status == 1)) || grep -q 'truncated' out ||
			fail "$trace cut to $part %: the report does not say so"
	done
done
passed
