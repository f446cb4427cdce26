// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3.h"

#include "bench/paper/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* More than the paper has on a line. */
#define PAPER_LINE_MAX 8

static size_t index_of(const struct table3 *table, size_t topology, size_t clients, size_t barriers)
{
    return (topology * table->clients + clients) * table->barriers + barriers;
}

const struct table3_cell *table3_at(const struct table3 *table, size_t topology, size_t clients,
                                    size_t barriers)
{
    return &table->cells[index_of(table, topology, clients, barriers)];
}

/* ------------------------------------------------------------------ the cells */

static bool belongs(const struct table3_sample *sample, const struct table3_cell *cell)
{
    return sample->complete && sample->trial.clients == cell->clients &&
           sample->trial.barriers == cell->barriers;
}

/* Total work over total time. */
struct work {
    double elapsed_s, passages, reads, writes;
};

static void add_work(const struct table3_sample *sample, struct work *work)
{
    work->elapsed_s += sample->elapsed_s;
    work->passages += (double)table3_passages(&sample->trial);
    work->reads += (double)table3_sample_reads(sample);
    work->writes += (double)table3_sample_writes(sample);
}

/* Puts the cell's values at its `values`. */
static void gather(const struct table3_samples *samples, struct table3_cell *cell)
{
    struct work work = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct table3_sample *sample = &samples->list[i];
        cell->trials += belongs(sample, cell);
        cell->valid += belongs(sample, cell) && sample->valid;
    }
    for (size_t i = 0; i < samples->count; i++) {
        const struct table3_sample *sample = &samples->list[i];
        if (!belongs(sample, cell) || (!sample->valid && cell->valid > 0))
            continue;
        cell->values[cell->count++] = sample->client_s;
        add_work(sample, &work);
    }
    cell->seconds = statistics_interval(cell->values, cell->count, JUDGEMENT_CONFIDENCE);
    if (cell->seconds.low < 0) /* an interval of few trials may reach below */
        cell->seconds.low = 0;
    cell->passages_per_s = work.passages / work.elapsed_s;
    cell->requests_per_s = (work.reads + work.writes) / work.elapsed_s;
    cell->reads_to_writes = work.reads / work.writes;
}

static void gather_all(struct table3 *table, const struct table3_samples *const samples[])
{
    const struct load_options *load = &table->options->load;
    double *values = table->values;
    for (size_t topology = 0; topology < table->topologies; topology++) {
        for (size_t n = 0; n < table->clients; n++) {
            for (size_t b = 0; b < table->barriers; b++) {
                struct table3_cell *cell = &table->cells[index_of(table, topology, n, b)];
                *cell = (struct table3_cell){
                    .servers = load->target.server_counts[topology],
                    .clients = (uint32_t)load->sessions.list[n],
                    .barriers = (uint32_t)table->options->barriers.list[b],
                    .values = values,
                };
                gather(samples[topology], cell);
                values += cell->count;
            }
        }
    }
}

/* ------------------------------------------------------------------ the paper's */

double table3_paper_of_barriers(uint64_t clients)
{
    double x[PAPER_LINE_MAX], y[PAPER_LINE_MAX];
    size_t count = 0;
    for (; published_table3_barriers(count) != 0; count++) {
        x[count] = (double)published_table3_barriers(count);
        y[count] = published_table3(clients, published_table3_barriers(count));
    }
    return fit_exponent(x, y, count).exponent;
}

double table3_paper_of_clients(uint64_t barriers)
{
    double x[PAPER_LINE_MAX], y[PAPER_LINE_MAX];
    size_t count = 0;
    for (; published_table3_clients(count) != 0; count++) {
        x[count] = (double)published_table3_clients(count);
        y[count] = published_table3(published_table3_clients(count), barriers);
    }
    return fit_exponent(x, y, count).exponent;
}

/* ------------------------------------------------------------------ the judgements */

/* The cells of a line: with one number of clients, or with one of barriers. */
struct line {
    const struct table3_cell *first;
    size_t count, step;
    bool of_barriers;
};

/* The trials of the cells as points. Returns how many; 0 if a cell has no valid trial. */
static size_t take_points(const struct line *line, double *x, double *y)
{
    size_t points = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct table3_cell *cell = line->first + i * line->step;
        if (cell->valid == 0)
            return 0;
        for (size_t k = 0; k < cell->count; k++) {
            x[points] = line->of_barriers ? cell->barriers : cell->clients;
            y[points++] = cell->values[k];
        }
    }
    return points;
}

static enum error_kind fit_line_of(const struct line *line, struct interval *exponent,
                                   struct error *error)
{
    size_t most = 0;
    for (size_t i = 0; i < line->count; i++)
        most += line->first[i * line->step].count;
    double *x = calloc(2 * most + 1, sizeof *x), *y = x + most;
    if (x == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "table 3", "%zu trials", most);
    struct fit_exponent fit = fit_exponent(x, y, take_points(line, x, y));
    *exponent = (struct interval){fit.exponent, fit.low, fit.high};
    free(x);
    return ERROR_NONE;
}

