// SPDX-License-Identifier: Apache-2.0
/* What a relay read, compared with what the sessions counted: pings that the kernel's counters of
 * bytes have, messages that a dead session did not take, and requests that no session makes; and
 * when runs with a relay and without one compare. */

#include "bench/cli/options.h"
#include "bench/output/past_run.h"
#include "relay/witness.h"

#include "tests/support/test.h"

#define PING_BYTES  12
#define REPLY_BYTES 20

static const struct witness_reading reading = {
    .tally.of = {[TALLY_CREATE] = 3,
                 [TALLY_CREATE_FAILED] = 2,
                 [TALLY_GET_CHILDREN] = 1,
                 [TALLY_DELETE] = 2,
                 [TALLY_NOTIFICATION] = 4,
                 [TALLY_NAMES_LISTED] = 5,
                 [TALLY_BYTES_SENT] = 600,
                 [TALLY_BYTES_RECEIVED] = 700},
    .requests = 6,
    .pings = {[CONVERSATION_CLIENT] = 2, [CONVERSATION_SERVER] = 1},
};

static bool differs(const struct tally *sessions, bool had_death, enum tally_kind kind)
{
    struct witness_difference difference;
    bool found = witness_differs(&reading, sessions, had_death, &difference);
    if (found) {
        assert_int_equal(difference.kind, kind);
        assert_int_equal(difference.sessions,
                         kind < TALLY_KINDS ? sessions->of[kind] : tally_rpcs(sessions));
    }
    return found;
}

static bool differs_by(enum tally_kind kind, int64_t more, bool had_death)
{
    struct tally sessions = reading.tally;
    sessions.of[kind] += (uint64_t)more;
    return differs(&sessions, had_death, kind);
}

TEST(what_is_equal_does_not_differ)
{
    assert_false(differs(&reading.tally, false, TALLY_KINDS));
}

TEST(one_message_more_or_less_differs)
{
    for (enum tally_kind kind = 0; kind < TALLY_KINDS; kind++) {
        bool read_on_the_wire = kind != TALLY_NOTIFICATION_SPURIOUS;
        assert_int_equal(differs_by(kind, 1, false), read_on_the_wire);
        assert_int_equal(differs_by(kind, -1, false), read_on_the_wire);
    }
}

/* A ping may have come before the kernel's counters were read first, or after they were last. */
TEST(bytes_may_have_those_of_the_pings_that_were_read)
{
    static const struct {
        enum tally_kind kind;
        int64_t more;
        bool differs;
    } cases[] = {
        {TALLY_BYTES_SENT, PING_BYTES, false},
        {TALLY_BYTES_SENT, 2 * PING_BYTES, false},
        {TALLY_BYTES_SENT, 3 * PING_BYTES, true},
        {TALLY_BYTES_SENT, PING_BYTES + 1, true},
        {TALLY_BYTES_SENT, -PING_BYTES, true},
        {TALLY_BYTES_RECEIVED, REPLY_BYTES, false},
        {TALLY_BYTES_RECEIVED, 2 * REPLY_BYTES, true},
        {TALLY_BYTES_RECEIVED, REPLY_BYTES - 1, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(differs_by(cases[i].kind, cases[i].more, false), cases[i].differs);
}

/* What it sent was read all the same, and nothing comes that was not read. */
TEST(a_session_that_died_may_lack_what_had_come_for_it)
{
    static const bool received[TALLY_KINDS] = {[TALLY_CREATE_FAILED] = true,
                                               [TALLY_DELETE_FAILED] = true,
                                               [TALLY_NOTIFICATION] = true,
                                               [TALLY_NAMES_LISTED] = true,
                                               [TALLY_BYTES_RECEIVED] = true};
    for (enum tally_kind kind = 0; kind < TALLY_KINDS; kind++) {
        bool read_on_the_wire = kind != TALLY_NOTIFICATION_SPURIOUS;
        if (reading.tally.of[kind] > 0)
            assert_int_equal(differs_by(kind, -1, true), read_on_the_wire && !received[kind]);
        assert_int_equal(differs_by(kind, 1, true), read_on_the_wire);
    }
}

TEST(a_request_that_no_session_makes_differs)
{
    struct witness_reading more = reading;
    struct witness_difference difference;
    more.requests++;
    assert_true(witness_differs(&more, &reading.tally, false, &difference));
    assert_int_equal(difference.kind, TALLY_KINDS);
    assert_int_equal(difference.wire, 7);
    assert_int_equal(difference.sessions, 6);
}

/* ------------------------------------------------------------------ runs with a relay */

static bool compare(json_t *first, json_t *other)
{
    struct error error;
    const struct past_run runs[] = {{.plan = first}, {.plan = other}};
    return past_run_check_plan(&runs[0], &runs[1], &error) == ERROR_NONE;
}

/* Its times contain the relay's. Runs of releases that had no relay had none. */
TEST(a_run_with_a_relay_compares_with_no_run_without)
{
    struct options options = {.target.max_clients = UINT64_MAX};
    json_t *without = option_table_plan(&options), *before = json_deep_copy(without);
    options.target.relay = true;
    json_t *with = option_table_plan(&options);
    assert_int_equal(json_object_del(before, "relay"), 0);
    assert_true(compare(with, with));
    assert_false(compare(with, without));
    assert_false(compare(without, with));
    assert_false(compare(before, with));
    assert_true(compare(before, without));
    assert_true(compare(without, before));
    json_decref(without);
    json_decref(before);
    json_decref(with);
}
