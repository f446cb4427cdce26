# SPDX-License-Identifier: Apache-2.0
# The cells of a line of a CSV file, in cell[1] to cell[the result]; a quoted one keeps its quotes.
function split_line(line, cell,    count, at, letter, quoted) {
    if (line !~ /"/)
        return split(line, cell, ",")
    count = 1
    cell[1] = ""
    for (at = 1; at <= length(line); at++) {
        letter = substr(line, at, 1)
        if (letter == "\"")
            quoted = !quoted
        if (letter == "," && !quoted)
            cell[++count] = ""
        else
            cell[count] = cell[count] letter
    }
    return count
}
