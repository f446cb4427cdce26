#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What clients of the field send: runs the programs of docs/examples/clients through zkherd tap.
#
#     tests/clients.sh measure OUT [NAME...]   finds their laws, and writes OUT/clients.csv, OUT/laws.csv and a folder for
#                                              each; with `table` as NAME only the two files, of what is there
#     tests/clients.sh check OUT [NAME...]     with few clients: are the counts those of the laws in results/reference?
#
# NAME is the beginning of that of rows of `programs`; without one all are run. $ZKHERD is the program, $CLIENTS has the programs that
# `make clients` has compiled. In both, the law of two locks is compared with what a relay counts that is not zkherd's.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
mode=$1 out=$2
shift 2
reference=results/reference/clients

jars=/usr/share/java
curator="java -cp $CLIENTS:$jars/curator-recipes.jar:$jars/curator-framework.jar:$jars/curator-client.jar:$jars/slf4j-nop.jar CuratorRecipes"
zookeeper="java -cp $CLIENTS:$jars/zookeeper-recipes-lock.jar:$jars/zookeeper.jar:$jars/slf4j-nop.jar JavaWriteLock"
kazoo="/usr/bin/python3 docs/examples/clients/kazoo_recipes.py"

version_of() { # LIBRARY PACKAGE
    echo "$1 $(dpkg-query -W -f '${Version}' "$2" | sed 's/-[^-]*$//')"
}

# Each law is found with the numbers up to 32, and must hold for those behind as well; ZooKeeper's own client for Java
# takes a tenth of a second to end each session. Of four clients of Curator's read/write lock one writes.
own="{n} {connect}" relayed="{n} {relay}"
many=4,8,12,16,32,33
programs="\
kazoo-lock|kazoo=python3-kazoo|Lock|$many|/usr/bin/python3 docs/examples/clients/kazoo_lock.py
kazoo-election|kazoo=python3-kazoo|Election|$many|$kazoo Election
kazoo-read-write-lock|kazoo=python3-kazoo|WriteLock, ReadLock|$many|$kazoo ReadWriteLock
kazoo-semaphore|kazoo=python3-kazoo|Semaphore|$many|$kazoo Semaphore
kazoo-double-barrier|kazoo=python3-kazoo|DoubleBarrier|$many|$kazoo DoubleBarrier
kazoo-children-watch|kazoo=python3-kazoo|ChildrenWatch|$many|$kazoo ChildrenWatch
kazoo-party|kazoo=python3-kazoo|Party|$many|$kazoo Party
curator-mutex|Curator=libcurator-recipes-java|InterProcessMutex|$many|$curator Mutex
curator-mutex-tracked|Curator=libcurator-recipes-java|the same, ensemble tracker on|$many|$curator TrackedMutex
curator-mutex-threads|Curator=libcurator-recipes-java|InterProcessMutex, n in a client|$many,1000|$curator MutexesOfOneClient
curator-mutex-shared|Curator=libcurator-recipes-java|InterProcessMutex, n threads|$many|$curator MutexOfOneClient
curator-read-write-lock|Curator=libcurator-recipes-java|InterProcessReadWriteLock|4,8,12,16,32,36|$curator ReadWriteLock
curator-semaphore|Curator=libcurator-recipes-java|InterProcessSemaphoreV2|$many|$curator SemaphoreV2
curator-leader-latch|Curator=libcurator-recipes-java|LeaderLatch|$many|$curator LeaderLatch
curator-leader-selector|Curator=libcurator-recipes-java|LeaderSelector|$many|$curator LeaderSelector
curator-double-barrier|Curator=libcurator-recipes-java|DistributedDoubleBarrier|$many|$curator DoubleBarrier
curator-path-cache|Curator=libcurator-recipes-java|PathChildrenCache|$many|$curator PathChildrenCache
curator-tree-cache|Curator=libcurator-recipes-java|TreeCache|$many|$curator TreeCache
curator-cache|Curator=libcurator-recipes-java|CuratorCache|$many|$curator CuratorCache
zookeeper-write-lock|ZooKeeper=libzookeeper-java|WriteLock, for Java|$many|$zookeeper
zookeeper-zoo-lock|ZooKeeper=libzookeeper-mt2|zoo_lock, for C|$many|$CLIENTS/zoo_lock"

