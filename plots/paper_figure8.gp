# SPDX-License-Identifier: Apache-2.0
# paper_figure8: completed operations a second over the time of a trial, counted every 300 ms: the
# median of the trials, within a band from the least of them to the greatest, with a mark for each
# time that servers are killed (dashes) and started again (dots): those of the first trial, from which
# the others differ little. Trials that are not valid, and so no part of a verdict, are left out where
# others are valid. See common.gp and load_common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "paper_figure8.gp") - 1]."." }
width = 800
panel = 360
load scripts."/common.gp"
load scripts."/load_common.gp"

sample_s = 0.3

# not_valid: trials. $faults: number, s.
faults = 0
not_valid = ""
first_trial = 0
array fault_s[20]
note(fault, trial, at, valid) = (faults = most(faults, int(fault)), \
    not_valid = valid eq "no" ? with_word(not_valid, sprintf("%d", trial)) : not_valid, \
    first_trial = first_trial == 0 ? trial : first_trial, trial == first_trial ? (fault_s[int(fault)] = at, at) : NaN)
do for [i = 1:20] { fault_s[i] = NaN }
set datafile columnheaders
set table $faults separator comma
plot run."/figure8.csv" using (column("fault")): \
    (note(column("fault"), column("trial"), number("at_s"), strcol("valid"))) with table
unset table

# rates[k + 9 * i]: operations a second in sample i, from 1 on, of the k-th trial drawn, 8 at most.
trials_max = 8
valid_ones = ""
all_ones = ""
is_valid(trial) = !in_list(not_valid, sprintf("%d", trial))
list_trial(trial) = (all_ones = with_word(all_ones, sprintf("%d", trial)), \
    valid_ones = is_valid(trial) ? with_word(valid_ones, sprintf("%d", trial)) : valid_ones, trial)
last = 0
sample_of(from) = int(from / sample_s + 0.5) + 1
see_last(trial, from) = (list_trial(trial), last = int(most(last, sample_of(from))), last)
set table $ignored
plot run."/samples.csv" using (see_last(column("trial"), column("from_s"))) with table
unset table
drawn = valid_ones eq "" ? all_ones : valid_ones
trials = least(trials_max, words(drawn))
left_out = words(all_ones) - words(drawn)
if (last == 0) {
    print "plots: ".run."/samples.csv: no sample"
    exit status 3
}
array rates[9 * (last + 1)]
do for [i = 1:9 * (last + 1)] { rates[i] = NaN }
high = 0
keep(k, i, rate) = k == 0 || k > trials ? NaN \
    : (rates[k + 9 * i] = rate, high = most(high, rate), rate)
set table $ignored
plot run."/samples.csv" using (keep(place_in(drawn, sprintf("%d", column("trial"))), \
    sample_of(column("from_s")), column("operations_per_s"))) with table
unset table
set datafile nocolumnheaders
if (high == 0) {
    print "plots: ".run."/samples.csv: no operation"
    exit status 3
}

# $samples: middle of the sample in s; the least, the median and the greatest of the trials that have
# it. The median is the value that as many are below as above, or the mean of the two in the middle.
has(k, i) = rates[k + 9 * i] == rates[k + 9 * i]
before(k, m, i) = rates[m + 9 * i] < rates[k + 9 * i] || (rates[m + 9 * i] == rates[k + 9 * i] && m < k)
rank(k, i) = sum [m = 1:trials] (has(m, i) && before(k, m, i))
ranked(r, i) = sum [k = 1:trials] (has(k, i) && rank(k, i) == r ? rates[k + 9 * i] : 0)
set print $samples
do for [i = 1:last] {
    many = sum [k = 1:trials] has(k, i)
    if (many > 0) {
        print sprintf("%.2f, %.1f, %.1f, %.1f", (i - 0.5) * sample_s, ranked(0, i), \
            (ranked((many - 1) / 2, i) + ranked(many / 2, i)) / 2, ranked(many - 1, i))
    }
}
unset print
set datafile missing NaN

# The schedule of three servers lacks the two followers.
killed(event) = word("follower another leader two leader", \
    faults < 10 && event == 4 ? 5 : event)
what(event) = killed(event) eq "another" ? "another follower" \
    : killed(event) eq "two" ? "two followers" : killed(event)
mark_text(fault) = fault % 2 == 1 ? what((fault + 1) / 2)." killed" : "started again"

trials_text = trials == 1 ? "trial ".word(drawn, 1) : sprintf("median of %d trials", trials)
if (valid_ones eq "") { trials_text = trials_text.", not valid" }
band_text = "least to greatest"
out_text = plural(sprintf("%d", left_out), "trial")." not valid"
kill_text = "servers are killed"
start_text = "and started again"
longest = strlen(trials_text)
entries = 3 + (trials > 1) + (left_out > 0)
rows = rows_for(entries, longest)
eval canvas("paper_figure8", rows)
eval legend(rows)
eval squeeze(entries, longest)

# Above the lines there is room for the words of the marks.
axis = zero_axis(1.5 * high, 6)
set lmargin at screen left
unset logscale x
set xrange [0 : last * sample_s]
x_step = step_of(last * sample_s / 8.0)
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
            offset character closer(-1.1, -0.9), 0 textcolor rgb "#404040"
    }
}
set title "Figure 8: throughput while servers are killed and started again"
set output file("paper_figure8")
band = trials == 1 ? "" : "$samples using 1:2:4 with filledcurves fc rgb '#A6CEE3' notitle, ". \
    "NaN with boxes fs solid noborder fc rgb '#A6CEE3' title band_text, "
out_entry = left_out == 0 ? "" : "NaN with lines ls 98 title out_text, "
eval "plot ".band."$samples using 1:3 with lines lc rgb '#08519C' lw 1.3 notitle, ". \
    "NaN with lines lc rgb '#08519C' lw 1.6 title trials_text, ".out_entry. \
    "NaN with lines ls 1 title kill_text, NaN with lines ls 2 title start_text"
