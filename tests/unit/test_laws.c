// SPDX-License-Identifier: Apache-2.0
/* The sums of the laws against closed forms that were derived, and measured, elsewhere. */

#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

static struct tally drain(const char *recipe, uint64_t n)
{
    struct tally total = {0};
    law_total(registry_find(recipe), n, n, &total);
    return total;
}

static void check_nonscalable(const char *name, enum tally_kind look)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain(name, n);
        assert_int_equal(tally_rpcs(&total), n * n + n);
        assert_int_equal(total.of[TALLY_CREATE], n * (n + 1) / 2);
        assert_int_equal(total.of[TALLY_CREATE_FAILED], n * (n + 1) / 2 - n);
        assert_int_equal(total.of[look], n * (n - 1) / 2);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n * (n - 1) / 2);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], 0);
    }
}

TEST(test_nonscalable)
{
    check_nonscalable("nonscalable", TALLY_EXISTS);
    check_nonscalable("nonscalable-get", TALLY_GET);
}

static void check_scalable(const char *name, enum tally_kind look)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain(name, n);
        assert_int_equal(tally_rpcs(&total), 5 * n - 2);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_CREATE_FAILED], 0);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 2 * n - 1);
        assert_int_equal(total.of[look], n - 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n);
    }
}

TEST(test_scalable)
{
    check_scalable("scalable", TALLY_EXISTS);
    check_scalable("scalable-get", TALLY_GET);
    check_scalable("reentrant", TALLY_EXISTS);
    check_scalable("election", TALLY_EXISTS);
    check_scalable("scalable-guid", TALLY_EXISTS);
}

TEST(test_childwatch)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("childwatch", n);
        assert_int_equal(tally_rpcs(&total), n * n + n + 1);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], n * n - n + 1);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n * n - n + 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION_SPURIOUS], n);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], 1 + n * (n - 1) * (4 * n + 1) / 6);
    }
}

TEST(test_scalable_listwatch)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("scalable-listwatch", n);
        assert_int_equal(tally_rpcs(&total), 2 * n * n - n + 2);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], n * n - n + 1);
        assert_int_equal(total.of[TALLY_EXISTS], (n - 1) * (n - 1));
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n * n);
        assert_int_equal(total.of[TALLY_NOTIFICATION_SPURIOUS], 2 * n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], 1 + n * (n - 1) * (4 * n + 1) / 6);
    }
}

TEST(test_walkback)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("walkback", n);
        assert_int_equal(tally_rpcs(&total), n * (n - 1) / 2 + 7 * n - 1);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 2 * n - 1);
        assert_int_equal(total.of[TALLY_EXISTS], 2 * n + n * (n - 1) / 2);
        assert_int_equal(total.of[TALLY_DELETE], 2 * n);
        assert_int_equal(total.of[TALLY_DELETE_FAILED], n - 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n + n - 1);
    }
}

TEST(test_ticket)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("ticket", n);
        assert_int_equal(tally_rpcs(&total), 5 * n - 2);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET], 3 * n - 2);
        assert_int_equal(total.of[TALLY_MULTI], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], 0);
    }
}

TEST(test_writelock)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("writelock", n);
        assert_int_equal(tally_rpcs(&total), 8 * n - 3);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_EXISTS], 3 * n - 2);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 3 * n - 1);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n + n * (n - 1) / 2);
    }
}

TEST(test_zoolock)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("zoolock", n);
        assert_int_equal(tally_rpcs(&total), 9 * n - 4);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_EXISTS], 3 * n - 2);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 4 * n - 2);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], 2 * n * n - n);
    }
}

/* Whoever queues again finds all the others: n - 1 questions a handoff from then on. */
TEST(test_walkback_goes_on)
{
    for (uint64_t n = 2; n <= 20; n++) {
        for (uint64_t more = 1; more <= 3 * n; more++) {
            struct tally before = {0}, after = {0};
            law_total(registry_find("walkback"), n, n + more - 1, &before);
            law_total(registry_find("walkback"), n, n + more, &after);
            assert_int_equal(tally_rpcs(&after) - tally_rpcs(&before), 7 + n - 1);
        }
    }
}

/* All n attempt, then n - 1, and so on. */
TEST(test_counter)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("counter", n);
        assert_int_equal(tally_rpcs(&total), n * n + n);
        assert_int_equal(total.of[TALLY_SET], n * (n + 1) / 2);
        assert_int_equal(total.of[TALLY_GET], n * (n + 1) / 2);
        assert_int_equal(total.of[TALLY_NOTIFICATION], 0);
    }
}

/* Who has succeeded reads again, and attempts with the others: n attempts a handoff. */
TEST(test_counter_goes_on)
{
    for (uint64_t n = 1; n <= 20; n++) {
        for (uint64_t more = 1; more <= 3 * n; more++) {
            struct tally before = {0}, after = {0};
            law_total(registry_find("counter"), n, n + more - 1, &before);
            law_total(registry_find("counter"), n, n + more, &after);
            /* n = 1: nobody is left to attempt when it releases. */
            uint64_t attempts = n == 1 ? 1 : n - 1;
            assert_int_equal(after.of[TALLY_SET] - before.of[TALLY_SET], attempts);
            assert_int_equal(after.of[TALLY_GET] - before.of[TALLY_GET], attempts);
        }
    }
}

TEST(test_rwlock)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("rwlock", n);
        uint64_t lists_of_readers = 0;
        /* All but the first are woken once; of readers that are let in together each lists the
         * others as well. */
        for (uint64_t k = 1; k < n; k++)
            lists_of_readers += k % 4 == 0 ? 0 : k % 4 - 1;
        assert_int_equal(tally_rpcs(&total), 5 * n - 2);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 2 * n - 1);
        assert_int_equal(total.of[TALLY_EXISTS], n - 1);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n + lists_of_readers);
    }
}

