// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/claims/internal.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/findings.h"
#include "bench/output/json_result.h"
#include "bench/output/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEAP_MIB     512
#define TIMEOUT_NS   (30 * NS_PER_S)
#define CLAIMS_MAX   64
#define SESSIONS_MAX 1000 /* more than any trial has */

/* The columns of an id, and of a verdict or a part's name; the words begin behind them. */
#define ID_WIDTH   4
#define PART_WIDTH 13

/* A claim that has been tried; docs/schema/claims.schema.json has what its columns mean. */
#define CLAIM_ROW_COLUMN(X, T, name) X(T, name, TEXT, "", 0, NONE, "")
#define CLAIM_ROW_COLUMNS(X, T)                                                                    \
    CLAIM_ROW_COLUMN(X, T, claim)                                                                  \
    CLAIM_ROW_COLUMN(X, T, source)                                                                 \
    CLAIM_ROW_COLUMN(X, T, statement)                                                              \
    CLAIM_ROW_COLUMN(X, T, experiment)                                                             \
    CLAIM_ROW_COLUMN(X, T, expected)                                                               \
    CLAIM_ROW_COLUMN(X, T, measured)                                                               \
    CLAIM_ROW_COLUMN(X, T, verdict)
TABLE_DECLARE(claim_row, CLAIM_ROW_COLUMNS);
TABLE_DEFINE(claim_row, "claims.csv", CLAIM_ROW_COLUMNS)

static const char usage[] =
    "Usage: zkherd claims [OPTION]...\n"
    "Test claims about ZooKeeper's locks on a real server; print each claim's\n"
    "source, experiment, expected and measured values, verdict. Takes about two\n"
    "minutes.\n"
    "\n";

static const char notes[] =
    "\n"
    "A claim holds, fails, or is undetermined: a trial was cut short, or the event\n"
    "of the claim did not happen. Exit status: 0 all hold; 1 one fails; 2 wrong\n"
    "usage; 3 the environment; 4 one is undetermined, or the run was interrupted.\n"
    "\n"
    "Examples:\n"
    "  zkherd claims                   all of them, on a private server\n"
    "  zkherd claims --only C1,C5      the herd, and the lock without it\n"
    "  zkherd claims --connect zk1:2181,zk2:2181/test -o claimed\n";

struct claims {
    bool wanted[CLAIMS_MAX];
    bool only; /* on the command line: --only */
    uint64_t seed;
    struct target_options target;
    struct output_options output;
    struct series series;
    struct claim_host host;
    struct file_set files;
    struct csv csv;
    struct table done;     /* the claims that have been tried … */
    struct table findings; /* … and a finding of each */
};

/* ------------------------------------------------------------------ the command line */

static bool parse_only(struct option_given *given)
{
    struct claims *claims = given->options;
    const char *list = given->value;
    char id[16];
    memset(claims->wanted, 0, sizeof claims->wanted);
    while (text_next_item(&list, id, sizeof id)) {
        size_t i = 0;
        bool is_number = id[0] >= '0' && id[0] <= '9';
        while (i < catalogue_count && strcasecmp(id, catalogue[i].id + is_number) != 0)
            i++;
        if (i == catalogue_count)
            return option_row_refuse(given, "no claim is called '%.40s': name C1 to C19", id);
        if (is_number)
            return option_row_refuse(given, "no claim is called '%s'; did you mean %s?", id,
                                     catalogue[i].id);
        claims->wanted[i] = true;
    }
    return true;
}

static const struct option_row rows[] = {
    {.name = "--only",
     .parse = parse_only,
     .given = OPTION_MEMBER(struct claims, only),
     .help = "      --only LIST          only these claims, as C6 or C6,C7\n"
             "                           [C1 to C19; with --connect all but C18]\n"},
    ROW_CONNECT(struct claims),
    ROWS_IDENTITY(struct claims),
    ROW_SEED(struct claims, seed),
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct claims, output.out),
     .help = "  -o, --out DIR            new folder for claims.csv [results/TIME-claims]\n"},
    ROW_JSON(struct claims),
    ROW_QUIET(struct claims),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static const struct arguments arguments = {"claims", usage, rows, notes, NULL};

static void set_defaults(struct claims *claims)
{
    static uint64_t one_server = 1;
    claims->seed = clock_utc_ns();
    claims->done.type = &claim_row_table;
    claims->findings.type = &finding_table;
    claims->target = (struct target_options){.driver = DRIVER_EVENTS,
                                             .max_clients = UINT64_MAX,
                                             .server_counts = &one_server,
                                             .topology_count = 1,
                                             .heap_mib = HEAP_MIB,
                                             .fsync = true,
                                             .placement = PLACEMENT_SPREAD};
    for (size_t i = 0; i < catalogue_count; i++)
        claims->wanted[i] = true;
}

