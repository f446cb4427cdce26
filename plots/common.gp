# SPDX-License-Identifier: Apache-2.0
# common: what the plots of zkherd share: arguments, the look of each recipe, axes, the canvas.
#
# A plot is drawn from the CSV files of a run (or of a comparison, or of a load) and from nothing
# else, into its folder plots:
#   gnuplot -e "run='results/…'; recipes='nonscalable scalable'; format='svg'" plots/rpcs.gp
# run      the folder of the run; its subfolder plots must exist
# recipes  what to draw, in this order; recipes without data are left out [all known ones]
# part     a folder in plots, behind a slash []
# format   svg, png, pdf or eps [svg]
# bare     1: without a title and small print, whose text a paper has itself [0]
# fitted   whether the run has a fits.csv [1]
# scripts  the folder of the scripts [that of the script that is run]
# about_1, about_2, …  lines for the small print below: what the results are of [none]
# counted_recipe_1, counted_law_1, …  the laws of the RPCs by the names of their recipes [none]
# No text of a CSV file is drawn, only its numbers: text could come from anywhere.

if (!exists("run")) {
    print "plots: no run: say gnuplot -e \"run='FOLDER'\" SCRIPT"
    exit status 2
}
if (!exists("format")) { format = "svg" }
if (strstrt(" svg png pdf eps ", " ".format." ") == 0) {
    print "plots: unknown format ".format.": say svg, png, pdf or eps"
    exit status 2
}
if (!exists("part")) { part = "" }
if (!exists("fitted")) { fitted = 1 }
if (!exists("bare")) { bare = 0 }
# A script whose titles tell its panels apart says titled = 1.
if (!exists("titled")) { titled = !bare }
heading(text) = titled ? text : ""

set encoding utf8
set datafile separator ","

# --- The look of a recipe -------------------------------------------------------------------------
# Colours of Okabe and Ito; in black and white, point and dash tell the recipes apart. Those that
# cost the same lie on each other: their points nest (a small filled one in a larger open one), their
# intervals too, and their laws interleave (dashes over a solid line): a point is drawn at its n. A dash tells
# recipes or curves apart, and nothing else. The law: RPCs of a drain, a n² + b n + c.
# Whatever is not listed takes a row `other`, by its place among the recipes.

# recipe        colour  point size dash  a    b    c  law
$looks << END
nonscalable     #D55E00     7 0.75    1  1    1    0  'n² + n'
nonscalable-get #E69F00     6 1.35    3  1    1    0  'n² + n'
childwatch      #CC79A7     8 1.35    2  1    1    1  'n² + n + 1'
scalable        #0072B2     5 0.7     1  0    5   -2  '5n − 2'
scalable-get    #56B4E9     4 1.2     3  0    5   -2  '5n − 2'
scalable-listwatch #CC79A7 2 1.0  5  2   -1    2  '2n² − n + 2'
scalable-guid   #6A3D9A    14 1.2     2  0    5   -2  '5n − 2'
reentrant       #B8860B     3 1.0     5  0    5   -2  '5n − 2'
election        #2F4F4F     9 1.3     3  0    5   -2  '5n − 2'
ticket          #009E73    12 1.6     4  0    5   -2  '5n − 2'
writelock       #000000    10 1.2     5  0    8   -3  '8n − 3'
zoolock         #7F7F7F    11 0.9     2  0    9   -4  '9n − 4'
walkback        #8A6A00    13 1.0     5  0.5  6.5 -1  'n(n − 1)/2 + 7n − 1'
ready           #8B0000    15 0.7     1  0    9   -2  '9n − 2'
softlock        #4682B4     2 1.2     5  0    6   -1  '6n − 1'
rwlock          #CC79A7     4 1.4     4  0    5   -2  '5n − 2'
rwlock-curator  #D55E00     6 1.0     2  0.1875 4.25 -2 '3n²/16 + 17n/4 − 2'
counter         #000000     1 1.1     4  1    1    0  'n² + n'
barrier         #009E73    10 1.2     3  0    7   -2  '7n − 2'
other           #000000    14 1.2     3  0    0    0  ''
other           #D55E00     3 0.9     3  0    0    0  ''
other           #009E73    15 0.8     3  0    0    0  ''
other           #0072B2     1 1.1     3  0    0    0  ''
other           #7F7F7F     9 0.9     3  0    0    0  ''
END
others = 5