/* The i-th of V writers wakes all R readers but those that the ones before it have let in. */
TEST(test_rwlock_curator)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("rwlock-curator", n);
        uint64_t writers = (n + 3) / 4, readers = n - writers;
        uint64_t herd = writers * readers - 3 * writers * (writers - 1) / 2;
        assert_int_equal(total.of[TALLY_NOTIFICATION], herd + writers - 1);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], n + herd + writers - 1);
        assert_int_equal(total.of[TALLY_GET], n - 1 + herd - readers);
        assert_int_equal(total.of[TALLY_DELETE], n);
        if (n % 4 == 0) {
            assert_int_equal(16 * tally_rpcs(&total), 3 * n * n + 68 * n - 32);
            assert_int_equal(32 * total.of[TALLY_NOTIFICATION], 3 * n * n + 20 * n - 32);
        }
    }
}

static bool three_write_first(uint32_t number)
{
    return number >= 3;
}

/* R readers behind V writers: R × V wake-ups, where the paper's lock has R. */
TEST(test_readers_behind_several_writers)
{
    for (uint64_t readers = 1; readers <= 50; readers++) {
        struct recipe curator = *registry_find("rwlock-curator"), paper = *registry_find("rwlock");
        struct tally herd = {0}, calm = {0};
        curator.shares = paper.shares = three_write_first;
        law_total(&curator, 3 + readers, 3 + readers, &herd);
        law_total(&paper, 3 + readers, 3 + readers, &calm);
        assert_int_equal(herd.of[TALLY_NOTIFICATION], 3 * readers + 2); /* and two writers */
        assert_int_equal(calm.of[TALLY_NOTIFICATION], readers + 2);
    }
}

/* A writer holds; three readers, a writer and a reader wait. */
TEST(test_readers_behind_a_writer_are_granted_together)
{
    struct law_lock lock;
    struct tally cost = {0};
    law_lock_init(&lock, registry_find("rwlock"), 6);
    for (int i = 0; i < 6; i++)
        law_lock_arrival(&lock, &cost);
    assert_int_equal(lock.view.holders, 1);
    assert_int_equal(lock.view.waiters, 5);
    law_lock_release(&lock, &cost);
    assert_int_equal(lock.view.holders, 3);
    assert_int_equal(law_lock_first(&lock), 1);
    for (int readers = 2; readers > 0; readers--) {
        cost = (struct tally){0};
        law_lock_release(&lock, &cost);
        assert_int_equal(lock.view.holders, readers);
        assert_int_equal(cost.of[TALLY_NOTIFICATION], 0); /* nobody watches it */
    }
    cost = (struct tally){0};
    law_lock_release(&lock, &cost);
    assert_int_equal(cost.of[TALLY_NOTIFICATION], 1);
    assert_int_equal(law_lock_first(&lock), 4);
    assert_int_equal(lock.view.holders, 1);
    assert_int_equal(lock.view.waiters, 1);
}

TEST(test_barrier)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("barrier", n);
        assert_int_equal(tally_rpcs(&total), 7 * n - 2);
        assert_int_equal(total.of[TALLY_CREATE], n + 1);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], 3 * n - 1);
        assert_int_equal(total.of[TALLY_EXISTS], 2 * n - 2);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], 2 * n - 2);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n + 2 * n - 1);
    }
}

TEST(test_ready)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("ready", n);
        assert_int_equal(tally_rpcs(&total), 9 * n - 2);
        assert_int_equal(total.of[TALLY_CREATE], 2 * n);
        assert_int_equal(total.of[TALLY_SET], 2 * n);
        assert_int_equal(total.of[TALLY_DELETE], 2 * n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n + 2 * n - 1);
    }
}

TEST(test_softlock)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("softlock", n);
        assert_int_equal(tally_rpcs(&total), 6 * n - 1);
        assert_int_equal(total.of[TALLY_GET], n);
        assert_int_equal(total.of[TALLY_SET], 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n);
    }
}

TEST(test_a_handoff_among_waiters)
{
    struct law_lock lock;
    struct tally arrivals = {0}, release = {0};
    law_lock_init(&lock, registry_find("nonscalable"), 11);
    for (int i = 0; i < 11; i++)
        law_lock_arrival(&lock, &arrivals);
    assert_int_equal(lock.view.waiters, 10);
    law_lock_release(&lock, &release);
    assert_int_equal(release.of[TALLY_NOTIFICATION], 10);
    assert_int_equal(release.of[TALLY_CREATE], 10);
    assert_int_equal(release.of[TALLY_CREATE_FAILED], 9);
    assert_int_equal(release.of[TALLY_EXISTS], 9);
    assert_int_equal(release.of[TALLY_DELETE], 1);
    assert_int_equal(lock.view.waiters, 9);
}

static void assert_suggested(const char *name, const char *names)
{
    char text[128];
    assert_string_equal(registry_suggest(name, text, sizeof text), names);
}

TEST(test_the_registry_finds_and_suggests)
{
    for (size_t i = 0; registry_at(i) != NULL; i++)
        assert_ptr_equal(registry_find(registry_at(i)->name), registry_at(i));
    assert_null(registry_find("nonscalabel"));
    assert_suggested("nonscalabel", "'nonscalable'");
    assert_suggested("scaleable", "'scalable'");
    assert_suggested("Ticket", "'ticket'");
    assert_suggested("pol", "'poll'");
    assert_suggested("broken", "'broken-nolock', 'broken-norecheck', 'broken-wrongpred', "
                               "'broken-nowatch', 'broken-leak'");
    assert_suggested("brokennolock", "'broken-nolock'");
    assert_suggested("nope", "");
    assert_suggested("s", "");
    assert_suggested("", "");
}
