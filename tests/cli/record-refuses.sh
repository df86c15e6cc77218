#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What record refuses, in one line, with the documented exit status; whom it overwrites.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

# refused STATUS TEXT OPTIONS...: one line with TEXT.
refused() {
	local status=$1 text=$2
	shift 2
	expect "$status" "$CTXSW" record "$@"
	one_error
	said "$text"
}

# Usage: needs neither root nor tracefs.
refused 2 "--no-such-option" --no-such-option
refused 2 "option -D" -D
refused 2 "" -D soon
refused 2 "" -D -1s
refused 2 "duration '0s'" -D 0s
refused 2 "buffer size" -b 0
refused 2 "buffer size" -b lots
refused 2 "buffer size" -b 99999999999
refused 2 "CPU" --cpu x
refused 2 "CPU" --cpu 3-1
refused 2 "CPU" --cpu ''
refused 2 "analysis 'irq': not known; known are switches, latency, preemption" --for irq
refused 2 "analysis 'nonsense'" --for switches,nonsense
refused 2 "" --for ''
expect 0 "$CTXSW" record --help
grep -q 'Usage: ctxsw record' out.txt || fail "no help"

need_tracing

refused 1 "event 'sched_nonsense': this kernel has no such event" -e sched_nonsense
refused 1 "event 'sched:nonsense'" -e sched:nonsense
refused 1 "event 'sched_*': wildcards are not taken" -e 'sched_*'
refused 1 "event 'ftrace:print'" -e ftrace:print
refused 1 "event '../sched'" -e ../sched
refused 1 "event 'a:b:c'" -e a:b:c
refused 1 "event ''" -e ''
refused 1 "clock 'sundial': this kernel does not have it; it has:" -C sundial
said local
not_said "  "
not_said "["
refused 1 "buffers: the kernel gives no" -b 66000000
refused 1 "CPU 4711: not online; online are" --cpu 0,4711
left=$(find . -mindepth 1 ! -name 'out.*')
[[ -z $left ]] || fail "a refusal left $left"

# Places that take no recording.
mkdir place
refused 1 "place: is a directory" -o place -D 100ms
refused 1 "no-such-place/x.dat.part: No such file or directory" -o no-such-place/x.dat -D 100ms
refused 1 "/dev/stdout: not a regular file" -o /dev/stdout -D 100ms
refused 1 "-: not a regular file" -o - -D 100ms
refused 1 "the file name is empty" -o '' -D 100ms
mkfifo pipe
refused 1 "pipe: not a regular file" -o pipe -D 100ms
ln -s nowhere dangling
refused 1 "dangling: No such file or directory" -o dangling -D 100ms

# A file of somebody else.
echo mine >mine.dat
refused 1 "mine.dat: exists and is no recording of ctxsw" -o mine.dat -D 100ms
[[ $(cat mine.dat) == mine ]] || fail "mine.dat was changed"
: >empty.dat
refused 1 "empty.dat: exists and is no recording of ctxsw" -o empty.dat -D 100ms
expect 0 "$CTXSW" record --force -o mine.dat -D 100ms
grep -a -q tracing mine.dat || fail "--force did not replace mine.dat"

# A recording of ours is kept as FILE.old; the one before that goes.
expect 0 "$CTXSW" record -o ours.dat -D 100ms
first=$(cksum <ours.dat)
expect 0 "$CTXSW" record -o ours.dat -D 100ms
said "; the one before is now ours.dat.old"
[[ $(cksum <ours.dat.old) == "$first" ]] || fail "FILE.old is not the first recording"
expect 0 "$CTXSW" record -o ours.dat -D 100ms
[[ $(cksum <ours.dat.old) != "$first" ]] || fail "FILE.old was not replaced"
echo mine >ours.dat.old
refused 1 "ours.dat.old: exists and is no recording of ctxsw" -o ours.dat -D 100ms
[[ $(cat ours.dat.old) == mine ]] || fail "a FILE.old of somebody else was changed"

# A symbolic link leads to the file.
mkdir far
"$CTXSW" record -q -o far/linked.dat -D 100ms
ln -s far/linked.dat linked.dat
expect 0 "$CTXSW" record -o linked.dat -D 100ms
[[ -L linked.dat && -e far/linked.dat.old ]] || fail "the link was replaced"

# Without privileges, and with a tracefs that cannot be written.
if command -v setpriv >/dev/null; then
	chmod 755 "$dir"
	mkdir open && chmod 777 open
	binary=$dir/ctxsw
	cp "$CTXSW" "$binary" && chmod 755 "$binary"
	expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$binary" record \
		-o open/x.dat -D 100ms
	one_error
	said "run as root"
	[[ -z $(ls -A open) ]] || fail "no privilege: left $(ls -A open)"
fi
if command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
	expect 1 unshare -m sh -c "mount -o remount,ro,bind $tracing 2>/dev/null ||
		mount --bind -o ro $tracing $tracing; exec $CTXSW record -o ro.dat -D 100ms"
	one_error
	said "mounted read-only"
	expect 1 unshare -m sh -c "umount -l $tracing; umount -l /sys/kernel/debug 2>/dev/null
		exec $CTXSW record -o un.dat -D 100ms"
	one_error
	said "tracefs: not mounted"
fi

# Pages of nobody: named, and not removed.
: >orphan.dat.part.cpu0
refused 1 "orphan.dat.part.cpu0: File exists; nobody uses it, remove it" -o orphan.dat -D 100ms
[[ -e orphan.dat.part.cpu0 && ! -e orphan.dat.part ]] || fail "orphan.dat: left $(ls)"

# Messages do not end up in the trace when stderr is closed.
"$CTXSW" record -o closed.dat -D 200ms 0<&- 1>&- 2>&-
! grep -a -q 'own CPU' closed.dat || fail "the summary is in the trace"

# None of all that left an instance behind.
for instance in "$tracing"/instances/ctxsw-[0-9]*-*; do
	pid=${instance##*/ctxsw-}
	[[ ! -e $instance || -d /proc/${pid%-*} ]] || fail "$instance was left"
done
