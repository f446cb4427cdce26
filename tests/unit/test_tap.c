// SPDX-License-Identifier: Apache-2.0
/* What a tap comes to: its counts beside the servers', and what makes it not valid; the law of the
 * runs of a drain, and the recipes with the same law. */
#include "base/memory.h"
#include "bench/output/findings.h"
#include "bench/tap/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

/* What a tap has seen and the servers have counted, beside five notifications that passed. */
struct seen {
    uint64_t notifications; /* that the servers counted */
    enum reconciled reconciled;
    enum verdict all, of_servers;     /* of all findings, and of the one about the servers */
    uint64_t packets;                 /* that the servers counted */
    uint64_t both, unsent, uncounted; /* watches */
    uint64_t unsure, unopened, sessions, refused, words, requests, encrypted, unreadable,
        unaccepted;
    size_t runs; /* of a drain that plans three; 0: no drain */
    bool unknown, private, captured, joined, cut_short, client_bytes, server_bytes;
    bool command, connected, failed, anew, absent, expects;
};

#define JUDGED(of_counts, of_all, of_the_servers)                                                  \
    .reconciled = (of_counts), .all = (of_all), .of_servers = (of_the_servers)
#define AGREES   JUDGED(RECONCILED_YES, VERDICT_HOLDS, VERDICT_HOLDS)
#define DIFFERS  JUDGED(RECONCILED_NO, VERDICT_FAILS, VERDICT_FAILS)
#define OPEN     JUDGED(RECONCILED_NA, VERDICT_HOLDS, VERDICT_MEASURED)
#define INVALID  JUDGED(RECONCILED_NA, VERDICT_NOT_VALID, VERDICT_MEASURED)
#define NO_TRIAL JUDGED(RECONCILED_YES, VERDICT_NOT_VALID, VERDICT_HOLDS)
#define UNPROVED JUDGED(RECONCILED_NO, VERDICT_NOT_VALID, VERDICT_NOT_VALID)
#define CAPTURED .captured = true
#define COMMAND  .command = true, .connected = true

static const struct seen taps[] = {
    {5, AGREES},
    {6, DIFFERS, .private = true},
    {6, OPEN}, /* another client watches, and sends nothing meanwhile */
    {4, DIFFERS},
    /* A deletion that fires two watches of a session is counted twice, or by no server. */
    {7, AGREES, .both = 2},
    {6, DIFFERS, .both = 2},
    {5, AGREES, .both = 2},
    {4, AGREES, .uncounted = 1},
    {6, AGREES, .uncounted = 1, .both = 2},
    {5, DIFFERS, .private = true, .uncounted = 1},
    /* A connection that ends may miss notifications, requests and their replies. */
    {6, OPEN, .private = true, .unsent = 1},
    {7, DIFFERS, .private = true, .unsent = 1},
    {999, OPEN, .private = true, .unsent = ARMED_UNBOUNDED},
    {4, DIFFERS, .unsent = 1},
    {5, OPEN, .private = true, .packets = 6, .unsure = 2, .requests = 7},
    {5, AGREES, .private = true, .packets = 8, .unsure = 2, .requests = 7},
    {5, DIFFERS, .packets = 5, .unsure = 2, .requests = 7},
    {5, OPEN, .private = true, .packets = 1, .unopened = 1},
    {5, DIFFERS, .private = true, .packets = 2, .unopened = 1},
    /* Packets that went round the relay are those of others, who cannot use private servers. */
    {5, OPEN, .packets = 3},
    {5, DIFFERS, .packets = 3, .private = true},
    /* Openings of sessions, also those that were refused, four-letter words, and requests. */
    {5, AGREES, .packets = 14, .sessions = 2, .refused = 1, .words = 3, .requests = 7},
    /* Counters that lack something are not compared. */
    {6, OPEN, .unknown = true},
    {6, OPEN, .private = true, .anew = true},
    {6, OPEN, .private = true, .absent = true},
    {6, OPEN, .encrypted = 1},
    {6, INVALID, .encrypted = 1, .expects = true},
    {6, INVALID, .unreadable = 1},
    {6, OPEN, CAPTURED, .joined = true, .requests = 1},
    {6, INVALID, CAPTURED, .joined = true},
    /* A capture is valid if it is whole, and has a session and both directions. */
    {0, INVALID, CAPTURED},
    {0, OPEN, CAPTURED, .sessions = 1},
    {0, INVALID, CAPTURED, .sessions = 1, .cut_short = true},
    {5, INVALID, CAPTURED, .requests = 1, .client_bytes = true},
    {5, OPEN, CAPTURED, .requests = 1, .client_bytes = true, .server_bytes = true},
    /* Of what is not valid the servers' counters prove nothing. */
    {4, UNPROVED, .unaccepted = 1},
    /* A command must succeed and connect, and a drain must have all its runs. */
    {5, AGREES, COMMAND},
    {5, NO_TRIAL, .command = true},
    {5, NO_TRIAL, COMMAND, .failed = true},
    {5, NO_TRIAL, COMMAND, .runs = 2},
    {5, AGREES, COMMAND, .runs = 3},
};