known = |$looks| - others
all_known(i) = i > known ? "" : word($looks[i], 1)." ".all_known(i + 1)
if (!exists("recipes")) { recipes = all_known(1) }

place_in(list, name) = sum [i = 1:words(list)] (word(list, i) eq name ? i : 0)
place(name) = place_in(recipes, name)
row_of(name) = sum [i = 1:known] (word($looks[i], 1) eq name ? i : 0)
row(i) = row_of(word(recipes, i)) ? row_of(word(recipes, i)) : known + 1 + (i - 1) % others
look(i, column) = word($looks[row(i)], column)

name(r) = word(recipes, int(r))
law_text(i) = look(i, 9)
swapped(text, from, to) = strstrt(text, from) == 0 ? text : text[1:strstrt(text, from) - 1].to.\
    swapped(text[strstrt(text, from) + strlen(from):], from, to)
given_law(name, k) = !exists(sprintf("counted_law_%d", k)) ? "" \
    : value(sprintf("counted_recipe_%d", k)) ne name ? given_law(name, k + 1) \
    : swapped(swapped(swapped(value(sprintf("counted_law_%d", k)), "^2", "²"), "^3", "³"), "-", "−")
law_of(i, n) = look(i, 6) * n**2 + look(i, 7) * n + look(i, 8)

# The terminals do not agree on the size of points, of triangles and diamonds least of all.
point_scale = format eq "svg" ? 0.8 : 1.0
point(i) = int(look(i, 3))
# The recipes of a list, those with filled points and solid lines first: what is drawn over them does not hide them.
is_filled(i) = in_list(" 5 7 9 11 13 15", sprintf("%d", point(i)))
with_points(list, filled, k) = k > words(list) ? "" \
    : (is_filled(int(word(list, k))) == filled ? word(list, k)." " : "").with_points(list, filled, k + 1)
nested(list) = with_points(list, 1, 1).with_points(list, 0, 1)
size(i) = point_scale * look(i, 4) * (format eq "svg" && point(i) >= 8 && point(i) <= 13 ? 0.8 : 1)
set dashtype 2 (9, 5)
set dashtype 3 (4, 4)
set dashtype 4 (1.5, 3.5)
set dashtype 5 (10, 4, 2, 4)
# Line style i draws recipe i, its points or a solid line; 100 + i its law; 200 + i a trial among
# others; 300 + i a trial that is not used; 400 + i a tail, thin; 500 + i a trial and the law.
do for [i = 1:words(recipes)] {
    set style line i lc rgb look(i, 2) pt point(i) ps size(i) lw 1.5 dt 1
    set style line 100 + i lc rgb look(i, 2) lw 1.5 dt int(look(i, 5))
    set style line 200 + i lc rgb look(i, 2) pt point(i) ps 0.8 * size(i) lw 1.5 dt 1
    set style line 300 + i lc rgb look(i, 2) pt 2 ps point_scale lw 1.5
    set style line 500 + i lc rgb look(i, 2) pt point(i) ps size(i) lw 1.5 dt int(look(i, 5))
    set style line 400 + i lc rgb look(i, 2) pt point(i) ps 0.6 * size(i) lw 0.6 dt int(look(i, 5))
}

# --- What is read ---------------------------------------------------------------------------------
# A field of the row at hand by its column's name; NaN, which is not drawn, where it is empty. Since
# gnuplot 6 an expression that as much as looks at an empty field by column() is not drawn; before,
# stringcolumn() of such a field was an error.
is_empty(name) = GPVAL_VERSION >= 6 && stringcolumn(name) eq ""
number(name) = is_empty(name) ? NaN : column(name) >= 0 ? column(name) : NaN
in_list(list, name) = strstrt(list." ", " ".name." ") > 0
with_word(list, name) = in_list(list, name) ? list : list." ".name
in_order(places) = from_place(places, 1)
from_place(places, i) = i > words(recipes) ? "" \
    : (in_list(places, sprintf("%d", i)) ? sprintf("%d ", i) : "").from_place(places, i + 1)
# The whole numbers of a list that are above n, in order.
next_after(list, n, i, best) = i > words(list) ? best \
    : next_after(list, n, i + 1, \
        word(list, i) > n && word(list, i) < best ? int(word(list, i)) : best)
ascending(list, n) = next_after(list, n, 1, 1e9) == 1e9 ? "" \
    : sprintf("%d ", next_after(list, n, 1, 1e9)).ascending(list, next_after(list, n, 1, 1e9))
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b

if (!exists("width")) { width = 560 }
if (!exists("panel")) { panel = 300 }

