# SPDX-License-Identifier: Apache-2.0
# The files of a run or of a load beside each other: prints what does not agree. Usage, in their folder:
#     awk -f csv.awk -f agree.awk FILE...
function complain(what) {
    print what
    failed = 1
}

FNR == 1 { table = FILENAME }

table == "latency.hlog" {
    if (/^Tag=second,/) seconds_logged++
    else if (/^Tag=second\.(reads|writes),/) halves_logged++
    else if (/^Tag=/) logged++
    next
}
table == "manifest.json" {
    if (/"trials_finished"/) finished = $2 + 0
    if (/"trials_planned"/) planned = $2 + 0
    if (/"cut_short"/) is_whole = $2 ~ /^null/
    next
}
FNR == 1 {
    columns[table] = split_line($0, cell)
    for (i in cell) column[table, cell[i]] = i
    next
}
{
    if (split_line($0, cell) != columns[table]) complain(table ": row " FNR - 1 " is not whole")
    rows[table]++
    for (i = 1; i <= columns[table]; i++) cells[table, rows[table], i] = cell[i]
}

# A cell; a number, if it looks like one.
function text(table, row, name,    cell) {
    if (!((table, name) in column)) complain(table " has no column " name)
    cell = cells[table, row, column[table, name]]
    return cell ~ /^[0-9]+(\.[0-9]+)?$/ ? cell + 0 : cell
}

# A row's trial: the cells of the columns that the keys of all tables have.
function trial_of(table, row,    of, i) {
    of = ""
    for (i = 1; i <= keys; i++) of = of "," text(table, row, key[i])
    return of
}

# The sum of a column over the rows of a trial where another column has a text; of no column: how many there are.
function sum(table, trial, name, where, is, also, is_also,    row, total) {
    total = 0
    for (row = 1; row <= rows[table]; row++)
        if (trials[table, row] == trial && (where == "" || text(table, row, where) ~ "^(" is ")$") &&
            (also == "" || text(table, row, also) ~ "^(" is_also ")$"))
            total += name == "" ? 1 : text(table, row, name)
    return total
}

function same(trial, what, found, expected) {
    if (found != expected) complain(substr(trial, 2) ": " what ": " found ", not " expected)
}
function near(trial, what, found, expected) {
    if (found - expected > 0.006 || expected - found > 0.006) complain(substr(trial, 2) ": " what ": " found ", not " expected)
}

# The rows of handoffs are the trial's counts; each session is there, and its grants are the trial's; each request of a
# drain has a latency, in other workloads those of the steady part; where a trial did not run to its end some were out.
function look_at_run(row, trial,    i, requests, counts, names, s, session, are_right) {
    counts = split("rpcs creates exists gets get_children sets deletes multis syncs notifications names_listed bytes_sent " \
        "bytes_received creates_failed deletes_failed notifications_spurious", names, " ")
    for (i = 1; i <= counts; i++)
        same(trial, names[i], sum("handoffs.csv", trial, names[i]), text("trials.csv", row, names[i]))
    same(trial, "sessions", sum("sessions.csv", trial, ""), text("trials.csv", row, "clients"))
    same(trial, "acquisitions", sum("sessions.csv", trial, "acquisitions"), text("trials.csv", row, "handoffs"))
    for (s = 1; s <= rows["sessions.csv"]; s++)
        if (trials["sessions.csv", s] == trial) same(trial, "a session", text("sessions.csv", s, "session"), session++)
    requests = sum("latency.csv", trial, "count", "role", "all") - \
        sum("latency.csv", trial, "count", "role", "all", "kind", "notification|handoff|acquire|release")
    if (text("trials.csv", row, "violations") > 0 || text("trials.csv", row, "reason") ~ /^session [0-9]/ ||
        (text("trials.csv", row, "workload") == "drain" && text("trials.csv", row, "handoffs") < text("trials.csv", row, "clients")))
        are_right = requests <= text("trials.csv", row, "rpcs")
    else if (text("trials.csv", row, "workload") == "drain")
        are_right = requests == text("trials.csv", row, "rpcs")
    else
        are_right = requests < text("trials.csv", row, "rpcs") && (requests > 0 || text("trials.csv", row, "stalls") > 0)
    if (!are_right) complain(substr(trial, 2) ": " requests " requests have a latency")
}

