// SPDX-License-Identifier: Apache-2.0
/* Servers that counted something else than the sessions did: whose doing that may be. */

#include "fleet/server_counters.h"

#include "tests/support/test.h"

static const struct tally sessions = {
    {[TALLY_CREATE] = 3, [TALLY_EXISTS] = 2, [TALLY_NOTIFICATION] = 4}};

/* On private servers, and everything agrees. */
static struct reconcile_facts all_well(void)
{
    return (struct reconcile_facts){
        .servers =
            {.known = true, .writes = 3, .reads = 2, .notifications = 4, .packets_received = 5},
        .sessions = &sessions,
        .are_private = true,
        .setup_session_stayed = true,
    };
}

static void assert_outcome(const struct reconcile_facts *facts, enum reconciled expected,
                           const char *why)
{
    struct reconcile_result result = reconcile(facts);
    assert_int_equal(result.reconciled, expected);
    if (strstr(result.why, why) == NULL || (result.why[0] != '\0') != (why[0] != '\0'))
        fail_msg("'%s', not '%s'", result.why, why);
}

TEST(test_equal_counts_are_reconciled)
{
    struct reconcile_facts facts = all_well();
    assert_outcome(&facts, RECONCILED_YES, "");
    facts.are_private = false;
    assert_outcome(&facts, RECONCILED_YES, "");
}

/* Nobody else can have used private servers. */
TEST(test_private_servers_that_counted_more_fail)
{
    struct reconcile_facts facts = all_well();
    facts.servers.writes++;
    facts.servers.packets_received++;
    assert_outcome(&facts, RECONCILED_NO, "");
    struct reconcile_result result = reconcile(&facts);
    assert_int_equal(result.counter, server_counters_writes);
    assert_int_equal(result.servers, 4);
    assert_int_equal(result.sessions, 3);
    assert_false(result.had_strangers);
}

TEST(test_others_may_have_used_servers_that_counted_more)
{
    struct reconcile_facts facts = all_well();
    facts.are_private = false;
    facts.servers.writes++;
    facts.servers.packets_received++;
    assert_outcome(&facts, RECONCILED_NA, "the servers counted more writes than the sessions");
}

/* Whoever else uses them, they do not count less. */
TEST(test_servers_that_counted_less_fail)
{
    struct reconcile_facts facts = all_well();
    facts.servers.notifications--;
    assert_outcome(&facts, RECONCILED_NO, "");
    facts.are_private = false;
    assert_outcome(&facts, RECONCILED_NO, "");
}

TEST(test_what_was_under_way_on_a_lost_connection_excuses)
{
    struct reconcile_facts facts = all_well();
    facts.servers.notifications--;
    facts.losses = 1;
    assert_outcome(&facts, RECONCILED_NA, "lost their connections");
    facts.losses = 0;
    facts.reconnects = 1;
    facts.servers.packets_received++;
    assert_outcome(&facts, RECONCILED_NA, "lost their connections");
    /* No excuse is needed where nothing differs. */
    facts.servers.notifications++;
    assert_outcome(&facts, RECONCILED_YES, "");
}

/* On each connection that came in the place of another one, and they are no reads. */
TEST(test_credentials_of_a_reconnect_are_known)
{
    struct reconcile_facts facts = all_well();
    facts.reconnects = 2;
    facts.servers.packets_received += 4;
    assert_outcome(&facts, RECONCILED_NA, "lost their connections");
    facts.authenticates = true;
    assert_outcome(&facts, RECONCILED_YES, "");
    facts.servers.packets_received -= 2;
    assert_outcome(&facts, RECONCILED_NA, "lost their connections");
}

TEST(test_a_steward_that_connects_again_excuses)
{
    struct reconcile_facts facts = all_well();
    facts.servers.packets_received++;
    facts.servers.connects = 1;
    facts.setup_session_stayed = false;
    assert_outcome(&facts, RECONCILED_NA, "zkherd's own session");
    assert_false(reconcile(&facts).had_strangers);
}

TEST(test_a_steward_that_waits_for_a_reply_excuses)
{
    struct reconcile_facts facts = all_well();
    facts.servers.has_own = true;
    assert_outcome(&facts, RECONCILED_YES, "");
    facts.servers.writes++;
    assert_outcome(&facts, RECONCILED_NA, "a request of zkherd's own session had no reply yet");
}

