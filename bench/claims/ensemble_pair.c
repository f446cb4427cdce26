// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/ensemble_pair.h"

#include "base/cores.h"
#include "bench/output/load_rows.h"
#include "bench/target/core_shares.h"
#include "load/load.h"

#include <stdio.h>
#include <string.h>

#define CONFIDENCE 0.95

/* Of each server. */
#define HEAP_MIB 256

/* So many requests are outstanding that all servers are busy all the time. */
#define SESSIONS           60
#define DEPTH              20
#define VALUE_BYTES        1024
#define SECONDS            1
#define WARM_UP_NS         (100 * NS_PER_MS)
#define SESSION_TIMEOUT_MS 30000

static bool is_simulated(const struct testbed *testbed)
{
    return testbed->host.simulation != NULL;
}

/* ------------------------------------------------------------------ the ensembles */

static uint64_t most_servers(const uint64_t servers[ENSEMBLE_PAIR])
{
    return servers[0] > servers[1] ? servers[0] : servers[1];
}

/* Why there can be no pair; NULL if there can. */
static const char *find_obstacle(const struct testbed *testbed,
                                 const uint64_t servers[ENSEMBLE_PAIR], uint32_t *cpu_percent,
                                 char *text, size_t size)
{
    struct error error;
    if (is_simulated(testbed))
        return NULL;
    if (testbed->host.ensemble == NULL)
        return "the servers of --connect are one ensemble, and nobody has limited their CPU";
    if (ensemble_check_memory((unsigned)(servers[0] + servers[1]), HEAP_MIB, &error) !=
        ERROR_NONE) {
        snprintf(text, size, "%s: %s", error.subject, error.detail);
        return text;
    }
    return core_shares_find(1, most_servers(servers), cpu_percent, text, size);
}

static void say_start(const struct testbed *testbed, uint64_t servers)
{
    char what[64];
    snprintf(what, sizeof what, "starting %llu private server%s", (unsigned long long)servers,
             servers == 1 ? "" : "s");
    testbed_say(testbed, what);
}

static enum error_kind open_side(struct ensemble_pair *pair, size_t side, struct error *error)
{
    const struct testbed *testbed = pair->testbed;
    struct target *target = &pair->targets[side];
    const struct target_options options = {
        .driver = is_simulated(testbed) ? DRIVER_SIMULATED : DRIVER_EVENTS,
        .server_counts = pair->servers,
        .topology_count = ENSEMBLE_PAIR,
        .heap_mib = HEAP_MIB,
        .cpu_percent = pair->cpu_percent,
        .fsync = true,
        .placement = PLACEMENT_SPREAD,
        .max_clients = UINT64_MAX,
    };
    say_start(testbed, pair->servers[side]);
    int interrupts = testbed->host.watch.interrupt_descriptor;
    enum error_kind kind = target_open(&options, side, SESSIONS, interrupts, target, error);
    if (kind == ERROR_NONE)
        kind = target_make_root(target, interrupts, error);
    return kind;
}

enum error_kind ensemble_pair_open(struct testbed *testbed, const uint64_t servers[ENSEMBLE_PAIR],
                                   struct ensemble_pair *pair, const char **why, char *text,
                                   size_t size, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *pair = (struct ensemble_pair){.testbed = testbed, .servers = {servers[0], servers[1]}};
    *why = find_obstacle(testbed, servers, &pair->cpu_percent, text, size);
    for (size_t side = 0; kind == ERROR_NONE && *why == NULL && side < ENSEMBLE_PAIR; side++)
        kind = open_side(pair, side, error);
    if (kind != ERROR_NONE)
        ensemble_pair_close(pair);
    return kind;
}

/* Of private servers nothing can remain. */
void ensemble_pair_close(struct ensemble_pair *pair)
{
    struct error error;
    for (size_t side = 0; side < ENSEMBLE_PAIR; side++)
        (void)!target_close(&pair->targets[side], &error);
}

/* ------------------------------------------------------------------ a load */

static struct load_plan plan_of(const struct ensemble_pair *pair, size_t side,
                                uint32_t reads_percent, const char *root)
{
    const struct testbed *testbed = pair->testbed;
    return (struct load_plan){
        .fleet = {.driver = is_simulated(testbed) ? DRIVER_SIMULATED : DRIVER_EVENTS,
                  .sessions = SESSIONS,
                  .processes = 1,
                  .depth = DEPTH,
                  .session_timeout_ms = SESSION_TIMEOUT_MS,
                  .timeout_ns = testbed->timeout_ns,
                  .seed = testbed->seed + testbed->trials,
                  .servers = &pair->targets[side].placement},
        .mix = mix_of_reads(reads_percent),
        .value_bytes = VALUE_BYTES,
        .warm_up_ns = WARM_UP_NS,
        .seconds = SECONDS,
        .root = root,
    };
}

