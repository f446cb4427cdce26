#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Loads of four hosts, in network namespaces of their own, with a server and a meeting place in another. Without the
# right to make namespaces all of them are processes on the loopback, and it says so.
#
#   hosts.sh [PART]...            counts: of four hosts and of one; shared: meeting at the measured server; leader, kill,
#                                 interrupt, worker: rank 0 or a host is killed or interrupted, or its worker stopped;
#                                 without a PART all but kill and worker
#   hosts.sh disturb KILLS FREEZES RESTARTS
#                                 as many rounds, a line each: a random host is killed, or frozen for 30 s, or the meeting
#                                 place is restarted, at a random moment; no result may be wrong, nothing hang or be left
#   hosts.sh compare N OPTION...  N times a load of four hosts and one of one process: answers per second, memory of a session
#
# $ZKHERD is the program (build/zkherd). A round can be made again with the seed that is printed: HOSTS_SEED.
set -euo pipefail

program=$(realpath "${ZKHERD:-build/zkherd}")
here=$(realpath "$(dirname "$0")")
jars=/usr/share/java
hosts=4
moments=70 # of a round's beginning: tenths of a second
seed=${HOSTS_SEED:-$$}
work=$(mktemp -d)
name=zkh$$
RANDOM=$seed
declare -A running=() servers=() znodes=()

# ---------------------------------------------------------------- the network

# A bridge in the namespace of the servers, and a pair of interfaces for each host.
make_network()
{
    local i
    ip netns add "$name" 2> /dev/null || return 1
    ip -n "$name" link set lo up
    ip -n "$name" link add bridge type bridge 2> /dev/null || return 1
    ip -n "$name" address add 10.77.0.1/24 dev bridge
    ip -n "$name" link set bridge up
    for ((i = 0; i < hosts; i++)); do
        ip netns add "$name-$i" || return 1
        ip -n "$name" link add "to$i" type veth peer name eth0 netns "$name-$i" || return 1
        ip -n "$name" link set "to$i" master bridge up
        ip -n "$name-$i" link set lo up
        ip -n "$name-$i" address add "10.77.0.$((10 + i))/24" dev eth0
        ip -n "$name-$i" link set eth0 up
    done
}

# Runs a command, in place of this shell, in a namespace: that of the servers is "", of a host its number.
in_place()
{
    local place=$1
    shift
    if ! "$isolated"; then exec "$@"; fi
    exec ip netns exec "$name${place:+-$place}" "$@"
}

# ---------------------------------------------------------------- ends