TEST(test_a_read_that_is_not_counted_fails)
{
    struct reconcile_facts facts = all_well();
    facts.servers.reads++;
    facts.servers.packets_received++;
    assert_outcome(&facts, RECONCILED_NO, "");
    facts.pings_most = 1;
    assert_outcome(&facts, RECONCILED_YES, "");
}

TEST(test_a_stranger_on_a_private_server_is_named)
{
    struct reconcile_facts facts = all_well(), came = all_well();
    facts.is_shared = true;
    facts.servers.packets_received += 9;
    assert_outcome(&facts, RECONCILED_NA, "not zkherd's was connected to a private server");
    assert_true(reconcile(&facts).had_strangers);
    came.servers.connects = 1;
    came.servers.packets_received++;
    assert_outcome(&came, RECONCILED_NA, "not zkherd's was connected to a private server");
    assert_true(reconcile(&came).had_strangers);
}

/* The library does that by itself, with a request that the server counts as a read. */
TEST(test_watches_that_are_set_again_are_read_once)
{
    struct reconcile_facts facts = all_well();
    facts.reconnects = 1;
    facts.servers.reads++;
    facts.servers.packets_received += 2;
    assert_outcome(&facts, RECONCILED_YES, "");
    facts.servers.reads++;
    facts.servers.packets_received++;
    assert_outcome(&facts, RECONCILED_NA, "lost their connections");
}

/* To others they are open. */
TEST(test_others_on_open_servers_are_no_strangers)
{
    struct reconcile_facts facts = all_well();
    facts.are_private = false;
    facts.is_shared = true;
    assert_outcome(&facts, RECONCILED_NA, "other clients are connected");
    assert_false(reconcile(&facts).had_strangers);
}

/* It is known how often they connected, but not how often they tried. */
TEST(test_sessions_that_connect_again_are_no_strangers)
{
    struct reconcile_facts facts = all_well();
    facts.servers.connects = 2;
    facts.servers.packets_received++;
    facts.reconnects = 1;
    assert_outcome(&facts, RECONCILED_YES, "");
}

TEST(test_servers_that_do_not_tell_are_not_held_against_anything)
{
    struct reconcile_facts facts = {.sessions = &sessions, .are_private = true};
    assert_outcome(&facts, RECONCILED_NA, "the servers do not tell their counters (mntr)");
    struct error untold = {.kind = ERROR_NOT_WHITELISTED, .subject = "zk2:2181"};
    facts.untold = &untold;
    assert_outcome(&facts, RECONCILED_NA,
                   "zk2:2181 refuses mntr, which tells its counters: add it to "
                   "4lw.commands.whitelist");
    untold.kind = ERROR_ZOOKEEPER;
    assert_outcome(&facts, RECONCILED_NA,
                   "zk2:2181 does not tell its counters: mntr has them from ZooKeeper 3.6 on");
    facts.servers.asked_again = true;
    assert_outcome(&facts, RECONCILED_NA, "at once, as at an election");
    facts.is_shared = true;
    assert_false(reconcile(&facts).had_strangers);
}

/* What servers told a session that was about to die is heard by nobody. */
TEST(test_the_dead_hear_less_than_they_are_told)
{
    struct reconcile_facts facts = all_well();
    facts.had_death = true;
    facts.exits = 1;
    facts.servers.writes++;
    facts.servers.packets_received++;
    facts.servers.notifications++;
    assert_outcome(&facts, RECONCILED_YES, "");
    facts.servers.notifications = 3;
    assert_outcome(&facts, RECONCILED_NO, "");
}

TEST(packets_of_others_are_those_that_no_ping_explains)
{
    struct reconcile_facts facts = all_well();
    assert_int_equal(reconcile(&facts).others_packets, 0);
    facts.pings_most = 2;
    facts.reconnects = 1;
    facts.exits = 1;
    facts.servers.packets_received = 5 + 1 + 1 + 2 + 1;
    assert_int_equal(reconcile(&facts).others_packets, 0);
    facts.servers.packets_received++;
    assert_int_equal(reconcile(&facts).others_packets, 1);
    facts.has_companions = true;
    assert_int_equal(reconcile(&facts).others_packets, -1);
    facts.has_companions = false;
    facts.servers.has_own = true;
    assert_int_equal(reconcile(&facts).others_packets, -1);
    facts.servers.has_own = false;
    facts.servers.known = false;
    assert_int_equal(reconcile(&facts).others_packets, -1);
}
