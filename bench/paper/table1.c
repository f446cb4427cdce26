// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table1.h"

#include "bench/paper/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CONFIDENCE 0.95

const struct table1_cell *table1_at(const struct table1 *table, size_t topology, size_t share)
{
    return &table->cells[topology * table->shares + share];
}

/* ------------------------------------------------------------------ the cells */

static bool belongs(const struct load_sample *sample, const struct table1_cell *cell)
{
    return sample->complete && mix_reads(&sample->cell.mix) == cell->reads;
}

/* A CPU time that is not known starves nobody: a comparison with NaN is false. */
static bool is_starved(const struct load_sample *sample, const struct table1_cell *cell,
                       uint32_t cpu_percent)
{
    double shares = (double)cell->servers * cpu_percent / 100;
    return cell->reads == 100 && sample->server_cores * 100 < TABLE1_SATURATED_PERCENT * shares;
}

/* Puts the cell's values at its `values`. */
static void gather(const struct load_samples *samples, uint32_t cpu_percent,
                   struct table1_cell *cell)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct load_sample *sample = &samples->list[i];
        if (!belongs(sample, cell))
            continue;
        bool starved = is_starved(sample, cell, cpu_percent);
        cell->trials++;
        cell->starved += starved;
        cell->valid += sample->valid && !starved;
    }
    for (size_t i = 0; i < samples->count; i++) {
        const struct load_sample *sample = &samples->list[i];
        bool counts = sample->valid && !is_starved(sample, cell, cpu_percent);
        if (belongs(sample, cell) && (counts || cell->valid == 0))
            cell->values[cell->count++] = sample->achieved_per_s;
    }
    cell->per_s = statistics_interval_of_logs(cell->values, cell->count, CONFIDENCE);
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
            gather(&records[topology].samples, options->target.cpu_percent, cell);
            values += cell->count;
        }
    }
}

/* ------------------------------------------------------------------ the judgements */

/* Of b to a; no interval unless both have valid trials. */
static struct interval ratio_of(const struct table1_cell *b, const struct table1_cell *a)
{
    struct interval ratio = statistics_ratio(b->values, b->count, a->values, a->count, CONFIDENCE);
    if (b->valid == 0 || a->valid == 0)
        ratio.low = ratio.high = NAN;
    return ratio;
}

static double paper_ratio(const struct table1_cell *b, const struct table1_cell *a)
{
    return published_table1(b->servers, b->reads) / published_table1(a->servers, a->reads);
}

static struct table1_judgement compare(enum table1_claim claim, const struct table1_cell *b,
                                       const struct table1_cell *a)
{
    return (struct table1_judgement){
        .claim = claim,
        .servers = b->servers,
        .against = a->servers != b->servers ? a->servers : 0,
        .ratio = ratio_of(b, a),
        .paper_ratio = paper_ratio(b, a),
    };
}

bool table1_can_show(const struct load_options *options, enum table1_claim claim)
{
    bool has_shares = options->target.cpu_percent > 0;
    bool simulated = options->target.driver == DRIVER_SIMULATED;
    return has_shares || claim == TABLE1_RISES_WITH_READS ||
           (simulated && claim == TABLE1_READS_RISE);
}

static void judge_servers(struct table1 *table, const struct load_options *options,
                          enum table1_claim claim)
{
    size_t share = claim == TABLE1_READS_RISE ? table->shares - 1 : 0;
    for (size_t i = 1; i < table->topologies; i++) {
        struct table1_judgement *judgement = &table->judgements[table->judgement_count++];
        *judgement = compare(claim, table1_at(table, i, share), table1_at(table, i - 1, share));
        judgement->verdict = claim == TABLE1_READS_RISE ? verdict_rises(&judgement->ratio)
                                                        : verdict_falls(&judgement->ratio);
        if (!table1_can_show(options, claim))
            judgement->verdict = VERDICT_UNDETERMINED;
    }
}

