// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/json_text.h"
#include "bench/output/record_json.h"
#include "bench/run/trial_rows.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the table */

/* What is said of the counts of a cell: equal to the law, not, or without one. */
static const char equal_to_law[] = "= law", without_law[] = "-";

static const char *verdict_of(const struct run_cell *cell)
{
    if (cell->fails)
        return "FAILS";
    if (cell->complete == 0)
        return "not valid";
    return cell->has_law ? equal_to_law : without_law;
}

#define GAP 1 /* blanks between two columns */

enum {
    COLUMN_RECIPE,
    COLUMN_CLIENTS,
    COLUMN_RPCS,
    COLUMN_VERDICT,
    COLUMN_CREATES,
    COLUMN_NOTIFICATIONS,
    COLUMN_BYTES,
    COLUMN_DRAIN,
    COLUMN_P50,
    COLUMN_P99,
    TABLE_COLUMNS
};

#define SPARE_FIRST 3 /* bytes: the sentences tell how they grow */

static const struct grid_column in_kilobytes[TABLE_COLUMNS] = {
    [COLUMN_RECIPE] = {.title = "recipe"},
    [COLUMN_CLIENTS] = {.title = "clients", .right = true},
    [COLUMN_RPCS] = {.title = "RPCs", .right = true},
    [COLUMN_VERDICT] = {.title = "verdict"},
    [COLUMN_CREATES] = {.title = "CREATEs", .spare = 2, .right = true},
    [COLUMN_NOTIFICATIONS] = {.over = "notifi-", .title = "cations", .right = true},
    [COLUMN_BYTES] = {.title = "kB", .spare = SPARE_FIRST, .right = true},
    [COLUMN_DRAIN] = {.over = "drain", .title = "s", .right = true},
    [COLUMN_P50] = {.over = "handoff", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "handoff", .title = "p99 ms", .spare = 1, .right = true},
};

/* How the figures of one table are written. */
struct style {
    bool brief;     /* counts but RPCs rounded, with a unit */
    bool megabytes; /* in place of kilobytes */
    bool rounded;   /* a count was */
};

/* If a trial has more kilobytes, the column is in megabytes. */
#define KILOBYTES_MAX 1e6

/* Rounded "499.5k": seven columns at most. */
static void put_count(struct grid *grid, double count, struct style *style)
{
    static const char units[] = "kMGT";
    size_t unit = 0;
    if (!style->brief || !(count >= 1e5)) {
        grid_put_whole(grid, count);
        return;
    }
    style->rounded = true;
    for (count /= 1e3; count >= 999.95 && units[unit + 1] != '\0'; unit++)
        count /= 1e3;
    grid_put(grid, "%.1f%c", count, units[unit]);
}

static void put_bytes(struct grid *grid, double bytes, bool megabytes)
{
    if (megabytes && bytes < 9.995e6)
        grid_put_real(grid, bytes / 1e6, 2);
    else
        grid_put_whole(grid, bytes / (megabytes ? 1e6 : 1e3));
}

static void put_cell(struct grid *grid, const struct run_cell *cell, struct style *style)
{
    grid_put(grid, "%s", cell->recipe->name);
    grid_put(grid, "%llu", (unsigned long long)cell->clients);
    grid_put_whole(grid, run_cell_count(cell, trial_row_rpcs));
    grid_put(grid, "%s", verdict_of(cell));
    put_count(grid, run_cell_count(cell, trial_row_creates), style);
    put_count(grid, run_cell_count(cell, trial_row_notifications), style);
    put_bytes(grid, run_cell_count(cell, trial_row_bytes), style->megabytes);
    grid_put_real(grid, run_cell_time(cell, trial_row_drain_s), 3);
    grid_put_real(grid, run_cell_time(cell, trial_row_handoff_p50_us) / 1e3, 2);
    grid_put_real(grid, run_cell_time(cell, trial_row_handoff_p99_us) / 1e3, 2);
}

/* The verdict of all cells, or NULL if they have several. */
static const char *fill(const struct run_cells *cells, struct style *style, struct grid *grid)
{
    const char *common = NULL;
    bool several = false;
    for (size_t i = 0; i < cells->count; i++) {
        const char *verdict = verdict_of(&cells->list[i]);
        put_cell(grid, &cells->list[i], style);
        several = several || (common != NULL && common != verdict);
        common = verdict;
    }
    return several ? NULL : common;
}

