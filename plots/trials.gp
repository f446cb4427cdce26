# SPDX-License-Identifier: Apache-2.0
# trials: what the plots against the number of clients share. Before it is loaded, figure(x) names
# the figure of a trial to draw (x is idle) and label(x) writes it at a tic. It leaves:
#   $trials    recipe (its place), clients, figure, law, valid or not: a row for every trial
#   $medians   recipe, clients, median of the valid trials, law: a row for every cell, and two
#              blank lines between recipes, the first recipe being index 0
#   drawn      the places of the recipes that have data; lawful, strange: those of them with a law,
#              and with another than the table's; invalid: how many trials are;
#              simulated: whether they ran in memory
#   subject    what the trials are, for a title
#   both axes

drawn = ""
lawful = ""
strange = ""
cells = ""
levels = ""
invalid = 0
drains = 1
simulated = 0
locks = 1
low = 1e300
high = 0

# Notes in passing what a row has to say, and gives the figure if it can be drawn.
see(i, n, y, law, valid) = i > 0 && n > 0 && y > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), \
    levels = with_word(levels, sprintf("%d", n)), \
    cells = valid ? with_word(cells, sprintf("%d:%d", i, n)) : cells, \
    lawful = law > 0 ? with_word(lawful, sprintf("%d", i)) : lawful, \
    strange = law > 0 && law != law_of(i, n) ? with_word(strange, sprintf("%d", i)) : strange, \
    invalid = invalid + !valid, \
    drains = drains && strcol("workload") eq "drain", \
    locks = most(locks, number("locks")), \
    simulated = simulated || strcol("driver") eq "simulated", \
    low = least(low, y), high = most(high, y), y) : NaN

set datafile columnheaders
set table $trials separator comma
plot run."/trials.csv" using (place(strcol("recipe"))):(column("clients")): \
    (see(place(strcol("recipe")), column("clients"), figure(0), number("law_rpcs"), \
        strcol("valid") eq "yes")): \
    (number("law_rpcs")):(strcol("valid") eq "yes") with table
unset table
set datafile nocolumnheaders

if (drawn eq "") {
    print "plots: ".run."/trials.csv: nothing to draw for ".recipes
    exit status 3
}

drawn = in_order(drawn)
levels = ascending(levels, 0)

set print $medians
do for [r in drawn] {
    i = int(r)
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
        }
    }
    print ""
    print ""
}
unset print

first = int(word(levels, 1))
last = int(word(levels, words(levels)))
eval x_axis(first, last, page_letters)
set yrange [axis_low(low, high) : axis_high(low, high)]
eval "set xtics (".level_tics(levels).")"
eval "set ytics (".log_tics(axis_low(low, high), axis_high(low, high)).")"
set xlabel "clients n"

subject = drains && locks == 1 ? "to drain a queue of n clients" \
    : (drains ? "to drain n clients" : "of a trial with n clients").\
        (locks == 1 ? "" : sprintf(" on %d locks", locks))
is(r, valid) = $1 == int(r) && $5 == valid

# Entries of the legend that are not always there: macros, since gnuplot counts empty loops too.
invalid_entry = invalid == 0 ? "" \
    : ", NaN with points pt 2 ps point_scale lw 1.5 lc rgb '#404040' title 'trial not valid'"
