# SPDX-License-Identifier: Apache-2.0
# anatomy_common: what the plots of a handoff's messages share: which handoffs are drawn, and their
# events. All panels have the same number of waiters, the largest that all recipes were traced with; a
# recipe without waiters is left out. Of each recipe that handoff of the most clients is drawn whose time is
# the median of such handoffs in all trials. See common.gp, which is loaded before.
panels_max = 4

# --- What is drawn --------------------------------------------------------------------------------
# waiters_of[i]: the numbers of waiters, if any, that recipe i was traced with.
count = least(words(recipes), 64)
array waiters_of[64]
do for [i = 1:64] { waiters_of[i] = "" }
number_of(x) = sprintf("%d", x)
note_waiters(i, w) = i > 0 && i <= count && column("lock") == 0 && w > 0 \
    ? (waiters_of[i] = with_word(waiters_of[i], number_of(w)), w) : NaN
set datafile columnheaders
set table $ignored
plot run."/trace.csv" using (note_waiters(place(strcol("recipe")), column("waiters"))) with table
unset table
drawn = ""
do for [i = 1:count] {
    if (words(waiters_of[i]) > 0 && words(drawn) < panels_max) { drawn = drawn.sprintf("%d ", i) }
}
if (drawn eq "") {
    print "plots: ".run."/trace.csv: no handoff of ".recipes." had a waiter"
    exit status 3
}
all_have(w) = (sum [k = 1:words(drawn)] in_list(" ".waiters_of[int(word(drawn, k))], w)) == words(drawn)
waiters = -1
first = int(word(drawn, 1))
do for [w in waiters_of[first]] { if (all_have(w)) { waiters = most(waiters, int(w)) } }
if (waiters < 0) {
    print "plots: ".run."/trace.csv: the recipes have no number of waiters in common"
    exit status 3
}

# Of the handoffs with so many waiters: the most clients; trial and handoff of those with a grant, and
# the time of the first grant, in words in the same order.
array clients_of[64]
array candidates[64]
array times[64]
do for [i = 1:64] { clients_of[i] = 0; candidates[i] = ""; times[i] = "" }
is_like(i) = i > 0 && i <= count && column("lock") == 0 && column("waiters") == waiters
handoff_word(x) = sprintf("%d:%d", column("trial"), column("handoff"))
note_clients(i) = is_like(i) ? (clients_of[i] = most(clients_of[i], column("clients")), 0) : NaN
is_candidate(i) = is_like(i) && column("clients") == clients_of[i] && strcol("event") eq "grant" \
    && !in_list(candidates[i], handoff_word(0))
note_candidate(i) = is_candidate(i) ? (candidates[i] = candidates[i]." ".handoff_word(0), \
    times[i] = times[i].sprintf(" %.1f", column("time_us")), 0) : NaN
set table $ignored
plot run."/trace.csv" using (note_clients(place(strcol("recipe")))) with table
plot run."/trace.csv" using (note_candidate(place(strcol("recipe")))) with table
unset table
time_of(i, k) = real(word(times[i], k))
faster(i, k) = sum [j = 1:words(times[i])] (time_of(i, j) < time_of(i, k) || (time_of(i, j) == time_of(i, k) && j < k))
array best[64]
do for [i = 1:64] {
    best[i] = ""
    do for [k = 1:words(times[i])] {
        if (faster(i, k) == int((words(times[i]) - 1) / 2)) { best[i] = word(candidates[i], k) }
    }
}
of_how_many = least(words(times[first]), words(times[int(word(drawn, words(drawn)))]))

# $events: recipe, kind (1 release, 2 request, 3 reply, 4 notification, 5 grant), time and latency in
# ms, session. awake: the sessions that release or are granted, as words such as 1:0 for recipe and
# session.
kinds = "release request reply notification grant"
array requests[64]
array notified[64]
do for [i = 1:64] { requests[i] = 0; notified[i] = 0 }
awake = ""
last = 0.0
session_word(i, session) = sprintf("%d:%d", i, session)
tell(i, kind, session, time) = ( \
    last = most(last, time), \
    requests[i] = requests[i] + (kind == 2), notified[i] = notified[i] + (kind == 4), \
    awake = kind == 1 || kind == 5 ? with_word(awake, session_word(i, session)) : awake, i)
chosen(i) = is_like(i) && column("clients") == clients_of[i] && handoff_word(0) eq best[i] ? \
    tell(i, place_in(kinds, strcol("event")), column("session"), column("time_us") / 1e3) : NaN
set table $events separator comma
plot run."/trace.csv" using (chosen(place(strcol("recipe")))): \
    (place_in(kinds, strcol("event"))):(column("time_us") / 1e3): \
    (number("latency_us") / 1e3):(column("session")) with table
unset table
set datafile nocolumnheaders
is_awake(i, session) = in_list(" ".awake, session_word(i, session))

plural(number, word) = sprintf("%s %s%s", grouped(number), word, number == 1 ? "" : "s")
# The columns of $events, if they are of this recipe and kind.
of(i, kind, x) = $1 == i && $2 == kind ? x : NaN
if_awake(i, x) = is_awake(i, $5) ? x : NaN
if_for_nothing(i, x) = is_awake(i, $5) ? NaN : x
