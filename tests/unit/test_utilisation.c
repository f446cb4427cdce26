// SPDX-License-Identifier: Apache-2.0
#include "capacity/utilisation.h"

#include "tests/support/test.h"

#include <math.h>

/* A lock with 20 clients, handed over 1,000 times in 10 s: held for 2 ms, 8 ms from one holder to
 * the next, released in 4 ms. A client is back after 20 cycles. Each handoff has a write of 4 ms, a
 * read of 1 ms and a notification. */
static struct utilisation_figures sound(void)
{
    return (struct utilisation_figures){
        .steady_s = 10,
        .grants = 1000,
        .clients = 20,
        .locks = 1,
        .acquire_s = 0.2 - 0.002 - 0.004,
        .hold_s = 0.002,
        .release_s = 0.004,
        .handoff_s = 0.008,
        .count = {2000, 1000, 1000},
        .mean_s = {0.004, 0.001, 0.005},
        .received_bytes = 100000,
        .elapsed_s = 10.4,
        .driver_cpu_s = 2.08,
        .driver_cores = 1,
        .cores = 2,
        .span_s = 10.5,
        .servers = 1,
        .server_cpu_s = {4.2},
        .server_cores = 2,
        .fsync_s = {1.05},
    };
}

static void assert_whole(const struct utilisation_figures *figures)
{
    char why[UTILISATION_TEXT_SIZE];
    bool whole = utilisation_adds_up(figures, why, sizeof why);
    if (!whole)
        fail_msg("%s", why);
    assert_string_equal(why, "");
}

