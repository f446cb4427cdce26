# SPDX-License-Identifier: Apache-2.0
# load_timeline: answered operations, and the median and p99 of their response times, in every
# second of the trials: three panels for each cell, and a line for each trial; and what happened to
# the servers. A trial that is not valid is drawn, and named in the title of its panels. See
# common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_timeline.gp") - 1]."." }
load scripts."/common.gp"
label(x) = in_seconds(x)
load scripts."/load_common.gp"
cells_max = 6
# Lines at which something happened, in a panel. Where more would be needed, only what happened in
# the first trial is drawn, without the servers that were lost and back.
events_max = 16

# A file of an earlier version has no marks.
header = ""
set datafile separator "\t"
set table $header
plot run."/timeline.csv" every ::0::0 using (header = strcol(1), 0) with table
unset table
set datafile separator ","
has_marks = strstrt(",".header.",", ",marks,") > 0

# $seconds: cell, second, operations, response p50, p99 in s, errors, trial. marks: words such as
# 1:3:2:5, for cell, second, kind and server; of each kind the words as timeline.csv has them, and
# as they are drawn.
keys = ""
marks = ""
first_marks = ""
last = 0
trials = 1
high = 0
failed = 0
# Of each panel of response times.
array slow_low[2] = [1e300, 1e300]
array slow_high[2] = [0, 0]
snapshot = 5
kinds = "lost back leads no snapshot"
kinds_drawn = "lost back leader no_leader snapshot"
until_comma(text) = strstrt(text, ",") > 0 ? text[1:strstrt(text, ",") - 1] : text
behind(text, begin) = text[strstrt(text, begin) + strlen(begin):]
share(mix, kind) = strstrt(mix, kind."=") > 0 ? int(until_comma(behind(mix, kind."="))) : 0
reads_of(mix) = share(mix, "get") + share(mix, "exists") + share(mix, "children")
key_of(x) = sprintf("0:%d:%d:%d", column("sessions"), rate_of(0), \
    reads_of(strcol("mix")))
note(i, time) = time > 0 \
    ? (slow_low[i] = least(slow_low[i], time), slow_high[i] = most(slow_high[i], time), time) : NaN
see(key, second, trial, operations, errors) = ( \
    keys = with_word(keys, key), last = most(last, second), trials = most(trials, trial), \
    high = most(high, operations), failed = failed || errors > 0, place_in(keys, key))
# "server 2 leads", or "no server leads".
kind_of(mark) = place_in(kinds, word(mark, 1) eq "no" ? "no" : word(mark, 3))
server_of(mark) = word(mark, 1) eq "no" ? 0 : int(word(mark, 2))
until_semicolon(text) = strstrt(text, ";") > 0 ? text[1:strstrt(text, ";") - 1] : text
mark_word(cell, second, mark) = \
    sprintf("%d:%d:%d:%d", cell, second, kind_of(mark), server_of(mark))
is_passing(mark) = word(mark, 3) eq "lost" || word(mark, 3) eq "back"
note_mark(cell, second, mark) = kind_of(mark) == 0 ? 0 : ( \
    marks = with_word(marks, mark_word(cell, second, mark)), \
    first_marks = column("trial") == 1 && !is_passing(mark) \
        ? with_word(first_marks, mark_word(cell, second, mark)) : first_marks, 0)
note_marks(cell, second, text) = text eq "" ? 0 : ( \
    note_mark(cell, second, until_semicolon(text)), \
    strstrt(text, ";") > 0 ? note_marks(cell, second, behind(text, ";")) : 0)
marks_of(x) = has_marks ? strcol("marks") : ""
cell_of(x) = see(key_of(0), column("second"), column("trial"), column("operations"), \
    column("errors"))
