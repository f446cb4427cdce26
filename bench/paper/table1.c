// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table1.h"

#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"
#include "bench/target/core_shares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct table1_cell *table1_at(const struct table1 *table, size_t topology, size_t share)
{
    return &table->cells[topology * table->shares + share];
}

/* ------------------------------------------------------------------ the cells */

static bool belongs(const struct table_value *row, const struct table1_cell *cell)
{
    return row[load_row_complete].flag && row[load_row_reads_percent].count == cell->reads;
}

static bool is_starved(const struct table_value *row, const struct table1_cell *cell,
                       uint32_t cpu_percent)
{
    return cell->reads == 100 && core_shares_starved(table_number(&row[load_row_server_cores]),
                                                     cell->servers, cpu_percent);
}

/* Puts the cell's values at its `values`. */
static void gather(const struct table *rows, uint32_t cpu_percent, struct table1_cell *cell)
{
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!belongs(row, cell))
            continue;
        bool starved = is_starved(row, cell, cpu_percent);
        cell->trials++;
        cell->starved += starved;
        cell->valid += row[load_row_valid].flag && !starved;
    }
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        bool counts = row[load_row_valid].flag && !is_starved(row, cell, cpu_percent);
        if (belongs(row, cell) && (counts || cell->valid == 0))
            cell->values[cell->count++] = table_number(&row[load_row_achieved_per_s]);
    }
    cell->per_s = statistics_interval_of_logs(cell->values, cell->count, JUDGEMENT_CONFIDENCE);
}

static void gather_all(struct table1 *table, const struct load_options *options,
                       const struct load_record *records)
{
    double *values = table->values;
    for (size_t topology = 0; topology < table->topologies; topology++) {
        for (size_t share = 0; share < table->shares; share++) {
            struct table1_cell *cell = &table->cells[topology * table->shares + share];
            *cell = (struct table1_cell){
                .servers = options->target.server_counts[topology],
                .reads = (uint32_t)options->reads.list[share],
                .values = values,
            };
            gather(&records[topology].rows, options->target.cpu_percent, cell);
            values += cell->count;
        }
    }
}

/* ------------------------------------------------------------------ the judgements */

static struct interval ratio_of(const struct table1_cell *b, const struct table1_cell *a)
{
    return judgement_ratio(b->values, b->count, b->valid, a->values, a->count, a->valid);
}

static double paper_ratio(const struct table1_cell *b, const struct table1_cell *a)
{
    return published_table1(b->servers, b->reads) / published_table1(a->servers, a->reads);
}

/* Reads alone, or writes alone, of a number of servers to the next lower one. */
static enum error_kind judge_servers(struct table1 *table, size_t topology,
                                     const struct load_options *options, bool reads,
                                     struct error *error)
{
    size_t share = reads ? table->shares - 1 : 0;
    const struct table1_cell *b = table1_at(table, topology, share),
                             *a = table1_at(table, topology - 1, share);
    struct judgement *judgement = judgements_add(&table->judgements, error);
    if (judgement == NULL)
        return error->kind;
    unsigned long long servers = b->servers, against = a->servers;
    const char *words = reads ? "reads rise" : "writes fall";
    snprintf(judgement->claim, sizeof judgement->claim, "%s from %llu to %llu servers", words,
             against, servers);
    snprintf(judgement->row, sizeof judgement->row, "%s, %llu to %llu servers", words, against,
             servers);
    judgement->servers = servers;
    judgement->against = against;
    judgement->ours = ratio_of(b, a);
    judgement->paper = paper_ratio(b, a);
    judgement->verdict = reads ? verdict_rises(&judgement->ours) : verdict_falls(&judgement->ours);
    judgement_deny(judgement, paper_servers_cannot_show(&options->target, !reads));
    return ERROR_NONE;
}

