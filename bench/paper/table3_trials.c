// SPDX-License-Identifier: Apache-2.0
/*
 * The trials of Table 3: their order, their rows, and a series (bench/output/series.h) that makes
 * them, with a record of each target:
 *
 *   barriers.csv   a row a trial
 *   manifest.json
 */
#include "bench/paper/internal.h"

#include "base/clock.h"
#include "base/cores.h"
#include "bench/cli/complain.h"
#include "bench/output/verdict.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <math.h>

TABLE_DEFINE(table3_row, "barriers.csv", TABLE3_ROW_COLUMNS)

/* ------------------------------------------------------------------ the plan */

uint64_t table3_passages(uint64_t clients, uint64_t barriers)
{
    return UINT64_C(2) * clients * barriers;
}

struct table3_trial table3_trial_of(const struct paper_options *options,
                                    const struct rounds_trial *trial)
{
    const struct levels *clients = &options->load.sessions, *barriers = &options->barriers;
    return (struct table3_trial){
        (uint32_t)clients->list[trial->cell / barriers->count % clients->count],
        (uint32_t)barriers->list[trial->cell % barriers->count], trial->number};
}

void table3_lay_out(const struct paper_options *options, struct rounds *rounds)
{
    const struct load_options *load = &options->load;
    size_t of_one = load->sessions.count * options->barriers.count;
    rounds_init(rounds, load->target.topology_count * of_one);
    for (size_t i = 0; i < rounds->cell_count; i++) {
        const struct rounds_trial of_cell = {.cell = i};
        const struct table3_trial trial = table3_trial_of(options, &of_cell);
        rounds->cells[i] =
            (struct rounds_cell){.topology = i / of_one,
                                 .alike = i / of_one,
                                 .cost = (double)table3_passages(trial.clients, trial.barriers),
                                 .rehearsed = load->rehearses && i % of_one == of_one - 1};
    }
    rounds_lay_out(rounds, load->trials, load->seed);
}

/* ------------------------------------------------------------------ the row of a trial */

