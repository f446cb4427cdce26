# SPDX-License-Identifier: Apache-2.0
# Writes a server's transaction log or snapshot, without the program's code. Each line of the input is
#
#   log VERSION                     the file begins: a log; its records have the zxids 1, 2, ...
#   snapshot [SESSION TIMEOUT]...   the file begins: a snapshot with these sessions
#   magic TEXT VERSION              the file begins: anything
#   zxid N                          of the next record
#   at MS CXID                      time, from the beginning of 2026, and request number of the next records, instead of
#                                   second ZXID and 7; `at` alone: as before
#   create SESSION PATH CVERSION [persistent]
#   refuse SESSION                  a create of a znode that is there
#   delete SESSION PATH
#   open SESSION TIMEOUT
#   close SESSION [PATH]            with the ephemeral znode that goes with it
#   record SESSION TYPE FIELDS VALUE...   i an int, l a long, f a flag, s a text, n null, a the usual ACL
#   znode PATH OWNER ZXID [PZXID [MADE]]   of a snapshot; / is its root; PZXID of its last child that came or went; MADE:
#                                   creates below it, 100 unless given
#   end BYTES                       so many zeros behind it; -BYTES: so many are missing
BEGIN {
    for (i = 1; i < 256; i++)
        code[sprintf("%c", i)] = i
    fixed_cxid = 7
}

function put(value, width,    i) {
    if (value < 0)
        value += 256 ^ width
    for (i = width - 1; i >= 0; i--)
        byte[count++] = int(value / 256 ^ i) % 256
}

function put_text(text,    i) {
    put(length(text), 4)
    for (i = 1; i <= length(text); i++)
        byte[count++] = code[substr(text, i, 1)]
}

function put_fields(fields, from,    i, field) {
    for (i = 1; i <= length(fields); i++) {
        field = substr(fields, i, 1)
        if (field == "s")
            put_text($(from++))
        else if (field == "a") {
            put(1, 4)
            put(31, 4)
            put_text("world")
            put_text("anyone")
        } else if (field == "n")
            put(-1, 4)
        else
            put($(from++), field == "l" ? 8 : field == "i" ? 4 : 1)
    }
}

function adler(from, until,    a, b, i) {
    a = 1
    b = 0
    for (i = from; i < until; i++) {
        a = (a + byte[i]) % 65521
        b = (b + a) % 65521
    }
    return b * 65536 + a
}

# A record with these fields, whose values begin at this word of the line.
function record(session, type, fields, from,    at, end) {
    at = count
    put(0, 12)
    put(session, 8)
    put(cxid, 4)
    put(zxid, 8)
    put(1767225600000 + (is_at ? at_ms : zxid % 4294967296 * 1000), 8)
    put(type, 4)
    put_fields(fields, from)
    end = count
    count = at
    put(adler(at + 12, end), 8)
    put(end - at - 12, 4)
    count = end
    put(66, 1)
    zxid++
}

function begin(magic, version,    i) {
    count = 0
    for (i = 1; i <= 4; i++)
        put(code[substr(magic, i, 1)], 1)
    put(version, 4)
    put(0, 8)
    zxid = 1
    cxid = fixed_cxid
    is_at = 0
    is_snapshot = magic == "ZKSN"
}

$1 == "log" { begin("ZKLG", $2) }
$1 == "magic" { begin($2, $3) }
$1 == "snapshot" {
    begin("ZKSN", 2)
    put(int(NF / 2), 4)
    for (i = 2; i < NF; i += 2) {
        put($i, 8)
        put($(i + 1), 4)
    }
    put(0, 4)
}
$1 == "zxid" { zxid = $2 }
$1 == "at" {
    is_at = NF > 1
    at_ms = $2
    cxid = is_at ? $3 : fixed_cxid
}
$1 == "create" {
    $0 = $1 " " $2 " " $3 " " (NF == 4) " " $4
    record($2, 1, "snafi", 3)
}
$1 == "refuse" {
    $3 = -110
    record($2, -1, "i", 3)
}
$1 == "delete" { record($2, 2, "s", 3) }
$1 == "open" { record($2, -10, "i", 3) }
$1 == "close" {
    $0 = $1 " " $2 " " (NF - 2) " " $3
    record($2, -11, $3 > 0 ? "is" : "i", 3)
}
$1 == "record" { record($2, $3, $4, 5) }
$1 == "znode" {
    put_text($2 == "/" ? "" : $2)
    put_text("data")
    put(1, 8)
    put($4, 8)
    put($4, 8)
    put(1767225600000 + 1000 * $4, 8)
    put(1767225600000, 8)
    put(0, 4)
    put(NF > 5 ? $6 : 100, 4)
    put(0, 4)
    put($3, 8)
    put(NF > 4 ? $5 : $4, 8)
}
$1 == "end" { zeros = $2 }

END {
    if (is_snapshot) {
        put_text("/")
        put(adler(0, count), 8)
        put_text("/")
    }
    for (; zeros > 0; zeros--)
        put(0, 1)
    for (i = 0; i < count + zeros; i++)
        printf "%c", byte[i]
}