/* Neighbouring shares are too close for each to be told apart; that one falls can be told. */
static void find_fall(const struct table1 *table, size_t topology, struct judgement *judgement)
{
    for (size_t share = 1; share < table->shares; share++) {
        const struct table1_cell *more = table1_at(table, topology, share),
                                 *less = table1_at(table, topology, share - 1);
        struct interval step = ratio_of(more, less);
        if (verdict_falls(&step) != VERDICT_HOLDS)
            continue;
        judgement->verdict = VERDICT_FAILS;
        snprintf(judgement->reason, sizeof judgement->reason,
                 "throughput falls from %u to %u %% reads with %llu server%s", less->reads,
                 more->reads, (unsigned long long)less->servers, less->servers == 1 ? "" : "s");
        return;
    }
}

static enum error_kind judge_shares(struct table1 *table, size_t topology, struct error *error)
{
    const struct table1_cell *b = table1_at(table, topology, table->shares - 1),
                             *a = table1_at(table, topology, 0);
    struct judgement *judgement = judgements_add(&table->judgements, error);
    if (judgement == NULL)
        return error->kind;
    unsigned long long servers = b->servers;
    const char *plural = servers == 1 ? "" : "s";
    snprintf(judgement->claim, sizeof judgement->claim,
             "throughput rises with the share of reads, %llu server%s", servers, plural);
    snprintf(judgement->row, sizeof judgement->row, "rises with reads, %llu server%s", servers,
             plural);
    judgement->servers = servers;
    judgement->ours = ratio_of(b, a);
    judgement->paper = paper_ratio(b, a);
    judgement->verdict = verdict_rises(&judgement->ours);
    find_fall(table, topology, judgement);
    return ERROR_NONE;
}

static enum error_kind judge(struct table1 *table, const struct load_options *options,
                             struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    table->judgements.quantity = "ratio";
    table->judgements.unit = "times";
    for (size_t i = 1; kind == ERROR_NONE && i < table->topologies; i++)
        kind = judge_servers(table, i, options, true, error);
    for (size_t i = 1; kind == ERROR_NONE && i < table->topologies; i++)
        kind = judge_servers(table, i, options, false, error);
    for (size_t i = 0; kind == ERROR_NONE && i < table->topologies; i++)
        kind = judge_shares(table, i, error);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

enum error_kind table1_init(struct table1 *table, const struct load_options *options,
                            const struct load_record *records, struct error *error)
{
    size_t trials = 0;
    *table = (struct table1){.topologies = options->target.topology_count,
                             .shares = options->reads.count};
    for (size_t i = 0; i < table->topologies; i++)
        trials += records[i].rows.rows;
    table->cells = calloc(table->topologies * table->shares, sizeof *table->cells);
    table->values = calloc(trials + 1, sizeof *table->values);
    if (table->cells == NULL || table->values == NULL) {
        table1_deinit(table);
        return error_raise(error, ERROR_NO_MEMORY, 0, "table 1", "%zu trials", trials);
    }
    gather_all(table, options, records);
    enum error_kind kind = judge(table, options, error);
    if (kind != ERROR_NONE)
        table1_deinit(table);
    return kind;
}

void table1_deinit(struct table1 *table)
{
    free(table->cells);
    free(table->values);
    judgements_deinit(&table->judgements);
    *table = (struct table1){0};
}

/* ------------------------------------------------------------------ the rows */

#define COLUMNS(X)                                                                                 \
    X(servers, csv_count(csv, cell->servers))                                                      \
    X(reads_percent, csv_count(csv, cell->reads))                                                  \
    X(trials, csv_count(csv, cell->trials))                                                        \
    X(valid, csv_count(csv, cell->valid))                                                          \
    X(starved, csv_count(csv, cell->starved))                                                      \
    X(achieved_per_s, csv_real(csv, cell->per_s.value, 2))                                         \
    X(achieved_per_s_low, csv_real(csv, cell->per_s.low, 2))                                       \
    X(achieved_per_s_high, csv_real(csv, cell->per_s.high, 2))                                     \
    X(paper_per_s, csv_real(csv, published_table1(cell->servers, cell->reads), 0))

const char table1_columns[] = COLUMNS(CSV_NAME);

void table1_write(const struct table1_cell *cell, struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
