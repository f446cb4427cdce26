# SPDX-License-Identifier: Apache-2.0
# messages: notifications and CREATEs of a handoff against the waiters, side by side. The scale is
# logarithmic from 1 on and linear below, for most counts of a queue are 1 and 0. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "messages.gp") - 1]."." }
load scripts."/common.gp"
label(x) = in_numbers(x)
load scripts."/waiters.gp"

# Where a count lies: 0 half a decade below 1.
at(y) = y < 1 ? (y - 1) / 2.0 : log10(y)
ceiling = most(10, 1.35 * most_messages)
unset logscale y
set yrange [at(0) - 0.12 : at(ceiling)]
count_tics = 'eval "set ytics (".tic(0, 1).", ".log_tics(1, ceiling).")"'
eval count_tics
margin = 0.08 + 0.013 * strlen(label(10.0**floor(log10(ceiling))))
eval x_axis(fewest, most_waiters, panel_letters(most(margin, 0.12), 0.525))
eval "set xtics (".power_tics(1).")"

rows = ceil(words(drawn) / 3.0)
eval canvas("messages", rows)
eval legend(rows)
set output file("messages")
set multiplot
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set lmargin at screen margin
set rmargin at screen 0.525
set title "Notifications of a handoff"
set ylabel "messages (scale linear below 1)"
plot for [r in drawn] $waiters using (is(r) ? $2 : NaN):(at($3)) \
        with linespoints ls int(r) notitle, \
    for [r in drawn] NaN with linespoints ls int(r) title name(r)

set lmargin at screen 0.565
set rmargin at screen 0.97
set title "CREATE requests of a handoff"
unset ylabel
label(x) = ""
eval count_tics
plot for [r in drawn] $waiters using (is(r) ? $2 : NaN):(at($4)) with linespoints ls int(r) notitle
unset multiplot
