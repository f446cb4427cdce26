# SPDX-License-Identifier: Apache-2.0
# waiters: what the plots against the waiters share. It leaves:
#   $waiters  recipe (its place), mean waiters, notifications, creates, p50, its interval's low and
#             high, p99, in µs, handoffs, notifications and creates by the law, and the handoffs
#             behind its times: a row for every recipe and octave of waiters
#   drawn     the places of the recipes that have data; bars, tails, lawful: whether any p50 has an
#             interval, whether there is any p99, and any law
#   fewest, most_waiters, most_messages; fastest, slowest: the extremes, latencies in µs
#   few, many: the least and the greatest number of handoffs behind the times of a point
#   the label of the x axis

drawn = ""
tails = 0
bars = 0
lawful = ""
fewest = 1e300
most_waiters = 0
most_messages = 1
fastest = 1e300
slowest = 0
few = 1e300
many = 0

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
# By itself: older runs have no such column, and what asks for one that is missing is undefined.
see_timed(i, w, handoffs) = i > 0 && w > 0 && handoffs > 0 ? ( \
    few = least(few, handoffs), many = most(many, handoffs), handoffs) : NaN
see_law(i, law) = i > 0 && law >= 0 ? (lawful = with_word(lawful, sprintf("%d", i)), law) : NaN

set datafile columnheaders
stats run."/waiters.csv" using (column("timed")) name "timed" nooutput
counted = exists("timed_records") && timed_records > 0 ? "timed" : "handoffs"
set table $waiters separator comma
plot run."/waiters.csv" using (place(strcol("recipe"))): \
    (see(place(strcol("recipe")), number("waiters_mean"), \
        most(number("notifications_mean"), number("creates_mean")), \
        number("handoff_p50_us"), number("handoff_p50_low_us"), number("handoff_p50_high_us"), \
        number("handoff_p99_us"))): \
    (number("notifications_mean")):(number("creates_mean")):(number("handoff_p50_us")): \
    (number("handoff_p50_low_us")):(number("handoff_p50_high_us")): \
    (number("handoff_p99_us")):(number("handoffs")): \
    (see_law(place(strcol("recipe")), number("law_notifications_mean"))): \
    (number("law_creates_mean")): \
    (see_timed(place(strcol("recipe")), number("waiters_mean"), number(counted))) with table
unset table
set datafile nocolumnheaders

if (drawn eq "") {
    print "plots: ".run."/waiters.csv: nothing to draw for ".recipes
    exit status 3
}
drawn = in_order(drawn)
width = page_width(words(drawn))

set xlabel "waiters W"
is(r) = $1 == int(r)
