#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# top: live reports, every way to end it, and no instance left behind.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

expect 2 "ctxsw: top: takes no 'x'" top x
expect 2 "ctxsw: delay '10ms': at least 100ms" top -d 10ms
expect 2 "ctxsw: time 'x': not a time; write 500ms, 10s, 1.5m or 1h" top -d x
expect 2 'ctxsw: count 0: must be from 1 to 1000000000' top -n 0
expect 2 "ctxsw: analysis 'none': not known; see: ctxsw help top" top -a none
expect 2 "ctxsw: CPU 'x': not a list such as 0-3,7" top --cpu x

((EUID == 0)) || skip 'needs root'
"$CTXSW" doctor >/dev/null || skip 'recording is not possible here; see ctxsw doctor'

left() {
	find /sys/kernel/tracing/instances -maxdepth 1 -name "ctxsw-$1-*"
}

expect 0 '' top -d 200ms -n 3
is 'reports' "$(grep -c '^ctxsw top, after ' out)" 3
is 'control characters without a terminal' "$(LC_ALL=C tr -d '\n -~' <out | wc -c)" 0
awk '/^  switches / { gsub(",", ""); n = $2 } END { exit n < 5 }' out || fail 'no switches seen'
expect 0 '' top -d 100ms -n 1 -a latency
! grep -q '^Context switches' out || fail '-a latency shows switches too'
expect 0 '' top -d 100ms -n 1 --cpu 0

# What the screen has no room for is cut: no row too many, also where lines are too long.
if command -v script >/dev/null; then
	for size in '24 80' '10 40' '3 12'; do
		read -r rows columns <<<"$size"
		script -qec "stty rows $rows cols $columns; $CTXSW top -d 100ms -n 1" \
			/dev/null </dev/null >screen
		tr -d '\r' <screen | sed 's/\x1b\[H\x1b\[2J//' |
			awk -v w="$columns" '{ n += length ? int((length - 1) / w) + 1 : 1 }
				END { print n }' >used
		(($(<used) <= rows)) || fail "$(<used) rows on a screen of $size: $(<screen)"
		is "the last character on a screen of $size" "$(tail -c 1 screen | od -An -c)" '  \n'
	done
fi

pid=
trap '[[ -z $pid ]] || kill $pid 2>/dev/null || true; cd /; rm -rf "$dir"' EXIT
for signal in INT TERM HUP; do
	rm out
	"$CTXSW" top -d 100ms >out 2>err &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[[ ! -s out ]] || break
		sleep 0.1
	done
	[[ -s out ]] || fail 'no report within 10 s'
	[[ $(left $pid) ]] || fail "no instance of $pid"
	kill -$signal $pid
	status=0
	wait $pid || status=$?
	gone=$pid pid=
	is "status after SIG$signal" $status 0
	is "instances after SIG$signal" "$(left "$gone")" ''
	is "words after SIG$signal" "$(<err)" ''
done

# A pipe that nobody reads any more ends it, without a word.
("$CTXSW" top -d 100ms 2>err & echo $! >pid; wait) | head -n 1 >out
for ((i = 0; i < 50; i++)); do
	[[ $(left "$(<pid)") ]] || break
	sleep 0.1
done
is 'instances after a closed pipe' "$(left "$(<pid)")" ''
is 'words after a closed pipe' "$(<err)" ''
passed
