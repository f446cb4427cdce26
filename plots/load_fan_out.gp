# SPDX-License-Identifier: Apache-2.0
# load_fan_out: what it costs to notify the sessions that watch a znode, against their number: from
# the sending of a write to the first notification, to the median of all and to the last one, beside
# the reply to the write; and below, how many sessions a write has notified. A panel for each number
# of servers, each offered rate and each share of reads. See common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_fan_out.gp") - 1]."." }
titled = 1
load scripts."/common.gp"
load scripts."/load_common.gp"
panels_max = 6

# $cells: panel, sessions; p50 of the first, of all, of the last notification and of the reply to a
# set, in µs; notifications of a write; trials in which the driver was the limit. $bars: panel,
# sessions; each p50 with its interval (low, high).
keys = ""
levels = ""
bars = 0
bound = 0
several = 0
# Of the times, and of the sessions, all or those notified.
array low[2] = [1e300, 1e300]
array high[2] = [0, 0]
span(i, value) = value > 0 \
    ? (low[i] = least(low[i], value), high[i] = most(high[i], value), value) : NaN
see(key, sessions, fan_out, trials_bound) = fan_out > 0 ? ( \
    several = several || column("trials") > 1, \
    keys = with_word(keys, key), levels = with_word(levels, sprintf("%d", sessions)), \
    span(2, fan_out), span(2, sessions), bound = bound || trials_bound > 0, \
    place_in(keys, key)) : NaN
told = 0
tell(time) = (told = told || time > 0, time)
time_of(name) = number("fan_out_mean") > 0 ? span(1, number(name)) : NaN
end_of_bar(name) = (end = time_of(name), bars = bars || end > 0, end)
key_of(x) = sprintf("%s:0:%d:%d", servers_key(0), rate_of(0), column("reads_percent"))
panel_of(x) = see(key_of(0), column("sessions"), number("fan_out_mean"), column("driver_bound"))
first = "first_notification_p50_us"
median = "notification_p50_us"
final = "last_notification_p50_us"
reply = "set_service_p50_us"
set datafile columnheaders
set table $cells separator comma
plot run."/cells.csv" using (panel_of(0)):(column("sessions")): \
    (tell(time_of(first))):(time_of(median)):(time_of(final)):(time_of(reply)): \
    (number("fan_out_mean")):(column("driver_bound")) with table
set table $bars separator comma
plot run."/cells.csv" using (panel_of(0)):(column("sessions")): \
    (time_of(first)):(end_of_bar(first."_low")):(end_of_bar(first."_high")): \
    (time_of(median)):(end_of_bar(median."_low")):(end_of_bar(median."_high")): \
    (time_of(final)):(end_of_bar(final."_low")):(end_of_bar(final."_high")): \
    (time_of(reply)):(end_of_bar(reply."_low")):(end_of_bar(reply."_high")) with table
unset table
# $trials: panel, sessions, p50 of the first, of all, of the last and of the reply; without rows where
# there are intervals.
dots = 0
note_trial(key) = is_counted(0) && in_list(keys, key) ? (dots = dots + 1, place_in(keys, key)) : NaN
trial_time(name) = is_counted(0) ? time_of(name) : NaN
do for [m = 1:(bars || !several ? 0 : parts)] {
    set table $trials append separator comma
    plot file_of_part(m) using (note_trial(key_of(0))):(column("sessions")): \
        (trial_time(first)):(trial_time(median)):(trial_time(final)):(trial_time(reply)) with table
    unset table
}
set datafile nocolumnheaders
# The rows of other panels do not break a line.
set datafile missing NaN

if (words(levels) < 2 || !told) {
    print "plots: ".run."/cells.csv: no notifications, or fewer than two numbers of sessions"
    exit status 3
}
levels = ascending(levels, 0)
drawn = least(words(keys), panels_max)
width = drawn > 1 ? 800 : 560
each = drawn > 1 ? 240 : 330
strip = 100
between = 22
between_rows = 84
lines_of_panels = ceil(drawn / 2.0)
whole = each + between + strip
panel = lines_of_panels * whole + (lines_of_panels - 1) * between_rows
panel_title(key) = words(keys) > 1 ? name_of(keys, key) : "What it costs to notify those who watch"

# The last is the highest, the reply to the write lies among them.
set style line 601 lc rgb "#009E73" pt 9 ps 1.0 * point_scale lw 1.5 dt 1
set style line 602 lc rgb "#0072B2" pt 7 ps 0.9 * point_scale lw 1.5 dt 1
set style line 603 lc rgb "#D55E00" pt 5 ps 0.9 * point_scale lw 1.5 dt 1
set style line 604 lc rgb "#000000" pt 13 ps 1.1 * point_scale lw 1.5 dt 1
set style line 701 lc rgb "#009E73" pt 8 ps 1.0 * point_scale lw 1.5
set style line 702 lc rgb "#0072B2" pt 6 ps 0.9 * point_scale lw 1.5
set style line 703 lc rgb "#D55E00" pt 4 ps 0.9 * point_scale lw 1.5
set style line 704 lc rgb "#000000" pt 12 ps 1.1 * point_scale lw 1.5
do for [i = 1:4] {
    set style line 800 + i lc rgb "white" pt int(word("9 7 5 13", i)) ps point_scale
}
set style line 605 lc rgb "#CC79A7" pt 3 ps 0.9 * point_scale lw 1.5 dt 1
set style line 606 lc rgb "#404040" lw 0.6 dt 1
array entry_text[6] = ["first notification", "median notification", "last notification", \
    "reply to the write", "notified, mean", "all sessions"]
