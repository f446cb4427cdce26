#!/usr/bin/env bash
# The container set-ups: their settings, a small run against one server and against three, a load of two hosts, and a run
# whose leader is killed. Skips, with status 0, only where no Docker daemon runs and none can be started.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "tests/compose.sh: $*" >&2
    exit 1
}

# The settings that lib/servers/ensemble.c gives private servers, to the line $2 of its function, are in compose/$1 too,
# values and all where they are fixed there.
check_settings() {
    local setting count=0
    while read -r setting; do
        count=$((count + 1))
        grep -qF -- "- $setting" "compose/$1" || fail "compose/$1 does not set $setting, as lib/servers/ensemble.c does"
    done < <(sed -n "/^static void compose_settings(/,/$2/"'s/^[^"]*"\([a-zA-Z0-9.]*=[^%\]*\).*/\1/p' lib/servers/ensemble.c |
        grep -Ev '^(dataDir|clientPortAddress|server\.)')
    ((count > 10)) || fail "only $count settings found in lib/servers/ensemble.c"
}

# Of the set-up that lib.sh has up: each server is published, on 127.0.0.1 alone, and keeps its data in a volume.
check_containers() {
    local server places
    for server in "${names[@]}"; do
        places=$(docker port "$(container "$server")" | sed 's/.* -> //')
        [[ $places =~ ^127\.0\.0\.1:[0-9]+$ ]] || fail "$server is published at '$places'"
        bash -c 'exec 3<> "/dev/tcp/127.0.0.1/${1#*:}" && printf srvr >&3 && cat <&3' _ "$places" |
            grep '^Mode: ' >/dev/null || fail "$server does not answer at $places"
        docker inspect --format '{{range .Mounts}}{{.Type}} {{.Name}} {{.Destination}}{{end}}' \
            "$(container "$server")" | grep "^volume ${project}_data[0-9]* /data$" >/dev/null ||
            fail "$server has no named volume"
    done
}

# By the commands of docs/compose.md.
run_standalone() (
    # shellcheck source=compose/lib.sh
    . compose/lib.sh
    set_up=standalone names=(zk)
    bring_up
    check_containers
    compose run --name "$project-driver" zkherd run --connect zk:2181 --clients 4,8 --trials 1 --driver threads --noise off --quiet
    mkdir "$folder/standalone"
    docker cp "$project-driver:/results/." "$folder/standalone" >/dev/null
    test "$(cat "$folder"/standalone/*/trials.csv | wc -l)" -gt 2 || fail "the results were not there to be copied"
)

run_ensemble() (
    # shellcheck source=compose/lib.sh
    . compose/lib.sh
    bring_up
    check_containers
)

# The same command in two containers, which meet at a server of their own.
run_hosts() (
    # shellcheck source=compose/lib.sh
    . compose/lib.sh
    set_up=hosts
    trap tear_down EXIT
    export HOSTS=2 LOAD='-n 8 --rate 80 --duration 1s -t 1 --noise off'
    compose up --no-build --scale host=2 host > "$folder/hosts.log" 2>&1 || true
    grep -q '2 hosts have begun within' "$folder/hosts.log" || { cat "$folder/hosts.log" >&2; fail "two hosts have not met"; }
)

run_demo() {
    RESULTS=$folder/run compose/demo --clients 4,8 --trials 1 --quiet
    test "$(wc -l < "$folder/run/trials.csv")" -gt 2 || fail "the demo has no trials in trials.csv"
    grep -q maxClientCnxns=0 "$folder/run/manifest.json" || fail "manifest.json has no settings of the servers"
    test -s "$folder/run/plots/rpcs.svg" || fail "the demo has drawn no plots"
}

check_nothing_left() {
    local left
    left=$(docker ps --all --quiet --filter name=zkherd-; docker volume ls --quiet --filter name=zkherd-
        docker network ls --quiet --filter name=zkherd-)
    test -z "$left" || fail "left behind: $left"
}

if test "${1:-}" = with-docker; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    run_standalone
    run_ensemble
    run_hosts
    run_demo
    compose/kill-leader
    check_nothing_left
    exit 0
fi

check_settings standalone.yml 'servers == 1'
check_settings ensemble.yml '^}'
status=0
compose/with-docker "$0" with-docker || status=$?
if test "$status" = 75; then
    echo "tests/compose.sh: SKIPPED: no Docker daemon runs here and none can be started"
    exit 0
fi
exit "$status"
