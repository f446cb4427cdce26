# Sourced by demo, kill-leader and the test: starts servers, waits until they are healthy, and removes them when the
# script ends.
# shellcheck shell=bash

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=zkherd-$$
# Uses ensemble.yml, unless the sourcing script sets another file.
set_up=ensemble
names=(zk1 zk2 zk3)
# shellcheck disable=SC2034 # used by the sourcing script
servers=zk1:2181,zk2:2181,zk3:2181
# Any free ports, because the machine may run its own ZooKeeper.
export ZK_PORT='' ZK1_PORT='' ZK2_PORT='' ZK3_PORT=''

say() { echo "$(basename "$0"): $*" >&2; }

compose() {
    # Version 2 is a plugin of docker, version 1 a separate program.
    local command=(docker-compose)
    if docker compose version >/dev/null 2>&1; then command=(docker compose); fi
    "${command[@]}" --project-name "$project" --file "$here/$set_up.yml" "$@"
}

tear_down() {
    set +e
    trap '' INT TERM
    local jobs
    jobs=$(jobs -p)
    # shellcheck disable=SC2086 # one word per job
    if test -n "$jobs"; then kill $jobs 2>/dev/null; wait; fi
    docker rm --force --volumes "$project-driver" >/dev/null 2>&1
    compose down --volumes --remove-orphans --timeout 3 >/dev/null 2>&1
}

# Prints the container of server $1, which may have been killed. Docker answers at once, docker-compose after a
# second.
container() {
    docker ps --all --quiet --filter "label=com.docker.compose.project=$project" \
        --filter "label=com.docker.compose.service=$1"
}

# Prints the answer of server $1 to srvr.
ask() { docker exec "$(container "$1")" health ask; }

# Waits until each server reports its mode, at most one minute.
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

# Runs zkherd with the given arguments in its container, and returns its exit status. zkherd runs in the background,
# because bash handles a signal only after a foreground command has ended.
drive() {
    docker run --name "$project-driver" --network "${project}_default" --dns-option timeout:1 \
        --dns-option attempts:1 --cap-drop ALL --memory 2g zkherd-driver "$@" &
    local status=0
    wait $! || status=$?
    return "$status"
}