/* A verdict that all cells have stands once, in the conclusion of the run. */
static bool is_common(const char *verdict)
{
    return verdict == equal_to_law || verdict == without_law;
}

/* A trial may be in the counts of its cell and not in the times, or in neither. */
static void tell_share(const struct run_cell *cell, FILE *stream)
{
    char clients[32];
    if (cell->valid < cell->trials.count && is_common(verdict_of(cell)))
        wrap_sentence(stream, "%s, %s clients: counts of %zu of %zu trial%s, times of %zu",
                      cell->recipe->name, text_format_count(cell->clients, clients, sizeof clients),
                      cell->complete, cell->trials.count, cell->trials.count == 1 ? "" : "s",
                      cell->valid);
}

static bool has_many_bytes(const struct table *rows)
{
    for (size_t i = 0; i < rows->rows; i++) {
        if ((double)table_row(rows, i)[trial_row_bytes].count >= KILOBYTES_MAX * 1e3)
            return true;
    }
    return false;
}

/* The columns that the width has cost. */
static void tell_left_out(const struct grid *grid, FILE *stream)
{
    const char *between = "No room for ";
    for (size_t i = 0; i < grid->column_count; i++) {
        if (!grid->hidden[i] || grid->columns[i].spare == 0)
            continue;
        fprintf(stream, "%s%s", between, grid->columns[i].title);
        between = ", ";
    }
    if (between[0] == ',')
        fputs(": see trials.csv.\n", stream);
}

void table_write(const struct table *rows, const struct options *options, size_t width,
                 FILE *stream)
{
    struct run_cells cells = run_cells_of(rows, options);
    struct style style = {.megabytes = has_many_bytes(rows)};
    struct grid_column list[TABLE_COLUMNS];
    struct grid grid;
    memcpy(list, in_kilobytes, sizeof list);
    if (style.megabytes)
        list[COLUMN_BYTES].title = "MB";
    grid_init(&grid, list, TABLE_COLUMNS, GAP);
    const char *verdict = fill(&cells, &style, &grid);
    grid.hidden[COLUMN_VERDICT] = is_common(verdict);
    if (!grid_fit(&grid, width, SPARE_FIRST)) {
        style.brief = true;
        grid_deinit(&grid);
        grid_init(&grid, list, TABLE_COLUMNS, GAP);
        fill(&cells, &style, &grid);
        grid.hidden[COLUMN_VERDICT] = is_common(verdict);
        grid_fit(&grid, width, 1);
    }
    grid_write(&grid, width, stream);
    for (size_t i = 0; i < cells.count; i++)
        tell_share(&cells.list[i], stream);
    tell_left_out(&grid, stream);
    if (style.rounded)
        fputs("k, M, G: rounded; the exact counts are in trials.csv.\n", stream);
    grid_deinit(&grid);
    run_cells_deinit(&cells);
}

/* ------------------------------------------------------------------ sentences */

static void write_roles_of(FILE *stream, const struct run_cell *cell)
{
    char list[ROLES * 40] = "", number[32];
    size_t length = 0;
    unsigned roles = 0;
    for (int role = 0; role < ROLES; role++) {
        double us = run_cell_time(cell, trial_row_handoff_of_unknown_us + (size_t)role);
        if (!isfinite(us))
            continue;
        roles++;
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s %.2f ms",
                                   length > 0 ? ", " : "", role_word((enum role)role), us / 1e3);
    }
    if (roles >= 2)
        wrap_sentence(
            stream, "%s, %s clients: median handoff by the role of the new holder's server: %s",
            cell->recipe->name, text_format_count(cell->clients, number, sizeof number), list);
}

void table_write_roles(const struct table *rows, const struct options *options, FILE *stream)
{
    uint64_t most = options->plan.clients.list[options->plan.clients.count - 1];
    struct run_cells cells = run_cells_of(rows, options);
    for (size_t i = 0; i < cells.count; i++) {
        if (cells.list[i].clients == most)
            write_roles_of(stream, &cells.list[i]);
    }
    run_cells_deinit(&cells);
}

