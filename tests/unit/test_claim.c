// SPDX-License-Identifier: Apache-2.0
/* Sockets whose number alone does not say whose they are. */
#include "zk/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int open_socket(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(descriptor >= 0);
    return descriptor;
}

/* As a session does that has connected. Returns the socket that it is to find. */
static int begin(struct claim *claim, struct claims *claims)
{
    struct connection_search search;
    claim_init(claim, claims);
    connection_look(&search);
    int descriptor = open_socket();
    claim_find(claim, &search);
    return descriptor;
}

static void test_each_finds_its_own(void **state)
{
    (void)state;
    struct claims claims;
    struct claim one, other;
    claims_init(&claims);
    int first = begin(&one, &claims), second = begin(&other, &claims);
    assert_int_equal(one.descriptor, first);
    assert_int_equal(other.descriptor, second);
    claim_confirm(&one);
    assert_true(claim_stands(&one));
    close(first);
    assert_false(claim_stands(&one));
    close(second);
    claim_drop(&one);
    claim_drop(&other);
    claims_deinit(&claims);
}

/* The library closes a socket and opens the next under its number. */
static void test_a_reconnect_is_found_under_the_number(void **state)
{
    (void)state;
    struct claims claims;
    struct claim claim;
    claims_init(&claims);
    int descriptor = begin(&claim, &claims), next = open_socket();
    dup2(next, descriptor);
    close(next);
    assert_false(claim_stands(&claim));
    claim_confirm(&claim);
    assert_true(claim_stands(&claim));
    assert_int_equal(claim.descriptor, descriptor);
    close(descriptor);
    claim_confirm(&claim);
    assert_int_equal(claim.descriptor, -1);
    assert_false(claim_stands(&claim));
    claim_drop(&claim);
    claims_deinit(&claims);
}

/* Another session has got the number first, but not once it has dropped its socket. */
static void test_what_is_anothers_is_not_taken(void **state)
{
    (void)state;
    struct claims claims;
    struct claim one, two, other;
    claims_init(&claims);
    int first = begin(&one, &claims), second = begin(&two, &claims), third = begin(&other, &claims);
    dup2(third, first);
    dup2(third, second);
    claim_confirm(&one);
    assert_int_equal(one.descriptor, -1);
    assert_false(claim_stands(&one));
    claim_drop(&other);
    claim_drop(&other);
    assert_int_equal(other.descriptor, -1);
    claim_confirm(&two);
    assert_true(claim_stands(&two));
    close(first);
    close(second);
    close(third);
    claim_drop(&one);
    claim_drop(&two);
    claims_deinit(&claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_finds_its_own),
        cmocka_unit_test(test_a_reconnect_is_found_under_the_number),
        cmocka_unit_test(test_what_is_anothers_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
