# SPDX-License-Identifier: Apache-2.0
# rpcs: the requests of a drain against the clients: every trial, and the law. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "rpcs.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("rpcs")
label(x) = in_numbers(x)
load scripts."/trials.gp"

law_title(i) = !in_list(lawful, sprintf("%d", i)) ? " " \
    : "its law".(in_list(strange, sprintf("%d", i)) ? "" : " ".law_text(i))
law_style(i) = in_list(lawful, sprintf("%d", i)) ? 100 + i : 98

rows = words(drawn) + (invalid > 0)
eval canvas("rpcs", rows)
set key maxrows rows
set title drains ? "Requests to drain a queue of n clients" : "Requests of a trial with n clients"
set ylabel "RPCs"
plot for [k = 1:words(drawn)] $medians index k - 1 using 2:4 with lines ls 100 + int(word(drawn, k)) notitle, \
    for [r in drawn] $trials using ($1 == int(r) && $5 == 1 ? $2 : NaN):3 with points ls int(r) notitle, \
    for [r in drawn] NaN with points ls int(r) title word(recipes, int(r)).", measured", \
    for [r in drawn] NaN with lines ls law_style(int(r)) title law_title(int(r))
