// SPDX-License-Identifier: Apache-2.0
#include "bench/run.h"

#include "base/clock.h"
#include "base/output.h"
#include "bench/cells.h"
#include "bench/complain.h"
#include "bench/fits.h"
#include "bench/machine.h"
#include "bench/manifest.h"
#include "bench/options.h"
#include "bench/plots.h"
#include "bench/progress.h"
#include "bench/results.h"
#include "bench/sample.h"
#include "bench/table.h"
#include "bench/target.h"
#include "bench/waiters.h"
#include "trial/trial.h"
#include "zk/library.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The discarded cell: a JVM that has just started is slow, and the first trials would pay for it.
 */
#define WARM_UP_CLIENTS 64
/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

/* The run's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

struct run {
    struct options options;
    struct target target;
    struct cells cells;
    struct results results;
    struct manifest manifest;
    struct progress progress;
    struct samples samples;
    struct waiters *waiters[OPTIONS_RECIPES_MAX];
    struct sample_context context;
    bool told_why;                 /* the counts are not reconciled */
    int signals;                   /* a signalfd: readable when the run is to end */
    const struct fault *cut_short; /* why the run ended before its last trial; NULL: it did not */
};

/* ------------------------------------------------------------------ remarks */

__attribute__((format(printf, 2, 3))) static void warn(struct run *run, const char *format, ...)
{
    char warning[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
    progress_clear(&run->progress);
    if (!run->options.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&run->manifest, warning);
}

/* Why the servers' counts are not held against ours is said once a run. */
static void warn_once(struct run *run, const char *why)
{
    if (!run->told_why)
        warn(run, "the counts are not reconciled with the servers': %s", why);
    run->told_why = true;
}

/* ------------------------------------------------------------------ one trial */

static struct trial_plan plan_of(const struct run *run, const struct cell *cell, const char *root)
{
    const struct options *options = &run->options;
    return (struct trial_plan){
        .recipe = cell->recipe,
        .workload = options->workload,
        .pace = options->pace,
        .driver = options->driver,
        .hold = options->hold,
        .clients = cell->clients,
        .locks = options->locks,
        .processes = options->processes,
        .handoffs = options_handoffs(options, cell->clients),
        .duration_ns = options->duration_ns,
        .timeout_ns = options->timeout_ns,
        .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
        .seed = options->seed + cell->trial,
        .root = root,
        .servers = &run->target.servers,
    };
}

static struct trial_host host_of(struct run *run)
{
    return (struct trial_host){
        .steward = run->target.steward,
        .private_server = run->target.private_server,
        .watch = {progress_show, &run->progress, run->signals},
    };
}

static struct waiters *waiters_of(struct run *run, const struct recipe *recipe)
{
    size_t i = 0;
    while (run->options.recipes[i] != recipe)
        i++;
    return run->waiters[i];
}

/* Takes down what a finished trial has shown. */
static enum fault_kind keep(struct run *run, const struct cell *cell,
                            const struct trial_result *result, struct fault *fault)
{
    struct sample sample;
    enum fault_kind kind = FAULT_NONE;
    sample_take(cell, result, &sample);
    if (sample.complete && sample.violations == 0)
        kind =
            waiters_add(waiters_of(run, cell->recipe), result, sample.valid, &sample.beta, fault);
    if (kind == FAULT_NONE)
        kind = samples_add(&run->samples, &sample, fault);
    if (kind != FAULT_NONE)
        return kind;
    manifest_sessions(&run->manifest, result->board);
    if (result->not_reconciled[0] != '\0')
        warn_once(run, result->not_reconciled);
    return results_add(&run->results, &run->context, &sample, result, fault);
}

static enum fault_kind run_cell(struct run *run, size_t at, struct fault *fault)
{
    const struct cell *cell = &run->cells.list[at];
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%zu", run->target.root, at);
    struct trial_plan plan = plan_of(run, cell, root);
    struct trial_host host = host_of(run);
    run->progress.at = at;
    uint64_t began_ns = clock_now_ns();
    enum fault_kind kind = trial_run(&plan, &host, &result, fault);
    if (kind != FAULT_NONE)
        return kind;
    cells_learn(&run->cells, cell->recipe, cell->rpcs, clock_now_ns() - began_ns);
    kind = keep(run, cell, result, fault);
    trial_result_free(result);
    return kind;
}

/* A discarded trial of each recipe, which also tells how fast this machine is. */
static enum fault_kind warm_up(struct run *run, struct fault *fault)
{
    progress_say(&run->progress, "warming up");
    for (size_t i = 0; i < run->options.recipe_count; i++) {
        uint64_t most = run->options.clients[run->options.level_count - 1];
        uint32_t clients = most < WARM_UP_CLIENTS ? (uint32_t)most : WARM_UP_CLIENTS;
        struct cell cell = {.recipe = run->options.recipes[i], .clients = clients};
        struct trial_result *result = NULL;
        char root[TRIAL_ROOT_MAX];
        snprintf(root, sizeof root, "%s/w%zu", run->target.root, i);
        struct trial_plan plan = plan_of(run, &cell, root);
        struct trial_host host = host_of(run);
        host.watch.progress = NULL;
        plan.workload = WORKLOAD_DRAIN;
        plan.hold.mean_ns = 0;
        plan.locks = plan.processes = 1;
        uint64_t began_ns = clock_now_ns();
        enum fault_kind kind = trial_run(&plan, &host, &result, fault);
        if (kind != FAULT_NONE)
            return kind;
        cells_learn(&run->cells, cell.recipe, tally_rpcs(&result->total),
                    clock_now_ns() - began_ns);
        trial_result_free(result);
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ before the first trial */

static void warn_of_limits(struct run *run)
{
    const struct options *options = &run->options;
    uint64_t most_rpcs = 0, most_clients = options->clients[options->level_count - 1];
    for (size_t i = 0; i < run->cells.count; i++) {
        if (run->cells.list[i].rpcs > most_rpcs)
            most_rpcs = run->cells.list[i].rpcs;
    }
    if (most_rpcs / options->processes > REQUESTS_PER_PROCESS)
        warn(run, "a trial makes more requests than the client library can number in one process: "
                  "spread it with --processes");
    if (most_clients / run->target.servers.count > machine_local_ports())
        warn(run, "more clients than local ports for one server (net.ipv4.ip_local_port_range): "
                  "not all of them will get a connection");
}

static enum fault_kind allow_descriptors(const struct options *options, struct fault *fault)
{
    uint64_t most = options->clients[options->level_count - 1];
    uint64_t in_one_process = most / options->processes + 1;
    /* The multi-threaded library has a pipe for each session beside its socket. */
    if (options->driver == DRIVER_THREADS)
        in_one_process *= 3;
    /* A private server holds all of them, and inherits the limit. */
    return machine_allow_descriptors(
        options->connect || in_one_process > most ? in_one_process : most, fault);
}

/* Ctrl-C, a hang-up and SIGTERM end the run in good order from here on. */
static int block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static enum fault_kind new_waiters(struct run *run, struct fault *fault)
{
    uint64_t most = run->options.clients[run->options.level_count - 1];
    for (size_t i = 0; i < run->options.recipe_count; i++) {
        enum fault_kind kind = waiters_new(run->options.recipes[i], most, &run->waiters[i], fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* The folder is made when there is something to write; what would stop it then is told before a
 * server is started. */
static enum fault_kind check_out(const char *out, struct fault *fault)
{
    if (out != NULL && access(out, F_OK) == 0)
        return fault_raise(fault, FAULT_EXISTS, 0, out, "%s", "");
    return FAULT_NONE;
}

/* Told before a server is started, and not by each worker. The steward is on events always. */
static enum fault_kind check_libraries(const struct options *options, struct fault *fault)
{
    struct library library;
    enum fault_kind kind = library_load(LIBRARY_ST, &library, fault);
    if (kind == FAULT_NONE && options->driver == DRIVER_THREADS)
        kind = library_load(LIBRARY_MT, &library, fault);
    return kind;
}

static enum fault_kind prepare(struct run *run, int argc, char **argv, struct fault *fault)
{
    enum fault_kind kind = check_out(run->options.out, fault);
    if (kind == FAULT_NONE)
        kind = check_libraries(&run->options, fault);
    if (kind == FAULT_NONE)
        kind = allow_descriptors(&run->options, fault);
    if (kind == FAULT_NONE)
        kind = cells_init(&run->cells, &run->options, fault);
    if (kind == FAULT_NONE)
        kind = new_waiters(run, fault);
    if (kind != FAULT_NONE)
        return kind;
    progress_init(&run->progress, &run->cells, run->options.quiet);
    progress_say(&run->progress,
                 run->options.connect ? "looking at the servers" : "starting a private server");
    kind = target_open(&run->options, &run->target, fault);
    progress_clear(&run->progress);
    if (kind != FAULT_NONE)
        return kind;
    run->signals = block_signals();
    kind = target_make_root(&run->target, fault);
    if (kind != FAULT_NONE)
        return kind;
    manifest_begin(&run->manifest, argc, argv, &run->options, &run->target);
    warn_of_limits(run);
    kind = results_open(&run->results, run->options.out, run->target.name, run->cells.count, fault);
    run->context = (struct sample_context){run->results.run, run->target.name,
                                           run->target.servers.count, &run->options};
    return kind;
}

/* ------------------------------------------------------------------ after the last trial */

/* Writes a CSV file whose rows come from one of the writers below. */
static enum fault_kind write_csv(const struct run *run, const char *name, const char *columns,
                                 void (*write_rows)(const struct run *run, struct csv *csv),
                                 struct fault *fault)
{
    struct output file = {0};
    enum fault_kind kind = output_open(&file, run->results.folder, name, fault);
    if (kind != FAULT_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    csv_header(&csv, columns);
    write_rows(run, &csv);
    kind = output_finish(&file, fault);
    if (kind != FAULT_NONE)
        output_abandon(&file);
    return kind;
}

static void write_waiters(const struct run *run, struct csv *csv)
{
    for (size_t i = 0; i < run->options.recipe_count; i++)
        waiters_write(run->waiters[i], run->results.run, csv);
}

static void write_fits(const struct run *run, struct csv *csv)
{
    for (size_t i = 0; i < run->options.recipe_count; i++)
        fits_write(&run->samples, run->waiters[i], &run->context, csv);
}

static void draw(struct run *run)
{
    char why[640];
    progress_say(&run->progress, "drawing the plots");
    if (!plots_draw(&run->results, &run->options, why, sizeof why))
        warn(run, "the plots are skipped: %s", why);
    progress_clear(&run->progress);
}

static void tell(const struct run *run)
{
    table_write_failures(&run->samples, stderr);
    if (run->options.quiet)
        return;
    table_write(&run->samples, &run->options, stdout);
    fputc('\n', stdout);
    for (size_t i = 0; i < run->options.recipe_count; i++)
        fits_tell(&run->samples, run->waiters[i], stdout);
    table_write_leaks(&run->samples, &run->options, stdout);
    printf("\nresults in %s\n", run->results.folder);
}

/* Closes the files, and adds those that need all trials. The first fault is the one that counts. */
static enum fault_kind finish(struct run *run, struct fault *fault)
{
    enum fault_kind kind = results_close(&run->results, fault);
    if (run->results.trials == 0)
        return kind;
    if (kind == FAULT_NONE)
        kind = write_csv(run, "waiters.csv", waiters_columns, write_waiters, fault);
    if (kind == FAULT_NONE)
        kind = write_csv(run, "fits.csv", fits_columns, write_fits, fault);
    if (kind == FAULT_NONE && run->cut_short == NULL)
        draw(run);
    /* Tried in any case: it says how far the run came. */
    struct fault telling;
    enum fault_kind told = manifest_write(&run->manifest, &run->results, run->cut_short,
                                          run->cells.count, kind == FAULT_NONE ? fault : &telling);
    return kind == FAULT_NONE ? told : kind;
}

static int verdict(const struct run *run)
{
    bool valid = true;
    for (size_t i = 0; i < run->samples.count; i++) {
        if (run->samples.list[i].violations > 0)
            return 1;
        valid = valid && run->samples.list[i].valid;
    }
    return valid ? 0 : 4;
}

/* ------------------------------------------------------------------ the whole */

static enum fault_kind run_cells(struct run *run, struct fault *fault)
{
    enum fault_kind kind = warm_up(run, fault);
    if (kind != FAULT_NONE)
        return kind;
    progress_announce(&run->progress);
    for (size_t at = 0; kind == FAULT_NONE && at < run->cells.count; at++)
        kind = run_cell(run, at, fault);
    progress_clear(&run->progress);
    return kind;
}

static void release(struct run *run)
{
    target_close(&run->target);
    manifest_deinit(&run->manifest);
    for (size_t i = 0; i < run->options.recipe_count; i++)
        waiters_free(run->waiters[i]);
    samples_deinit(&run->samples);
    cells_deinit(&run->cells);
    options_deinit(&run->options);
    if (run->signals >= 0)
        close(run->signals);
}

/* A private server that has ended shows as a connection that is lost or refused. */
static enum fault_kind find_cause(const struct run *run, enum fault_kind kind, struct fault *fault)
{
    const struct server *server = run->target.private_server;
    uint64_t ignored;
    if (kind == FAULT_NONE || kind == FAULT_INTERRUPTED || server == NULL || server_alive(server))
        return kind;
    return server_cpu_ns(server, &ignored, fault); /* FAULT_SERVER_DIED, with its log */
}

/* From the open target to the verdict. */
static int lead(struct run *run)
{
    struct fault fault = {0}, finishing = {0};
    enum fault_kind kind = find_cause(run, run_cells(run, &fault), &fault);
    run->cut_short = kind != FAULT_NONE ? &fault : NULL;
    target_close(&run->target); /* before plots and tables: nobody waits for them */
    enum fault_kind finished = finish(run, &finishing);
    if (run->samples.count > 0)
        tell(run);
    int status = kind != FAULT_NONE ? complain(&fault) : 0;
    if (finished != FAULT_NONE && finished != kind)
        status = complain(&finishing);
    int judged = verdict(run);
    return status != 0 && judged != 1 ? status : judged;
}

int run_main(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    struct fault fault = {0};
    int status;
    if (run == NULL)
        return complain(&(struct fault){.kind = FAULT_NO_MEMORY, .subject = "run"});
    run->signals = -1;
    switch (options_parse(argc, argv, &run->options)) {
    case OPTIONS_HELP:
        options_help();
        free(run);
        return 0;
    case OPTIONS_WRONG:
        free(run);
        return fault_exit_status(FAULT_USAGE);
    case OPTIONS_RUN:
        break;
    }
    status = prepare(run, argc, argv, &fault) == FAULT_NONE ? lead(run) : complain(&fault);
    release(run);
    free(run);
    return status;
}
