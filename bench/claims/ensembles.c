// SPDX-License-Identifier: Apache-2.0
/* Throughput: what servers add to an ensemble, which is reads and not writes. A series of loads of
 * reads and of writes on two private ensembles, beside the servers of the other claims; each server
 * has the same share of the CPU, so that a server more is a machine more. */
#include "base/clock.h"
#include "base/text.h"
#include "bench/claims/internal.h"
#include "bench/output/load_series.h"
#include "bench/target/resources.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONFIDENCE 0.95

/* For each server. */
#define HEAP_MIB 256

/* So many requests are outstanding that all servers are busy all the time. */
#define SESSIONS        60
#define DEPTH           20
#define VALUE_BYTES     1024
#define LOAD_NS         NS_PER_S
#define WARM_UP_NS      (100 * NS_PER_MS)
#define SESSION_TIMEOUT (30 * NS_PER_S)

#define ROUNDS 8 /* of a series */

/* The times that a series is made while an interval is wide. */
#define SERIES_MAX 3

/* The rows of values: of each kind of load both ensembles. */
enum { WRITES, READS, KINDS };
#define CELL(kind, side) ((size_t)(kind)*CLAIM_ENSEMBLES + (side))

/* ------------------------------------------------------------------ the loads */

/* Why there can be no ensembles: a static text, or one in `text`; NULL if there can. Sets the share
 * of each server. */
static const char *find_obstacle(const struct experiment *experiment, uint32_t *cpu_percent,
                                 char *text, size_t size)
{
    struct error error;
    const struct trial_host *host = &experiment->host->trial;
    const uint64_t *servers = experiment->claim->servers;
    if (host->simulation != NULL)
        return NULL;
    if (host->ensemble == NULL)
        return "the servers of --connect are one ensemble, and their CPU is not limited";
    if (ensemble_check_memory((unsigned)(servers[0] + servers[1]), HEAP_MIB, &error) !=
        ERROR_NONE) {
        snprintf(text, size, "%s: %s", error.subject, error.detail);
        return text;
    }
    return resources_find_share(1, servers[0] > servers[1] ? servers[0] : servers[1], cpu_percent,
                                text, size);
}

/* Why what a load has measured does not count; "" if it does. */
static const char *find_fault(const struct table_value *row, uint32_t cpu_percent)
{
    if (!row[load_row_valid].flag)
        return row[load_row_reason].text;
    if (!(table_number(&row[load_row_achieved_per_s]) > 0))
        return "the servers answered nothing"; /* and there is no ratio */
    if (row[load_row_reads_percent].count == 100 &&
        resources_are_starved(table_number(&row[load_row_server_cores]),
                              row[load_row_servers].count, cpu_percent))
        return "the servers did not use their shares of the CPU";
    return "";
}

/* Keeps operations a second of the rounds of a series that count. */
static int keep_rates(const struct load_series *series, void *context, int *verdict)
{
    struct experiment *experiment = context;
    (void)verdict;
    experiment->disturbed = series->base.noise.in_a_row;
    for (size_t side = 0; side < series->base.record_count; side++) {
        const struct table *rows = &series->base.records[side].rows;
        for (size_t i = 0; i < rows->rows; i++) {
            const struct table_value *row = table_row(rows, i);
            size_t kind = row[load_row_reads_percent].count == 100 ? READS : WRITES,
                   round = experiment->rounds + row[load_row_trial].count - 1;
            const char *fault = find_fault(row, series->options->target.cpu_percent);
            char *first = experiment->faults[kind];
            if (fault[0] == '\0')
                experiment->values[CELL(kind, side)][round] =
                    table_number(&row[load_row_achieved_per_s]);
            else if (first[0] == '\0') /* of its clauses: others advise about options of a load */
                snprintf(first, sizeof experiment->faults[kind], "%.*s", (int)strcspn(fault, ";"),
                         fault);
        }
    }
    return 0;
}

/* Makes the next rounds. A simulation has no loads of writes. */
static void run_series(struct experiment *experiment, uint32_t cpu_percent)
{
    struct claim_host *host = experiment->host;
    bool simulated = host->trial.simulation != NULL, interrupted = false;
    uint64_t servers[CLAIM_ENSEMBLES], reads[] = {0, 100}, sessions = SESSIONS;
    char name[] = "claims", *argv[] = {name, NULL};
    memcpy(servers, experiment->claim->servers, sizeof servers);
    struct load_options options = {
        .target = {.driver = simulated ? DRIVER_SIMULATED : DRIVER_EVENTS,
                   .server_counts = servers,
                   .topology_count = CLAIM_ENSEMBLES,
                   .heap_mib = HEAP_MIB,
                   .cpu_percent = cpu_percent,
                   .fsync = true,
                   .placement = PLACEMENT_SPREAD,
                   .max_clients = UINT64_MAX},
        .output = {.out = OUTPUT_NOWHERE, .no_files = true, .quiet = true},
        .reads = {.list = reads + simulated, .count = simulated ? 1 : KINDS},
        .sessions = {.list = &sessions, .count = 1},
        .depth = DEPTH,
        .value_bytes = VALUE_BYTES,
        .trials = ROUNDS,
        .rehearses = !simulated,
        .processes = 1,
        .warm_up_ns = WARM_UP_NS,
        .duration_ns = LOAD_NS,
        .session_timeout_ns = SESSION_TIMEOUT,
        .timeout_ns = host->timeout_ns,
        .seed = host->seed + experiment->rounds,
    };
    const struct load_series_user user = {.subcommand = name,
                                          .print_results = keep_rates,
                                          .context = experiment,
                                          .interrupted = &interrupted};
    for (size_t cell = 0; cell < CELL(KINDS, 0); cell++) {
        for (size_t i = 0; i < ROUNDS; i++)
            experiment->values[cell][experiment->rounds + i] = NAN; /* until it is measured */
    }
    if (host->progress != NULL)
        progress_show_step(host->progress, "sending reads and writes to private ensembles");
    if (load_series_run(&options, &user, 1, argv) != 0 && interrupted)
        experiment->kind = error_raise(experiment->error, ERROR_INTERRUPTED, 0, name, "%s", "");
    host->trials += ROUNDS * (unsigned)(options.reads.count * CLAIM_ENSEMBLES);
    experiment->rounds += ROUNDS;
}

