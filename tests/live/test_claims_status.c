// SPDX-License-Identifier: Apache-2.0
/* What zkherd claims makes of verdicts: the program but for its list of claims, which is this
 * file's. */
#include "tests/support/csv_file.h"
#include "tests/support/outside.h"
#include "tests/support/test.h"

#include "bench/claims/internal.h"
#include "bench/cli/subcommands.h"

static void look(struct experiment *experiment)
{
    finding_tried(experiment->finding, "a look");
    finding_expected(experiment->finding, "one, or \"two\"");
    finding_measured(experiment->finding, "one");
}

static void hold(struct experiment *experiment)
{
    look(experiment);
    finding_check(experiment->finding, true);
}

static void fail_at_first(struct experiment *experiment)
{
    look(experiment);
    finding_check(experiment->finding, false);
    finding_check(experiment->finding, true);
    finding_undecide(experiment->finding, "so to say");
}

static void be_cut_short(struct experiment *experiment)
{
    experiment->kind = error_raise(experiment->error, ERROR_SESSION_LOST, 0, "session", "%s", "");
}

static const struct claim claims[] = {
    {.id = "S",
     .statement = "One beside three.",
     .source = "here",
     .experiment = hold,
     .servers = {1, 3}},
    {.id = "A", .statement = "It holds.", .source = "here", .experiment = hold},
    {.id = "B", .statement = "It fails.", .source = "here", .experiment = fail_at_first},
    {.id = "C", .statement = "Nobody knows.", .source = "here", .experiment = look},
    {.id = "D", .statement = "It is cut short.", .source = "here", .experiment = be_cut_short},
};

const struct claim *catalogue_at(size_t index)
{
    return index < catalogue_count() ? &claims[index] : NULL;
}

size_t catalogue_count(void)
{
    return sizeof claims / sizeof claims[0];
}

/* Tries these claims on the server outside, and returns the exit status. */
static int try(const char *only)
{
    const char *arguments[] = {
        "claims", "--only", only, "--connect", outside, "-q", "-o", in_work("%s", only), NULL};
    return claims_main(8, (char **)(uintptr_t)arguments);
}

static void check(const char *only, int status, size_t row, const char *verdict)
{
    assert_int_equal(try(only), status);
    struct csv_file table = csv_file_read(in_work("%s/claims.csv", only));
    assert_string_equal(csv_file_text(&table, row, "verdict"), verdict);
    assert_string_equal(csv_file_text(&table, row, "expected"), "one, or \"two\"");
    csv_file_deinit(&table);
}

COMMAND_TEST(statuses)
{
    check("A", 0, 0, "holds");
    check("B", 1, 0, "fails");
    check("C", 4, 0, "undetermined");
    check("A,C", 4, 1, "undetermined");
    check("A,B,C", 1, 1, "fails");
}

/* What was tried before an error stands; one that fails outweighs the error. */
COMMAND_TEST(errors)
{
    assert_int_equal(try("D"), 4);
    assert_int_equal(access(in_work("D"), F_OK), -1);
    check("A,D", 4, 0, "holds");
    check("B,D", 1, 0, "fails");
}

/* Servers of somebody's are not beside others: only who asks for the claim has it tried. */
COMMAND_TEST(private_ensembles_are_left_out)
{
    const char *arguments[] = {"claims", "--connect", outside, "-q", "-o", in_work("all"), NULL};
    assert_int_equal(claims_main(6, (char **)(uintptr_t)arguments), 1);
    struct csv_file table = csv_file_read(in_work("all/claims.csv"));
    assert_string_equal(csv_file_text(&table, 0, "claim"), "A");
    assert_int_equal(table.rows, 3);
    csv_file_deinit(&table);
    check("S,A", 0, 0, "holds");
    table = csv_file_read(in_work("S,A/claims.csv"));
    assert_string_equal(csv_file_text(&table, 0, "claim"), "S");
    csv_file_deinit(&table);
}

TEST_GROUP(outside_start, outside_stop)
