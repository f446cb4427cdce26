# SPDX-License-Identifier: Apache-2.0
# trials: what the plots against the number of clients share. Before it is loaded, figure(x) names
# the figure of a trial to draw, stands(x) tells whether it is used (x is idle), not_used what it is
# otherwise, and label(x) writes it at a tic. It leaves:
#   $trials    recipe (its place), clients, figure, law, used or not: a row for every trial
#   $medians   recipe, clients, median of the trials used, law: a row for every cell, and two
#              blank lines between recipes, the first recipe being index 0
#   drawn      the places of the recipes that have data; lawful, strange: those of them with a law,
#              and with another than the table's; unused: how many trials are not used;
#              simulated: whether they ran in memory
#   longest    the letters of the legend's entry for these, 0: none
#   half_n[], half_law[]: half-way between two levels of a recipe, and its law there
#   first, last: the fewest and the most clients; highest_at: where the highest figure is
#   last_of(r) the most clients of a recipe with a trial that is used
#   subject    what the trials are, for a title
#   both axes, which have room for the trials of other results as well

drawn = ""
lawful = ""
strange = ""
cells = ""
levels = ""
unused = 0
drains = 1
simulated = 0
locks = 1
highest_at = 0
low = 1e300
high = 0

# Notes in passing what a row has to say, and gives the figure if it can be drawn.
see(i, n, y, law, used) = i > 0 && n > 0 && y > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), \
    levels = with_word(levels, sprintf("%d", n)), \
    cells = used ? with_word(cells, sprintf("%d:%d", i, n)) : cells, \
    lawful = law > 0 ? with_word(lawful, sprintf("%d", i)) : lawful, \
    strange = law > 0 && law != law_of(i, n) ? with_word(strange, sprintf("%d", i)) : strange, \
    unused = unused + !used, \
    drains = drains && strcol("workload") eq "drain", \
    locks = most(locks, number("locks")), \
    simulated = simulated || strcol("driver") eq "simulated", \
    low = least(low, y), highest_at = y > high ? n : highest_at, high = most(high, y), y) : NaN

set datafile columnheaders
set table $trials separator comma
plot run."/trials.csv" using (place(strcol("recipe"))):(column("clients")): \
    (see(place(strcol("recipe")), column("clients"), figure(0), number("law_rpcs"), \
        stands(0))): \
    (number("law_rpcs")):(stands(0)) with table
unset table
set datafile nocolumnheaders

if (drawn eq "") {
    print "plots: ".run."/trials.csv: nothing to draw for ".recipes
    exit status 3
}

drawn = in_order(drawn)
width = page_width(words(drawn))
levels = ascending(levels, 0)

first = int(word(levels, 1))
last = int(word(levels, words(levels)))
two_thirds = first * (1.0 * last / first)**(2.0 / 3)
array half_n[words(recipes)]
array half_law[words(recipes)]
set print $medians
do for [r in drawn] {
    i = int(r)
    half_n[i] = half_law[i] = before_n = before_law = NaN
    print sprintf("%d, nan, nan, nan", i)
    do for [l in levels] {
        n = int(l)
        if (in_list(cells, r.":".l)) {
            stats $trials using ($1 == i && $2 == n && $5 == 1 ? $3 : NaN) name "cell" nooutput
            law_mean = NaN
            if (in_list(lawful, r)) {
                stats $trials using ($1 == i && $2 == n && $5 == 1 ? $4 : NaN) name "law" nooutput
            }
            print sprintf("%d, %d, %.9g, %.9g", i, n, cell_median, law_mean)
            if (half_n[i] != half_n[i] || before_n < two_thirds) {
                half_n[i] = before_n == before_n ? sqrt(1.0 * before_n * n) : n
                half_law[i] = before_n == before_n ? sqrt(before_law * law_mean) : law_mean
            }
            before_n = n
            before_law = law_mean
        }
    }
    print ""
    print ""
}
unset print

last_from(r, k) = k == 0 ? 0 : in_list(cells, r.":".word(levels, k)) ? int(word(levels, k)) \
    : last_from(r, k - 1)
last_of(r) = last_from(r, words(levels))
eval y_axis(low, high, panel)
set lmargin at screen left
eval x_axis(first, last, panel_letters(left, 0.97))
eval "set xtics (".level_tics(levels).")"
set xlabel "clients n"

subject = (drains ? "of a drain of n clients" : "of a trial with n clients").\
    (locks == 1 ? "" : sprintf(" on %d locks", locks))
is(r, used) = $1 == int(r) && $5 == used

# Entries of the legend that are not always there: macros, since gnuplot counts empty loops too.
longest = unused == 0 ? 0 : strlen(not_used)
unused_entry = unused == 0 ? "" \
    : ", NaN with points pt 2 ps point_scale lw 1.5 lc rgb '#404040' title not_used"
