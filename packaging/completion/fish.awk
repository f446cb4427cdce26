# SPDX-License-Identifier: Apache-2.0
# The completion for fish, from packaging/completion/table.

function quote(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}

function value(kind, words) {
    if (kind == "words") return " -x -a " quote(words)
    if (kind == "list") return " -x -a " quote("(__fish_complete_list , 'string split \" \" \"" words "\"')")
    if (kind == "folder") return " -x -a " quote("(__fish_complete_directories)")
    if (kind == "file") return " -r -F"
    return kind == "any" ? " -x" : ""
}

function within(context) { return "complete -c zkherd -n " quote("__zkherd_within '" context "'") }

BEGIN {
    FS = "\t"
    print "# fish completion for zkherd, from its own help\n"
}
$1 == "word" { lines = lines within($2) " -a " $3 " -d " quote($4) "\n" }
$1 == "folders" { lines = lines within($2) " -a '(__fish_complete_directories)'\n" }
$1 == "context" && index($2, " ") { deeper = deeper " '" $2 "'" }
$1 == "option" {
    lines = lines within($2) ($3 == "" ? "" : " -s " substr($3, 2)) " -l " substr($4, 3) value($5, $6) \
        " -d " quote($7) "\n"
}

END {
    print "# Whether what is typed is in this context: a subcommand, or one with the word that gives it a help of its own."
    print "function __zkherd_within"
    print "    set -l typed (commandline -opc)"
    print "    set -l context \"$typed[2]\""
    print "    for word in $typed[3..-1]"
    print "        if contains -- \"$typed[2] $word\"" deeper
    print "            set context \"$typed[2] $word\""
    print "        end"
    print "    end"
    print "    test \"$context\" = \"$argv\""
    print "end\n"
    print "complete -c zkherd -f"
    printf "%s", lines
}
