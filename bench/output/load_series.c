// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a trial takes beside its warm-up and its measured time, about. */
#define OVERHEAD_NS NS_PER_S

/* ------------------------------------------------------------------ before the first trial */

/* What must be the same on all hosts, a line each. */
static char *describe_settings(const struct load_series *series)
{
    const struct load_options *options = series->options;
    json_t *plan = load_options_plan(options), *value;
    struct growing_text text = {0};
    char servers[CONNECT_TEXT_SIZE];
    const char *name;
    growing_text_add(&text, "version %s %d\nhosts %u\nconnect %s\ndriver %s\n", version_text,
                     __BYTE_ORDER__, options->hosts,
                     connect_typed(&series->base.targets.list[0].servers, servers, sizeof servers),
                     options_drivers[options->target.driver]);
    json_object_foreach(plan, name, value)
    {
        char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
        growing_text_add(&text, "%s %s\n", name, dumped);
        free(dumped);
    }
    json_decref(plan);
    return text.text;
}

static enum error_kind meet(struct load_series *series, struct error *error)
{
    struct load_options *options = series->options;
    char *settings = describe_settings(series);
    const struct meeting_plan plan = {.servers = &options->meet,
                                      .hosts = options->hosts,
                                      .timeout_ns = options->meet_timeout_ns,
                                      .settings = settings,
                                      .interrupts = series->base.targets.signals};
    struct meeting *meeting;
    options->meet.identity = options->target.servers.identity;
    progress_show_step(&series->base.progress, "waiting for the other hosts");
    enum error_kind kind = meeting_join(&plan, &meeting, error);
    progress_clear(&series->base.progress);
    free(settings);
    if (kind != ERROR_NONE)
        return kind;
    series->hosts = (struct load_hosts){.meeting = meeting,
                                        .list = memory_new(plan.hosts, sizeof *series->hosts.list)};
    series->base.follows = meeting->rank > 0;
    series->base.targets.list[0].setup->beside = meeting->session->loop.event_loop;
    if (series->base.follows && !options->output.quiet)
        complain_mildly("host %u of %u (%s): host 0 (%s) leads", meeting->rank, plan.hosts,
                        meeting->members[meeting->rank].name, meeting->members[0].name);
    return ERROR_NONE;
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct load_series *series = context;
    const struct load_options *options = series->options;
    struct rounds *rounds = &series->base.rounds;
    size_t mixes = load_options_mixes(options), rates = load_options_rates(options),
           sessions = options->sessions.count;
    if (options->hosts > 0 && meet(series, error))
        return error->kind;
    series->base.plan = load_options_plan(options);
    rounds_init(rounds, options->target.topology_count * mixes * rates * sessions);
    series->cells = memory_new(rounds->cell_count, sizeof *series->cells);
    for (size_t i = 0; i < rounds->cell_count; i++) {
        size_t topology = i / sessions / rates / mixes;
        series->cells[i] = (struct load_cell){
            .mix = load_options_mix(options, i / sessions / rates % mixes),
            .sessions = (uint32_t)options->sessions.list[i % sessions],
            .rate_per_s = load_options_rate(options, i / sessions % rates),
            .topology = topology,
        };
        rounds->cells[i] =
            (struct rounds_cell){.topology = topology, .rehearsed = options->rehearses};
    }
    rounds->trial_ns = options->warm_up_ns + options->duration_ns + OVERHEAD_NS;
    rounds_lay_out(rounds, options->trials, options->seed);
    return ERROR_NONE;
}

static enum error_kind open_record(void *context, struct series_record *record, struct error *error)
{
    struct load_series *series = context;
    if (series->warning != NULL)
        json_array_append_new(record->manifest.warnings, json_text(series->warning));
    return load_files_open(&series->files[record->topology], series->options->hosts > 0, record,
                           error);
}

/* On servers that are somebody's: what the load demands. */
static enum error_kind begin(void *context, struct error *error)
{
    struct load_series *series = context;
    const struct load_options *options = series->options;
    const struct levels *rates = &options->rates;
    const struct mix mix = load_options_mix(options, 0);
    uint32_t requests = mix_requests(&mix, options->depth);
    char each[200], time[32], number[32], rate[64] = "in a closed loop";
    (void)error;
    if (rates->count > 0)
        snprintf(rate, sizeof rate, "at most %s a second",
                 text_format_count(rates->list[rates->count - 1], number, sizeof number));
    snprintf(each, sizeof each,
             "each with at most %u request%s outstanding, %s, for about %s; others who use these "
             "servers will notice",
             requests, text_plural(requests), rate,
             text_format_duration(rounds_left_ns(&series->base.rounds, 0), time, sizeof time));
    series_announce_demand(&series->base, each);
    if (series->hosts.meeting != NULL)
        meeting_say(series->hosts.meeting, MEETING_MET, series->base.targets.list[0].root);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ one trial */

static struct load_plan plan_of(const struct load_series *series, const struct load_cell *cell)
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
                  .servers = &series->base.targets.list[cell->topology].placement},
        .mix = cell->mix,
        .rate_per_s = cell->rate_per_s,
        .poisson = options->poisson,
        .value_bytes = options->value_bytes,
        .znodes = options->znodes,
        .watch_percent = options->watch_percent,
        .warm_up_ns = options->warm_up_ns,
        .seconds = (uint32_t)(options->duration_ns / NS_PER_S),
        .root = series->base.root,
    };
}

