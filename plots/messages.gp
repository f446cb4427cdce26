# SPDX-License-Identifier: Apache-2.0
# messages: notifications and CREATEs of a handoff against the waiters, side by side. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "messages.gp") - 1]."." }
width = 800
titled = 1
load scripts."/common.gp"
label(x) = in_numbers(x)
load scripts."/waiters.gp"

# The scale is logarithmic from 1 on; below, 0 lies half a decade under 1, for most counts of the
# scalable locks are 1 and 0.
at(y) = y < 1 ? (y - 1) / 2.0 : log10(y)
unset logscale y
eval y_axis(1.1, most(10, most_messages), panel - 60)
count_tics = 'set ytics ('.tic(0, 1).', '.log_tics(1, y_high).')'
set yrange [at(0) - 0.12 : at(y_high)]
eval count_tics
left = (54 + 8.0 * label_letters(y_high)) / width
middle = (0.97 + left) / 2
eval waiter_axis(fewest, most_waiters, panel_letters(left, middle - 0.02))

# Points are measured, lines are the law; where no recipe has one, they join the points.
line_y(r, law, measured) = lawful eq "" ? at(measured) : in_list(lawful, r) ? at(law) : NaN
longest = 0
do for [r in drawn] { longest = most(longest, strlen(name(r))) }
law_entry = lawful eq "" ? "" : ", NaN with lines ls 97 title 'line: the law'"
rows = rows_for(words(drawn) + (lawful ne ""), longest)
eval canvas("messages", rows)
eval legend(rows)
set output file("messages")
set multiplot
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set lmargin at screen left
set rmargin at screen middle - 0.02
set title "Notifications of a handoff with W waiters"
eval y_title("messages of a handoff", bottom(rows), top(rows))
plot for [r in nested(drawn)] $waiters using (is(r) ? $2 : NaN):(line_y(r, $10, $3)) \
        with lines ls 100 + int(r) notitle, \
    for [r in nested(drawn)] $waiters using (is(r) ? $2 : NaN):(at($3)) with points ls int(r) notitle, \
    for [r in drawn] NaN with linespoints ls 500 + int(r) title name(r) @law_entry

set lmargin at screen middle + 0.02
set rmargin at screen 0.97
set title "CREATEs of a handoff with W waiters"
@once
unset label 99
label(x) = ""
eval 'set ytics ('.tic(0, 1).', '.log_tics(1, y_high).')'
plot for [r in nested(drawn)] $waiters using (is(r) ? $2 : NaN):(line_y(r, $11, $4)) \
        with lines ls 100 + int(r) notitle, \
    for [r in nested(drawn)] $waiters using (is(r) ? $2 : NaN):(at($4)) with points ls int(r) notitle
unset multiplot
