// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/signals.h"
#include "bench/cli/standard_output.h"
#include "bench/output/folder.h"
#include "bench/output/interruption.h"
#include "bench/output/load_joined.h"
#include "bench/target/data.h"
#include "bench/target/others.h"
#include "bench/target/resources.h"

#include <stdio.h>

/* The load's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80
/* What a trial takes beside its warm-up and its measured time, about. */
#define OVERHEAD_NS NS_PER_S

static uint64_t most_sessions(const struct load_series *series)
{
    return series->options->sessions.list[series->options->sessions.count - 1];
}

/* ------------------------------------------------------------------ one trial */

static struct load_plan plan_of(const struct load_series *series, const struct load_cell *cell,
                                const char *root)
{
    const struct load_options *options = series->options;
    return (struct load_plan){
        .fleet = {.driver = options->target.driver,
                  .sessions = cell->sessions,
                  .processes = options->processes,
                  .depth = mix_requests(&cell->mix, options->depth),
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + cell->trial,
                  .servers = &series->targets.list[cell->topology].placement},
        .mix = cell->mix,
        .rate_per_s = cell->rate_per_s,
        .poisson = options->poisson,
        .value_bytes = options->value_bytes,
        .znodes = options->znodes,
        .watch_percent = options->watch_percent,
        .warm_up_ns = options->warm_up_ns,
        .seconds = (uint32_t)(options->duration_ns / NS_PER_S),
        .faults = series->user->faults,
        .fault_count = series->user->fault_count,
        .root = root,
    };
}

static enum error_kind keep(struct load_series *series, const struct load_cell *cell,
                            const struct load_result *result, struct error *error)
{
    struct load_record *record = &series->records[cell->topology];
    enum error_kind kind = load_record_add(record, cell, result, error);
    if (kind != ERROR_NONE || series->user->keep == NULL)
        return kind;
    return series->user->keep(series->user->context,
                              &record->samples.list[record->samples.count - 1], result, error);
}

static enum error_kind run_cell(struct load_series *series, size_t at, struct error *error)
{
    const struct load_cell *cell = &series->cells.list[at];
    const struct target *target = &series->targets.list[cell->topology];
    struct load_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    struct load_plan plan = plan_of(series, cell, root);
    const struct load_host host = {
        target->setup,
        &target->servers,
        target->ensemble,
        &target->simulation,
        {live_show, &series->live, series->targets.signals},
    };
    live_begin(&series->live, at, cell, series->targets.count > 1 ? target->name : "");
    enum error_kind kind = load_run(&plan, &host, &result, error);
    live_clear(&series->live);
    if (kind != ERROR_NONE)
        return kind;
    if (cell->trial > 0)
        kind = keep(series, cell, result, error);
    load_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind open_records(struct load_series *series, int argc, char **argv,
                                    struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < series->targets.count; i++) {
        char folder[PATH_MAX];
        const char *out;
        kind =
            targets_folder(&series->targets, i, series->options->output.out, folder, &out, error);
        if (kind == ERROR_NONE)
            kind = load_record_open(
                &series->records[i], series->options, &series->targets.list[i], out,
                (series->cells.count - series->cells.rehearsals) / series->targets.count, argc,
                argv, error);
        series->record_count += kind == ERROR_NONE;
        if (kind == ERROR_NONE && series->user->warning != NULL)
            manifest_warn(&series->records[i].manifest, series->user->warning);
        if (kind == ERROR_NONE && series->left_out[0] != '\0')
            load_record_warn(&series->records[i], series->left_out);
        const char *warning =
            resources_warning(&series->options->target, series->targets.list[i].servers.count);
        if (kind == ERROR_NONE && warning != NULL)
            load_record_warn(&series->records[i], warning);
    }
    return kind;
}

