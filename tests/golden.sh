#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the program prints and writes in simulations and without servers, compared with what is kept in tests/golden,
# a file for each scenario. $ZKHERD is the program. Shows the differences; exit status 1 if there are any.
#
#     tests/golden.sh [--write] [SCENARIO]...
#
# --write keeps what the program says now. Without a name, all scenarios but those with a line "# Live", which start servers
# (tests/golden.live).
#
# A scenario begins with a shell fragment, which runs in an empty folder and calls the functions `zkherd`, `keep` and
# `outline` below. Behind the line `-- said --` is what it prints, on standard error as well, with the names of all
# files that are there at its end; behind `-- FILE --` is a file that it keeps. What differs from machine to machine, from
# day to day, or from run to run becomes a word in capital letters: tests/golden.awk, and mask below.
set -u
export LC_ALL=C
# shellcheck disable=SC1007
root=$(CDPATH= cd "$(dirname "$0")/.." && pwd) || exit 1

fail() {
    echo "tests/golden.sh: $1" >&2
    exit 1
}

program=${ZKHERD:-$root/build/zkherd}
[ -x "$program" ] || fail "$program: no such program; make builds it"
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")

write=no
if [ "${1:-}" = --write ]; then
    write=yes
    shift
fi

umask 022

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
# Somebody who does not want to wait any longer sees how far the scenario is.
trap 'cat "$made/stdout" "$made/stderr"; exit 1' HUP INT TERM

# ---------------------------------------------------------------- what a fragment calls

# shellcheck disable=SC2034
reference=$root/results/reference
pid=$made/pid

