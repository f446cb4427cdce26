// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/catalogue.h"

#include "bench/claims/browsing.h"
#include "bench/claims/contention.h"
#include "bench/claims/costs.h"
#include "bench/claims/deaths.h"
#include "bench/claims/releases.h"
#include "recipes/registry.h"

#define PAPER          "Hunt et al., USENIX ATC 2010, section 2.4"
#define LECTURE(parts) "lecture" parts " (MIT 6.824, ZooKeeper)"

/* C18 is about the throughput of whole ensembles, not about locks: zkherd paper judges it. */
static const struct claim claims[] = {
    {"C1",
     "Releasing the non-scalable lock notifies every waiter: W notifications with W waiters.",
     LECTURE(" 9.3") "; " PAPER,
     releases_notify_all,
     {&recipe_nonscalable}},
    {"C2",
     "A drain of n clients through the non-scalable lock costs n(n+1)/2 CREATEs and n² + n RPCs: "
     "O(n²).",
     LECTURE(" 9.3"),
     costs_of_the_herd,
     {&recipe_nonscalable}},
    {"C3",
     "One CREATE wins, always: mutual exclusion under any contention.",
     LECTURE(" 9.3"),
     contention_has_one_winner,
     {&recipe_nonscalable, &recipe_nonscalable_get, &recipe_childwatch, &recipe_scalable,
      &recipe_ticket}},
    {"C4",
     "No wake-up is lost when EXISTS races with DELETE.",
     LECTURE(" 9.3"),
     contention_loses_no_wakeup,
     {&recipe_nonscalable, &recipe_nonscalable_get}},
    {"C5",
     "Releasing the scalable lock notifies exactly one waiter; a handoff costs a constant number "
     "of RPCs; a drain of n clients costs 5n - 2 RPCs: O(n).",
     LECTURE(" 9.4") "; " PAPER,
     costs_of_the_queue,
     {&recipe_scalable}},
    {"C6",
     "A client that is woken must list the znodes again: otherwise the death of its predecessor "
     "leads to two holders.",
     LECTURE(" 9.4") "; " PAPER,
     deaths_need_another_list,
     {&recipe_scalable, &recipe_broken_norecheck}},
    {"C7",
     "The death of a waiter wakes one other client and never grants the lock early.",
     PAPER,
     deaths_of_waiters_wake_one,
     {&recipe_scalable}},
    {"C8",
     "A children watch causes the herd effect: each release sends W + 1 notifications.",
     "common guides to ZooKeeper locks",
     releases_notify_children_watches,
     {&recipe_childwatch}},
    {"C9",
     "The sequential locks are granted in order of arrival; the non-scalable lock is not.",
     "common guides to ZooKeeper locks",
     contention_keeps_order,
     {&recipe_nonscalable, &recipe_scalable, &recipe_childwatch, &recipe_writelock,
      &recipe_ticket}},
    {"C10",
     "Without a GUID, a lost CREATE reply blocks the lock; with a GUID, the client finds its "
     "znode.",
     "ZooKeeper's recipes, Locks",
     deaths_of_replies_need_a_guid,
     {&recipe_scalable, &recipe_scalable_guid}},
    {"C11",
     "The scalable lock must list without a watch: with a watch it has the herd effect.",
     "ZooKeeper's recipes, Locks; " PAPER,
     costs_of_a_watched_list,
     {&recipe_scalable, &recipe_scalable_listwatch}},
    {"C12",
     "Waiting costs nothing: a waiting client sends no RPC until the lock is released.",
     PAPER,
     contention_waits_for_nothing,
     {&recipe_poll, &recipe_nonscalable, &recipe_childwatch, &recipe_scalable}},
    {"C13",
     "Contention is visible in the znodes, and a lock can be broken by deleting a znode.",
     PAPER,
     browsing_shows_and_breaks,
     {&recipe_scalable}},
    {"C14",
     "The lock of a crashed holder is freed after the session timeout, not before, and the next "
     "holder can detect the crash.",
     LECTURE(" 9.4"),
     deaths_of_holders_take_the_timeout,
     {&recipe_ready}},
    {"C15",
     "Readers queued behind a writer are granted the lock together, by design.",
     PAPER,
     releases_let_readers_in_together,
     {&recipe_rwlock}},
    {"C16",
     "n clients that increment the counter at once need O(n²) attempts in all.",
     LECTURE("s 9.2 and 9.3"),
     costs_of_the_counter,
     {&recipe_counter}},
    {"C17",
     "When the leader dies, its successor takes over without a contest.",
     "ZooKeeper's WriteLock, \"an exclusive write lock or to elect a leader\"",
     deaths_of_leaders_have_one_successor,
     {&recipe_election}},
    {"C19",
     "A drain of the scalable lock transfers O(n²) bytes; one of the ticket lock O(n).",
     "zkherd",
     costs_in_bytes,
     {&recipe_scalable, &recipe_ticket}},
};

size_t catalogue_count(void)
{
    return sizeof claims / sizeof claims[0];
}

const struct claim *catalogue_at(size_t index)
{
    return index < catalogue_count() ? &claims[index] : NULL;
}
