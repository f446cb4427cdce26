# SPDX-License-Identifier: Apache-2.0
# The completion for zsh, from packaging/completion/table.

# A text within the specification of an option or a word, within single quotes.
function quote(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "'\\''", text)
    gsub(/:/, "\\:", text)
    gsub(/\[/, "\\[", text)
    gsub(/\]/, "\\]", text)
    return text
}

function value(name, kind, words) {
    sub(/^--/, "", name)
    if (kind == "words") return ":" name ":(" words ")"
    if (kind == "list") return ":" name ":_sequence compadd - " words
    if (kind == "folder") return ":" name ":_files -/"
    if (kind == "file") return ":" name ":_files"
    return kind == "any" ? ":" name ": " : ""
}

function option(letter, name, kind, words, text,  tail) {
    tail = "'[" quote(text) "]" value(name, kind, words) "'"
    if (letter == "") return name (kind == "flag" ? "" : "=") tail
    return "'(" letter " " name ")'{" letter "," name (kind == "flag" ? "" : "=") "}" tail
}

BEGIN { FS = "\t" }
$1 == "word" { words[$2] = words[$2] "        '" $3 ":" quote($4) "'\n" }
$1 == "folders" { folders[$2] = 1 }
$1 == "context" { contexts[++count] = $2; deeper = deeper (index($2, " ") ? "'" $2 "' | " : "") }
$1 == "option" { options[$2] = options[$2] " \\\n            " option($3, $4, $5, $6, $7) }

END {
    sub(/ \| $/, "", deeper)
    print "#compdef zkherd"
    print "# zsh completion for zkherd, from its own help\n"
    print "_zkherd() {"
    print "    local subcommand context word"
    print "    local -a operands"
    print "    context=${words[2]}"
    print "    if ((CURRENT == 2)); then"
    print "        operands=("
    printf "%s", words[""]
    print "        )"
    print "        _describe -t commands subcommand operands"
    print "        _arguments" options[""]
    print "        return"
    print "    fi"
    print "    subcommand=$context"
    print "    for word in ${words[3,CURRENT-1]}; do"
    print "        case \"$subcommand $word\" in"
    print "        " deeper ") context=\"$subcommand $word\" ;;"
    print "        esac"
    print "    done"
    print "    shift words"
    print "    ((CURRENT--))"
    print "    case $subcommand in"
    for (c in words) if (c != "") printf "    %s) operands=(\n%s    ) ;;\n", c, words[c]
    print "    esac"
    print "    case $context in"
    for (i = 1; i <= count; i++) {
        c = contexts[i]
        split(c, part, " ")
        print "    '" c "')"
        print "        _arguments -s" options[c] \
            (part[1] in words ? " \\\n            '1:operand:{_describe operand operands}'" : "") \
            (c in folders ? " \\\n            '*:folder:_files -/'" : "")
        print "        ;;"
    }
    print "    esac"
    print "}\n"
    print "_zkherd \"$@\""
}
