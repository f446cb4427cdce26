// SPDX-License-Identifier: Apache-2.0
#include "bench/output/series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/terminal.h"
#include "bench/output/folder.h"
#include "bench/target/resources.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void series_deinit(struct series *series)
{
    const struct target_options *target = series->options.target;
    for (size_t i = 0; i < target->topology_count; i++) {
        manifest_deinit(&series->records[i].manifest);
        table_deinit(&series->records[i].rows);
        table_deinit(&series->records[i].made_again);
        table_deinit(&series->records[i].findings);
    }
    free(series->records);
    json_decref(series->plan);
    rounds_deinit(&series->rounds);
    targets_deinit(&series->targets, series->options.output->out);
    if (series->made_data)
        rmdir(target->data);
}

/* The largest number of clients at a time, and the share of it that this host has. */
static uint64_t most_clients(const struct series *series)
{
    const struct levels *clients = series->options.clients;
    return clients->list[clients->count - 1];
}

static uint64_t most_here(const struct series *series)
{
    uint64_t hosts = series->options.hosts > 0 ? series->options.hosts : 1;
    return (most_clients(series) + hosts - 1) / hosts;
}

/* ------------------------------------------------------------------ words */

bool series_announces_demand(const struct series *series)
{
    return series->options.target->connect && !series->options.output->quiet;
}

/* Says what is left on the servers of a target that is closed. */
static void announce_remains(const struct series *series, const struct target *target)
{
    char where[CONNECT_TEXT_SIZE], logged[32];
    uint64_t transactions;
    if (series_announces_demand(series) && target->root[0] != '\0' &&
        target_count_transactions(target, &transactions))
        complain_mildly("on %s: %s transactions since the start, with those of others%s",
                        connect_typed(&target->placement, where, sizeof where),
                        text_format_count(transactions, logged, sizeof logged),
                        series->left.kind == ERROR_NONE ? "; no znode and no watch is left" : "");
}

void series_announce_demand(const struct series *series, const char *each)
{
    char where[CONNECT_TEXT_SIZE], clients[32];
    if (series_announces_demand(series))
        complain_mildly("on %s: at most %s sessions at a time, %s",
                        connect_typed(&series->targets.list[0].placement, where, sizeof where),
                        text_format_count(most_clients(series), clients, sizeof clients), each);
}

const char *series_topology(const struct series *series)
{
    size_t topology = series->rounds.cells[series->trial->cell].topology;
    return series->targets.count > 1 ? series->targets.list[topology].name : "";
}

const char *series_where(const struct series *series, const struct series_record *record,
                         char where[100])
{
    bool several = series->options.target->topology_count > 1;
    snprintf(where, 100, "%s%s", several ? record->target : "", several ? ": " : "");
    return where;
}