/* ------------------------------------------------------------------ before the first claim */

/* Plans the claims, and opens the file. The servers of --connect are one ensemble: claims about
 * several are tried only if they are named. */
static enum error_kind lay_out(void *context, struct error *error)
{
    struct claims *claims = context;
    const struct target *target = &claims->series.targets.list[0];
    if (target->limit.sessions != UINT64_MAX && !claims->output.quiet)
        complain_mildly("%s takes %llu connections from this host at a time (maxClientCnxns): "
                        "claims that need more are undetermined; set maxClientCnxns=0 in zoo.cfg",
                        target->limit.server, (unsigned long long)target->limit.room);
    for (size_t i = 0; i < catalogue_count; i++) {
        const struct claim *claim = &catalogue[i];
        bool left_out = claims->target.connect && !claims->only && claim->servers[0] > 0;
        if (left_out && !claims->output.quiet)
            complain_mildly("%s is left out: it compares private ensembles, and --connect names "
                            "other servers; zkherd claims --only %s tries it on private ones",
                            claim->id, claim->id);
        claims->wanted[i] = claims->wanted[i] && !left_out;
        claims->series.planned += claims->wanted[i];
    }
    claims->series.progress.count = claims->series.planned;
    claims->host = (struct claim_host){
        .fleet = {.setup = target->setup,
                  .servers = &target->servers,
                  .ensemble = target->ensemble,
                  .interrupt_descriptor = claims->series.targets.signals},
        .root = target->root,
        .seed = claims->seed,
        .sessions_most = target->limit.sessions,
        .timeout_ns = TIMEOUT_NS,
        .progress = &claims->series.progress,
    };
    if (file_set_open(&claims->files, claims->output.out, "claims", error))
        return error->kind;
    error->kind = ERROR_NONE;
    output_unreserve(claims->files.folder, "manifest.json"); /* there will be none */
    file_set_add_table(&claims->files, &claim_row_table, &claims->csv, error);
    return error->kind;
}

/* ------------------------------------------------------------------ a claim */

/* Parts may be empty of a claim that could not be tried. */
static void print_claim(const struct table_value *row)
{
    static const size_t parts[] = {claim_row_statement, claim_row_source, claim_row_experiment,
                                   claim_row_expected, claim_row_measured};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *words = row[parts[i]].text;
        if (words[0] == '\0')
            continue;
        printf("%-*s%-*s", ID_WIDTH, i == 0 ? row[claim_row_claim].text : "", PART_WIDTH,
               i == 0 ? row[claim_row_verdict].text : claim_row_table.columns[parts[i]].name);
        wrap_write(words, ID_WIDTH + PART_WIDTH, stdout);
    }
    putchar('\n');
}

/* The sentence of a claim that holds is its statement, without the full stop. */
static void add_finding(struct table *findings, const struct claim *claim,
                        const struct outcome *outcome)
{
    enum verdict verdict = outcome_verdict(outcome);
    const struct finding finding = {.slug = "claim",
                                    .subject = claim->id,
                                    .verdict = verdict,
                                    .figure = FINDING_NO_FIGURE,
                                    .n = outcome->trials};
    bool expects = outcome->expected[0] != '\0';
    if (verdict == VERDICT_HOLDS)
        findings_add(findings, &finding, "%s: %.*s", claim->id, (int)strlen(claim->statement) - 1,
                     claim->statement);
    else
        findings_add(findings, &finding, "%s %s: %s%s%smeasured %s", claim->id,
                     verdict == VERDICT_FAILS ? "fails" : "is undetermined",
                     expects ? "expected " : "", outcome->expected, expects ? "; " : "",
                     outcome->measured);
}

static enum error_kind keep_claim(struct claims *claims, const struct claim *claim,
                                  const struct outcome *outcome, struct error *error)
{
    struct table_value *row = table_add(&claims->done);
    row[claim_row_claim] = table_text(claim->id);
    row[claim_row_source] = table_text(claim->source);
    row[claim_row_statement] = table_text(claim->statement);
    row[claim_row_experiment] = table_text(outcome->experiment);
    row[claim_row_expected] = table_text(outcome->expected);
    row[claim_row_measured] = table_text(outcome->measured);
    row[claim_row_verdict] = table_text(verdict_word(outcome_verdict(outcome)));
    table_write_row(&claim_row_table, row, &claims->csv);
    add_finding(&claims->findings, claim, outcome);
    claims->series.kept++;
    progress_clear(&claims->series.progress);
    if (!claims->output.json && !claims->output.quiet)
        print_claim(row);
    fflush(stdout);
    return file_set_commit(&claims->files, error);
}

