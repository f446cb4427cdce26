// SPDX-License-Identifier: Apache-2.0
/* Locks, their holders and their handoffs, out of changes of znodes. */
#include "history/locks.h"

#include "base/memory.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdlib.h>

static struct locks *locks;
static struct growing_text told;

/* "lock handoff: waiters, granted by session, at". */
static void tell(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    (void)context;
    growing_text_add(&told, "%s %" PRIu64 ": %zu wait, %zu granted, %" PRId64 " at %" PRIu64 "\n",
                     lock->path, row->handoff, row->waiters, row->granted, row->session,
                     row->granted_ns);
}

FIXTURE(set_up)
{
    locks = locks_new(tell, NULL);
    return 0;
}

FIXTURE(tear_down)
{
    locks_free(locks);
    free(told.text);
    told = (struct growing_text){0};
    return 0;
}

#define LOCK_TEST(name) TEST_BETWEEN(name, set_up, tear_down)

/* A place: 7 is /l/lock-0000000007, r7 and w7 are readers and writers, f is /f, which has no
 * number.
 */
static const char *path_of(const char *place)
{
    static char path[32];
    const char *name = place[0] == 'r' ? "read" : place[0] == 'w' ? "write" : "lock";
    if (place[0] == 'f')
        return "/f";
    snprintf(path, sizeof path, "/l/%s-%010d", name, atoi(place + strspn(place, "rw")));
    return path;
}

/* Plays changes, one at each time from 1 on: "S+P": session S creates a place, "S?P": that is
 * refused, "-P": it is deleted, "xS": the session ends, "!": all that holds or waits is forgotten.
 */
static void play(const char *script)
{
    uint64_t at = 0;
    for (const char *step = script; step != NULL; step = strchr(step, ' ')) {
        char *place;
        step += *step == ' ' ? 1 : 0;
        long session = strtol(step + (*step == 'x' ? 1 : 0), &place, 10);
        at++;
        if (*step == '!')
            locks_forget(locks, at);
        else if (*step == '-')
            locks_delete(locks, path_of(step + 1), at);
        else if (*step == 'x')
            locks_close(locks, session, at);
        else if (*place == '+')
            locks_create(locks, session, path_of(place + 1), place[1] != 'f', at);
        else
            locks_refuse(locks, session, path_of(place + 1), at);
    }
}

static const struct {
    const char *script, *told;
} cases[] = {
    /* Replies may overtake; who gives up hands nothing on. */
    {"30+1 10+0 20+2 -2 -9 -0 -1", "/l 0: 0 wait, 1 granted, 10 at 2\n"
                                   "/l 1: 1 wait, 1 granted, 30 at 6\n"
                                   "/l 2: 0 wait, 0 granted, 0 at 0\n"},
    {"100+0 101+1 102+2 103+3 -0 x101 -2 -3", "/l 0: 0 wait, 1 granted, 100 at 1\n"
                                              "/l 1: 3 wait, 1 granted, 101 at 5\n"
                                              "/l 2: 2 wait, 1 granted, 102 at 6\n"
                                              "/l 3: 1 wait, 1 granted, 103 at 7\n"
                                              "/l 4: 0 wait, 0 granted, 0 at 0\n"},
    /* One znode is a lock once two want it; 3 waits once, and 4 gives up. */
    {"1+f 2?f 3?f 3?f 4?f x4 -f 3+f 2?f -f 2+f x2", "/f 0: 0 wait, 1 granted, 1 at 1\n"
                                                    "/f 1: 2 wait, 1 granted, 3 at 8\n"
                                                    "/f 2: 1 wait, 1 granted, 2 at 11\n"
                                                    "/f 3: 0 wait, 0 granted, 0 at 0\n"},
    /* Readers share: one of two still holds when the other releases. */
    {"1+w0 2+r1 3+r2 4+w3 5+r4 -w0 -r2 -w3 -r1", "/l 0: 0 wait, 1 granted, 1 at 1\n"
                                                 "/l 1: 4 wait, 2 granted, 3 at 6\n"
                                                 "/l 2: 2 wait, 1 granted, 2 at 6\n"
                                                 "/l 3: 0 wait, 0 granted, 5 at 8\n"},
    /* A session ends with all its places, once. */
    {"1+0 1+1 2+2 x1 x1 x9", "/l 0: 0 wait, 1 granted, 1 at 1\n"
                             "/l 1: 1 wait, 1 granted, 2 at 4\n"},
    /* A znode whose end was not seen is made again. */
    {"1+f 2+f", "/f 0: 0 wait, 1 granted, 1 at 1\n"
                "/f 1: 0 wait, 1 granted, 2 at 2\n"},
    {"1+0 2+1 !", "/l 0: 0 wait, 1 granted, 1 at 1\n"
                  "/l 1: 0 wait, 0 granted, 0 at 0\n"},
};

LOCK_TEST(each_script_has_its_handoffs)
{
    size_t holders, waiters;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tear_down(state);
        set_up(state);
        play(cases[i].script);
        const struct locks_lock *lock = locks_at(locks, 0);
        assert_string_equal(lock->recipe, strchr(cases[i].script, 'f') != NULL ? "one znode"
                                          : i == 3                             ? "read/write"
                                                                               : "queue");
        assert_null(locks_at(locks, 1));
        locks_count(locks, &holders, &waiters);
        assert_true(holders == lock->holders && waiters == locks_waiters(lock));
        locks_end(locks, 40);
        assert_string_equal(told.text, cases[i].told);
    }
}

/* Of what is no place as well, but not of the folder, nor below a place or a lock by name. */
LOCK_TEST(deletions_in_the_folder_are_of_its_lock)
{
    play("30+1 10+0 -0 -0 1+f");
    locks_create(locks, 1, "/l", false, 6); /* before, or after that was a folder */
    locks_delete(locks, "/l", 6);
    for (const char *const *path = (const char *const[]){"/l/o", "/l", "/l/o/x", "/f/x", NULL};
         *path != NULL; path++)
        locks_delete(locks, *path, 6);
    assert_int_equal(locks_at(locks, 0)->row.tally.of[TALLY_DELETE], 3);
    assert_int_equal(locks_at(locks, 1)->row.tally.of[TALLY_DELETE], 0);
    assert_int_equal(locks_at(locks, 2)->row.tally.of[TALLY_DELETE], 1);
}
