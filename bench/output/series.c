// SPDX-License-Identifier: Apache-2.0
#include "bench/output/series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/terminal.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/target/resources.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void series_init(struct series *series, const struct series_options *options,
                 const struct series_user *user, void *context)
{
    *series = (struct series){
        .user = user,
        .context = context,
        .options = *options,
        .targets.signals = -1,
        .records = memory_new(options->target->topology_count, sizeof *series->records)};
    if (options->output->json && options->verdict_of_nothing != NULL)
        json_result_interrupted(options->verdict_of_nothing, series->json_of_nothing);
}

void series_deinit(struct series *series)
{
    for (size_t i = 0; i < series->options.target->topology_count; i++) {
        manifest_deinit(&series->records[i].manifest);
        table_deinit(&series->records[i].rows);
        table_deinit(&series->records[i].made_again);
        table_deinit(&series->records[i].findings);
    }
    free(series->records);
    rounds_deinit(&series->rounds);
    targets_deinit(&series->targets, series->options.output->out);
    target_remove_data(series->options.target, series->made_data);
}

uint64_t series_most_clients(const struct series *series)
{
    const struct levels *clients = series->options.clients;
    return clients->list[clients->count - 1];
}

bool series_announces_demand(const struct series *series)
{
    return series->options.target->connect && !series->targets.list[0].stands &&
           !series->options.output->quiet;
}

void series_announce_demand(const struct series *series)
{
    char where[CONNECT_TEXT_SIZE], clients[32];
    if (series_announces_demand(series))
        complain_mildly("on %s: at most %s sessions at a time, each of which sends its next "
                        "request as soon as it may; others who use these servers will notice",
                        connect_typed(&series->targets.list[0].placement, where, sizeof where),
                        text_format_count(series_most_clients(series), clients, sizeof clients));
}

const char *series_topology(const struct series *series)
{
    size_t topology = series->rounds.cells[series->trial->cell].topology;
    return series->targets.count > 1 ? series->targets.list[topology].name : "";
}

static const char *piece_of(const struct series *series)
{
    return series->options.piece != NULL ? series->options.piece : "trial";
}

/* ------------------------------------------------------------------ interruption */

static size_t trials_kept(const struct series *series)
{
    size_t trials = series->user->kept != NULL ? series->user->kept(series->context) : 0;
    for (size_t i = 0; i < series->record_count; i++)
        trials += series->records[i].rows.rows;
    return trials;
}

/* The interruption of a trial, or of a request before the first, in the words of the series. */
static void heed_interruption(struct series *series, struct error *error)
{
    char of[32], whole[32];
    size_t kept = trials_kept(series);
    series->interrupted = error->kind == ERROR_INTERRUPTED;
    if (!series->interrupted)
        return;
    if (kept == 0)
        error_raise(error, ERROR_INTERRUPTED, 0, series->options.subcommand,
                    "before a %s ended: nothing is kept", piece_of(series));
    else
        error_raise(error, ERROR_INTERRUPTED, 0, series->options.subcommand, "%s of %s %ss %s kept",
                    text_format_count(kept, of, sizeof of),
                    text_format_count(series->planned, whole, sizeof whole), piece_of(series),
                    kept == 1 ? "is" : "are");
}

/* The object of --json for a series that was interrupted before its first trial had ended. */
static void print_nothing(const struct series *series)
{
    if (series->interrupted && trials_kept(series) == 0)
        fputs(series->json_of_nothing, stdout);
}

/* For the handler of a signal that comes before anything has been made. */
static struct {
    char sentence[200], json[JSON_RESULT_INTERRUPTED_SIZE], folder[PATH_MAX];
    int status;
} ending;

static void end_program(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, ending.sentence, strlen(ending.sentence));
    (void)!write(STDOUT_FILENO, ending.json, strlen(ending.json));
    if (ending.folder[0] != '\0')
        folder_discard(ending.folder); // NOLINT(bugprone-signal-handler): it only calls rmdir
    _exit(ending.status);
}

