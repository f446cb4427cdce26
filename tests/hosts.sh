#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Loads whose sessions run on several hosts: four workers in network namespaces of their own, three servers and a
# meeting place in another. Whatever is killed, stopped or restarted meanwhile: no result is wrong, nothing hangs, and
# nothing is left. Without the right to make namespaces all of them are processes on the loopback, and it says so.
#
#   hosts.sh              counts of loads and locks; then HOSTS_ROUNDS=2 times something is killed; one round in five
#                         stops a worker's host for half a minute, and one restarts the meeting place; loads and locks
#                         take turns
#   hosts.sh big          HOSTS_SESSIONS=54000 sessions from the four; prints what they need
#   hosts.sh measure DIR  keeps in this new folder what the documents quote: a load and locks on the four hosts and on
#                         one, many sessions, and as many loads of four workers as of one process, in turn
#
# $ZKHERD is the program (build/zkherd). A round can be made again with the seed that it prints: HOSTS_SEED.
set -euo pipefail

program=$(realpath "${ZKHERD:-build/zkherd}")
rounds=${HOSTS_ROUNDS:-2}
seed=${HOSTS_SEED:-$(date +%s)}
hosts=4
jars=/usr/share/java
work=$(mktemp -d)
name=zkh$$
RANDOM=$seed

declare -A workers=() servers=()
place_pid='' run_pid='' share=()

# ---------------------------------------------------------------- the network

# A bridge in the namespace of the servers, and a pair of interfaces for each worker's.
make_network()
{
    local i
    command -v ip > /dev/null && ip netns add "$name" 2> "$work/why" || return 1
    ip -n "$name" link set lo up
    ip -n "$name" link add bridge type bridge 2> "$work/why" || return 1
    ip -n "$name" address add 10.77.0.1/24 dev bridge
    ip -n "$name" link set bridge up
    for ((i = 1; i <= hosts; i++)); do
        ip netns add "$name-$i" || return 1
        ip -n "$name" link add "to$i" type veth peer name eth0 netns "$name-$i" || return 1
        ip -n "$name" link set "to$i" master bridge up
        ip -n "$name-$i" link set lo up
        ip -n "$name-$i" address add "10.77.0.$((10 + i))/24" dev eth0
        ip -n "$name-$i" link set eth0 up
    done
}

# shellcheck disable=SC2317 # called by clean
remove_network()
{
    local i
    for ((i = 0; i <= hosts; i++)); do
        ip netns delete "$name$( ((i == 0)) || echo "-$i")" 2> /dev/null || true
    done
}

# Becomes a command on a worker's host, or on the servers' (0).
on_host()
{
    local host=$1
    shift
    if ! "$isolated"; then exec "$@"; fi
    exec ip netns exec "$name$( ((host == 0)) || echo "-$host")" "$@"
}

# ---------------------------------------------------------------- ends

fail()
{
    echo "hosts.sh: $* (HOSTS_SEED=$seed; the files are in $work)" >&2
    keep=true
    exit 1
}

# shellcheck disable=SC2317 # called by the trap
clean()
{
    local pid
    trap '' INT TERM
    for pid in $run_pid "${workers[@]}" "${servers[@]}" $place_pid; do
        kill -CONT "$pid" 2> /dev/null || true
        kill -KILL "$pid" 2> /dev/null || true
    done
    wait 2> /dev/null || true
    if "$isolated"; then remove_network; fi
    if ! "$keep"; then rm -rf "$work"; fi
}
keep=false isolated=true
trap clean EXIT
trap 'exit 130' INT TERM

# Tries a command again and again, for so many seconds.
within()
{
    local until=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < until)) || return 1
        sleep 0.1
    done
}

# ---------------------------------------------------------------- the servers

# So many bytes of a four-letter word's answer; nothing if nobody answers.
ask()
{
    # shellcheck disable=SC2016 # the inner shell's
    (on_host 0 timeout 5 bash -c 'exec 3<> "/dev/tcp/$0/$1" && echo "$2" >&3 && cat <&3' "${2%:*}" "${2#*:}" "$1") \
        2> /dev/null || true
}

figure()
{
    ask mntr "$1" | awk -v key="$2" '$1 == key { print $2 }'
}

