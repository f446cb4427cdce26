# SPDX-License-Identifier: Apache-2.0
# paper_table3: the time in which all clients enter and leave their double barriers against the
# number of barriers: a curve for each number of clients and of servers, a straight line of slope 1
# through each, and the paper's figures where it has the same cell. See common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "paper_table3.gp") - 1]."." }
load scripts."/common.gp"
label(x) = x < 1 ? sprintf("%.9g", x) : thousands(x)
load scripts."/load_common.gp"
panel = 380

# $cells: curve, barriers, seconds, their interval's low and high, the paper's seconds.
keys = ""
levels = ""
low = 1e300
high = 0
papers = 0
see(key, barriers, value, value_high, paper) = value > 0 ? ( \
    keys = with_word(keys, key), levels = with_word(levels, sprintf("%d", barriers)), \
    low = least(low, paper > 0 ? least(value, paper) : value), \
    high = most(high, value_high > 0 ? least(value_high, 2 * value) : value), \
    high = most(high, paper > 0 ? paper : 0), papers = papers || paper > 0, \
    place_in(keys, key)) : NaN
# An interval that reaches to 0 has no logarithm.
bar_low(x) = number("seconds_low") > 0 ? number("seconds_low") : 1e-9
key_of(x) = sprintf("%d:%d:0:0", column("servers"), column("clients"))
set datafile columnheaders
set table $cells separator comma
plot run."/table3.csv" using (see(key_of(0), number("barriers"), number("seconds"), \
        number("seconds_high"), number("paper_seconds"))): \
    (number("barriers")):(number("seconds")):(bar_low(0)):(number("seconds_high")): \
    (number("paper_seconds")) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN

if (words(keys) == 0) {
    print "plots: ".run."/table3.csv: no trial"
    exit status 3
}
levels = ascending(levels, 0)
drawn = least(words(keys), curves_max)

# Seconds a barrier, in the middle of each curve.
unset logscale
array per_barrier[drawn]
do for [i = 1:drawn] {
    stats $cells using ($1 == i ? log($3 / $2) : NaN) name "curve" nooutput
    per_barrier[i] = exp(curve_mean)
}
set logscale xy

several = differs(keys, 1)
entry(i) = plural(part(word(keys, i), 2), "client"). \
    (several ? ", ".servers_text(part(word(keys, i), 1)) : "")
slope_text = "proportional to the barriers"
paper_text = "open: the paper"
longest = most(strlen(slope_text), strlen(entry(drawn)))
entries = drawn + 1 + papers
rows = rows_for(entries, longest)
eval canvas("paper_table3", rows)
eval legend(rows)
eval squeeze(entries, longest)
eval y_axis(low, high, panel)
set lmargin at screen left
first = int(word(levels, 1))
last = int(word(levels, words(levels)))
eval x_axis(first, last, panel_letters(left, 0.97))
eval "set xtics (".level_tics(levels).")"
set xlabel "double barriers, each entered and left by every client"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title heading("Table 3: mean of the clients and trials, 95 % CI")
eval y_title("time, s", bottom(rows), top(rows))

set style line 96 lc rgb "#808080" lw 0.6 dt 1
set style line 95 lc rgb "#404040" lw 1.5 pt 6 ps point_scale
# Of the interval, what is within the panel: gnuplot leaves out what ends outside.
bottom_of(value) = most(value, 1.01 * y_low)
top_of(value) = least(value, y_high / 1.01)
its(i) = $1 == i ? $2 : NaN
# A macro, since gnuplot warns of what has no points.
papers_points = papers ? ", for [i = 1:drawn] $cells using (its(i)):6 with points " \
    ."ls 700 + i notitle, NaN with points ls 95 title paper_text" : ""
set output file("paper_table3")
plot for [i = 1:drawn] [first:last] per_barrier[i] * x with lines ls 96 notitle, \
    for [i = 1:drawn] $cells using (its(i)):(bottom_of($4)):(0):(top_of($5) - bottom_of($4)) \
        with vectors heads size screen 0.006, 90 lc rgb curve_look(i, 1) lw bar_width(i, drawn) dt 1 notitle, \
    for [i = 1:drawn] $cells using (its(i)):3 with lines ls 600 + i notitle, \
    for [i = 1:drawn] $cells using (its(i)):3 with points ls 600 + i notitle, \
    for [i = 1:drawn] NaN with linespoints ls 600 + i title entry(i), \
    NaN with lines ls 96 title slope_text @papers_points
