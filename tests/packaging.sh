#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is told twice, what is made from the help, and what a compiler must refuse: the number of the release, the targets
# of the checks, the man pages' options, the completion of command lines, a recipe that waits for no
# reply. $ZKHERD is the program. groff is left out where it is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "tests/packaging.sh: $1" >&2
    exit 1
}

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# ---------------------------------------------------------------- the release

release=$(sed -n 's/^RELEASE := //p' Makefile)
[[ $release =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the Makefile's release is '$release'"
[ "$(sed -n 's/^version: //p' CITATION.cff)" = "$release" ] || fail "CITATION.cff has another release than $release"
[[ $(grep -m1 '^## \[[0-9]' CHANGELOG.md) == "## [$release] - "* ]] || fail "CHANGELOG.md does not begin with $release"
[[ $("$ZKHERD" --version) =~ ^"zkherd $release"(-.*)?$ ]] || fail "zkherd --version does not name $release"

# The package's changelog has this release, and what is newer only before it.
changelog() { # VERSION
    packaging/changelog "$1" 'Thu, 01 Jan 2026 00:00:00 +0000' 'A <a@example.org>' <CHANGELOG.md
}
[ "$(changelog "$release" | sed -n 's/^zkherd (\(.*\)) .*/\1/p' | head -n 1)" = "$release-1" ] ||
    fail "the package's changelog of $release does not begin with that"
[ "$(changelog "$release+5.g1a" | sed -n 's/^zkherd (\(.*\)) .*/\1/p' | head -n 2 | xargs)" = "$release+5.g1a-1 $release-1" ] ||
    fail "the package's changelog of a commit after $release does not begin with both"
[ "$(changelog "$release~1a" | grep -c "^zkherd ($release-1)")" = 0 ] || fail "a package before $release has its changelog"
[ "$(changelog "$release" | wc -L)" -le 80 ] || fail "the package's changelog has lines of more than 80 columns"

# ---------------------------------------------------------------- the checks

diff <(sed -n 's/^make //p' .ci/run | sort) <(sed -n 's/^ \{10\}- //p' .github/workflows/check.yml | sort) ||
    fail ".ci/run and .github/workflows/check.yml have other targets"

# ---------------------------------------------------------------- a recipe's requests

compile_recipe() { # REQUEST: of an acquire that sends it
    printf '#include "recipes/recipe.h"\nenum recipe_step acquire(struct contender *s);\n%s\n' \
        "enum recipe_step acquire(struct contender *s) { BEGIN; $1; GRANTED; END; }" |
        "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -Ilib -Wall -Wextra -Werror -c -o /dev/null -x c - 2>&1
}
[ -z "$(compile_recipe 'AWAIT(exists(s, s->lock, NO_WATCH))')" ] || fail "a recipe with an AWAIT does not compile"
for request in 'exists(s, s->lock, NO_WATCH)' 'get_data(s, s->lock, WATCH)' 'get_children(s, s->lock, WATCH)' \
    'create(s, s->node, EPHEMERAL)' 'set_data(s, s->node, "", 0, 1)' 'delete_znode(s, s->node)' 'sync_server(s, s->lock)' \
    'multi(s, request_delete(s->node))'; do
    [[ $(compile_recipe "$request") == *unused-result* ]] || fail "$request without its AWAIT compiles"
done

# ---------------------------------------------------------------- a recipe of one's own, where zkherd is installed

# From an empty folder, with the headers that are installed, and with neither the sources nor their make.
make -s install DESTDIR="$made/root" PREFIX=/usr BUILD="$(dirname "$ZKHERD")" >/dev/null
mkdir "$made/empty"
(
    cd "$made/empty"
    "$made/root/usr/bin/zkherd" recipes --new mylock >/dev/null
    "$made/root/usr/bin/zkherd" run -d simulated -r ./mylock.c -n 1..8+1,16 -t 1 -o out >said 2>&1
    grep -q 'verdict: holds' said
    for example in "$made"/root/usr/share/doc/zkherd/examples/*.c; do
        "$made/root/usr/bin/zkherd" recipes "$example" >/dev/null 2>said
        [ ! -s said ]
    done
) || fail "a recipe in a file of its own cannot be used where zkherd is installed"

# ---------------------------------------------------------------- documents

# A source file that a document names exists.
named=$(grep -oE '\b(lib|bench|tests)/[a-z0-9_/]+\.(c|h|sh|csv)\b' docs/*.md README.md CONTRIBUTING.md | sort -u)
while IFS=: read -r document path; do
    [ -e "$path" ] || fail "$document names $path, which does not exist"
done <<<"$named"

# ---------------------------------------------------------------- man pages

# The long options of a help that describe it: not those of its examples.
options_of() { # SUBCOMMAND...
    { "$ZKHERD" "$@" --help; case "$*" in run | load | plan) "$ZKHERD" help servers ;; esac } | grep -E '^  (-.,|   ) --' | grep -oE -m99 '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'
}

# Each subcommand has a page with all its options, which a screen of 80 columns shows whole; groff complains of nothing.
subcommands=$("$ZKHERD" --help | sed -nE 's/^  ([a-z]+)  +.*/\1/p')
for subcommand in $subcommands; do
    page=$made/root/usr/share/man/man1/zkherd-$subcommand.1
    [ -e "$page" ] || fail "zkherd $subcommand has no man page"
    missing=$(comm -23 <(options_of "$subcommand" | sort -u) <(sed 's/\\-/-/g' "$page" | grep -oE -- '--[a-z][a-z-]+' | sort -u))
    [ -z "$missing" ] || fail "the man page of $subcommand lacks $missing"
    command -v groff >/dev/null || continue
    warnings=$(groff -ww -man -Tutf8 -rLL=78n -P-c -P-bou "$page" 2>&1 >"$made/page")
    [ -z "$warnings" ] || fail "$page: $warnings"
    [ "$(LC_ALL=C.UTF-8 wc -L < "$made/page")" -le 80 ] || fail "$page is wider than 80 columns"
done

# ---------------------------------------------------------------- completion

# What bash offers behind these words, the last of which is being typed.
offered() {
    COMP_WORDS=("$ZKHERD" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _zkherd
    printf '%s\n' "${COMPREPLY[@]}"
}

source bench/help/completion.bash

# Fails unless both lists have the same lines.
compare() { # WHAT EXPECTED OFFERED
    diff <(sort -u <<<"$2") <(sort -u <<<"$3") || fail "of $1 (<: expected)"
}

# Every option of a help, and no other one, is offered behind what that help is of.
for context in run load paper 'paper table1' 'paper table3' plan compare \
    plot claims 'ensemble start' recipes inspect clean help; do
    # shellcheck disable=SC2086
    compare "the options of $context" "$(options_of $context)" "$(offered $context --)"
done
compare "the subcommands" "$subcommands" "$(offered '' | grep -v '^-')"
compare "--recipes" ticket "$(offered plan -r ti)"
compare "a list of recipes" scalable,ticket "$(offered run --recipes = scalable,ti)"
compare "recipes" ticket "$(offered recipes ti)"
compare "help" paper "$(offered help pa)"
compare "ensemble" "$(printf 'start\nstatus\nstop')" "$(offered ensemble s)"
compare "what files are offered for" "" "$(offered run --out pa)"
[[ $(complete -p zkherd) == *'-o default'* ]] || fail "no files are offered"