void series_warn(const struct series *series, struct series_record *record, const char *format, ...)
{
    char warning[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
    if (!series->options.output->quiet)
        complain_mildly("%s", warning);
    json_array_append_new(record->manifest.warnings, json_text(warning));
}

/* ------------------------------------------------------------------ interruption */

static size_t trials_kept(const struct series *series)
{
    size_t trials = series->kept;
    for (size_t i = 0; i < series->record_count; i++)
        trials += series->records[i].rows.rows;
    return trials;
}

/* The interruption of a trial, or of a request before the first, in the words of the series. */
static void heed_interruption(struct series *series, struct error *error)
{
    const char *piece = series->options.piece != NULL ? series->options.piece : "trial";
    char of[32], whole[32], what[128];
    size_t kept = trials_kept(series);
    series->interrupted = error->kind == ERROR_INTERRUPTED;
    if (!series->interrupted)
        return;
    snprintf(what, sizeof what, "before a %s ended: nothing is", piece);
    if (kept > 0)
        snprintf(what, sizeof what, "%s of %s %ss %s", text_format_count(kept, of, sizeof of),
                 text_format_count(series->planned, whole, sizeof whole), piece,
                 kept == 1 ? "is" : "are");
    error_raise(error, ERROR_INTERRUPTED, 0, series->options.subcommand, "%s kept", what);
}

/* ------------------------------------------------------------------ before the first trial */

/* What the servers do not allow is left out: only --connect has such servers, and they are one
 * target. */
static enum error_kind lay_out(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    struct target_limit limit = series->targets.list[0].limit;
    if (options->hosts > 0 && limit.sessions < UINT64_MAX / options->hosts)
        limit.sessions *= options->hosts;
    if (target_limit_fit(&limit, options->target->max_clients, options->clients, series->left_out,
                         sizeof series->left_out, error) ||
        series->user->lay_out(series->context, error))
        return error->kind;
    if (series->rounds.trial_count > 0) {
        series->progress.count = series->rounds.trial_count;
        series->planned = series->rounds.trial_count - series->rounds.rehearsals;
    }
    return ERROR_NONE;
}

static enum error_kind open_record(struct series *series, size_t topology, struct error *error)
{
    const struct series_user *user = series->user;
    const struct series_options *options = &series->options;
    const struct target *target = &series->targets.list[topology];
    struct series_record *record = &series->records[topology];
    char folder[PATH_MAX];
    const char *out;
    if (target_make_root(&series->targets.list[topology], series->targets.signals, error) ||
        targets_folder(&series->targets, topology, options->output->out, folder, &out, error))
        return error->kind;
    if (user->rows == NULL)
        return ERROR_NONE;
    record->topology = topology;
    record->servers = target->servers.count;
    record->rows.type = record->made_again.type = user->rows;
    record->planned = series->planned / series->targets.count;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    error->kind = file_set_open(&record->files, out, target->name, error);
    file_set_add_table(&record->files, user->rows, &record->csv, error);
    if (error->kind != ERROR_NONE)
        return error->kind;
    /* A simulation repeats its rows, and with them the id; real servers never do. */
    if (options->target->driver != DRIVER_SIMULATED)
        snprintf(record->files.run, sizeof record->files.run, "%s-%s", folder_name(target->root),
                 target->name);
    manifest_begin(&record->manifest, series->argc, series->argv, options->seed,
                   json_incref(series->plan), options->target, target);
    json_object_set_new(record->manifest.json, "run", json_text(record->files.run));
    if (user->open_record != NULL && user->open_record(series->context, record, error))
        return error->kind;
    const char *const warnings[] = {target->left_out, series->left_out,
                                    resources_warning(options->target, record->servers)};
    for (size_t i = 0; i < sizeof warnings / sizeof warnings[0]; i++) {
        if (warnings[i] != NULL && warnings[i][0] != '\0')
            series_warn(series, record, "%s", warnings[i]);
    }
    return ERROR_NONE;
}

static enum error_kind prepare(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    const struct target_options *target = options->target;
    const struct output_options *output = options->output;
    struct error closing;
    if ((options->hosts == 0 && folder_check(output->out, error)) || /* others may look, too */
        ((output->json || !output->quiet) && standard_output_check(error)) ||
        resources_check(target, most_here(series), options->processes, error) ||
        target_prepare_data(target, &series->made_data, error))
        return error->kind;
    progress_init(&series->progress, 0, output->quiet);
    noise_watch_init(&series->noise, target, &series->targets);
    series->noise.votes = options->votes;
    if (target->driver != DRIVER_SIMULATED)
        progress_show_step(&series->progress,
                           target->connect ? "looking at the servers" : "starting private servers");
    enum error_kind kind = targets_open(&series->targets, target, most_here(series), error);
    progress_clear(&series->progress);
    if (kind != ERROR_NONE || lay_out(series, error))
        return error->kind;
    for (; !series->follows && series->record_count < series->targets.count;
         series->record_count++) {
        if (open_record(series, series->record_count, error)) {
            (void)!file_set_close(&series->records[series->record_count].files, &closing);
            return error->kind;
        }
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the trials */

void series_measure_noise(struct series *series)
{
    if (series->noise.measures)
        progress_show_step(&series->progress, "looking for other programs' load on this machine");
    noise_watch_measure_first(&series->noise, series->planned);
    progress_clear(&series->progress);
}

bool series_keeps(const struct series *series, struct series_record *record,
                  const struct shared *fleet, const char *not_reconciled)
{
    char where[100];
    if (series->noise.again) {
        table_move_last(&record->rows, &record->made_again);
        return false;
    }
    if (fleet != NULL)
        manifest_sessions(&record->manifest, fleet);
    if (not_reconciled[0] != '\0' && !record->warned)
        series_warn(series, record, "%scannot cross-check against the servers' counters: %s",
                    series_where(series, record, where), not_reconciled);
    record->warned = record->warned || not_reconciled[0] != '\0';
    return true;
}

/* Makes the trials in their order; each has a root znode of its own. */
enum error_kind series_make_rounds(struct series *series, struct error *error)
{
    struct rounds *rounds = &series->rounds;
    enum error_kind kind = series->user->begin(series->context, error);
    if (kind == ERROR_NONE)
        series_measure_noise(series);
    for (size_t at = 0; kind == ERROR_NONE && at < rounds->trial_count; at++) {
        const struct rounds_cell *cell = &rounds->cells[rounds->trials[at].cell];
        const struct target *target = &series->targets.list[cell->topology];
        uint64_t began_ns = clock_now_ns();
        series->trial = &rounds->trials[at];
        do {
            progress_begin(&series->progress, at, rounds_left_ns(rounds, at));
            snprintf(series->root, sizeof series->root, "%s/t%04zu", target->root,
                     series->attempts++);
            if (series->trial->number > 0)
                noise_watch_begin(&series->noise, target);
            kind = series->user->make(series->context, error);
        } while (kind == ERROR_NONE && series->noise.again);
        rounds_learn(rounds, cell->alike, cell->cost, clock_now_ns() - began_ns);
        series->trial = NULL;
    }
    progress_clear(&series->progress);
    return kind;
}

/* ------------------------------------------------------------------ the end */

/* What cannot be drawn is a warning. */
static void draw(const struct series *series, const struct series_record *record)
{
    const struct output_options *output = series->options.output;
    struct plots plots = {.folder = record->files.folder, .formats = output->plots};
    char warning[sizeof plots.why.detail + 64];
    progress_show_step(&series->progress, "drawing the plots; Ctrl-C leaves them out");
    enum plots_end end = plots_draw(&plots);
    progress_clear(&series->progress);
    if (end == PLOTS_NOTHING && series->cut_short == NULL && !output->quiet)
        complain_mildly("no plots in %s: there is nothing to draw", plots.folder);
    if (end != PLOTS_SKIPPED)
        return;
    snprintf(warning, sizeof warning, "the plots are skipped: %s", plots.why.detail);
    manifest_warn_late(&record->manifest, plots.folder, warning, output->quiet);
}

/* Its files are closed and complete, whereupon all records are; the first error is the one that
 * counts. */
static void close_record(struct series *series, struct series_record *record, struct error *error)
{
    const struct series_user *user = series->user;
    const struct file_set *files = &record->files;
    struct error second;
    enum error_kind kind = file_set_close(&record->files, error), finished = ERROR_NONE;
    bool closed = kind == ERROR_NONE;
    if (record->rows.rows > files->trials) /* the last one is not in the files: a disk was full */
        table_truncate(&record->rows, files->trials);
    if (user->finish != NULL)
        finished = user->finish(series->context, record, closed && files->trials > 0,
                                closed ? error : &second);
    error->kind = closed ? finished : kind;
    if (files->trials == 0 || error->kind != ERROR_NONE)
        return;
    if (files->trials < record->planned)
        findings_add(&record->findings,
                     FINDING_MEASURED("trials", "trials", FINDING_FIGURE((double)files->trials),
                                      "trials", record->planned),
                     "trials: %zu of the %zu that were planned", files->trials, record->planned);
    if (record->made_again.rows > 0)
        ERROR_FIRST(error, file_set_save_table(files->folder, &record->made_again, "made_again.csv",
                                               error));
    if (record->findings.rows > 0)
        ERROR_FIRST(error, file_set_save_table(files->folder, &record->findings, NULL, error));
}

/* Its manifest, and its plots, which look at all records. */
static void describe_record(struct series *series, struct series_record *record,
                            struct error *error)
{
    const struct file_set *files = &record->files;
    struct error second;
    if (files->trials == 0)
        return;
    bool good = error->kind == ERROR_NONE;
    const struct error *why = series->cut_short != NULL ? series->cut_short : error;
    enum error_kind written = manifest_write(
        &record->manifest, files, record->planned, noise_watch_describe(&series->noise),
        why->kind != ERROR_NONE ? why : NULL, good ? error : &second);
    record->whole = good && written == ERROR_NONE && !files->broken;
    if (record->whole && series->user->has_plots && !series->options.output->no_files)
        draw(series, record);
}

/* Complains about the first error that is not the one that has cut the series short, about which
 * the caller complains. Returns the exit status. */
static int complain_if_new(const struct series *series, int status, const struct error *error)
{
    bool is_new = error->kind != ERROR_NONE && status == 0 &&
                  (series->cut_short == NULL || error->kind != series->cut_short->kind);
    return is_new ? complain(error) : status;
}

/* Closes all records, whether or not one fails. */
static int close_records(struct series *series)
{
    int status = 0;
    size_t count = series->user->rows != NULL ? series->record_count : 0;
    struct error errors[OPTIONS_TOPOLOGIES_MAX] = {0}, joining = {0};
    for (size_t i = 0; i < count; i++)
        close_record(series, &series->records[i], &errors[i]);
    for (size_t i = 0; i < count; i++) {
        describe_record(series, &series->records[i], &errors[i]);
        status = complain_if_new(series, status, &errors[i]);
    }
    if (series->user->join != NULL)
        joining.kind = series->user->join(series->context, &joining);
    return complain_if_new(series, status, &joining);
}

static void print_record(const struct series *series, const struct series_record *record,
                         const struct series_view *view)
{
    bool colours = terminal_abilities(STDOUT_FILENO).colours;
    if (series->options.target->topology_count > 1)
        printf("\n%s: %zu server%s\n%s", record->target, record->servers,
               text_plural(record->servers), series->options.output->brief ? "" : "\n");
    view->write(series->context, record);
    if (record->findings.rows > 0)
        putchar('\n');
    findings_print(&record->findings, series->options.output->brief, colours, stdout);
    if (!series->options.output->no_files)
        printf("\nresults in %s\n", record->files.folder);
}

int series_print_results(const struct series *series, const struct series_view *view)
{
    const struct output_options *output = series->options.output;
    json_t *list = json_array();
    enum verdict worst = VERDICT_HOLDS;
    for (size_t i = 0; i < series->record_count; i++) {
        const struct series_record *record = &series->records[i];
        char where[100];
        if (record->rows.rows == 0)
            continue;
        worst = verdict_worse(worst, findings_verdict(&record->findings));
        if (output->json || output->quiet)
            findings_complain(&record->findings, series_where(series, record, where), false);
        if (output->json) {
            json_t *json = manifest_result(&record->manifest, record->files.folder, record->servers,
                                           view->cells(series->context, record));
            json_object_set_new(json, "findings", json_result_rows(&record->findings));
            json_array_append_new(list, json);
        } else if (!output->quiet) {
            print_record(series, record, view);
        }
    }
    if (output->json)
        json_result_write(json_pack("{s:s, s:O}", "verdict", verdict_word(worst), "results", list),
                          stdout);
    json_decref(list);
    return verdict_status(worst);
}

int series_status(const struct series *series, int verdict)
{
    const struct error *error = series->cut_short != NULL ? series->cut_short : &series->left;
    return verdict == 1 || error->kind == ERROR_NONE ? verdict : error_exit_status(error->kind);
}

/* Prints what was found, and says what went wrong. Returns the exit status; that of the records'
 * files comes before that of znodes which remain, as what else went wrong may be why. */
static int conclude(struct series *series, int status)
{
    const struct series_options *options = &series->options;
    const struct error *error = series->cut_short;
    size_t kept = trials_kept(series);
    int found = kept > 0 ? series->user->print_results(series->context) : 0;
    if (error != NULL && error->kind != ERROR_UNREAD) /* a reader who has seen enough */
        (void)complain_about(options->subcommand, error);
    if (series->interrupted && kept == 0 && options->output->json &&
        options->verdict_of_nothing != NULL)
        json_result_write(json_pack("{s:s, s:s, s:[]}", "verdict", options->verdict_of_nothing,
                                    "cut_short", error_words(ERROR_INTERRUPTED), "results"),
                          stdout);
    if (series->left.kind != ERROR_NONE)
        (void)complain(&series->left);
    return status != 0 && error == NULL && found != 1 ? status : series_status(series, found);
}

/* Records that were opened before an error have no trials: closing them removes them. */
int series_run(struct series *series, const struct series_options *options,
               const struct series_user *user, void *context, int argc, char **argv)
{
    struct error error = {0};
    *series = (struct series){
        .user = user,
        .context = context,
        .options = *options,
        .argc = argc,
        .argv = argv,
        .targets.signals = -1,
        .records = memory_new(options->target->topology_count, sizeof *series->records)};
    enum error_kind kind = prepare(series, &error);
    if (kind == ERROR_NONE) {
        kind = user->run != NULL ? user->run(context, &error) : series_make_rounds(series, &error);
        kind = targets_find_cause(&series->targets, kind, &error);
    }
    heed_interruption(series, &error);
    const struct target target = series->targets.list[0];
    targets_close(&series->targets,
                  &series->left); /* before plots and tables, so that no server waits for them */
    announce_remains(series, &target);
    series->cut_short = kind != ERROR_NONE ? &error : NULL;
    return conclude(series, close_records(series));
}
