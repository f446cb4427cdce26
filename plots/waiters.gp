# SPDX-License-Identifier: Apache-2.0
# waiters: what the plots against the waiters share. It leaves:
#   $waiters  recipe (its place), mean waiters, notifications, creates, p50, its interval's low and
#             high, p99, in µs: a row for every recipe and octave of waiters
#   drawn     the places of the recipes that have data; bars, tails: whether any p50 has an
#             interval, and whether there is any p99
#   fewest, most_waiters, most_messages; fastest, slowest: the extremes, latencies in µs
#   the label of the x axis

drawn = ""
tails = 0
bars = 0
fewest = 1e300
most_waiters = 0
most_messages = 1
fastest = 1e300
slowest = 0

# Notes in passing what a row has to say, and gives its waiters if it can be drawn.
see(i, w, messages, p50, low, high, p99) = i > 0 && w > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), \
    tails = tails || p99 > 0, \
    bars = bars || (low > 0 && high > 0), \
    fewest = least(fewest, w), most_waiters = most(most_waiters, w), \
    most_messages = messages > most_messages ? messages : most_messages, \
    fastest = p50 > 0 ? least(fastest, p50) : fastest, \
    fastest = low > 0 ? least(fastest, low) : fastest, \
    slowest = p50 > 0 ? most(slowest, p50) : slowest, \
    slowest = high > 0 ? most(slowest, high) : slowest, \
    slowest = p99 > 0 ? most(slowest, p99) : slowest, \
    w) : NaN

set datafile columnheaders
set table $waiters separator comma
plot run."/waiters.csv" using (place(strcol("recipe"))): \
    (see(place(strcol("recipe")), number("waiters_mean"), \
        most(number("notifications_mean"), number("creates_mean")), number("handoff_p50_us"), \
        number("handoff_p50_low_us"), number("handoff_p50_high_us"), number("handoff_p99_us"))): \
    (number("notifications_mean")):(number("creates_mean")):(number("handoff_p50_us")): \
    (number("handoff_p50_low_us")):(number("handoff_p50_high_us")): \
    (number("handoff_p99_us")) with table
unset table
set datafile nocolumnheaders

if (drawn eq "" || slowest == 0) {
    print "plots: ".run."/waiters.csv: nothing to draw for ".recipes
    exit status 3
}
drawn = in_order(drawn)

set xlabel "waiters W"
is(r) = $1 == int(r)
