# SPDX-License-Identifier: Apache-2.0
# load_rate: latency against the offered rate, from when an operation was due and from when it was
# sent: a panel for each number of servers and of sessions, and each share of reads. See common.gp
# and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_rate.gp") - 1]."." }
titled = 1
load scripts."/common.gp"
label(x) = in_seconds(x)
load scripts."/load_common.gp"
panels_max = 12
# Below this share of what was offered, which at random arrivals is not exactly the rate, the answers do not keep pace.
kept_share = 0.95

# $cells: panel, rate, response p50, p99, service p50, p99, intervals of the first two (low, high),
# all in µs; trials in which the driver was the limit; whether the first two are the least that they
# can be. breaks: for each panel the lowest rate whose
# answers do not keep pace, as 1:8000.
keys = ""
rates = ""
low = 1e300
high = 0
bars = 0
bound = 0
several = 0
breaks = ""
is_broken(k) = sum [i = 1:words(breaks)] (part(word(breaks, i), 1) eq sprintf("%d", k))
break_of(k) = sum [i = 1:words(breaks)] \
    (part(word(breaks, i), 1) eq sprintf("%d", k) ? int(part(word(breaks, i), 2)) : 0)
# A response time may be unknown, above a minute or among what was never sent: then the least that it
# can be is drawn, with an arrow upwards. The cells of a panel stand in the order of their rates.
note_break(k, rate, offered, answered) = answered < kept_share * offered && !is_broken(k) \
    ? breaks.sprintf(" %d:%d", k, rate) : breaks
see(key, rate, offered, answered, fastest, fastest_low, slowest, slowest_high, trials_bound) = \
    rate > 0 && fastest > 0 ? ( \
    several = several || column("trials") > 1, \
    keys = with_word(keys, key), rates = with_word(rates, sprintf("%d", rate)), \
    low = least(low, fastest_low > 0 ? least(fastest, fastest_low) : fastest), \
    high = most(high, slowest_high > slowest ? slowest_high : slowest > 0 ? slowest : fastest), \
    bars = bars || slowest_high > 0, bound = bound || trials_bound > 0, \
    breaks = note_break(place_in(keys, key), rate, offered, answered), place_in(keys, key)) : NaN
is_least(name) = !(number(name) > 0) && number(name."_low") > 0
shown(name) = is_least(name) ? number(name."_low") : number(name)
leasts = 0
see_least(p50, p99, slowest) = p50 || p99 \
    ? (leasts = 1, high = most(high, 2 * slowest), p50 + 2 * p99) : 0
key_of(x) = sprintf("%s:%d:0:%d", servers_key(0), column("sessions"), column("reads_percent"))
set datafile columnheaders
set table $cells separator comma
plot run."/cells.csv" using (see(key_of(0), number("rate_per_s"), number("offered_per_s"), \
        number("achieved_per_s"), number("service_p50_us"), number("response_p50_us_low"), \
        shown("response_p99_us"), number("response_p99_us_high"), column("driver_bound"))): \
    (number("rate_per_s")):(shown("response_p50_us")):(shown("response_p99_us")): \
    (number("service_p50_us")):(number("service_p99_us")):(number("response_p50_us_low")): \
    (number("response_p50_us_high")):(number("response_p99_us_low")): \
    (number("response_p99_us_high")):(column("driver_bound")): \
    (see_least(is_least("response_p50_us"), is_least("response_p99_us"), shown("response_p99_us"))) \
    with table
unset table
# $trials: panel, rate, response p50, p99; without rows where there are intervals.
dots = 0
note_time(time) = time > 0 ? (high = most(high, time), low = least(low, time), time) : NaN
note_trial(key) = is_counted(0) && in_list(keys, key) ? (dots = dots + 1, place_in(keys, key)) : NaN
do for [m = 1:(bars || !several ? 0 : parts)] {
    set table $trials append separator comma
    plot file_of_part(m) using (note_trial(key_of(0))):(number("rate_per_s")): \
        (is_counted(0) ? note_time(number("response_p50_us")) : NaN): \
        (is_counted(0) ? note_time(number("response_p99_us")) : NaN) with table
    unset table
}
set datafile nocolumnheaders
# The rows of other curves do not break a line.
set datafile missing NaN

if (words(rates) < 2) {
    print "plots: ".run."/cells.csv: fewer than two offered rates"
    exit status 3
}
rates = ascending(rates, 0)
drawn = least(words(keys), panels_max)
width = drawn > 1 ? 800 : 560
each = drawn > 1 ? 260 : 380
between_rows = 84
lines_of_panels = ceil(drawn / 2.0)
panel = lines_of_panels * each + (lines_of_panels - 1) * between_rows

panel_title(key) = words(keys) > 1 ? name_of(keys, key) : "Latency against the offered rate"

