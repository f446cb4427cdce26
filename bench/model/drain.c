// SPDX-License-Identifier: Apache-2.0
#include "bench/model/internal.h"

#include "base/cores.h"
#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"
#include "bench/target/resources.h"
#include "trial/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Virtual time: nobody waits for it. */
#define SIMULATED_TIMEOUT_NS      (600 * NS_PER_S)
#define SIMULATED_SESSION_TIMEOUT 60000

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

const char *drain_word(enum drain_time time)
{
    return time == DRAIN_TOTAL ? "drain" : "handoff p50";
}

/* The driver, processes, timeouts, seed and servers of the fleet are the caller's to set. */
static struct trial_plan plan_drain(const struct drain_cell *cell, const char *root)
{
    return (struct trial_plan){
        .fleet = {.sessions = cell->clients},
        .recipe = cell->recipe,
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = cell->locks,
        .root = root,
    };
}

static void read_times(const struct trial_result *result, double times_s[DRAIN_TIMES])
{
    times_s[DRAIN_TOTAL] = (double)result->drain_ns / 1e9;
    times_s[DRAIN_HANDOFF] = histogram_percentile_us(&result->latency[METER_HANDOFF], 50) / 1e6;
}

/* ------------------------------------------------------------------ a simulated drain */

enum error_kind drain_simulate(const struct sim_options *options, const struct drain_cell *cell,
                               uint64_t seed, int interrupts, double times_s[DRAIN_TIMES],
                               struct error *error)
{
    struct connect_string servers = {.count = options->servers};
    struct trial_result *result = NULL;
    struct trial_plan plan = plan_drain(cell, "/drain");
    const struct trial_host host = {
        .servers = &servers, .simulation = options, .watch = {.interrupt_descriptor = interrupts}};
    for (unsigned i = 0; i < options->servers; i++)
        servers.endpoints[i] = (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
    plan.fleet.driver = DRIVER_SIMULATED;
    plan.fleet.processes = 1;
    plan.fleet.timeout_ns = SIMULATED_TIMEOUT_NS;
    plan.fleet.session_timeout_ms = SIMULATED_SESSION_TIMEOUT;
    plan.fleet.seed = seed;
    plan.fleet.servers = &servers;
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (result->end != END_DONE)
        kind = error_raise(error, ERROR_ZOOKEEPER, 0, "simulation", "%s, %u clients: %s",
                           cell->recipe->name, cell->clients, result->reason);
    else
        read_times(result, times_s);
    trial_result_free(result);
    return kind;
}

enum error_kind drain_expect(const struct sim_options *options, const struct drain_cell *cell,
                             int interrupts, double times_s[DRAIN_TIMES], struct error *error)
{
    double logs[DRAIN_TIMES] = {0};
    for (uint64_t seed = 1; seed <= DRAIN_SEEDS; seed++) {
        double one_s[DRAIN_TIMES] = {0};
        enum error_kind kind = drain_simulate(options, cell, seed, interrupts, one_s, error);
        if (kind != ERROR_NONE)
            return kind;
        for (size_t i = 0; i < DRAIN_TIMES; i++)
            logs[i] += log(one_s[i]);
    }
    for (size_t i = 0; i < DRAIN_TIMES; i++)
        times_s[i] = exp(logs[i] / DRAIN_SEEDS);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the options */

bool drain_options_recipes(struct option_given *given)
{
    struct drain_options *options = option_row_place(given);
    return rows_recipes(given, options->recipes, &options->recipe_count);
}

uint64_t drain_options_warm_up_ns(const struct drain_options *options, size_t servers)
{
    return options->warm_up_given ? options->warm_up_ns : servers * options->warm_up_ns;
}

void drain_options_deinit(struct drain_options *options)
{
    free(options->clients.list);
    free(options->locks.list);
    options->clients = options->locks = (struct levels){0};
}

static size_t combinations(const struct drain_options *options)
{
    size_t locks = options->locks.count > 0 ? options->locks.count : 1;
    return options->recipe_count * options->clients.count * locks;
}

/* Deaths need lockstep, and the clients of a barrier have no handoffs. */
static const char *why_not(const struct recipe *recipe)
{
    if (recipe->broken)
        return "it is broken on purpose";
    if (recipe->death.how != DEATH_NONE)
        return "one of its clients dies, and that takes lockstep";
    if (recipe->barrier)
        return "its clients enter and leave together, and hand nothing over";
    return NULL;
}

bool drain_options_fit(const char *subcommand, const struct drain_options *options)
{
    char value[64];
    const struct levels *clients = &options->clients, *locks = &options->locks;
    for (size_t i = 0; i < options->recipe_count; i++) {
        const char *why = why_not(options->recipes[i]);
        if (why != NULL)
            return complain_value(subcommand, "--recipes", options->recipes[i]->name, why);
    }
    if (combinations(options) > COSTS_FILE_CELLS_MAX) {
        snprintf(value, sizeof value, "%zu numbers", clients->count);
        return complain_value(subcommand, "--clients", value,
                              "too many combinations of recipe, clients and locks: at most 256");
    }
    if (locks->count > 0 && locks->list[0] > clients->list[clients->count - 1]) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)locks->list[0]);
        return complain_value(subcommand, "--locks", value, "more locks than clients");
    }
    return true;
}