static struct tap_options options;
static struct tap tap;

static void lay_out(const struct seen *seen)
{
    static char word[] = "true", *words[] = {word, NULL};
    static struct tap_run runs[] = {{.n = 4}, {.n = 4}, {.n = 4}};
    static struct ensemble ensemble;
    options = (struct tap_options){.pcap = seen->captured ? "file" : NULL,
                                   .command = seen->command ? words : NULL,
                                   .drain = seen->runs > 0,
                                   .expect_given = seen->expects,
                                   .clients.count = seen->runs > 0};
    tap = (struct tap){.options = &options,
                       .servers = {.known = !seen->unknown,
                                   .notifications = seen->notifications,
                                   .packets_received = seen->packets,
                                   .began_anew = seen->anew},
                       .is_absent = seen->absent,
                       .capture = {.segments = 1, .joined = seen->joined},
                       .connections.unaccepted = seen->unaccepted,
                       .command = {.failed = seen->failed, .status = seen->failed ? 7 << 8 : 0},
                       .target.ensemble = seen->private ? &ensemble : NULL,
                       .runs = runs,
                       .run_count = seen->runs,
                       .run_planned = seen->runs > 0 ? 3 : 0};
    tap.capture.payload[CONVERSATION_CLIENT] = seen->client_bytes ? 9 : 0;
    tap.capture.payload[CONVERSATION_SERVER] = seen->server_bytes ? 9 : 0;
    strcpy(tap.cut_short, seen->cut_short ? "it ends" : "");
    traffic_init(&tap.traffic);
    tap.traffic.watches.armed = (struct armed_counts){
        .both = seen->both, .unsent = seen->unsent, .uncounted = seen->uncounted};
    tap.traffic.unsure = seen->unsure;
    tap.traffic.unopened = seen->unopened;
    tap.traffic.notifications[MESSAGE_EVENT_DELETED] = 2;
    tap.traffic.notifications[MESSAGE_EVENT_CHILDREN] = 3;
    tap.traffic.sessions = seen->sessions;
    tap.traffic.refused = seen->refused;
    tap.traffic.words = seen->words;
    tap.traffic.operations[OPCODE_CREATE].requests = seen->requests;
    tap.traffic.operations[OPCODE_CLOSE].requests = seen->requests > 0;
    tap.traffic.encrypted = seen->encrypted;
    tap.traffic.unreadable = seen->unreadable;
    tap.traffic.why_unreadable = "it is none";
    tap.traffic.connections = seen->connected;
}

static void end(void)
{
    for (size_t i = 0; i < TAP_TABLES; i++)
        table_deinit(&tap.tables[i]);
    traffic_deinit(&tap.traffic);
}

TEST(a_tap_is_judged_by_what_it_has_seen)
{
    for (size_t i = 0; i < sizeof taps / sizeof taps[0]; i++) {
        const struct table *findings = &tap.tables[TAP_FINDINGS];
        lay_out(&taps[i]);
        tap_fill_rows(&tap);
        tap_judge(&tap);
        const struct table_value *last = table_row(findings, findings->rows - 1);
        if (tap.reconciled != taps[i].reconciled || findings_verdict(findings) != taps[i].all)
            fail_msg("case %zu: %s", i, verdict_word(findings_verdict(findings)));
        assert_string_equal(last[finding_slug].text, "servers");
        assert_string_equal(last[finding_verdict].text, verdict_word(taps[i].of_servers));
        end();
    }
}

