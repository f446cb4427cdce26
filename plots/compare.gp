# SPDX-License-Identifier: Apache-2.0
# compare: handoff latency and drain time of every topology against the clients, side by side: the
# geometric means over trials, with their intervals. A recipe has its colour, a topology its dash.
# Here `run` is the folder of a comparison. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "compare.gp") - 1]."." }
load scripts."/common.gp"
label(x) = in_seconds(x)
metric = "handoff_p50_us"
unit_s = 1e-6
load scripts."/compared.gp"

if (drawn eq "") {
    print "plots: ".run."/compare.csv: nothing to draw for ".recipes
    exit status 3
}

# The legend: recipes in a column, topologies in another.
dash(k) = (k - 1) % 5 + 1
entry(k) = substr(word(labels, k), 1, 40)
rows = most(words(drawn), sides)
# A macro, since gnuplot counts empty loops too.
fill_entries = rows == words(drawn) ? "" \
    : ", for [k = 1:rows - words(drawn)] NaN with lines ls 98 title ' '"
eval canvas("compare", rows)
eval legend(rows)
set output file("compare")

# Sides stand 4% apart, lest their bars cover each other.
is(r, k) = $1 == int(r) && $3 == k
beside(r, k) = is(r, k) ? $2 * (1 + 0.04 * (k - (sides + 1) / 2.0)) : NaN
first = int(word(levels, 1))
last = int(word(levels, words(levels)))
eval x_axis(first, last, panel_letters(0.12, 0.49))
eval "set xtics (".level_tics(levels).")"
set xlabel "clients n"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
# A line goes on over the rows of other sides and recipes.
panel = 'set datafile missing NaN; set yrange [axis_low(low, high) : axis_high(low, high)]; '. \
    'eval "set ytics (".log_tics(axis_low(low, high), axis_high(low, high)).")"'

# A macro too: vectors without a single interval to draw are an error.
interval_bars = !bars ? "" : "for [r in drawn] for [k = 1:sides] $compared ". \
    "using (beside(r, k)):5:(0):($6 - $5) with vectors heads size screen 0.005, 90 ". \
    "lc rgb look(int(r), 2) lw 1.2 dt 1 notitle, "

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.49
set title "Handoff p50".(bars ? ", 95% interval" : "")
eval panel
plot @interval_bars for [r in drawn] for [k = 1:sides] $compared using (beside(r, k)):4 with linespoints \
        lc rgb look(int(r), 2) pt point(int(r)) ps size(int(r)) lw 1.5 dt dash(k) notitle, \
    for [r in drawn] NaN with linespoints ls int(r) title name(r) @fill_entries, \
    for [k = 1:sides] NaN with lines lc rgb "#404040" lw 1.5 dt dash(k) title entry(k)

metric = "drain_s"
unit_s = 1
load scripts."/compared.gp"
set lmargin at screen 0.6
set rmargin at screen 0.97
set title "From the first release to the last"
eval panel
plot @interval_bars for [r in drawn] for [k = 1:sides] $compared using (beside(r, k)):4 with linespoints \
        lc rgb look(int(r), 2) pt point(int(r)) ps size(int(r)) lw 1.5 dt dash(k) notitle
unset multiplot
