#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a relay that reads every message costs beside one that only copies bytes: zkherd tap and HAProxy in turn, in
# front of the same server, under the same load, a closed loop of reads on so many connections.
#
#     tests/relay_cost.sh OUT    writes OUT/cost.csv, a row for each trial, and OUT/cost.txt with the medians
#
# $ZKHERD is the program. Of both the CPU time of the process is measured, system calls included, for each request and each
# reply that passed it.
set -euo pipefail
out=$1 work=$(mktemp -d)
sessions="100 1000 5000" trials=3
port=$("$ZKHERD" ensemble start --servers 1 --heap 1024 | sed 's/.*://')
proxy=
finish() {
    [ -z "$proxy" ] || kill "$proxy"
    "$ZKHERD" ensemble stop >"$work/stop.log"
    rm -rf "$work"
}
trap finish EXIT

cat >"$work/haproxy.cfg" <<CONFIGURATION
global
    nbthread 1
    maxconn 9000
defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
listen zookeeper
    bind 127.0.0.1:$((port + 1000))
    server one 127.0.0.1:$port
CONFIGURATION
haproxy -f "$work/haproxy.cfg" -db >"$work/haproxy.log" 2>&1 &
proxy=$!

packets() { # received by the server
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf mntr >&3
    sed -n 's/^zk_packets_received\t//p' <&3
    exec 3<&-
}

cpu_us() { # of the proxy, so far
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1e6 / hz }' "/proc/$proxy/stat"
}

load() { # SESSIONS CONNECT: the arguments of zkherd
    echo load --no-files -q --noise off -t 1 --mix get=100 --size 100 --warm-up 1s --duration 5s -n "$1" --connect "$2"
}

through_zkherd() { # SESSIONS
    # shellcheck disable=SC2046 # the command's words
    "$ZKHERD" tap --no-files --json --connect "127.0.0.1:$port" -- "$ZKHERD" $(load "$1" '{}') 2>"$work/log" |
        sed -n 's/.*"cpu_us_per_message": *\([0-9.]*\).*/\1/p'
}

through_haproxy() { # SESSIONS
    local cpu received
    cpu=$(cpu_us) received=$(packets)
    # shellcheck disable=SC2046 # the command's words
    "$ZKHERD" $(load "$1" "127.0.0.1:$((port + 1000))") >"$work/log" 2>&1
    # A reply for each request, and the question for the counters that came last.
    awk -v cpu="$(cpu_us)" -v before="$cpu" -v now="$(packets)" -v received="$received" \
        'BEGIN { print (cpu - before) / (2 * (now - received - 1)) }'
}

mkdir -p "$out"
echo relay,connections,trial,cpu_us_per_message >"$out/cost.csv"
for trial in $(seq $trials); do
    for count in $sessions; do
        printf 'zkherd,%s,%s,%.2f\n' "$count" "$trial" "$(through_zkherd "$count")"
        printf 'HAProxy,%s,%s,%.2f\n' "$count" "$trial" "$(through_haproxy "$count")"
    done
done >>"$out/cost.csv"

median() { # RELAY CONNECTIONS
    grep "^$1,$2," "$out/cost.csv" | cut -d, -f4 | sort -n | sed -n "$((trials / 2 + 1))p"
}
{
    echo "CPU time a message, medians of $trials trials"
    echo "connections  zkherd us  HAProxy us  ratio"
    for count in $sessions; do
        awk -v count="$count" -v ours="$(median zkherd "$count")" -v theirs="$(median HAProxy "$count")" \
            'BEGIN { printf "%11d  %9.2f  %10.2f  %5.2f\n", count, ours, theirs, ours / theirs }'
    done
} >"$out/cost.txt"