noted(cell) = (note_marks(cell, column("second"), marks_of(0)), cell)
set datafile columnheaders
set table $seconds separator comma
plot run."/timeline.csv" using (noted(cell_of(0))): \
    (column("second")):(column("operations")):(note(1, number("response_p50_us") / 1e6)): \
    (note(2, number("response_p99_us") / 1e6)):(column("errors")):(column("trial")) with table
unset table
# not_valid: words such as 1:3, for cell and trial.
not_valid = ""
note_validity(cell, trial) = (not_valid = strcol("valid") eq "no" && cell > 0 \
    ? with_word(not_valid, sprintf("%d:%d", cell, trial)) : not_valid, cell)
set table $ignored
plot run."/load.csv" using (note_validity(place_in(keys, key_of(0)), column("trial"))) with table
unset table
set datafile nocolumnheaders
# Beyond an hour the times are of several seconds together, in the row of the last of these: the rows
# between do not break a line, nor does one without an answer then.
if (last > 3600) { set datafile missing NaN }

if (last < 2 || high == 0) {
    print "plots: ".run."/timeline.csv: fewer than two seconds, or no answer"
    exit status 3
}

# The trials are in a random order, and the cells in that of their numbers.
rank(key) = part(key, 2) * 2e9 + part(key, 3) * 101.0 + part(key, 4)
next_key(above, i, best) = i > words(keys) ? best : next_key(above, i + 1, \
    rank(word(keys, i)) > above && (best eq "" || rank(word(keys, i)) < rank(best)) \
        ? word(keys, i) : best)
in_rank(above) = next_key(above, 1, "") eq "" ? "" \
    : next_key(above, 1, "")." ".in_rank(rank(next_key(above, 1, "")))
sorted = in_rank(-1)
# Cell k of the plot in $seconds.
row_of_cell(k) = place_in(keys, word(sorted, k))
drawn = least(words(keys), cells_max)
alone = sessions_text(part(sorted, 2)).", ".rate_text(until_colon(after_colons(sorted, 3)))
# Which trials of a cell are not valid; of many, or where the title has no room, how many.
not_valid_named = 3
name_room = words(keys) > 1 ? 42 : 72
in_cell(item, cell) = part(item, 1) eq sprintf("%d", cell) ? part(item, 2) : ""
trials_of(cell) = (list_of = "", sum [m = 1:words(not_valid)] \
    (list_of = list_of." ".in_cell(word(not_valid, m), cell), 0), list_of)
commas(list, i) = word(list, i).(i < words(list) ? ", ".commas(list, i + 1) : "")
their_names(list) = sprintf("; trial%s %s not valid", words(list) > 1 ? "s" : "", \
    commas(ascending(list, -1), 1))
their_number(list) = sprintf("; %s not valid", plural(sprintf("%d", words(list)), "trial"))
with_not_valid(title, list) = title.(words(list) == 0 ? "" \
    : words(list) > not_valid_named || strlen(title.their_names(list)) > 1.25 * name_room \
    ? their_number(list) : their_names(list))
cell_title(k) = with_not_valid( \
    words(keys) > 1 ? name_of(keys, word(sorted, k)) : "Every second: ".alone, \
    trials_of(row_of_cell(k)))

# What happens to a server stands at a line, but for snapshots: there may be many.
is_of(mark, k) = part(mark, 1) eq sprintf("%d", row_of_cell(k))
is_snapshot(mark) = int(part(mark, 3)) == snapshot
lines_in(list, k) = (places = "", sum [m = 1:words(list)] \
    is_of(word(list, m), k) && !is_snapshot(word(list, m)) \
        ? (places = with_word(places, part(word(list, m), 2)), 0) : 0, words(places))
crowded = 0
do for [k = 1:drawn] { crowded = crowded || lines_in(marks, k) > events_max }
if (crowded) { marks = first_marks }
snapshots = sum [m = 1:words(marks)] is_snapshot(word(marks, m))
drawn_kind(kind) = kind == 4 ? "no leader" : word(kinds_drawn, kind)
mark_text(mark) = drawn_kind(int(part(mark, 3))).(int(part(mark, 4)) ? " ".part(mark, 4) : "")

