// SPDX-License-Identifier: Apache-2.0
/* Throughput: what servers add to an ensemble, which is reads and not writes. A series of loads of
 * reads and of writes on two private ensembles, beside the servers of the other claims; each server
 * has the same share of the CPU, so that a server more is a machine more. */
#include "base/clock.h"
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

/* The load of a trial: its requests outstanding keep all servers busy all the time. */
#define SESSIONS    60
#define DEPTH       20
#define VALUE_BYTES 1024

#define ROUNDS 8 /* of a series */

/* The times that a series is made while an interval is wide. */
#define SERIES_MAX 3

/* The rows of values: of each kind of load both ensembles. */
enum { WRITES, READS, KINDS };
#define CELL(kind, side) ((size_t)(kind)*CLAIM_ENSEMBLES + (side))

/* The arguments of "%u server%s". */
#define SERVERS(attempt, side)                                                                     \
    (unsigned)(attempt)->claim->servers[side], text_plural((attempt)->claim->servers[side])

/* ------------------------------------------------------------------ the loads */

/* Why there can be no ensembles: a static text, or one in `text`; NULL if there can. Sets the share
 * of each server. */
static const char *find_obstacle(const struct attempt *attempt, uint32_t *cpu_percent, char *text,
                                 size_t size)
{
    struct error error;
    const struct fleet_host *host = &attempt->host->fleet;
    const uint64_t *servers = attempt->claim->servers;
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
static int keep_rates(const struct load_series *series)
{
    struct attempt *attempt = series->user;
    attempt->disturbed = series->base.noise.in_a_row;
    for (size_t side = 0; side < series->base.record_count; side++) {
        const struct table *rows = &series->base.records[side].rows;
        for (size_t i = 0; i < rows->rows; i++) {
            const struct table_value *row = table_row(rows, i);
            size_t kind = row[load_row_reads_percent].count == 100 ? READS : WRITES,
                   round = attempt->rounds + row[load_row_trial].count - 1;
            const char *fault = find_fault(row, series->options->target.cpu_percent);
            char *first = attempt->faults[kind];
            if (fault[0] == '\0')
                attempt->values[CELL(kind, side)][round] =
                    table_number(&row[load_row_achieved_per_s]);
            else if (first[0] == '\0') /* of its clauses: others advise about options of a load */
                snprintf(first, sizeof attempt->faults[kind], "%.*s", (int)strcspn(fault, ";"),
                         fault);
        }
    }
    return 0;
}

/* Makes the next rounds. A simulation has no loads of writes. */
static void run_series(struct attempt *attempt, uint32_t cpu_percent)
{
    struct claim_host *host = attempt->host;
    bool simulated = host->fleet.simulation != NULL;
    uint64_t servers[CLAIM_ENSEMBLES], reads[] = {0, 100}, sessions = SESSIONS;
    char name[] = "claims", *argv[] = {name, NULL};
    memcpy(servers, attempt->claim->servers, sizeof servers);
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
        .warm_up_ns = 100 * NS_PER_MS,
        .duration_ns = NS_PER_S,
        .session_timeout_ns = 30 * NS_PER_S,
        .timeout_ns = host->timeout_ns,
        .seed = host->seed + attempt->rounds,
    };
    struct load_series series = {
        .subcommand = name, .options = &options, .print_results = keep_rates, .user = attempt};
    if (host->progress != NULL)
        progress_show_step(host->progress, "sending reads and writes to private ensembles");
    if (load_series_run(&series, 1, argv) != 0 && series.base.interrupted)
        attempt->kind = error_raise(attempt->error, ERROR_INTERRUPTED, 0, name, "%s", "");
    host->trials += ROUNDS * (unsigned)(options.reads.count * CLAIM_ENSEMBLES);
    attempt->rounds += ROUNDS;
}

/* ------------------------------------------------------------------ the judgement */

/* Judges the rounds whose loads count on both sides: they were made one soon after the other, and
 * give one ratio. */
