#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Inside a guest: doctor, record of a small workload, reports; everything that the host
# judges is left in the current directory. $1 is "work" when called as the workload.

# Pipes, forks and sleeps, a second or two of them.
work() {
	i=0
	while [ $i -lt 40 ]; do
		echo "$i" | sed 's/1/2/' | cat >/dev/null
		i=$((i + 1))
	done
	yes | head -c 4000000 | wc -c >/dev/null &
	usleep 200000
	(usleep 100000 && usleep 100000) &
	wait
}

ctxt() {
	sed -n 's/^ctxt //p' /proc/stat
}

if [ "$1" = work ]; then
	ctxt >ctxt-begin
	work
	ctxt >ctxt-end
	exit 0
fi

ctxsw doctor >doctor.txt 2>&1
echo $? >doctor.status

ctxt >ctxt-before
ctxsw record -o t.dat -- sh "$0" work >record.txt 2>&1
status=$?
ctxt >ctxt-after
echo $status >record.status
cat record.txt
[ $status -eq 0 ] || exit 1

ctxsw report -i t.dat >report.txt 2>report.err
echo $? >report.status
ctxsw report -i t.dat -f json >report.json 2>>report.err
echo $? >json.status

# Nothing may be left behind: no instance, and tracing on as before.
ls /sys/kernel/tracing/instances >instances
exit 0
