# SPDX-License-Identifier: Apache-2.0
# The completion for bash, from packaging/completion/table.

function join(a, b) { return a == "" ? b : a " " b }

BEGIN { FS = "\t" }
$1 == "word" { operands[$2] = join(operands[$2], $3) }
$1 == "folders" { folders[$2] = 1 }
$1 == "context" { contexts[++count] = $2; deeper = deeper (index($2, " ") ? "'" $2 "' | " : "") }
$1 == "option" {
    options[$2] = join(join(options[$2], $3), $4)
    if ($5 != "flag")
        cases = cases "    " ($3 == "" ? "" : "'" $2 " " $3 "' | ") "'" $2 " " $4 "') kind=" $5 " words='" $6 "' ;;\n"
}

END {
    sub(/ \| $/, "", deeper)
    print "# bash completion for zkherd, from its own help\n"
    print "_zkherd() {"
    print "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}"
    print "    local subcommand=${COMP_WORDS[1]} context='' kind=words words='' before='' i"
    print "    # bash takes --option=value apart."
    print "    if [[ $current == = ]]; then"
    print "        current=''"
    print "    elif [[ $option == = ]]; then"
    print "        option=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    fi"
    print "    COMPREPLY=()"
    print "    if ((COMP_CWORD > 1)); then context=$subcommand; fi"
    print "    for ((i = 2; i < COMP_CWORD; i++)); do"
    print "        case \"$subcommand ${COMP_WORDS[i]}\" in"
    print "        " deeper ") context=\"$subcommand ${COMP_WORDS[i]}\" ;;"
    print "        esac"
    print "    done"
    print "    case \"$context $option\" in"
    printf "%s", cases
    print "    *)"
    print "        case $context in"
    print "        '') words='" operands[""] " " options[""] "' ;;"
    for (i = 1; i <= count; i++) {
        c = contexts[i]
        print "        '" c "') words='" join(operands[c], options[c]) "' ;;"
    }
    print "        esac"
    print "        case $context in"
    for (c in folders) print "        '" c "') [[ $current == -* ]] || kind=folder ;;"
    print "        esac"
    print "        ;;"
    print "    esac"
    print "    if [[ $kind == list && $current == *,* ]]; then"
    print "        before=${current%,*},"
    print "        current=${current##*,}"
    print "    fi"
    print "    # A recipe may be in a file of its own."
    print "    if [[ $kind == list && $current == */* ]]; then kind=path; fi"
    print "    case $kind in"
    print "    path) mapfile -t COMPREPLY < <(compgen -P \"$before\" -f -- \"$current\") ;;"
    print "    words | list) mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"$current\") ;;"
    print "    folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;"
    print "    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;"
    print "    esac"
    print "}\n"
    print "complete -F _zkherd zkherd"
}
