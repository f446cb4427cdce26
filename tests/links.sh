#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The links and pictures between documents: each leads to a file that exists, and to a heading of it if it names one.
# Shows with an invented document that it finds those that do not.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT

# Prints those that lead nowhere. Text between ``` has no links.
lost() { # DOCUMENT...
    awk '
        # The name by which a link leads to a heading.
        function name(heading) {
            sub(/^#+ /, "", heading)
            gsub(/[^A-Za-z0-9 _\200-\377-]/, "", heading)
            gsub(/ /, "-", heading)
            return tolower(heading)
        }
        FNR == 1 { code = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
        /^```/ { code = !code }
        looking == 0 && /^#+ / { leads[FILENAME "#" name($0)] = 1 }
        looking && !code {
            for (line = $0; match(line, /\]\([^)]*\)/); line = substr(line, RSTART + RLENGTH)) {
                link = substr(line, RSTART + 2, RLENGTH - 3)
                if (link ~ /:\/\/|^mailto:/)
                    continue
                place = link ~ /^#/ ? FILENAME link : folder link
                while (sub(/[^\/]+\/\.\.\//, "", place)) {}
                file = place
                sub(/#.*/, "", file)
                if (!(place in leads))
                    leads[place] = place == file && system("test -e \"" file "\"") == 0
                if (!leads[place])
                    print FILENAME ": " link
            }
        }' "$@" looking=1 "$@"
}

found=$(lost ./*.md ./*/*.md)
[ -z "$found" ] || echo "tests/links.sh: these lead nowhere: $found"

mkdir "$made/docs"
# shellcheck disable=SC2016
printf '%s\n' '# How zkherd counts' '## What is `mntr`, or: the 4-letter word?' '[x](docs/b.md#c)' >"$made/a.md"
printf '%s\n' '# C' '[x](../a.md#how-zkherd-counts) [x](../a.md#what-is-mntr-or-the-4-letter-word)' '[x](https://a/b)' \
    '[x](#c) [x](../a.md#how-zkherd-count)' '```' '[x](code)' '```' '[x](none.md) ![x](../a.md)' >"$made/docs/b.md"
invented=$(lost "$made/a.md" "$made/docs/b.md" | sed 's/.*: //' | xargs)
[ "$invented" = '../a.md#how-zkherd-count none.md' ] || echo "tests/links.sh: found in the invented document: $invented"

[ -z "$found" ] && [ "$invented" = '../a.md#how-zkherd-count none.md' ]
