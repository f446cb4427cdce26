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

LOCK_TEST(a_queue_is_handed_on_in_order)
{
    locks_create(locks, 30, "/l/lock-0000000001", true, 10);
    locks_create(locks, 10, "/l/lock-0000000000", true, 11); /* replies may overtake */
    locks_create(locks, 20, "/l/lock-0000000002", true, 12);
    const struct locks_lock *lock = locks_find(locks, "/l");
    assert_non_null(lock);
    assert_ptr_equal(lock, locks_find(locks, "/l/lock-0000000002"));
    assert_null(locks_find(locks, "/l/lock-0000000002/x"));
    assert_null(locks_find(locks, "/other"));
    assert_string_equal(lock->recipe, "queue");
    locks_delete(locks, "/l/lock-0000000002", 15); /* gives up: no handoff */
    locks_delete(locks, "/none", 16);
    locks_delete(locks, "/l/lock-0000000000", 20);
    locks_delete(locks, "/l/lock-0000000001", 30);
    locks_end(locks, 40);
    assert_string_equal(told.text, "/l 0: 0 wait, 1 granted, 10 at 11\n"
                                   "/l 1: 1 wait, 1 granted, 30 at 20\n"
                                   "/l 2: 0 wait, 0 granted, 0 at 0\n");
}

LOCK_TEST(a_drain_of_a_queue)
{
    for (int i = 0; i < 4; i++) {
        char path[32];
        snprintf(path, sizeof path, "/l/lock-%010d", i);
        locks_create(locks, 100 + i, path, true, (uint64_t)i);
    }
    locks_delete(locks, "/l/lock-0000000000", 10);
    locks_close(locks, 101, 20);
    locks_delete(locks, "/l/lock-0000000002", 30);
    locks_delete(locks, "/l/lock-0000000003", 40);
    locks_end(locks, 50);
    assert_string_equal(told.text, "/l 0: 0 wait, 1 granted, 100 at 0\n"
                                   "/l 1: 3 wait, 1 granted, 101 at 10\n"
                                   "/l 2: 2 wait, 1 granted, 102 at 20\n"
                                   "/l 3: 1 wait, 1 granted, 103 at 30\n"
                                   "/l 4: 0 wait, 0 granted, 0 at 0\n");
    assert_int_equal(locks_find(locks, "/l")->waiters_max, 3);
}

LOCK_TEST(one_znode_is_a_lock_once_two_want_it)
{
    locks_create(locks, 1, "/f", false, 5);
    locks_refuse(locks, 2, "/f", false, true, 6);
    locks_refuse(locks, 3, "/f", false, true, 7);
    locks_refuse(locks, 3, "/f", false, true, 8); /* again: it waits already */
    locks_refuse(locks, 4, "/f", false, true, 9);
    locks_refuse(locks, 4, "/f", false, false, 9); /* gives up */
    locks_delete(locks, "/f", 10);
    locks_create(locks, 3, "/f", false, 11);
    locks_refuse(locks, 2, "/f", false, true, 12);
    locks_delete(locks, "/f", 20);
    locks_create(locks, 2, "/f", false, 21);
    locks_close(locks, 2, 30);
    locks_end(locks, 40);
    assert_string_equal(told.text, "/f 0: 0 wait, 1 granted, 1 at 5\n"
                                   "/f 1: 2 wait, 1 granted, 3 at 11\n"
                                   "/f 2: 1 wait, 1 granted, 2 at 21\n"
                                   "/f 3: 0 wait, 0 granted, 0 at 0\n");
    const struct locks_lock *lock = locks_at(locks, 0);
    assert_string_equal(lock->recipe, "one znode");
    assert_null(locks_at(locks, 1));
}

LOCK_TEST(who_has_asked_waits)
{
    locks_arrive(locks, 1, "/l/n-", true, 1);
    locks_create(locks, 1, "/l/n-0000000000", true, 2);
    locks_arrive(locks, 2, "/l/n-", true, 3);
    locks_arrive(locks, 3, "/l/n-", true, 4);
    locks_arrive(locks, 4, "/l/n-", true, 4);
    locks_refuse(locks, 3, "/l/n-", true, false, 5);
    locks_delete(locks, "/l/n-0000000000", 6); /* before the reply to session 2 */
    locks_close(locks, 4, 7);
    locks_create(locks, 2, "/l/n-0000000001", true, 8);
    locks_end(locks, 9);
    assert_string_equal(told.text, "/l 0: 0 wait, 1 granted, 1 at 2\n"
                                   "/l 1: 2 wait, 1 granted, 2 at 8\n");
}

LOCK_TEST(readers_share)
{
    locks_create(locks, 1, "/l/write-0000000000", true, 1);
    locks_create(locks, 2, "/l/read-0000000001", true, 2);
    locks_create(locks, 3, "/l/read-0000000002", true, 3);
    locks_create(locks, 4, "/l/write-0000000003", true, 4);
    locks_create(locks, 5, "/l/read-0000000004", true, 5);
    locks_delete(locks, "/l/write-0000000000", 10);
    locks_delete(locks, "/l/read-0000000002", 20); /* the other reader still holds */
    locks_delete(locks, "/l/write-0000000003", 21);
    locks_delete(locks, "/l/read-0000000001", 30);
    locks_end(locks, 40);
    assert_string_equal(told.text, "/l 0: 0 wait, 1 granted, 1 at 1\n"
                                   "/l 1: 4 wait, 2 granted, 2 at 10\n"
                                   "/l 2: 2 wait, 1 granted, 5 at 21\n"
                                   "/l 3: 0 wait, 0 granted, 0 at 0\n");
}

LOCK_TEST(all_leases_are_held)
{
    locks_create(locks, 1, "/s/0f9a2b3c000041118222012345678abc", false, 1);
    locks_create(locks, 2, "/s/1f9a2b3c000041118222012345678abc", false, 2);
    locks_create(locks, 3, "/leases/_c_0f-lease-0000000000", true, 3);
    locks_create(locks, 4, "/leases/_c_1f-lease-0000000001", true, 4);
    assert_int_equal(locks_find(locks, "/s")->holders, 2);
    assert_string_equal(locks_find(locks, "/s")->recipe, "kazoo leases");
    assert_int_equal(locks_find(locks, "/leases")->holders, 2);
    locks_delete(locks, "/s/0f9a2b3c000041118222012345678abc", 5);
    assert_int_equal(locks_find(locks, "/s")->holders, 1);
}

LOCK_TEST(a_session_ends_with_all_its_places)
{
    locks_create(locks, 1, "/l/n-0000000000", true, 1);
    locks_create(locks, 1, "/l/n-0000000001", true, 2);
    locks_create(locks, 2, "/l/n-0000000002", true, 3);
    locks_close(locks, 1, 10);
    locks_close(locks, 1, 11);
    locks_close(locks, 9, 12);
    locks_end(locks, 20);
    assert_string_equal(told.text, "/l 0: 0 wait, 1 granted, 1 at 1\n"
                                   "/l 1: 1 wait, 1 granted, 2 at 10\n");
}

LOCK_TEST(a_long_queue_moves_on)
{
    char path[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof path, "/l/n-%010d", i);
        locks_create(locks, i, path, true, 1);
        if (i % 2 == 0)
            continue;
        snprintf(path, sizeof path, "/l/n-%010d", i / 2);
        locks_delete(locks, path, 2);
    }
    const struct locks_lock *lock = locks_at(locks, 0);
    assert_int_equal(lock->row.handoff, 500);
    assert_int_equal(lock->row.session, 500);
    assert_int_equal(lock->waiters_max, 500);
}