void table_write_leaks(const struct table *rows, const struct options *options, FILE *stream)
{
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        long long watches = 0, ephemerals = 0;
        size_t trials = 0;
        for (size_t i = 0; i < rows->rows; i++) {
            const struct table_value *row = table_row(rows, i);
            if (!trial_row_is_of(row, options->plan.recipes[r]) ||
                strcmp(row[trial_row_reconciled].text, "na") == 0)
                continue;
            watches += row[trial_row_watches_leaked].number;
            ephemerals += row[trial_row_ephemerals_leaked].number;
            trials++;
        }
        if (watches != 0 || ephemerals != 0)
            wrap_sentence(
                stream,
                "%s: %zu trial%s left %lld watch%s and %lld ephemeral znode%s on the servers",
                options->plan.recipes[r]->name, trials, trials == 1 ? "" : "s", watches,
                watches == 1 ? "" : "es", ephemerals, ephemerals == 1 ? "" : "s");
    }
}

void table_write_stalls(const struct table *rows, FILE *stream)
{
    size_t trials = 0;
    double sum_s = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!row[trial_row_complete].flag || row[trial_row_stalls].count == 0)
            continue;
        trials++;
        sum_s += row[trial_row_stalled_s].real;
    }
    if (trials > 0)
        wrap_sentence(stream,
                      "%zu trial%s stalled, for %.1f s in all: %s counts stand, %s times do not",
                      trials, trials == 1 ? "" : "s", sum_s, trials == 1 ? "its" : "their",
                      trials == 1 ? "its" : "their");
}

static const char *span_of(double least_s, double most_s, char *text, size_t size)
{
    char most[32];
    int length = snprintf(text, size, "%.3f", least_s);
    snprintf(most, sizeof most, "%.3f", most_s);
    if (strcmp(text, most) != 0)
        snprintf(text + length, size - (size_t)length, " to %s", most);
    return text;
}

void table_write_recoveries(const struct table *rows, const struct options *options, FILE *stream)
{
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        double least_s = INFINITY, most_s = 0;
        char span[64];
        unsigned long long trials = 0;
        for (size_t i = 0; i < rows->rows; i++) {
            const struct table_value *row = table_row(rows, i);
            double recovery_s = row[trial_row_recovery_s].real;
            if (!trial_row_is_of(row, options->plan.recipes[r]) || !isfinite(recovery_s))
                continue;
            trials++;
            if (!row[trial_row_valid].flag)
                continue;
            least_s = fmin(least_s, recovery_s);
            most_s = fmax(most_s, recovery_s);
        }
        if (least_s <= most_s) /* some trial's times stand */
            wrap_sentence(
                stream,
                "%s: a session died in %llu trial%s; the next grant came %s s after the death",
                options->plan.recipes[r]->name, trials, trials == 1 ? "" : "s",
                span_of(least_s, most_s, span, sizeof span));
    }
}

/* How long the number is that the text begins with; 0: none. A GUID is one, its hyphens included:
 * the names of znodes have them. */
static size_t number_length(const char *text)
{
    size_t hexadecimal = strspn(text, "0123456789abcdef");
    return hexadecimal >= 8 ? strspn(text, "0123456789abcdef-") : strspn(text, "0123456789");
}

/* Whether two texts are the same but for the numbers in them. */
static bool says_the_same(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        size_t in_a = number_length(a), in_b = number_length(b);
        if ((in_a > 0) != (in_b > 0) || (in_a == 0 && *a != *b))
            return false;
        a += in_a > 0 ? in_a : 1;
        b += in_b > 0 ? in_b : 1;
    }
    return *a == *b;
}

/* A wrong law, say, fails in each trial of its recipe, and in the same way. */
static bool fails_alike(const struct table_value *a, const struct table_value *b)
{
    return trial_row_verdict(a) != 0 && trial_row_verdict(a) == trial_row_verdict(b) &&
           strcmp(a[trial_row_recipe].text, b[trial_row_recipe].text) == 0 &&
           says_the_same(a[trial_row_reason].text, b[trial_row_reason].text);
}