static enum error_kind run_claims(void *context, struct error *error)
{
    struct claims *claims = context;
    enum error_kind kind = ERROR_NONE;
    uint64_t began_ns = clock_now_ns();
    for (size_t i = 0; kind == ERROR_NONE && i < catalogue_count; i++) {
        struct outcome outcome = {0};
        size_t done = claims->done.rows, left = claims->series.planned - done;
        if (!claims->wanted[i])
            continue;
        /* As if those that are left took as long as those that are done. */
        progress_begin(&claims->series.progress, done,
                       done > 0 ? (clock_now_ns() - began_ns) / done * left : 0);
        kind = attempt_run(&catalogue[i], &claims->host, &outcome, error);
        if (kind == ERROR_NONE)
            kind = keep_claim(claims, &catalogue[i], &outcome, error);
    }
    progress_clear(&claims->series.progress);
    return kind;
}

/* ------------------------------------------------------------------ the end */

static enum error_kind close_files(void *context, struct error *error)
{
    struct claims *claims = context;
    enum error_kind kind = file_set_close(&claims->files, error);
    return kind != ERROR_NONE || claims->done.rows == 0
               ? kind
               : file_set_save_table(claims->files.folder, &claims->findings, NULL, error);
}

/* Claims that do not hold, which may be some screens above, are named: "1 fail (C2), …". */
static void print_end(const struct claims *claims)
{
    const struct error *cut_short = claims->series.cut_short;
    struct growing_text names[VERDICTS] = {{0}};
    json_int_t counts[VERDICTS] = {0}, done = (json_int_t)claims->done.rows;
    for (size_t i = 0; i < claims->done.rows; i++) {
        const struct table_value *row = table_row(&claims->done, i);
        enum verdict verdict = verdict_of_word(row[claim_row_verdict].text);
        growing_text_add(&names[verdict], "%s%s", counts[verdict]++ > 0 ? ", " : " (",
                         row[claim_row_claim].text);
    }
    for (size_t i = 0; i < VERDICTS; i++)
        growing_text_add(&names[i], "%s", counts[i] > 0 ? ")" : "");
    if (claims->output.json)
        json_result_write(json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:s?, s:o, s:o}", "claims",
                                    json_result_rows(&claims->done), "claims_planned",
                                    (json_int_t)claims->series.planned, "claims_finished", done,
                                    "holds", counts[VERDICT_HOLDS], "fails", counts[VERDICT_FAILS],
                                    "undetermined", counts[VERDICT_UNDETERMINED], "cut_short",
                                    cut_short != NULL ? error_words(cut_short->kind) : NULL,
                                    "folder", json_text(claims->files.folder), "findings",
                                    json_result_rows(&claims->findings)),
                          stdout);
    else if (!claims->output.quiet)
        printf("%lld hold, %lld fail%s, %lld undetermined%s\n\nresults in %s\n",
               counts[VERDICT_HOLDS], counts[VERDICT_FAILS], names[VERDICT_FAILS].text,
               counts[VERDICT_UNDETERMINED], names[VERDICT_UNDETERMINED].text,
               claims->files.folder);
    for (size_t i = 0; i < VERDICTS; i++)
        free(names[i].text);
}

static int print_results(void *context)
{
    const struct claims *claims = context;
    if (claims->output.quiet)
        findings_complain(&claims->findings, "", false);
    print_end(claims);
    return verdict_status(findings_verdict(&claims->findings));
}

int claims_main(int argc, char **argv)
{
    static const struct series_user user = {
        .lay_out = lay_out, .run = run_claims, .join = close_files, .print_results = print_results};
    static const struct error interruption = {.kind = ERROR_INTERRUPTED};
    struct claims *claims = memory_new(1, sizeof *claims);
    struct levels clients = {.list = (uint64_t[]){1, SESSIONS_MAX}, .count = 2};
    const struct series_options options = {.subcommand = "claims",
                                           .target = &claims->target,
                                           .output = &claims->output,
                                           .clients = &clients,
                                           .processes = 1,
                                           .piece = "claim"};
    set_defaults(claims);
    int status = arguments_parse(&arguments, argc, argv, claims, NULL);
    if (status == ARGUMENTS_GO && target_conflicts("claims", &claims->target, 1))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO) {
        status = series_run(&claims->series, &options, &user, claims, argc, argv);
        if (claims->series.interrupted && claims->output.json && claims->done.rows == 0) {
            claims->series.cut_short = &interruption; /* before a claim had a verdict */
            print_end(claims);
        }
        series_deinit(&claims->series);
    }
    table_deinit(&claims->done);
    table_deinit(&claims->findings);
    identity_free(claims->target.servers.identity);
    free(claims);
    return status;
}
