# SPDX-License-Identifier: Apache-2.0
# bytes: the bytes of a drain against the clients: every trial, and the curve of fits.csv. See
# common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "bytes.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("bytes_sent") + number("bytes_received")
# A trial that was aborted has no law; in free pace, where none has, it is not valid either.
stands(x) = number("violations") == 0 && (strcol("valid") eq "yes" || number("law_rpcs") > 0)
not_used = "trial failed or aborted"
label(x) = in_bytes(x)
load scripts."/trials.gp"
metric = "bytes"
load scripts."/fits.gp"

# The polynomial, if it is exact or at least within a tenth of the median at every level; else the
# power of n, through the middle of the medians; and without a fit the line through the medians.
array misses[words(recipes)]
array height_of_power[words(recipes)]
do for [k = 1:words(drawn)] {
    i = int(word(drawn, k))
    misses[i] = logs = 0
    many = 0
    miss(n, y) = (misses[i] = most(misses[i], abs(polynomial_at(i, n) / y - 1)), \
        logs = logs + log(y) - exponent[i] * log(n), many = many + 1)
    set table $nothing separator comma
    plot $medians index k - 1 using ($2 > 0 ? miss($2, $3) : NaN) with table
    unset table
    height_of_power[i] = many > 0 ? exp(logs / many) : NaN
}
is_polynomial(i) = many_levels(i) && c0[i] == c0[i] && (exact[i] || misses[i] <= 0.1)
is_power(i) = many_levels(i) && !is_polynomial(i) && exponent[i] == exponent[i]
many_levels(i) = exponent_low[i] == exponent_low[i]
curve(i, n) = n < first_of(i) || n > last_of(sprintf("%d", i)) ? NaN \
    : is_polynomial(i) ? polynomial_at(i, n) \
    : is_power(i) ? height_of_power[i] * n**exponent[i] : NaN
first_of(i) = first_gap(i, 1) == words(levels) ? NaN : int(word(levels, 1 + first_gap(i, 1)))
first_gap(i, k) = k > words(levels) || in_list(cells, sprintf("%d:%s", i, word(levels, k))) \
    ? k - 1 : first_gap(i, k + 1)
has_curve(r) = is_polynomial(int(r)) || is_power(int(r))

words_of(i) = is_polynomial(i) && exact[i] ? ": ".polynomial_words(i, last_of(sprintf("%d", i))) \
    : is_polynomial(i) ? ": ≈ ".polynomial_words(i, last_of(sprintf("%d", i))) \
    : is_power(i) ? sprintf(": ∝ n^%.2f", exponent[i]) : ""
entry(r) = name(r).words_of(int(r))
curves = 0
do for [r in drawn] {
    longest = most(longest, strlen(entry(r)))
    curves = curves || has_curve(r)
}
entries = words(drawn) + (unused > 0)
rows = rows_for(entries, longest)
eval canvas("bytes", rows)
eval legend(rows)
eval squeeze(entries, longest)
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set title heading("Bytes ".subject.(curves ? ": trials, and the fitted curves" : ""))
eval y_title("bytes sent and received", bottom(rows), top(rows))
set output file("bytes")
set samples 400
plot for [k = 1:words(drawn)] $medians index k - 1 \
        using 2:(has_curve(word(drawn, k)) ? NaN : $3) with lines ls 100 + int(word(drawn, k)) notitle, \
    for [r in drawn] [first:last] '+' using 1:(curve(int(r), $1)) with lines ls 100 + int(r) notitle, \
    for [r in nested(drawn)] $trials using (is(r, 1) ? $2 : NaN):3 with points ls int(r) notitle, \
    for [r in drawn] $trials using (is(r, 0) ? $2 : NaN):3 with points ls 300 + int(r) notitle, \
    for [r in drawn] NaN with linespoints ls 500 + int(r) title entry(r) @unused_entry