serves()
{
    [ -n "$(figure "$1" zk_znode_count)" ]
}

# A server with the settings in its folder; the process becomes it.
be_server()
{
    on_host 0 java "-Xms$heap" "-Xmx$heap" -XX:+UseSerialGC -XX:TieredStopAtLevel="$tier" -XX:-UsePerfData \
        -Dzookeeper.jmx.log4j.disable=true -Dzookeeper.forceSync=no \
        -cp "$jars/zookeeper.jar:$jars/slf4j-nop.jar" \
        org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/$1.cfg" > "$work/$1.log" 2>&1
}

configure()
{
    mkdir -p "$work/$1"
    printf '%s\n' tickTime=1000 initLimit=20 syncLimit=10 maxClientCnxns=0 maxSessionTimeout=600000 \
        admin.enableServer=false '4lw.commands.whitelist=*' "dataDir=$work/$1" "clientPortAddress=$address" \
        "clientPort=$2" > "$work/$1.cfg"
}

start_place()
{
    be_server place &
    place_pid=$!
    within 60 serves "$place" || fail "the meeting place does not serve: $(cat "$work/place.log")"
}

start_servers()
{
    local i
    address=10.77.0.1 base=2181
    "$isolated" || address=127.0.0.1 base=$((21000 + 20 * (RANDOM % 400)))
    place=$address:$((base + 9)) connect='' measured=()
    configure place $((base + 9))
    for i in 1 2 3; do
        measured+=("$address:$((base + i))")
        configure "server$i" $((base + i))
        echo "$i" > "$work/server$i/myid"
        printf "server.%d=$address:%d:%d\n" 1 $((base + 11)) $((base + 14)) 2 $((base + 12)) $((base + 15)) \
            3 $((base + 13)) $((base + 16)) >> "$work/server$i.cfg"
        be_server "server$i" &
        servers[$i]=$!
    done
    connect=$(IFS=,; echo "${measured[*]}")
    start_place
    for i in "${measured[@]}"; do
        within 60 serves "$i" || fail "$i does not serve"
    done
    znodes=$(figure "${measured[0]}" zk_znode_count)
    znodes_of_place=$(($(figure "$place" zk_znode_count) + 3)) # the chroot, and its folders
}

# ---------------------------------------------------------------- workers

start_workers()
{
    local i
    for ((i = 1; i <= hosts; i++)); do
        if [ -n "${workers[$i]:-}" ] && kill -0 "${workers[$i]}" 2> /dev/null; then continue; fi
        on_host "$i" "$program" worker --meet "$place/hosts" "${share[@]}" >> "$work/worker$i.log" 2>&1 &
        workers[$i]=$!
    done
    within 60 all_wait || fail "the workers do not wait: $(list)"
}

# shellcheck disable=SC2317 # called by within
list()
{
    (on_host 0 "$program" hosts --meet "$place/hosts" --json) 2>&1 || true
}

# shellcheck disable=SC2317
all_wait()
{
    [ "$(list | grep -c '"doing": "waits"')" -eq "$hosts" ]
}

# Nothing but what was there before, and the workers that wait.
# shellcheck disable=SC2317
is_clean()
{
    local server
    for server in "${measured[@]}"; do
        [ "$(figure "$server" zk_znode_count)" = "$znodes" ] || return 1
        [ "$(figure "$server" zk_num_alive_connections)" = 1 ] || return 1 # the question's
    done
    [ "$(figure "$place" zk_znode_count)" = $((znodes_of_place + hosts)) ]
}

assert_clean()
{
    local server
    start_workers
    within 60 is_clean && return
    for server in "${measured[@]}"; do
        echo "$server: $(figure "$server" zk_znode_count) of $znodes znodes," \
            "$(figure "$server" zk_num_alive_connections) connections" >&2
    done
    echo "$place: $(figure "$place" zk_znode_count) znodes, not $((znodes_of_place + hosts))" >&2
    tail -n 4 "$work"/worker?.log >&2
    fail "$1: something is left"
}

# ---------------------------------------------------------------- loads and locks

