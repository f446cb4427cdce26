// SPDX-License-Identifier: Apache-2.0
/* The sums of the laws against closed forms that were derived, and measured, elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipes/law.h"
#include "recipes/registry.h"

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

static void test_nonscalable(void **state)
{
    (void)state;
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

static void test_scalable(void **state)
{
    (void)state;
    check_scalable("scalable", TALLY_EXISTS);
    check_scalable("scalable-get", TALLY_GET);
    check_scalable("reentrant", TALLY_EXISTS);
    check_scalable("election", TALLY_EXISTS);
    check_scalable("scalable-guid", TALLY_EXISTS);
}

static void test_childwatch(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("childwatch", n);
        assert_int_equal(tally_rpcs(&total), n * n + n + 1);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], n * n - n + 1);
        assert_int_equal(total.of[TALLY_DELETE], n);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n * n - n + 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION_SPURIOUS], n);
    }
}

static void test_scalable_listwatch(void **state)
{
    (void)state;
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

static void test_walkback(void **state)
{
    (void)state;
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

static void test_ticket(void **state)
{
    (void)state;
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

static void test_writelock(void **state)
{
    (void)state;
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

static void test_zoolock(void **state)
{
    (void)state;
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
static void test_walkback_goes_on(void **state)
{
    (void)state;
    for (uint64_t n = 2; n <= 20; n++) {
        for (uint64_t more = 1; more <= 3 * n; more++) {
            struct tally before = {0}, after = {0};
            law_total(registry_find("walkback"), n, n + more - 1, &before);
            law_total(registry_find("walkback"), n, n + more, &after);
            assert_int_equal(tally_rpcs(&after) - tally_rpcs(&before), 7 + n - 1);
        }
    }
}

static void test_ready(void **state)
{
    (void)state;
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

static void test_softlock(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("softlock", n);
        assert_int_equal(tally_rpcs(&total), 6 * n - 1);
        assert_int_equal(total.of[TALLY_GET], n);
        assert_int_equal(total.of[TALLY_SET], 1);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n - 1);
        assert_int_equal(total.of[TALLY_NAMES_LISTED], n * n);
    }
}

static void test_a_handoff_among_waiters(void **state)
{
    struct law_lock lock;
    struct tally arrivals = {0}, release = {0};
    (void)state;
    law_lock_init(&lock, registry_find("nonscalable"));
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

static void test_the_registry_finds_and_suggests(void **state)
{
    (void)state;
    for (size_t i = 0; registry_at(i) != NULL; i++)
        assert_ptr_equal(registry_find(registry_at(i)->name), registry_at(i));
    assert_null(registry_find("nonscalabel"));
    assert_string_equal(registry_nearest("nonscalabel"), "nonscalable");
    assert_string_equal(registry_nearest("scaleable"), "scalable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonscalable),
        cmocka_unit_test(test_scalable),
        cmocka_unit_test(test_childwatch),
        cmocka_unit_test(test_scalable_listwatch),
        cmocka_unit_test(test_ticket),
        cmocka_unit_test(test_writelock),
        cmocka_unit_test(test_zoolock),
        cmocka_unit_test(test_walkback),
        cmocka_unit_test(test_walkback_goes_on),
        cmocka_unit_test(test_ready),
        cmocka_unit_test(test_softlock),
        cmocka_unit_test(test_a_handoff_among_waiters),
        cmocka_unit_test(test_the_registry_finds_and_suggests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
