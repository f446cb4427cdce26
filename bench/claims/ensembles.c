// SPDX-License-Identifier: Apache-2.0
/* Throughput: what servers add to an ensemble, which is reads and not writes. */
#include "base/clock.h"
#include "base/cores.h"
#include "base/text.h"
#include "bench/claims/internal.h"
#include "bench/output/load_rows.h"
#include "bench/target/resources.h"
#include "load/load.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONFIDENCE 0.95

/* For each server. */
#define HEAP_MIB 256

/* So many requests are outstanding that all servers are busy all the time. */
#define SESSIONS           60
#define DEPTH              20
#define VALUE_BYTES        1024
#define SECONDS            1
#define WARM_UP_NS         (100 * NS_PER_MS)
#define SESSION_TIMEOUT_MS 30000

/* Reads differ by a factor of two or three, writes by about a quarter: by no more than one round
 * differs from another. */
#define READ_ROUNDS  4
#define WRITE_ROUNDS 12

_Static_assert(READ_ROUNDS <= ENSEMBLE_PAIR_ROUNDS_MAX && WRITE_ROUNDS <= ENSEMBLE_PAIR_ROUNDS_MAX,
               "room for the rates of all rounds");

static const char *kind_of(uint32_t reads_percent)
{
    return reads_percent == 100 ? "reads" : "writes";
}

static const char *servers_of(uint64_t servers, char text[32])
{
    snprintf(text, 32, "%llu server%s", (unsigned long long)servers, servers == 1 ? "" : "s");
    return text;
}

static enum driver driver_of(const struct testbed *testbed)
{
    return testbed->host.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS;
}

/* ------------------------------------------------------------------ the ensembles */

/* Why there can be no pair; NULL if there can. Some of it is put into `text`. */
static const char *find_obstacle(struct ensemble_pair *pair, char text[ENSEMBLE_PAIR_WHY_SIZE])
{
    struct error error;
    const uint64_t *servers = pair->servers;
    uint64_t most = servers[0] > servers[1] ? servers[0] : servers[1];
    if (driver_of(pair->testbed) == DRIVER_SIMULATED)
        return NULL;
    if (pair->testbed->host.ensemble == NULL)
        return "the servers of --connect are one ensemble, and nobody has limited their CPU";
    if (ensemble_check_memory((unsigned)(servers[0] + servers[1]), HEAP_MIB, &error) !=
        ERROR_NONE) {
        snprintf(text, ENSEMBLE_PAIR_WHY_SIZE, "%s: %s", error.subject, error.detail);
        return text;
    }
    return resources_find_share(1, most, &pair->cpu_percent, text, ENSEMBLE_PAIR_WHY_SIZE);
}

static enum error_kind open_side(struct ensemble_pair *pair, size_t side, struct error *error)
{
    unsigned long long servers = pair->servers[side];
    const struct target_options options = {
        .driver = driver_of(pair->testbed),
        .server_counts = pair->servers,
        .topology_count = ENSEMBLE_PAIR,
        .heap_mib = HEAP_MIB,
        .cpu_percent = pair->cpu_percent,
        .fsync = true,
        .placement = PLACEMENT_SPREAD,
        .max_clients = UINT64_MAX,
    };
    experiment_say(pair->testbed, "starting %llu private server%s", servers,
                   servers == 1 ? "" : "s");
    int interrupts = pair->testbed->host.watch.interrupt_descriptor;
    enum error_kind kind = target_open(&options, side, interrupts, &pair->targets[side], error);
    return kind == ERROR_NONE ? target_make_root(&pair->targets[side], interrupts, error) : kind;
}

enum error_kind ensemble_pair_open(struct testbed *testbed, const uint64_t *servers,
                                   struct ensemble_pair *pair, char why[ENSEMBLE_PAIR_WHY_SIZE],
                                   struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    char text[ENSEMBLE_PAIR_WHY_SIZE];
    *pair = (struct ensemble_pair){.testbed = testbed, .servers = {servers[0], servers[1]}};
    const char *obstacle = find_obstacle(pair, text);
    snprintf(why, ENSEMBLE_PAIR_WHY_SIZE, "%s", obstacle != NULL ? obstacle : "");
    for (size_t side = 0; kind == ERROR_NONE && why[0] == '\0' && side < ENSEMBLE_PAIR; side++)
        kind = open_side(pair, side, error);
    if (kind != ERROR_NONE)
        ensemble_pair_close(pair);
    return kind;
}

void ensemble_pair_close(struct ensemble_pair *pair)
{
    struct error error; /* nothing can remain on private servers */
    for (size_t side = 0; side < ENSEMBLE_PAIR; side++)
        (void)!target_close(&pair->targets[side], &error);
}

/* ------------------------------------------------------------------ the loads */