# Response and service are equal where nothing waits: the points of the one nest in those of the
# other.
set style line 601 lc rgb "#D55E00" pt 7 ps 1.3 * point_scale lw 2.2 dt 1
set style line 602 lc rgb "#D55E00" pt 9 ps 1.5 * point_scale lw 1.2 dt 1
set style line 603 lc rgb "#0072B2" pt 7 ps 0.6 * point_scale lw 1.4 dt 1
set style line 604 lc rgb "#0072B2" pt 9 ps 0.7 * point_scale lw 0.6 dt 1
set style line 701 lc rgb "#D55E00" pt 6 ps 1.3 * point_scale lw 1.5
set style line 702 lc rgb "#D55E00" pt 8 ps 1.5 * point_scale lw 1.5
set style line 801 lc rgb "white" pt 7 ps 1.3 * point_scale
set style line 802 lc rgb "white" pt 9 ps 1.5 * point_scale
set style line 605 lc rgb "#404040" lw 1.4 dt 1
bar_note = bars ? ", 95 % CI" : ""
entry_1 = "response p50: from due".bar_note
entry_2 = "response p99: from due".bar_note
entry_3 = "service p50: from sent"
entry_4 = "service p99: from sent"
break_text = sprintf("from here, less than %g %% answered", 100 * kept_share)
bound_text = "open: the driver was the limit"
least_text = "arrow: at least; some were never sent, or took a minute"
entries = 4 + (breaks ne "") + bound + leasts + (dots > 0)
longest = leasts ? strlen(least_text) : strlen(break_text)
rows = rows_for(entries, longest)
eval canvas("load_rate", rows)
eval legend(rows)
eval squeeze(entries, longest)
eval time_axis(low / 1e6, high / 1e6, each)
gap = drawn > 1 ? left + 0.005 : 0
panel_width = (0.985 - left - gap) / (drawn > 1 ? 2 : 1)
eval x_axis(int(word(rates, 1)), int(word(rates, words(rates))), panel_letters(0, panel_width))
eval "set xtics (".level_tics(rates).")"
set xlabel "offered rate, operations a second"
upper(k) = top(rows) - ((k - 1) / 2) * 1.0 * (each + between_rows) / height(rows)
lower(k) = upper(k) - 1.0 * each / height(rows)
from(k) = left + (k % 2 ? 0 : panel_width + gap)

# Put together as text, since gnuplot counts empty loops too.
its(k, i) = sprintf("$cells using ($1 == %d ? $2 : NaN):($%d / 1e6)", k, 2 + i)
its_bound(k, i) = sprintf("$cells using ($1 == %d && $11 > 0 ? $2 : NaN):($%d / 1e6)", k, 2 + i)
# $12: 1 p50, 2 p99, 3 both.
up(k, i) = !leasts ? "" \
    : sprintf("$cells using ($1 == %d && ($12 == 3 || $12 == %d) ? $2 : NaN):($%d / 1e6):(0):($%d / 2e6) ". \
        "with vectors head filled size screen 0.008, 25 ls %d dt 1 notitle, ", k, i, 2 + i, 2 + i, 600 + i)
bar(k, i) = !bars ? "" \
    : sprintf("$cells using ($1 == %d ? $2 : NaN):($%d / 1e6):(0):(($%d - $%d) / 1e6) ". \
        "with vectors heads size screen 0.006, 90 ls %d dt 1 notitle, ", \
        k, 5 + 2 * i, 6 + 2 * i, 5 + 2 * i, 600 + i)
curve(k, i) = its(k, i).sprintf(" with lines ls %d notitle, ", 600 + i). \
    its(k, i).sprintf(" with points ls %d notitle, ", 600 + i)
open(k, i) = !bound ? "" : its_bound(k, i).sprintf(" with points ls %d notitle, ", 800 + i). \
    its_bound(k, i).sprintf(" with points ls %d notitle, ", 700 + i)
entry(i) = sprintf("NaN with linespoints ls %d title entry_%d, ", 600 + i, i)
break_entry = breaks eq "" ? "" : "NaN with lines ls 605 title break_text, "
bound_entry = bound ? "NaN with points pt 6 ps 1.3 * point_scale lw 1.5 lc rgb '#404040' ".\
    "title bound_text, " : ""
least_entry = leasts ? "NaN with points pt 9 ps 0.8 * point_scale lc rgb '#D55E00' title least_text, " : ""
trial_entry = !dots ? "" \
    : "NaN with points ls 93 title trial_text, "
trials_with(k, i, style) = sprintf("$trials using ($1 == %d ? $2 : NaN):($%d / 1e6) with points ls %d notitle, ", \
    k, 2 + i, style)
trials_of(k, i) = dots ? trials_with(k, i, 94).trials_with(k, i, 93) : ""
set output file("load_rate")
set multiplot
do for [k = 1:drawn] {
    set tmargin at screen upper(k)
    set bmargin at screen lower(k)
    set lmargin at screen from(k)
    set rmargin at screen from(k) + panel_width
    set title panel_title(word(keys, k))
    if (k % 2) { eval y_title("latency", lower(k), upper(k)) }
    if (is_broken(k)) {
        set arrow 1 from break_of(k), y_low to break_of(k), y_high nohead back ls 605
    }
    eval "plot ".bar(k, 1).bar(k, 2).up(k, 1).up(k, 2).curve(k, 2).open(k, 2).curve(k, 1).open(k, 1).curve(k, 4).\
        curve(k, 3).entry(1).entry(2).entry(3).entry(4).break_entry.bound_entry.least_entry. \
        trial_entry.trials_of(k, 1).trials_of(k, 2)."NaN notitle"
    @once
    unset label 99
    unset arrow 1
}
unset multiplot