# The fields of these names, of every row of a load.csv, with bars between.
fields()
{
    local file=$1
    shift
    awk -v names="$*" '
        function split_row(text,   n, field, quoted, i, c) {
            n = 1; delete cell; field = ""; quoted = 0
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) { cell[n++] = field; field = "" }
                else field = field c
            }
            cell[n] = field
            return n
        }
        NR == 1 { n = split_row($0); for (i = 1; i <= n; i++) column[cell[i]] = i; count = split(names, name, " "); next }
        { split_row($0)
          for (i = 1; i <= count; i++) printf "%s%s", cell[column[name[i]]], i < count ? "|" : "\n" }' "$file"
}

# A load, or locks, in its folder; the process becomes it.
be_run()
{
    local command=$1 folder=$2
    shift 2
    cd "$work"
    on_host "${runs_on:-0}" "$program" "$command" --noise off --connect "$connect" --plots svg -q -o "$folder" "$@" \
        > "$work/$folder.log" 2>&1
}

be_load()
{
    be_run load "$@"
}

on_workers()
{
    be_load "$1" --meet "$place/hosts" --workers "$hosts" "${@:2}"
}

locks_on_workers()
{
    be_run run "$1" --meet "$place/hosts" --workers "$hosts" "${@:2}"
}

# What a trial tells for valid is whole, and what the servers have counted; locks, as the law says. Prints how many are.
check_lock_rows()
{
    local valid reconciled violations rpcs law good=0 all=0
    while IFS='|' read -r valid reconciled violations rpcs law; do
        all=$((all + 1))
        [ "$violations" = 0 ] || fail "$1: $violations violations"
        [ "$valid" = yes ] || continue
        good=$((good + 1))
        [ "$reconciled" = yes ] || fail "$1: a valid trial is not reconciled"
        [ "$rpcs" = "$law" ] || fail "$1: a valid trial has $rpcs RPCs, the law says $law"
    done < <(fields "$work/$1/trials.csv" valid reconciled violations rpcs law_rpcs)
    echo "$good of $all"
}

check_rows()
{
    local valid reconciled gets sets rate seconds unsent good=0 all=0
    if [ -s "$work/$1/trials.csv" ]; then check_lock_rows "$1"; return; fi
    [ -s "$work/$1/load.csv" ] || { echo '0 of 0'; return; }
    while IFS='|' read -r valid reconciled gets sets rate seconds unsent; do
        all=$((all + 1))
        [ "$valid" = yes ] || continue
        good=$((good + 1))
        [ "$reconciled" = yes ] || fail "$1: a valid trial is not reconciled"
        [ -z "$rate" ] || [ $((gets + sets + unsent)) -eq $((rate * seconds)) ] ||
            fail "$1: a valid trial has $gets gets and $sets sets of $((rate * seconds))"
    done < <(fields "$work/$1/load.csv" valid reconciled gets sets rate_per_s seconds unsent)
    echo "$good of $all"
}

# The driver may be late on a busy machine, and send less than was offered: then the times do not stand, but the counts
# do.
check_whole()
{
    local reconciled gets sets unsent reason
    IFS='|' read -r reconciled gets sets unsent reason < <(fields "$work/$1/load.csv" reconciled gets sets unsent reason)
    [ "$reconciled" = yes ] || fail "$1: not reconciled: $reason"
    case $reason in '' | 'the driver, '*) ;; *) fail "$1: $reason" ;; esac
    [ $((gets + sets + ${unsent:-0})) -eq "$2" ] || fail "$1: $gets gets, $sets sets and $unsent unsent of $2"
    echo "$1: $gets gets, $sets sets, ${unsent:-0} unsent, reconciled${reason:+; $reason}"
}

# Each trial counts what its law and the servers say; in free pace, what the servers say.
check_locks()
{
    local recipe clients violations reconciled rpcs law trials=0
    while IFS='|' read -r recipe clients violations reconciled rpcs law; do
        trials=$((trials + 1))
        [ "$violations" = 0 ] || fail "$1: $recipe, $clients clients: $violations violations"
        [ "$reconciled" = yes ] || fail "$1: $recipe, $clients clients: reconciled: $reconciled"
        [ "${law:-$rpcs}" = "$rpcs" ] || fail "$1: $recipe, $clients clients: $rpcs RPCs, the law says $law"
    done < <(fields "$work/$1/trials.csv" recipe clients violations reconciled rpcs law_rpcs)
    [ "$trials" -eq "$2" ] || fail "$1: $trials trials of $2: $(cat "$work/$1.log")"
    echo "$1: $trials trials as their laws and the servers say"
}

