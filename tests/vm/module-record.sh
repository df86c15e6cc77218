#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Inside a guest with the module: records by its events alone, beside a recording of
# sched_switch, and both kinds of events in one file; the host judges (tests/vm/run).
# $1 is "work" when called as the workload.

work() {
	pingpong 200 >/dev/null
	pingpong -t 200 >/dev/null
	workload forks 10
	workload threads 50
	workload sleep 20
	workload chain 3 >/dev/null
}

if [ "$1" = work ]; then
	work
	exit 0
fi

insmod /in/ctxsw.ko || exit 1
ctxsw doctor >module-doctor.txt 2>&1

# s.dat begins before m.dat and ends after it
ctxsw record -q --module off -e sched_switch -o s.dat &
other=$!
while [ -z "$(ls /sys/kernel/tracing/instances)" ]; do
	usleep 100000
done
usleep 500000
ctxsw record --module require -o m.dat -- sh "$0" work >module-record.txt 2>&1
echo $? >module-record.status
usleep 200000
kill $other
wait $other

ctxsw record -q -e sched_switch -e ctxsw:switch_phases -e sched_waking \
	-e sched_wakeup_new -e sched_migrate_task -o b.dat -- sh "$0" work
echo $? >both.status

ctxsw report -i m.dat >m.txt 2>m.err
echo $? >m.status
ctxsw report -i m.dat -f json >m.json 2>>m.err
cat module-record.txt
exit 0
