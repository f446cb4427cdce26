# SPDX-License-Identifier: Apache-2.0
# fits: reads how one metric grows, from fits.csv. Before it is loaded, `metric` names the metric. It
# leaves, by the places of the recipes, and NaN where there is none:
#   exponent[], exponent_low[], exponent_high[]  its growth, with the 95 % interval
#   c0[], c1[], c2[], c3[]                       its polynomial
#   exact[]                                      whether that reproduces every level
#   order[]                                      the power of n of the verdict

array exponent[words(recipes)]
array exponent_low[words(recipes)]
array exponent_high[words(recipes)]
array c0[words(recipes)]
array c1[words(recipes)]
array c2[words(recipes)]
array c3[words(recipes)]
array exact[words(recipes)]
array order[words(recipes)]
do for [i = 1:words(recipes)] {
    exponent[i] = exponent_low[i] = exponent_high[i] = NaN
    c0[i] = c1[i] = c2[i] = c3[i] = NaN
    exact[i] = 0
    order[i] = NaN
}

order_of(verdict) = verdict eq "O(n)" ? 1 : verdict eq "O(n^2)" ? 2 : verdict eq "O(n^3)" ? 3 : NaN
# Notes in passing what a row has to say. A polynomial through no more levels than determine it, of
# which the verdict knows nothing, leaves no residual either.
note_fit(i) = i == 0 ? NaN : ( \
    exponent[i] = column("exponent"), exponent_low[i] = column("exponent_low"), \
    exponent_high[i] = column("exponent_high"), c0[i] = column("c0"), c1[i] = column("c1"), \
    c2[i] = column("c2"), c3[i] = column("c3"), order[i] = order_of(strcol("verdict")), \
    exact[i] = number("max_residual") == 0 && order[i] >= 0, i)

if (fitted) {
    set datafile columnheaders
    set table $fits
    plot run."/fits.csv" using (note_fit(strcol("metric") eq metric ? place(strcol("recipe")) : 0)) \
        with table
    unset table
    set datafile nocolumnheaders
}

# The term c·n^k, the first of a sum or to be added to it. An exact coefficient is a whole number of
# 96ths, written as the terminal writes it; any other has four digits.
over(c, d) = abs(c * d - floor(c * d + 0.5)) < 1e-4
denominator(c) = over(c, 1) ? 1 : over(c, 2) ? 2 : over(c, 3) ? 3 : over(c, 4) ? 4 : over(c, 6) ? 6 \
    : over(c, 8) ? 8 : over(c, 12) ? 12 : over(c, 16) ? 16 : over(c, 24) ? 24 : over(c, 32) ? 32 \
    : over(c, 48) ? 48 : 96
fraction(c, d) = d == 1 ? grouped(c) : d == 2 ? sprintf("%s.5", grouped(floor(c))) \
    : sprintf("%d/%d", floor(c * d + 0.5), d)
power_words(k) = k == 0 ? "" : k == 1 ? "n" : k == 2 ? "n²" : "n³"
digits_of(c, is_exact) = is_exact ? fraction(c, denominator(c)) \
    : c >= 1000 ? grouped(10**(floor(log10(c)) - 3) * floor(c / 10**(floor(log10(c)) - 3) + 0.5)) \
    : sprintf("%.4g", c)
factor(c, k, is_exact) = is_exact && c == 1 && k > 0 ? "" : digits_of(c, is_exact).(k > 0 ? "·" : "")
term(c, k, is_exact, first) = c == 0 || c != c ? "" : \
    (c < 0 ? (first ? "−" : " − ") : first ? "" : " + ").factor(abs(c), k, is_exact).power_words(k)
append_term(text, c, k, is_exact) = text.term(c, k, is_exact, text eq "")
polynomial_at(i, n) = c0[i] + n * (c1[i] + n * (c2[i] + n * c3[i]))
# Of one that is not exact the terms that make less than a hundredth of it at n are left out.
main(i, c, k, n) = exact[i] || abs(c) * n**k >= 0.01 * abs(polynomial_at(i, n)) ? c : 0
polynomial_words(i, n) = append_term(append_term(append_term(append_term("", \
    main(i, c3[i], 3, n), 3, exact[i]), main(i, c2[i], 2, n), 2, exact[i]), \
    main(i, c1[i], 1, n), 1, exact[i]), main(i, c0[i], 0, n), 0, exact[i])
