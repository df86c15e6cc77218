#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What guest-6.12.dat shows: sleeps, pipes, forks, tasks that share a CPU, and one of
# real-time priority. Called in a guest; records itself when called without "work".
if [ "$1" = work ]; then
	(i=0; while [ $i -lt 12 ]; do usleep 3000; i=$((i + 1)); done) &
	chrt -f 50 sh -c 'for i in 1 2 3 4 5 6; do usleep 20000; done' &
	i=0
	while [ $i -lt 12 ]; do
		echo "$i" | sed 's/1/2/' | cat >/dev/null
		i=$((i + 1))
	done
	yes | head -c 200000 | wc -c >/dev/null &
	usleep 20000
	wait
	exit 0
fi
ctxsw record -o guest-6.12.dat \
	-e sched_waking -e sched_wakeup_new -e sched_migrate_task -e sched_process_fork \
	-e sched_process_exec -e sched_process_exit -e task_rename \
	-e irq_handler_entry -e irq_handler_exit -e softirq_entry -e softirq_exit \
	-e irq_vectors -- sh "$0" work
