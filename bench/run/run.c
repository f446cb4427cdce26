// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The run's root znode and a discarded trial's name below it. */
#define TRIAL_ROOT_MAX 80

struct run {
    struct series base;
    struct options options;
    struct record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct cell *cells;
    struct cell cell; /* of the present trial */
};

/* ------------------------------------------------------------------ one trial */

/* The progress callback of a trial; one that is discarded is not shown. */
static void show(void *context, const struct trial_progress *trial)
{
    struct run *run = context;
    char what[128];
    if (run->base.trial != NULL) {
        snprintf(what, sizeof what, "%s n=%u", run->cell.recipe->name, run->cell.clients);
        const struct progress_name name = {series_topology(&run->base), what, run->cell.trial,
                                           run->cell.clients};
        progress_show(&run->base.progress, &name, trial);
    }
}

/* Runs a plan on a target, with the load of --background unless `figures` is NULL: without that
 * load there is no trial. */
static enum error_kind run_plan(struct run *run, size_t topology, struct trial_plan *plan,
                                const char *root, struct background_figures *figures,
                                struct trial_result **result, struct error *error)
{
    const struct target *target = &run->base.targets.list[topology];
    const struct background_options *options = &run->options.plan.background;
    const struct fleet_host host = target_host(target, run->base.targets.signals);
    const struct trial_watch watch = {.progress = show, .context = run};
    plan->root = root;
    plan->fleet.servers = &target->placement;
    plan->fleet.seed = run->options.plan.seed + (run->base.trial != NULL ? run->cell.trial : 0);
    if (figures == NULL || !options->given)
        return trial_run(plan, &host, &watch, result, error);
    struct background background = {0};
    const struct background_plan load = {
        .mix = options->mix, .rate_per_s = options->rate_per_s, .alone_s = BACKGROUND_ALONE_S};
    enum error_kind kind =
        background_run(&background, &load, plan, &host, &watch, figures, result, error);
    return kind == ERROR_NONE && *result == NULL
               ? error_raise(error, ERROR_SESSION_LOST, 0, "background", "%s", figures->ended)
               : kind;
}

static enum error_kind make(void *context, struct error *error)
{
    struct run *run = context;
    struct cell *cell = &run->cell;
    *cell = run->cells[run->base.trial->cell];
    cell->trial = run->base.trial->number;
    struct trial_result *result = NULL;
    struct background_figures background = {0};
    struct trial_plan plan = cell_plan(&run->options, cell->recipe, cell->clients);
    enum error_kind kind =
        run_plan(run, cell->place.topology, &plan, run->base.root, &background, &result, error);
    progress_clear(&run->base.progress);
    if (kind == ERROR_NONE)
        kind = record_add(&run->records[cell->place.topology], &run->base, cell, result,
                          &background, error);
    trial_result_free(result);
    return kind;
}

/* How much faster private servers are after the first trials, when their JVM has compiled its code.
 */
#define JVM_GAIN 1.5

