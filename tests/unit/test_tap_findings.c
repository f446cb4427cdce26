// SPDX-License-Identifier: Apache-2.0
/* What a tap comes to: its counts beside the servers', and what makes it not valid. */
#include "tests/support/test.h"

#include "bench/output/findings.h"
#include "bench/tap/internal.h"

static struct tap_options options;
static struct tap tap;

/* Five notifications passed, and no request; the servers counted so many notifications and packets.
 */
static void begin(uint64_t notifications, uint64_t packets)
{
    options = (struct tap_options){0};
    tap = (struct tap){.options = &options, .cpu_us = NAN};
    traffic_init(&tap.observer.traffic);
    tap.observer.traffic.notifications[TRAFFIC_DELETED] = 2;
    tap.observer.traffic.notifications[TRAFFIC_CHILDREN] = 3;
    tap.servers.known = true;
    tap.capture.segments = 1;
    tap.servers.notifications = notifications;
    tap.servers.packets_received = packets;
}

static void end(void)
{
    for (size_t i = 0; i < TAP_TABLES; i++)
        table_deinit(&tap.tables[i]);
    traffic_deinit(&tap.observer.traffic);
}

/* The verdict of all findings, and of the one about the servers. */
static void assert_judged(enum reconciled reconciled, enum verdict all, enum verdict of_servers)
{
    const struct table *findings = &tap.tables[TAP_FINDINGS];
    tap_fill_rows(&tap);
    tap_judge(&tap);
    assert_int_equal(tap.reconciled, reconciled);
    assert_int_equal(findings_verdict(findings), all);
    const struct table_value *last = table_row(findings, findings->rows - 1);
    assert_string_equal(last[finding_slug].text, "servers");
    assert_string_equal(last[finding_verdict].text, verdict_word(of_servers));
    end();
}

TEST(equal_counts_agree)
{
    begin(5, 0);
    assert_judged(RECONCILED_YES, VERDICT_HOLDS, VERDICT_HOLDS);
    begin(6, 0);
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
    begin(4, 0);
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
}

TEST(a_deletion_that_fires_two_watches_is_counted_twice)
{
    begin(7, 0);
    tap.observer.watches.both = 2;
    assert_judged(RECONCILED_YES, VERDICT_HOLDS, VERDICT_HOLDS);
    begin(6, 0);
    tap.observer.watches.both = 2;
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
    begin(5, 0);
    tap.observer.watches.both = 2;
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
}

TEST(a_session_that_closes_may_miss_a_notification)
{
    begin(6, 0);
    tap.observer.watches.closing = 1;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
    begin(7, 0);
    tap.observer.watches.closing = 1;
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
    begin(4, 0);
    tap.observer.watches.closing = 1;
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
}

TEST(a_capture_of_one_direction_is_not_valid)
{
    begin(5, 0);
    options.pcap = "file";
    tap.capture.joined = 1;
    tap.capture.payload[CONVERSATION_CLIENT] = 9;
    assert_judged(RECONCILED_NA, VERDICT_NOT_VALID, VERDICT_MEASURED);
    begin(5, 0);
    options.pcap = "file";
    tap.capture.joined = 1;
    tap.capture.payload[CONVERSATION_CLIENT] = tap.capture.payload[CONVERSATION_SERVER] = 9;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
}

/* Others may use servers of --connect, but not private ones. */
TEST(packets_that_went_round_the_relay_are_those_of_others)
{
    begin(5, 3);
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
    struct ensemble ensemble = {0};
    begin(5, 3);
    tap.target.ensemble = &ensemble;
    assert_judged(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS);
}

TEST(counters_that_lack_something_are_not_compared)
{
    begin(6, 0);
    tap.servers.known = false;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
    begin(6, 0);
    tap.observer.traffic.encrypted = 1;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
    begin(6, 0);
    tap.observer.traffic.unreadable = 1;
    tap.observer.traffic.why_unreadable = "it is none";
    assert_judged(RECONCILED_NA, VERDICT_NOT_VALID, VERDICT_MEASURED);
    begin(6, 0);
    options.pcap = "file";
    tap.capture.joined = 1;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
}