# The program with its arguments, and its exit status. It finds no other program, and so draws no plots. A fragment
# may set path and locale; the process is that of the file $pid, and ignores no signal of a terminal.
zkherd() {
    printf '$ zkherd'
    for word; do
        case $word in
        '' | *[!A-Za-z0-9_./:,=@%+-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    # shellcheck disable=SC2016
    env --default-signal=INT,QUIT -i PATH="$path" LC_ALL="$locale" HOME="$home" TMPDIR="$home" XDG_RUNTIME_DIR="$home" \
        /bin/sh -c 'echo $$ >"$0"; exec "$@"' "$pid" "$program" "$@" </dev/null
    printf 'exit status %d\n' $?
}

# Leaves the scenario out, and says why; all of them are right then.
skip() { # REASON
    echo "$1" >"$made/skipped"
    exit
}

needs() { # PROGRAM
    command -v "$1" >/dev/null || skip "there is no $1"
}

# Does something to the next program as soon as a condition holds, unless that has ended before; the scenario waits for $job.
meanwhile() { # CONDITION, ACTION: words of the shell
    rm -f "$pid"
    (
        until [ -s "$pid" ] && eval "$1"; do
            sleep 0.05
            [ ! -s "$pid" ] || kill -0 "$(cat "$pid")" || exit
        done
        eval "$2"
    ) >/dev/null 2>&1 &
    # shellcheck disable=SC2034
    job=$!
}
has_rows() { # FILE ROWS
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
}
# From then on an interruption is heeded; before, the program ends by the signal.
heeds() {
    grep -qs '^SigBlk:.*[2367abef]$' "/proc/$(cat "$pid")/status"
}

# These columns of a CSV file.
columns() { # FILE COLUMN...
    file=$1
    shift
    simplify <"$file" | awk -v names="$*" "$(cat "$root/tests/csv.awk")"'
        { split_line($0, cell) }
        NR == 1 { count = split(names, name, " "); for (i in cell) at[cell[i]] = i }
        { for (i = 1; i <= count; i++) printf "%s%s", cell[at[name[i]]], (i < count ? "," : "\n") }'
}
simplify() {
    cat
}

# Whether the files of a run or of a load agree with each other, and why there are no more trials.
agree() { # FOLDER
    (
        cd "$1" && ls ./*.part 2>/dev/null
        # shellcheck disable=SC2046
        awk -f "$root/tests/csv.awk" -f "$root/tests/agree.awk" latency.hlog manifest.json \
            $(ls trials.csv handoffs.csv sessions.csv load.csv timeline.csv operations.csv latency.csv 2>/dev/null)
        sed -nE 's/^  "cut_short": "(.*)",/cut short: \1/p' manifest.json
    )
}

# Keeps these files of the folder.
keep() {
    for file; do
        echo "-- $file --"
        filter "${file##*.}" <"$file"
    done >>"$made/kept"
}

# Of these pages what they say, and which tables they have.
outline() {
    for file; do
        filter html <"$file" | sed -nE '/^<h[123]/p; /^<caption>/p; /^(<.div>)?<ul class="(verdicts|headline)">/,/^<\/ul>/p; /^<p( class="(holds|fails|undetermined|not-valid|warning)")?>/p'
    done
}

# ---------------------------------------------------------------- what is masked

mask() {
    sed -E -e "s|$root/[^/ ]*/\.\./|ROOT/|g" -e "s|$root/|ROOT/|g" -e "s|$home|HOME|g" \
        -e 's/zkherd [0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.-]*[0-9a-z])?/zkherd VERSION/g' \
        -e 's/^( *"(zkherd_)?version": )"[0-9].*"/\1"VERSION"/' \
        -e 's|(<th scope="row">version</th><td>)[0-9][^<]*|\1VERSION|' \
        -e 's/zkherd-[0-9]{8}T[0-9]{6}Z-[0-9]+/zkherd-TIME-PID/g' \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/TIME/g' \
        -e 's/2[0-9]{3}-[0-9]{2}-[0-9]{2}/DATE/g' \
        -e 's|sha256-[A-Za-z0-9+/]{43}=|sha256-HASH|g' \
        -e "s/^( *\"($machine)\": \").*\"/\\1MACHINE\"/" -e "s/^( *\"($machine)\": )[0-9.]+/\\1MACHINE/" \
        -e "s/^( *\"($times)\": )[0-9.e-]+/\\1MEASURED/" \
        -e "s~(<th scope=\"row\">($machine)</th><td>)[^<]*~\\1MACHINE~" \
        -e 's~(<th scope="row">version</th><td>)[^<]*~\1VERSION~' \
        -e 's/(local ports L = )[0-9,]+/\1MACHINE/' \
        -e 's/^(local ports .*S\*L) .*/\1 MACHINE/' \
        -e '/"limit": "local ports"/,/}/s/: [0-9.]+/: MACHINE/'
}
machine='cpu|cores|memory_mib|kernel|architecture|open_files_max|local_ports'
times='client_cpu_s|client_rss_kib|client_cores'

filter() { # KIND, as the end of the file's name
    { awk -v kind="$1" -f "$root/tests/csv.awk" -f "$root/tests/golden.awk" || echo "$1" >>"$made/unfiltered"; } |
        { mask || echo "$1" >>"$made/unfiltered"; }
}

# Messages without their line breaks: what is masked is not everywhere as long.
unwrap() { # HOW A MESSAGE BEGINS
    awk -v begins="$1" '
        NR > 1 && /^    [^ ]/ && is_message { printf " %s", substr($0, 5); next }
        NR > 1 { print "" }
        { printf "%s", $0; is_message = $0 ~ begins }
        END { if (NR > 0) print "" }'
}

# ---------------------------------------------------------------- the scenarios

# The names of all files, a line for each folder.
list_files() {
    find . -type f | sed -E 's|^\./([^/]*)$|. \1|; s|^\./(.*)/([^/]*)$|\1 \2|' | sort | awk '
        $1 != folder { printf "%s%s:", (NR > 1 ? "\n" : ""), folder = $1 }
        { printf " %s", $2 }
        END { if (NR > 0) print "" }'
}

# What is read, below its name; nothing if there is nothing.
section() { # NAME
    unwrap '' | filter text >"$made/section"
    [ ! -s "$made/section" ] || { echo "== $1" && cat "$made/section"; }
}

# Leaves the scenario, as it is now, in the file `scenario`.
play() { # SCENARIO
    work=$made/work
    home=$made/home
    path=/nonexistent
    locale=C
    mkdir -p "$work" "$home"
    : >"$made/kept"
    sed '/^-- said --$/,$d' "$root/tests/golden/$1" >"$made/fragment"
    # shellcheck source=/dev/null
    (cd "$work" && . "$made/fragment") >"$made/stdout" 2>"$made/stderr"
    if [ -e "$made/skipped" ]; then
        echo "$1: skipped, $(cat "$made/skipped")"
        rm "$made/skipped"
        cp "$root/tests/golden/$1" "$made/scenario"
    else
        {
            cat "$made/fragment"
            echo '-- said --'
            unwrap '^zkherd: ' <"$made/stdout" | filter text
            section 'standard error' <"$made/stderr"
            (cd "$work" && list_files) >"$made/files"
            section files <"$made/files"
            cat "$made/kept"
        } >"$made/scenario"
    fi
    rm -rf "$work"
    [ ! -e "$made/unfiltered" ] || fail "$1: these could not be masked: $(xargs <"$made/unfiltered")"
}

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- $(cd "$root/tests/golden" && grep -L '^# Live$' -- *)
fi
differ=''
for scenario; do
    golden=$root/tests/golden/$scenario
    [ -f "$golden" ] || fail "$scenario: no such scenario"
    play "$scenario"
    if [ "$write" = yes ]; then
        cp "$made/scenario" "$golden"
    else
        diff -u --label "a/tests/golden/$scenario" --label "b/tests/golden/$scenario" "$golden" "$made/scenario" ||
            differ="$differ $scenario"
    fi
done
[ -z "$differ" ] || fail "these differ from what is kept (-), by what is new (+):$differ
make golden keeps what is new: look at each of its differences before you commit them"
