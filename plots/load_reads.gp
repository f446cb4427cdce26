# SPDX-License-Identifier: Apache-2.0
# load_reads: answered operations a second against the share of reads, in a closed loop or at one
# offered rate: a curve for each kind of servers and number of sessions. See common.gp and
# load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_reads.gp") - 1]."." }
panel = 330
load scripts."/common.gp"
load scripts."/load_common.gp"

# $cells: curve, reads, operations a second, their interval's low and high, trials in which the
# driver was the limit.
keys = ""
shares = ""
high = 0
bars = 0
bound = 0
several = 0
see(key, reads, value, value_high, trials_bound) = value > 0 ? ( \
    several = several || column("trials") > 1, \
    keys = with_word(keys, key), shares = with_word(shares, sprintf("%d", reads)), \
    high = most(high, value_high > 0 ? value_high : value), bars = bars || value_high > 0, \
    bound = bound || trials_bound > 0, place_in(keys, key)) : NaN
key_of(x) = sprintf("%s:%d:%d", servers_key(0), column("sessions"), rate_of(0))
set datafile columnheaders
set table $cells separator comma
plot run."/cells.csv" using (see(key_of(0), column("reads_percent"), number("achieved_per_s"), \
        number("achieved_per_s_high"), column("driver_bound"))): \
    (column("reads_percent")):(number("achieved_per_s")):(number("achieved_per_s_low")): \
    (number("achieved_per_s_high")):(column("driver_bound")) with table
unset table
# $trials: curve, reads, operations a second; without rows where there are intervals.
dots = 0
note_trial(key, value) = is_counted(0) && in_list(keys, key) ? (dots = dots + 1, \
    high = most(high, value), place_in(keys, key)) : NaN
do for [m = 1:(bars || !several ? 0 : parts)] {
    set table $trials append separator comma
    plot file_of_part(m) using (note_trial(key_of(0), number("achieved_per_s"))): \
        (column("reads_percent")):(number("achieved_per_s")) with table
    unset table
}
set datafile nocolumnheaders
# The rows of other curves do not break a line.
set datafile missing NaN

if (words(shares) < 2 || differs(keys, 3)) {
    print "plots: ".run."/cells.csv: fewer than two shares of reads, or several rates"
    exit status 3
}
shares = ascending(shares, -1)
rate = part(word(keys, 1), 3)
drawn = least(words(keys), curves_max)

entry(i) = words(keys) > 1 ? name_of(keys, word(keys, i)) : sessions_text(part(word(keys, i), 2))
more_text = sprintf("the first %d of %d", drawn, words(keys))
bound_text = "open: the driver was the limit"
longest = bound ? strlen(bound_text) : dots ? strlen(trial_text) : 0
do for [i = 1:drawn] { longest = most(longest, strlen(entry(i))) }
# A macro, since gnuplot counts empty loops too.
bound_entry = !bound ? "" \
    : ", NaN with points pt 6 ps point_scale lw 1.5 lc rgb '#404040' title bound_text"
more_entry = drawn < words(keys) ? ", NaN with lines ls 98 title more_text" : ""
trial_entry = !dots ? "" \
    : ", NaN with points ls 93 title trial_text"
entries = drawn + bound + (dots > 0) + (drawn < words(keys))
width = page_width(entries)
longest = legend_letters(entries, longest)
rows = rows_for(entries, longest)
eval canvas("load_reads", rows)
eval legend(rows)
eval squeeze(entries, longest)
eval zero_axis(high, 6)
set lmargin at screen left
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
unset logscale x
set xrange [-5 : 105]
set xtics 0, 20, 100 format "%g"
set xlabel "reads, % of the operations"
set title heading("Throughput against the share of reads".(bars ? ": mean, 95 % CI" : ""))
eval y_title("answered operations a second".(rate eq "0" ? "" : ", ".rate_text(rate)), \
    bottom(rows), top(rows))
set output file("load_reads")
its(i) = $1 == i ? $2 : NaN
bars_of = bars ? "for [i = 1:drawn] $cells using (its(i)):4:(0):($5 - $4) ".\
    "with vectors heads size screen 0.006, 90 lc rgb curve_look(i, 1) lw bar_width(i, drawn) dt 1 notitle, " : ""
trials_of = !dots ? "" : "for [style in '94 93'] $trials using 2:3 with points ls int(style) notitle, "
is_open(i) = $6 > 0 ? its(i) : NaN
open = !bound ? "" \
    : "for [i = 1:drawn] $cells using (is_open(i)):3 with points ls 800 + i notitle, ".\
    "for [i = 1:drawn] $cells using (is_open(i)):3 with points ls 700 + i notitle, "
plot for [i = 1:drawn] $cells using (its(i)):3 with lines ls 600 + i notitle, \
    @bars_of \
    for [i = 1:drawn] $cells using (its(i)):3 with points ls 600 + i notitle, @open @trials_of \
    for [i = 1:drawn] NaN with linespoints ls 600 + i title entry(i) @bound_entry @trial_entry @more_entry
