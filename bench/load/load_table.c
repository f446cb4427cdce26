// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load_table.h"

#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define GAP         2
#define MIX_COLUMNS 76 /* of a mix, behind the word */

enum {
    COLUMN_READS,
    COLUMN_SESSIONS,
    COLUMN_RATE,
    COLUMN_ACHIEVED,
    COLUMN_INTERVAL,
    COLUMN_ERRORS,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_SENT_P99,
    COLUMN_NOTIFIED_P99,
    COLUMN_VERDICT,
    TABLE_COLUMNS
};

static const struct grid_column columns_of_table[TABLE_COLUMNS] = {
    [COLUMN_READS] = {.title = "reads", .right = true},
    [COLUMN_SESSIONS] = {.over = "ses-", .title = "sions", .right = true},
    [COLUMN_RATE] = {.over = "offered", .title = "1/s", .right = true},
    [COLUMN_ACHIEVED] = {.over = "answered", .title = "1/s", .right = true},
    [COLUMN_INTERVAL] = {.over = "interval", .title = "95 %", .spare = 3, .right = true},
    [COLUMN_ERRORS] = {.title = "errors", .spare = 1, .right = true},
    [COLUMN_P50] = {.over = "response", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "response", .title = "p99 ms", .right = true},
    [COLUMN_SENT_P99] = {.over = "service", .title = "p99 ms", .spare = 2, .right = true},
    [COLUMN_NOTIFIED_P99] = {.over = "all notified", .title = "p99 ms", .right = true},
    [COLUMN_VERDICT] = {.title = "verdict"},
};

static void put_interval(struct grid *grid, const struct interval *interval)
{
    char low[32], high[32];
    if (isfinite(interval->low))
        grid_put(grid, "%s to %s",
                 text_format_count((uint64_t)(interval->low + 0.5), low, sizeof low),
                 text_format_count((uint64_t)(interval->high + 0.5), high, sizeof high));
    else
        grid_put(grid, GRID_UNKNOWN);
}

/* What is said of the trials of a cell. */
static const char *verdict_of(const struct load_summary *summary)
{
    if (summary->miscounted > 0)
        return "FAILS";
    if (summary->trials > 0 && summary->valid == summary->trials)
        return "valid";
    return summary->driver_bound > 0 ? "driver" : "not valid";
}

static void put_row(struct grid *grid, const struct load_summary *summary)
{
    grid_put(grid, "%u %%", mix_reads(&summary->cell->mix));
    grid_put_whole(grid, summary->cell->sessions);
    if (summary->cell->rate_per_s > 0)
        grid_put_whole(grid, (double)summary->cell->rate_per_s);
    else
        grid_put(grid, GRID_UNKNOWN);
    grid_put_whole(grid, summary->achieved_per_s.value);
    put_interval(grid, &summary->achieved_per_s);
    grid_put_whole(grid, summary->errors);
    grid_put_real(grid, summary->response_p50_us.value / 1e3, 2);
    grid_put_real(grid, summary->response_p99_us.value / 1e3, 2);
    grid_put_real(grid, summary->service_p99_us.value / 1e3, 2);
    grid_put_real(grid, summary->last_notification_p99_us.value / 1e3, 2);
    grid_put(grid, "%s", verdict_of(summary));
}

static void hide(struct grid *grid, const struct load_options *options, unsigned columns)
{
    grid->hidden[COLUMN_READS] = options->reads.count == 0;
    grid->hidden[COLUMN_RATE] = options->rates.count == 0;
    grid->hidden[COLUMN_INTERVAL] = grid_all_are(grid, COLUMN_INTERVAL, GRID_UNKNOWN);
    grid->hidden[COLUMN_SENT_P99] = options->rates.count == 0;
    grid->hidden[COLUMN_NOTIFIED_P99] = options->watch_percent == 0;
    if (grid_width(grid) > columns && grid_all_are(grid, COLUMN_ERRORS, "0"))
        grid->hidden[COLUMN_ERRORS] = true;
    (void)!grid_fit(grid, columns, 1);
}

/* The one mix of all rows, unless each row has its share of reads. A mix that is too long for a
 * line is broken behind a comma. */
static void write_mix(const struct load_options *options, FILE *stream)
{
    char text[128];
    const struct mix mix = load_options_mix(options, 0);
    size_t first = strlen(mix_format(&mix, text, sizeof text));
    if (options->reads.count > 0)
        return;
    if (first > MIX_COLUMNS)
        for (first = MIX_COLUMNS; text[first - 1] != ',';)
            first--;
    fprintf(stream, "mix %.*s\n", (int)first, text);
    if (text[first] != '\0')
        fprintf(stream, "    %s\n", text + first);
    fputs("\n", stream);
}

enum error_kind load_table_write(const struct load_samples *samples,
                                 const struct load_options *options, unsigned columns, FILE *stream,
                                 struct error *error)
{
    struct grid grid;
    enum error_kind kind = ERROR_NONE;
    grid_init(&grid, columns_of_table, TABLE_COLUMNS, GAP);
    for (const struct load_cell *cell = load_summary_next(samples, NULL);
         kind == ERROR_NONE && cell != NULL; cell = load_summary_next(samples, cell)) {
        struct load_summary summary;
        kind = load_summary_take(samples, cell, &summary, error);
        if (kind == ERROR_NONE)
            put_row(&grid, &summary);
    }
    hide(&grid, options, columns);
    if (kind == ERROR_NONE) {
        write_mix(options, stream);
        kind = grid_write(&grid, columns, stream, error);
    }
    grid_deinit(&grid);
    return kind;
}

enum error_kind load_table_tell(const struct load_record *record, struct error *error)
{
    const struct load_options *options = record->options;
    load_record_complain(record);
    if (options->output.quiet)
        return ERROR_NONE;
    if (options->target.topology_count > 1)
        printf("\n%s: %zu server%s\n\n", record->target, record->context.servers,
               record->context.servers == 1 ? "" : "s");
    enum error_kind kind =
        load_table_write(&record->samples, options, terminal_columns(STDOUT_FILENO), stdout, error);
    printf("\nresults in %s\n", record->files.set.folder);
    return kind;
}