/* ------------------------------------------------------------------ laws */

enum { LEVELS = 5, TRIALS = 3, RUNS = LEVELS * TRIALS };

static struct tap_run drains[RUNS];
static struct tap_options drain_options = {.drain = true, .clients.count = LEVELS};

/* Drains of a recipe with 2, 3, 5, 7 and 9 clients. */
static void begin_drains(const char *recipe)
{
    static const uint64_t clients[LEVELS] = {2, 3, 5, 7, 9};
    tap = (struct tap){.options = &drain_options, .runs = drains, .run_count = RUNS};
    traffic_init(&tap.traffic);
    for (size_t i = 0; i < RUNS; i++) {
        struct tally law = {0};
        drains[i] = (struct tap_run){.n = clients[i % LEVELS], .trial = (uint32_t)(i / LEVELS + 1)};
        law_total(registry_find(recipe), drains[i].n, drains[i].n, &law);
        drains[i].counts[OPCODE_CREATE2] = law.of[TALLY_CREATE];
        drains[i].counts[TAP_FAILED + OPCODE_CREATE2] = law.of[TALLY_CREATE_FAILED];
        drains[i].counts[OPCODE_EXISTS] = law.of[TALLY_EXISTS];
        drains[i].counts[OPCODE_GET_DATA] = law.of[TALLY_GET];
        drains[i].counts[OPCODE_GET_CHILDREN2] = law.of[TALLY_GET_CHILDREN];
        drains[i].counts[OPCODE_SET_DATA] = law.of[TALLY_SET];
        drains[i].counts[OPCODE_DELETE] = law.of[TALLY_DELETE];
        drains[i].counts[TAP_FAILED + OPCODE_DELETE] = law.of[TALLY_DELETE_FAILED];
        drains[i].counts[OPCODE_MULTI] = law.of[TALLY_MULTI];
        drains[i].counts[OPCODE_SYNC] = law.of[TALLY_SYNC];
        drains[i].counts[TAP_NOTIFICATIONS + MESSAGE_EVENT_DELETED] = law.of[TALLY_NOTIFICATION];
        drains[i].counts[TAP_ALL_NOTIFICATIONS] = law.of[TALLY_NOTIFICATION];
        drains[i].counts[OPCODE_PING] = i;
        drains[i].counts[TAP_ALL] = tally_rpcs(&law);
    }
}

/* The sentence of a finding; "" if there is none. */
static const char *sentence_of(const char *slug)
{
    const struct table *findings = &tap.tables[TAP_FINDINGS];
    for (size_t i = 0; i < findings->rows; i++)
        if (strcmp(table_row(findings, i)[finding_slug].text, slug) == 0)
            return table_row(findings, i)[finding_sentence].text;
    return "";
}

static void judge(void)
{
    tap_fill_rows(&tap);
    tap_judge_laws(&tap);
}

/* Whatever its law; those that are broken on purpose are not named. */
TEST(every_recipe_is_recognised)
{
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (!recipe_has_law(recipe))
            continue;
        begin_drains(recipe->name);
        judge();
        assert_true(recipe->broken || strstr(sentence_of("recipe"), recipe->name) != NULL);
        assert_null(strstr(sentence_of("recipe"), "broken"));
        end();
    }
}

/* Up to two operations that are in no law may come on top, such as those of Curator's mutex with
 * its ensemble tracker; nothing may lack. */
