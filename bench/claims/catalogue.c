// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "recipes/registry.h"

#define PAPER          "Hunt et al., USENIX ATC 2010, section 2.4"
#define LECTURE(parts) "lecture" parts " (MIT 6.824, ZooKeeper)"

/* Servers with ordinary settings grant two ticks at least, 4 s. */
#define CRASH_TIMEOUT_MS 2000

/* Drains of growing size: an exact quadratic takes three levels, and FIT_SPARE_LEVELS more, a class
 * of growth six. Only where names outweigh the rest does the exponent of bytes show. */
#define CLIENTS(i, clients) [i].fleet.sessions = (clients)
#define DRAINS              CLIENTS(0, 4), CLIENTS(1, 8), CLIENTS(2, 16), CLIENTS(3, 32), CLIENTS(4, 64)
#define LARGE_DRAINS                                                                               \
    CLIENTS(0, 96), CLIENTS(1, 144), CLIENTS(2, 216), CLIENTS(3, 324), CLIENTS(4, 486),            \
        CLIENTS(5, 729)

#define LAW(...) .law = {.c = {__VA_ARGS__}, .exact = true}

/* With few clients a barrier takes some round trips, whatever their number. */
#define BARRIERS(i, clients, count)                                                                \
    CLIENTS(i, clients), [i].pace = PACE_FREE, [i].barriers = (count)
#define BARRIER_CELLS                                                                              \
    BARRIERS(0, 24, 1), BARRIERS(1, 24, 2), BARRIERS(2, 24, 4), BARRIERS(3, 24, 8),                \
        BARRIERS(4, 24, 16), BARRIERS(5, 24, 32), BARRIERS(6, 32, 3), BARRIERS(7, 50, 3),          \
        BARRIERS(8, 80, 3), BARRIERS(9, 127, 3), BARRIERS(10, 200, 3), BARRIERS(11, 320, 3)

/* Clients that queue again and again, in two processes: as many as a small machine can run at the
 * same time. */
#define CROWD                                                                                      \
    .fleet = {.sessions = 32, .processes = 2}, .workload = WORKLOAD_STEADY, .pace = PACE_FREE,     \
    .handoffs = 320, .hold.exponential = true
#define CROWD_TRIED(locks, held)                                                                   \
    "320 grants of each of " locks " locks, " held "; 32 clients in 2 processes, which queue "     \
    "again after each release"

#define RELEASES_TRIED(recipe)                                                                     \
    "a drain of 64 clients, " recipe ", lockstep; each release is examined"

