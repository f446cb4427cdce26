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

# Each number of clients has a column, in which recipes stand side by side, so that no interval covers another.
slots = words(levels)
its(r, k, metric) = $1 == int(r) && $3 == k && $4 == metric \
    ? place_in(levels, sprintf("%d", $2)) + 0.8 * ((place_in(drawn, r) - 0.5) / words(drawn) - 0.5) : NaN
unset logscale x
set xrange [0.5 : slots + 0.5]
set grid noxtics ytics linestyle 99
do for [i = 1:slots - 1] { set arrow i from i + 0.5, graph 0 to i + 0.5, graph 1 nohead back ls 99 }
label_room(x) = ceil((strlen(thousands(int(word(levels, slots)))) + 0.3) * slots / panel_letters(0.085, 0.505))
slot_tics(i) = i > slots ? "" : sprintf("'%s' %d, ", (slots - i) % label_room(0) == 0 \
    ? thousands(int(word(levels, i))) : "", i).slot_tics(i + 1)
eval "set xtics scale 0 (".slot_tics(1).")"
set xlabel "clients n"

# Ratios: as far below 1 as above it there may be nothing, so no decade is asked for. The axis ends at tics.
under = least(0.8, low / 1.05)
over = most(1.25, high * 1.05)
candidates = " 0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.3 0.5 0.7 1 1.4 2 3 4 5 7 10 20 50 100 200 500 1000"
is_tic(c) = over / under < 12 || !in_list(" 0.3 0.7 1.4 3 4 7", c)
from = under
to = over
ratio_tics = ""
do for [c in candidates] {
    if (is_tic(c) && c <= under) { from = real(c) }
    if (is_tic(c) && c >= over && to == over) { to = real(c) }
    ratio_tics = ratio_tics.(is_tic(c) ? sprintf("'%s' %s, ", c, c) : "")
}
set yrange [from : to]
eval "set ytics (".ratio_tics.")"

# In words of their own: gnuplot counts empty loops too, and bars without a single interval to draw are
# an error.
bars_of(k, metric) = !in_list(barred, sprintf("%d:%d", k, metric)) ? "" : \
    "for [r in drawn] $ratios using (its(r, k, metric)):6:(0):($7 - $6) ".\
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
            "for [r in drawn] $ratios using (its(r, k, metric)):5 with points ls int(r) notitle, ".\
            "for [r in drawn] NaN with points ls int(r) title name(r)"
        @once
        unset label 99
    }
}
unset multiplot
