# SPDX-License-Identifier: Apache-2.0
# load_timeline: answered operations, and the median and p99 of their response times, in every
# second of the trials: a panel for each, and a line for each trial, in the look of its cell. See
# common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_timeline.gp") - 1]."." }
each = 165
between_rows = 26
panel = 3 * each + 2 * between_rows
load scripts."/common.gp"
label(x) = in_seconds(x)
load scripts."/load_common.gp"

# $seconds: curve, second, operations, response p50, p99 in s, errors, trial.
keys = ""
last = 0
trials = 1
high = 0
failed = 0
# Of each panel of response times.
array slow_low[2] = [1e300, 1e300]
array slow_high[2] = [0, 0]
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
set datafile columnheaders
set table $seconds separator comma
plot run."/timeline.csv" using (see(key_of(0), column("second"), column("trial"), \
        column("operations"), column("errors"))): \
    (column("second")):(column("operations")):(note(1, number("response_p50_us") / 1e6)): \
    (note(2, number("response_p99_us") / 1e6)):(column("errors")):(column("trial")) with table
unset table
set datafile nocolumnheaders

if (last < 2 || high == 0) {
    print "plots: ".run."/timeline.csv: fewer than two seconds, or no answer"
    exit status 3
}
drawn = least(words(keys), curves_max)

# The trials are in a random order, and the curves in that of their numbers.
rank(key) = part(key, 2) * 2e9 + part(key, 3) * 101.0 + part(key, 4)
next_key(above, i, best) = i > words(keys) ? best : next_key(above, i + 1, \
    rank(word(keys, i)) > above && (best eq "" || rank(word(keys, i)) < rank(best)) \
        ? word(keys, i) : best)
in_rank(above) = next_key(above, 1, "") eq "" ? "" \
    : next_key(above, 1, "")." ".in_rank(rank(next_key(above, 1, "")))
sorted = in_rank(-1)
# Curve i in $seconds, and the other way.
row_of_curve(i) = place_in(keys, word(sorted, i))
curve_of_row(x) = place_in(sorted, word(keys, int(x)))

alone = sessions_text(part(sorted, 2)).", ".rate_text(until_colon(after_colons(sorted, 3)))
entry(i) = words(keys) > 1 ? name_of(keys, word(sorted, i)) : alone
failed_text = "a second with errors"
more_text = sprintf("the first %d of %d", drawn, words(keys))
longest = most(failed ? strlen(failed_text) : 0, drawn < words(keys) ? strlen(more_text) : 0)
do for [i = 1:drawn] { longest = most(longest, strlen(entry(i))) }
entries = drawn + failed + (drawn < words(keys))
width = page_width(entries)
longest = legend_letters(entries, longest)
rows = rows_for(entries, longest)
eval canvas("load_timeline", rows)
eval legend(rows)
eval squeeze(entries, longest)

# The axes, before any is drawn: the widest labels say where the panels begin.
array axis[3]
axis[1] = zero_axis(high, 4)
widest = left
do for [i = 1:2] {
    axis[1 + i] = slow_high[i] == 0 ? "" \
        : "set logscale y; ".time_axis(slow_low[i], slow_high[i], each)
    widest = most(widest, left)
}
set lmargin at screen widest
unset logscale x
set xrange [0.5 : last + 0.5]
x_step = most(1, step_of(last / 8.0))
x_tics(labelled) = "set xtics ".sprintf("%d, %d format '%s'", x_step, x_step, labelled ? "%g" : "")
upper(k) = top(rows) - (k - 1.0) * (each + between_rows) / height(rows)
lower(k) = upper(k) - 1.0 * each / height(rows)
array y_texts[3] = ["answered/s", "response p50", "response p99"]

# Points where there is room for them. The trials of a cell follow on one another, with rows of
# others between or not: those of odd number and those of even number are drawn apart, since what
# is left out breaks a line.
with_look(i) = sprintf(last <= 40 ? "with linespoints ls %d" : "with lines ls %d", 600 + i)
small(i) = sprintf(last <= 40 ? " ps %.2f" : "", 0.55 * point_scale)
odd_or_even(i, k, odd) = \
    sprintf("$seconds using ($1 == %d && int($7) %% 2 == %d ? $2 : NaN):%d ", \
        row_of_curve(i), odd, 2 + k).with_look(i).small(i)." notitle, "
curve(i, k) = odd_or_even(i, k, 1).(trials > 1 ? odd_or_even(i, k, 0) : "")
curves(i, k) = i > drawn ? "" : curve(i, k).curves(i + 1, k)
entry_of(i) = sprintf("NaN with linespoints ls %d title entry(%d), ", 600 + i, i)
entries_from(i) = i > drawn ? "" : entry_of(i).entries_from(i + 1)
failures(k) = !failed || k > 1 ? "" \
    : "$seconds using (curve_of_row($1) <= drawn && $6 > 0 ? $2 : NaN):3 ". \
    "with points pt 2 ps 1.2 * point_scale lw 2 lc rgb 'black' notitle, "
failed_entry = failed \
    ? "NaN with points pt 2 ps 1.2 * point_scale lw 2 lc rgb 'black' title failed_text, " : ""
more_entry = drawn < words(keys) ? "NaN with lines ls 98 title more_text, " : ""

set title "Every second of ".(trials > 1 || words(keys) > 1 ? "the trials" : "a trial")
set output file("load_timeline")
set multiplot
do for [k = 1:3] {
    set tmargin at screen upper(k)
    set bmargin at screen lower(k)
    if (axis[k] ne "") {
        eval axis[k]
        eval x_tics(k == 3)
        if (k == 3) { set xlabel "second of the measured time" }
        eval y_title(y_texts[k], lower(k), upper(k))
        eval "plot ".curves(1, k).failures(k).entries_from(1).failed_entry.more_entry."NaN notitle"
        unset key
        unset title
    }
}
unset multiplot
