// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table2.h"

#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct table2_cell *table2_at(const struct table2 *table, size_t topology, size_t level)
{
    return &table->cells[topology * table->levels + level];
}

/* ------------------------------------------------------------------ the cells */

static bool belongs(const struct table_value *row, const struct table2_cell *cell)
{
    return row[load_row_complete].flag && row[load_row_sessions].count == cell->workers;
}

/* Puts the cell's values at its `values`; latencies_ms has room for as many. */
static void gather(const struct table *rows, double *latencies_ms, struct table2_cell *cell)
{
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        cell->trials += belongs(row, cell);
        cell->valid += belongs(row, cell) && row[load_row_valid].flag;
    }
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!belongs(row, cell) || (!row[load_row_valid].flag && cell->valid > 0))
            continue;
        latencies_ms[cell->count] = table_number(&row[load_row_service_mean_us]) / 1e3;
        cell->values[cell->count++] = table_number(&row[load_row_achieved_per_s]);
    }
    cell->per_s = statistics_interval_of_logs(cell->values, cell->count, JUDGEMENT_CONFIDENCE);
    cell->latency_ms = statistics_interval_of_logs(latencies_ms, cell->count, JUDGEMENT_CONFIDENCE);
}

static void gather_all(struct table2 *table, const struct load_options *options,
                       const struct load_record *records, double *latencies_ms)
{
    double *values = table->values;
    for (size_t topology = 0; topology < table->topologies; topology++) {
        for (size_t level = 0; level < table->levels; level++) {
            struct table2_cell *cell = &table->cells[topology * table->levels + level];
            *cell = (struct table2_cell){
                .servers = options->target.server_counts[topology],
                .workers = options->sessions.list[level],
                .values = values,
            };
            gather(&records[topology].rows, latencies_ms, cell);
            values += cell->count;
        }
    }
}

/* ------------------------------------------------------------------ the judgements */

/* Of cell b against cell a; the claim is the caller's to judge. NULL: ERROR_NO_MEMORY. */
static struct judgement *compare(struct table2 *table, const struct table2_cell *b,
                                 const struct table2_cell *a, struct error *error)
{
    struct judgement *judgement = judgements_add(&table->judgements, error);
    if (judgement == NULL)
        return NULL;
    judgement->servers = b->servers;
    judgement->against = a->servers != b->servers ? a->servers : 0;
    judgement->ours = judgement_ratio(b->values, b->count, b->valid, a->values, a->count, a->valid);
    judgement->paper =
        published_table2(b->servers, b->workers) / published_table2(a->servers, a->workers);
    return judgement;
}

/* A number of workers with the next lower one. */
static enum error_kind judge_workers(struct table2 *table, size_t topology, size_t level,
                                     struct error *error)
{
    const struct table2_cell *b = table2_at(table, topology, level),
                             *a = table2_at(table, topology, level - 1);
    struct judgement *judgement = compare(table, b, a, error);
    if (judgement == NULL)
        return error->kind;
    unsigned long long servers = b->servers, workers = b->workers, fewer = a->workers;
    const char *plural = servers == 1 ? "" : "s";
    snprintf(judgement->claim, sizeof judgement->claim,
             "creates rise from %llu to %llu workers, %llu server%s", fewer, workers, servers,
             plural);
    snprintf(judgement->row, sizeof judgement->row, "rise, %llu to %llu workers, %llu server%s",
             fewer, workers, servers, plural);
    judgement->verdict = verdict_rises(&judgement->ours);
    return ERROR_NONE;
}

/* A number of servers with the next lower one, with the most workers. */
static enum error_kind judge_servers(struct table2 *table, size_t topology,
                                     const struct load_options *options, struct error *error)
{
    const struct table2_cell *b = table2_at(table, topology, table->levels - 1),
                             *a = table2_at(table, topology - 1, table->levels - 1);
    struct judgement *judgement = compare(table, b, a, error);
    if (judgement == NULL)
        return error->kind;
    unsigned long long servers = b->servers, fewer = a->servers, workers = b->workers;
    const char *plural = workers == 1 ? "" : "s";
    snprintf(judgement->claim, sizeof judgement->claim,
             "creates fall from %llu to %llu servers, %llu worker%s", fewer, servers, workers,
             plural);
    snprintf(judgement->row, sizeof judgement->row, "fall, %llu to %llu servers, %llu worker%s",
             fewer, servers, workers, plural);
    judgement->verdict = verdict_falls(&judgement->ours);
    judgement_deny(judgement, paper_servers_cannot_show(&options->target, true));
    return ERROR_NONE;
}

static enum error_kind judge(struct table2 *table, const struct load_options *options,
                             struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    table->judgements.quantity = "ratio";
    table->judgements.unit = "times";
    for (size_t i = 0; kind == ERROR_NONE && i < table->topologies; i++) {
        for (size_t level = 1; kind == ERROR_NONE && level < table->levels; level++)
            kind = judge_workers(table, i, level, error);
    }
    for (size_t i = 1; kind == ERROR_NONE && i < table->topologies; i++)
        kind = judge_servers(table, i, options, error);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

enum error_kind table2_init(struct table2 *table, const struct load_options *options,
                            const struct load_record *records, struct error *error)
{
    size_t trials = 0;
    *table = (struct table2){.topologies = options->target.topology_count,
                             .levels = options->sessions.count};
    for (size_t i = 0; i < table->topologies; i++)
        trials += records[i].rows.rows;
    table->cells = calloc(table->topologies * table->levels, sizeof *table->cells);
    table->values = calloc(2 * trials + 1, sizeof *table->values);
    if (table->cells == NULL || table->values == NULL) {
        table2_deinit(table);
        return error_raise(error, ERROR_NO_MEMORY, 0, "table 2", "%zu trials", trials);
    }
    gather_all(table, options, records, table->values + trials);
    enum error_kind kind = judge(table, options, error);
    if (kind != ERROR_NONE)
        table2_deinit(table);
    return kind;
}

void table2_deinit(struct table2 *table)
{
    free(table->cells);
    free(table->values);
    judgements_deinit(&table->judgements);
    *table = (struct table2){0};
}

/* ------------------------------------------------------------------ the rows */

#define COLUMNS(X)                                                                                 \
    X(servers, csv_count(csv, cell->servers))                                                      \
    X(workers, csv_count(csv, cell->workers))                                                      \
    X(trials, csv_count(csv, cell->trials))                                                        \
    X(valid, csv_count(csv, cell->valid))                                                          \
    X(creates_per_s, csv_real(csv, cell->per_s.value, 2))                                          \
    X(creates_per_s_low, csv_real(csv, cell->per_s.low, 2))                                        \
    X(creates_per_s_high, csv_real(csv, cell->per_s.high, 2))                                      \
    X(latency_mean_ms, csv_real(csv, cell->latency_ms.value, 4))                                   \
    X(latency_mean_ms_low, csv_real(csv, cell->latency_ms.low, 4))                                 \
    X(latency_mean_ms_high, csv_real(csv, cell->latency_ms.high, 4))                               \
    X(paper_per_s, csv_real(csv, published_table2(cell->servers, cell->workers), 0))               \
    X(paper_latency_ms, csv_real(csv, published_latency_ms(cell->servers, cell->workers), 1))

const char table2_columns[] = COLUMNS(CSV_NAME);

void table2_write(const struct table2_cell *cell, struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