void ensembles_judge(struct attempt *attempt, bool reads)
{
    double per_s[CLAIM_ENSEMBLES][CLAIM_ROUNDS_MAX], ratios[CLAIM_ROUNDS_MAX] = {0};
    const char *what = reads ? "reads" : "writes", *fault = attempt->faults[reads];
    size_t count = 0, rounds = attempt->rounds;
    for (size_t i = 0; i < rounds; i++) {
        for (size_t side = 0; side < CLAIM_ENSEMBLES; side++)
            per_s[side][count] = attempt->values[CELL(reads, side)][i];
        ratios[count] = per_s[1][count] / per_s[0][count];
        count += per_s[0][count] > 0 && per_s[1][count] > 0; /* both were measured */
    }
    const struct interval ratio = statistics_interval_of_logs(ratios, count, CONFIDENCE);
    enum verdict verdict = verdict_of_ratio(&ratio, !reads);
    if (count > 0) {
        char number[CLAIM_ENSEMBLES][32], interval[64] = "no CI";
        for (size_t side = 0; side < CLAIM_ENSEMBLES; side++)
            text_format_count(
                (uint64_t)statistics_interval_of_logs(per_s[side], count, CONFIDENCE).value,
                number[side], sizeof number[side]);
        if (!isnan(ratio.low))
            snprintf(interval, sizeof interval, "95 %% CI %.2f to %.2f", ratio.low, ratio.high);
        claim_measured(
            attempt, "%s: %s a second with %u server%s, %s with %u server%s, %.2f times (%s)", what,
            number[0], SERVERS(attempt, 0), number[1], SERVERS(attempt, 1), ratio.value, interval);
    }
    if (count < rounds)
        claim_measured(attempt, "%s: %zu of %zu rounds do not count: %s", what, rounds - count,
                       rounds, fault[0] != '\0' ? fault : "the series ended early");
    if (verdict != VERDICT_UNDETERMINED) {
        claim_check(attempt, verdict == VERDICT_HOLDS);
        return;
    }
    claim_undecide(attempt, "%s: %s", what,
                   isnan(ratio.low) ? "too few rounds for a CI" : "the CI contains 1");
    attempt->outcome->wide = attempt->outcome->wide || count > 0;
}

/* ------------------------------------------------------------------ the attempt */

void ensembles_compare(struct attempt *attempt)
{
    uint32_t cpu_percent = 0;
    char shares[64] = "", text[800];
    const char *obstacle = find_obstacle(attempt, &cpu_percent, text, sizeof text);
    claim_expected(attempt,
                   "reads: more a second with %u server%s than with %u server%s; writes: fewer",
                   SERVERS(attempt, 1), SERVERS(attempt, 0));
    if (obstacle != NULL) {
        claim_undecide(attempt, "reads and writes: not tried: %s", obstacle);
        return;
    }
    if (cpu_percent > 0)
        snprintf(shares, sizeof shares, "; servers with %.2f cores each", cpu_percent / 100.0);
    else
        claim_undecide(attempt, "writes: not tried, for the leader of a simulation pays nothing "
                                "for a follower");
    claim_tried(
        attempt,
        "closed loops of %d sessions, %d requests outstanding each, values of %d bytes, "
        "1 s%s; on %u server%s and on %u server%s: %d rounds of reads alone and of writes alone",
        SESSIONS, DEPTH, VALUE_BYTES, shares, SERVERS(attempt, 0), SERVERS(attempt, 1), ROUNDS);
    const struct outcome before = *attempt->outcome;
    do {
        *attempt->outcome = before;
        run_series(attempt, cpu_percent);
        ensembles_judge(attempt, true);
        if (cpu_percent > 0)
            ensembles_judge(attempt, false);
    } while (attempt->kind == ERROR_NONE && attempt->rounds < (size_t)SERIES_MAX * ROUNDS &&
             attempt_goes_on(attempt));
}
