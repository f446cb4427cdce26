// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/internal.h"
#include "recipes/registry.h"

#define PAPER          "Hunt et al., USENIX ATC 2010, section 2.4"
#define LECTURE(parts) "lecture" parts " (MIT 6.824, ZooKeeper)"

static const struct claim claims[] = {
    {.id = "C1",
     .statement =
         "Releasing the non-scalable lock notifies every waiter: W notifications with W waiters.",
     .source = LECTURE(" 9.3") "; " PAPER,
     .experiment = releases_notify_all,
     .recipes = {&recipe_nonscalable}},
    {.id = "C2",
     .statement = "A drain of n clients through the non-scalable lock costs n(n+1)/2 CREATEs and "
                  "n² + n RPCs: O(n²).",
     .source = LECTURE(" 9.3"),
     .experiment = growth_is_lawful,
     .recipes = {&recipe_nonscalable},
     .growths = {{.figures = {{"CREATEs", TALLY_CREATE, .law = {0, 0.5, 0.5}},
                              {"RPCs", GROWTH_RPCS, .law = {0, 1, 1}}}}}},
    {.id = "C3",
     .statement = "One CREATE wins, always: mutual exclusion under any contention.",
     .source = LECTURE(" 9.3"),
     .experiment = contention_has_one_winner,
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get, &recipe_childwatch, &recipe_scalable,
                 &recipe_ticket}},
    {.id = "C4",
     .statement = "No wake-up is lost when EXISTS races with DELETE.",
     .source = LECTURE(" 9.3"),
     .experiment = contention_loses_no_wakeup,
     .recipes = {&recipe_nonscalable, &recipe_nonscalable_get}},
    {.id = "C5",
     .statement = "Releasing the scalable lock notifies exactly one waiter; a handoff costs a "
                  "constant number of RPCs; a drain of n clients costs 5n - 2 RPCs: O(n).",
     .source = LECTURE(" 9.4") "; " PAPER,
     .experiment = releases_notify_one,
     .recipes = {&recipe_scalable},
     .growths = {{.figures = {{"RPCs", GROWTH_RPCS, .law = {-2, 5, 0}}}}}},
    {.id = "C6",
     .statement = "A client that is woken must list the znodes again: otherwise the death of its "
                  "predecessor leads to two holders.",
     .source = LECTURE(" 9.4") "; " PAPER,
     .experiment = deaths_need_another_list,
     .recipes = {&recipe_scalable, &recipe_broken_norecheck}},
    {.id = "C7",
     .statement = "The death of a waiter wakes one other client and never grants the lock early.",
     .source = PAPER,
     .experiment = deaths_of_waiters_wake_one,
     .recipes = {&recipe_scalable}},
    {.id = "C8",
     .statement =
         "A children watch causes the herd effect: each release sends W + 1 notifications.",
     .source = "common guides to ZooKeeper locks",
     .experiment = releases_notify_children_watches,
     .recipes = {&recipe_childwatch}},
    {.id = "C9",
     .statement =
         "The sequential locks are granted in order of arrival; the non-scalable lock is not.",
     .source = "common guides to ZooKeeper locks",
     .experiment = contention_keeps_order,
     .recipes = {&recipe_nonscalable, &recipe_scalable, &recipe_childwatch, &recipe_writelock,
                 &recipe_ticket}},
    {.id = "C10",
     .statement = "Without a GUID, a lost CREATE reply blocks the lock; with a GUID, the client "
                  "finds its znode.",
     .source = "ZooKeeper's recipes, Locks",
     .experiment = deaths_of_replies_need_a_guid,
     .recipes = {&recipe_scalable, &recipe_scalable_guid}},
    {.id = "C11",
     .statement =
         "The scalable lock must list without a watch: with a watch it has the herd effect.",
     .source = "ZooKeeper's recipes, Locks; " PAPER,
     .experiment = growth_is_lawful,
     .recipes = {&recipe_scalable, &recipe_scalable_listwatch},
     .growths = {{0, .figures = {{"notifications", TALLY_NOTIFICATION, .law = {-1, 1, 0}}}},
                 {1, .figures = {{"notifications", TALLY_NOTIFICATION, .law = {0, 0, 1}}}}}},
    {.id = "C12",
     .statement =
         "Waiting costs nothing: a waiting client sends no RPC until the lock is released.",
     .source = PAPER,
     .experiment = contention_waits_for_nothing,
     .recipes = {&recipe_poll, &recipe_nonscalable, &recipe_childwatch, &recipe_scalable}},
    {.id = "C13",
     .statement =
         "Contention is visible in the znodes, and a lock can be broken by deleting a znode.",
     .source = PAPER,
     .experiment = contention_shows_and_breaks,
     .recipes = {&recipe_scalable}},
    {.id = "C14",
     .statement = "The lock of a crashed holder is freed after the session timeout, not before, "
                  "and the next holder can detect the crash.",
     .source = LECTURE(" 9.4"),
     .experiment = deaths_of_holders_take_the_timeout,
     .recipes = {&recipe_ready}},
    {.id = "C15",
     .statement = "Readers queued behind a writer are granted the lock together, by design.",
     .source = PAPER,
     .experiment = releases_let_readers_in_together,
     .recipes = {&recipe_rwlock}},
    {.id = "C16",
     .statement = "n clients that increment the counter at once need O(n²) attempts in all.",
     .source = LECTURE("s 9.2 and 9.3"),
     .experiment = growth_is_lawful,
     .recipes = {&recipe_counter},
     .growths = {{.figures = {{"attempts (setData)", TALLY_SET, .law = {0, 0.5, 0.5}}}}}},
    {.id = "C17",
     .statement = "When the leader dies, its successor takes over without a contest.",
     .source = "ZooKeeper's WriteLock, \"an exclusive write lock or to elect a leader\"",
     .experiment = deaths_of_leaders_have_one_successor,
     .recipes = {&recipe_election}},
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
     .experiment = growth_is_lawful,
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
