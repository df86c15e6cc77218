#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A full disk and a limit on file sizes: it stops, says what was kept, and that opens.
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

# A small file system of its own.
mkdir small
if mount -t tmpfs -o size=12m tmpfs small 2>/dev/null; then
	unmount() {
		umount -l "$dir/small"
	}
	leave_hooks+=(unmount)
	expect 1 "$CTXSW" record -o small/full.dat -- "$load" 0 150000 60
	one_error
	said "No space left on device"
	said "were kept and are in small/full.dat"
	[[ -z $(find small -name '*.part*') ]] || fail "left $(ls small)"
	count=$(events_in small/full.dat)
	[[ ! -s report.err ]] || fail "trace-cmd warns: $(cat report.err)"
	((count > 10000)) || fail "only $count events were kept"
	# no room to begin with: the file is named, and nothing is left
	rm -f small/*
	mount -o remount,size=60k small
	expect 1 "$CTXSW" record -o small/none.dat -D 100ms
	one_error
	said "ctxsw: small/none.dat.part: No space left on device"
	[[ -z $(ls -A small) ]] || fail "left $(ls small)"
else
	echo "no tmpfs here: only the limit on file sizes is tested"
fi

# A limit of 2 MB for each file: the pages stay where they are, whole.
status=0
(
	ulimit -f 2048
	exec "$CTXSW" record -o limit.dat -- "$load" 0 150000 60
) >out.txt 2>out.err || status=$?
((status == 1)) || fail "limit: exit status $status"
said "File too large"
said "kept in limit.dat.part"
[[ -e limit.dat.part && ! -e limit.dat ]] || fail "limit: left $(ls)"
# without the limit the next run finishes it
expect 0 "$CTXSW" record -o limit.dat -D 100ms
said "limit.dat: finished the recording that was left in"
count=$(events_in limit.dat.old)
[[ ! -s report.err ]] || fail "limit: trace-cmd warns: $(cat report.err)"
((count > 10000)) || fail "limit: only $count events were kept"