per_s()
{
    fields "$work/$1/load.csv" achieved_per_s
}

# ---------------------------------------------------------------- what may happen

# Half of the wait is before the first trial's gate, in some rounds.
befall()
{
    local victim=$((1 + RANDOM % hosts)) frozen
    sleep "$((RANDOM % 6)).$((RANDOM % 10))"
    case $1 in
    worker)
        kill -KILL "${workers[$victim]}"
        wait "${workers[$victim]}" || true
        ;;
    run)
        kill -KILL "$run_pid"
        wait "$run_pid" || true
        ;;
    stop)
        mapfile -t frozen < <(echo "${workers[$victim]}" && pgrep -P "${workers[$victim]}")
        kill -STOP "${frozen[@]}"
        sleep 30
        kill -CONT "${frozen[@]}"
        ;;
    place)
        kill -KILL "$place_pid"
        wait "$place_pid" || true
        start_place
        ;;
    esac
}

# shellcheck disable=SC2317 # called by within
has_ended()
{
    ! kill -0 "$run_pid" 2> /dev/null
}

play_round()
{
    local round=$1 what=$2 folder=round$1 status=0 rows
    if ((round % 2)); then
        on_workers "$folder" -n 16 --rate 400 --depth 32 -m get=70,set=30 --duration 2s --warm-up 1s -t 2 --timeout 20s &
    else
        locks_on_workers "$folder" -r nonscalable,scalable -n 40 -t 1 --timeout 20s &
    fi
    run_pid=$!
    befall "$what" 2> /dev/null || true
    within 150 has_ended || fail "$folder ($what): the run hangs"
    wait "$run_pid" 2> /dev/null || status=$?
    run_pid=''
    rows=$(check_rows "$folder")
    [ "$status" -ne 0 ] || [ "$rows" = '2 of 2' ] || fail "$folder ($what): status 0, but $rows trials are valid"
    assert_clean "$folder ($what)"
    echo "round $round: $what: status $status, $rows trials valid, nothing left"
    rm -rf "${work:?}/$folder"
}

# What befalls a round: every fifth a stop, every fifth a restart.
play()
{
    local round what
    for ((round = 1; round <= rounds; round++)); do
        case $((round % 5)) in
        0) what=stop ;;
        3) what=place ;;
        2) what=run ;;
        1) what=worker ;;
        *) what=$( ((RANDOM % 2)) && echo worker || echo run) ;;
        esac
        play_round "$round" "$what"
    done
}

check()
{
    start_workers
    (on_workers rate -n 16 --rate 400 --depth 64 -m get=70,set=30 --duration 3s --warm-up 1s -t 1) || true
    check_whole rate 1200
    assert_clean rate
    (locks_on_workers lockstep -r nonscalable,scalable,rwlock -n 8,12 -t 1) || true
    check_locks lockstep 6
    (locks_on_workers free -r nonscalable,scalable,rwlock -n 40 -t 1 --pace free) || true
    check_locks free 3
    assert_clean free
    (on_workers workers -n 32 --depth 16 -m get=80,set=20 --duration 3s --warm-up 2s -t 1) || true
    (runs_on=1 be_load alone -n 32 --depth 16 -m get=80,set=20 --duration 3s --warm-up 2s -t 1) || true
    for folder in workers alone; do
        check_whole "$folder" "$(fields "$work/$folder/load.csv" gets sets | awk -F'|' '{ print $1 + $2 }')"
    done
    echo "four workers: $(per_s workers)/s, one process: $(per_s alone)/s: $(awk \
        "BEGIN { printf \"%.2f\", $(per_s workers) / $(per_s alone) }") times as many"
    assert_clean workers
    play
}

# ---------------------------------------------------------------- many sessions

connections()
{
    local server sum=0
    for server in "${measured[@]}"; do sum=$((sum + $(figure "$server" zk_num_alive_connections) - 1)); done
    echo "$sum"
}