# The size of all, and the legend.
blocks_abreast = drawn > 1 ? 2 : 1
lines_of_blocks = ceil(1.0 * drawn / blocks_abreast)
each = drawn > 1 ? 96 : 165
between_rows = drawn > 1 ? 18 : 26
between_blocks = 58
# Words of what happened stand above the curves.
happened_at(cell, second) = (happened = "", sum [m = 1:words(marks)] \
    (part(word(marks, m), 1) eq cell && part(word(marks, m), 2) eq second \
        && !is_snapshot(word(marks, m)) \
        ? (happened = joined(happened, mark_text(word(marks, m))), 0) : 0), happened)
marks_longest = 0
do for [mark in marks] {
    marks_longest = most(marks_longest, strlen(happened_at(part(mark, 1), part(mark, 2))))
}
headline = marks_longest > 0 ? 10 + 6.0 * marks_longest : 0
block = headline + 3 * each + 2 * between_rows
panel = lines_of_blocks * block + (lines_of_blocks - 1) * between_blocks
looks = least(trials, curves_max)
failed_text = "a second with errors"
snapshot_text = "a snapshot"
crowded_text = "servers: trial 1"
more_trials_text = sprintf("%d trials", trials)
more_text = sprintf("the first %d of %d loads", drawn, words(keys))
longest = most(strlen(crowded ? crowded_text : "trial 12"), \
    most(failed ? strlen(failed_text) : 0, drawn < words(keys) ? strlen(more_text) : 0))
entries = looks + failed + (snapshots > 0) + crowded + (trials > looks) + (drawn < words(keys))
width = drawn > 1 ? 800 : page_width(entries)
rows = rows_for(entries, longest)
eval canvas("load_timeline", rows)
eval legend(rows)
eval squeeze(entries, longest)
marks_font = format eq "svg" ? ",12" : format eq "png" ? ",9" : ",7.2"
# So high is a line of that.
marks_line = 15.0

# The axes, before any is drawn: the widest labels say where the panels begin.
array axis[3]
axis[1] = zero_axis(high, drawn > 1 ? 3 : 4)
widest = left
do for [i = 1:2] {
    axis[1 + i] = slow_high[i] == 0 ? "" \
        : "set logscale y; ".time_axis(slow_low[i], slow_high[i], each)
    widest = most(widest, left)
}
gap = drawn > 1 ? widest + 0.005 : 0
panel_width = (0.975 - widest - gap) / blocks_abreast
unset logscale x
set xrange [0.5 : last + 0.5]
x_step = most(1, step_of(last / (drawn > 1 ? 6.0 : 8.0)))
x_tics(labelled) = "set xtics ".sprintf("%d, %d format '%s'", x_step, x_step, labelled ? "%g" : "")
seconds_in(units) = units * last / (panel_width * width)
top_of(k) = top(rows) - ((k - 1) / blocks_abreast) * 1.0 * (block + between_blocks) / height(rows)
upper(k, i) = top_of(k) - (headline + (i - 1.0) * (each + between_rows)) / height(rows)
lower(k, i) = upper(k, i) - 1.0 * each / height(rows)
from(k) = widest + (blocks_abreast == 1 || k % 2 ? 0 : panel_width + gap)
array y_texts[3] = ["answered/s", "response p50", "response p99"]

# Points as far as there is room for them. A trial's rows follow on one another: those of others
# before and behind them are left out.
look_of(trial) = 601 + (trial - 1) % curves_max
with_look(trial) = \
    sprintf("with linespoints ls %d ps %.2f pi %d", look_of(trial), 0.55 * point_scale, \
        ceil(last / 40.0))
curve(k, i, trial) = sprintf("$seconds using ($1 == %d && int($7) == %d ? $2 : NaN):%d ", \
    row_of_cell(k), trial, 2 + i).with_look(trial)." notitle, "
