#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report -o: whole or not at all, nothing left behind, and what cannot be written is said.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t
expect 0 '' report t
cp out reference

expect 0 '' report t -o new
cmp -s new reference || fail '-o writes something else'
is 'nothing on stdout' "$(<out)" ''
is 'mode of a new file' "$(stat -c %a new)" "$(printf '%o' $((0666 & ~$(umask))))"
expect 0 '' report -o - t
cmp -s out reference || fail '-o - is not standard output'

echo old >old
chmod 640 old
expect 0 '' report --output=old t
cmp -s old reference || fail '-o does not replace'
is 'mode of a replaced file' "$(stat -c %a old)" 640

echo target >target
ln -s target link
expect 0 '' report t -o link
[[ -L link ]] || fail 'the link was replaced'
cmp -s target reference || fail 'the target of the link was not written'
ln -s "$dir"/t same
expect 1 'ctxsw: same: is the input; choose another output' report t -o same
expect 1 'ctxsw: t: is the input; choose another output' report t -o t
expect 1 'ctxsw: t: is the input; choose another output' report --dump t -o t
ln t hard
expect 1 'ctxsw: hard: is the input; choose another output' report t -o hard

mkdir d
expect 1 'ctxsw: d: Is a directory' report t -o d
expect 1 'ctxsw: none/x: No such file or directory' report t -o none/x
expect 1 'ctxsw: /dev/full: No space left on device' report t -o /dev/full
[[ -c /dev/full ]] || fail '/dev/full was replaced'
expect 0 '' report t -o /dev/null
[[ -c /dev/null ]] || fail '/dev/null was replaced'
for arguments in 'report' 'report -f json' 'report --dump'; do
	status=0
	# shellcheck disable=SC2086 # words
	"$CTXSW" $arguments t >/dev/full 2>err || status=$?
	is "status of $arguments on a full disk" $status 1
	is "message of $arguments on a full disk" "$(<err)" \
		'ctxsw: standard output: No space left on device'
done

# On a narrow terminal no table is too wide, nor the names of the columns left out.
if command -v script >/dev/null; then
	script -qec "stty cols 60; $CTXSW report t" /dev/null </dev/null | tr -d '\r' >narrow
	grep -q 'too wide to show here:' narrow || fail 'nothing is too wide for 60 columns'
	is 'lines wider than a terminal of 60' "$(grep -c '.\{61,\}' narrow || true)" 0
fi

# Errors leave the old file as it was.
echo kept >kept
expect_like 1 'No such file' report missing -o kept
printf '# ctxsw events 1\n' >nothing
expect_like 1 'no sched_switch' report nothing -o kept
is 'the old file' "$(<kept)" kept

# A file system that is full: the old file stays, no piece of the new one is left.
if ((EUID == 0)) && mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
	trap 'cd /; umount "$dir/small"; rm -rf "$dir"' EXIT
	echo kept >small/kept
	{
		cat t
		for ((i = 0; i < 3000; i++)); do echo "$((2000 + i)) 0 MK \"padding padding\""; done
	} >long
	expect 1 "ctxsw: $dir/small/kept: No space left on device" report --dump long -o small/kept
	is 'the old file on the full disk' "$(<small/kept)" kept
	is 'files on the full disk' "$(ls small)" kept
fi

# A reader that goes away is no news; whether or not SIGPIPE is ignored.
"$CTXSW" report t 2>err | true || true
is 'about a closed pipe' "$(<err)" ''
(
	trap '' PIPE
	"$CTXSW" report --dump t 2>err | true || true
)
is 'about a closed pipe without SIGPIPE' "$(<err)" ''

is 'files left behind' "$(find . -name '*.[0-9]*-[0-9]*' -o -name '*.??????' | grep -v small || true)" ''
passed