/* A signal that the program was started to ignore stays ignored. */
static void let_signals_end_program(const struct series *series)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    bool controls = isatty(STDERR_FILENO) && terminal_abilities(STDERR_FILENO).controls;
    ending.status = error_exit_status(ERROR_INTERRUPTED);
    snprintf(ending.sentence, sizeof ending.sentence,
             "%szkherd: %s: %s: before a %s ended: nothing is kept\n",
             controls ? TERMINAL_CLEAR_LINE : "", series->options.subcommand,
             error_words(ERROR_INTERRUPTED), piece_of(series));
    snprintf(ending.json, sizeof ending.json, "%s", series->json_of_nothing);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (signal(numbers[i], end_program) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    }
}

void series_discard_on_signal(const char *folder)
{
    snprintf(ending.folder, sizeof ending.folder, "%s", folder);
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind check(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    enum error_kind kind = folder_check(options->output->out, error);
    if (kind == ERROR_NONE && (options->output->json || !options->output->quiet))
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = resources_check(options->target, series_most_clients(series), options->processes,
                               error);
    if (kind == ERROR_NONE)
        kind = target_prepare_data(options->target, &series->made_data, error);
    if (kind == ERROR_NONE && series->user->check != NULL)
        kind = series->user->check(series->context, error);
    return kind;
}

static enum error_kind open_targets(struct series *series, struct error *error)
{
    const struct target_options *options = series->options.target;
    if (options->driver != DRIVER_SIMULATED)
        progress_show_step(&series->progress, options->connect ? "looking at the servers"
                                                               : "starting private servers");
    if (options->connect)
        let_signals_end_program(series);
    enum error_kind kind =
        targets_open(&series->targets, options, series_most_clients(series), error);
    progress_clear(&series->progress);
    return kind;
}

/* What the servers do not allow is left out: only --connect has such servers, and they are one
 * target. */
static enum error_kind lay_out(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    enum error_kind kind =
        target_limit_fit(&series->targets.list[0].limit, options->target->max_clients,
                         options->clients, series->left_out, sizeof series->left_out, error);
    if (kind == ERROR_NONE)
        kind = series->user->lay_out(series->context, error);
    if (series->rounds.trial_count > 0) {
        series->progress.count = series->rounds.trial_count;
        series->planned = series->rounds.trial_count - series->rounds.rehearsals;
    }
    return kind;
}

static enum error_kind open_record(struct series *series, size_t topology, const char *out,
                                   struct error *error)
{
    const struct series_user *user = series->user;
    const struct series_options *options = &series->options;
    const struct target *target = &series->targets.list[topology];
    struct series_record *record = &series->records[topology];
    struct error closing;
    if (user->rows == NULL)
        return ERROR_NONE;
    record->topology = topology;
    record->servers = target->servers.count;
    record->rows.type = record->made_again.type = user->rows;
    record->planned = series->planned / series->targets.count;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    enum error_kind kind = file_set_open(&record->files, out, target->name, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_table(&record->files, user->rows, &record->csv, error);
    if (kind == ERROR_NONE && user->add_files != NULL)
        kind = user->add_files(series->context, record, error);
    if (kind != ERROR_NONE) {
        (void)!file_set_close(&record->files, &closing);
        return kind;
    }
    manifest_begin(&record->manifest, series->argc, series->argv, options->seed,
                   user->describe_plan(series->context), options->target, target);
    const char *shares = resources_warning(options->target, record->servers);
    if (user->warn != NULL)
        user->warn(series->context, record);
    if (target->left_out[0] != '\0')
        series_warn(series, record, "left out, because they do not serve: %s", target->left_out);
    if (series->left_out[0] != '\0')
        series_warn(series, record, "%s", series->left_out);
    if (shares != NULL)
        series_warn(series, record, "%s", shares);
    return ERROR_NONE;
}

static enum error_kind open_records(struct series *series, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < series->targets.count; i++) {
        char folder[PATH_MAX];
        const char *out;
        kind =
            targets_folder(&series->targets, i, series->options.output->out, folder, &out, error);
        if (kind == ERROR_NONE)
            kind = open_record(series, i, out, error);
        series->record_count += kind == ERROR_NONE;
    }
    return kind;
}

static enum error_kind prepare(struct series *series, struct error *error)
{
    enum error_kind kind = check(series, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&series->progress, 0, series->options.output->quiet);
    noise_watch_init(&series->noise, series->options.target, &series->targets);
    kind = open_targets(series, error);
    if (kind == ERROR_NONE)
        kind = lay_out(series, error);
    return kind != ERROR_NONE ? kind : open_records(series, error);
}

/* ------------------------------------------------------------------ the trials */

void series_measure_noise(struct series *series)
{
    progress_show_step(&series->progress, "looking for other programs' load on this machine");
    noise_watch_measure_first(&series->noise, series->planned);
    progress_clear(&series->progress);
}

void series_finish_attempt(const struct series *series, struct series_record *record)
{
    if (series->noise.again)
        table_move_last(&record->rows, &record->made_again);
    else
        record->disturbed += series->noise.disturbed;
}

/* An attempt at the present trial. */
static enum error_kind attempt(struct series *series, struct error *error)
{
    const struct rounds_cell *cell = &series->rounds.cells[series->trial->cell];
    const struct target *target = &series->targets.list[cell->topology];
    snprintf(series->root, sizeof series->root, "%s/t%04zu", target->root, series->attempts++);
    if (series->trial->number > 0)
        noise_watch_begin(&series->noise, target);
    enum error_kind kind =
        series_survive_loss(series, series->user->make(series->context, error), error);
    if (kind == ERROR_NONE && series->user->rows != NULL && series->trial->number > 0)
        series_finish_attempt(series, &series->records[cell->topology]);
    return kind;
}

static enum error_kind make_rounds(struct series *series, struct error *error)
{
    struct rounds *rounds = &series->rounds;
    const char *why = NULL;
    size_t left_out = 0;
    enum error_kind kind = series->user->begin(series->context, error);
    if (kind == ERROR_NONE)
        series_measure_noise(series);
    for (size_t at = 0; kind == ERROR_NONE && at < rounds->trial_count; at++) {
        size_t cell = rounds->trials[at].cell;
        if (rounds->cells[cell].prospect == ROUNDS_HOPELESS) {
            left_out++;
            continue;
        }
        series->trial = &rounds->trials[at];
        uint64_t began_ns = clock_now_ns();
        do {
            progress_begin(&series->progress, at, rounds_left_ns(rounds, at));
            kind = attempt(series, error);
        } while (kind == ERROR_NONE && series->noise.again);
        rounds_learn(rounds, rounds->cells[cell].alike, rounds->cells[cell].cost,
                     clock_now_ns() - began_ns);
        if (kind == ERROR_NONE && series->trial->number > 0 &&
            rounds_is_hopeless(rounds, cell, series->noise.lost))
            why = rounds->cells[cell].lost;
        series->trial = NULL;
    }
    progress_clear(&series->progress);
    if (kind != ERROR_NONE || left_out == 0)
        return kind;
    return error_raise(error, ERROR_NOT_VALID, 0, series->options.subcommand,
                       "%zu of %zu %ss were left out, because the first two with the same settings "
                       "were not valid for one reason: %s",
                       left_out, series->planned, piece_of(series), why);
}

/* ------------------------------------------------------------------ the end */

/* What cannot be drawn is a warning. */
static enum error_kind draw(struct series *series, struct series_record *record,
                            struct error *error)
{
    const struct output_options *output = series->options.output;
    const struct error *cut_short = series->cut_short;
    struct plots plots = {.folder = record->files.folder,
                          .manifest = record->manifest.json,
                          .warnings = record->manifest.warnings,
                          .formats = output->plots,
                          .interrupts = series->targets.signals};
    const char *nothing = series->user->name_plots(series->context, &plots),
               *like[OPTIONS_TOPOLOGIES_MAX];
    for (size_t i = 0; i < series->record_count; i++)
        like[i] = series->records[i].files.folder;
    if (plots.kind == PLOTS_OF_RUN || plots.kind == PLOTS_OF_PLAN)
        plots.like = like, plots.like_count = series->record_count;
    manifest_date(&record->manifest, &record->files);
    progress_show_step(&series->progress,
                       cut_short == NULL || cut_short->kind != ERROR_INTERRUPTED
                           ? "drawing the plots"
                           : "drawing the plots; interrupt again to end at once");
    enum plots_end end = plots_draw(&plots);
    progress_clear(&series->progress);
    if (end == PLOTS_NOTHING && nothing != NULL && cut_short == NULL && !output->quiet)
        complain_mildly("no plots in %s: %s", plots.folder, nothing);
    if (end == PLOTS_SKIPPED)
        series_warn(series, record, "the plots are skipped: %s", plots.why);
    if (end != PLOTS_INTERRUPTED)
        return ERROR_NONE;
    manifest_warn(&record->manifest, "interrupted: the plots are not drawn");
    return error_raise(error, ERROR_INTERRUPTED, 0, series->options.subcommand,
                       "the plots are not drawn");
}

/* Keeps the attempts that were made again. */
static enum error_kind save_made_again(const struct series_record *record, struct error *error)
{
    return record->made_again.rows == 0
               ? ERROR_NONE
               : file_set_save_table(record->files.folder, &record->made_again, "made_again.csv",
                                     error);
}

/* Of a series that ended early. */
static void add_share(struct series_record *record)
{
    const struct finding share = {.slug = "trials",
                                  .subject = "trials",
                                  .verdict = VERDICT_MEASURED,
                                  .figure = FINDING_FIGURE((double)record->files.trials),
                                  .n = record->planned};
    if (record->files.trials < record->planned)
        findings_add(&record->findings, &share, "trials: %zu of the %zu that were planned",
                     record->files.trials, record->planned);
}

/* Its files are closed and complete, whereupon all records are; the first error is the one that
 * counts. */
static void close_record(struct series *series, struct series_record *record, struct error *error)
{
    const struct series_user *user = series->user;
    const struct file_set *files = &record->files;
    enum error_kind kind = file_set_close(&record->files, error);
    bool whole = kind == ERROR_NONE && files->trials > 0;
    enum error_kind written =
        user->finish != NULL ? user->finish(series->context, record, whole, error) : ERROR_NONE;
    kind = kind == ERROR_NONE ? written : kind;
    if (files->trials == 0 || kind != ERROR_NONE)
        return;
    series_warn_of_losses(series, record);
    add_share(record);
    kind = save_made_again(record, error);
    if (kind == ERROR_NONE && record->findings.rows > 0)
        (void)!file_set_save_table(files->folder, &record->findings, NULL, error);
}

/* Its plots, which look at all records, and its manifest. */
static void describe_record(struct series *series, struct series_record *record,
                            struct error *error)
{
    const struct series_user *user = series->user;
    const struct file_set *files = &record->files;
    enum error_kind kind = error->kind;
    if (files->trials == 0)
        return;
    if (kind == ERROR_NONE && !files->broken && user->name_plots != NULL &&
        !series->options.output->no_files)
        kind = draw(series, record, error);
    struct error second;
    bool good = kind == ERROR_NONE;
    manifest_set(&record->manifest, "noise", noise_watch_describe(&series->noise));
    enum error_kind written =
        manifest_write(&record->manifest, files, record->planned, series->cut_short,
                       good ? NULL : error, good ? error : &second);
    kind = kind == ERROR_NONE ? written : kind;
    record->whole = kind == ERROR_NONE && !files->broken;
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
    struct error errors[OPTIONS_TOPOLOGIES_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        close_record(series, &series->records[i], &errors[i]);
    for (size_t i = 0; i < count; i++) {
        describe_record(series, &series->records[i], &errors[i]);
        status = complain_if_new(series, status, &errors[i]);
    }
    struct error error = {0};
    if (series->user->join != NULL)
        (void)!series->user->join(series->context, &error);
    return complain_if_new(series, status, &error);
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int complain_of_leftovers(const struct series *series, int status)
{
    int left = series->left.kind != ERROR_NONE ? complain(&series->left) : 0;
    return status != 0 ? status : left;
}

static void print_record(const struct series *series, const struct series_record *record,
                         const struct series_view *view)
{
    bool colours = terminal_abilities(STDOUT_FILENO).colours;
    if (series->options.target->topology_count > 1)
        printf("\n%s: %zu server%s\n\n", record->target, record->servers,
               record->servers == 1 ? "" : "s");
    view->write(series->context, record);
    if (record->findings.rows > 0)
        putchar('\n');
    if (series->options.output->brief)
        findings_print_brief(&record->findings, colours, SERIES_BRIEF_FINDINGS, stdout);
    else
        findings_print(&record->findings, colours, stdout);
    if (!series->options.output->no_files)
        printf("\nresults in %s\n", record->files.folder);
}

static json_t *describe_results(const struct series *series, const struct series_record *record,
                                const struct series_view *view)
{
    json_t *json = manifest_result(&record->manifest, record->files.folder, record->servers,
                                   view->cells(series->context, record));
    json_object_set_new(json, "findings", json_result_rows(&record->findings));
    return json;
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
            findings_complain(&record->findings, series_where(series, record, where));
        if (output->json)
            json_array_append_new(list, describe_results(series, record, view));
        else if (!output->quiet)
            print_record(series, record, view);
    }
    if (output->json)
        json_result_write(json_pack("{s:s, s:O}", "verdict", verdict_word(worst), "results", list),
                          stdout);
    json_decref(list);
    return verdict_status(worst);
}

/* Makes the trials on the open targets. */
static enum error_kind make_trials(struct series *series, struct error *error)
{
    enum error_kind kind = series->user->run != NULL ? series->user->run(series->context, error)
                                                     : make_rounds(series, error);
    return targets_find_cause(&series->targets, kind, error);
}

/* Nothing is said of a reader who has seen enough. */
static int complain_of(const struct series *series, const struct error *error)
{
    return error->kind == ERROR_UNREAD ? error_exit_status(error->kind)
                                       : complain_about(series->options.subcommand, error);
}

/* Records that were opened before an error have no trials: closing them removes them. */
int series_run(struct series *series, int argc, char **argv)
{
    struct error error = {0};
    series->argc = argc;
    series->argv = argv;
    enum error_kind kind = prepare(series, &error);
    if (kind == ERROR_NONE)
        kind = make_trials(series, &error);
    heed_interruption(series, &error);
    if (series->interrupted)
        signals_read(series->targets.signals);      /* the next one leaves out the plots */
    targets_close(&series->targets, &series->left); /* before plots and tables: nobody waits */
    series->cut_short = kind != ERROR_NONE ? &error : NULL;
    int closed = close_records(series), verdict = 0;
    int written =
        trials_kept(series) > 0 ? series->user->print_results(series->context, &verdict) : 0;
    int status = kind != ERROR_NONE ? complain_of(series, &error) : closed != 0 ? closed : written;
    print_nothing(series);
    status = complain_of_leftovers(series, status);
    /* What fails outweighs everything else, and an error what is not valid. */
    return verdict == 1 || status == 0 ? verdict : status;
}
