# Sourced by demo, kill-leader and the test: servers of one's own, healthy, gone when the script ends.
# shellcheck shell=bash

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=zkherd-$$
# ensemble.yml, unless who sources this says otherwise.
set_up=ensemble
names=(zk1 zk2 zk3)
# shellcheck disable=SC2034 # for who sources this
servers=zk1:2181,zk2:2181,zk3:2181
# Any free ports: the machine may have a ZooKeeper of its own.
export ZK_PORT='' ZK1_PORT='' ZK2_PORT='' ZK3_PORT=''

say() { echo "$(basename "$0"): $*" >&2; }

compose() {
    # Version 2 is a plugin of docker, version 1 a program of its own.
    local command=(docker-compose)
    if docker compose version >/dev/null 2>&1; then command=(docker compose); fi
    "${command[@]}" --project-name "$project" --file "$here/$set_up.yml" "$@"
}

tear_down() {
    set +e
    trap '' INT TERM
    local jobs
    jobs=$(jobs -p)
    # shellcheck disable=SC2086 # one word a job
    if test -n "$jobs"; then kill $jobs 2>/dev/null; wait; fi
    docker rm --force --volumes "$project-driver" >/dev/null 2>&1
    compose down --volumes --remove-orphans --timeout 3 >/dev/null 2>&1
}

# The container of server $1, which may have been killed. Docker tells it at once, docker-compose after a second.
container() {
    docker ps --all --quiet --filter "label=com.docker.compose.project=$project" \
        --filter "label=com.docker.compose.service=$1"
}

# What srvr says of server $1.
ask() { docker exec "$(container "$1")" health ask; }

# Waits a minute at most until each server tells its mode.
await_health() {
    local deadline=$((SECONDS + 60)) server state
    for server in "${names[@]}"; do
        until state=$(docker inspect --format '{{.State.Health.Status}}' "$(container "$server")") &&
            test "$state" = healthy; do
            if ((SECONDS > deadline)); then
                say "$server is $state after a minute; its log ends:"
                compose logs --tail 20 "$server" >&2
                return 1
            fi
            sleep 0.5
        done
    done
}

bring_up() {
    trap tear_down EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    say "starting ${names[*]}"
    compose up --detach --no-build >/dev/null 2>&1 || { compose up --detach --no-build >&2; exit 1; }
    await_health
}

# Runs zkherd with the given arguments in its container, and returns its status. In the background, since
# bash hears a signal only after a command in the foreground has ended.
drive() {
    docker run --name "$project-driver" --network "${project}_default" --dns-option timeout:1 \
        --dns-option attempts:1 --cap-drop ALL --memory 2g zkherd-driver "$@" &
    local status=0
    wait $! || status=$?
    return "$status"
}