# --- Axes -----------------------------------------------------------------------------------------
# All are logarithmic, at least a decade high, so that one level alone still shows where it lies, and
# reach from a labelled tic below the lowest point to one above the highest, and by a millionth beyond
# these: gnuplot may round a tic at an end of the axis away.

# 1234567 as 1,234,567.
grouped(x) = x < 1000 ? sprintf("%d", x) \
    : grouped(floor(x / 1000)).sprintf(",%03d", x - 1000 * floor(x / 1000))
thousands(x) = x < 1000 ? sprintf("%g", x) : grouped(x)
in_numbers(x) = x < 1e6 ? thousands(x) : thousands(x / 1e6)." million"
in_bytes(x) = x < 1e3 ? sprintf("%g B", x) : x < 1e6 ? sprintf("%g kB", x / 1e3) \
    : x < 1e9 ? sprintf("%g MB", x / 1e6) : sprintf("%g GB", x / 1e9)
in_seconds(x) = x < 0.999e-3 ? sprintf("%g µs", x * 1e6) : x < 0.999 ? sprintf("%g ms", x * 1e3) \
    : thousands(x)." s"

# A script that bends its axis says by at(x) where x lies. Tics are written by label(x).
at(x) = x
tic(x, written) = sprintf("'%s' %.9g %d", written ? label(x) : "", at(x), !written)

# Which of 1 to 9 have labels where a decade is so many units high: labels of 15 units may touch.
digits(decade) = decade > 150 ? "1 2 3 4 5 7" : decade > 75 ? "1 2 5" : "1"
# The lowest 1, 2 or 5, times a power of 10, that is no less than x and whose label has room above
# that of the power of 10.
reach(x, decade) = from_power(x, 10.0**floor(log10(x * 0.999999)), decade)
from_power(x, power, decade) = x <= 2 * power && decade > 62 ? 2 * power \
    : x <= 5 * power && decade > 26 ? 5 * power : 10 * power
# The highest of these that is no more than x and whose label has room below the next power's.
descend(x, decade) = above_power(x, 10.0**floor(log10(x * 1.000001)), decade)
above_power(x, power, decade) = x >= 5 * power && decade > 56 ? 5 * power \
    : x >= 2 * power && decade > 26 ? 2 * power : power

# How much is left free above the highest value, in units.
if (!exists("headroom")) { headroom = 3.0 }
# Sets y_low and y_high about the values from low to high, tics between them, on a panel that is so many
# units high, and left, the part of the page that their labels and the axis' own take.
y_axis(low, high, panel) = ( \
    y_decade = panel / most(1, log10(3.0 * high / low)), \
    y_high = reach(high * 10**(headroom / y_decade), y_decade), \
    y_low = least(descend(low / 10**(3.0 / y_decade), y_decade), y_high / 10), y_decade = panel / log10(y_high / y_low), \
    left = (54 + 8.0 * most(label_letters(y_low), label_letters(y_high))) / width, \
    sprintf("set yrange [%.9g : %.9g]; set ytics (%s)", at(y_low * 0.999999), at(y_high * 1.000001), log_tics(y_low, y_high)))
label_letters(x) = most(strlen(label(10.0**floor(log10(x)))), \
    strlen(label(10.0**floor(log10(x) - 1))))
has_label(x, digit) = in_list(" ".digits(y_decade), sprintf("%d", digit)) || abs(x / y_high - 1) < 1e-6 || abs(x / y_low - 1) < 1e-6
digit_tics(u, digit, last) = digit > 9 ? "" : (digit * u > last * 1.000001 ? "" \
    : tic(digit * u, has_label(digit * u, digit)).", ".digit_tics(u, digit + 1, last))
decade_tics(d, last) = 10.0**d > last * 1.000001 ? "" \
    : digit_tics(10.0**d, 1, last).decade_tics(d + 1, last)
log_tics(low, high) = decade_tics(floor(log10(low)), high)

# The x axis has as much air more as its outermost labels need to stay within the panel, which is so
# many letters wide: x_axis sets x_low, x_high, and how many letters one e-fold has.
air(low, high) = most(1.25, sqrt(10.0 * low / high))
half(x) = strlen(thousands(int(x))) / 2.0
e_folds(low, high, letters) = \
    log(1.0 * high / low * air(low, high)**2) / (letters - half(low) - half(high))
