# SPDX-License-Identifier: Apache-2.0
# compare: handoff latency and drain time of every side but A, as ratios to its base, against the clients:
# a row of panels for each side. Here `run` is the folder of a comparison, and label_1, label_2, …,
# where they are given, are the names of the sides; else they are A, B, …. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "compare.gp") - 1]."." }
width = 800
titled = 1
load scripts."/common.gp"
label(x) = sprintf("%g", x)
load scripts."/compared.gp"

if (drawn eq "") {
    print "plots: ".run."/compare.csv: nothing to draw for ".recipes
    exit status 3
}

# Names long enough to run into each other are cut.
letter(k) = substr("ABCDEFGHIJKLMNOP", k, k)
given(k) = exists(sprintf("label_%d", k)) ? value(sprintf("label_%d", k)) : letter(k)
cut(text) = strlen(text) > 24 ? substr(text, 1, 23)."…" : text
side_name(k) = cut(given(k))

each = 250
between_rows = 76
panel = (sides - 1) * each + (sides - 2) * between_rows
longest = 0
do for [r in drawn] { longest = most(longest, strlen(name(r))) }
rows = rows_for(words(drawn), longest)
eval canvas("compare", rows)
eval legend(rows)
set output file("compare")

# Recipes stand beside each other, lest their bars cover each other.
least_gap(k) = k >= words(levels) ? (words(levels) == 1 ? 2.0 : 1e9) \
    : least(1.0 * word(levels, k + 1) / word(levels, k), least_gap(k + 1))
spread = 0.7 * log(least_gap(1))
slot = spread / words(drawn)
is(r, k, metric) = $1 == int(r) && $3 == k && $4 == metric
beside(r, k, metric) = is(r, k, metric) \
    ? $2 * exp(slot * (place_in(drawn, r) - (words(drawn) + 1) / 2.0)) : NaN
first = int(word(levels, 1))
last = int(word(levels, words(levels)))
eval x_axis(first * exp(-spread / 3), last * exp(spread / 3), panel_letters(0.085, 0.505))
eval "set xtics (".level_tics(levels).")"
set xlabel "clients n"

# Ratios: as far below 1 as above it there may be nothing, so no decade is asked for.
from = least(0.8, low / 1.1)
to = most(1.25, high * 1.1)
candidates = " 0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.3 0.5 0.7 1 1.4 2 3 4 5 7 10 20 50 100 200 500 1000"
fine = to / from < 12
ratio_tic(c) = c < from || c > to || (!fine && strstrt("0.3 0.7 1.4 3 4 7", sprintf("%g", c)) > 0 && c != 1) ? "" \
    : sprintf("'%g' %g, ", c, c)
ratio_tics = ""
do for [c in candidates] { ratio_tics = ratio_tics.ratio_tic(real(c)) }
set yrange [from : to]
eval "set ytics (".ratio_tics.")"

# In words of their own: gnuplot counts empty loops too, and bars without a single interval to draw are
# an error.
bars_of(k, metric) = !in_list(barred, sprintf("%d:%d", k, metric)) ? "" : \
    "for [r in drawn] $ratios using (beside(r, k, metric)):6:(0):($7 - $6) ".\
    "with vectors heads size screen 0.004, 90 lc rgb look(int(r), 2) lw 1.4 dt 1 notitle, "
# The legend has one entry a recipe; what the bars are stands in the title.
bars_note(k, metric) = in_list(barred, sprintf("%d:%d", k, metric)) ? " (95 % CI)" : ""
upper(k) = top(rows) - (k - 2.0) * (each + between_rows) / height(rows)
lower(k) = upper(k) - 1.0 * each / height(rows)
set multiplot
do for [k = 2:sides] {
    do for [metric = 1:2] {
        set tmargin at screen upper(k)
        set bmargin at screen lower(k)
        set lmargin at screen metric == 1 ? 0.085 : 0.565
        set rmargin at screen metric == 1 ? 0.505 : 0.985
        set title (metric == 1 ? "Handoff latency, median" : "Drain time").bars_note(k, metric)
        if (metric == 1) { eval y_title(side_name(k)." / ".side_name(base(k)), lower(k), upper(k)) }
        eval "plot 1 with lines ls 97 notitle, ".bars_of(k, metric).\
            "for [r in drawn] $ratios using (beside(r, k, metric)):5 with points ls int(r) notitle, ".\
            "for [r in drawn] NaN with points ls int(r) title name(r)"
        @once
        unset label 99
    }
}
unset multiplot