fail()
{
    echo "hosts.sh: $* (HOSTS_SEED=$seed)" >&2
    tail -n 5 "$work"/*.log >&2
    exit 1
}

# shellcheck disable=SC2317 # called by the trap
clean()
{
    local pid i
    for pid in "${running[@]}" "${servers[@]}"; do
        kill -CONT -- "-$pid" 2> /dev/null || true
        kill -KILL -- "-$pid" 2> /dev/null || true
    done
    wait 2> /dev/null || true
    for i in '' 0 1 2 3; do ip netns delete "$name${i:+-$i}" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Tries a command until it succeeds, for as many seconds.
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

figure()
{
    # shellcheck disable=SC2016 # the inner shell's
    (in_place '' timeout 5 bash -c 'exec 3<> "/dev/tcp/$0/$1" && echo mntr >&3 && cat <&3' "$address" "$1") 2> /dev/null |
        awk -v key="$2" '$1 == key { print $2 }' || true
}

# shellcheck disable=SC2317 # called by within
serves()
{
    [ -n "$(figure "$1" zk_znode_count)" ]
}

# A server on a port, with a tick in milliseconds; the longest session timeout is 20 ticks.
start_server()
{
    mkdir -p "$work/$1"
    printf '%s\n' "tickTime=$2" maxClientCnxns=0 admin.enableServer=false '4lw.commands.whitelist=*' \
        "dataDir=$work/$1" "clientPortAddress=$address" "clientPort=$1" > "$work/$1.cfg"
    (set -m; in_place '' setsid java "-Xms$heap" "-Xmx$heap" -XX:+UseSerialGC -XX:TieredStopAtLevel="$tier" \
        -XX:-UsePerfData -Dzookeeper.jmx.log4j.disable=true -Dzookeeper.forceSync=no -Dzookeeper.preAllocSize=64 \
        -cp "$jars/zookeeper.jar:$jars/slf4j-nop.jar" org.apache.zookeeper.server.quorum.QuorumPeerMain \
        "$work/$1.cfg" > "$work/$1.log" 2>&1) &
    servers[$1]=$!
    within 120 serves "$1" || fail "$1 does not serve"
}

# ---------------------------------------------------------------- loads

options=(--mix 'get=60,set=30,create=10' --noise off --plots svg)

# Waits for all hosts; their statuses in their order.
await_hosts()
{
    local host
    statuses=()
    within 180 have_ended || fail "$1 hangs"
    for ((host = 0; host < ${#running[@]}; host++)); do
        statuses[host]=0
        wait "${running[$host]}" 2> /dev/null || statuses[host]=$?
    done
    running=()
}

# shellcheck disable=SC2317 # called by within
have_ended()
{
    local pid
    for pid in "${running[@]}"; do
        ! kill -0 "$pid" 2> /dev/null || return 1
    done
}

# Starts a load of all hosts, each with a folder, a log, and a seed, of which that of rank 0 counts.
load()
{
    local folder=$1 host
    shift
    for ((host = 0; host < hosts; host++)); do
        (cd "$work" && in_place "$host" setsid "$program" load "${options[@]}" --connect "$address:$measured" \
            --meet "$address:$meet/lab" --hosts "$hosts" --seed "$host" -o "$folder$host" "$@" > "$folder$host.log" 2>&1) &
        running[$host]=$!
    done
}

# Only rank 0 keeps its folder, whose name becomes $kept; "" if it was killed.
find_kept()
{
    kept=$(cd "$work" && find . -path "./$1[0-9]/load.csv" -printf '%h' -quit)
}

# A load of one process.
load_alone()
{
    local folder=$1
    shift
    (cd "$work" && in_place 0 "$program" load "${options[@]}" --connect "$address:$measured" -q -o "$folder" "$@" \
        > "$folder.log" 2>&1) || true
}

# The fields of these names of a file's rows, with bars between.
fields()
{
    local file=$1
    shift
    awk -v names="$*" "$(cat "$here/csv.awk")"'
        NR == 1 { n = split_line($0, cell); for (i = 1; i <= n; i++) at[cell[i]] = i; count = split(names, name, " "); next }
        { split_line($0, cell); for (i = 1; i <= count; i++) printf "%s%s", cell[at[name[i]]], i < count ? "|" : "\n" }' \
        "$work/$file"
}

# A trial that reached its end has all that was offered, and the servers have counted it; only such a one is valid.
# Prints how many are, and how many are valid.
check_rows()
{
    local valid reconciled gets sets creates unsent rate seconds whole=0 good=0 all=0
    while IFS='|' read -r valid reconciled gets sets creates unsent rate seconds; do
        all=$((all + 1))
        [ "$valid" = no ] || good=$((good + 1))
        [ "$valid$reconciled" = nona ] && continue
        whole=$((whole + 1))
        [ "$reconciled" = yes ] || fail "$1: $reconciled: the servers have counted otherwise"
        [ $((gets + sets + creates + unsent)) -eq $((rate * seconds)) ] || fail "$1: $gets, $sets and $creates of $rate a second"
    done < <(fields "$1/load.csv" valid reconciled gets sets creates unsent rate_per_s seconds)
    echo "$whole of $all whole, $good valid"
}

# Nothing is left on either server but what was there.
# shellcheck disable=SC2317 # called by within
is_clean()
{
    local server
    for server in "$measured" "$meet"; do
        [ "$(figure "$server" zk_znode_count)" = "${znodes[$server]}" ] || return 1
        [ "$(figure "$server" zk_num_alive_connections)" = 1 ] || return 1 # the question's
        [ "$(figure "$server" zk_ephemerals_count)" = 0 ] || return 1
    done
}

assert_clean()
{
    within 30 is_clean || fail "$1: $(figure "$measured" zk_znode_count) znodes of ${znodes[$measured]}, at the meeting" \
        "place $(figure "$meet" zk_znode_count) of ${znodes[$meet]}"
}

# ---------------------------------------------------------------- counts

# The sum of the hosts' histograms in the log is that of all.
sum_histograms()
{
    python3 - "$work/$1/latency.hlog" << 'END'
import base64, collections, sys, zlib

def counts(text):
    raw = zlib.decompress(base64.b64decode(text)[8:])
    at, slot, found = 40, 0, {}
    while at < len(raw):
        bits = shift = 0
        while shift <= 56 and (shift == 0 or raw[at - 1] > 127):
            bits |= (raw[at] if shift == 56 else raw[at] & 127) << shift
            at, shift = at + 1, shift + 7
        number = bits >> 1 ^ -(bits & 1)
        if number > 0:
            found[slot] = number
        slot += 1 if number >= 0 else -number
    return collections.Counter(found)

logged = [line[4:].rstrip().split(',') for line in open(sys.argv[1]) if line.startswith('Tag=')]
times = {tag: (counts(text), float(largest)) for tag, _, _, largest, text in logged}
parts = [times[tag] for tag in times if tag.startswith('host.')]
total = sum((part[0] for part in parts), collections.Counter())
assert len(parts) == 4 and (total, max(part[1] for part in parts)) == times['all.due.all']
print(f'{sum(total.values())} times: those of all are the sum of 4 hosts')
END
}

# The columns of the hosts add up to those of the load and of its seconds.
add_up_hosts()
{
    local whole answered
    whole=$(fields "$1/load.csv" sessions unsent rpcs client_rss_kib client_cores)
    answered=$(fields "$1/timeline.csv" operations | awk '{ sum += $1 } END { print sum }')
    fields "$1/hosts.csv" host_sessions unsent rpcs client_rss_kib client_cores operations |
        awk -F '|' -v whole="$whole|$answered" '
            { for (i = 1; i <= NF; i++) sum[i] += $i }
            END { for (n = split(whole, of, "|"); n > 0; n--) if ((sum[n] - of[n]) ^ 2 > 1e-4) exit 1 }'
}

check_counts()
{
    local one four options_here=(-n 18 --rate 200 --depth 64 --duration 2s --warm-up 1s -t 1 -P 2)
    load counts "${options_here[@]}"
    await_hosts counts
    [[ ${statuses[*]} =~ ^(0 0 0 0|4 4 4 4)$ ]] || fail "counts: ${statuses[*]}"
    find_kept counts
    one=$(fields "$kept/load.csv" gets sets creates errors unsent offered_per_s reconciled)
    sum_histograms "$kept" || fail 'counts: the histograms differ'
    add_up_hosts "$kept" || fail "counts: $(cat "$work/$kept/hosts.csv")"
    assert_clean counts
    load_alone alone "${options_here[@]}" --seed "$(fields "$kept/load.csv" seed)"
    four=$(fields alone/load.csv gets sets creates errors unsent offered_per_s reconciled)
    [ "$one" = "$four" ] || fail "counts: four hosts: $one, one: $four"
    echo "four hosts and one: $one (gets, sets, creates, errors, unsent, offered, reconciled)"
}

# Meets at the server that is measured.
check_shared()
{
    local meet=$measured
    load shared -n 8 --duration 1s --warm-up 0 -t 1
    await_hosts shared
    find_kept shared
    [ "$(fields "$kept/load.csv" reconciled)" = yes ] || fail "shared: $(fields "$kept/load.csv" reconciled reason)"
    fields "$kept/findings.csv" sentence | grep -o '[0-9]* requests to these servers were of their meeting' ||
        fail 'shared: the meeting is not told'
}

# ---------------------------------------------------------------- what may happen

# shellcheck disable=SC2317 # called by within
knows_leader()
{
    victim=$(cd "$work" && grep -L leads "$folder"?.log | tr -dc 0-9)
    [ ${#victim} -eq 1 ]
}

# The host's session: its processes with it.
strike()
{
    kill "-$1" -- "-${running[$victim]}" 2> /dev/null || true
}

play_round()
{
    local folder=$1 what=$2 victim=$((RANDOM % hosts)) moment=$((RANDOM % moments)) rows='none kept' begun=$SECONDS
    local host others=()
    load "$folder" -n 16 --rate 200 --depth 32 --duration 2s --warm-up 500ms -t 2 --timeout 20s --session-timeout 4s \
        --meet-timeout 30s
    sleep "$((moment / 10)).$((moment % 10))"
    case $what in
    leader)
        within 30 knows_leader || fail "$folder: nobody leads"
        sleep 1 # its znodes are there
        strike KILL
        ;;
    worker) # nothing moves there for the --timeout
        within 30 pgrep -P "${running[$victim]}" > /dev/null || fail "$folder: no worker"
        kill -STOP "$(pgrep -o -P "${running[$victim]}")"
        ;;
    kill) strike KILL ;;
    interrupt) strike TERM ;;
    freeze)
        strike STOP
        sleep 30
        strike CONT
        ;;
    restart)
        kill -KILL -- "-${servers[$meet]}"
        wait "${servers[$meet]}" 2> /dev/null || true
        start_server "$meet" 400
        ;;
    esac 2> /dev/null
    await_hosts "$folder"
    find_kept "$folder"
    [ -z "$kept" ] || rows=$(check_rows "$kept")
    # No host ends with 0 unless all do, and only after whole trials.
    for host in "${!statuses[@]}"; do
        [ "$host" = "$victim" ] || others+=("${statuses[$host]}")
    done
    [[ ${others[*]} != *0* || ${others[*]} =~ ^[0\ ]*$ ]] || fail "$folder: statuses ${statuses[*]}"
    [ "${others[0]}" != 0 ] || [[ $rows = '2 of 2 whole'* ]] || fail "$folder: status 0, but $rows"
    # A place that was not back in time has an empty folder, which the next meeting there removes.
    if [ "$what" = restart ] && ! within 20 is_clean; then
        rows+='; the next meeting has removed a folder'
        load_alone next --hosts 1 --meet "$address:$meet/lab" -n 1 --duration 1s --warm-up 0 -t 1
    fi
    assert_clean "$folder"
    echo "$what host $victim after $((moment / 10)).$((moment % 10)) s: statuses ${statuses[*]}; $rows; $((SECONDS - begun)) s"
    rm -rf "$work/$folder"?*
}

disturb()
{
    local round=0 what count
    echo "HOSTS_SEED=$seed; namespaces: $isolated"
    for what in "kill $1" "freeze $2" "restart $3"; do
        for ((count = ${what#* }; count > 0; count--)); do
            play_round "round$((++round))-" "${what% *}"
        done
    done
    echo "$round rounds: 0 wrong results, 0 hangs, nothing left"
}

# ---------------------------------------------------------------- what the documents quote

# The server's virtual machine has compiled what it runs before the first round.
compare()
{
    local round rounds=$1 run
    shift
    ulimit -n "$(ulimit -Hn)"
    load_alone warm "$@"
    for ((round = 1; round <= rounds; round++)); do
        load "four$round-" "$@"
        await_hosts four
        find_kept "four$round-"
        load_alone "one$round" "$@"
        for run in "$kept" "one$round"; do
            [ -e "$work/$run/load.csv" ] || { echo "$run: none: $(tail -n 1 "$work/$run.log")"; continue; }
            fields "$run/load.csv" sessions client_rss_kib achieved_per_s reconciled |
                awk -F '|' -v of="${run#./}" '{ printf "%s: %d sessions, %.0f/s, %.1f KiB a session, reconciled %s\n", of, $1, $3, $2 / $1, $4 }'
        done
    done
    assert_clean compare
}

# ---------------------------------------------------------------- all of it

isolated=true
if ! make_network; then
    echo 'hosts.sh: no network namespaces: all hosts are processes on the loopback'
    isolated=false
fi
address=10.77.0.1 measured=2181 meet=2182 heap=128m tier=1
if ! "$isolated"; then address=127.0.0.1 measured=$((20000 + $$ % 20000)) meet=$((measured + 1)); fi
if [ "${1:-}" = compare ]; then heap=1g tier=4; fi
start_server "$measured" 1000
start_server "$meet" 400
for server in "$measured" "$meet"; do znodes[$server]=$(figure "$server" zk_znode_count); done
case ${1:-} in
disturb | compare) "$@" ;;
*)
    moments=50
    [ $# -gt 0 ] || set -- counts shared leader interrupt
    for part in "$@"; do
        case $part in
        kill | leader | interrupt | worker) play_round "$part" "$part" ;;
        *) "check_$part" ;;
        esac
    done
    ;;
esac
