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
#include "base/memory.h"
#include "base/random.h"
#include "bench/cli/complain.h"
#include "bench/output/validity.h"
#include "bench/target/resources.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(table3_row, "barriers.csv", TABLE3_ROW_COLUMNS)

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

/* ------------------------------------------------------------------ the plan */

static struct table3_trial trial_of(const struct paper_options *options, size_t topology,
                                    size_t clients, size_t barriers, uint32_t number)
{
    return (struct table3_trial){.topology = topology,
                                 .clients = (uint32_t)options->load.sessions.list[clients],
                                 .barriers = (uint32_t)options->barriers.list[barriers],
                                 .number = number};
}

void table3_plan_init(struct table3_plan *plan, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    size_t clients = load->sessions.count, barriers = options->barriers.count;
    size_t round = load->target.topology_count * clients * barriers;
    struct random random;
    *plan = (struct table3_plan){
        .list = memory_new(load->target.topology_count + round * load->trials, sizeof *plan->list)};
    random_init(&random, load->seed);
    for (size_t topology = 0; load->rehearses && topology < load->target.topology_count; topology++)
        plan->list[plan->count++] = trial_of(options, topology, clients - 1, barriers - 1, 0);
    plan->rehearsals = plan->count;
    for (uint32_t number = 1; number <= load->trials; number++) {
        struct table3_trial *first = plan->list + plan->count;
        for (size_t i = 0; i < round; i++)
            plan->list[plan->count++] = trial_of(options, i / barriers / clients,
                                                 i / barriers % clients, i % barriers, number);
        random_shuffle(&random, first, round, sizeof *first);
    }
}

uint64_t table3_passages(uint64_t clients, uint64_t barriers)
{
    return UINT64_C(2) * clients * barriers;
}

void table3_plan_learn(struct table3_plan *plan, const struct table3_trial *trial, uint64_t took_ns)
{
    plan->took_ns[trial->topology] += took_ns;
    plan->passages[trial->topology] += table3_passages(trial->clients, trial->barriers);
}