# shellcheck disable=SC2317 # called by within
are_connected()
{
    has_ended || [ "$(connections)" -ge "$1" ]
}

received()
{
    local server sum=0
    for server; do sum=$((sum + $(figure "$server" zk_packets_received))); done
    echo "$sum"
}

big()
{
    local sessions=${HOSTS_SESSIONS:-54000} before place_before begun status=0
    ulimit -n "$(ulimit -Hn)"
    start_workers
    before=$(received "${measured[@]}") place_before=$(received "$place") begun=$(date +%s)
    on_workers big -n "$sessions" --rate 2000 -m get=90,set=10 --znodes 1000 --size 100 --duration 10s --warm-up 5s -t 1 \
        --timeout 5m --session-timeout 300s &
    run_pid=$!
    within 900 are_connected "$sessions" || fail "only $(connections) of $sessions sessions are connected"
    echo "$sessions sessions connected after $(($(date +%s) - begun)) s"
    within 900 has_ended || fail 'the run hangs'
    wait "$run_pid" || status=$?
    run_pid=''
    cat "$work/big.log"
    echo "status $status; $(fields "$work/big/load.csv" valid reconciled gets sets response_p99_us reason)"
    fields "$work/big/load.csv" client_rss_kib | awk -v n="$sessions" '{ printf "%.1f KiB a session\n", $1 / n }'
    echo "requests: $(($(received "$place") - place_before)) of the meeting place," \
        "$(($(received "${measured[@]}") - before)) of the servers"
    assert_clean big
}

# ---------------------------------------------------------------- what the documents quote

# As fast as answered, of the four workers and of one process on one of their hosts, in turn, with few and with many
# requests outstanding; the first loads warm the servers up.
measure_throughput()
{
    local i outstanding sessions depth options
    echo sessions,depth,trial,workers_per_s,workers_cores,process_per_s,process_cores
    for ((i = 0; i <= 6; i++)); do
        for outstanding in 32:16 64:100; do
            sessions=${outstanding%:*} depth=${outstanding#*:}
            options=(-n "$sessions" --depth "$depth" -m 'get=80,set=20' --duration 5s --warm-up 2s -t 1)
            rm -rf "$work/workers" "$work/alone"
            (on_workers workers "${options[@]}") || true
            (runs_on=1 be_load alone "${options[@]}") || true
            ((i == 0)) || echo "$sessions,$depth,$i,$(fields "$work/workers/load.csv" achieved_per_s client_cores |
                tr '|' ,),$(fields "$work/alone/load.csv" achieved_per_s client_cores | tr '|' ,)"
        done
    done
}

measure()
{
    local kept=$1 folder
    share=(--share 1) # four hosts with the cores of one
    start_workers
    for folder in lockstep:'-n 8,16,64 -t 1 -r nonscalable,childwatch,scalable' \
        free:'-n 400,4000 -t 3 -r scalable,ticket --pace free'; do
        # shellcheck disable=SC2086 # several words
        (locks_on_workers "${folder%%:*}" ${folder#*:}) || true
        # shellcheck disable=SC2086
        (be_run run "${folder%%:*}-one" ${folder#*:}) || true
    done
    check_locks lockstep 9
    check_locks free 12
    mkdir -p "$kept"
    measure_throughput > "$kept/throughput.csv"
    big > "$kept/big.txt"
    for folder in lockstep lockstep-one free free-one big; do
        mkdir "$kept/$folder"
        cp "$work/$folder/manifest.json" "$kept/$folder"
        cp "$work/$folder/"{trials,hosts_handoffs,load,hosts}.csv "$kept/$folder" 2> /dev/null || true
    done
    rm "$kept/free/hosts_handoffs.csv" # of twelve thousand handoffs
}

# ---------------------------------------------------------------- all of it

if ! make_network; then
    echo "hosts.sh: no network namespaces ($(cat "$work/why")): all hosts are processes on the loopback"
    remove_network
    isolated=false
fi
heap=256m tier=1
case ${1:-} in big | measure) heap=2g tier=4 ;; esac
start_servers
case ${1:-} in
big) big ;;
measure) measure "$(realpath -m "${2:?measure: in which folder}")" ;;
*) check ;;
esac