fail() {
    echo "tests/clients.sh: $*" >&2
    exit 1
}

tap() { # FOLDER OPTION...: keeps the files, and what is printed beside them
    local folder=$1
    shift
    mkdir -p "$(dirname "$folder")"
    "$ZKHERD" tap -o "$folder" "$@" >"$folder.txt" 2>"$folder.log" || { cat "$folder".{txt,log} >&2; fail "$folder fails"; }
    rm -f "$folder.log" "$folder/latency.hlog"
}

# Compares counts with laws: each count of each run, where every run of the law's own equals that, and nothing else.
verify() { # LAWS COUNTS, as the columns of laws.csv and of runs.csv
    awk -F, -v laws="$1" '
        function value(text, n,    terms, count, i, sign, factor, sum) {
            gsub(/·/, "*", text); gsub(/²/, "^2", text)
            count = split(text, terms, " "); sum = 0; sign = 1
            for (i = 1; i <= count; i++) {
                if (terms[i] == "-" || terms[i] == "+") { sign = terms[i] == "-" ? -1 : 1; continue }
                factor = terms[i] ~ /^[0-9]/ ? terms[i] + 0 : terms[i] ~ /^-/ ? -1 : 1
                sum += sign * factor * (terms[i] ~ /n\^2$/ ? n * n : terms[i] ~ /n$/ ? n : 1)
            }
            return sum
        }
        FILENAME == laws { if (FNR > 1) { law[$1] = $2; exact[$1] = $3 == $4 }; next }
        $1 ~ /^[0-9]/ { found[$1, $2, $3] = $4; run[$1 SUBSEP $2] = $1; kind[$3] = 1 }
        END {
            for (counted in law) kind[counted] = 1
            for (counted in kind) for (one in run) {
                have = found[one, counted] + 0
                if (!(counted in law)) expected = 0
                else if (exact[counted]) expected = value(law[counted], run[one])
                else continue
                compared++
                if (have != expected) { print "n = " run[one] ": " have " " counted ", not " expected; bad = 1 }
            }
            if (!compared) print "nothing was compared"
            exit bad || !compared
        }' "$1" "$2" >&2
}

like() { # FOLDER: the recipe of zkherd with the same counts
    sed -e ':again' -e '$!N' -e 's/\n    / /; t again' -e 'P; D' "$1.txt" |
        sed -n "s/^The counts are those of zkherd's recipe \(.*\)$/\1/p"
}

# The laws of a program in the reference, as the columns of laws.csv, and the recipe that is like it.
known() { # NAME
    sed -n "1s/^name,//p; s/^$1,//p" "$reference/laws.csv"
}
known_like() { # RECIPE
    sed -n "s/^\"[^\"]*\",\"$1\",.*,\"\([^\"]*\)\"$/\1/p" "$reference/clients.csv"
}

run() { # NAME LIBRARY=PACKAGE RECIPE NUMBERS COMMAND
    # shellcheck disable=SC2086 # the command's words
    if [ "$mode" = measure ]; then
        tap "$out/$1" --drain -n "$4" -- $5 $own
        rm -f "$out/$1"/{clients,herds,seconds}.csv
    elif [[ $1 != curator-mutex-tracked && $1 != curator-mutex-shared ]]; then
        tap "$out/$1" --drain --duration 1m --fsync no --heap 64 -n 4,8,12 -- $5 $own
        verify <(known "$1") "$out/$1/runs.csv" || fail "$1 differs from its law"
        # By how much a recipe is exceeded cannot be told with three numbers.
        [[ $(known_like "$3") == *' more' || $(like "$out/$1") == "$(known_like "$3")" ]] ||
            fail "$1 is not as $(known_like "$3"), but as $(like "$out/$1")"
    fi
}

