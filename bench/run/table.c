// SPDX-License-Identifier: Apache-2.0
#include "bench/run/table.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/run/cell_figures.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the table */

/* What is said of the counts of a cell: equal to the law, not, or without one. */
static const char equal_to_law[] = "= law", without_law[] = "-";

static const char *verdict_of(const struct cell_figures *cell)
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

static void put_cell(struct grid *grid, const struct cell_figures *cell, struct style *style)
{
    grid_put(grid, "%s", cell->recipe->name);
    grid_put(grid, "%llu", (unsigned long long)cell->clients);
    grid_put_whole(grid, cell->rpcs);
    grid_put(grid, "%s", verdict_of(cell));
    put_count(grid, cell->creates, style);
    put_count(grid, cell->notifications, style);
    put_bytes(grid, cell->bytes, style->megabytes);
    grid_put_real(grid, cell->drain_s, 3);
    grid_put_real(grid, cell->handoff_p50_us / 1e3, 2);
    grid_put_real(grid, cell->handoff_p99_us / 1e3, 2);
}

/* The verdict of all cells, or NULL if they have several. */
static const char *fill(const struct samples *samples, const struct options *options,
                        struct style *style, struct grid *grid)
{
    const char *common = NULL;
    bool several = false;
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            struct cell_figures cell;
            if (!cell_figures_take(samples, options->plan.recipes[r], options->plan.clients.list[i],
                                   &cell))
                continue;
            put_cell(grid, &cell, style);
            several = several || (common != NULL && common != verdict_of(&cell));
            common = verdict_of(&cell);
        }
    }
    return several ? NULL : common;
}

/* A verdict that all cells have stands once, in the conclusion of the run. */
static bool is_common(const char *verdict)
{
    return verdict == equal_to_law || verdict == without_law;
}

/* A trial may be in the counts of its cell and not in the times, or in neither. */
static void tell_share(const struct cell_figures *cell, FILE *stream)
{
    char clients[32];
    if (cell->valid < cell->trials && is_common(verdict_of(cell)))
        wrap_sentence(stream, "%s, %s clients: counts of %zu of %zu trial%s, times of %zu",
                      cell->recipe->name, text_format_count(cell->clients, clients, sizeof clients),
                      cell->complete, cell->trials, cell->trials == 1 ? "" : "s", cell->valid);
}

static void tell_shares(const struct samples *samples, const struct options *options, FILE *stream)
{
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            struct cell_figures cell;
            if (cell_figures_take(samples, options->plan.recipes[r], options->plan.clients.list[i],
                                  &cell))
                tell_share(&cell, stream);
        }
    }
}