bar_note = (dots > 0 ? "large: " : "").(bars ? "medians, 95 % CI" : "medians")
bound_text = "open: the driver was the limit"
more_text = sprintf("the first %d of %d panels", drawn, words(keys))
entries = 7 + bound + (dots > 0) + (drawn < words(keys))
longest = strlen(bound ? bound_text : "median notification")
rows = rows_for(entries, longest)
eval canvas("load_fan_out", rows)
eval legend(rows)
eval squeeze(entries, longest)

# Both axes, before any is drawn: the widest labels say where the panels begin.
label(x) = in_seconds(x)
axis_of_times = time_axis(low[1] / 1e6, high[1] / 1e6, each)
widest = left
label(x) = thousands(x)
axis_of_watchers = y_axis(low[2], high[2], strip)
left = most(left, widest)
gap = drawn > 1 ? left + 0.005 : 0
panel_width = (0.985 - left - gap) / (drawn > 1 ? 2 : 1)
eval x_axis(int(word(levels, 1)), int(word(levels, words(levels))), panel_letters(0, panel_width))
upper(k) = top(rows) - ((k - 1) / 2) * 1.0 * (whole + between_rows) / height(rows)
under(k) = upper(k) - 1.0 * each / height(rows)
below_it(k) = under(k) - 1.0 * between / height(rows)
lower(k) = below_it(k) - 1.0 * strip / height(rows)
from(k) = left + (k % 2 ? 0 : panel_width + gap)

# Put together as text, since gnuplot counts empty loops too.
its(k, i) = sprintf("$cells using ($1 == %d ? $2 : NaN):($%d / 1e6)", k, 2 + i)
its_bound(k, i) = sprintf("$cells using ($1 == %d && $8 > 0 ? $2 : NaN):($%d / 1e6)", k, 2 + i)
bar(k, i) = !bars ? "" \
    : sprintf("$bars using ($1 == %d ? $2 : NaN):($%d / 1e6):(0):(($%d - $%d) / 1e6) ". \
        "with vectors heads size screen 0.006, 90 ls %d dt 1 notitle, ", \
        k, 3 * i + 1, 3 * i + 2, 3 * i + 1, 600 + i)
open(k, i) = !bound ? "" : its_bound(k, i).sprintf(" with points ls %d notitle, ", 800 + i). \
    its_bound(k, i).sprintf(" with points ls %d notitle, ", 700 + i)
curve(k, i) = bar(k, i).its(k, i).sprintf(" with lines ls %d notitle, ", 600 + i). \
    its(k, i).sprintf(" with points ls %d notitle, ", 600 + i).open(k, i)
entry(i) = sprintf("NaN with %s ls %d title entry_text[%d], ", \
    i == 6 ? "lines" : "linespoints", 600 + i, i)
notes = "NaN with lines ls 98 title bar_note, ".(bound \
    ? "NaN with points pt 6 ps point_scale lw 1.5 lc rgb '#404040' title bound_text, " : ""). \
    (drawn < words(keys) ? "NaN with lines ls 98 title more_text, " : "")
trial_entry = !dots ? "" \
    : "NaN with points ls 93 title trial_text, "
trials_with(k, i, style) = sprintf("$trials using ($1 == %d ? $2 : NaN):($%d / 1e6) with points ls %d notitle, ", \
    k, 2 + i, style)
trials_of(k, i) = dots ? trials_with(k, i, 94).trials_with(k, i, 93) : ""
tics_of_levels = level_tics(levels)
without_labels(i) = i > words(levels) ? "" \
    : sprintf("'' %d, ", nth(levels, i)).without_labels(i + 1)
set output file("load_fan_out")
set multiplot
do for [k = 1:drawn] {
    set lmargin at screen from(k)
    set rmargin at screen from(k) + panel_width
    set tmargin at screen upper(k)
    set bmargin at screen under(k)
    set title panel_title(word(keys, k))
    set xlabel ""
    eval "set xtics (".without_labels(1).")"
    eval axis_of_times
    if (k % 2) { eval y_title("time from the write", under(k), upper(k)) }
    eval "plot ".curve(k, 3).curve(k, 2).curve(k, 1).curve(k, 4). \
        entry(1).entry(2).entry(3).entry(4).entry(5).entry(6).notes.trial_entry. \
        trials_of(k, 1).trials_of(k, 2).trials_of(k, 3).trials_of(k, 4)."NaN notitle"
    @once
    set title ""
    set tmargin at screen below_it(k)
    set bmargin at screen lower(k)
    set xlabel "sessions"
    eval axis_of_watchers
    eval "set xtics (".tics_of_levels.")"
    if (k % 2) { eval y_title("notified", lower(k), below_it(k)) }
    eval "plot x with lines ls 606 notitle, ". \
        sprintf("$cells using ($1 == %d ? $2 : NaN):7 with linespoints ls 605 notitle", k)
    unset label 99
}
unset multiplot
