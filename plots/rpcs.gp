# SPDX-License-Identifier: Apache-2.0
# rpcs: the requests of a drain against the clients: every trial, and the law. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "rpcs.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("rpcs")
label(x) = in_numbers(x)
load scripts."/trials.gp"

has_law(r) = in_list(lawful, r)
# More lines than this the key does not hold in a column: then each recipe has one entry with its law.
crowded = words(drawn) > 11
law_title(r) = !has_law(r) ? " " : "its law".(in_list(strange, r) ? "" : " ".law_text(int(r)))
law_entries = lawful eq "" || crowded ? "" \
    : ", for [r in drawn] NaN with lines ls (has_law(r) ? 100 + int(r) : 98) title law_title(r)"

# The legend: what was measured, or counted in a simulation, in a column, the laws in another; or each
# recipe with its law; or the recipes alone.
measured = lawful eq "" ? "" : simulated ? ", counted" : ", measured"
entry(r) = !crowded || !has_law(r) || in_list(strange, r) ? name(r).(crowded ? "" : measured) \
    : name(r).": ".law_text(int(r))
entry_style(r) = crowded && has_law(r) ? 500 + int(r) : int(r)
entry_look = crowded && lawful ne "" ? "linespoints" : "points"
entries = words(drawn) + (invalid > 0)
rows = lawful eq "" ? ceil(entries / 3.0) : crowded ? ceil(entries / 2.0) : entries
eval canvas("rpcs", rows)
eval legend(rows)
# Two columns of the longest entries would leave the canvas; gnuplot gives them more room than they take.
longest = 0
do for [r in drawn] { longest = most(longest, strlen(entry(r))) }
if (crowded) { set key width least(2, closer(27, 25) - longest) }
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title "Requests ".subject
set ylabel "RPCs"
set output file("rpcs")
# At one level alone a law is a point: then draw it as a short bar.
bar = words(levels) == 1 ? 1.25 : 1
plot for [k = 1:words(drawn)] $medians index k - 1 using ($2 / bar):4:($2 * (bar - 1 / bar)):(0) \
        with vectors nohead ls 100 + int(word(drawn, k)) notitle, \
    for [k = 1:words(drawn)] $medians index k - 1 using 2:4 \
        with lines ls 100 + int(word(drawn, k)) notitle, \
    for [r in drawn] $trials using (is(r, 1) ? $2 : NaN):3 with points ls int(r) notitle, \
    for [r in drawn] $trials using (is(r, 0) ? $2 : NaN):3 with points ls 300 + int(r) notitle, \
    for [r in drawn] NaN with @entry_look ls entry_style(r) title entry(r) @invalid_entry @law_entries
