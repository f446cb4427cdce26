#!/usr/bin/env bash
# The container set-ups: a small run against three servers, and one whose leader is killed. Skips, with
# status 0, only where no Docker daemon runs and none can be started.
set -euo pipefail
cd "$(dirname "$0")/.."

if test "${1:-}" = with-docker; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    RESULTS=$folder/run compose/demo --clients 4,8 --trials 1 --quiet
    rows=$(wc -l < "$folder/run/trials.csv")
    test "$rows" -gt 2 || { echo "tests/compose.sh: trials.csv has $rows lines" >&2; exit 1; }
    compose/kill-leader
    exit 0
fi

status=0
compose/with-docker "$0" with-docker || status=$?
if test "$status" = 75; then
    echo "tests/compose.sh: SKIPPED: no Docker daemon runs here and none can be started"
    exit 0
fi
exit "$status"
