# SPDX-License-Identifier: Apache-2.0
# autopsy: how many waited for locks and held them, in each period of the logs, at all locks
# together; and below, the transactions of the period, and those of them that are errors. See
# common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "autopsy.gp") - 1]."." }
load scripts."/common.gp"
load scripts."/load_common.gp"

# $periods: seconds from the first, waiters, holders, transactions, errors.
begin = 1e300
end = 0
array high[2] = [0, 0]
see(ms, waiters, holders, transactions) = ( \
    begin = least(begin, ms), end = most(end, ms), \
    high[1] = most(high[1], most(waiters, holders)), high[2] = most(high[2], transactions), ms)
set datafile columnheaders
set table $ignored separator comma
plot run."/periods.csv" using (see(column("begin_ms"), column("waiters_max"), \
    column("holders_max"), column("transactions"))):(length = column("seconds")) with table
set table $periods separator comma
plot run."/periods.csv" using ((column("begin_ms") - begin) / 1e3):(column("waiters_max")): \
    (column("holders_max")):(column("transactions")):(column("errors")) with table
unset table
set datafile nocolumnheaders

if (end <= begin) {
    print "plots: ".run."/periods.csv: fewer than two periods"
    exit status 3
}
# In the unit of which the axis has fewer than 200.
span = (end - begin) / 1e3 + length
units = "second minute hour day"
array in_unit[4] = [1, 60, 3600, 86400]
unit = span < 200 ? 1 : span < 12000 ? 2 : span < 720000 ? 3 : 4
last = span / in_unit[unit]

width = 800
each = 170
between = 26
panel = 2 * each + between
array entry_text[4] = ["waiters", "holders", "transactions", "errors"]
rows = rows_for(4, strlen("transactions"))
eval canvas("autopsy", rows)
eval legend(rows)
eval squeeze(4, strlen("transactions"))
set style line 601 lc rgb "#D55E00" lw 1.5 dt 1
set style line 602 lc rgb "#0072B2" lw 1.5 dt 1
set style line 603 lc rgb "#7F7F7F" lw 1.5 dt 1
set style line 604 lc rgb "#000000" lw 1.5 dt 3

label(x) = in_numbers(x)
unset logscale
array axis[2]
widest = 0
do for [i = 1:2] {
    axis[i] = zero_axis(most(high[i], 1), 4)
    widest = most(widest, left)
}
upper(i) = top(rows) - (i - 1.0) * (each + between) / height(rows)
lower(i) = upper(i) - 1.0 * each / height(rows)
set lmargin at screen widest
set xrange [0 : last]
x_step = step_of(last / 8.0)
array y_texts[2] = ["sessions", sprintf("in %g s", length)]
curve(i) = sprintf("$periods using ($1 / in_unit[unit]):%d with lines ls %d notitle", 1 + i, 600 + i)
entry(i) = sprintf("NaN with lines ls %d title entry_text[%d]", 600 + i, i)
set output file("autopsy")
set multiplot
do for [i = 1:2] {
    set tmargin at screen upper(i)
    set bmargin at screen lower(i)
    set title i == 1 ? "Who waited for locks, and who held them" : ""
    set xlabel i == 2 ? word(units, unit)." of the logs" : ""
    eval axis[i]
    eval sprintf("set xtics %g format '%s'", x_step, i == 2 ? "%g" : "")
    eval y_title(y_texts[i], lower(i), upper(i))
    eval "plot ".curve(2 * i - 1).", ".curve(2 * i).", ".entry(1).", ".entry(2).", ".entry(3).", ".entry(4)
    @once
    unset label 99
}
unset multiplot