/* A lost connection adds requests, which is no fault of the counts. */
static void judge(const struct table3_trial *trial, const struct trial_result *result,
                  double cores_allowed, struct table_value *row)
{
    struct validity validity = {0};
    bool complete = result->end == END_DONE, fails = result->violation_count > 0;
    char text[256];
    if (fails)
        validity_lose(&validity, "%s",
                      violation_describe(&result->memory->violations[0], text, sizeof text));
    if (!complete && result->end != END_VIOLATION)
        validity_lose(&validity, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        validity_lose(&validity, "%s", result->not_valid);
    if (complete && result->losses == 0 &&
        !law_barriers_agree(&result->total, trial->clients, trial->barriers, text, sizeof text)) {
        fails = true;
        validity_lose(&validity, "%s", text);
    }
    if (complete && result->memory->plan->fleet.driver != DRIVER_SIMULATED)
        validity_judge_trial(result, cores_allowed, &validity);
    row[table3_row_complete] = table_flag(complete);
    row[table3_row_valid] = table_flag(!validity.lost);
    row[table3_row_fails] = table_flag(fails);
    row[table3_row_reason] = table_text(validity.reason);
}

void table3_row_take(const struct table3_trial *trial, const struct trial_result *result,
                     double cores_allowed, struct table_value *row)
{
    static const struct {
        size_t column;
        enum tally_kind kind;
    } counts[] = {
        {table3_row_creates, TALLY_CREATE},
        {table3_row_creates_failed, TALLY_CREATE_FAILED},
        {table3_row_exists, TALLY_EXISTS},
        {table3_row_get_children, TALLY_GET_CHILDREN},
        {table3_row_deletes, TALLY_DELETE},
        {table3_row_notifications, TALLY_NOTIFICATION},
        {table3_row_names_listed, TALLY_NAMES_LISTED},
        {table3_row_bytes_sent, TALLY_BYTES_SENT},
        {table3_row_bytes_received, TALLY_BYTES_RECEIVED},
    };
    const struct server_counters_count *servers = &result->servers;
    bool known = servers->known;
    row[table3_row_clients] = table_count(trial->clients);
    row[table3_row_barriers] = table_count(trial->barriers);
    row[table3_row_trial] = table_count(trial->number);
    row[table3_row_client_s] = table_real((double)result->client_ns / 1e9);
    row[table3_row_elapsed_s] = table_real((double)result->elapsed_ns / 1e9);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        row[counts[i].column] = table_count(result->total.of[counts[i].kind]);
    row[table3_row_rpcs] = table_count(tally_rpcs(&result->total));
    row[table3_row_client_cpu_s] = table_real((double)result->client_cpu_ns / 1e9);
    row[table3_row_server_cpu_s] =
        table_real(servers->cpu_known ? (double)servers->cpu_ns / 1e9 : NAN);
#define PUT(A, B, name, keys, word, meaning)                                                       \
    row[table3_row_server_##name] = table_count_if(known, servers->name);
    FOUR_LETTER_OF_TRIALS(PUT, , )
#undef PUT
    if (known)
        row[table3_row_watches_leaked] = table_signed(servers->watches_leaked);
    row[table3_row_reconciled] = table_text(reconcile_word(result->reconciled));
    row[table3_row_violations] = table_count(result->violation_count);
    row[table3_row_reconnects] = table_count(result->reconnects);
    judge(trial, result, cores_allowed, row);
}

/* ------------------------------------------------------------------ the series */

struct table3_series {
    struct series base;
    struct paper *paper;
    struct table3_trial trial; /* the present one */
};

static json_t *describe_plan(const void *context)
{
    const struct paper_options *options = ((const struct table3_series *)context)->paper->options;
    const struct load_options *load = &options->load;
    return json_pack(
        "{s:s, s:o, s:o, s:i, s:b, s:i, s:o, s:I, s:I}", "experiment", "table3", "clients",
        load_options_describe(load->sessions.list, load->sessions.count), "barriers",
        load_options_describe(options->barriers.list, options->barriers.count), "trials",
        (int)load->trials, "rehearsal", load->rehearses, "processes", (int)load->processes,
        "server_cpu_percent",
        load->target.cpu_percent > 0 ? json_integer(load->target.cpu_percent) : json_null(),
        "session_timeout_ms", (json_int_t)(load->session_timeout_ns / NS_PER_MS), "timeout_ms",
        (json_int_t)(load->timeout_ns / NS_PER_MS));
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct load_options *options = &series->paper->options->load;
    (void)error;
    options->rehearses = options->target.driver != DRIVER_SIMULATED;
    table3_lay_out(series->paper->options, &series->base.rounds);
    return ERROR_NONE;
}

static enum error_kind begin(void *context, struct error *error)
{
    (void)error;
    series_tell_demand(&((const struct table3_series *)context)->base);
    return ERROR_NONE;
}

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *progress)
{
    const struct table3_series *series = context;
    const struct table3_trial *trial = &series->trial;
    char what[64];
    snprintf(what, sizeof what, "%u clients, %u barriers%s", trial->clients, trial->barriers,
             trial->number == 0 ? ", rehearsal" : "");
    const struct progress_name name = {series_topology(&series->base), what, trial->number,
                                       trial->clients};
    progress_show(&series->base.progress, &name, progress);
}

static enum error_kind keep(struct table3_series *series, struct series_record *record,
                            const struct trial_result *result, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    table3_row_take(&series->trial, result, cores_allowed(), row);
    row[table3_row_run] = table_text(record->files.run);
    row[table3_row_target] = table_text(record->target);
    row[table3_row_servers] = table_count(record->servers);
    row[table3_row_seed] = table_count(series->paper->options->load.seed);
    const struct noise_row noise = {
        .columns = &row[table3_row_attempt],
        .valid = &row[table3_row_valid],
        .reason = &row[table3_row_reason],
        .complete = row[table3_row_complete].flag,
        .fails = row[table3_row_fails].flag,
        .others_packets = result->others_packets,
        .stalled = result->stalls.count > 0,
    };
    noise_watch_end(&series->base.noise, &noise);
    if (series->base.noise.again)
        return ERROR_NONE;
    series_keep(&series->base, record, result->memory->fleet, result->not_reconciled);
    table_write_row(&table3_row_table, row, &record->csv);
    return file_set_commit(&record->files, ERROR_NONE, error);
}

static enum error_kind make(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct series *base = &series->base;
    const struct load_options *options = &series->paper->options->load;
    size_t topology = base->rounds.cells[base->trial->cell].topology;
    const struct target *target = &base->targets.list[topology];
    const struct table3_trial *trial = &series->trial;
    struct trial_result *result = NULL;
    series->trial = table3_trial_of(series->paper->options, base->trial);
    const struct trial_plan plan = {
        .fleet = {.driver = options->target.driver,
                  .sessions = trial->clients,
                  .processes = options->processes,
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + trial->number,
                  .servers = &target->placement},
        .recipe = registry_find("barrier"),
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = 1,
        .barriers = trial->barriers,
        .tolerates_brief_stalls = options->target.noise.mode == NOISE_OFF,
        .root = base->root,
    };
    struct trial_host host = target_trial_host(target, base->targets.signals);
    host.watch.progress = show;
    host.watch.context = series;
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    progress_clear(&base->progress);
    if (kind != ERROR_NONE)
        return kind;
    if (trial->number > 0)
        kind = keep(series, &base->records[topology], result, error);
    trial_result_free(result);
    return kind;
}

/* Complains about each trial that is not valid. Returns whether one fails. */
static bool complain_of(const struct series_record *record, const char *where)
{
    bool fails = false;
    for (size_t i = 0; i < record->rows.rows; i++) {
        const struct table_value *row = table_row(&record->rows, i);
        unsigned clients = (unsigned)row[table3_row_clients].count,
                 barriers = (unsigned)row[table3_row_barriers].count;
        fails = fails || row[table3_row_fails].flag;
        if (!row[table3_row_valid].flag)
            complain_plainly("%s%u client%s, %u barrier%s, trial %u: %s: %s", where, clients,
                             clients == 1 ? "" : "s", barriers, barriers == 1 ? "" : "s",
                             (unsigned)row[table3_row_trial].count,
                             row[table3_row_fails].flag ? "the verdict fails" : "not valid",
                             row[table3_row_reason].text);
    }
    return fails;
}

static int tell(void *context, int *verdict)
{
    const struct table3_series *series = context;
    bool fails = false;
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct series_record *record = &series->base.records[i];
        char where[100];
        fails = complain_of(record, series_where(&series->base, record, where)) || fails;
    }
    return paper_tell_design(series->paper, &series->base, fails, verdict);
}

int table3_lead(struct paper *paper)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .rows = &table3_row_table,
                                            .describe_plan = describe_plan,
                                            .begin = begin,
                                            .make = make,
                                            .tell = tell};
    struct load_options *load = &paper->options->load;
    const struct series_options of_series = {.subcommand =
                                                 paper->experiment->command.arguments.subcommand,
                                             .target = &load->target,
                                             .output = &load->output,
                                             .clients = &load->sessions,
                                             .processes = load->processes,
                                             .seed = load->seed};
    struct table3_series series = {.paper = paper};
    series_init(&series.base, &of_series, &user, &series);
    int status = series_lead(&series.base, paper->argc, paper->argv);
    paper->interrupted = series.base.interrupted;
    series_deinit(&series.base);
    return status;
}
