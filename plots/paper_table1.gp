# SPDX-License-Identifier: Apache-2.0
# paper_table1: answered operations a second against the share of reads, a curve for each number of
# servers, and below them what the ZooKeeper paper has of these curves: their ends. See common.gp
# and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "paper_table1.gp") - 1]."." }
each = 210
between_rows = 68
panel = 2 * each + between_rows
titled = 1
load scripts."/common.gp"
load scripts."/load_common.gp"

# $cells: curve, reads, operations a second, their interval's low and high, the paper's.
keys = ""
high = 0
paper_high = 0
see(key, value, value_high, paper) = ( \
    keys = with_word(keys, key), high = most(high, value > 0 ? value : 0), \
    high = most(high, value_high > 0 ? least(value_high, 2 * value) : 0), \
    paper_high = most(paper_high, paper > 0 ? paper : 0), place_in(keys, key))
set datafile columnheaders
set table $cells separator comma
plot run."/table1.csv" using (see(sprintf("%d:0:0:0", column("servers")), \
        number("achieved_per_s"), number("achieved_per_s_high"), number("paper_per_s"))): \
    (column("reads_percent")):(number("achieved_per_s")):(number("achieved_per_s_low")): \
    (number("achieved_per_s_high")):(number("paper_per_s")) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN

if (high == 0) {
    print "plots: ".run."/table1.csv: no trial"
    exit status 3
}
drawn = least(words(keys), curves_max)
entry(i) = servers_text(part(word(keys, i), 1))
longest = 0
do for [i = 1:drawn] { longest = most(longest, strlen(entry(i))) }
width = page_width(drawn)
rows = rows_for(drawn, longest)
eval canvas("paper_table1", rows)
eval legend(rows)
eval squeeze(drawn, longest)

# The axes, before any is drawn: the widest labels say where the panels begin.
ours_axis = zero_axis(high, 5)
widest = left
paper_axis = paper_high > 0 ? zero_axis(paper_high, 5) : ""
set lmargin at screen most(widest, left)
unset logscale x
set xrange [-4 : 104]
set xtics 0, 20, 100 format "%g"
upper(k) = top(rows) - (k - 1.0) * (each + between_rows) / height(rows)
lower(k) = upper(k) - 1.0 * each / height(rows)

# Of the interval, what is within the panel.
bar(i) = $1 == i ? $2 : NaN
set output file("paper_table1")
set multiplot
set title "Table 1 and Figure 5: ours, mean and 95 % CI"
set tmargin at screen upper(1)
set bmargin at screen lower(1)
eval ours_axis
eval y_title("operations a second", lower(1), upper(1))
plot for [i = 1:drawn] $cells using (bar(i)):4:(0):($5 - $4) \
        with vectors heads size screen 0.006, 90 lc rgb curve_look(i, 1) lw bar_width(i, drawn) dt 1 notitle, \
    for [i = 1:drawn] $cells using ($1 == i ? $2 : NaN):3 with lines ls 600 + i notitle, \
    for [i = 1:drawn] $cells using ($1 == i ? $2 : NaN):3 with points ls 600 + i notitle, \
    for [i = 1:drawn] NaN with linespoints ls 600 + i title entry(i)
@once
set xlabel "reads, % of the operations"
set tmargin at screen upper(2)
set bmargin at screen lower(2)
if (paper_high > 0) {
    set title "The paper's, on its machines: 0 % and 100 % alone"
    eval paper_axis
    eval y_title("operations a second", lower(2), upper(2))
    plot for [i = 1:drawn] $cells using ($1 == i ? $2 : NaN):6 with points ls 600 + i notitle
}
unset multiplot
