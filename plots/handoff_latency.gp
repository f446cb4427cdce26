# SPDX-License-Identifier: Apache-2.0
# handoff_latency: from a release to the next grant, against the waiters. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "handoff_latency.gp") - 1]."." }
# Higher than the others: one wants to read 4 ms and 50 ms.
panel = 380
load scripts."/common.gp"
label(x) = in_seconds(x)
load scripts."/waiters.gp"
if (slowest == 0) {
    print "plots: ".run."/waiters.csv: no latencies of ".recipes
    exit status 3
}

eval y_axis(fastest / 1e6, slowest / 1e6, panel)
set lmargin at screen left
eval waiter_axis(fewest, most_waiters, panel_letters(left, 0.97))

# A point is the larger the more handoffs it is of.
class(handoffs) = handoffs < 100 ? 1 : handoffs < 1000 ? 2 : 3
weight(class) = class == 1 ? 0.5 : class == 2 ? 0.85 : 1.25
class_title(class) = class == 1 ? "p50 of 1–99 handoffs" \
    : class == 2 ? "p50 of 100–999" : "p50 of 1,000 or more"
weighted(r) = size(int(r)) * weight(class($12))

# The legend: the recipes, and what lines and sizes mean.
kinds = 1 + tails + class(many) - class(few) + 1
rows = words(drawn) <= kinds ? kinds : ceil((words(drawn) + kinds) / 2.0)
# A macro, since gnuplot counts empty loops too.
fill_entries = rows <= words(drawn) ? "" \
    : ", for [k = 1:rows - words(drawn)] NaN with lines ls 98 title ' '"
eval canvas("handoff_latency", rows)
eval legend(rows)
eval squeeze(2 * rows, strlen("p99: 1 in 100 is slower"))
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title heading("Latency of a handoff with W waiters")
eval y_title("from release to next grant", bottom(rows), top(rows))
set output file("handoff_latency")
its(r) = is(r) ? $2 : NaN
tail_entry = !tails ? "" : ", NaN with lines lc rgb '#404040' lw 0.6 dt 1 ".\
    "title 'p99: 1 in 100 is slower'"
plot for [r in drawn] $waiters using (its(r)):($8 / 1e6) \
        with linespoints ls 400 + int(r) notitle, \
    for [r in drawn] $waiters using (its(r)):($6 / 1e6):(0):(($7 - $6) / 1e6) \
        with vectors heads size screen 0.006, 90 lc rgb look(int(r), 2) \
        lw bar_width(place_in(drawn, r), words(drawn)) dt 1 notitle, \
    for [r in drawn] $waiters using (its(r)):($5 / 1e6) with lines ls 500 + int(r) notitle, \
    for [r in drawn] $waiters using (its(r)):($5 / 1e6):(weighted(r)) \
        with points lc rgb look(int(r), 2) pt point(int(r)) ps variable lw 1.5 notitle, \
    for [r in drawn] NaN with linespoints ls 500 + int(r) title name(r) @fill_entries, \
    NaN with lines ls 97 title bars ? "median (p50), 95 % CI" : "median (p50)" @tail_entry, \
    for [k = class(few):class(many)] NaN with points lc rgb "#404040" pt 7 ps 0.8 * point_scale * weight(k) \
        title class_title(k)