static void assert_broken(const struct utilisation_figures *figures, const char *words)
{
    char why[UTILISATION_TEXT_SIZE];
    assert_false(utilisation_adds_up(figures, why, sizeof why));
    if (strstr(why, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", why, words);
}

/* 20 clients and 1,000 grants: 2·20/1000 + 2 % = 6 %. */
TEST(clients_must_be_accounted_for)
{
    struct utilisation_figures figures = sound();
    figures.acquire_s = 0.2 * 1.059 - 0.006;
    assert_whole(&figures);
    figures.acquire_s = 0.2 * 1.061 - 0.006;
    assert_broken(&figures, "Little's law: 20 clients in the steady part, but 21.22 by");
    figures.acquire_s = 0.2 * 0.941 - 0.006;
    assert_whole(&figures);
    figures.acquire_s = 0.2 * 0.939 - 0.006;
    assert_broken(&figures, "but 18.78 by the rate");
    figures = sound();
    figures.release_s += 0.02;
    assert_broken(&figures, "Little's law");
    figures.clients = 270; /* 56 %: nobody knows */
    assert_whole(&figures);
}

/* One lock and 1,000 grants: 2·1/1000 + 2 %. */
TEST(the_time_of_a_lock_must_sum_up)
{
    struct utilisation_figures figures = sound();
    figures.handoff_s = 0.0082;
    assert_whole(&figures);
    figures.handoff_s = 0.0083;
    assert_broken(&figures, "held or handed over for 103.0 % of the time");
    figures.handoff_s = 0.0077;
    assert_broken(&figures, "for 97.0 % of the time");
    figures.handoff_s = NAN; /* clients share */
    assert_whole(&figures);
    figures = sound();
    figures.locks = 2;
    assert_broken(&figures, "for 50.0 % of the time");
}

TEST(no_more_requests_are_under_way_than_clients)
{
    struct utilisation_figures figures = sound();
    figures.mean_s[UTILISATION_WRITE] = 0.105; /* 21, and 0.1 reads; 20 + 6 % are 21.2 */
    assert_whole(&figures);
    figures.mean_s[UTILISATION_WRITE] = 0.1056;
    assert_broken(&figures, "21.22 requests under way");
    figures.count[UTILISATION_WRITE] = 0;
    figures.mean_s[UTILISATION_WRITE] = NAN; /* of none */
    assert_whole(&figures);
}

TEST(nothing_is_busier_than_there_is_time)
{
    struct utilisation_figures figures = sound();
    figures.servers = 2;
    figures.cores = 8;
    figures.fsync_s[1] = NAN;
    figures.server_cpu_s[1] = 2 * 10.5 * 1.019;
    assert_whole(&figures);
    figures.server_cpu_s[1] = 2 * 10.5 * 1.021;
    assert_broken(&figures, "CPU of server 2 102.1 % of what there is (within 2 %)");
    figures.server_has_quota = true; /* 0.1 s in 10.5 s are 0.95 % */
    assert_whole(&figures);
    figures = sound();
    figures.driver_cpu_s = 10.7;
    assert_broken(&figures, "driver 102.9 %");
    figures = sound();
    figures.server_cpu_s[0] = 15;
    figures.driver_cpu_s = 7;
    assert_broken(&figures, "all cores 104.8 %");
    figures = sound();
    figures.fsync_s[0] = 11;
    assert_broken(&figures, "disk of server 1 104.8 %");
}

TEST(what_is_not_known_is_not_checked)
{
    struct utilisation_figures figures = sound();
    figures.servers = 0;
    figures.cores = NAN;
    assert_whole(&figures);
    figures.grants = 0;
    assert_broken(&figures, "no handoff in the steady part");
    figures = sound();
    figures.steady_s = NAN;
    assert_broken(&figures, "no handoff in the steady part");
}

/* ------------------------------------------------------------------ what gave out */

static enum utilisation_limit limit_of(const struct utilisation_figures *figures)
{
    return utilisation_find_limit(figures, OBJECTIVE_HANDOFF).limit;
}

static void assert_evidence(const struct utilisation_figures *figures, const char *words)
{
    struct utilisation_finding finding = utilisation_find_limit(figures, OBJECTIVE_HANDOFF);
    if (strstr(finding.evidence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", finding.evidence, words);
}

TEST(a_full_resource_gave_out)
{
    struct utilisation_figures figures = sound();
    figures.server_cpu_s[0] = 0.91 * 2 * 10.5;
    assert_int_equal(limit_of(&figures), UTILISATION_SERVER_CPU);
    assert_evidence(&figures, "driver 20 %; CPU of server 1 91 %");
    figures.driver_cpu_s = 0.81 * 10.4; /* then nothing else is known */
    assert_int_equal(limit_of(&figures), UTILISATION_DRIVER);
    figures.server_cpu_s[0] = 0.5 * 2 * 10.5;
    figures.driver_cpu_s = 0.79 * 10.4;
    assert_int_not_equal(limit_of(&figures), UTILISATION_DRIVER);
    figures.server_cpu_s[0] = 0.6 * 2 * 10.5;
    assert_int_equal(limit_of(&figures), UTILISATION_CORES);
    figures = sound();
    figures.fsync_s[0] = 0.9 * 10.5 + 1e-9;
    assert_int_equal(limit_of(&figures), UTILISATION_DISK);
    assert_evidence(&figures, "disk of server 1 90 %");
}

/* The busiest of several counts. */
TEST(the_busiest_server_is_told)
{
    struct utilisation_figures figures = sound();
    figures.servers = 3;
    figures.cores = 8;
    figures.server_cpu_s[1] = 20;
    figures.fsync_s[1] = figures.fsync_s[2] = NAN;
    assert_int_equal(limit_of(&figures), UTILISATION_SERVER_CPU);
    assert_evidence(&figures, "CPU of server 2 95 %");
}

/* Holds are no part of a handoff, but of an acquire. */
TEST(holds_gave_out_unless_a_handoff_is_asked_about)
{
    struct utilisation_figures figures = sound();
    figures.hold_s = 0.0095;
    assert_int_equal(utilisation_find_limit(&figures, OBJECTIVE_ACQUIRE).limit, UTILISATION_HOLDS);
    assert_int_equal(utilisation_find_limit(&figures, OBJECTIVE_HANDOFFS).limit, UTILISATION_HOLDS);
    assert_int_not_equal(limit_of(&figures), UTILISATION_HOLDS);
    assert_int_not_equal(utilisation_find_limit(&figures, OBJECTIVE_BACKGROUND).limit,
                         UTILISATION_HOLDS);
}

/* Of its requests nothing is known, and those of the lock may wait for them. */
TEST(beside_a_load_a_lock_is_no_chain_of_round_trips)
{
    struct utilisation_figures figures = sound();
    assert_int_equal(limit_of(&figures), UTILISATION_ROUND_TRIPS);
    figures.beside_load = true;
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
}

TEST(else_the_work_that_queues)
{
    struct utilisation_figures figures = sound();
    assert_int_equal(limit_of(&figures), UTILISATION_ROUND_TRIPS);
    assert_evidence(&figures, "a handoff has 2.0 writes, 1.0 reads, 1.0 notifications, 0.1 KB");
    assert_evidence(&figures, "under way: 0.8 writes, 0.1 reads, 0.1 notifications");
    figures.count[UTILISATION_WRITE] = 20000; /* 8 under way */
    assert_int_equal(limit_of(&figures), UTILISATION_WRITES);
    figures.count[UTILISATION_NOTIFICATION] = 60000; /* 6: neither is foremost */
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
    figures.count[UTILISATION_NOTIFICATION] = 130000;
    assert_int_equal(limit_of(&figures), UTILISATION_FAN_OUT);
    figures.mean_s[UTILISATION_NOTIFICATION] = 0.0039; /* before the reply to the release */
    assert_int_equal(limit_of(&figures), UTILISATION_WRITES);
    figures = sound();
    figures.count[UTILISATION_READ] = 40000;
    figures.received_bytes = 40000 * 4096;
    assert_int_equal(limit_of(&figures), UTILISATION_READS);
    figures.received_bytes += 40000;
    assert_int_equal(limit_of(&figures), UTILISATION_BYTES);
    figures.locks = 2; /* 4 under way: the locks' own, or a queue */
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
    figures.mean_s[UTILISATION_WRITE] = NAN;
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
}