# What passes a relay that shares nothing with zkherd's, behind which the tap is, is what the law says.
run_independently() { # NAME LIBRARY=PACKAGE RECIPE NUMBERS COMMAND
    local numbers=4,8,12 counts=$out/$1/independent.csv least
    [ "$mode" != measure ] || numbers=8,33,100
    least=${numbers%%,*}
    # shellcheck disable=SC2086 # the command's words
    tap "$out/independent-$1" --drain --duration 1m --fsync no --heap 64 -n $numbers -- \
        /usr/bin/python3 tests/independent_relay.py "$counts" $own $5 $relayed
    sed -i "/^$least,1,/d" "$counts" # the parents are made then
    verify <(if [ "$mode" = measure ]; then cat "$out/$1/laws.csv"; else known "$1"; fi) "$counts" || fail "$1 differs from its law, as an independent relay counts"
    diff <(grep '^[0-9]' "$out/independent-$1/runs.csv" | cut -d, -f1,3,4 | sort) <(cut -d, -f1,3,4 "$counts" | sort) ||
        fail "the tap counts otherwise than an independent relay"
    rm -r "$out/independent-$1" "$out/independent-$1.txt"
    echo "$1 at n = $numbers: an independent relay counts what the law says, difference 0"
}

# A row of clients.csv.
tell() { # NAME LIBRARY=PACKAGE RECIPE
    awk -F, -v recipe="$3" -v like="$(like "$out/$1")" \
        -v library="$(version_of "${2%=*}" "${2#*=}")" '
        function add(list, text) { return list (list == "" ? "" : ", ") text }
        FNR == 1 || $1 == "closeSession" || $2 == "0" { next }
        { law = $2 != "" ? $2 : sprintf("about n^%.2f", $6) }
        NR == 3 || $4 < least { least = $4; runs = $4 != "" ? $4 " of " $3 : "" }
        $1 == "all requests" { all = law; next }
        sub(/^notification /, "", $1) { notified = add(notified, $1 " " law); next }
        { requests = add(requests, $1 " " law) }
        END { printf "\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",%s,\"%s\"\n", library, recipe, all, notified, requests, runs,
                  like }' "$out/$1/laws.csv"
}

# What is not a drain: a lock of kazoo's that nobody ever gets, and what 1,000 threads of one mutex send.
run_once() {
    # shellcheck disable=SC2086 # the command's words
    tap "$out/kazoo-deadlock" -- $kazoo Deadlock 3 '{connect}'
    # shellcheck disable=SC2086 # the command's words
    tap "$out/curator-716" -- $curator MutexOfOneClient 1000 '{connect}'
}

is_asked_for() { # NAME ASKED...
    local name=$1 asked
    for asked in "${@:2}"; do [[ $name != "$asked"* ]] || return 0; done
    return 1
}

mkdir -p "$out"
while IFS='|' read -r name package recipe numbers command; do
    is_asked_for "$name" "${@:-}" || continue
    run "$name" "$package" "$recipe" "$numbers" "$command"
    [[ $name != kazoo-lock && $name != curator-mutex ]] ||
        run_independently "$name" "$package" "$recipe" "$numbers" "$command"
done <<<"$programs"
[ "$mode" = check ] || {
    [ $# -gt 0 ] || run_once
    {
        echo library,recipe,requests,notifications,operations,runs,like
        while IFS='|' read -r name package recipe _; do
            [ ! -e "$out/$name/laws.csv" ] || tell "$name" "$package" "$recipe"
        done <<<"$programs"
    } >"$out/clients.csv"
    while IFS='|' read -r name _; do
        [ ! -e "$out/$name/laws.csv" ] || sed "s/^/$name,/; 1s/^$name/name/" "$out/$name/laws.csv"
    done <<<"$programs" | awk 'NR == 1 || !/^name,/' >"$out/laws.csv"
    awk -F'","|",|,"|"$' '
        function pad(text, width,    shown) {
            shown = text; gsub(/[\200-\277]/, "", shown)
            return sprintf("%s%*s", text, width > length(shown) ? width - length(shown) : 0, "")
        }
        NR == 1 { print pad("recipe", 36) pad("requests", 18) pad("notifications", 0); next }
        $1 != library { print $1; library = $1 }
        { print "  " pad($2, 34) pad($3, 18) $4; if ($7 != "") print pad("", 36) "as " $7 }' \
        <(sed 's/^"//' "$out/clients.csv")
}