x_air(x, low, high, letters) = most(air(low, high), exp(half(x) * e_folds(low, high, letters)))
x_axis(low, high, letters) = (x_low = low / x_air(low, low, high, letters), \
    x_high = high * x_air(high, low, high, letters), x_letters = letters / log(x_high / x_low), \
    sprintf("set xrange [%.9g : %.9g]", x_low, x_high))
panel_letters(left, right) = width / 8.6 * (right - left)

# For `set xtics`. Of the whole numbers in a list, ascending, every k-th is written, the last one
# among them, and the others get a small tic.
letters_between(a, b) = x_letters * log(1.0 * b / a)
nth(list, i) = int(word(list, i))
written(list, i, k) = (words(list) - i) % k == 0
crammed(list, i, k) = written(list, i, k) \
    && letters_between(nth(list, i - k), nth(list, i)) \
        < half(nth(list, i - k)) + half(nth(list, i)) + 0.9
fit(list, k) = words(list) <= k || (sum [i = k + 1:words(list)] crammed(list, i, k)) == 0
x_tic(x, labelled) = sprintf("'%s' %d %d, ", labelled ? thousands(x) : "", x, !labelled)
tics_from(list, i, k) = i > words(list) ? "" \
    : x_tic(nth(list, i), written(list, i, k)).tics_from(list, i + 1, k)
tics_of(list, k) = tics_from(list, 1, k)
# What has room for its label within the panel.
kept(x) = least(letters_between(x_low, x), letters_between(x, x_high)) > half(x) - 0.01 \
    ? sprintf("%d ", x) : ""
powers(base, x) = x >= x_high ? "" : kept(x).powers(base, base * x)
fives(x) = x >= x_high ? "" : kept(x).kept(2 * x).kept(5 * x).fives(10 * x)
between(x) = x >= x_high ? "" : x_tic(2 * x, 0).x_tic(3 * x, 0).x_tic(4 * x, 0).x_tic(5 * x, 0).\
    x_tic(6 * x, 0).x_tic(7 * x, 0).x_tic(8 * x, 0).x_tic(9 * x, 0).between(10 * x)
# 1, 2, 5, 10, …, or decades, or every other one of them; x is the first.
decades(x) = between(x).(fit(fives(x), 1) ? tics_of(fives(x), 1) \
    : tics_of(powers(10, x), fit(powers(10, x), 1) ? 1 : 2))
# All levels, or every other one, or decades.
level_tics(list) = fit(list, 1) ? tics_of(list, 1) : fit(list, 2) ? tics_of(list, 2) : decades(1)

# Numbers of waiters: the axis reaches to a labelled tic at the last point or beyond. All powers of 2
# have a label, or every other one; where they have no room, decades.
next_power(base, x) = base**ceil(log(x) / log(base) - 1e-9)
octave_tics(list) = tics_of(list, fit(list, 1) ? 1 : 2)
waiter_axis(low, high, letters) = \
    (axis = x_axis(low, next_power(2, high), letters), fit(powers(2, 1), 2)) \
    ? axis."; set xtics (".octave_tics(powers(2, 1)).")" \
    : x_axis(low, next_power(10, high), letters)."; set xtics (".decades(1).")"

# --- The canvas -----------------------------------------------------------------------------------
# A plot with one panel is `width` = 560 units wide, for a column of 8.5 cm, where its letters have
# 6.5 points; one with two panels, or with many recipes, 800, for a page of 17 cm, where they have 9.
# It is as high as its panel and the legend below it ask for, `rows` lines of it. A unit is a pixel of
# an SVG.

line = 21.0
above = titled ? 36.0 : 14.0
below = 66.0
small_line = 15.0
note_height = 0
height(rows) = above + panel + below + line * rows + 6 + note_height
cm = 17.0 / 800
size_in(unit, suffix, rows) = \
    sprintf("size %.4f%s,%.4f%s", width * unit, suffix, height(rows) * unit, suffix)
terminal(rows) = \
    format eq "svg" ? "svg font 'Helvetica,15' linewidth 1.05 dashlength 1 background 'white' " \
        .sprintf("size %d,%d", width, height(rows)) \
    : format eq "png" ? "pngcairo font 'Sans,11.25' fontscale 2.5 pointscale 3.4 linewidth 2.7 " \
        ."dashlength 1.6 ".sprintf("size %d,%d", 2.5 * width, 2.5 * height(rows)) \
    : format."cairo font 'Sans,9' fontscale 0.75 pointscale 0.77 linewidth 1.35 dashlength 1.2 " \
        ."background 'white' ".size_in(cm, "cm", rows)
