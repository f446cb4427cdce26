# SPDX-License-Identifier: Apache-2.0
# What tests/golden.sh keeps of a file whose name ends with kind: a CSV file without what was measured of the program
# itself, which is told by its columns; a page without its style, script and pictures, and in fewer lines.
BEGIN {
    is_csv = kind == "csv"
    is_page = kind == "html"
    measured = "^(client_cpu_s|client_rss_kib|client_cores|client_cores_low|client_cores_high)$"
}

is_csv {
    count = split_line($0, cell)
    if (FNR == 1)
        for (i = 1; i <= count; i++)
            is_masked[i] = cell[i] ~ measured
    for (i = 1; i <= count; i++)
        printf "%s%s", (i > 1 ? "," : ""), (FNR > 1 && is_masked[i] && cell[i] != "" ? "MEASURED" : cell[i])
    print ""
    next
}

# From the line with the tag to that which ends it only the tag is kept.
is_page && left_out != "" {
    if (index($0, left_out))
        left_out = ""
    next
}
is_page && match($0, /<(style|script|svg)[ >]/) {
    tag = substr($0, RSTART + 1, RLENGTH - 2)
    print substr($0, 1, RSTART - 1) "<" tag ">"
    if (!index($0, "</" tag ">"))
        left_out = "</" tag ">"
    next
}
# A tag without a text stands behind what is before it, and so do the cells of a row.
is_page && /^(<[^>]*>)+$/ && !/^<(h[1-6]|p|li|pre)[ >]/ {
    printf "%s", $0
    is_open = 1
    next
}
is_page && /<th scope="(row|col)">[^<]*<\/th>$/ {
    printf "%s", $0
    is_open = 1
    next
}
is_page && is_open && !/^<td>/ {
    print ""
}
{
    print
    is_open = 0
}
END {
    if (is_open)
        print ""
}
