# SPDX-License-Identifier: Apache-2.0
# rpcs: the RPCs of a drain against the clients: every trial, and the law. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "rpcs.gp") - 1]."." }
# The highest point has its value written above it.
headroom = 18.0
load scripts."/common.gp"
figure(x) = number("rpcs")
# A trial that was aborted has no law; in free pace, where none has, it is not valid either.
stands(x) = number("violations") == 0 && (strcol("valid") eq "yes" || number("law_rpcs") > 0)
not_used = "trial failed or aborted"
label(x) = in_numbers(x)
load scripts."/trials.gp"
metric = "rpcs"
load scripts."/fits.gp"

has_law(r) = in_list(lawful, r)
is_strange(r) = in_list(strange, r)
crowded = is_crowded(words(drawn))
law_words(r) = is_strange(r) ? given_law(name(r), 1) : law_text(int(r))
is_worded(r) = has_law(r) && law_words(r) ne ""
law_title(r) = !has_law(r) ? " " : is_worded(r) ? "law ".law_words(r) : "its law"
law_entries = lawful eq "" || crowded ? "" \
    : ", for [r in drawn] NaN with lines ls (has_law(r) ? 100 + int(r) : 98) title law_title(r)"

# The legend: what was measured, or counted in a simulation, in a column, the laws in another; or each
# recipe with its law; or the recipes alone.
measured = lawful eq "" ? "" : simulated ? ", counted" : ", measured"
entry(r) = !crowded || !is_worded(r) ? name(r).(crowded ? "" : measured) \
    : name(r).": ".law_words(r)
entry_style(r) = crowded && has_law(r) ? 500 + int(r) : int(r)
entry_look = crowded && lawful ne "" ? "linespoints" : "points"
do for [r in drawn] { longest = most(longest, strlen(entry(r))) }
entries = words(drawn) + (unused > 0)
rows = lawful eq "" || crowded ? rows_for(entries, longest) : entries
eval canvas("rpcs", rows)
eval legend(rows)
eval squeeze(entries, longest)
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title heading("RPCs ".subject)
eval y_title("RPCs", bottom(rows), top(rows))
set output file("rpcs")

# The order of growth is written once: O(n²) above the highest line that has it, O(n) below the lowest. At
# one level alone nothing grows.
growth(i) = !in_list(lawful, sprintf("%d", i)) ? NaN : is_strange(sprintf("%d", i)) ? order[i] \
    : look(i, 6) > 0 ? 2 : 1
stands_out(i, best, power) = best == 0 ? 1 : half_n[i] != half_n[best] ? half_n[i] > half_n[best] \
    : power == 2 ? half_law[i] > half_law[best] : half_law[i] < half_law[best]
do for [power = (words(levels) > 1 ? 1 : 3):2] {
    best = 0
    do for [r in drawn] {
        i = int(r)
        if (growth(i) == power && half_n[i] == half_n[i]) {
            if (stands_out(i, best, power)) { best = i }
        }
    }
    if (best > 0 && power == 2) {
        set label "O(n²)" at half_n[best], half_law[best] right offset -0.7, 0.6
    }
    if (best > 0 && power == 1) {
        set label "O(n)" at half_n[best], half_law[best] left offset 0.5, -0.8
    }
}
set label grouped(high) at highest_at, high right offset (words(levels) == 1 ? 2 : -0.9), 0.6

# At one level alone a law is a point: then draw it as a short bar.
bar = words(levels) == 1 ? 1.25 : 1
plot for [k = 1:words(drawn)] $medians index k - 1 using ($2 / bar):4:($2 * (bar - 1 / bar)):(0) \
        with vectors nohead ls 100 + int(word(drawn, k)) notitle, \
    for [r in nested(drawn)] $medians index place_in(drawn, r) - 1 using 2:4 \
        with lines ls 100 + int(r) notitle, \
    for [r in nested(drawn)] $trials using (is(r, 1) ? $2 : NaN):3 with points ls int(r) notitle, \
    for [r in drawn] $trials using (is(r, 0) ? $2 : NaN):3 with points ls 300 + int(r) notitle, \
    for [r in drawn] NaN with @entry_look ls entry_style(r) title entry(r) @unused_entry @law_entries
