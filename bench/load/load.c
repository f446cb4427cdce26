// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/cli/signals.h"
#include "bench/cli/standard_output.h"
#include "bench/load/live.h"
#include "bench/load/load_record.h"
#include "bench/output/folder.h"
#include "bench/target/data.h"
#include "bench/target/resources.h"
#include "bench/target/targets.h"

#include <stdio.h>
#include <stdlib.h>

/* The load's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80
/* What a trial takes beside its warm-up and its measured time, about. */
#define OVERHEAD_NS NS_PER_S

struct load {
    struct load_options options;
    struct targets targets;
    struct load_record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    size_t record_count;
    struct load_cells cells;
    struct progress progress; /* before the first trial, and after the last */
    struct live live;
    char left_out[512]; /* which numbers of sessions, and why; "": none */
    struct error left;  /* ERROR_LEFT_BEHIND: znodes that could not be removed */
    bool made_data;     /* the folder of --data */
};

static uint64_t most_sessions(const struct load *load)
{
    return load->options.sessions.list[load->options.sessions.count - 1];
}

/* ------------------------------------------------------------------ one trial */

static struct load_plan plan_of(const struct load *load, const struct load_cell *cell,
                                const char *root)
{
    const struct load_options *options = &load->options;
    return (struct load_plan){
        .fleet = {.driver = options->target.driver,
                  .sessions = cell->sessions,
                  .processes = options->processes,
                  .depth = options->depth,
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + cell->trial,
                  .servers = &load->targets.list[cell->topology].placement},
        .mix = cell->mix,
        .rate_per_s = cell->rate_per_s,
        .poisson = options->poisson,
        .value_bytes = options->value_bytes,
        .znodes = options->znodes,
        .watch_percent = options->watch_percent,
        .warm_up_ns = options->warm_up_ns,
        .seconds = (uint32_t)(options->duration_ns / NS_PER_S),
        .root = root,
    };
}

static enum error_kind run_cell(struct load *load, size_t at, struct error *error)
{
    const struct load_cell *cell = &load->cells.list[at];
    const struct target *target = &load->targets.list[cell->topology];
    struct load_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    struct load_plan plan = plan_of(load, cell, root);
    const struct load_host host = {
        target->setup,
        &target->servers,
        target->ensemble,
        &target->simulation,
        {live_show, &load->live, load->targets.signals},
    };
    live_begin(&load->live, at, cell, load->targets.count > 1 ? target->name : "");
    enum error_kind kind = load_run(&plan, &host, &result, error);
    live_clear(&load->live);
    if (kind != ERROR_NONE)
        return kind;
    kind = load_record_add(&load->records[cell->topology], cell, result, error);
    load_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind open_records(struct load *load, int argc, char **argv, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < load->targets.count; i++) {
        char folder[PATH_MAX];
        const char *out;
        kind = targets_folder(&load->targets, i, load->options.output.out, folder, &out, error);
        if (kind == ERROR_NONE)
            kind = load_record_open(&load->records[i], &load->options, &load->targets.list[i], out,
                                    load->cells.count / load->targets.count, argc, argv, error);
        load->record_count += kind == ERROR_NONE;
        if (kind == ERROR_NONE && load->left_out[0] != '\0')
            load_record_warn(&load->records[i], load->left_out);
        const char *warning =
            resources_warning(&load->options.target, load->targets.list[i].servers.count);
        if (kind == ERROR_NONE && warning != NULL)
            load_record_warn(&load->records[i], warning);
    }
    return kind;
}

/* On servers that are somebody's. */
static void tell_load(const struct load *load)
{
    const struct load_options *options = &load->options;
    const struct target *target = &load->targets.list[0];
    char where[CONNECT_TEXT_SIZE], sessions[32], time[32], rate[64] = "in a closed loop";
    if (!options->target.connect || target->stands || options->output.quiet)
        return;
    text_format_count(most_sessions(load), sessions, sizeof sessions);
    text_format_duration(load->cells.count * load->live.trial_ns, time, sizeof time);
    if (options->rates.count > 0)
        snprintf(rate, sizeof rate, "at most %llu a second",
                 (unsigned long long)options->rates.list[options->rates.count - 1]);
    complain_mildly("on %s: at most %s sessions at a time, each with at most %u requests "
                    "outstanding, %s, for about %s; others who use these servers will notice",
                    connect_typed(&target->placement, where, sizeof where), sessions,
                    options->depth, rate, time);
}