static bool was_reported_before(const struct table *rows, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (fails_alike(table_row(rows, i), table_row(rows, at)))
            return true;
    }
    return false;
}

static void complain_of(const struct table *rows, const struct table_value *first,
                        const char *where)
{
    const char *recipe = first[trial_row_recipe].text, *reason = first[trial_row_reason].text,
               *what = trial_row_verdict(first) == 1 ? "the verdict fails" : "not valid";
    unsigned long long trial = first[trial_row_trial].count,
                       violations = first[trial_row_violations].count;
    char more[40] = "", clients[32];
    size_t alike = 0, trials = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        alike += fails_alike(table_row(rows, i), first);
        trials += strcmp(table_row(rows, i)[trial_row_recipe].text, recipe) == 0;
    }
    if (violations > 1)
        snprintf(more, sizeof more, " (and %llu more)", violations - 1);
    text_format_count(first[trial_row_clients].count, clients, sizeof clients);
    if (alike > 1)
        complain_plainly("%s%s: %s in %zu of %zu trials; the first is trial %llu with %s clients: "
                         "%s%s",
                         where, recipe, what, alike, trials, trial, clients, reason, more);
    else
        complain_plainly("%s%s, %s clients, trial %llu: %s: %s%s", where, recipe, clients, trial,
                         what, reason, more);
}

void table_complain(const struct table *rows, const struct options *options, const char *where)
{
    bool all_well = true;
    for (size_t i = 0; i < rows->rows; i++) {
        if (trial_row_verdict(table_row(rows, i)) == 0)
            continue;
        all_well = false;
        if (!was_reported_before(rows, i))
            complain_of(rows, table_row(rows, i), where);
    }
    if (!all_well && options->target.driver == DRIVER_SIMULATED)
        complain_plainly("--seed %llu replays this exactly",
                         (unsigned long long)options->plan.seed);
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_cell(const struct run_cell *cell)
{
    static const size_t counts[] = {trial_row_rpcs, trial_row_creates, trial_row_notifications,
                                    trial_row_bytes},
                        times[] = {trial_row_drain_s, trial_row_handoff_p50_us,
                                   trial_row_handoff_p99_us};
    int verdict = cell->fails ? 1 : cell->valid < cell->trials.count ? 4 : 0;
    json_t *json = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:s, s:b}", "recipe", cell->recipe->name, "clients",
        (json_int_t)cell->clients, "trials", (json_int_t)cell->trials.count, "trials_complete",
        (json_int_t)cell->complete, "trials_valid", (json_int_t)cell->valid, "verdict",
        record_json_verdict(verdict), "has_law", (int)(cell->has_law && cell->complete > 0));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_object_set_new(json, trial_row_table.columns[counts[i]].name,
                            json_result_count(run_cell_count(cell, counts[i])));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        json_object_set_new(json, trial_row_table.columns[times[i]].name,
                            json_result_real(run_cell_time(cell, times[i])));
    return json;
}

json_t *table_json(const struct table *rows, const struct options *options)
{
    struct run_cells cells = run_cells_of(rows, options);
    json_t *list = json_array();
    for (size_t i = 0; i < cells.count; i++)
        json_array_append_new(list, describe_cell(&cells.list[i]));
    run_cells_deinit(&cells);
    return list;
}

json_t *table_json_stalls(const struct table *rows)
{
    json_int_t count = 0;
    double seconds = 0;
    json_t *trials = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        const char *server = row[trial_row_stalled_server].text;
        count += (json_int_t)row[trial_row_stalls].count;
        seconds += row[trial_row_stalled_s].real;
        if (row[trial_row_stalls].count > 0)
            json_array_append_new(trials,
                                  json_pack("{s:s, s:I, s:I, s:I, s:f, s:o}", "recipe",
                                            row[trial_row_recipe].text, "clients",
                                            (json_int_t)row[trial_row_clients].count, "trial",
                                            (json_int_t)row[trial_row_trial].count, "count",
                                            (json_int_t)row[trial_row_stalls].count, "seconds",
                                            row[trial_row_stalled_s].real, "server",
                                            server[0] != '\0' ? json_text(server) : json_null()));
    }
    return json_pack("{s:I, s:f, s:o}", "count", count, "seconds", seconds, "trials", trials);
}
