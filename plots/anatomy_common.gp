# SPDX-License-Identifier: Apache-2.0
# anatomy_common: what the plots of a handoff's messages share: which handoffs are drawn, and their
# events. All panels have the same number of waiters, the largest that all recipes were traced with; a
# recipe without waiters is left out. Of each recipe the first trial is drawn, of the most clients. See
# common.gp, which is loaded before.
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

# The most clients, then the first trial, then the first of its handoffs that has so many waiters.
rank(clients, trial, handoff) = -clients * 1e12 + trial * 1e8 + handoff
array best[64]
do for [i = 1:64] { best[i] = 1e300 }
rank_of(x) = rank(column("clients"), column("trial"), column("handoff"))
is_like(i) = i > 0 && i <= count && column("lock") == 0 && column("waiters") == waiters
choose(i) = is_like(i) ? (best[i] = least(best[i], rank_of(0)), 0) : NaN
set table $ignored
plot run."/trace.csv" using (choose(place(strcol("recipe")))) with table
unset table

# $events: recipe, kind (1 release, 2 request, 3 reply, 4 notification, 5 grant), time and latency in
# ms, session. awake: the sessions that release or are granted, as words such as 1:0 for recipe and
# session.
kinds = "release request reply notification grant"
array requests[64]
array notified[64]
array clients_of[64]
do for [i = 1:64] { requests[i] = 0; notified[i] = 0; clients_of[i] = 0 }
awake = ""
last = 0.0
session_word(i, session) = sprintf("%d:%d", i, session)
tell(i, kind, session, time) = ( \
    last = most(last, time), clients_of[i] = column("clients"), \
    requests[i] = requests[i] + (kind == 2), notified[i] = notified[i] + (kind == 4), \
    awake = kind == 1 || kind == 5 ? with_word(awake, session_word(i, session)) : awake, i)
chosen(i) = is_like(i) && rank_of(0) == best[i] ? \
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