struct drain_cell *drain_options_cells(const struct drain_options *options, size_t *count)
{
    static const uint64_t one_lock = 1;
    const uint64_t *locks = options->locks.count > 0 ? options->locks.list : &one_lock;
    size_t lock_count = options->locks.count > 0 ? options->locks.count : 1;
    struct drain_cell *cells = memory_new(combinations(options), sizeof *cells);
    *count = 0;
    for (size_t r = 0; r < options->recipe_count; r++) {
        for (size_t n = 0; n < options->clients.count; n++) {
            uint64_t clients = options->clients.list[n];
            for (size_t k = 0; k < lock_count; k++) {
                if (locks[k] <= clients)
                    cells[(*count)++] = (struct drain_cell){options->recipes[r], (uint32_t)clients,
                                                            (uint32_t)locks[k]};
            }
        }
    }
    return cells;
}

/* ------------------------------------------------------------------ before the first trial */

static const struct target *target_of(const struct drain_series *series)
{
    return &series->base.targets.list[0];
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct drain_series *series = context;
    struct rounds *rounds = &series->base.rounds;
    series->cells = drain_options_cells(series->options, &series->cell_count);
    if (series->cell_count == 0)
        return error_raise(error, ERROR_CONNECTION_LIMIT, 0, series->user->subcommand,
                           "the locks are more than the clients that remain");
    rounds_init(rounds, series->cell_count);
    for (size_t i = 0; i < series->cell_count; i++)
        rounds->cells[i].cost = series->cells[i].clients;
    rounds_lay_out(rounds, series->options->trials, series->options->seed);
    series->samples = memory_new(rounds->trial_count, sizeof *series->samples);
    return ERROR_NONE;
}

static void warn(const struct drain_series *series)
{
    const char *shares = resources_warning(series->target, target_of(series)->servers.count);
    if (series->base.options.output->quiet)
        return;
    if (series->base.left_out[0] != '\0')
        complain_mildly("%s", series->base.left_out);
    if (shares != NULL)
        complain_mildly("%s", shares);
}

struct costs_record drain_series_record(const struct drain_series *series)
{
    return costs_file_record(series->target, target_of(series), series->options->processes);
}

/* ------------------------------------------------------------------ one trial */

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *progress)
{
    const struct drain_series *series = context;
    const struct rounds_trial *trial = series->base.trial;
    const struct drain_cell *cell = &series->cells[trial->cell];
    char what[128];
    snprintf(what, sizeof what, "%s n=%u", cell->recipe->name, cell->clients);
    const struct progress_name name = {"", what, trial->number, cell->clients};
    progress_show(&series->base.progress, &name, progress);
}

