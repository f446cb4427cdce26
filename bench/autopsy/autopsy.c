// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/file_set.h"
#include "bench/output/folder.h"
#include "bench/output/handoff_rows.h"
#include "bench/output/json_result.h"
#include "bench/output/plots.h"
#include "bench/page/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd autopsy [OPTION]... DIR...\n"
    "Read the transaction logs and snapshots of ZooKeeper's servers (version-2), only\n"
    "read, also of a server that runs, and say which locks there were, who held them\n"
    "and who waited, which sessions expired, and where herds were.\n"
    "\n";

static const char notes[] =
    "\n"
    "Several DIRs: dataDir and dataLogDir of a server, or those of several servers of\n"
    "one ensemble. Exit status: 0 done; 2 wrong usage, no log, or not one ensemble;\n"
    "3 the environment; 4 not valid: transactions are missing.\n"
    "\n"
    "Examples:\n"
    "  zkherd autopsy /var/lib/zookeeper\n"
    "  zkherd autopsy --from 2026-11-28T22:00 --lock /app/lock copy/of/zk1\n"
    "  zkherd autopsy --json --no-files copy/of/zk1 copy/of/zk2\n";

struct autopsy {
    struct findings findings; /* first: the context of both readings begins with it */
    struct output_options output;
    char *const *folders;
    size_t folder_count;
    struct journal *journal;
    struct file_set files;
    struct progress progress;
    int signals;
    uint64_t begun_ns;
};

#define TIME_EXPECTED "expected a time in UTC such as 2026-11-28T22:30 or 2026-11-28T22:30:05Z"

/* A time in UTC, or ms since 1970, into an int64_t. */
static bool parse_time(struct option_given *given)
{
    struct tm parts = {0};
    int64_t *ms = option_row_place(given);
    const char *text = given->value, *end;
    uint64_t number;
    if (text_parse_number(text, 1, INT64_MAX / NS_PER_MS, &number)) {
        *ms = (int64_t)number;
        return true;
    }
    end = strptime(text, "%Y-%m-%d", &parts);
    if (end != NULL && (*end == 'T' || *end == ' ')) {
        const char *whole = strptime(end + 1, "%H:%M:%S", &parts);
        end = whole != NULL ? whole : strptime(end + 1, "%H:%M", &parts);
    }
    if (end == NULL || strcmp(end + (*end == 'Z'), "") != 0)
        return option_row_refuse(given, TIME_EXPECTED);
    *ms = (int64_t)timegm(&parts) * 1000;
    return true;
}