/* ------------------------------------------------------------------ the judgement */

/* "1 server", "3 servers" */
static const char *name_servers(const struct experiment *experiment, size_t side, char text[32])
{
    uint64_t servers = experiment->claim->servers[side];
    snprintf(text, 32, "%llu server%s", (unsigned long long)servers, text_plural(servers));
    return text;
}

/* Judges the rounds whose loads count on both sides: they were made one soon after the other, and
 * give one ratio. */
void ensembles_judge(struct experiment *experiment, bool reads)
{
    struct outcome *outcome = experiment->outcome;
    double per_s[CLAIM_ENSEMBLES][CLAIM_ROUNDS_MAX], ratios[CLAIM_ROUNDS_MAX];
    char number[CLAIM_ENSEMBLES][32], servers[CLAIM_ENSEMBLES][32], interval[64] = "no CI";
    const char *what = reads ? "reads" : "writes", *fault = experiment->faults[reads];
    size_t count = 0, rounds = experiment->rounds;
    for (size_t i = 0; i < rounds; i++) {
        for (size_t side = 0; side < CLAIM_ENSEMBLES; side++)
            per_s[side][count] = experiment->values[CELL(reads, side)][i];
        ratios[count] = per_s[1][count] / per_s[0][count];
        count += isnan(ratios[count]) ? 0U : 1U;
    }
    const struct interval ratio = statistics_interval_of_logs(ratios, count, CONFIDENCE);
    enum verdict verdict = reads ? verdict_rises(&ratio) : verdict_falls(&ratio);
    if (!isnan(ratio.low))
        snprintf(interval, sizeof interval, "95 %% CI %.2f to %.2f", ratio.low, ratio.high);
    for (size_t side = 0; side < CLAIM_ENSEMBLES && count > 0; side++)
        text_format_count(
            (uint64_t)statistics_interval_of_logs(per_s[side], count, CONFIDENCE).value,
            number[side], sizeof number[side]);
    if (count > 0)
        outcome_measured(outcome, "%s: %s a second with %s, %s with %s, %.2f times (%s)", what,
                         number[0], name_servers(experiment, 0, servers[0]), number[1],
                         name_servers(experiment, 1, servers[1]), ratio.value, interval);
    if (count < rounds)
        outcome_measured(outcome, "%s: %zu of %zu rounds do not count: %s", what, rounds - count,
                         rounds, fault[0] != '\0' ? fault : "the series ended early");
    if (verdict != VERDICT_UNDETERMINED) {
        outcome_check(outcome, verdict == VERDICT_HOLDS);
        return;
    }
    outcome_undecide(outcome, "%s: %s", what,
                     isnan(ratio.low) ? "too few rounds for a CI" : "the CI contains 1");
    outcome->wide = outcome->wide || count > 0;
}

/* ------------------------------------------------------------------ the experiment */

void ensembles_compare(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint32_t cpu_percent = 0;
    char from[32], to[32], shares[64] = "", text[800];
    const char *obstacle = find_obstacle(experiment, &cpu_percent, text, sizeof text);
    name_servers(experiment, 0, from);
    name_servers(experiment, 1, to);
    outcome_expected(outcome, "reads: more a second with %s than with %s; writes: fewer", to, from);
    if (obstacle != NULL) {
        outcome_undecide(outcome, "reads and writes: not tried: %s", obstacle);
        return;
    }
    if (cpu_percent > 0)
        snprintf(shares, sizeof shares, "; servers with %.2f cores each", cpu_percent / 100.0);
    else
        outcome_undecide(outcome, "writes: not tried, for the leader of a simulation pays nothing "
                                  "for a follower");
    outcome_tried(outcome,
                  "closed loops of %d sessions, %d requests outstanding each, values of %d bytes, "
                  "1 s%s; on %s and on %s: %d rounds of reads alone and of writes alone",
                  SESSIONS, DEPTH, VALUE_BYTES, shares, from, to, ROUNDS);
    const struct outcome before = *outcome;
    do {
        *outcome = before;
        run_series(experiment, cpu_percent);
        ensembles_judge(experiment, true);
        if (cpu_percent > 0)
            ensembles_judge(experiment, false);
    } while (experiment->kind == ERROR_NONE && experiment->rounds < (size_t)SERIES_MAX * ROUNDS &&
             experiment_goes_on(experiment));
}