TEST(a_recipe_with_the_same_law_is_named)
{
    static const char named[] = "The counts are those of zkherd's recipe ";
    static const struct {
        const char *recipe;
        struct {
            enum opcode opcode;
            int64_t of_each, more; /* of_each * n + more */
        } beside[3];
        const char *name; /* NULL: none */
    } cases[] = {
        {"nonscalable", {{0, 0, 0}}, "nonscalable"},
        {"scalable-get", {{OPCODE_EXISTS, 1, 0}}, "scalable-get, and n exists more"},
        {"scalable-get",
         {{OPCODE_EXISTS, 1, 0}, {OPCODE_SYNC, 0, 1}},
         "scalable-get, and n exists, 1 sync more"},
        {"scalable-get",
         {{OPCODE_GET_DATA, 2, 0}, {OPCODE_CHECK_WATCHES, 1, 0}},
         "scalable-get, and 2\302\267n getData, n checkWatches more"},
        {"scalable-get",
         {{OPCODE_EXISTS, 1, 0}, {OPCODE_SYNC, 0, 1}, {OPCODE_CHECK_WATCHES, 0, 1}},
         NULL},
        {"scalable-get", {{OPCODE_GET_DATA, -1, 1}}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_drains(cases[i].recipe);
        for (size_t run = 0; run < RUNS; run++) {
            for (size_t k = 0; k < 3; k++)
                drains[run].counts[cases[i].beside[k].opcode] +=
                    (uint64_t)(cases[i].beside[k].of_each * (int64_t)drains[run].n +
                               cases[i].beside[k].more);
        }
        judge();
        const char *sentence = sentence_of("recipe");
        if (cases[i].name == NULL)
            assert_string_equal(sentence, "");
        else
            assert_string_equal(sentence + strlen(named), cases[i].name);
        end();
    }
}

/* One run differs by 3, which the law survives. */
TEST(the_law_is_that_of_most_runs)
{
    begin_drains("scalable");
    drains[4].counts[TAP_ALL] += 3;
    judge();
    const struct table *laws = &tap.tables[TAP_LAWS];
    const struct table_value *row = table_row(laws, laws->rows - 1);
    assert_string_equal(row[tap_law_counted].text, "all requests");
    assert_int_equal(row[tap_law_equal].count, RUNS - 1);
    assert_int_equal(row[tap_law_differ_most].count, 3);
    assert_non_null(strstr(sentence_of("law"), " requests in 14 of 15 runs"));
    for (size_t i = 0; i < laws->rows; i++)
        assert_string_not_equal(table_row(laws, i)[tap_law_counted].text, "ping");
    end();
}

TEST(counts_without_a_law_have_an_exponent)
{
    begin_drains("scalable");
    for (size_t i = 0; i < RUNS; i++)
        drains[i].counts[TAP_ALL] = drains[i].n * drains[i].n * drains[i].n;
    judge();
    const struct table *laws = &tap.tables[TAP_LAWS];
    const struct table_value *row = table_row(laws, laws->rows - 1);
    assert_int_equal(row[tap_law_law].kind, TABLE_UNKNOWN);
    assert_int_equal(row[tap_law_equal].kind, TABLE_UNKNOWN);
    assert_true(row[tap_law_exponent].real > 2.999 && row[tap_law_exponent].real < 3.001);
    assert_string_equal(sentence_of("law"),
                        "Requests grow as n^3.00 (3.00 to 3.00), and equal no polynomial in n");
    end();
}

/* What --expect says of 15 runs, and the verdict. */
TEST(runs_must_have_what_is_expected)
{
    static const struct {
        const char *value;
        enum verdict verdict;
        const char *sentence; /* the first */
    } cases[] = {
        {"5n-2", VERDICT_HOLDS, "As expected, all requests: 5\302\267n - 2 in 15 of 15 runs"},
        {"5*n - 2.0", VERDICT_HOLDS, "As expected, all requests: 5\302\267n - 2 in 15 of 15 runs"},
        {"create2 failed=0,notifications=n - 1, all requests = 2 \302\267 n + 3n - 2",
         VERDICT_HOLDS, "As expected, create2 failed: 0 in 15 of 15 runs"},
        {"n^2", VERDICT_FAILS,
         "Not as expected, all requests: n\302\262 in 0 of 15 runs; with n = 2 there were 8, not "
         "4; "
         "the runs have 5\302\267n - 2"},
        {"n - 2", VERDICT_NOT_VALID, /* no connection */
         "Not as expected, all requests: n - 2 in 0 of 15 runs; with n = 2 there were 8, not 0; "
         "the runs have 5\302\267n - 2"},
        {"n", VERDICT_NOT_VALID, /* the servers refused sessions */
         "Not as expected, all requests: n in 0 of 15 runs; with n = 2 there were 8, not 2; "
         "the runs have 5\302\267n - 2"},
        {"getData=n - 1,getChildren2=2n - 1", VERDICT_FAILS,
         "As expected, getData: n - 1 in 15 of 15 runs"},
    };
    const struct option_row row = {.member = OPTION_MEMBER(struct tap_options, expected)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct option_given given = {
            .row = &row, .value = cases[i].value, .options = &drain_options};
        begin_drains("scalable-get");
        tap.traffic.connections = i != 4;
        tap.traffic.unopened = i == 5;
        assert_true(tap_parse_expected(&given));
        if (i == sizeof cases / sizeof cases[0] - 1)
            drains[7].counts[OPCODE_GET_CHILDREN2]++;
        judge();
        assert_string_equal(sentence_of("expected"), cases[i].sentence);
        assert_int_equal(findings_verdict(&tap.tables[TAP_FINDINGS]), cases[i].verdict);
        end();
    }
    static const char *const refused[] = {"",    "n n",     "6m",  "crate=n", "n,",
                                          "4/2", "create=", "n^3", "n,2n"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct option_given given = {.row = &row, .value = refused[i], .options = &drain_options};
        assert_false(tap_parse_expected(&given));
    }
    memset(drain_options.expected, 0, sizeof drain_options.expected);
}

TEST(a_herd_is_told_by_its_growth)
{
    static const struct {
        const char *recipe, *sentence;
    } cases[] = {
        {"nonscalable", "Herd: requests grow faster than n"},
        {"scalable", "No herd: requests grow with n; with n = 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_drains(cases[i].recipe);
        judge();
        assert_int_equal(
            strncmp(sentence_of("herds"), cases[i].sentence, strlen(cases[i].sentence)), 0);
        end();
    }
}

/* Requests and notifications with 2, 3, 5, 7 and 9 clients. */
TEST(a_herd_needs_no_polynomial_and_doubt_is_none)
{
    static const uint64_t bent_down[] = {196, 291, 475, 651, 819}, line[] = {2, 3, 5, 7, 9},
                          square[] = {4, 9, 25, 49, 81},
                          nearly_a_line[] = {222, 354, 637, 938, 1251},
                          steep[] = {283, 520, 1118, 1852, 2700}, scattered[] = {1, 90, 4, 70, 9},
                          none[LEVELS] = {0};
    static const struct {
        const uint64_t *requests, *notifications;
        const char *sentence; /* its beginning; "": there is none */
    } cases[] = {
        {bent_down, line, "No herd: requests grow with n;"},
        {nearly_a_line, line, "No herd: requests grow with n;"},
        {steep, line, "Herd: requests grow faster than n;"},
        {line, square, "Herd: notifications grow faster than n;"},
        {line, scattered, ""},
        {scattered, line, ""},
        {scattered, square, "Herd: requests grow faster than n;"},
        {none, none, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_drains("scalable");
        for (size_t run = 0; run < RUNS; run++) {
            drains[run].counts[TAP_ALL] = cases[i].requests[run % LEVELS];
            drains[run].counts[TAP_ALL_NOTIFICATIONS] = cases[i].notifications[run % LEVELS];
        }
        judge();
        const char *sentence = sentence_of("herds");
        if (strncmp(sentence, cases[i].sentence, strlen(cases[i].sentence)) != 0 ||
            (cases[i].sentence[0] == '\0' && sentence[0] != '\0'))
            fail_msg("case %zu: %s", i, sentence);
        end();
    }
}

/* Of 15 runs 8 send what no polynomial has. */
TEST(a_recipe_is_named_by_more_than_half_of_the_runs)
{
    static const uint64_t more[] = {11, 37, 5, 83, 59, 2, 97, 41};
    begin_drains("scalable-get");
    for (size_t i = 0; i < 8; i++)
        drains[RUNS - 1 - i].counts[OPCODE_GET_DATA] += more[i];
    judge();
    assert_string_equal(sentence_of("recipe"), "");
    end();
}

TEST(too_few_numbers_of_clients_are_told_unless_there_is_a_law)
{
    for (size_t levels = 4; levels <= LEVELS; levels++) {
        begin_drains("scalable");
        drain_options.clients.count = levels;
        judge();
        assert_string_equal(sentence_of("levels"), "");
        end();
        begin_drains("scalable");
        for (size_t i = 0; i < RUNS; i++)
            drains[i].counts[TAP_ALL] = drains[i].n * drains[i].n * drains[i].n;
        judge();
        assert_int_equal(sentence_of("levels")[0] != '\0', levels == 4);
        end();
    }
    drain_options.clients.count = LEVELS;
}

/* ------------------------------------------------------------------ what is measured */

TEST(a_costly_write_is_a_herd_if_most_sessions_were_notified_in_vain)
{
    static const struct {
        uint64_t notified, got;
        bool is_herd;
        enum opcode opcode;
    } cases[] = {{3, 1, true, OPCODE_DELETE},    {3, 2, false, OPCODE_DELETE},
                 {4, 2, false, OPCODE_DELETE},   {2, 0, false, OPCODE_DELETE},
                 {10, 4, true, OPCODE_DELETE},   {10, 0, true, OPCODE_DELETE},
                 {10, 1, false, OPCODE_SET_DATA}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lay_out(&(struct seen){5, AGREES});
        tap.traffic.watches.costliest[0] = (struct watches_write){.opcode = cases[i].opcode,
                                                                  .pattern = "/lock",
                                                                  .uses = 1,
                                                                  .notified = cases[i].notified,
                                                                  .got = cases[i].got};
        tap_fill_rows(&tap);
        tap_judge(&tap);
        assert_int_equal(strncmp(sentence_of("herd"), "Herd of", 7) == 0, cases[i].is_herd);
        end();
    }
}

/* The last second is not whole. */
TEST(the_share_of_writes_and_the_requests_by_second_are_told)
{
    static const uint64_t requests[] = {40, 10, 25, 30, 1};
    lay_out(&(struct seen){5, AGREES});
    tap.traffic.operations[OPCODE_CREATE].requests = 1;
    tap.traffic.operations[OPCODE_SET_DATA].requests = 20;
    tap.traffic.operations[OPCODE_EXISTS].requests = 79;
    tap.traffic.operations[OPCODE_SYNC].requests = 5;
    tap.traffic.operations[OPCODE_PING].requests = 1000;
    tap.traffic.seconds = memory_new(5, sizeof *tap.traffic.seconds);
    tap.traffic.second_count = 5;
    for (size_t i = 0; i < 5; i++)
        tap.traffic.seconds[i].requests = requests[i];
    tap_fill_rows(&tap);
    tap_judge(&tap);
    assert_string_equal(sentence_of("writes"), "Writes are 20 % of the requests, reads 80 %");
    assert_string_equal(sentence_of("rates"),
                        "Requests by second: lowest 10, median 27.5, highest 40");
    end();
}

/* Of a drain that plans three runs, if it is one. */
TEST(what_is_not_valid_is_told_with_its_cause)
{
    static const struct {
        struct seen seen;
        const char *slug, *sentence;
        size_t planned;
    } cases[] = {
        {{CAPTURED, .sessions = 1, .client_bytes = true},
         "one-way",
         "Only what clients sent was captured: capture both directions",
         0},
        {{CAPTURED, .sessions = 1, .server_bytes = true},
         "one-way",
         "Only what servers sent was captured: capture both directions",
         0},
        {{COMMAND, .failed = true, .runs = 2},
         "runs",
         "Runs that ended well: 2 of 3; one failed or was cut short",
         3},
        {{.command = true, .runs = 0},
         "runs",
         "Runs that ended well: 0 of 3; one failed or was cut short",
         3},
        {{.command = true, .failed = true}, "runs", "", 3},
        {{.command = true, .failed = true},
         "command",
         "The command ended with status 7, and has opened no connection: no module",
         3},
        {{COMMAND, .failed = true}, "command", "The command ended with status 7: no module", 0},
        {{COMMAND, .unopened = 2},
         "unopened",
         "2 connections without a session: all come from the relay's address, of which a server "
         "accepts maxClientCnxns",
         0},
        {{CAPTURED, .unopened = 1}, "unopened", "1 connection without a session", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lay_out(&cases[i].seen);
        tap.run_planned = cases[i].planned;
        strcpy(tap.command.last, "no module");
        tap_fill_rows(&tap);
        tap_judge(&tap);
        assert_string_equal(sentence_of(cases[i].slug), cases[i].sentence);
        end();
    }
}