static bool parse_path(struct option_given *given)
{
    const char **path = option_row_place(given);
    size_t length = strlen(given->value);
    *path = given->value;
    return (given->value[0] == '/' && length > 1 && given->value[length - 1] != '/') ||
           option_row_refuse(given, "expected the path of a lock, such as /app/lock");
}

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--from", OPTION_INTO(parse_time, struct autopsy, findings.from_ms),
               .value = "1",
               .help = "      --from TIME          leave out what ended before: UTC, "
                       "2026-11-28T22:30\n"),
    OPTION_ROW(.name = "--until", OPTION_INTO(parse_time, struct autopsy, findings.until_ms),
               .value = "9000000000000", .help = "      --until TIME         read up to there\n"),
    OPTION_ROW(.name = "--lock", OPTION_INTO(parse_path, struct autopsy, findings.only),
               .help = "      --lock PATH          tell of this lock alone\n"),
    ROW_OUT(struct autopsy),
    ROW_NO_FILES(struct autopsy),
    ROW_PLOTS(struct autopsy),
    ROW_JSON(struct autopsy),
    ROW_QUIET(struct autopsy),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct autopsy *autopsy)
{
    static const struct arguments arguments = {"autopsy", usage, rows, notes, NULL};
    int first = argc;
    int status = arguments_parse(&arguments, argc, argv, autopsy, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return complain_usage("autopsy", "DIR", "the folder of a server is missing");
    autopsy->folders = argv + first;
    autopsy->folder_count = (size_t)(argc - first);
    if (autopsy->findings.from_ms >= autopsy->findings.until_ms)
        return complain_usage("autopsy", "--from", "it is not before --until");
    return options_write_nowhere("autopsy", &autopsy->output, NULL)
               ? ARGUMENTS_GO
               : error_exit_status(ERROR_USAGE);
}

/* ------------------------------------------------------------------ the two readings */

static bool show(void *context, uint64_t read_bytes, uint64_t of_bytes)
{
    const struct autopsy *autopsy = context;
    struct pollfd signals = {.fd = autopsy->signals, .events = POLLIN};
    char line[160], left[32];
    double done = ((double)read_bytes / (double)of_bytes + autopsy->findings.is_second) / 2;
    double left_ns = (double)(clock_now_ns() - autopsy->begun_ns) * (1 / done - 1);
    snprintf(line, sizeof line, "autopsy: %.0f %% of %.0f MB, %s left", 100 * done,
             (double)of_bytes / 1e6, text_format_duration((uint64_t)left_ns, left, sizeof left));
    progress_show_step(&autopsy->progress, line);
    return poll(&signals, 1, 0) <= 0;
}

/* What is missing, for the caller to free. */
static char *describe_gap(const struct journal_flaw *gap)
{
    uint64_t after = (uint64_t)gap->after, before = (uint64_t)gap->before;
    bool is_certain = gap->newest != 0 || after >> 32 == before >> 32;
    char found[48] = "";
    if (gap->newest != 0)
        snprintf(found, sizeof found, ", a snapshot has 0x%" PRIx64, (uint64_t)gap->newest);
    if (before == 0)
        return memory_format("Transactions behind 0x%" PRIx64 " are in no log%s.", after, found);
    return memory_format(
        "Transactions between 0x%" PRIx64 " and 0x%" PRIx64
        " %s%s: holders behind them begin anew.",
        after, before, is_certain ? "are in no log" : "may be missing, because no server has both",
        found);
}

static void add_flaw(void *context, const struct journal_flaw *flaw)
{
    struct findings *findings = context;
    char where[96] = "", file[512];
    if (flaw->offset > 0)
        snprintf(where, sizeof where, " (at byte %" PRIu64 ", behind zxid 0x%" PRIx64 ")",
                 flaw->offset, (uint64_t)flaw->after);
    struct table_value *row = table_add(&findings->flaws);
    row[autopsy_flaw_sentence].kind = TABLE_TEXT;
    row[autopsy_flaw_sentence].text =
        flaw->kind == JOURNAL_GAP
            ? describe_gap(flaw)
            : memory_format("%s %s%s%s%s.", printable_text(flaw->file, file, sizeof file),
                            journal_flaws[flaw->kind].sentence,
                            flaw->compression != NULL ? " " : "",
                            flaw->compression != NULL ? flaw->compression : "", where);
    row[autopsy_flaw_loses] = table_flag(journal_flaws[flaw->kind].loses);
}

/* Holders are unknown whose sessions ended before the snapshot was written. */
static void add_flaw_of_unlisted(struct findings *findings)
{
    char until[32];
    if (findings->unlisted == 0 || findings->unlisted_ms < findings->from_ms)
        return;
    clock_format_utc((uint64_t)findings->unlisted_ms * NS_PER_MS, 0, until, sizeof until);
    struct table_value *row = table_add(&findings->flaws);
    row[autopsy_flaw_sentence].kind = TABLE_TEXT;
    row[autopsy_flaw_sentence].text = memory_format(
        "%" PRIu64 " sessions from before the first transaction ended before the first snapshot, "
        "and servers before 3.6 do not list what ends with them: holders up to %s may be missing.",
        findings->unlisted, until);
    row[autopsy_flaw_loses] = table_flag(true);
}

static enum error_kind read_once(struct autopsy *autopsy, struct error *error)
{
    struct journal_listener listener = reading_listener;
    listener.flaw = autopsy->findings.is_second ? NULL : add_flaw;
    listener.progress = show;
    return journal_read(autopsy->journal, &listener, autopsy, error);
}

static enum error_kind read_first(struct autopsy *autopsy, struct error *error)
{
    const struct table *flaws = &autopsy->findings.flaws;
    enum error_kind kind = read_once(autopsy, error);
    add_flaw_of_unlisted(&autopsy->findings);
    if (kind != ERROR_NONE || autopsy->findings.read > 0)
        return kind;
    const char *why = flaws->rows > 0 ? table_row(flaws, 0)[autopsy_flaw_sentence].text
                                      : "the log has no transaction.";
    return error_raise(error, ERROR_NO_JOURNAL, 0, autopsy->folders[0], "%.*s",
                       (int)strlen(why) - 1, why); /* the full stop is the complaint's */
}

/* handoffs.csv and holds.csv are written meanwhile. */
static enum error_kind read_again(struct autopsy *autopsy, struct error *error)
{
    struct findings *findings = &autopsy->findings;
    reading_again(findings);
    enum error_kind kind = read_once(autopsy, error);
    if (kind != ERROR_NONE)
        return kind;
    reading_end(findings);
    autopsy_conclude(findings);
    if (findings->only != NULL && findings->lock_rows.rows == 0)
        return error_raise(error, ERROR_NO_LOCK, 0, findings->only,
                           "the logs have no hold of it in the time that is asked for");
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ files */

static enum error_kind write_files(struct autopsy *autopsy, struct error *error)
{
    struct file_set *files = &autopsy->files;
    struct findings *findings = &autopsy->findings;
    enum error_kind kind = file_set_add_table(files, &autopsy_hold_table, &findings->holds, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_table(files, &handoff_row_table, &findings->handoffs, error);
    findings->run = files->run;
    if (kind == ERROR_NONE)
        kind = read_again(autopsy, error);
    const struct table *tables[] = {
        &findings->flaws,          &findings->lock_rows,      &findings->expiries, &findings->herds,
        &findings->spans[MINUTES], &findings->spans[PERIODS], &findings->answers};
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof tables / sizeof tables[0]; i++) {
        struct csv csv;
        kind = file_set_add_table(files, tables[i]->type, &csv, error);
        if (kind == ERROR_NONE)
            table_write_rows(tables[i], &csv);
    }
    return kind == ERROR_NONE ? file_set_commit(files, ERROR_NONE, error) : kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind print_result(const struct autopsy *autopsy, const char *folder,
                                    struct error *error)
{
    const struct output_options *output = &autopsy->output;
    if (output->json)
        json_result_write(autopsy_describe(&autopsy->findings, folder), stdout);
    else if (!output->quiet || autopsy_loses(&autopsy->findings))
        autopsy_write(&autopsy->findings, stdout);
    if (!output->json && !output->quiet && folder[0] != '\0')
        printf("results in %s\n", folder);
    return standard_output_flush(error);
}

static void draw(const struct autopsy *autopsy, const char *folder)
{
    struct plots plots = {.kind = PLOTS_OF_AUTOPSY,
                          .folder = folder,
                          .formats = autopsy->output.plots,
                          .interrupts = autopsy->signals};
    if (folder[0] != '\0' && plots_draw(&plots) == PLOTS_SKIPPED && !autopsy->output.quiet)
        complain_mildly("the plots are skipped: %s", plots.why);
}

static enum error_kind run_autopsy(struct autopsy *autopsy, struct error *error)
{
    struct file_set *files = &autopsy->files;
    struct error closing;
    enum error_kind kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = folder_check(autopsy->output.out, error);
    if (kind == ERROR_NONE)
        kind = journal_open(autopsy->folders, autopsy->folder_count, &autopsy->journal, error);
    if (kind == ERROR_NONE)
        kind = read_first(autopsy, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = file_set_open(files, autopsy->output.out, "autopsy", error);
    if (kind == ERROR_NONE)
        kind = write_files(autopsy, error);
    progress_clear(&autopsy->progress);
    autopsy->findings.logs = journal_logs(autopsy->journal);
    output_unreserve(files->folder, "manifest.json");
    enum error_kind closed = file_set_close(files, &closing);
    if (kind == ERROR_NONE && closed != ERROR_NONE)
        *error = closing;
    kind = kind == ERROR_NONE ? closed : kind;
    if (kind != ERROR_NONE)
        return kind;
    draw(autopsy, files->folder);
    page_add(files->folder, NULL, autopsy->output.quiet);
    return print_result(autopsy, files->folder, error);
}

int autopsy_main(int argc, char **argv)
{
    struct autopsy autopsy = {.findings.flaws.type = &autopsy_flaw_table};
    struct error error;
    int status = parse(argc, argv, &autopsy);
    if (status != ARGUMENTS_GO)
        return status;
    json_result_start();
    progress_init(&autopsy.progress, 1, autopsy.output.quiet);
    autopsy.begun_ns = clock_now_ns();
    autopsy.signals = signals_block();
    enum error_kind kind = run_autopsy(&autopsy, &error);
    status = kind != ERROR_NONE                 ? complain_about("autopsy", &error)
             : autopsy_loses(&autopsy.findings) ? error_exit_status(ERROR_NOT_VALID)
                                                : 0;
    reading_deinit(&autopsy.findings);
    journal_free(autopsy.journal);
    close(autopsy.signals);
    return status;
}
