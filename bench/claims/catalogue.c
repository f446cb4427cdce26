// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "recipes/registry.h"

#define PAPER          "Hunt et al., USENIX ATC 2010, section 2.4"
#define LECTURE(parts) "lecture" parts " (MIT 6.824, ZooKeeper)"

/* A drain, and one in which somebody dies. */
#define DRAIN(clients)                                                                             \
    {                                                                                              \
        .fleet.sessions = (clients)                                                                \
    }
#define DEATH(clients, ...)                                                                        \
    {                                                                                              \
        .fleet.sessions = (clients), .death = __VA_ARGS__                                          \
    }

/* As short as servers with ordinary settings come near to; they grant two ticks at least. */
#define CRASH(clients, who, turn)                                                                  \
    {                                                                                              \
        .fleet = {.sessions = (clients), .session_timeout_ms = 2000}, .death = {                   \
            DEATH_CRASH,                                                                           \
            who,                                                                                   \
            turn                                                                                   \
        }                                                                                          \
    }

/* Clients that queue again and again, in two processes: as many as a small machine can run at the
 * same time. Each holds for some time, or for none: two who do would hardly be seen to hold at
 * once. */
#define CROWD(hold_ns)                                                                             \
    {                                                                                              \
        .fleet = {.sessions = 32, .processes = 2}, .workload = WORKLOAD_STEADY, .pace = PACE_FREE, \
        .handoffs = 320, .hold = {                                                                 \
            hold_ns,                                                                               \
            true                                                                                   \
        }                                                                                          \
    }
#define CROWD_TRIED(held)                                                                          \
    "320 grants of each of {#} locks, " held "; 32 clients in 2 processes, which queue again "     \
    "after each release"

#define RELEASES_TRIED "a drain of 64 clients, {0}, lockstep; each release is examined"