/* On servers that are somebody's. */
static void tell_load(const struct load_series *series)
{
    const struct load_options *options = series->options;
    const struct target *target = &series->targets.list[0];
    const struct mix mix = load_options_mix(options, 0);
    uint32_t requests = mix_requests(&mix, options->depth);
    char where[CONNECT_TEXT_SIZE], sessions[32], time[32], number[32],
        rate[64] = "in a closed loop";
    if (!options->target.connect || target->stands || options->output.quiet)
        return;
    text_format_count(most_sessions(series), sessions, sizeof sessions);
    text_format_duration(series->cells.count * series->live.trial_ns, time, sizeof time);
    if (options->rates.count > 0)
        snprintf(rate, sizeof rate, "at most %s a second",
                 text_format_count(options->rates.list[options->rates.count - 1], number,
                                   sizeof number));
    complain_mildly("on %s: at most %s sessions at a time, each with at most %u request%s "
                    "outstanding, %s, for about %s; others who use these servers will notice",
                    connect_typed(&target->placement, where, sizeof where), sessions, requests,
                    requests == 1 ? "" : "s", rate, time);
}

/* Who uses them already. */
static void tell_others(const struct load_series *series)
{
    const struct load_options *options = series->options;
    const struct target *target = &series->targets.list[0];
    char where[CONNECT_TEXT_SIZE], clients[32], requests[32];
    if (!options->target.connect || options->output.quiet)
        return;
    struct others others = others_count(target);
    if (others.clients > 0)
        complain_mildly("on %s: %s other client%s connected, and send%s %s requests a second",
                        connect_typed(&target->placement, where, sizeof where),
                        text_format_count(others.clients, clients, sizeof clients),
                        others.clients == 1 ? " is" : "s are", others.clients == 1 ? "s" : "",
                        text_format_count(others.requests_per_s, requests, sizeof requests));
}

static enum error_kind lay_out_cells(struct load_series *series, struct error *error)
{
    struct load_options *options = series->options;
    enum error_kind kind =
        capacity_fit(&series->targets.list[0].capacity, options->target.max_clients,
                     &options->sessions, series->left_out, sizeof series->left_out, error);
    if (kind == ERROR_NONE)
        kind = load_cells_init(&series->cells, options, error);
    live_init(&series->live, series->cells.count,
              options->warm_up_ns + options->duration_ns + OVERHEAD_NS, options->output.quiet);
    return kind;
}

static enum error_kind prepare(struct load_series *series, int argc, char **argv,
                               struct error *error)
{
    const struct load_options *options = series->options;
    enum error_kind kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE && !options->output.quiet)
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = resources_check(&options->target, most_sessions(series), options->processes, error);
    if (kind == ERROR_NONE)
        kind = data_prepare(&options->target, &series->made_data, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&series->progress, 0, options->output.quiet);
    if (options->target.driver != DRIVER_SIMULATED)
        progress_say(&series->progress, options->target.connect ? "looking at the servers"
                                                                : "starting private servers");
    kind = targets_open(&series->targets, &options->target, most_sessions(series), error);
    progress_clear(&series->progress);
    if (kind == ERROR_NONE)
        kind = lay_out_cells(series, error);
    if (kind == ERROR_NONE)
        kind = open_records(series, argc, argv, error);
    if (kind == ERROR_NONE) {
        tell_load(series);
        tell_others(series);
    }
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* A folder for several targets gets the cells of all of them, and their plots. */
static enum error_kind join_records(const struct load_series *series, struct error *error)
{
    bool written;
    if (!series->targets.made_out)
        return ERROR_NONE;
    enum error_kind kind = load_joined_write(series->records, series->record_count,
                                             series->options->output.out, &written, error);
    if (kind != ERROR_NONE || !written)
        return kind;
    return load_joined_draw(series->options, series->targets.signals, error);
}

/* Complains about the first error that is not the one that has cut the series short, about which
 * the caller complains. Returns the exit status. */
