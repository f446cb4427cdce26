# SPDX-License-Identifier: Apache-2.0
# drain_time: the time of a drain against the clients: every trial, the line through the medians, and
# the exponent of fits.csv. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "drain_time.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("drain_s")
stands(x) = strcol("valid") eq "yes"
not_used = "trial not valid"
label(x) = x < 1 ? sprintf("%.9g", x) : thousands(x)
load scripts."/trials.gp"
metric = "drain_s"
load scripts."/fits.gp"

has_slope(i) = exponent_low[i] == exponent_low[i]
slopes = 0
entry(r) = name(r).(has_slope(int(r)) ? sprintf(": ∝ n^%.2f (%.2f to %.2f)", exponent[int(r)], \
    exponent_low[int(r)], exponent_high[int(r)]) : "")
do for [r in drawn] {
    longest = most(longest, strlen(entry(r)))
    slopes = slopes || has_slope(int(r))
}
entries = words(drawn) + (unused > 0)
rows = rows_for(entries, longest)
eval canvas("drain_time", rows)
eval legend(rows)
eval squeeze(entries, longest)
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title heading((drains ? "Drain time" : "First release to last").": trials, median". \
    (slopes ? ", exponent of n (95 % CI)" : ""))
eval y_title(drains ? "drain time, s" : "time, s", bottom(rows), top(rows))
set output file("drain_time")
plot for [k = 1:words(drawn)] $medians index k - 1 using 2:3 \
        with lines ls 100 + int(word(drawn, k)) notitle, \
    for [r in drawn] $trials using (is(r, 1) ? $2 : NaN):3 \
        with points ls 200 + int(r) notitle, \
    for [r in drawn] $trials using (is(r, 0) ? $2 : NaN):3 \
        with points ls 300 + int(r) notitle, \
    for [r in drawn] NaN with linespoints ls 500 + int(r) title entry(r) @unused_entry
