# SPDX-License-Identifier: Apache-2.0
# background: what the contention for a lock costs everybody else: how many times as long a request of
# the load in the background takes while n clients contend, against n: the median with its interval,
# and the 99th percentile. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "background.gp") - 1]."." }
load scripts."/common.gp"
label(x) = sprintf("%g ×", x)

# $prices: recipe (its place), clients, ratio of the medians, its interval, ratio of the p99.
drawn = ""
levels = ""
bars = 0
low = 1.0
high = 1.0
# Notes in passing what a row has to say.
see(i, n, ratio, from, to, tail) = i > 0 && ratio > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), levels = with_word(levels, sprintf("%d", n)), \
    bars = bars || from > 0, low = least(low, from > 0 ? from : ratio), \
    high = most(high, most(to > 0 ? to : ratio, tail > 0 ? tail : 0)), i) : NaN
set datafile columnheaders
set table $prices separator comma
plot run."/background.csv" using (see(place(strcol("recipe")), column("clients"), \
        number("ratio_p50"), number("ratio_p50_low"), number("ratio_p50_high"), \
        number("ratio_p99"))): \
    (column("clients")):(number("ratio_p50")):(number("ratio_p50_low")): \
    (number("ratio_p50_high")):(number("ratio_p99")) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN

if (drawn eq "") {
    print "plots: ".run."/background.csv: nothing to draw for ".recipes
    exit status 3
}
drawn = in_order(drawn)
levels = ascending(levels, 0)
width = page_width(words(drawn))
longest = strlen("99th percentile")
do for [r in drawn] { longest = most(longest, strlen(name(r))) }
entries = words(drawn) + 1
rows = rows_for(entries, longest)
eval canvas("background", rows)
eval legend(rows)
eval squeeze(entries, longest)
eval y_axis(low, high, panel)
set lmargin at screen left
eval x_axis(int(word(levels, 1)), int(word(levels, words(levels))), panel_letters(left, 0.97))
eval "set xtics (".level_tics(levels).")"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set xlabel "clients n that contend for the lock"
set title heading("What others pay: response time beside the lock".(bars ? ", 95 % CI" : ""))
eval y_title("times as long as alone", bottom(rows), top(rows))
set output file("background")
set style line 900 lc rgb "#404040" lw 1 dt 1
is(i) = $1 == int(i) ? $2 : NaN
bars_of = bars ? "for [r in drawn] $prices using (is(r)):4:(0):($5 - $4) ".\
    "with vectors heads size screen 0.006, 90 lc rgb look(int(r), 2) lw bar_width(place_in(drawn, r), words(drawn)) dt 1 notitle, " : ""
plot 1 with lines ls 900 notitle, \
    for [r in drawn] $prices using (is(r)):6 with linespoints ls 400 + int(r) notitle, \
    @bars_of \
    for [r in drawn] $prices using (is(r)):3 with linespoints ls 500 + int(r) title name(r), \
    NaN with lines lc rgb "#404040" lw 0.6 dt 1 title "99th percentile"
