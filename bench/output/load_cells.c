// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_rows.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/output/trial_findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TABLE_DEFINE(load_cells, "cells.csv", LOAD_CELL_COLUMNS)

/* A column of cells.csv, and the column of load.csv that it is made of. */
struct source {
    size_t cell, row;
};

/* Equal in all trials of the cell. */
static const struct source names[] = {{load_cells_run, load_row_run},
                                      {load_cells_target, load_row_target},
                                      {load_cells_servers, load_row_servers},
                                      {load_cells_mix, load_row_mix},
                                      {load_cells_reads_percent, load_row_reads_percent},
                                      {load_cells_sessions, load_row_sessions},
                                      {load_cells_rate_per_s, load_row_rate_per_s}};

/* Numbers of trials with a flag. */
static const struct source flags[] = {{load_cells_trials, load_row_complete},
                                      {load_cells_valid, load_row_valid},
                                      {load_cells_driver_bound, load_row_driver_bound},
                                      {load_cells_miscounted, load_row_miscounted}};

static const struct source sums[] = {{load_cells_errors, load_row_errors},
                                     {load_cells_unsent, load_row_unsent}};

/* Means; the two ends of the interval are behind each. */
static const struct source figures[] = {
#define X(A, B, name, unit, decimals) {load_cells_##name, load_row_##name},
    LOAD_CELL_FIGURES(X, , )
#undef X
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* The lower end of a response time that is not known: of a trial of which this is not known, either
 * one minute, if times were above it, or the longest of those that were sent. */
static double least_of(const struct table_cell *trials, size_t column, size_t flag)
{
    double *values = memory_new(trials->count, sizeof *values);
    size_t found = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        double value = table_number(&row[column]);
        if (isinf(value))
            value = row[load_row_over_range].count > 0
                        ? (double)HISTOGRAM_HIGHEST_NS / 1e3
                        : table_number(&row[load_row_response_max_us]);
        if (row[flag].flag && !isnan(table_number(&row[column])))
            values[found++] = value;
    }
    double least = table_geometric(values, found).value;
    free(values);
    return least;
}

static void fill_figures(const struct table_cell *trials, struct table_value *cell)
{
    size_t flag = table_cell_flags(trials, load_row_valid) > 0 ? load_row_valid : load_row_complete;
    for (size_t i = 0; i < COUNT(figures); i++) {
        size_t column = figures[i].row;
        struct interval figure = table_cell_geometric(trials, column, flag);
        if (!isfinite(figure.value) &&
            (column == load_row_response_p50_us || column == load_row_response_p99_us))
            figure.low = least_of(trials, column, flag);
        table_put_interval(&cell[figures[i].cell], &figure);
    }
}

/* What the screen has besides. */
static void fill_words(const struct table_cell *trials, struct table_value *cell)
{
    double low = cell[load_cells_achieved_per_s_low].real,
           high = cell[load_cells_achieved_per_s_high].real,
           due = table_cell_sum(trials, load_row_offered_per_s, load_row_complete) *
                 table_number(table_cell_value(trials, load_row_seconds));
    uint64_t unsent = cell[load_cells_unsent].count;
    char least[32], most[32], between[80];
    int status = load_cells_status(cell);
    cell[load_cells_disturbed] = table_flag(cell[load_cells_valid].count == 0);
    cell[load_cells_verdict] = table_text(status == 0                               ? "valid"
                                          : status == 1                             ? "FAILS"
                                          : cell[load_cells_driver_bound].count > 0 ? "driver"
                                                                                    : "not valid");
    if (unsent > 0)
        cell[load_cells_unsent_percent] = table_real(100 * (double)unsent / due);
    if (!isfinite(low))
        return;
    snprintf(between, sizeof between, "%s to %s",
             text_format_count((uint64_t)(low + 0.5), least, sizeof least),
             text_format_count((uint64_t)(high + 0.5), most, sizeof most));
    cell[load_cells_between] = table_text(between);
}

static void fill(const struct table_cell *trials, struct table_value *cell)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct table_value *value = table_cell_value(trials, names[i].row);
        cell[names[i].cell] = value->kind == TABLE_TEXT ? table_text(value->text) : *value;
    }
    for (size_t i = 0; i < COUNT(flags); i++)
        cell[flags[i].cell] = table_count(table_cell_flags(trials, flags[i].row));
    for (size_t i = 0; i < COUNT(sums); i++)
        cell[sums[i].cell] =
            table_count((uint64_t)table_cell_sum(trials, sums[i].row, load_row_complete));
    fill_figures(trials, cell);
    fill_words(trials, cell);
}

void load_cells_add(const struct table *rows, struct table *cells)
{
    static const size_t keys[] = {load_row_reads_percent, load_row_rate_per_s, load_row_sessions};
    struct table_cells groups = table_group(rows, keys, COUNT(keys));
    cells->type = &load_cells_table;
    for (size_t i = 0; i < groups.count; i++)
        fill(&groups.list[i], table_add(cells));
    table_cells_deinit(&groups);
}

int load_cells_status(const struct table_value *cell)
{
    uint64_t trials = cell[load_cells_trials].count;
    if (cell[load_cells_miscounted].count > 0)
        return 1;
    return trials > 0 && cell[load_cells_valid].count == trials ? 0 : 4;
}

/* ------------------------------------------------------------------ findings */

/* The cell that answered the most, of those with a valid trial if there are any. */
static void add_peak(const struct table *cells, struct table *findings)
{
    const struct table_value *best = NULL;
    char sessions[32], rate[32], between[96] = "";
    for (int disturbed = 0; best == NULL && disturbed <= 1; disturbed++) {
        for (size_t i = 0; i < cells->rows; i++) {
            const struct table_value *cell = table_row(cells, i);
            double per_s = cell[load_cells_achieved_per_s].real;
            if (cell[load_cells_disturbed].flag == disturbed && isfinite(per_s) &&
                (best == NULL || per_s > best[load_cells_achieved_per_s].real))
                best = cell;
        }
    }
    if (best == NULL)
        return;
    const struct table_value *most = &best[load_cells_achieved_per_s];
    const struct finding peak = {.slug = "throughput",
                                 .subject = best[load_cells_mix].text,
                                 .verdict = VERDICT_MEASURED,
                                 .figure = {most[0].real, most[1].real, most[2].real},
                                 .unit = "1/s",
                                 .n = best[load_cells_trials].count};
    if (best[load_cells_between].kind == TABLE_TEXT)
        snprintf(between, sizeof between, " (95 %% CI %s)", best[load_cells_between].text);
    findings_add(findings, &peak, "%s: %s operations a second%s %s %s sessions", peak.subject,
                 text_format_count((uint64_t)llround(most->real), rate, sizeof rate), between,
                 cells->rows == 1 ? "with" : "at most, with",
                 text_format_count(best[load_cells_sessions].count, sessions, sizeof sessions));
}

void load_findings_add(const struct table *rows, const struct table *cells,
                       const struct noise_watch *watch, size_t made_again, struct table *findings)
{
    add_peak(cells, findings);
    trial_findings_add_faults(&load_row_trials, rows, "", findings);
    trial_findings_add_servers(&load_row_trials, rows, findings);
    trial_findings_add_noise(&load_row_trials, rows, watch, made_again, findings);
}
