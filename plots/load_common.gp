# SPDX-License-Identifier: Apache-2.0
# load_common: what the plots of a load share: the look of a curve, and axes that are not
# logarithmic. See common.gp, which is loaded before.
#
# A curve is a cell, or the cells that differ in x alone. Its key, of numbers with colons between,
# is servers:sessions:rate:reads, without the number that is x; a rate of 0 is a closed loop, and of
# several releases of ZooKeeper the servers are "3-3.9.3". The name of a curve has only those parts
# that differ between the curves.

# colour  point, open point, size: later points are smaller, so that those below them show.
$curves << END
#0072B2  7  6 1.6
#D55E00  5  4 1.15
#009E73  9  8 0.8
#CC79A7 11 10 0.8
#000000 13 12 0.8
#E69F00 15 14 0.7
END
curves_max = 12
curve_look(i, column) = word($curves[1 + (int(i) - 1) % |$curves|], column)
do for [i = 1:curves_max] {
    set style line 600 + i lc rgb curve_look(i, 1) lw 1.5 dt int(i > |$curves| ? 3 : 1) \
        pt int(curve_look(i, 2)) ps point_scale * curve_look(i, 4)
    set style line 700 + i lc rgb curve_look(i, 1) lw 1.5 dt 1 pt int(curve_look(i, 3)) \
        ps point_scale
    # What is behind an open point does not show through.
    set style line 800 + i lc rgb "white" lw 1.5 dt 1 pt int(curve_look(i, 2)) ps point_scale
}

# Part i of a key; which parts differ between keys.
after_colons(key, i) = i == 1 ? key : after_colons(key[strstrt(key, ":") + 1:], i - 1)
until_colon(text) = strstrt(text, ":") > 0 ? text[1:strstrt(text, ":") - 1] : text
part(key, i) = until_colon(after_colons(key, i))
differs(keys, i) = sum [k = 1:words(keys)] (part(word(keys, k), i) ne part(word(keys, 1), i))
plural(count, word) = count." ".word.(count eq "1" ? "" : "s")
dash_in(text) = strstrt(text, "-")
release_of(target) = target[1:10] eq "standalone" || target[1:8] eq "ensemble" ? \
    (dash_in(target) > 0 ? target[dash_in(target):strlen(target)] : "") : ""
servers_key(x) = sprintf("%d", column("servers")).release_of(strcol("target"))
servers_text(key) = dash_in(key) == 0 ? plural(key, "server") \
    : plural(key[1:dash_in(key) - 1], "server")." of ".key[dash_in(key) + 1:strlen(key)]
sessions_text(number) = plural(number, "session")
rate_text(number) = number eq "0" ? "closed loop" : grouped(real(number))."/s offered"
reads_text(number) = number." % reads"
rate_of(x) = number("rate_per_s") > 0 ? number("rate_per_s") : 0
joined(text, more) = text eq "" ? more : text.", ".more
name_with(keys, key, i, text, more) = differs(keys, i) ? joined(text, more) : text
name_servers(keys, key) = name_with(keys, key, 1, "", servers_text(part(key, 1)))
name_sessions(keys, key) = \
    name_with(keys, key, 2, name_servers(keys, key), sessions_text(part(key, 2)))
name_rate(keys, key) = name_with(keys, key, 3, name_sessions(keys, key), rate_text(part(key, 3)))
name_of(keys, key) = name_with(keys, key, 4, name_rate(keys, key), reads_text(part(key, 4)))
# Names of curves are longer than those of recipes: many of them have two columns, not three.
legend_letters(entries, letters) = is_crowded(entries) ? most(letters, 25) : letters

# --- Trials ---------------------------------------------------------------------------------------
# Where a mean has no interval, small open points are its trials: those of trials_1, trials_2, …, folders
# with a load.csv.
parts = 0
while (exists(sprintf("trials_%d", parts + 1))) { parts = parts + 1 }
file_of_part(m) = value(sprintf("trials_%d", m))."/load.csv"
is_counted(x) = strcol("valid") eq "yes"
trial_size = 0.45 * point_scale
trial_text = "small: a trial"
set style line 94 lc rgb "white" pt 7 ps trial_size
set style line 93 lc rgb "#404040" lw 1 dt 1 pt 6 ps trial_size

# --- Axes from 0 ----------------------------------------------------------------------------------
# Sets y_high, a labelled tic above the highest value, and left, the part of the page that the
# labels and the axis' own take.
step_of(rough) = unit_step(rough, 10.0**floor(log10(rough)))
unit_step(rough, power) = rough <= power ? power : rough <= 2 * power ? 2 * power \
    : rough <= 5 * power ? 5 * power : 10 * power
even_tics(x, step, last) = x > last * 1.000001 ? "" \
    : sprintf("'%s' %.9g, ", thousands(x), x).even_tics(x + step, step, last)
zero_axis(high, steps) = (y_step = step_of(1.06 * high / steps), \
    y_high = y_step * ceil(1.06 * high / y_step - 1e-9), \
    left = (54 + 8.0 * strlen(thousands(y_high))) / width, \
    sprintf("unset logscale y; set yrange [0 : %.9g]; set ytics (%s)", y_high, \
        even_tics(0, y_step, y_high)))

# y_axis of common.gp for times, with room for "100 ms", which may be wider than the outermost
# labels.
time_axis(low, high, panel) = (y_text_of_axis = y_axis(low, high, panel), \
    left = y_low <= 0.1 && y_high >= 0.1 ? most(left, 104.0 / width) : left, y_text_of_axis)