static bool has_many_bytes(const struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        if (sample_bytes(&samples->list[i]) >= KILOBYTES_MAX * 1e3)
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

enum error_kind table_write(const struct samples *samples, const struct options *options,
                            size_t width, FILE *stream, struct error *error)
{
    struct style style = {.megabytes = has_many_bytes(samples)};
    struct grid_column list[TABLE_COLUMNS];
    struct grid grid;
    memcpy(list, in_kilobytes, sizeof list);
    if (style.megabytes)
        list[COLUMN_BYTES].title = "MB";
    grid_init(&grid, list, TABLE_COLUMNS, GAP);
    const char *verdict = fill(samples, options, &style, &grid);
    grid.hidden[COLUMN_VERDICT] = is_common(verdict);
    if (!grid_fit(&grid, width, SPARE_FIRST)) {
        style.brief = true;
        grid_deinit(&grid);
        grid_init(&grid, list, TABLE_COLUMNS, GAP);
        fill(samples, options, &style, &grid);
        grid.hidden[COLUMN_VERDICT] = is_common(verdict);
        grid_fit(&grid, width, 1);
    }
    enum error_kind kind = grid_write(&grid, width, stream, error);
    if (kind == ERROR_NONE) {
        tell_shares(samples, options, stream);
        tell_left_out(&grid, stream);
        if (style.rounded)
            fputs("k, M, G: rounded; the exact counts are in trials.csv.\n", stream);
    }
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ sentences */

static void write_roles_of(FILE *stream, const struct cell_figures *cell)
{
    char list[ROLES * 40] = "", number[32];
    size_t length = 0;
    unsigned roles = 0;
    for (int role = 0; role < ROLES; role++) {
        double us = cell->handoff_of_us[role];
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

void table_write_roles(const struct samples *samples, const struct options *options, FILE *stream)
{
    uint64_t most = options->plan.clients.list[options->plan.clients.count - 1];
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        struct cell_figures cell;
        if (cell_figures_take(samples, options->plan.recipes[r], most, &cell))
            write_roles_of(stream, &cell);
    }
}

void table_write_leaks(const struct samples *samples, const struct options *options, FILE *stream)
{
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        long long watches = 0, ephemerals = 0;
        size_t trials = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const struct sample *sample = &samples->list[i];
            if (sample->cell.recipe != options->plan.recipes[r] ||
                sample->reconciled == RECONCILED_NA)
                continue;
            watches += sample->servers.watches_leaked;
            ephemerals += sample->servers.ephemerals_leaked;
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

void table_write_stalls(const struct samples *samples, FILE *stream)
{
    size_t trials = 0;
    double sum_s = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (!samples->list[i].complete || samples->list[i].stalls.count == 0)
            continue;
        trials++;
        sum_s += (double)samples->list[i].stalls.total_ns / 1e9;
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

void table_write_recoveries(const struct samples *samples, const struct options *options,
                            FILE *stream)
{
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        double least_s = INFINITY, most_s = 0;
        char span[64];
        unsigned long long trials = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const struct sample *sample = &samples->list[i];
            if (sample->cell.recipe != options->plan.recipes[r] || !isfinite(sample->recovery_s))
                continue;
            trials++;
            if (!sample->valid)
                continue;
            least_s = fmin(least_s, sample->recovery_s);
            most_s = fmax(most_s, sample->recovery_s);
        }
        if (least_s <= most_s) /* some trial's times stand */
            wrap_sentence(
                stream,
                "%s: a session died in %llu trial%s; the next grant came %s s after the death",
                options->plan.recipes[r]->name, trials, trials == 1 ? "" : "s",
                span_of(least_s, most_s, span, sizeof span));
    }
}

static bool is_well(const struct sample *sample)
{
    return sample->violations == 0 && sample->valid;
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
static bool fails_alike(const struct sample *a, const struct sample *b)
{
    return !is_well(a) && !is_well(b) && a->cell.recipe == b->cell.recipe &&
           (a->violations > 0) == (b->violations > 0) && says_the_same(a->reason, b->reason);
}

static bool was_reported_before(const struct samples *samples, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (fails_alike(&samples->list[i], &samples->list[at]))
            return true;
    }
    return false;
}

static void complain_of(const struct samples *samples, const struct sample *first,
                        const char *where)
{
    const char *what = first->violations > 0 ? "the verdict fails" : "not valid";
    char more[32] = "", clients[32];
    size_t alike = 0, trials = 0;
    for (size_t i = 0; i < samples->count; i++) {
        alike += fails_alike(&samples->list[i], first);
        trials += samples->list[i].cell.recipe == first->cell.recipe;
    }
    if (first->violations > 1)
        snprintf(more, sizeof more, " (and %u more)", first->violations - 1);
    text_format_count(first->cell.clients, clients, sizeof clients);
    if (alike > 1)
        complain_plainly("%s%s: %s in %zu of %zu trials; the first is trial %u with %s clients: "
                         "%s%s",
                         where, first->cell.recipe->name, what, alike, trials, first->cell.trial,
                         clients, first->reason, more);
    else
        complain_plainly("%s%s, %s clients, trial %u: %s: %s%s", where, first->cell.recipe->name,
                         clients, first->cell.trial, what, first->reason, more);
}

void table_complain(const struct samples *samples, const struct options *options, const char *where)
{
    bool all_well = true;
    for (size_t i = 0; i < samples->count; i++) {
        if (is_well(&samples->list[i]))
            continue;
        all_well = false;
        if (!was_reported_before(samples, i))
            complain_of(samples, &samples->list[i], where);
    }
    if (!all_well && options->target.driver == DRIVER_SIMULATED)
        complain_plainly("--seed %llu replays this exactly",
                         (unsigned long long)options->plan.seed);
}
