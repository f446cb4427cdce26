# SPDX-License-Identifier: Apache-2.0
# autopsy: how many waited for locks and held them, in each period of the logs, at all locks
# together; and below, the transactions of the period, and those of them that are errors. See
# common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "autopsy.gp") - 1]."." }
load scripts."/common.gp"
load scripts."/load_common.gp"

begin = 1e300
end = 0
count = 0
array high[2] = [0, 0]
see(ms, waiters, holders, transactions) = ( \
    begin = least(begin, ms), end = most(end, ms), count = count + 1, \
    high[1] = most(high[1], most(waiters, holders)), high[2] = most(high[2], transactions), ms)
set datafile columnheaders
set table $ignored separator comma
plot run."/periods.csv" using (see(column("begin_ms"), column("waiters_max"), \
    column("holders_max"), column("transactions"))):(length = column("seconds")) with table
if (end <= begin) {
    print "plots: ".run."/periods.csv: fewer than two periods"
    exit status 3
}
array from[count]
array waiters[count]
array holders[count]
array transactions[count]
array errors[count]
keep(i) = (from[i] = (column("begin_ms") - begin) / 1e3, waiters[i] = column("waiters_max"), \
    holders[i] = column("holders_max"), transactions[i] = column("transactions"), errors[i] = column("errors"))
plot run."/periods.csv" using (keep(int($0) + 1)):(0) with table
unset table
set datafile nocolumnheaders

# $periods: the ends of each period, as seconds from the first: waiters, holders, transactions, errors. In the time
# between two, which has no transaction, those wait and hold that do on both sides.
written(x, i, j) = sprintf("%.3f,%d,%d,%d,%d", x, least(waiters[i], waiters[j]), least(holders[i], holders[j]), \
    i == j ? transactions[i] : 0, i == j ? errors[i] : 0)
set print $periods
do for [i = 1:count] {
    if (i > 1) {
        if (from[i] - from[i - 1] > 1.5 * length) {
            print written(from[i - 1] + length, i - 1, i)
            print written(from[i], i - 1, i)
        }
    }
    print written(from[i], i, i)
    print written(from[i] + length, i, i)
}
unset print
# The axis is the clock (UTC), with a mark at most every seventh of it.
origin = begin / 1e3
span = (end - begin) / 1e3 + length
array steps[21] = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, \
    86400, 604800]
mark = 1
while (mark < 21 && steps[mark] < span / 7) { mark = mark + 1 }
clock = steps[mark] < 1 ? "%H:%M:%.1S" : steps[mark] < 60 ? "%H:%M:%S" : steps[mark] < 43200 ? "%H:%M" : "%m-%d"

width = 800
each = 170
between = 26
panel = 2 * each + between
array entry_text[4] = ["waiters", "holders", "transactions", "errors"]
rows = rows_for(4, strlen("transactions"))
eval canvas("autopsy", rows)
eval legend(rows)
eval squeeze(4, strlen("transactions"))
# The first of each panel is the wider one: where both are equal, it shows beside the other.
set style line 601 lc rgb "#D55E00" lw 3 dt 1
set style line 602 lc rgb "#0072B2" lw 1.5 dt 1
set style line 603 lc rgb "#7F7F7F" lw 3 dt 1
set style line 604 lc rgb "#000000" lw 1.5 dt 1

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
set rmargin at screen 0.95
set xrange [origin : origin + span]
array y_texts[2] = ["sessions", sprintf("in %g s", length)]
curve(i) = sprintf("$periods using ($1 + origin):%d with lines ls %d notitle", 1 + i, 600 + i)
entry(i) = sprintf("NaN with lines ls %d title entry_text[%d]", 600 + i, i)
set output file("autopsy")
set multiplot
do for [i = 1:2] {
    set tmargin at screen upper(i)
    set bmargin at screen lower(i)
    set title heading(i == 1 ? "Who waited for locks, and who held them" : "")
    set xlabel i == 2 ? strftime("UTC, from %Y-%m-%d", origin) : ""
    eval axis[i]
    eval sprintf("set xtics %g time format '%s'", steps[mark], i == 2 ? clock : "")
    eval y_title(y_texts[i], lower(i), upper(i))
    eval "plot ".curve(2 * i - 1).", ".curve(2 * i).", ".entry(1).", ".entry(2).", ".entry(3).", ".entry(4)
    @once
    unset label 99
}
unset multiplot