failures(k, i) = !failed || i > 1 ? "" \
    : sprintf("$seconds using ($1 == %d && $6 > 0 ? $2 : NaN):3 ", row_of_cell(k)). \
    "with points pt 2 ps 1.2 * point_scale lw 2 lc rgb 'black' notitle, "
note_entry(is_there, text) = is_there ? "NaN with lines ls 98 title '".text."', " : ""
legend_entries = ""
do for [trial = 1:looks] {
    legend_entries = legend_entries. \
        sprintf("NaN with linespoints ls %d title 'trial %d', ", look_of(trial), trial)
}
legend_entries = legend_entries.(failed \
    ? "NaN with points pt 2 ps 1.2 * point_scale lw 2 lc rgb 'black' title failed_text, " : ""). \
    (snapshots > 0 ? "NaN with points pt 9 ps point_scale lc rgb '#404040' title snapshot_text, " \
        : "").(crowded ? "NaN with lines ls 606 title crowded_text, " : ""). \
    note_entry(trials > looks, more_trials_text).note_entry(drawn < words(keys), more_text)
set style line 606 lc rgb "#404040" lw 0.6 dt 1
set output file("load_timeline")
set multiplot
do for [k = 1:drawn] {
    set lmargin at screen from(k)
    set rmargin at screen from(k) + panel_width
    # The seconds in which something happens.
    at_seconds = ""
    shot = ""
    do for [m = 1:words(marks)] {
        mark = word(marks, m)
        if (is_of(mark, k) && !is_snapshot(mark)) {
            at_seconds = with_word(at_seconds, part(mark, 2))
        }
        if (is_of(mark, k) && is_snapshot(mark)) { shot = with_word(shot, part(mark, 2)) }
    }
    at_seconds = ascending(at_seconds, -1)
    do for [i = 1:3] {
        set tmargin at screen upper(k, i)
        set bmargin at screen lower(k, i)
        its_title = i == 1 ? cell_title(k) : ""
        its_xlabel = i == 3 && k > drawn - blocks_abreast ? "second of the measured time" : ""
        if (its_title ne "") {
            set label 97 its_title at screen from(k) + panel_width / 2, \
                screen top_of(k) + 14 / height(rows) center
            if (strlen(its_title) > name_room) { set label 97 font marks_font }
        }
        set xlabel its_xlabel
        if (axis[i] ne "") {
            eval axis[i]
            eval x_tics(i == 3)
            if (from(k) == widest) { eval y_title(y_texts[i], lower(k, i), upper(k, i)) }
            do for [n = 1:(i == 1 ? words(shot) : 0)] {
                set label 1000 + n "" at int(word(shot, n)), 0 \
                    point pt 9 ps point_scale lc rgb "#404040" front
            }
            written_at = -1e9
            do for [n = 1:words(at_seconds)] {
                its_second = int(word(at_seconds, n))
                set arrow n from its_second, graph 0 to its_second, graph 1 nohead back ls 606
                what = i > 1 ? "" \
                    : happened_at(sprintf("%d", row_of_cell(k)), word(at_seconds, n))
                # On the left of its line, or on the right, where no other words are.
                on_left = its_second - seconds_in(marks_line) >= written_at
                if (what ne "" && (on_left || its_second >= written_at)) {
                    side = on_left ? -0.6 : 0.8
                    set label n what at its_second, graph 1.03 rotate by 90 left \
                        offset side, 0 font marks_font front
                    written_at = its_second + (on_left ? 0 : seconds_in(marks_line))
                }
            }
            all = ""
            do for [trial = 1:trials] { all = all.curve(k, i, trial) }
            eval "plot ".all.failures(k, i).legend_entries."NaN notitle"
            @once
            unset arrow
            unset label
        }
    }
}
unset multiplot
