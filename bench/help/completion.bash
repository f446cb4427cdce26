# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completes command lines of zkherd in bash: subcommands, the options in their help, recipes, and
# else files. In zsh it works behind `autoload -U +X bashcompinit && bashcompinit`.

# The words that a sed script makes of what zkherd prints.
_zkherd_words() { # SCRIPT ARGUMENT...
    local script=$1
    shift
    "${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null | sed -nE "$script"
}

_zkherd() {
    local options='s/^  (-.,|   ) (--[a-z-]+).*/\2/p' begun='' words=''
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local subcommand=${COMP_WORDS[1]}
    # --option=value is three words.
    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [[ $word == = ]]; then word=''; fi
    if [[ $COMP_CWORD == 1 ]]; then
        words="$(_zkherd_words 's/^  ([a-z]+)  +.*/\1/p' --help) --help --version"
    elif [[ $word != -* && $subcommand == help ]]; then
        words=$(_zkherd_words 's/^  ([a-z]+)  +.*/\1/p' help)
    elif [[ $word != -* && $before =~ ^(-r|--recipes|recipes)$ ]]; then
        words=$(_zkherd_words '1d; s/^([a-z][^ ]*) .*/\1/p' recipes)
        if [[ $word == *,* ]]; then begun=${word%,*},; fi
    elif [[ $word == -* && $subcommand == paper && $COMP_CWORD -gt 2 ]]; then
        words=$(_zkherd_words "$options" paper "${COMP_WORDS[2]}" --help)
    elif [[ $word == -* ]]; then
        words=$(_zkherd_words "$options" "$subcommand" --help)
        if [[ $subcommand == run || $subcommand == load || $subcommand == plan ]]; then
            words+=" $(_zkherd_words "$options" help servers)"
        fi
    elif [[ $COMP_CWORD == 2 && $subcommand == paper ]]; then
        words='table1 table2 table3'
    elif [[ $COMP_CWORD == 2 && $subcommand == ensemble ]]; then
        words='start status stop'
    fi
    # shellcheck disable=SC2207 # zsh has no mapfile
    COMPREPLY=($(compgen -P "$begun" -W "$words" -- "${word##*,}"))
}

complete -o default -F _zkherd zkherd
