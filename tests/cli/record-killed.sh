#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a SIGKILL the next run removes the stale instance and finishes the recording.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing
need_tool trace-cmd

# begin FILE: a recorder in the background, its pid in $pid.
begin() {
	"$CTXSW" record -o "$1" >"$1.txt" 2>"$1.err" &
	pid=$!
	wait_for 20 test -s "$1.part.cpu0" || fail "$1: no pages within 20 s"
}

begin killed.dat
[[ -s killed.dat.part ]] || fail "no metadata while recording"
name=$(instances_of $pid)
[[ -n $name ]] || fail "no instance"

# A second recorder to the same file is refused and harms nothing.
expect 1 "$CTXSW" record -o killed.dat -D 100ms
one_error
said "killed.dat: another ctxsw record is writing it"
[[ -n $(instances_of $pid) ]] || fail "the instance of a live recorder was removed"
expect 0 "$CTXSW" record -o other.dat -D 100ms
[[ -n $(instances_of $pid) ]] || fail "the instance of a live recorder was swept"

sleep 1
kill -KILL $pid
wait $pid 2>/dev/null || true
[[ -n $(instances_of $pid) ]] || skip "the instance went with its owner?"
size=$(cat killed.dat.part.cpu* | wc -c)
((size > 0)) || fail "nothing was drained"

# Another process may get the pid, so the start time decides: same pid, other time.
expect 0 "$CTXSW" record -o killed.dat -D 200ms
grep -q -E '^ctxsw: tracefs: removed [0-9]+ instance' out.err || fail "no word on the instance"
said "killed.dat: finished the recording that was left in"
[[ -z $(instances_of $pid) ]] || fail "the instance is still there"
[[ -z $(find . -name '*.part*') ]] || fail "left $(find . -name '*.part*')"
count=$(events_in killed.dat.old)
[[ ! -s report.err ]] || fail "trace-cmd warns of the rescued file: $(cat report.err)"
((count > 0)) || fail "nothing was rescued"
count=$(events_in killed.dat)
((count > 0)) || fail "the new recording is empty"

# Killed again while a file of somebody else has the name: refused, nothing is lost.
rm -f killed.dat killed.dat.old
begin killed.dat
kill -KILL $pid
wait $pid 2>/dev/null || true
echo mine >killed.dat
expect 1 "$CTXSW" record -o killed.dat -D 100ms
said "exists and is no recording of ctxsw"
[[ $(cat killed.dat) == mine ]] || fail "a file of somebody else was changed"
[[ -s killed.dat.part.cpu0 ]] || fail "the pages were lost"
rm killed.dat

# A page that was cut, an empty CPU, a half finished file: what is whole is rescued.
printf 'x' >>killed.dat.part.cpu0
expect 0 "$CTXSW" record -o killed.dat -D 100ms
((0 < $(events_in killed.dat.old))) || fail "a cut page spoils the rest"
[[ ! -s report.err ]] || fail "trace-cmd warns of a cut page: $(cat report.err)"

# Killed before anything was drained: nothing to keep.
begin empty.dat
kill -KILL $pid
wait $pid 2>/dev/null || true
for pages in empty.dat.part.cpu*; do
	: >"$pages"
done
expect 0 "$CTXSW" record -o empty.dat -D 100ms
said "empty.dat.part: removed; a killed ctxsw left it without data"
[[ ! -e empty.dat.old ]] || fail "an empty recording was kept"

# A FILE.part of somebody else stays.
echo mine >foreign.dat.part
expect 1 "$CTXSW" record -o foreign.dat -D 100ms
one_error
said "foreign.dat.part: exists and is no recording of ctxsw"
[[ $(cat foreign.dat.part) == mine ]] || fail "a FILE.part of somebody else was changed"
expect 0 "$CTXSW" record --force -o foreign.dat -D 100ms