# Each kind of operation has as many answers as replies and latencies, from the sending and from the due time, of all
# sessions and by role; what follows another operation is in no mix.
function look_at_operations(row, trial,    kinds, name, i, operation, count, all) {
    kinds = split("gets=get exists=exists get_children=children sets=set creates=create deletes=delete multis=multi " \
        "trylocks=trylock unlocks=unlock create_deletes=create-delete async_deletes=async-delete all=all", name, " ")
    for (i = 1; i <= kinds; i++) {
        operation = name[i]
        sub(/.*=/, "", operation)
        sub(/=.*/, "", name[i])
        count = operation == "all" ? all : text("load.csv", row, name[i])
        if (operation != "all")
            same(trial, operation, sum("operations.csv", trial, "count", "operation", operation, "status", \
                operation == "trylock" ? "ok|node_exists" : "ok"), count)
        same(trial, "latencies of " operation, sum("latency.csv", trial, "count", "operation", operation, "from", \
            "sent"), 2 * count)
        same(trial, "responses of " operation, sum("latency.csv", trial, "count", "operation", operation, "from", \
            "due"), 2 * count)
        same(trial, "latencies of all sessions, " operation, sum("latency.csv", trial, "count", "operation", operation, \
            "role", "all"), 2 * count)
        if (operation != "unlock" && operation != "async-delete") all += count
    }
}

# In each second reads and writes are what was answered, and have times. A trial that was cut short has no rate.
function look_at_seconds(row, trial,    seconds, s, operations, marks, mark, sent) {
    seconds = text("load.csv", row, "seconds")
    for (s = 1; s <= rows["timeline.csv"]; s++) {
        if (trials["timeline.csv", s] != trial) continue
        operations = text("timeline.csv", s, "reads") + text("timeline.csv", s, "writes")
        same(trial, "operations of a second", operations, text("timeline.csv", s, "operations"))
        same(trial, "seconds with a response", text("timeline.csv", s, "response_p50_us") != "", operations > 0)
        same(trial, "seconds with a read", text("timeline.csv", s, "read_p50_us") != "", text("timeline.csv", s, "reads") > 0)
        same(trial, "seconds with 100 writes", text("timeline.csv", s, "write_p99_us") != "", \
            text("timeline.csv", s, "writes") >= 100)
        same(trial, "seconds with requests outstanding", text("timeline.csv", s, "outstanding") != "", \
            text("timeline.csv", s, "second") != seconds)
        seconds_answered += operations > 0
        halves_answered += (text("timeline.csv", s, "reads") > 0) + (text("timeline.csv", s, "writes") > 0)
        mark = text("timeline.csv", s, "marks")
        marks += mark == "" ? 0 : 1 + gsub(/;/, "", mark)
    }
    same(trial, "marks", marks + text("load.csv", row, "marks_left_out"), text("load.csv", row, "marks"))
    if (text("load.csv", row, "achieved_per_s") == "") return
    same(trial, "seconds", sum("timeline.csv", trial, ""), seconds)
    near(trial, "rate", sum("timeline.csv", trial, "operations") / seconds, text("load.csv", row, "achieved_per_s"))
    same(trial, "errors", sum("timeline.csv", trial, "errors"), text("load.csv", row, "errors"))
    if (text("load.csv", row, "rate_per_s") == "") return
    sent = sum("operations.csv", trial, "count")
    near(trial, "offered", (sent - text("load.csv", row, "unlocks") - text("load.csv", row, "async_deletes") + \
        text("load.csv", row, "unsent")) / seconds, text("load.csv", row, "offered_per_s"))
}

END {
    main = ("load.csv" in rows) ? "load.csv" : "trials.csv"
    keys = split(main == "load.csv" ? "run mix sessions rate_per_s trial" : "run recipe clients trial", key, " ")
    for (table in rows)
        for (row = 1; row <= rows[table]; row++) trials[table, row] = trial_of(table, row)
    for (row = 1; row <= rows[main]; row++) {
        is_trial[trials[main, row]] = 1
        if (main == "trials.csv")
            look_at_run(row, trials[main, row])
        else {
            look_at_operations(row, trials[main, row])
            look_at_seconds(row, trials[main, row])
        }
    }
    for (of in trials) if (!(trials[of] in is_trial)) complain("a row of no trial: " trials[of])
    if (logged != rows["latency.csv"]) complain("latency.hlog has " logged ", not " rows["latency.csv"] " rows")
    if (seconds_logged != seconds_answered || halves_logged != halves_answered)
        complain("latency.hlog has other seconds than timeline.csv")
    if (finished != rows[main] || (is_whole ? planned != finished : planned <= finished))
        complain("manifest.json: " finished " of " planned " trials")
    if (!failed) print "the files of " finished (finished == 1 ? " trial" : " trials") " agree"
}