/* Why what a load has measured does not count: "" if it does. */
static const char *find_fault(const struct ensemble_pair *pair, size_t side,
                              const struct table_value *row)
{
    if (!row[load_row_valid].flag)
        return row[load_row_reason].text;
    if (!(table_number(&row[load_row_achieved_per_s]) > 0))
        return "the servers answered nothing"; /* and there is no ratio */
    if (row[load_row_reads_percent].count == 100 &&
        resources_are_starved(table_number(&row[load_row_server_cores]), pair->servers[side],
                              pair->cpu_percent))
        return "the servers did not use their shares of the CPU";
    return "";
}

/* Whether other programs have disturbed a load that has run, so that it is to be made again. */
static bool is_to_be_made_again(struct noise_watch *noise, struct table_value *row)
{
    const struct noise_row of_row = {
        .columns = &row[load_row_attempt],
        .valid = &row[load_row_valid],
        .reason = &row[load_row_reason],
        .complete = row[load_row_complete].flag,
        .fails = row[load_row_miscounted].flag,
    };
    if (noise == NULL)
        return false;
    noise_watch_end(noise, &of_row);
    return noise->again;
}

/* A load on one side: how many operations a second it makes, and its fault unless there is one. */
static enum error_kind run_load(struct ensemble_pair *pair, size_t side,
                                struct ensemble_pair_rates *rates, char fault[160], bool *again,
                                struct error *error)
{
    struct testbed *testbed = pair->testbed;
    struct target *target = &pair->targets[side];
    struct load_result *result;
    char root[EXPERIMENT_ROOT_MAX];
    const struct load_host host =
        target_load_host(target, testbed->host.watch.interrupt_descriptor);
    const struct load_plan plan = {
        .fleet = {.driver = driver_of(testbed),
                  .sessions = SESSIONS,
                  .processes = 1,
                  .depth = DEPTH,
                  .session_timeout_ms = SESSION_TIMEOUT_MS,
                  .timeout_ns = testbed->timeout_ns,
                  .seed = testbed->seed + testbed->trials,
                  .servers = &target->placement},
        .mix = mix_of_reads(rates->reads_percent),
        .value_bytes = VALUE_BYTES,
        .warm_up_ns = WARM_UP_NS,
        .seconds = SECONDS,
        .root = root,
    };
    const struct load_cell cell = {.mix = plan.mix, .sessions = SESSIONS};
    const struct load_options options = {.processes = 1};
    static const struct series_record record;
    struct table rows = {.type = &load_row_table};
    snprintf(root, sizeof root, "%s/t%04u", target->root, testbed->trials++);
    if (testbed->noise != NULL)
        noise_watch_begin(testbed->noise, target);
    enum error_kind kind = target_find_cause(target, load_run(&plan, &host, &result, error), error);
    if (kind != ERROR_NONE)
        return kind;
    struct table_value *row = table_add(&rows);
    load_row_take(&cell, result, &options, &record, cores_allowed(), row);
    *again = is_to_be_made_again(testbed->noise, row);
    rates->per_s[side][rates->rounds] = table_number(&row[load_row_achieved_per_s]);
    /* The first of its clauses: others give advice on the options of a load. */
    const char *why = find_fault(pair, side, row);
    if (fault[0] == '\0' && !*again)
        snprintf(fault, sizeof rates->why, "%.*s", (int)strcspn(why, ";"), why);
    table_deinit(&rows);
    load_result_free(result);
    return ERROR_NONE;
}

/* A load on each ensemble, beginning with one or the other. */
static enum error_kind run_round(struct ensemble_pair *pair, size_t round, size_t rounds,
                                 struct ensemble_pair_rates *rates, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    char fault[sizeof rates->why] = "", servers[32];
    for (size_t turn = 0; kind == ERROR_NONE && turn < ENSEMBLE_PAIR; turn++) {
        size_t side = (round + turn) % ENSEMBLE_PAIR;
        experiment_say(pair->testbed, "%s, %s, round %zu of %zu", kind_of(rates->reads_percent),
                       servers_of(pair->servers[side], servers), round + 1, rounds);
        bool again;
        do
            kind = run_load(pair, side, rates, fault, &again, error);
        while (kind == ERROR_NONE && again);
    }
    if (kind == ERROR_NONE && fault[0] == '\0')
        rates->rounds++;
    else if (kind == ERROR_NONE && rates->left_out++ == 0)
        memcpy(rates->why, fault, sizeof fault);
    return kind;
}

enum error_kind ensemble_pair_load(struct ensemble_pair *pair, uint32_t reads_percent,
                                   size_t rounds, struct ensemble_pair_rates *rates,
                                   struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *rates = (struct ensemble_pair_rates){.reads_percent = reads_percent};
    for (size_t round = 0; kind == ERROR_NONE && round < rounds; round++)
        kind = run_round(pair, round, rounds, rates, error);
    return kind;
}

