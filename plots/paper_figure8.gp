# SPDX-License-Identifier: Apache-2.0
# paper_figure8: completed operations a second over the time of a trial, counted every 300 ms, a line
# for each trial, with a mark for each time that servers are killed (dashes) and started again
# (dots): those of the first trial, from which the others differ little. A trial that is not valid,
# and so no part of a verdict, says so. See common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "paper_figure8.gp") - 1]."." }
width = 800
panel = 360
load scripts."/common.gp"
load scripts."/load_common.gp"

# $samples: curve, middle of the sample in s, operations a second. $faults: number, s.
keys = ""
high = 0
last = 0
see(trial, from, rate) = (keys = with_word(keys, sprintf("%d", trial)), \
    high = most(high, rate), last = most(last, from + 0.3), place_in(keys, sprintf("%d", trial)))
set datafile columnheaders
set table $samples separator comma
plot run."/samples.csv" using \
    (see(column("trial"), column("from_s"), column("operations_per_s"))): \
    (column("from_s") + 0.15):(column("operations_per_s")) with table
unset table
if (high == 0) {
    print "plots: ".run."/samples.csv: no operation"
    exit status 3
}
faults = 0
not_valid = ""
first_trial = int(word(keys, 1))
array fault_s[20]
note(fault, trial, at, valid) = (faults = most(faults, int(fault)), \
    not_valid = valid eq "no" ? with_word(not_valid, sprintf("%d", trial)) : not_valid, \
    trial == first_trial ? (fault_s[int(fault)] = at, at) : NaN)
do for [i = 1:20] { fault_s[i] = NaN }
set table $faults separator comma
plot run."/figure8.csv" using (column("fault")): \
    (note(column("fault"), column("trial"), number("at_s"), strcol("valid"))) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN

# The schedule of three servers lacks the two followers.
killed(event) = word("follower another leader two leader", \
    faults < 10 && event == 4 ? 5 : event)
what(event) = killed(event) eq "another" ? "another follower" \
    : killed(event) eq "two" ? "two followers" : killed(event)
mark_text(fault) = fault % 2 == 1 ? what((fault + 1) / 2)." killed" : "started again"

drawn = least(words(keys), curves_max)
entry(i) = "trial ".word(keys, i).(place_in(not_valid, word(keys, i)) > 0 ? ", not valid" : "")
kill_text = "servers are killed"
start_text = "and started again"
longest = strlen(kill_text)
do for [i = 1:drawn] { longest = most(longest, strlen(entry(i))) }
rows = rows_for(drawn + 2, longest)
eval canvas("paper_figure8", rows)
eval legend(rows)
eval squeeze(drawn + 2, longest)

# Above the lines there is room for the words of the marks.
axis = zero_axis(1.5 * high, 6)
set lmargin at screen left
unset logscale x
set xrange [0 : last]
x_step = step_of(last / 8.0)
set xtics 0, x_step format "%g"
set xlabel "second of the measured time"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
eval axis
eval y_title("operations a second", bottom(rows), top(rows))
set style line 1 lc rgb "#404040" lw 1.2 dt 2
set style line 2 lc rgb "#404040" lw 1.2 dt 4
do for [i = 1:faults] {
    at_s = fault_s[i]
    if (at_s == at_s) {
        set arrow 100 + i from first at_s, graph 0 to first at_s, graph 1 nohead back \
            ls (i % 2 == 1 ? 1 : 2)
        set label 100 + i mark_text(i) at first at_s, graph 0.99 right rotate by 90 \
            offset character closer(-0.8, -0.9), 0 textcolor rgb "#404040"
    }
}
set title "Figure 8: throughput while servers are killed and started again"
set output file("paper_figure8")
plot for [i = 1:drawn] $samples using ($1 == i ? $2 : NaN):3 with lines \
        lc rgb curve_look(i, 1) lw 1.3 dt int(1 + (i - 1) % 3) notitle, \
    for [i = 1:drawn] NaN with lines lc rgb curve_look(i, 1) lw 1.6 dt int(1 + (i - 1) % 3) \
        title entry(i), \
    NaN with lines ls 1 title kill_text, NaN with lines ls 2 title start_text
