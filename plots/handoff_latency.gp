# SPDX-License-Identifier: Apache-2.0
# handoff_latency: from a release to the next grant, against the waiters. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "handoff_latency.gp") - 1]."." }
load scripts."/common.gp"
label(x) = in_seconds(x)
load scripts."/waiters.gp"

low = axis_low(fastest / 1e6, slowest / 1e6)
high = axis_high(fastest / 1e6, slowest / 1e6)
set yrange [low : high]
eval "set ytics (".log_tics(low, high).")"
eval x_axis(fewest, most_waiters, page_letters)
eval "set xtics (".power_tics(1).")"

rows = ceil(words(drawn) / 3.0)
eval canvas("handoff_latency", rows)
eval legend(rows)
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title "Handoff with W waiters: p50".(bars ? " with its 95% interval" : "").\
    (tails ? ", p99 dashed" : "")
set ylabel "from release to next grant"
set output file("handoff_latency")
# Recipes stand 3% apart, lest their bars cover each other.
beside(r) = is(r) ? $2 * (1 + 0.03 * (place_in(drawn, r) - (words(drawn) + 1) / 2.0)) : NaN
plot for [r in drawn] $waiters using (beside(r)):($8 / 1e6) \
        with linespoints ls 400 + int(r) notitle, \
    for [r in drawn] $waiters using (beside(r)):($6 / 1e6):(0):(($7 - $6) / 1e6) \
        with vectors heads size screen 0.006, 90 ls int(r) notitle, \
    for [r in drawn] $waiters using (beside(r)):($5 / 1e6) with linespoints ls int(r) notitle, \
    for [r in drawn] NaN with linespoints ls int(r) title name(r)