static int tell_error(int status, const struct error *cut_short, const struct error *error)
{
    bool is_new = error->kind != ERROR_NONE && status == 0 &&
                  (cut_short == NULL || error->kind != cut_short->kind);
    return is_new ? complain(error) : status;
}

/* Closes all records, whether or not one fails. */
static int close_records(struct load_series *series, const struct error *cut_short)
{
    int status = 0;
    for (size_t i = 0; i < series->record_count; i++) {
        struct error error = {0};
        (void)!load_record_close(&series->records[i], cut_short, series->targets.signals, &error);
        status = tell_error(status, cut_short, &error);
    }
    struct error error = {0};
    (void)!join_records(series, &error);
    return tell_error(status, cut_short, &error);
}

/* What fails outweighs everything else, and an error what is not valid. */
static int weigh(int status, int verdict)
{
    return verdict == 1 || status == 0 ? verdict : status;
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int tell_left(const struct load_series *series, int status)
{
    int left = series->left.kind != ERROR_NONE ? complain(&series->left) : 0;
    return status != 0 ? status : left;
}

static size_t trials_kept(const struct load_series *series)
{
    size_t trials = 0;
    for (size_t i = 0; i < series->record_count; i++)
        trials += series->records[i].samples.count;
    return trials;
}

static int tell(const struct load_series *series, int *verdict)
{
    return trials_kept(series) > 0 ? series->user->tell(series, series->user->context, verdict) : 0;
}

/* Before the cells are laid out none are planned. */
static void reword_interruption(const struct load_series *series, struct error *error)
{
    interruption_reword(error, series->user->subcommand, "trial", trials_kept(series),
                        series->cells.count - series->cells.rehearsals);
}

/* From the open targets to the verdict. */
static int lead(struct load_series *series)
{
    struct error error = {0};
    enum error_kind kind = ERROR_NONE;
    for (size_t at = 0; kind == ERROR_NONE && at < series->cells.count; at++)
        kind = run_cell(series, at, &error);
    kind = targets_find_cause(&series->targets, kind, &error);
    series->interrupted = kind == ERROR_INTERRUPTED;
    reword_interruption(series, &error);
    if (series->interrupted)
        signals_take(series->targets.signals);      /* the next one leaves out the plots */
    targets_close(&series->targets, &series->left); /* before plots and tables: nobody waits */
    int closed = close_records(series, kind != ERROR_NONE ? &error : NULL);
    int verdict = 0, written = tell(series, &verdict);
    int status = kind != ERROR_NONE ? complain(&error) : closed != 0 ? closed : written;
    return weigh(tell_left(series, status), verdict);
}

/* Records that were opened before an error have no trials: closing them removes them. */
int load_series_lead(struct load_series *series, int argc, char **argv)
{
    struct error error = {0};
    if (prepare(series, argc, argv, &error) == ERROR_NONE)
        return lead(series);
    series->interrupted = error.kind == ERROR_INTERRUPTED;
    reword_interruption(series, &error);
    int status = error.kind == ERROR_UNREAD ? error_exit_status(error.kind)
                                            : complain_about(series->user->subcommand, &error);
    close_records(series, &error);
    targets_close(&series->targets, &series->left);
    return tell_left(series, status);
}

int load_series_verdict(const struct load_series *series)
{
    int verdict = 0;
    for (size_t i = 0; verdict != 1 && i < series->record_count; i++) {
        int judged = load_record_verdict(&series->records[i]);
        verdict = judged != 0 ? judged : verdict;
    }
    return verdict;
}

void load_series_init(struct load_series *series, struct load_options *options,
                      const struct load_series_user *user)
{
    *series = (struct load_series){.options = options, .user = user, .targets.signals = -1};
}

void load_series_deinit(struct load_series *series)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        load_record_free(&series->records[i]);
    targets_deinit(&series->targets, series->options->output.out);
    data_remove(&series->options->target, series->made_data);
    live_deinit(&series->live);
    load_cells_deinit(&series->cells);
}
