# SPDX-License-Identifier: Apache-2.0
# medians: draws what trials.gp left: every trial, and a line through the medians. `picture` is
# its name; title and label of the y axis are set.
entries = words(drawn) + (invalid > 0)
rows = ceil(entries / 3.0)
eval canvas(picture, rows)
eval legend(rows)
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set output file(picture)
plot for [k = 1:words(drawn)] $medians index k - 1 using 2:3 \
        with lines ls int(word(drawn, k)) notitle, \
    for [r in drawn] $trials using (is(r, 1) ? $2 : NaN):3 with points ls 200 + int(r) notitle, \
    for [r in drawn] $trials using (is(r, 0) ? $2 : NaN):3 with points ls 300 + int(r) notitle, \
    for [r in drawn] NaN with linespoints ls 200 + int(r) title name(r) @invalid_entry