static enum error_kind keep(struct load_series *series, const struct load_cell *cell,
                            const struct load_result *result, struct error *error)
{
    struct load_files *files = &series->files[cell->topology];
    struct table_value *row = table_add(&files->record->rows);
    load_row_fill(cell, result, series->options, files->record, cores_allowed(), row);
    const struct noise_attempt attempt = {.complete = row[load_row_complete].flag,
                                          .others_packets = result->reconcile.others_packets};
    noise_watch_end(&series->base.noise, &load_row_trials, row, &attempt);
    const struct shared *fleet = series->options->hosts > 0 ? NULL : result->load->shared;
    if (!series_keeps(&series->base, files->record, fleet, result->reconcile.why))
        return ERROR_NONE;
    return load_files_add(files, row, result, error);
}

/* The progress callback of a trial. */
static void show(void *context, const struct load_progress *load)
{
    const struct series *series = &((const struct load_series *)context)->base;
    progress_show_load(&series->progress, series_topology(series), load);
}

static enum error_kind make(void *context, struct error *error)
{
    struct load_series *series = context;
    struct series *base = &series->base;
    struct load_result *result = NULL;
    struct load_cell cell = series->cells[base->trial->cell];
    cell.trial = base->trial->number;
    struct load_plan plan = plan_of(series, &cell);
    struct fleet_host host = target_host(&base->targets.list[cell.topology], base->targets.signals);
    char order[160];
    snprintf(order, sizeof order, "%llu %zu %u %s", (unsigned long long)series->options->seed,
             base->trial->cell, cell.trial, base->root);
    load_hosts_share(&series->hosts, order, &plan, &host);
    const struct load_watch watch = {show, series};
    const struct meeting *meeting = series->hosts.meeting;
    enum error_kind kind = load_run(&plan, &host, base->follows ? NULL : &watch, &result, error);
    progress_clear(&base->progress);
    if (kind == ERROR_NONE && meeting != NULL && result->end == END_ALONE)
        snprintf(result->reason, sizeof result->reason, "%s", meeting->why);
    if (kind == ERROR_NONE && cell.trial > 0 && !base->follows)
        kind = keep(series, &cell, result, error);
    if (kind == ERROR_NONE && meeting != NULL && meeting->why[0] != '\0')
        kind = error_raise(error, ERROR_APART, 0, "--meet", "%s", meeting->why);
    load_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ of several hosts */

/* A host that is not rank 0 makes the trials that rank 0 orders, until one fails or the hosts go
 * apart, and adds their number to *made. */
static void make_ordered(struct load_series *series, size_t *made, struct error *error)
{
    struct series *base = &series->base;
    struct meeting *meeting = series->hosts.meeting;
    const struct meeting_member *first = &meeting->members[0];
    struct rounds_trial trial;
    unsigned long long seed;
    bool is_there; /* the set-up session has waited for long */
    base->trial = &trial;
    while (meeting_await(meeting, MEETING_TRIAL, error) == ERROR_NONE) {
        if (sscanf(first->text, "%llu %zu %u %95s", &seed, &trial.cell, &trial.number,
                   base->root) != 4 ||
            trial.cell >= base->rounds.cell_count) {
            meeting_break(meeting, "host 0 has sent an order that cannot be read");
            continue;
        }
        series->options->seed = seed;
        if (setup_session_exists(base->targets.list[0].setup, base->root, &is_there, error) ||
            make(series, error))
            break;
        (*made)++;
    }
    if (base->root[0] == '\0') /* MET names it */
        snprintf(base->root, sizeof base->root, "%s", first->text);
    base->root[1 + strcspn(base->root + 1, "/")] = '\0';
    base->trial = NULL;
}

/* Keeps nothing. The root of a rank 0 that was killed is deleted with the target. */
static enum error_kind follow(struct load_series *series, struct error *error)
{
    struct meeting *meeting = series->hosts.meeting;
    struct target *target = &series->base.targets.list[0];
    const char *root = series->base.root;
    uint32_t rank = meeting->rank;
    size_t made = 0;
    make_ordered(series, &made, error);
    int status = error_exit_status(error->kind);
    meeting_break(meeting, "%s", error_words(error->kind));
    target->setup->beside = NULL;
    series->status = load_hosts_leave(&series->hosts, status);
    if (series->status == MEETING_LOST && target_root_is_name(root + 1))
        snprintf(target->root, sizeof target->root, "%.47s", root);
    if (series->status == MEETING_LOST)
        series->status = status;
    bool is_apart = error->kind == ERROR_APART, fails = series->status != 0;
    if (!series->options->output.quiet || (is_apart && fails))
        complain_mildly("host %u of %u: %zu trial%s; status %d%s%s", rank, series->options->hosts,
                        made, text_plural(made), series->status, is_apart && fails ? ": " : "",
                        is_apart && fails ? error->detail : "");
    if (is_apart || !fails) /* else an error of this host, about which the series complains */
        error->kind = ERROR_NONE;
    return error->kind;
}

static enum error_kind run(void *context, struct error *error)
{
    struct load_series *series = context;
    return series->base.follows ? follow(series, error) : series_make_rounds(&series->base, error);
}

/* How near to each other the hosts have begun, and what their meeting cost these servers. The
 * others wait, while the plots are drawn, only for this host to go. */
static void end_hosts(struct load_series *series, struct series_record *record)
{
    const struct load_hosts *hosts = &series->hosts;
    const struct error *why = series->base.cut_short;
    int verdict = verdict_status(findings_verdict(&record->findings));
    char spread[32];
    if (record->rows.rows > 0 && hosts->spread_most_ns > 0)
        findings_add(&record->findings,
                     FINDING_MEASURED("hosts", table_row(&record->rows, 0)[load_row_mix].text,
                                      FINDING_FIGURE((double)hosts->spread_most_ns / 1e3), "us",
                                      record->rows.rows),
                     "%u hosts have begun within %s of each other; %llu requests to these servers "
                     "were of their meeting in the last whole trial",
                     series->options->hosts,
                     text_format_duration(hosts->spread_most_ns, spread, sizeof spread),
                     (unsigned long long)tally_rpcs(&hosts->cost));
    if (why != NULL)
        meeting_break(hosts->meeting, "%s", error_words(why->kind));
    meeting_end(hosts->meeting, MEETING_END, series_status(&series->base, verdict));
}

/* ------------------------------------------------------------------ after the last trial */

static enum error_kind finish(void *context, struct series_record *record, bool whole,
                              struct error *error)
{
    struct load_series *series = context;
    const struct table *rows = &record->rows;
    struct table *cells = &series->found[record->topology], *findings = &record->findings;
    load_cells_add(rows, cells);
    load_cells_add_findings(cells, findings);
    trial_findings_add_faults(&load_row_trials, rows, "", findings);
    trial_findings_add_servers(&load_row_trials, rows, findings);
    trial_findings_add_noise(&load_row_trials, rows, &series->base.noise, record->made_again.rows,
                             findings);
    if (series->hosts.meeting != NULL)
        end_hosts(series, record);
    return whole ? file_set_save_table(record->files.folder, cells, NULL, error) : ERROR_NONE;
}

/* A folder for several targets gets the cells of all of them, and their plots, if two of them have
 * trials at least. */
static enum error_kind join_records(void *context, struct error *error)
{
    const struct load_series *series = context;
    const struct output_options *output = &series->options->output;
    struct table cells = {0};
    size_t with_trials = 0;
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; i < series->base.record_count; i++) {
        with_trials += series->base.records[i].rows.rows > 0;
        load_cells_add(&series->base.records[i].rows, &cells);
    }
    if (series->base.targets.made_out && with_trials >= 2) {
        kind = file_set_save_table(output->out, &cells, NULL, error);
        if (kind == ERROR_NONE)
            plots_add(output->out, NULL, output);
    }
    table_deinit(&cells);
    return kind;
}

static int print_results(void *context)
{
    const struct load_series *series = context;
    return series->print_results(series);
}

/* ------------------------------------------------------------------ the whole */

int load_series_run(struct load_series *series, int argc, char **argv)
{
    static const struct series_user of_loads = {.lay_out = lay_out,
                                                .rows = &load_row_table,
                                                .open_record = open_record,
                                                .begin = begin,
                                                .make = make,
                                                .run = run,
                                                .finish = finish,
                                                .has_plots = true,
                                                .join = join_records,
                                                .print_results = print_results};
    struct load_options *options = series->options;
    const struct series_options of_series = {.subcommand = series->subcommand,
                                             .target = &options->target,
                                             .output = &options->output,
                                             .clients = &options->sessions,
                                             .hosts = options->hosts,
                                             .processes = options->processes,
                                             .seed = options->seed,
                                             .verdict_of_nothing = series->verdict_of_nothing};
    int status = series_run(&series->base, &of_series, &of_loads, series, argc, argv);
    status = series->base.follows ? series->status : load_hosts_leave(&series->hosts, status);
    series_deinit(&series->base);
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        table_deinit(&series->found[i]);
    free(series->cells);
    return status;
}