const struct claim catalogue[] = {
    {.id = "C1",
     .statement =
         "Releasing the non-scalable lock notifies every waiter: W notifications with W waiters.",
     .source = LECTURE(" 9.3") "; " PAPER,
     .recipes = {&recipe_nonscalable},
     .trials = {{.fleet.sessions = 64}},
     .tried = RELEASES_TRIED("nonscalable"),
     .expected = "notifications: 63 with 63 waiters, and accordingly in 64 of 64 releases",
     .examine = releases_notify},
    {.id = "C2",
     .statement = "A drain of n clients through the non-scalable lock costs n(n+1)/2 CREATEs and "
                  "n² + n RPCs: O(n²).",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable},
     .trials = {DRAINS},
     .tried = "drains of 4 to 64 clients, nonscalable, lockstep",
     .expected = "nonscalable: CREATEs = 0.5·n² + 0.5·n; nonscalable: RPCs = n² + n",
     .judge = growth_check,
     .growths = {{{"CREATEs", TALLY_CREATE, LAW(0, 0.5, 0.5)},
                  {"RPCs", GROWTH_RPCS, LAW(0, 1, 1)}}}},
    {.id = "C3",
     .statement = "One CREATE wins, always: mutual exclusion under any contention.",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get, &recipe_childwatch, &recipe_scalable,
                 &recipe_ticket},
     /* Two holders for no time would hardly be seen to hold at once. */
     .trials = {{CROWD, .hold.mean_ns = NS_PER_MS}},
     .tried = CROWD_TRIED("5", "held for 1 ms on average"),
     .expected = "for each lock: 320 grants, never two holders, and as many successful CREATEs",
     .examine = contention_has_one_winner},
    {.id = "C4",
     .statement = "No wake-up is lost when EXISTS races with DELETE.",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get},
     .trials = {{CROWD}},
     .tried = CROWD_TRIED("2", "released immediately"),
     .expected = "for each lock: 320 grants, although the race occurs",
     .examine = contention_loses_no_wakeup},
    {.id = "C5",
     .statement = "Releasing the scalable lock notifies exactly one waiter; a handoff costs a "
                  "constant number of RPCs; a drain of n clients costs 5n - 2 RPCs: O(n).",
     .source = LECTURE(" 9.4") "; " PAPER,
     .recipes = {&recipe_scalable},
     .growths = {{{"RPCs", GROWTH_RPCS, LAW(-2, 5, 0)}}},
     .trials = {DRAINS},
     .tried = "drains of 4 to 64 clients, scalable, lockstep; " RELEASES_TRIED("scalable"),
     .expected = "scalable: RPCs = 5·n - 2; notifications: 1 with 63 waiters, and accordingly in "
                 "64 of 64 releases; the same number of RPCs in each of 63 handoffs",
     .notifies_one = true,
     .judge = releases_notify_alike},
    {.id = "C6",
     .statement = "A client that is woken must list the znodes again: otherwise the death of its "
                  "predecessor leads to two holders.",
     .source = LECTURE(" 9.4") "; " PAPER,
     .recipes = {&recipe_scalable, &recipe_broken_norecheck},
     .trials = {{.fleet.sessions = 5, .death = {DEATH_EXIT, DEATH_WAITER, 0}}},
     .rounds = 5,
     .tried = "5 drains of 5 clients, of scalable, which lists again, and of broken-norecheck; a "
              "waiter exits",
     .expected = "scalable: two holders in 0 drains; broken-norecheck: two holders in 5 drains",
     .examine = deaths_count_holders,
     .examines_any = true,
     .judge = deaths_need_another_list},
    {.id = "C7",
     .statement = "The death of a waiter wakes one other client and never grants the lock early.",
     .source = PAPER,
     .recipes = {&recipe_scalable},
     .trials = {{.fleet.sessions = 8, .death = {DEATH_EXIT, DEATH_WAITER, 0}}},
     .tried = "a drain of 8 clients, scalable, lockstep; the waiter in the middle exits",
     .expected = "0 grants before the next release, 7 in all; 7 notifications: 1 for each of 6 "
                 "handoffs, 1 for the death",
     .examine = deaths_of_waiters_wake_one},
    {.id = "C8",
     .statement =
         "A children watch causes the herd effect: each release sends W + 1 notifications.",
     .source = "common guides to ZooKeeper locks",
     .recipes = {&recipe_childwatch},
     .trials = {{.fleet.sessions = 64}},
     .tried = RELEASES_TRIED("childwatch"),
     .expected = "W + 1 notifications, except at the first release: by then arrivals have used up "
                 "the deleter's own watch; notifications: 63 with 62 waiters, and accordingly in "
                 "64 of 64 releases",
     .notifies_deleter = true,
     .examine = releases_notify},
    {.id = "C9",
     .statement =
         "The sequential locks are granted in order of arrival; the non-scalable lock is not.",
     .source = "common guides to ZooKeeper locks",
     .recipes = {&recipe_nonscalable, &recipe_scalable, &recipe_childwatch, &recipe_writelock,
                 &recipe_ticket},
     .trials = {{.fleet.sessions = 16}},
     .rounds = 5,
     .tried = "5 drains of each of 5 locks; 16 clients, which arrive one after another",
     .expected = "grants later than that of a later arrival: some with nonscalable, 0 with the "
                 "others",
     .examine = contention_count_overtaken,
     .judge = contention_keeps_order},
    {.id = "C10",
     .statement = "Without a GUID, a lost CREATE reply blocks the lock; with a GUID, the client "
                  "finds its znode.",
     .source = "ZooKeeper's recipes, Locks",
     .recipes = {&recipe_scalable, &recipe_scalable_guid},
     /* Without progress for this time the lock is blocked. The sessions live for much longer. */
     .trials = {{.fleet = {.sessions = 5, .timeout_ns = 2 * NS_PER_S},
                 .death = {DEATH_LOST_REPLY, DEATH_WAITER, 0}}},
     .tried =
         "drains of 5 clients, of scalable and scalable-guid; session 2 loses the reply to its "
         "CREATE",
     .expected = "scalable: 2 grants and no more, 6 CREATEs, one of which blocks the others; "
                 "scalable-guid: 5 grants, 5 CREATEs",
     .examine = deaths_of_replies_need_a_guid,
     .examines_any = true},
    {.id = "C11",
     .statement =
         "The scalable lock must list without a watch: with a watch it has the herd effect.",
     .source = "ZooKeeper's recipes, Locks; " PAPER,
     .recipes = {&recipe_scalable, &recipe_scalable_listwatch},
     .trials = {DRAINS},
     .tried = "drains of 4 to 64 clients, scalable, lockstep; drains of 4 to 64 clients, "
              "scalable-listwatch, lockstep",
     .expected = "scalable: notifications = n - 1; scalable-listwatch: notifications = n²",
     .judge = growth_check,
     .growths = {{{"notifications", TALLY_NOTIFICATION, LAW(-1, 1, 0)}},
                 {{"notifications", TALLY_NOTIFICATION, LAW(0, 0, 1)}}}},
    {.id = "C12",
     .statement =
         "Waiting costs nothing: a waiting client sends no RPC until the lock is released.",
     .source = PAPER,
     .recipes = {&recipe_poll, &recipe_nonscalable, &recipe_childwatch, &recipe_scalable},
     .trials = {{.fleet.sessions = 5, .hold.mean_ns = 20 * NS_PER_MS},
                {.fleet.sessions = 5, .hold.mean_ns = 400 * NS_PER_MS}},
     .tried = "drains of 5 clients: each holds for 20 ms in one drain, for 400 ms in another",
     .expected = "the same number of RPCs in both; with poll, which polls, more in the second",
     .judge = contention_waits_for_nothing},
    {.id = "C13",
     .statement =
         "Contention is visible in the znodes, and a lock can be broken by deleting a znode.",
     .source = PAPER,
     .recipes = {&recipe_scalable},
     /* They hold for longer than the trial lasts: the lock is not released, but broken. */
     .trials = {{.fleet.sessions = 6, .hold.mean_ns = 600 * NS_PER_S}},
     .tried = "6 clients at one lock, scalable, whose holder keeps the lock; another session lists "
              "the znodes and deletes the first",
     .expected = "6 znodes, one for each client that holds or waits, the first the holder's; when "
                 "that is deleted, the next in line is granted, while the holder is not notified "
                 "and still holds",
     .observe = contention_break_lock,
     .examine = contention_shows_and_breaks,
     .examines_any = true},
    {.id = "C14",
     .statement = "The lock of a crashed holder is freed after the session timeout, not before, "
                  "and the next holder can detect the crash.",
     .source = LECTURE(" 9.4"),
     .recipes = {&recipe_ready},
     .trials = {{.fleet = {.sessions = 4, .session_timeout_ms = CRASH_TIMEOUT_MS},
                 .death = {DEATH_CRASH, DEATH_WORKER, 1}},
                {.fleet.sessions = 4}},
     .tried = "a drain of 4 clients, ready; the second holder crashes between two writes",
     .expected = "from the holder's last request to the next grant at least the session timeout, "
                 "at most twice that; half-written after the crash: 1, without a crash: 0",
     .examine = deaths_of_holders_take_the_timeout},
    {.id = "C15",
     .statement = "Readers queued behind a writer are granted the lock together, by design.",
     .source = PAPER,
     .recipes = {&recipe_rwlock},
     /* The first of them writes, and so does every fourth after it. */
     .trials = {{.fleet.sessions = 20}},
     .tried = "a drain of 20 clients, rwlock, lockstep; each release is examined",
     .expected = "each release grants one writer, or all readers up to the next writer at once: as "
                 "expected in 20 of 20 releases; 19 notifications, one for each client granted",
     .examine = releases_let_readers_in_together},
    {.id = "C16",
     .statement = "n clients that increment the counter at once need O(n²) attempts in all.",
     .source = LECTURE("s 9.2 and 9.3"),
     .recipes = {&recipe_counter},
     .trials = {DRAINS},
     .tried = "drains of 4 to 64 clients, counter, lockstep",
     .expected = "counter: attempts (setData) = 0.5·n² + 0.5·n",
     .judge = growth_check,
     .growths = {{{"attempts (setData)", TALLY_SET, LAW(0, 0.5, 0.5)}}}},
    {.id = "C17",
     .statement = "When the leader dies, its successor takes over without a contest.",
     .source = "ZooKeeper's WriteLock, \"an exclusive write lock or to elect a leader\"",
     .recipes = {&recipe_election},
     .trials = {{.fleet.sessions = 4, .death = {DEATH_EXIT, DEATH_HOLDER, 0}},
                {.fleet.sessions = 32, .death = {DEATH_EXIT, DEATH_HOLDER, 0}},
                {.fleet = {.sessions = 32, .session_timeout_ms = CRASH_TIMEOUT_MS},
                 .death = {DEATH_CRASH, DEATH_HOLDER, 0}}},
     .tried = "elections among 4 and 32 clients, election, lockstep; the leader, session 0, exits, "
              "or crashes",
     .expected = "session 1, the next in line, leads; notifications 1, RPCs 1, whatever the "
                 "number of clients",
     .examine = deaths_of_leaders_have_one_successor},
    {.id = "C18",
     .statement = "Reads a second rise with the servers of an ensemble, writes a second fall; the "
                  "time of double barriers is linear in barriers and clients.",
     .source = "Hunt et al., USENIX ATC 2010, section 5, Tables 1 to 3",
     .experiment = ensembles_compare,
     .servers = {1, 3},
     .recipes = {&recipe_barrier},
     .trials = {BARRIER_CELLS},
     .rounds = 10,
     .tried = "barrier, free pace, 10 rounds, an exponent of each: 1 to 32 in turn with 24 "
              "clients, and 3 with 32 to 320 clients",
     .expected = "barrier: time O(n) in barriers and in clients",
     .examine = growth_keep_time,
     .judge = growth_of_time_is_linear},
    {.id = "C19",
     .statement =
         "A drain of the scalable lock transfers O(n²) bytes; one of the ticket lock O(n).",
     .source = "zkherd",
     .recipes = {&recipe_scalable, &recipe_ticket},
     .trials = {LARGE_DRAINS},
     .tried = "drains of 96 to 729 clients, scalable, lockstep; drains of 96 to 729 clients, "
              "ticket, lockstep",
     .expected = "scalable: names listed = n²; scalable: bytes O(n^2); ticket: names listed = 0; "
                 "ticket: bytes O(n)",
     .judge = growth_check,
     .growths = {{{"names listed", TALLY_NAMES_LISTED, LAW(0, 0, 1)},
                  {"bytes", GROWTH_BYTES, .class = FIT_QUADRATIC}},
                 {{"names listed", TALLY_NAMES_LISTED, LAW(0)},
                  {"bytes", GROWTH_BYTES, .class = FIT_LINEAR}}}},
};

const size_t catalogue_count = sizeof catalogue / sizeof catalogue[0];
