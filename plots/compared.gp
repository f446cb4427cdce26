# SPDX-License-Identifier: Apache-2.0
# compared: reads two metrics of a comparison. It leaves:
#   $ratios  recipe (its place), clients, side (2 is B), metric (1 or 2), ratio, its interval's
#            low and high: a row for every cell and side
#   drawn    the places of the recipes that have data; levels: the numbers of clients, ascending
#   sides    how many there are, A included; base(k): the side to which side k is held; barred: those of the sides and
#            metrics, as 2:1, of which a ratio has an interval
#   low, high  the extremes, with their intervals

drawn = ""
levels = ""
sides = 0
bases = ""
barred = ""
low = 1
high = 1

# Which side a pair such as "C/A" holds against which; which of the metrics drawn.
side_of(letter) = strstrt("ABCDEFGHIJKLMNOP", letter)
side(pair) = side_of(substr(pair, 1, 1))
base(k) = side_of(substr(bases, 2 * k, 2 * k))
see_base(pair) = strlen(bases) >= 2 * side(pair) ? side(pair) : ( \
    bases = bases.substr("                                ", 1, 2 * side(pair) - 1 - strlen(bases)).substr(pair, 3, 3), \
    side(pair))
panel_of(metric) = metric eq "handoff_p50_us" ? 1 : metric eq "drain_s" ? 2 : 0

# Notes in passing what a row has to say, and gives the ratio if it can be drawn.
see(i, n, k, metric, ratio, ratio_low, ratio_high) = i > 0 && n > 0 && ratio > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), \
    levels = with_word(levels, sprintf("%d", n)), \
    sides = most(sides, k), \
    barred = ratio_low > 0 ? with_word(barred, sprintf("%d:%d", k, metric)) : barred, \
    low = least(low, ratio_low > 0 ? ratio_low : ratio), \
    high = most(high, ratio_high > 0 ? ratio_high : ratio), ratio) : NaN

set datafile columnheaders
set table $ratios separator comma
plot run."/compare.csv" using (place(strcol("recipe"))):(column("clients")): \
    (see_base(strcol("pair"))):(panel_of(strcol("metric"))): \
    (panel_of(strcol("metric")) == 0 ? NaN : see(place(strcol("recipe")), column("clients"), \
        side(strcol("pair")), panel_of(strcol("metric")), number("ratio"), number("ratio_low"), \
        number("ratio_high"))): \
    (number("ratio_low")):(number("ratio_high")) with table
unset table
set datafile nocolumnheaders

drawn = in_order(drawn)
levels = ascending(levels, 0)
