#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every way out leaves the kernel's tracing as it was, and nothing else behind.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing

settings() {
	cat "$tracing"/{trace_options,saved_cmdlines_size,trace_clock,tracing_on,buffer_size_kb} \
		"$tracing"/{tracing_cpumask,current_tracer,events/sched/sched_switch/enable}
}
settings >settings.before

# The instance of a pid is gone, and the settings of the top level are as they were.
restored() {
	local left
	left=$(instances_of "$1")
	[[ -z $left ]] || fail "$2: instance $left was left"
	settings | cmp -s - settings.before || fail "$2: settings were changed"
}

no_parts() {
	local left
	left=$(find . -name '*.part*')
	[[ -z $left ]] || fail "$1: left $left"
}

# Signals: written, restored, exit status 0.
for signal in INT TERM HUP QUIT; do
	# env takes the disposition back that bash gives to its background jobs
	env --default-signal "$CTXSW" record -o signal.dat >out.txt 2>out.err &
	pid=$!
	wait_for 20 test -e signal.dat.part.cpu0 || fail "$signal: does not begin"
	[[ -n $(instances_of $pid) ]] || fail "$signal: no instance with its pid"
	sleep 0.3
	kill -s $signal $pid
	status=0
	wait $pid || status=$?
	((status == 0)) || fail "$signal: exit status $status"
	said "signal.dat: "
	restored $pid "$signal"
	no_parts "$signal"
	[[ -s signal.dat ]] || fail "$signal: nothing was written"
	rm -f signal.dat signal.dat.old
done

# Commands that end well, badly, by a signal, not at all, or never begin.
run() {
	status=0
	"$CTXSW" record -o command.dat "$@" >out.txt 2>out.err &
	pid=$!
	wait $pid || status=$?
	restored $pid "$*"
	no_parts "$*"
}
run -- true
((status == 0)) || fail "true: exit status $status"
[[ -s command.dat ]] || fail "true: no file"
run sh -c 'exit 3'
((status == 0)) || fail "exit 3: exit status $status"
said "ctxsw: command exited with 3"
run -- sh -c 'kill -9 $$'
((status == 0)) || fail "kill -9: exit status $status"
said "ended by signal 9"
run -D 300ms -- sleep 30
((status == 0)) || fail "-D: exit status $status"
not_said "still runs"
rm -f command.dat command.dat.old
run -- ./no-such-command
((status == 1)) || fail "no such command: exit status $status"
said "ctxsw: command './no-such-command': not found"
[[ ! -e command.dat ]] || fail "no such command: a file was written"
: >not-executable
run -- ./not-executable
((status == 1)) || fail "not executable: exit status $status"
said "Permission denied"

# A command that could not begin takes no file with it.
"$CTXSW" record -q -o keep.dat -D 100ms
before=$(cksum <keep.dat)
expect 1 "$CTXSW" record -o keep.dat -- ./no-such-command
[[ $(cksum <keep.dat) == "$before" ]] || fail "an earlier recording was changed"
[[ ! -e keep.dat.old ]] || fail "an earlier recording was renamed"

# Ctrl-C goes to the command as well; the recording is written.
if command -v script >/dev/null; then
	cat >trapping.sh <<-'END'
	trap 'echo interrupted >got-it; exit 5' INT
	echo ready >is-ready
	while :; do sleep 0.05; done
	END
	rm -f is-ready got-it
	mkfifo keys
	env --default-signal script -q -e -c "$CTXSW record -o tty.dat -- bash trapping.sh" tty.log <keys >script.out &
	pid=$!
	exec 9>keys
	wait_for 20 test -e is-ready || fail "Ctrl-C: the command does not begin"
	sleep 1.3
	printf '\003' >&9
	wait_for 20 test -s tty.dat || fail "Ctrl-C: no recording"
	wait $pid || true
	exec 9>&-
	[[ -e got-it ]] || fail "Ctrl-C did not reach the command"
	grep -a -q 'recording 1 s, .* events/s, .* lost' tty.log || fail "no progress on a terminal"
	grep -a -q 'command exited with 5' tty.log || fail "Ctrl-C: status of the command"
fi

# Nothing on a file instead of a terminal but the summary.
expect 0 "$CTXSW" record -o plain.dat -D 1500ms
not_said "recording 1 s"
(($(wc -l <out.err) == 1)) || fail "more than a summary"

# nohup keeps it from a SIGHUP.
(
	trap '' HUP
	exec "$CTXSW" record -o nohup.dat -D 1s >out.txt 2>out.err
) &
pid=$!
wait_for 20 test -e nohup.dat.part.cpu0 || fail "nohup: does not begin"
kill -s HUP $pid
wait $pid || fail "nohup: exit status $?"
said "nohup.dat: 1.0 s"

# A recording that somebody removes meanwhile: it says so, and not that it is kept.
"$CTXSW" record -o removed.dat -D 1s >out.txt 2>out.err &
pid=$!
wait_for 20 test -e removed.dat.part.cpu0 || fail "removed: does not begin"
rm -f removed.dat.part*
status=0
wait $pid || status=$?
((status == 1)) || fail "removed: exit status $status"
one_error
said "removed.dat.part: was removed while it was recorded; nothing is kept"
[[ -z $(instances_of $pid) ]] || fail "removed: left an instance"