/* The plan is filled in here, and must outlive the result. */
static enum error_kind run_drain(struct drain_series *series, const struct drain_cell *cell,
                                 const char *root, bool shows, struct trial_plan *plan,
                                 struct trial_result **result, struct error *error)
{
    const struct drain_options *options = series->options;
    const struct target *target = target_of(series);
    *plan = plan_drain(cell, root);
    plan->fleet.driver = series->target->driver;
    plan->fleet.processes = options->processes < cell->clients ? options->processes : cell->clients;
    plan->fleet.session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS);
    plan->fleet.timeout_ns = options->timeout_ns;
    plan->fleet.seed = options->seed;
    plan->fleet.servers = &target->placement;
    plan->tolerates_brief_stalls = series->target->noise.mode == NOISE_OFF;
    const struct trial_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .watch = {.progress = shows ? show : NULL,
                  .context = series,
                  .interrupt_descriptor = series->base.targets.signals}};
    return trial_run(plan, &host, result, error);
}

/* Complains about a trial whose times do not stand, unless it is made again. */
static bool judge(struct drain_series *series, const struct drain_cell *cell,
                  const struct trial_result *result)
{
    struct validity validity = {0};
    struct table_value columns[noise_row_columns_count] = {0}, valid, reason;
    if (result->end != END_DONE || result->not_valid[0] != '\0')
        validity_lose(&validity, "%s",
                      result->end != END_DONE ? result->reason : result->not_valid);
    else
        validity_judge_trial(result, cores_allowed(), &validity);
    valid = table_flag(!validity.lost);
    reason = table_text(validity.reason);
    const struct noise_row noise = {.columns = columns,
                                    .valid = &valid,
                                    .reason = &reason,
                                    .complete = result->end == END_DONE,
                                    .stalled = result->stalls.count > 0};
    noise_watch_end(&series->base.noise, &noise);
    if (!valid.flag && !series->base.noise.again)
        complain_plainly("%s, %u clients, trial %u: not used: %s", cell->recipe->name,
                         cell->clients, series->base.trial->number, reason.text);
    free(reason.text);
    return valid.flag;
}

static enum error_kind make(void *context, struct error *error)
{
    struct drain_series *series = context;
    size_t index = series->base.trial->cell;
    const struct drain_cell *cell = &series->cells[index];
    struct drain_sample *sample = &series->samples[series->sample_count];
    struct trial_plan plan;
    struct trial_result *result = NULL;
    enum error_kind kind = run_drain(series, cell, series->base.root, true, &plan, &result, error);
    progress_clear(&series->base.progress);
    if (kind != ERROR_NONE)
        return kind;
    *sample = (struct drain_sample){
        .cell = index,
        .stands = judge(series, cell, result),
        .client_cpu_ns = (double)result->client_cpu_ns,
        .messages = (double)(2 * tally_rpcs(&result->total) + result->total.of[TALLY_NOTIFICATION]),
    };
    read_times(result, sample->times_s);
    series->sample_count += !series->base.noise.again;
    trial_result_free(result);
    return ERROR_NONE;
}

/* Drains of the largest cells, in turn, until the time is over. */
static enum error_kind warm_up(struct drain_series *series, struct error *error)
{
    uint64_t most = series_most_clients(&series->base);
    uint64_t until_ns = clock_now_ns() +
                        drain_options_warm_up_ns(series->options, target_of(series)->servers.count);
    enum error_kind kind = ERROR_NONE;
    progress_say(&series->base.progress, "warming up");
    for (size_t i = 0; kind == ERROR_NONE && clock_now_ns() < until_ns; i++) {
        const struct drain_cell *cell = &series->cells[i % series->cell_count];
        struct trial_plan plan;
        struct trial_result *result = NULL;
        char root[TRIAL_ROOT_MAX];
        if (cell->clients < most)
            continue;
        snprintf(root, sizeof root, "%s/w%06zu", target_of(series)->root, i);
        kind = run_drain(series, cell, root, false, &plan, &result, error);
        trial_result_free(result);
    }
    progress_clear(&series->base.progress);
    return kind;
}

static enum error_kind begin(void *context, struct error *error)
{
    struct drain_series *series = context;
    warn(series);
    series_tell_demand(&series->base);
    enum error_kind kind = series->user->begin(series, series->context, error);
    return kind == ERROR_NONE ? warm_up(series, error) : kind;
}

/* ------------------------------------------------------------------ the whole */

