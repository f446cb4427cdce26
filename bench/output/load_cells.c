// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(load_cells, "cells.csv", LOAD_CELL_COLUMNS)

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

/* The column of load.csv with the name of this one of cells.csv; load_row_columns_count: none. */
static size_t source_of(size_t column)
{
    size_t at = 0;
    while (at < load_row_columns_count &&
           strcmp(load_row_table.columns[at].name, load_cells_table.columns[column].name) != 0)
        at++;
    return at;
}

/* By what load.csv says of the column: a mean with its interval, a sum, how many trials have the
 * flag, or what all trials of the cell have. */
static void fill_column(const struct table_cell *trials, size_t source, struct table_value *value)
{
    const struct table_column *column = &load_row_table.columns[source];
    const struct table_value *first = table_cell_value(trials, source);
    size_t flag = table_cell_flags(trials, load_row_valid) > 0 ? load_row_valid : load_row_complete;
    if (column->summary == TABLE_GEOMETRIC) {
        struct interval figure = table_cell_geometric(trials, source, flag);
        if (!isfinite(figure.value) &&
            (source == load_row_response_p50_us || source == load_row_response_p99_us))
            figure.low = least_of(trials, source, flag);
        table_put_interval(value, &figure);
    } else if (column->summary == TABLE_SUM) {
        *value = table_count((uint64_t)table_cell_sum(trials, source, load_row_complete));
    } else if (column->kind == TABLE_FLAG) {
        *value = table_count(table_cell_flags(trials, source));
    } else {
        *value = first->kind == TABLE_TEXT ? table_text(first->text) : *first;
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
    enum verdict verdict = load_cells_verdict(cell);
    cell[load_cells_disturbed] = table_flag(cell[load_cells_valid].count == 0);
    cell[load_cells_word] = table_text(verdict == VERDICT_HOLDS                  ? "valid"
                                       : verdict == VERDICT_FAILS                ? "FAILS"
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
    for (size_t i = 0; i < load_cells_columns_count; i++) {
        size_t source = source_of(i);
        if (source < load_row_columns_count)
            fill_column(trials, source, &cell[i]);
    }
    cell[load_cells_trials] = table_count(table_cell_flags(trials, load_row_complete));
    fill_words(trials, cell);
}

void load_cells_add(const struct table *rows, struct table *cells)
{
    static const size_t keys[] = {load_row_reads_percent, load_row_rate_per_s, load_row_sessions};
    struct table_cells groups = table_group(rows, keys, sizeof keys / sizeof keys[0]);
    cells->type = &load_cells_table;
    for (size_t i = 0; i < groups.count; i++)
        fill(&groups.list[i], table_add(cells));
    table_cells_deinit(&groups);
}

enum verdict load_cells_verdict(const struct table_value *cell)
{
    uint64_t trials = cell[load_cells_trials].count;
    if (cell[load_cells_miscounted].count > 0)
        return VERDICT_FAILS;
    return trials > 0 && cell[load_cells_valid].count == trials ? VERDICT_HOLDS : VERDICT_NOT_VALID;
}

/* ------------------------------------------------------------------ findings */

/* The cell that answered the most, of those with a valid trial if there are any; or NULL. */
static const struct table_value *find_peak(const struct table *cells)
{
    const struct table_value *best = NULL;
    for (size_t i = 0; i < cells->rows; i++) {
        const struct table_value *cell = table_row(cells, i);
        double per_s = cell[load_cells_achieved_per_s].real;
        bool worse =
            best != NULL && (cell[load_cells_disturbed].flag != best[load_cells_disturbed].flag
                                 ? cell[load_cells_disturbed].flag
                                 : per_s <= best[load_cells_achieved_per_s].real);
        if (isfinite(per_s) && !worse)
            best = cell;
    }
    return best;
}

void load_cells_add_findings(const struct table *cells, struct table *findings)
{
    const struct table_value *best = find_peak(cells);
    char sessions[32], rate[32], between[96] = "";
    if (best == NULL)
        return;
    const struct table_value *most = &best[load_cells_achieved_per_s];
    const struct interval figure = {most[0].real, most[1].real, most[2].real};
    uint64_t valid = best[load_cells_valid].count,
             trials = valid > 0 ? valid : best[load_cells_trials].count;
    const char *mix = best[load_cells_mix].text;
    if (best[load_cells_between].kind == TABLE_TEXT)
        snprintf(between, sizeof between, " (95 %% CI %s)", best[load_cells_between].text);
    findings_add(findings, FINDING_MEASURED("throughput", mix, figure, "1/s", trials),
                 "%s: %s operations a second%s %s %s sessions", mix,
                 text_format_count((uint64_t)llround(most->real), rate, sizeof rate), between,
                 cells->rows == 1 ? "with" : "at most, with",
                 text_format_count(best[load_cells_sessions].count, sessions, sizeof sessions));
}