uint64_t table3_plan_left_ns(const struct table3_plan *plan, size_t from)
{
    double left_ns = 0;
    for (size_t i = from; i < plan->count; i++) {
        size_t topology = plan->list[i].topology;
        if (plan->passages[topology] == 0)
            return 0;
        left_ns += (double)plan->took_ns[topology] / (double)plan->passages[topology] *
                   (double)table3_passages(plan->list[i].clients, plan->list[i].barriers);
    }
    return (uint64_t)left_ns;
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

/* The trials on one target. */
struct record {
    struct file_set set;
    struct csv csv;
    struct manifest manifest;
    struct table rows;
    char *target; /* a copy of its name: the target is closed before the record */
    size_t servers;
    bool warned; /* that the counts cannot be compared with the servers' */
};

struct table3_series {
    struct series base;
    const struct experiment *experiment;
    struct paper_options *options;
    struct record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct table3_plan plan;
};

/* The object "plan" of the manifest. */
static json_t *describe_plan(const struct paper_options *options)
{
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

/* Prints a warning, except with --quiet, and adds it to the manifest. */
static void warn(const struct table3_series *series, struct record *record, const char *warning)
{
    if (!series->options->load.output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct load_options *options = &series->options->load;
    (void)error;
    options->rehearses = options->target.driver != DRIVER_SIMULATED;
    table3_plan_init(&series->plan, series->options);
    series->base.progress.count = series->plan.count;
    series->base.planned = series->plan.count - series->plan.rehearsals;
    return ERROR_NONE;
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct table3_series *series = context;
    const struct series *base = &series->base;
    const struct load_options *load = &series->options->load;
    const struct target *target = &base->targets.list[topology];
    struct record *record = &series->records[topology];
    record->rows.type = &table3_row_table;
    record->servers = target->servers.count;
    record->target = memory_text(target->name);
    enum error_kind kind = file_set_open(&record->set, out, target->name, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_table(&record->set, &table3_row_table, &record->csv, error);
    if (kind != ERROR_NONE) {
        struct error second;
        (void)!file_set_close(&record->set, &second);
        return kind;
    }
    manifest_begin(&record->manifest,
                   &(struct manifest_start){base->argc, base->argv, load->seed,
                                            describe_plan(series->options), &load->target, target});
    const char *warning = resources_warning(&load->target, target->servers.count);
    if (base->left_out[0] != '\0')
        warn(series, record, base->left_out);
    if (warning != NULL)
        warn(series, record, warning);
    return ERROR_NONE;
}

static enum error_kind keep(struct table3_series *series, const struct table3_trial *trial,
                            const struct trial_result *result, struct error *error)
{
    struct record *record = &series->records[trial->topology];
    struct table_value *row = table_add(&record->rows);
    table3_row_take(trial, result, cores_allowed(), row);
    row[table3_row_run] = table_text(record->set.run);
    row[table3_row_target] = table_text(record->target);
    row[table3_row_servers] = table_count(record->servers);
    row[table3_row_seed] = table_count(series->options->load.seed);
    manifest_sessions(&record->manifest, result->memory->fleet);
    if (result->not_reconciled[0] != '\0' && !record->warned) {
        char warning[256];
        snprintf(warning, sizeof warning, "cannot cross-check against the servers' counters: %s",
                 result->not_reconciled);
        warn(series, record, warning);
        record->warned = true;
    }
    table_write_row(&table3_row_table, row, &record->csv);
    return file_set_commit(&record->set, ERROR_NONE, error);
}

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *progress)
{
    const struct table3_series *series = context;
    const struct table3_trial *trial = &series->plan.list[series->base.progress.at];
    char what[64];
    snprintf(what, sizeof what, "%u clients, %u barriers%s", trial->clients, trial->barriers,
             trial->number == 0 ? ", rehearsal" : "");
    const struct progress_name name = {
        series->base.targets.count > 1 ? series->base.targets.list[trial->topology].name : "", what,
        trial->number, trial->clients};
    progress_show(&series->base.progress, &name, progress);
}

static enum error_kind run_trial(struct table3_series *series, size_t at, struct error *error)
{
    const struct table3_trial *trial = &series->plan.list[at];
    const struct target *target = &series->base.targets.list[trial->topology];
    const struct load_options *options = &series->options->load;
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    const struct trial_plan plan = {
        .fleet = {.driver = options->target.driver,
                  .sessions = trial->clients,
                  .processes = options->processes,
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + trial->number,
                  .servers = &series->base.targets.list[trial->topology].placement},
        .recipe = registry_find("barrier"),
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = 1,
        .barriers = trial->barriers,
        .root = root,
    };
    const struct trial_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .simulation = &target->simulation,
        .watch = {.progress = show,
                  .context = series,
                  .interrupt_descriptor = series->base.targets.signals}};
    uint64_t began_ns = clock_now_ns();
    progress_begin(&series->base.progress, at, table3_plan_left_ns(&series->plan, at));
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    progress_clear(&series->base.progress);
    if (kind != ERROR_NONE)
        return kind;
    table3_plan_learn(&series->plan, trial, clock_now_ns() - began_ns);
    if (trial->number > 0)
        kind = keep(series, trial, result, error);
    trial_result_free(result);
    return kind;
}

static enum error_kind run(void *context, struct error *error)
{
    struct table3_series *series = context;
    enum error_kind kind = ERROR_NONE;
    series_tell_demand(&series->base);
    for (size_t at = 0; kind == ERROR_NONE && at < series->plan.count; at++)
        kind = run_trial(series, at, error);
    return kind;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct table3_series *series = context;
    struct record *record = &series->records[topology];
    enum error_kind kind = file_set_close(&record->set, error);
    if (record->set.trials == 0)
        return kind;
    const struct series_end end = {.manifest = &record->manifest,
                                   .set = &record->set,
                                   .trials_planned =
                                       series->base.planned / series->base.targets.count,
                                   .cut_short = cut_short};
    return series_end_describe(&end, kind, error);
}

static size_t kept(const void *context, size_t topology)
{
    const struct table3_series *series = context;
    return series->records[topology].rows.rows;
}

/* Complains about each trial that is not valid. Returns whether one fails. */
static bool complain_of_record(const struct record *record, bool several)
{
    bool fails = false;
    for (size_t i = 0; i < record->rows.rows; i++) {
        const struct table_value *row = table_row(&record->rows, i);
        unsigned clients = (unsigned)row[table3_row_clients].count,
                 barriers = (unsigned)row[table3_row_barriers].count;
        fails = fails || row[table3_row_fails].flag;
        if (!row[table3_row_valid].flag)
            complain_plainly("%s%s%u client%s, %u barrier%s, trial %u: %s: %s",
                             several ? record->target : "", several ? ": " : "", clients,
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
    const struct table *rows[OPTIONS_TOPOLOGIES_MAX];
    struct paper_cells cells;
    struct paper_outcome outcome = {.experiment = series->experiment,
                                    .options = series->options,
                                    .file = &cells.figures,
                                    .cells = &cells.figures,
                                    .judgements = &cells.judgements,
                                    .record_count = series->base.record_count,
                                    .signals = series->base.targets.signals};
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        rows[i] = &series->records[i].rows;
    for (size_t i = 0; i < outcome.record_count; i++) {
        const struct record *record = &series->records[i];
        if (complain_of_record(record, series->options->load.target.topology_count > 1))
            outcome.fails = true;
        outcome.records[i].manifest = &record->manifest;
        outcome.records[i].folder = record->set.folder;
        outcome.records[i].servers = record->servers;
        outcome.records[i].trials = record->rows.rows;
    }
    paper_cells_init(&cells, series->experiment->design, series->options, rows);
    int status = paper_tell(&outcome, verdict);
    paper_cells_deinit(&cells);
    return status;
}

int table3_lead(const struct experiment *experiment, struct paper_options *options, int argc,
                char **argv, bool *interrupted)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .open_record = open_record,
                                            .run = run,
                                            .close_record = close_record,
                                            .kept = kept,
                                            .tell = tell};
    struct load_options *load = &options->load;
    const struct series_options of_series = {.subcommand = "paper table3",
                                             .target = &load->target,
                                             .output = &load->output,
                                             .clients = &load->sessions,
                                             .processes = load->processes};
    struct table3_series *series = memory_new(1, sizeof *series);
    series->experiment = experiment;
    series->options = options;
    series_init(&series->base, &of_series, &user, series);
    int status = series_lead(&series->base, argc, argv);
    *interrupted = series->base.interrupted;
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++) {
        manifest_deinit(&series->records[i].manifest);
        table_deinit(&series->records[i].rows);
        free(series->records[i].target);
    }
    series_deinit(&series->base);
    free(series->plan.list);
    free(series);
    return status;
}