/* Discarded trials, which also show how fast this machine is. */
static enum error_kind warm_up(struct run *run, struct error *error)
{
    const struct options *options = &run->options;
    enum error_kind kind = ERROR_NONE;
    bool is_fresh = !options->target.connect && options->target.driver != DRIVER_SIMULATED;
    double gain = is_fresh ? JVM_GAIN : 1;
    progress_show_step(&run->base.progress, "warming up");
    for (size_t topology = 0; topology < options->target.topology_count; topology++) {
        for (size_t i = 0; kind == ERROR_NONE && i < options->plan.recipe_count; i++) {
            struct trial_plan plan;
            struct trial_result *result = NULL;
            char root[TRIAL_ROOT_MAX];
            const struct cell cell = cells_warm_up(options, i, topology, &plan);
            uint64_t began_ns = clock_now_ns();
            snprintf(root, sizeof root, "%s/w%04zu", run->base.targets.list[topology].root, i);
            kind = run_plan(run, topology, &plan, root, NULL, &result, error);
            if (kind == ERROR_NONE)
                rounds_learn(&run->base.rounds, cell.place.alike, cell.place.cost,
                             (uint64_t)((double)(clock_now_ns() - began_ns) / gain));
            trial_result_free(result);
        }
    }
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind lay_out(void *context, struct error *error)
{
    struct run *run = context;
    (void)error;
    for (size_t i = 0; i < run->options.plan.recipe_count && !run->options.output.quiet; i++) {
        const struct recipe *recipe = run->options.plan.recipes[i];
        if (recipe->broken)
            complain_mildly("%s is broken on purpose: its verdict must fail", recipe->name);
    }
    run->base.plan = option_table_plan(&run->options);
    run->cells = cells_new(&run->options, &run->base.rounds);
    return ERROR_NONE;
}

static enum error_kind open_record(void *context, struct series_record *base, struct error *error)
{
    struct run *run = context;
    const struct target *target = &run->base.targets.list[base->topology];
    char versions[CONNECT_ENDPOINTS_MAX * (ENDPOINT_TEXT_SIZE + 80)];
    targets_describe_versions(target, versions, sizeof versions);
    if (versions[0] != '\0') /* what differs between the leader and a follower may be that, then */
        series_warn(&run->base, base, "the servers are of different versions: %s", versions);
    return record_open(&run->records[base->topology], &run->options, base, error);
}

static enum error_kind begin(void *context, struct error *error)
{
    struct run *run = context;
    char *demand = cells_describe_demand(&run->options, &run->base.rounds);
    series_announce_demand(&run->base, demand);
    free(demand);
    enum error_kind kind = warm_up(run, error);
    if (kind == ERROR_NONE)
        progress_announce(&run->base.progress, rounds_left_ns(&run->base.rounds, 0));
    return kind;
}

/* ------------------------------------------------------------------ after the last */

static enum error_kind finish(void *context, struct series_record *base, bool whole,
                              struct error *error)
{
    struct run *run = context;
    enum error_kind kind = record_finish(&run->records[base->topology], whole, error);
    if (base->topology > 0)
        run_findings_add_topology(run->records[0].outcome, run->records[base->topology].outcome,
                                  &base->findings);
    trial_findings_add_noise(&run_trials, &base->rows, &run->base.noise, base->made_again.rows,
                             &base->findings);
    return kind;
}

#define SCREEN_LINES   40
#define BRIEF_LINES    23 /* the 24th has the shell's prompt */
#define LINES_OF_FILES 3
#define LINES_OF_NAME  2 /* "simulated3: 3 servers", where there are several topologies */

/* The lines that the findings leave of a screen; of a brief one each topology has a part. */
static size_t lines_left(const struct table *findings, size_t topologies, bool brief)
{
    size_t length, screen = brief ? BRIEF_LINES / topologies : SCREEN_LINES,
                   used = LINES_OF_FILES + (topologies > 1 ? LINES_OF_NAME : 0),
                   left = screen > used ? screen - used : 0;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return 0;
    findings_print(findings, brief, false, stream);
    fclose(stream);
    for (const char *at = text; *at != '\0' && left > 0; at++)
        left -= *at == '\n';
    free(text);
    return left;
}

static void write_text(const void *context, const struct series_record *base)
{
    const struct run *run = context;
    bool brief = run->options.output.brief;
    screen_print(run->records[base->topology].outcome,
                 lines_left(&base->findings, run->base.record_count, brief), brief, stdout);
}

static json_t *describe_cells(const void *context, const struct series_record *base)
{
    return json_result_rows(&((const struct run *)context)->records[base->topology].outcome->cells);
}

/* The command for the results of several topologies is on a line of its own, to be copied. */
static int print_results(void *context)
{
    static const struct series_view view = {.write = write_text, .cells = describe_cells};
    const struct run *run = context;
    const struct output_options *output = &run->options.output;
    struct growing_text folders = {0};
    size_t whole = 0;
    for (size_t i = 0; i < run->base.record_count; i++) {
        const struct series_record *base = &run->base.records[i];
        if (base->whole)
            growing_text_add(&folders, " %s", base->files.folder);
        whole += base->whole;
    }
    page_add_series(&run->base);
    int status = series_print_results(&run->base, &view);
    if (whole > 1 && !output->json && !output->quiet && !output->no_files) {
        if (run->base.targets.made_out && !output->brief)
            printf("\nall in one page: %s/%s", output->out, PAGE_FILE);
        printf("%sto compare them: zkherd compare%s\n", output->brief ? "" : "\n", folders.text);
    }
    free(folders.text);
    return status;
}

/* ------------------------------------------------------------------ the whole */

static int run_series(struct run *run, int argc, char **argv)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .rows = &trial_row_table,
                                            .open_record = open_record,
                                            .begin = begin,
                                            .make = make,
                                            .finish = finish,
                                            .has_plots = true,
                                            .print_results = print_results};
    struct options *options = &run->options;
    const struct series_options of_series = {.subcommand = "run",
                                             .target = &options->target,
                                             .output = &options->output,
                                             .clients = &options->plan.clients,
                                             .processes = options->plan.processes,
                                             .seed = options->plan.seed,
                                             .verdict_of_nothing = verdict_word(VERDICT_NOT_VALID)};
    int status = series_run(&run->base, &of_series, &user, run, argc, argv);
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        record_deinit(&run->records[i]);
    series_deinit(&run->base);
    free(run->cells);
    return status;
}

int run_main(int argc, char **argv)
{
    struct run *run = memory_new(1, sizeof *run);
    int status = command_line_parse(argc, argv, &run->options);
    if (status == ARGUMENTS_GO) {
        status = run_series(run, argc, argv);
        options_deinit(&run->options);
    }
    free(run);
    return status;
}
