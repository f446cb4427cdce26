# SPDX-License-Identifier: Apache-2.0
# compared: reads one metric of a comparison. Before it is loaded, `metric` names the metric and
# `unit_s` is how many seconds its unit has. It leaves:
#   $compared  recipe (its place), clients, side (1 is A), geometric mean, its interval's low and
#              high, in seconds: a row for every cell and side
#   drawn      the places of the recipes that have data; levels: the numbers of clients, ascending
#   labels     those of the sides, a quoted word each; sides: how many there are
#   bars       whether any value has an interval
#   low, high  the extremes, with their intervals

drawn = ""
levels = ""
labels = ""
sides = 0
bars = 0
low = 1e300
high = 0

# Which side a pair such as "C/A" holds against A.
side(pair) = strstrt("ABCDEFGHIJKLMNOP", substr(pair, 1, 1))
note(k, label) = k > sides ? (labels = labels.' "'.label.'"', sides = k) : sides

# Notes in passing what a row has to say, and gives the figure if it can be drawn.
see(i, n, y, y_low, y_high) = i > 0 && n > 0 && y > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), \
    levels = with_word(levels, sprintf("%d", n)), \
    bars = bars || y_low > 0, \
    low = least(low, y_low > 0 ? y_low : y), high = most(high, y_high > 0 ? y_high : y), y) : NaN
seconds(name) = number(name) * unit_s
# `if` drops a row only after all of it has been seen.
figure(name) = strcol("metric") ne metric ? NaN : ( \
    note(1, strcol("label_a")), note(side(strcol("pair")), strcol("label_b")), \
    see(place(strcol("recipe")), column("clients"), seconds(name), seconds(name."_low"), \
        seconds(name."_high")))

# A is the same in all pairs: it is taken from those with B. A value without an interval counts too.
set datafile columnheaders
set datafile missing
set table $compared separator comma
plot run."/compare.csv" using (place(strcol("recipe"))):(column("clients")):(1): \
    (figure("a")):(seconds("a_low")):(seconds("a_high")) \
    with table if (strcol("metric") eq metric && strcol("pair") eq "B/A")
set table $compared append separator comma
plot run."/compare.csv" using (place(strcol("recipe"))):(column("clients")): \
    (side(strcol("pair"))):(figure("b")):(seconds("b_low")):(seconds("b_high")) \
    with table if (strcol("metric") eq metric)
unset table
set datafile nocolumnheaders

drawn = in_order(drawn)
levels = ascending(levels, 0)