/* ------------------------------------------------------------------ the judgement */

/* Tells the geometric means over the rounds that count. */
static void tell_rates(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                       const struct interval *ratio, struct claim_outcome *finding)
{
    char number[ENSEMBLE_PAIR][32], servers[ENSEMBLE_PAIR][32], interval[64] = "no CI";
    for (size_t side = 0; side < ENSEMBLE_PAIR; side++) {
        double mean =
            statistics_interval_of_logs(rates->per_s[side], rates->rounds, CONFIDENCE).value;
        text_format_count((uint64_t)mean, number[side], sizeof number[side]);
        servers_of(pair->servers[side], servers[side]);
    }
    if (!isnan(ratio->low))
        snprintf(interval, sizeof interval, "95 %% CI %.2f to %.2f", ratio->low, ratio->high);
    finding_measured(finding, "%s: %s a second with %s, %s with %s, %.2f times (%s)",
                     kind_of(rates->reads_percent), number[0], servers[0], number[1], servers[1],
                     ratio->value, interval);
}

void ensemble_pair_judge(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                         struct claim_outcome *finding)
{
    const char *what = kind_of(rates->reads_percent);
    double ratios[ENSEMBLE_PAIR_ROUNDS_MAX];
    for (size_t i = 0; i < rates->rounds; i++)
        ratios[i] = rates->per_s[1][i] / rates->per_s[0][i];
    struct interval ratio = statistics_interval_of_logs(ratios, rates->rounds, CONFIDENCE);
    enum verdict verdict =
        rates->reads_percent == 100 ? verdict_rises(&ratio) : verdict_falls(&ratio);
    if (rates->rounds > 0)
        tell_rates(pair, rates, &ratio, finding);
    if (rates->left_out > 0)
        finding_measured(finding, "%s: %u of %zu rounds do not count: %s", what, rates->left_out,
                         rates->left_out + rates->rounds, rates->why);
    if (verdict != VERDICT_UNDETERMINED)
        finding_check(finding, verdict == VERDICT_HOLDS);
    else
        finding_undecide(finding, "%s: %s", what,
                         isnan(ratio.low) ? "too few rounds for a CI" : "the CI contains 1");
}

/* ------------------------------------------------------------------ the experiment */

/* Reads, then writes. */
static enum error_kind load_pair(struct ensemble_pair *pair, struct claim_outcome *finding,
                                 struct error *error)
{
    static const struct {
        uint32_t reads_percent;
        size_t rounds;
    } loads[] = {{100, READ_ROUNDS}, {0, WRITE_ROUNDS}};
    struct ensemble_pair_rates rates;
    struct noise_watch *noise = pair->testbed->noise;
    enum error_kind kind = ERROR_NONE;
    if (noise != NULL)
        noise_watch_look(noise, ENSEMBLE_PAIR * ((size_t)READ_ROUNDS + WRITE_ROUNDS));
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof loads / sizeof loads[0]; i++) {
        if (loads[i].reads_percent == 0 && pair->cpu_percent == 0) {
            finding_undecide(finding, "writes: not tried, for the leader of a simulation pays "
                                      "nothing for a follower");
            break;
        }
        kind = ensemble_pair_load(pair, loads[i].reads_percent, loads[i].rounds, &rates, error);
        if (kind == ERROR_NONE)
            ensemble_pair_judge(pair, &rates, finding);
    }
    return kind;
}

void ensembles_scale_reads(struct experiment *experiment)
{
    struct claim_outcome *finding = experiment->finding;
    const uint64_t *servers = experiment->claim->servers;
    struct ensemble_pair pair;
    char from[32], to[32], shares[64] = "", why[ENSEMBLE_PAIR_WHY_SIZE];
    servers_of(servers[0], from);
    servers_of(servers[1], to);
    finding_expected(finding, "reads: more a second with %s than with %s", to, from);
    finding_expected(finding, "writes: fewer");
    experiment->kind =
        ensemble_pair_open(experiment->testbed, servers, &pair, why, experiment->error);
    if (experiment->kind == ERROR_NONE && why[0] != '\0') {
        finding_undecide(finding, "reads and writes: not tried: %s", why);
    } else if (experiment->kind == ERROR_NONE) {
        if (pair.cpu_percent > 0)
            snprintf(shares, sizeof shares, "; servers with %.2f cores each",
                     pair.cpu_percent / 100.0);
        finding_tried(
            finding,
            "closed loops of %d sessions, %d requests outstanding each, values of %d bytes, "
            "%d s%s; on %s and on %s in turn: %d rounds of reads alone, %d of writes alone",
            SESSIONS, DEPTH, VALUE_BYTES, SECONDS, shares, from, to, READ_ROUNDS, WRITE_ROUNDS);
        experiment->kind = load_pair(&pair, finding, experiment->error);
        ensemble_pair_close(&pair);
    }
}
