// SPDX-License-Identifier: Apache-2.0
/* What zkherd claims makes of verdicts: the program but for its list of claims, which is this
 * file's. */
#include "tests/support/csv_file.h"
#include "tests/support/live.h"
#include "tests/support/test.h"
#include "tests/support/work.h"

#include "base/clock.h"
#include "bench/claims/internal.h"
#include "bench/cli/subcommands.h"
#include "recipes/registry.h"

static void look(struct attempt *attempt)
{
    claim_tried(attempt, "a look");
    claim_expected(attempt, "one, or \"two\"");
    claim_measured(attempt, "one");
}

static void hold(struct attempt *attempt)
{
    look(attempt);
    claim_check(attempt, true);
}

static void fail_at_first(struct attempt *attempt)
{
    look(attempt);
    claim_check(attempt, false);
    claim_check(attempt, true);
    claim_undecide(attempt, "so to say");
}

static void be_cut_short(struct attempt *attempt)
{
    attempt->kind = error_raise(attempt->error, ERROR_SESSION_LOST, 0, "session", "%s", "");
}

const struct claim catalogue[] = {
    {.id = "S",
     .statement = "One beside three.",
     .source = "here",
     .experiment = hold,
     .servers = {1, 3}},
    {.id = "A", .statement = "It holds.", .source = "here", .experiment = hold},
    {.id = "B", .statement = "It fails.", .source = "here", .experiment = fail_at_first},
    {.id = "C", .statement = "Nobody knows.", .source = "here", .experiment = look},
    {.id = "D", .statement = "It is cut short.", .source = "here", .experiment = be_cut_short},
    {.id = "E",
     .statement = "As C13, which is not true of a lock of one znode.",
     .source = "here",
     .recipes = {&recipe_nonscalable},
     .trials = {{.fleet.sessions = 6, .hold.mean_ns = 600 * NS_PER_S}},
     .expected = "one, or \"two\"",
     .observe = contention_break_lock,
     .examine = contention_shows_and_breaks,
     .examines_any = true},
};

const size_t catalogue_count = sizeof catalogue / sizeof catalogue[0];

/* Tries these claims on the server outside; the exit status, and the first claims of the file with
 * their verdicts: {id, verdict}. */
static void check(const char *only, int status, const char *const rows[][2], size_t count)
{
    char servers[CONNECT_TEXT_SIZE];
    connect_format(&live_servers, true, servers, sizeof servers);
    const char *arguments[] = {"claims", "--connect", servers, "-q", "-o", in_work("%s", only),
                               "--only", only,        NULL};
    int given = strcmp(only, "all") == 0 ? 6 : 8;
    arguments[given] = NULL;
    assert_int_equal(claims_main(given, (char **)(uintptr_t)arguments), status);
    if (count == 0) {
        assert_int_equal(access(in_work("%s", only), F_OK), -1);
        return;
    }
    struct csv_file table = csv_file_read(in_work("%s/claims.csv", only));
    assert_int_equal(table.rows, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(csv_file_text(&table, i, "claim"), rows[i][0]);
        assert_string_equal(csv_file_text(&table, i, "verdict"), rows[i][1]);
        assert_string_equal(csv_file_text(&table, i, "expected"), "one, or \"two\"");
    }
    csv_file_deinit(&table);
}

/* What was tried before an error stands; one that fails outweighs the error. Servers of somebody's
 * are not beside others: only who asks for such a claim has it tried. */
WORK_TEST(statuses)
{
    static const struct {
        const char *only;
        int status;
        size_t count;
        const char *rows[3][2];
    } cases[] = {
        {"A", 0, 1, {{"A", "holds"}}},
        {"B", 1, 1, {{"B", "fails"}}},
        {"C", 4, 1, {{"C", "undetermined"}}},
        {"A,C", 4, 2, {{"A", "holds"}, {"C", "undetermined"}}},
        {"A,B,C", 1, 3, {{"A", "holds"}, {"B", "fails"}, {"C", "undetermined"}}},
        {"D", 4, 0, {{NULL}}},
        {"A,D", 4, 1, {{"A", "holds"}}},
        {"B,D", 1, 1, {{"B", "fails"}}},
        {"all", 1, 3, {{"A", "holds"}, {"B", "fails"}, {"C", "undetermined"}}},
        {"S,A", 0, 2, {{"S", "holds"}, {"A", "holds"}}},
        {"E", 1, 1, {{"E", "fails"}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(cases[i].only, cases[i].status, cases[i].rows, cases[i].count);
}

TEST_GROUP(live_start, live_stop)
