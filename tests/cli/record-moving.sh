#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ended while the pages are moved into FILE.part: report reads all of it without changing
# anything, as many events as the next ctxsw record then recovers.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing
need_tool trace-cmd
need_tool prlimit

load=$root/${BUILD:-build}/tests/tools/switch-load
if [[ ! -x $load ]]; then
	load=$(dirname "$CTXSW")/tests/tools/switch-load
fi
[[ -x $load ]] || skip "needs tests/tools/switch-load"

"$load" 0 200000 100 &
load_pid=$!
end_load() {
	kill $load_pid
}
leave_hooks+=(end_load)

# begin FILE MB: records until CPU 0 has so many; $pid is the recorder.
begin() {
	"$CTXSW" record -q -o "$1" >"$1.txt" 2>"$1.err" &
	pid=$!
	wait_for 60 at_least "$1.part.cpu0" $(($2 << 20)) || fail "$1: no $2 MB in 60 s"
}

at_least() {
	[[ -e $1 ]] && (($(stat -c %s "$1") >= $2))
}

# Events of a report; loss marks are none.
count_events() {
	expect 0 "$CTXSW" report -i "$1" --dump
	grep -c -v -E '^[!#]|^[0-9.]+ [0-9]+ LO' out.txt
}

sum() {
	cat "$1".part* | sha256sum
}

# check FILE: what report reads of its parts is what the next run recovers.
check() {
	local before after parts
	[[ -e $1.part.cpu0 ]] || fail "$1: all pages are moved"
	before=$(sum "$1")
	parts=$(count_events "$1.part")
	expect 0 "$CTXSW" report -i "$1.part"
	grep -q 'the recording was not finished' out.txt || fail "$1: nothing is said of it"
	[[ $(sum "$1") == "$before" ]] || fail "$1: report changed a file"

	expect 0 "$CTXSW" record -o "$1" -D 50ms
	said "$1: finished the recording that was left in"
	after=$(count_events "$1.old")
	((after > 100000)) || fail "$1: only $after events were recovered"
	((parts == after)) || fail "$1: $parts events while in parts, $after when recovered"
	((after == $(events_in "$1.old"))) || fail "$1: trace-cmd counts otherwise"
}

# Files may not grow any more: the recording ends, the move ends in the middle, and what is
# left is what a killed one leaves.
begin limit.dat 10
prlimit --pid $pid --fsize=$(($(stat -c %s limit.dat.part) + (9 << 20)))
status=0
wait $pid || status=$?
((status == 1)) || fail "limit: exit status $status: $(cat limit.dat.err)"
(($(stat -c %s limit.dat.part) > 4 << 20)) || fail "limit: no piece was moved"
check limit.dat

# Killed for good. Stopped again and again, so that the moment is not missed; it may be on
# a busy machine.
killed=0
for try in 1 2 3 4 5; do
	begin kill.dat 24
	metadata=$(stat -c %s kill.dat.part)
	kill -STOP $load_pid
	kill -INT $pid
	while kill -STOP $pid 2>/dev/null && [[ -e kill.dat.part ]]; do
		if (($(stat -c %s kill.dat.part) > metadata + (4 << 20))); then
			break
		fi
		kill -CONT $pid
		sleep 0.001
	done
	kill -KILL $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	kill -CONT $load_pid
	if [[ -e kill.dat.part.cpu0 ]]; then
		killed=1
		check kill.dat
		break
	fi
	rm -f kill.dat*
done
((killed)) || echo "the moment of the move was missed $try times: killing it was not tested"