canvas(name, rows) = ( \
    note_height = small_line * (sum [k = 1:notes] (rows_of(wrapped_note(k)))) + (notes ? 8 : 0), \
    "set terminal ".terminal(rows)." noenhanced butt".\
    (format eq "svg" ? " name 'zkherd_".name."'" : "")."; ".small_print(rows))
file(name) = sprintf("%s/plots%s/%s.%s", run, part, name, format)
bottom(rows) = (below + line * rows + 6 + note_height) / height(rows)
top(rows) = 1 - above / height(rows)
# A legend of so many entries, the longest with so many letters, has as many columns as have room,
# three at most; and two at least if it is crowded: more lines gnuplot does not hold in a column.
# gnuplot's columns are as wide as so many letters of its own measure, which are wider than most.
is_crowded(entries) = entries > 11
letter = 8.3
sample = 62.0
columns(entries, letters) = most(is_crowded(entries) ? 2 : 1, least(entries, least(3, \
    1 + floor((width - 18 - sample - letter * letters) / (letter * letters + sample)))))
rows_for(entries, letters) = ceil(1.0 * entries / columns(entries, letters))
# So many letters more or less a column, that they are as wide as said above; or, where two do not
# have room, as the page has.
column_width(entries, letters) = least(letter * letters + sample, \
    is_crowded(entries) ? (width - 18) / 2.0 : 1e9)
squeeze(entries, letters) = sprintf("set key width %g", \
    column_width(entries, letters) / closer(9.6, 10.5) - letters - 5.67)
page_width(recipes) = is_crowded(recipes) ? 800 : width
legend(rows) = sprintf("set key at screen %g, screen %g maxrows %d", \
    18.0 / width, (line * rows + 16 + note_height) / height(rows), rows)

# --- The small print ------------------------------------------------------------------------------
# What a picture is of, so that it can stand alone: the lines about_1, about_2, …, each as many as it
# takes.
notes = 0
while (!bare && exists(sprintf("about_%d", notes + 1))) { notes = notes + 1 }
small_font = format eq "svg" ? ",11" : format eq "png" ? ",8.25" : ",6.6"
note_letters(x) = floor(width / 6.0)
put_word(line, word) = line eq "" ? word : line." ".word
wrap(text, k, line) = k > words(text) ? line \
    : strlen(put_word(line, word(text, k))) > note_letters(0) && line ne "" \
    ? line."\n".wrap(text, k + 1, word(text, k)) : wrap(text, k + 1, put_word(line, word(text, k)))
wrapped_note(k) = wrap(value(sprintf("about_%d", k)), 1, "")
rows_of(text) = strstrt(text, "\n") == 0 ? 1 : 1 + rows_of(text[strstrt(text, "\n") + 1:])
all_notes(k) = k > notes ? "" : wrapped_note(k).(k < notes ? "\n" : "").all_notes(k + 1)
# Label 98, once in a picture of several panels: they say `@once` behind the first.
small_print(rows) = notes == 0 ? "" : (note_text = all_notes(1), note_place = (note_height - 4.0) \
    / height(rows), "set label 98 note_text at screen 18.0 / width, screen note_place left ". \
    "font small_font textcolor rgb '#404040'")
once = "unset key; unset label 98"
# The label of the y axis: gnuplot takes tics for wider than they are and would put it off the page.
y_title(text, low, high) = (y_text = text, y_place = (low + high) / 2, \
    "set label 99 y_text at screen 13.0 / width, screen y_place center rotate by 90")
# Lines of letters are higher in one than in the other.
closer(cairo, svg) = format eq "svg" ? svg : cairo

set style line 99 lc rgb "#DDDDDD" lw 0.7 dt 1
set style line 98 lt nodraw
set style line 97 lc rgb "#404040" lw 1.5 dt 1
# The intervals of the first of several series are the widest, so that those on them do not hide them.
bar_width(k, of) = 1.2 + 0.9 * least(3, of - k)
set grid xtics ytics linestyle 99
set border 3 lc rgb "#404040" lw 0.8
set tics out nomirror scale 0.8, 0.4
set xtics offset 0, closer(0.3, 0.5)
set title offset 0, closer(-0.4, -0.7)
set xlabel offset 0, closer(0.8, 1.2)
set rmargin at screen 0.97
set logscale xy
set key left top vertical Left reverse samplen 2.6 spacing closer(1.25, 0.97) width 2