/* Neighbouring shares are too close for each to be told apart; that one falls can be told. */
static void find_fall(const struct table1 *table, size_t topology,
                      struct table1_judgement *judgement)
{
    for (size_t share = 1; share < table->shares && !judgement->falls; share++) {
        const struct table1_cell *more = table1_at(table, topology, share),
                                 *less = table1_at(table, topology, share - 1);
        struct interval step = ratio_of(more, less);
        judgement->falls = verdict_falls(&step) == VERDICT_HOLDS;
        judgement->falls_from = less->reads;
        judgement->falls_to = more->reads;
    }
}

static void judge_shares(struct table1 *table)
{
    for (size_t i = 0; i < table->topologies; i++) {
        struct table1_judgement *judgement = &table->judgements[table->judgement_count++];
        *judgement = compare(TABLE1_RISES_WITH_READS, table1_at(table, i, table->shares - 1),
                             table1_at(table, i, 0));
        find_fall(table, i, judgement);
        judgement->verdict = judgement->falls ? VERDICT_FAILS : verdict_rises(&judgement->ratio);
    }
}

/* ------------------------------------------------------------------ the whole */

enum error_kind table1_init(struct table1 *table, const struct load_options *options,
                            const struct load_record *records, struct error *error)
{
    size_t trials = 0;
    *table = (struct table1){.topologies = options->target.topology_count,
                             .shares = options->reads.count};
    for (size_t i = 0; i < table->topologies; i++)
        trials += records[i].samples.count;
    table->cells = calloc(table->topologies * table->shares, sizeof *table->cells);
    table->values = calloc(trials + 1, sizeof *table->values);
    if (table->cells == NULL || table->values == NULL) {
        table1_deinit(table);
        return error_raise(error, ERROR_NO_MEMORY, 0, "table 1", "%zu trials", trials);
    }
    gather_all(table, options, records);
    judge_servers(table, options, TABLE1_READS_RISE);
    judge_servers(table, options, TABLE1_WRITES_FALL);
    judge_shares(table);
    return ERROR_NONE;
}

void table1_deinit(struct table1 *table)
{
    free(table->cells);
    free(table->values);
    *table = (struct table1){0};
}

int table1_exit_status(const struct table1 *table)
{
    int status = 0;
    for (size_t i = 0; i < table->judgement_count; i++) {
        if (table->judgements[i].verdict == VERDICT_FAILS)
            return 1;
        if (table->judgements[i].verdict == VERDICT_UNDETERMINED)
            status = 4;
    }
    return status;
}

const char *table1_claim(const struct table1_judgement *judgement, char *text, size_t size)
{
    unsigned long long servers = judgement->servers, against = judgement->against;
    if (judgement->claim == TABLE1_RISES_WITH_READS)
        snprintf(text, size, "throughput rises with the share of reads, %llu server%s", servers,
                 servers == 1 ? "" : "s");
    else
        snprintf(text, size, "%s from %llu to %llu servers",
                 judgement->claim == TABLE1_READS_RISE ? "reads rise" : "writes fall", against,
                 servers);
    return text;
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

#define SHAPE_COLUMNS(X)                                                                           \
    X(claim, csv_text(csv, table1_claim(judgement, claim, sizeof claim)))                          \
    X(servers, csv_count(csv, judgement->servers))                                                 \
    X(against_servers, csv_count_if(csv, judgement->against > 0, judgement->against))              \
    X(ratio, csv_real(csv, judgement->ratio.value, 4))                                             \
    X(ratio_low, csv_real(csv, judgement->ratio.low, 4))                                           \
    X(ratio_high, csv_real(csv, judgement->ratio.high, 4))                                         \
    X(paper_ratio, csv_real(csv, judgement->paper_ratio, 4))                                       \
    X(verdict, csv_text(csv, verdict_word(judgement->verdict)))

const char table1_shape_columns[] = SHAPE_COLUMNS(CSV_NAME);

void table1_write_shape(const struct table1_judgement *judgement, struct csv *csv)
{
    char claim[100];
    SHAPE_COLUMNS(CSV_WRITE) csv_end_row(csv);
}