static enum error_kind lay_out_cells(struct load *load, struct error *error)
{
    struct load_options *options = &load->options;
    enum error_kind kind =
        capacity_fit(&load->targets.list[0].capacity, options->target.max_clients,
                     &options->sessions, load->left_out, sizeof load->left_out, error);
    if (kind == ERROR_NONE)
        kind = load_cells_init(&load->cells, options, error);
    live_init(&load->live, load->cells.count,
              options->warm_up_ns + options->duration_ns + OVERHEAD_NS, options->output.quiet);
    return kind;
}

static enum error_kind prepare(struct load *load, int argc, char **argv, struct error *error)
{
    const struct load_options *options = &load->options;
    enum error_kind kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE && !options->output.quiet)
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = resources_check(&options->target, most_sessions(load), options->processes, error);
    if (kind == ERROR_NONE)
        kind = data_prepare(&options->target, &load->made_data, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&load->progress, 0, options->output.quiet);
    if (options->target.driver != DRIVER_SIMULATED)
        progress_say(&load->progress, options->target.connect ? "looking at the servers"
                                                              : "starting private servers");
    kind = targets_open(&load->targets, &options->target, most_sessions(load), error);
    progress_clear(&load->progress);
    if (kind == ERROR_NONE)
        kind = lay_out_cells(load, error);
    if (kind == ERROR_NONE)
        kind = open_records(load, argc, argv, error);
    if (kind == ERROR_NONE)
        tell_load(load);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static void release(struct load *load)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        load_record_free(&load->records[i]);
    targets_deinit(&load->targets, load->options.output.out);
    data_remove(&load->options.target, load->made_data);
    live_deinit(&load->live);
    load_cells_deinit(&load->cells);
    load_options_deinit(&load->options);
}

/* Closes all records, whether or not one fails; complains about the first error that is not the one
 * that has cut the load short, about which the caller complains. */
static int close_records(struct load *load, const struct error *cut_short)
{
    int status = 0;
    for (size_t i = 0; i < load->record_count; i++) {
        struct error error = {0};
        enum error_kind kind = load_record_close(&load->records[i], cut_short, &error);
        if (kind != ERROR_NONE && status == 0 && (cut_short == NULL || kind != cut_short->kind))
            status = complain(&error);
    }
    return status;
}

static int tell_records(const struct load *load)
{
    int status = 0;
    for (size_t i = 0; i < load->record_count; i++) {
        struct error error;
        if (load->records[i].samples.count > 0 &&
            load_record_tell(&load->records[i], &error) != ERROR_NONE && status == 0)
            status = complain(&error);
    }
    return status;
}

/* A count that differs outweighs everything else, and an error a trial that is not valid. */
static int judge(const struct load *load, int status)
{
    for (size_t i = 0; i < load->record_count; i++) {
        int judged = load_record_verdict(&load->records[i]);
        if (judged == 1 || (judged != 0 && status == 0))
            status = judged;
        if (judged == 1)
            break;
    }
    return status;
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int tell_left(const struct load *load, int status)
{
    int left = load->left.kind != ERROR_NONE ? complain(&load->left) : 0;
    return status != 0 ? status : left;
}

/* From the open targets to the verdict. */
static int lead(struct load *load)
{
    struct error error = {0};
    enum error_kind kind = ERROR_NONE;
    for (size_t at = 0; kind == ERROR_NONE && at < load->cells.count; at++)
        kind = run_cell(load, at, &error);
    kind = targets_find_cause(&load->targets, kind, &error);
    targets_close(&load->targets, &load->left); /* before the table: nobody waits for it */
    int closed = close_records(load, kind != ERROR_NONE ? &error : NULL);
    int written = tell_records(load);
    int status = kind != ERROR_NONE ? complain(&error) : closed != 0 ? closed : written;
    return judge(load, tell_left(load, status));
}

/* Records that were opened before an error have no trials: closing them removes them. */
static int prepare_and_lead(struct load *load, int argc, char **argv)
{
    struct error error = {0};
    if (prepare(load, argc, argv, &error) == ERROR_NONE)
        return lead(load);
    int status =
        error.kind == ERROR_UNREAD ? error_exit_status(error.kind) : complain_about("load", &error);
    close_records(load, &error);
    targets_close(&load->targets, &load->left);
    return tell_left(load, status);
}

int load_main(int argc, char **argv)
{
    struct load *load = calloc(1, sizeof *load);
    if (load == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "load"});
    load->targets.signals = -1;
    int status = load_options_parse(argc, argv, &load->options);
    if (status == ARGUMENTS_GO) {
        status = prepare_and_lead(load, argc, argv);
        release(load);
    }
    free(load);
    return status;
}
