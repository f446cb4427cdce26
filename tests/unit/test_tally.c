// SPDX-License-Identifier: Apache-2.0
/* What a reader of a tally on another thread may conclude from a count. */

#include "measure/tally.h"

#include "tests/support/test.h"

#include <pthread.h>

#define ROUNDS 100000

static struct tally tally;
static uint64_t before[ROUNDS]; /* written before the count that announces it */

static void *write_and_count(void *context)
{
    (void)context;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        before[i] = i + 1;
        tally_add_shared(&tally, TALLY_NOTIFICATION, 1);
    }
    return NULL;
}

/* ThreadSanitizer finds a weaker order on every machine; a processor with a strong order (x86)
 * hides it. */
TEST(test_what_precedes_a_count_is_visible_to_its_reader)
{
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_and_count, NULL), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        while (tally_read_shared(&tally, TALLY_NOTIFICATION) <= i)
            continue;
        assert_int_equal(before[i], i + 1);
    }
    pthread_join(writer, NULL);
}