/* In the table for people the servers are named if there are several numbers of them. */
static void name_line(const struct line *line, bool several, struct judgement *judgement)
{
    const struct table3_cell *cell = line->first;
    const char *what = line->of_barriers ? "barriers" : "clients";
    const char *fixed = line->of_barriers ? "client" : "barrier";
    uint32_t number = line->of_barriers ? cell->clients : cell->barriers;
    unsigned long long servers = cell->servers;
    snprintf(judgement->claim, sizeof judgement->claim,
             "time grows linearly with the %s, %u %s%s, %llu server%s", what, number, fixed,
             number == 1 ? "" : "s", servers, servers == 1 ? "" : "s");
    if (several)
        snprintf(judgement->row, sizeof judgement->row, "%s, %u %s%s, %llu server%s", what, number,
                 fixed, number == 1 ? "" : "s", servers, servers == 1 ? "" : "s");
    else
        snprintf(judgement->row, sizeof judgement->row, "linear in %s, %u %s%s", what, number,
                 fixed, number == 1 ? "" : "s");
}

static enum error_kind judge_line(struct table3 *table, const struct line *line,
                                  struct error *error)
{
    struct interval exponent;
    if (line->count < 2)
        return ERROR_NONE;
    enum error_kind kind = fit_line_of(line, &exponent, error);
    if (kind != ERROR_NONE)
        return kind;
    struct judgement *judgement = judgements_add(&table->judgements, error);
    if (judgement == NULL)
        return error->kind;
    name_line(line, table->topologies > 1, judgement);
    judgement->servers = line->first->servers;
    judgement->ours = exponent;
    judgement->paper = line->of_barriers ? table3_paper_of_barriers(line->first->clients)
                                         : table3_paper_of_clients(line->first->barriers);
    judgement->verdict =
        verdict_lies(&judgement->ours, TABLE3_EXPONENT_LEAST, TABLE3_EXPONENT_MOST);
    return ERROR_NONE;
}

static enum error_kind judge(struct table3 *table, size_t topology, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t n = 0; kind == ERROR_NONE && n < table->clients; n++) {
        const struct line line = {table3_at(table, topology, n, 0), table->barriers, 1, true};
        kind = judge_line(table, &line, error);
    }
    for (size_t b = 0; kind == ERROR_NONE && b < table->barriers; b++) {
        const struct line line = {table3_at(table, topology, 0, b), table->clients, table->barriers,
                                  false};
        kind = judge_line(table, &line, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the whole */

enum error_kind table3_init(struct table3 *table, const struct paper_options *options,
                            const struct table3_samples *const samples[], struct error *error)
{
    size_t trials = 0;
    *table = (struct table3){.options = options,
                             .topologies = options->load.target.topology_count,
                             .clients = options->load.sessions.count,
                             .barriers = options->barriers.count,
                             .judgements = {.quantity = "exponent", .unit = "power"}};
    for (size_t i = 0; i < table->topologies; i++)
        trials += samples[i]->count;
    size_t cells = table->topologies * table->clients * table->barriers;
    table->cells = calloc(cells + 1, sizeof *table->cells); /* one more: never nothing */
    table->values = calloc(trials + 1, sizeof *table->values);
    if (table->cells == NULL || table->values == NULL) {
        table3_deinit(table);
        return error_raise(error, ERROR_NO_MEMORY, 0, "table 3", "%zu trials", trials);
    }
    gather_all(table, samples);
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < table->topologies; i++)
        kind = judge(table, i, error);
    if (kind != ERROR_NONE)
        table3_deinit(table);
    return kind;
}

void table3_deinit(struct table3 *table)
{
    free(table->cells);
    free(table->values);
    judgements_deinit(&table->judgements);
    *table = (struct table3){0};
}

/* ------------------------------------------------------------------ the rows */

#define COLUMNS(X)                                                                                 \
    X(servers, csv_count(csv, cell->servers))                                                      \
    X(clients, csv_count(csv, cell->clients))                                                      \
    X(barriers, csv_count(csv, cell->barriers))                                                    \
    X(trials, csv_count(csv, cell->trials))                                                        \
    X(valid, csv_count(csv, cell->valid))                                                          \
    X(seconds, csv_real(csv, cell->seconds.value, 4))                                              \
    X(seconds_low, csv_real(csv, cell->seconds.low, 4))                                            \
    X(seconds_high, csv_real(csv, cell->seconds.high, 4))                                          \
    X(barrier_operations_per_s, csv_real(csv, cell->passages_per_s, 1))                            \
    X(zookeeper_operations_per_s, csv_real(csv, cell->requests_per_s, 1))                          \
    X(reads_to_writes, csv_real(csv, cell->reads_to_writes, 3))                                    \
    X(paper_seconds, csv_real(csv, published_table3(cell->clients, cell->barriers), 1))

const char table3_columns[] = COLUMNS(CSV_NAME);

void table3_write(const struct table3_cell *cell, struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