/* Why what a load has measured does not count: "" if it does. */
static const char *find_fault(const struct ensemble_pair *pair, size_t side,
                              const struct table_value *row)
{
    if (!row[load_row_valid].flag)
        return row[load_row_reason].text;
    if (!(table_number(&row[load_row_achieved_per_s]) > 0))
        return "the servers answered nothing"; /* and there is no ratio */
    if (row[load_row_reads_percent].count == 100 &&
        core_shares_starved(table_number(&row[load_row_server_cores]), pair->servers[side],
                            pair->cpu_percent))
        return "the servers did not use their shares of the CPU";
    return "";
}

static enum error_kind run_load(struct ensemble_pair *pair, size_t side, uint32_t reads_percent,
                                struct table_value *row, struct error *error)
{
    struct testbed *testbed = pair->testbed;
    struct target *target = &pair->targets[side];
    struct load_result *result;
    char root[TESTBED_ROOT_MAX];
    const struct load_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .simulation = &target->simulation,
        .watch.interrupt_descriptor = testbed->host.watch.interrupt_descriptor,
    };
    snprintf(root, sizeof root, "%s/t%04u", target->root, testbed->trials);
    const struct load_plan plan = plan_of(pair, side, reads_percent, root);
    const struct load_cell cell = {.mix = plan.mix, .sessions = SESSIONS};
    const struct load_options options = {.processes = 1};
    const struct load_context context = {.options = &options};
    testbed->trials++;
    enum error_kind kind = target_find_cause(target, load_run(&plan, &host, &result, error), error);
    if (kind != ERROR_NONE)
        return kind;
    load_row_take(&cell, result, &context, cores_allowed(), row);
    load_result_free(result);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the rounds */

static void say_round(const struct ensemble_pair *pair, size_t side, uint32_t reads_percent,
                      size_t round, size_t rounds)
{
    char what[96];
    snprintf(what, sizeof what, "%s, %llu server%s, round %zu of %zu",
             reads_percent == 100 ? "reads" : "writes", (unsigned long long)pair->servers[side],
             pair->servers[side] == 1 ? "" : "s", round + 1, rounds);
    testbed_say(pair->testbed, what);
}

/* A load on each ensemble, beginning with one or the other. */
static enum error_kind run_round(struct ensemble_pair *pair, size_t round, size_t rounds,
                                 struct ensemble_pair_rates *rates, struct error *error)
{
    struct table rows = {.type = &load_row_table};
    enum error_kind kind = ERROR_NONE;
    double per_s[ENSEMBLE_PAIR];
    char fault[sizeof rates->why] = "";
    for (size_t turn = 0; kind == ERROR_NONE && turn < ENSEMBLE_PAIR; turn++) {
        size_t side = (round + turn) % ENSEMBLE_PAIR;
        struct table_value *row = table_add(&rows);
        say_round(pair, side, rates->reads_percent, round, rounds);
        kind = run_load(pair, side, rates->reads_percent, row, error);
        if (kind != ERROR_NONE)
            break;
        per_s[side] = table_number(&row[load_row_achieved_per_s]);
        /* The first of its clauses: others give advice on the options of a load. */
        const char *why = find_fault(pair, side, row);
        if (fault[0] == '\0')
            snprintf(fault, sizeof fault, "%.*s", (int)strcspn(why, ";"), why);
    }
    table_deinit(&rows);
    if (kind != ERROR_NONE)
        return kind;
    if (fault[0] != '\0') {
        if (rates->left_out++ == 0)
            memcpy(rates->why, fault, sizeof fault);
        return ERROR_NONE;
    }
    for (size_t side = 0; side < ENSEMBLE_PAIR; side++)
        rates->per_s[side][rates->rounds] = per_s[side];
    rates->rounds++;
    return ERROR_NONE;
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

double ensemble_pair_mean(const struct ensemble_pair_rates *rates, size_t side)
{
    return statistics_interval_of_logs(rates->per_s[side], rates->rounds, CONFIDENCE).value;
}

struct interval ensemble_pair_ratio(const struct ensemble_pair_rates *rates)
{
    double ratios[ENSEMBLE_PAIR_ROUNDS_MAX];
    for (size_t i = 0; i < rates->rounds; i++)
        ratios[i] = rates->per_s[1][i] / rates->per_s[0][i];
    return statistics_interval_of_logs(ratios, rates->rounds, CONFIDENCE);
}

const char *ensemble_pair_describe(const struct ensemble_pair *pair, char *text, size_t size)
{
    int length = snprintf(text, size,
                          "closed loops of %d sessions, %d requests outstanding each, values of %d "
                          "bytes, %d s",
                          SESSIONS, DEPTH, VALUE_BYTES, SECONDS);
    if (pair->cpu_percent > 0)
        snprintf(text + length, size - (size_t)length, "; servers with %.2f cores each",
                 pair->cpu_percent / 100.0);
    return text;
}
