#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# doctor: JSON, text, its verdict in the exit status, and no instance left behind.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

instances() {
	find /sys/kernel/tracing/instances -maxdepth 1 -name "ctxsw-$1-*" | wc -l
}

expect 2 "ctxsw: doctor: takes no 'x'" doctor x
expect 2 "ctxsw: format 'html': not known; known are text, json" doctor -f html
status=0
"$CTXSW" doctor -f json >out 2>err || status=$?
is 'nothing on stderr' "$(<err)" ''
jq -e . out >/dev/null || fail 'no JSON'
is 'format' "$(number .format)" ctxsw-doctor
is 'verdict and status' "$(number .ready)" "$( ((status == 0)) && echo true || echo false)"
is 'missing and status' "$(number '[.checks[] | select(.status == "missing")] | length > 0')" \
	"$( ((status == 1)) && echo true || echo false)"
is 'each finding says something' \
	"$(number '[.checks[] | select((.found | length) < 2)] | length')" 0
is 'what is wrong can be mended' \
	"$(number '[.checks[] | select(.status == "missing" and .check != "recording" and .mend == null)] | length')" 0
for check in tracefs privileges kernel 'real-time priority' 'real-time throttling' \
	'ctxsw module' 'function hooks' 'clock source' 'idle states' 'perf events'; do
	is "check of $check" "$(jq --arg check "$check" '[.checks[] | select(.check == $check)] | length' out)" 1
done

status_text=0
"$CTXSW" doctor >out 2>err || status_text=$?
is 'status of text and JSON' $status_text $status
head -n 1 out | grep -q '^Recording is ' || fail 'the verdict is not the first line'
is 'lines wider than 80' "$(awk 'length > 80' out)" ''

if ((EUID == 0)) && ((status == 0)); then
	"$CTXSW" doctor >out &
	pid=$!
	wait $pid
	is 'instances left behind' "$(instances $pid)" 0
fi
if ((EUID == 0)) && command -v setpriv >/dev/null; then
	status=0
	# The program may be where others cannot go.
	cp "$CTXSW" ./program
	chmod 755 . program
	setpriv --reuid=65534 --regid=65534 --clear-groups ./program doctor >out 2>err || status=$?
	is 'status without privileges' $status 1
	grep -q 'sudo ctxsw doctor' out || fail 'it does not say what to do without privileges'
fi
passed