/* Some of the cells are no result. */
static size_t kept(const void *context)
{
    const struct drain_series *series = context;
    return series->sample_count == series->base.rounds.trial_count ? series->sample_count : 0;
}

static int tell(void *context, int *verdict)
{
    struct drain_series *series = context;
    return series->user->tell(series, series->context, verdict);
}

int drain_series_lead(struct drain_options *options, const struct target_options *target,
                      const struct output_options *output, const struct drain_series_user *user,
                      void *context, int argc, char **argv)
{
    static const struct series_user of_series = {
        .lay_out = lay_out, .begin = begin, .make = make, .kept = kept, .tell = tell};
    const struct series_options base = {.subcommand = user->subcommand,
                                        .target = target,
                                        .output = output,
                                        .clients = &options->clients,
                                        .processes = options->processes,
                                        .piece = user->piece,
                                        .verdict_of_nothing = json_result_verdict(4)};
    struct drain_series *series = memory_new(1, sizeof *series);
    *series = (struct drain_series){
        .options = options, .target = target, .user = user, .context = context};
    series_init(&series->base, &base, &of_series, series);
    int status = series_lead(&series->base, argc, argv);
    series_deinit(&series->base);
    free(series->cells);
    free(series->samples);
    free(series);
    return status;
}

void drain_note_interruption(const struct output_options *output, const char *subcommand,
                             const char *words, struct error *error)
{
    char json[JSON_RESULT_INTERRUPTED_SIZE];
    error_raise(error, ERROR_INTERRUPTED, 0, subcommand, "%s", words);
    if (!output->json)
        return;
    json_result_interrupted(json_result_verdict(4), json);
    fputs(json, stdout);
}

/* ------------------------------------------------------------------ what was measured */

static struct drain_summary summarize(const struct drain_series *series, size_t cell)
{
    struct drain_summary summary = {0};
    double logs[DRAIN_TIMES] = {0};
    for (size_t i = 0; i < series->sample_count; i++) {
        const struct drain_sample *sample = &series->samples[i];
        if (sample->cell != cell || !sample->stands)
            continue;
        summary.trials++;
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            logs[time] += log(sample->times_s[time]);
    }
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
        summary.times_s[time] = summary.trials > 0 ? exp(logs[time] / summary.trials) : NAN;
    return summary;
}

enum error_kind drain_series_summarize(const struct drain_series *series, size_t cell,
                                       struct drain_summary *summary, struct error *error)
{
    *summary = summarize(series, cell);
    if (summary->trials > 0)
        return ERROR_NONE;
    return error_raise(error, ERROR_NOT_VALID, 0, series->user->subcommand,
                       "no trial of %s with %u clients can be used",
                       series->cells[cell].recipe->name, series->cells[cell].clients);
}

double drain_series_scatter(const struct drain_series *series, enum drain_time time)
{
    double squares = 0, degrees = 0;
    for (size_t i = 0; i < series->cell_count; i++) {
        const struct drain_summary summary = summarize(series, i);
        if (summary.trials < 2 || !isfinite(summary.times_s[time]))
            continue;
        degrees += summary.trials - 1;
        for (size_t j = 0; j < series->sample_count; j++) {
            const struct drain_sample *sample = &series->samples[j];
            if (sample->cell == i && sample->stands)
                squares += pow(log(sample->times_s[time] / summary.times_s[time]), 2);
        }
    }
    return degrees > 0 ? sqrt(squares / degrees) : 0;
}

double drain_series_message_ns(const struct drain_series *series)
{
    double most = 0, message_ns = NAN;
    for (size_t cell = 0; cell < series->cell_count; cell++) {
        double messages = 0, cpu_ns = 0, trials = 0;
        for (size_t i = 0; i < series->sample_count; i++) {
            const struct drain_sample *sample = &series->samples[i];
            bool counts = sample->cell == cell && sample->stands;
            messages += counts ? sample->messages : 0;
            cpu_ns += counts ? sample->client_cpu_ns : 0;
            trials += counts;
        }
        if (trials > 0 && messages / trials > most) {
            most = messages / trials;
            message_ns = cpu_ns / messages;
        }
    }
    return message_ns;
}