static const struct claim claims[] = {
    {.id = "C1",
     .statement =
         "Releasing the non-scalable lock notifies every waiter: W notifications with W waiters.",
     .source = LECTURE(" 9.3") "; " PAPER,
     .recipes = {&recipe_nonscalable},
     .trials = {DRAIN(64)},
     .tried = RELEASES_TRIED,
     .expected = "notifications: 63 with 63 waiters, and accordingly in 64 of 64 releases",
     .look = releases_notify_all},
    {.id = "C2",
     .statement = "A drain of n clients through the non-scalable lock costs n(n+1)/2 CREATEs and "
                  "n² + n RPCs: O(n²).",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable},
     .growths = {{.figures = {{"CREATEs", TALLY_CREATE, .law = {0, 0.5, 0.5}},
                              {"RPCs", GROWTH_RPCS, .law = {0, 1, 1}}}}}},
    {.id = "C3",
     .statement = "One CREATE wins, always: mutual exclusion under any contention.",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get, &recipe_childwatch, &recipe_scalable,
                 &recipe_ticket},
     .trials = {CROWD(NS_PER_MS)},
     .tried = CROWD_TRIED("held for 1 ms on average"),
     .expected = "for each lock: 320 grants, never two holders, and as many successful CREATEs",
     .look = contention_has_one_winner},
    {.id = "C4",
     .statement = "No wake-up is lost when EXISTS races with DELETE.",
     .source = LECTURE(" 9.3"),
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get},
     .trials = {CROWD(0)},
     .tried = CROWD_TRIED("released immediately"),
     .expected = "for each lock: 320 grants, although the race occurs",
     .look = contention_loses_no_wakeup},
    {.id = "C5",
     .statement = "Releasing the scalable lock notifies exactly one waiter; a handoff costs a "
                  "constant number of RPCs; a drain of n clients costs 5n - 2 RPCs: O(n).",
     .source = LECTURE(" 9.4") "; " PAPER,
     .recipes = {&recipe_scalable},
     .growths = {{.figures = {{"RPCs", GROWTH_RPCS, .law = {-2, 5, 0}}}}},
     .trials = {DRAIN(64)},
     .tried = RELEASES_TRIED,
     .expected = "notifications: 1 with 63 waiters, and accordingly in 64 of 64 releases; the "
                 "same number of RPCs in each of 63 handoffs",
     .look = releases_notify_one},
    {.id = "C6",
     .statement = "A client that is woken must list the znodes again: otherwise the death of its "
                  "predecessor leads to two holders.",
     .source = LECTURE(" 9.4") "; " PAPER,
     .recipes = {&recipe_scalable, &recipe_broken_norecheck},
     .trials = {DEATH(5, {DEATH_EXIT, DEATH_WAITER, 0})},
     .times = 5,
     .tried = "5 drains of 5 clients, of {0}, which lists again, and of {1}; a waiter exits",
     .expected = "{0}: two holders in 0 drains; {1}: two holders in 5 drains",
     .look = deaths_count_holders,
     .looks_at_any = true,
     .judge = deaths_need_another_list},
    {.id = "C7",
     .statement = "The death of a waiter wakes one other client and never grants the lock early.",
     .source = PAPER,
     .recipes = {&recipe_scalable},
     .trials = {DEATH(8, {DEATH_EXIT, DEATH_WAITER, 0})},
     .tried = "a drain of 8 clients, {0}, lockstep; the waiter in the middle exits",
     .expected = "0 grants before the next release, 7 in all; 7 notifications: 1 for each of 6 "
                 "handoffs, 1 for the death",
     .look = deaths_of_waiters_wake_one},
    {.id = "C8",
     .statement =
         "A children watch causes the herd effect: each release sends W + 1 notifications.",
     .source = "common guides to ZooKeeper locks",
     .recipes = {&recipe_childwatch},
     .trials = {DRAIN(64)},
     .tried = RELEASES_TRIED,
     .expected = "W + 1 notifications, except at the first release: by then arrivals have used up "
                 "the deleter's own watch; notifications: 63 with 62 waiters, and accordingly in "
                 "64 of 64 releases",
     .look = releases_notify_children_watches},
    {.id = "C9",
     .statement =
         "The sequential locks are granted in order of arrival; the non-scalable lock is not.",
     .source = "common guides to ZooKeeper locks",
     .recipes = {&recipe_nonscalable, &recipe_scalable, &recipe_childwatch, &recipe_writelock,
                 &recipe_ticket},
     .trials = {DRAIN(16)},
     .times = 5,
     .tried = "5 drains of each of {#} locks; 16 clients, which arrive one after another",
     .expected = "grants later than that of a later arrival: some with {0}, 0 with the others",
     .look = contention_counts_overtaken,
     .judge = contention_keeps_order},
    {.id = "C10",
     .statement = "Without a GUID, a lost CREATE reply blocks the lock; with a GUID, the client "
                  "finds its znode.",
     .source = "ZooKeeper's recipes, Locks",
     .recipes = {&recipe_scalable, &recipe_scalable_guid},
     /* When nothing has moved for so long the lock is blocked. The sessions live for much longer.
      */
     .trials = {{.fleet = {.sessions = 5, .timeout_ns = 2 * NS_PER_S},
                 .death = {DEATH_LOST_REPLY, DEATH_WAITER, 0}}},
     .tried = "drains of 5 clients, of {0} and {1}; session 2 loses the reply to its CREATE",
     .expected = "{0}: 2 grants and no more, 6 CREATEs, one of which blocks the others; {1}: 5 "
                 "grants, 5 CREATEs",
     .look = deaths_of_replies_need_a_guid,
     .looks_at_any = true},
    {.id = "C11",
     .statement =
         "The scalable lock must list without a watch: with a watch it has the herd effect.",
     .source = "ZooKeeper's recipes, Locks; " PAPER,
     .recipes = {&recipe_scalable, &recipe_scalable_listwatch},
     .growths = {{0, .figures = {{"notifications", TALLY_NOTIFICATION, .law = {-1, 1, 0}}}},
                 {1, .figures = {{"notifications", TALLY_NOTIFICATION, .law = {0, 0, 1}}}}}},
    {.id = "C12",
     .statement =
         "Waiting costs nothing: a waiting client sends no RPC until the lock is released.",
     .source = PAPER,
     .recipes = {&recipe_poll, &recipe_nonscalable, &recipe_childwatch, &recipe_scalable},
     .trials = {{.fleet.sessions = 5, .hold.mean_ns = 20 * NS_PER_MS},
                {.fleet.sessions = 5, .hold.mean_ns = 400 * NS_PER_MS}},
     .tried = "drains of 5 clients: each holds for 20 ms in one drain, for 400 ms in another",
     .expected = "the same number of RPCs in both; with {0}, which polls, more in the second",
     .look = contention_counts_rpcs,
     .judge = contention_waits_for_nothing},
    {.id = "C13",
     .statement =
         "Contention is visible in the znodes, and a lock can be broken by deleting a znode.",
     .source = PAPER,
     .recipes = {&recipe_scalable},
     /* They hold for longer than the trial is to last: nobody releases, the lock is broken. */
     .trials = {{.fleet.sessions = 6, .hold.mean_ns = 600 * NS_PER_S}},
     .tried = "6 clients at one lock, {0}, whose holder keeps the lock; another session lists the "
              "znodes and deletes the first",
     .expected = "6 znodes, one for each client that holds or waits, the first the holder's; when "
                 "that is deleted, the next in line is granted, while the holder is not notified "
                 "and still holds",
     .observe = contention_come_by,
     .look = contention_shows_and_breaks,
     .looks_at_any = true},
    {.id = "C14",
     .statement = "The lock of a crashed holder is freed after the session timeout, not before, "
                  "and the next holder can detect the crash.",
     .source = LECTURE(" 9.4"),
     .recipes = {&recipe_ready},
     .trials = {CRASH(4, DEATH_WORKER, 1), DRAIN(4)},
     .tried = "a drain of 4 clients, {0}; the second holder crashes between two writes",
     .expected = "from the holder's last request to the next grant at least the session timeout, "
                 "at most twice that; half-written after the crash: 1, without a crash: 0",
     .look = deaths_of_holders_take_the_timeout},
    {.id = "C15",
     .statement = "Readers queued behind a writer are granted the lock together, by design.",
     .source = PAPER,
     .recipes = {&recipe_rwlock},
     /* The first of them writes, and so does every fourth after it. */
     .trials = {DRAIN(20)},
     .tried = "a drain of 20 clients, {0}, lockstep; each release is examined",
     .expected = "each release grants one writer, or all readers up to the next writer at once: as "
                 "expected in 20 of 20 releases; 19 notifications, one for each client granted",
     .look = releases_let_readers_in_together},
    {.id = "C16",
     .statement = "n clients that increment the counter at once need O(n²) attempts in all.",
     .source = LECTURE("s 9.2 and 9.3"),
     .recipes = {&recipe_counter},
     .growths = {{.figures = {{"attempts (setData)", TALLY_SET, .law = {0, 0.5, 0.5}}}}}},
    {.id = "C17",
     .statement = "When the leader dies, its successor takes over without a contest.",
     .source = "ZooKeeper's WriteLock, \"an exclusive write lock or to elect a leader\"",
     .recipes = {&recipe_election},
     .trials = {DEATH(4, {DEATH_EXIT, DEATH_HOLDER, 0}), DEATH(32, {DEATH_EXIT, DEATH_HOLDER, 0}),
                CRASH(32, DEATH_HOLDER, 0)},
     .tried = "elections among 4 and 32 clients, {0}, lockstep; the leader, session 0, exits, or "
              "crashes",
     .expected = "session 1, the next in line, leads; notifications 1, RPCs 1, whatever the "
                 "number of clients",
     .look = deaths_of_leaders_have_one_successor},
    {.id = "C18",
     .statement = "Reads a second rise with the servers of an ensemble, writes a second fall; the "
                  "time of double barriers is linear in barriers and clients.",
     .source = "Hunt et al., USENIX ATC 2010, section 5, Tables 1 to 3",
     .experiment = ensembles_scale_reads,
     .recipes = {&recipe_barrier},
     .servers = {1, 3}},
    {.id = "C19",
     .statement =
         "A drain of the scalable lock transfers O(n²) bytes; one of the ticket lock O(n).",
     .source = "zkherd",
     .recipes = {&recipe_scalable, &recipe_ticket},
     .growths = {{0,
                  true,
                  {{"names listed", TALLY_NAMES_LISTED, .law = {0, 0, 1}},
                   {"bytes", GROWTH_BYTES, .class = FIT_QUADRATIC}}},
                 {1,
                  true,
                  {{"names listed", TALLY_NAMES_LISTED, .law = {0, 0, 0}},
                   {"bytes", GROWTH_BYTES, .class = FIT_LINEAR}}}}},
};

size_t catalogue_count(void)
{
    return sizeof claims / sizeof claims[0];
}

const struct claim *catalogue_at(size_t index)
{
    return index < catalogue_count() ? &claims[index] : NULL;
}