/* Openings of sessions, also those that a server refused, four-letter words, and requests. */
TEST(servers_count_all_of_these_as_packets)
{
    begin(5, 14);
    tap.observer.traffic.sessions = 2;
    tap.observer.traffic.refused = 1;
    tap.observer.traffic.words = 3;
    tap.observer.traffic.operations[OPCODE_CREATE].requests = 7;
    tap.observer.traffic.operations[OPCODE_CLOSE].requests = 1;
    assert_judged(RECONCILED_YES, VERDICT_HOLDS, VERDICT_HOLDS);
}

TEST(sessions_are_counted_by_library)
{
    struct clients_session sessions[] = {{.library = "kazoo"}, {.id = 1}, {.library = "kazoo"}},
                           *list[] = {&sessions[0], &sessions[1], &sessions[2]};
    begin(5, 0);
    tap.observer.clients.sessions = list;
    tap.observer.clients.session_count = 3;
    tap_fill_rows(&tap);
    tap_judge(&tap);
    const struct table_value *row = table_row(&tap.tables[TAP_FINDINGS], 1);
    assert_string_equal(row[finding_slug].text, "libraries");
    assert_string_equal(row[finding_sentence].text,
                        "The libraries of the sessions: 2 kazoo; the others do not show theirs");
    end();
}

/* Of what is not valid the servers' counters prove nothing. */
TEST(a_difference_does_not_fail_what_is_not_valid)
{
    begin(6, 0);
    tap.connections.unaccepted = 1;
    assert_judged(RECONCILED_NO, VERDICT_NOT_VALID, VERDICT_NOT_VALID);
}

TEST(a_capture_is_valid_if_it_is_whole_and_has_a_session)
{
    begin(0, 0);
    options.pcap = "file";
    assert_judged(RECONCILED_NA, VERDICT_NOT_VALID, VERDICT_MEASURED);
    begin(0, 0);
    options.pcap = "file";
    tap.observer.traffic.sessions = 1;
    assert_judged(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED);
    begin(0, 0);
    options.pcap = "file";
    tap.observer.traffic.sessions = 1;
    strcpy(tap.cut_short, "it ends");
    assert_judged(RECONCILED_NA, VERDICT_NOT_VALID, VERDICT_MEASURED);
}

TEST(a_command_must_succeed_and_connect)
{
    static char word[] = "true", *words[] = {word, NULL};
    begin(5, 0);
    options.command = words;
    tap.observer.traffic.connections = 1;
    assert_judged(RECONCILED_YES, VERDICT_HOLDS, VERDICT_HOLDS);
    begin(5, 0);
    options.command = words;
    assert_judged(RECONCILED_YES, VERDICT_NOT_VALID, VERDICT_HOLDS);
    begin(5, 0);
    options.command = words;
    tap.observer.traffic.connections = 1;
    tap.command.status = 7 << 8;
    assert_judged(RECONCILED_YES, VERDICT_NOT_VALID, VERDICT_HOLDS);
}

TEST(a_drain_must_have_all_its_runs)
{
    static char word[] = "true", *words[] = {word, NULL};
    static struct tap_run runs[] = {{.n = 4}, {.n = 4}, {.n = 4}};
    for (size_t count = 2; count <= 3; count++) {
        begin(5, 0);
        options.command = words;
        options.drain = true;
        options.clients.count = 1;
        tap.observer.traffic.connections = 1;
        tap.runs = runs;
        tap.run_count = count;
        tap.run_planned = 3;
        assert_judged(RECONCILED_YES, count < 3 ? VERDICT_NOT_VALID : VERDICT_HOLDS, VERDICT_HOLDS);
    }
}
