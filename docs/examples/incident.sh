#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stages the incident of docs/incidents.md in the new folder OUT, which gets what each command printed: three private
# servers, 60 workers of clients/orders.py with a password, and the worker that holds the lock is killed. Two minutes.
#
#     docs/examples/incident.sh OUT
set -euo pipefail
clients=$(realpath "$(dirname "$0")/clients") zkherd=${ZKHERD:-zkherd}
export ZKHERD_AUTH=ann:open-sesame # for the workers, and for inspect in place of --auth
mkdir "$1" && cd "$1"
wait_for_workers() {
    until grep -q connected connected; do sleep 0.2; done
    sleep 5
}

servers=$(TMPDIR=$PWD "$zkherd" ensemble start)
trap '"$zkherd" ensemble stop; rm -f connected' EXIT
# The first worker holds the lock, and is killed. Its session ends after its timeout, and the others go on.
/usr/bin/python3 "$clients/orders.py" herd 1 "$servers" 600 2>connected &
holder=$!
wait_for_workers
/usr/bin/python3 "$clients/orders.py" herd 59 "$servers" 0.1 2>connected &
others=$!
wait_for_workers
kill -9 $holder
wait $holder 2>/dev/null || sleep 1
"$zkherd" inspect /app --connect "$servers" >inspect.txt
"$zkherd" inspect /app/orders --connect "$servers" >holder.txt
wait $others
"$zkherd" autopsy zkherd-server-*/server.?/data --no-files >autopsy.txt

for lock in herd queue; do
    "$zkherd" tap --connect "$servers" --no-files -- \
        /usr/bin/python3 "$clients/orders.py" $lock 60 '{}' 0.1 >$lock.txt
done
"$zkherd" tap --drain -n 4,8,16,32 -t 2 --expect '6n - 2,notifications=n - 1' --no-files -- \
    /usr/bin/python3 "$clients/kazoo_lock.py" '{n}' '{connect}' >gate.txt
