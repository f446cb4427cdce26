// SPDX-License-Identifier: Apache-2.0
#include "bench/run/record.h"

#include "base/cores.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/record_end.h"
#include "bench/output/record_json.h"
#include "bench/page/page.h"
#include "bench/run/background_price.h"
#include "bench/run/conclusion.h"
#include "bench/run/fits.h"
#include "bench/run/handoff_bars.h"
#include "bench/run/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum error_kind record_open(struct record *record, const struct options *options,
                            const struct target *target, const char *out, size_t trials,
                            struct error *error)
{
    uint64_t most = options->plan.clients.list[options->plan.clients.count - 1];
    *record = (struct record){.options = options, .rows.type = &trial_row_table};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < options->plan.recipe_count; i++)
        kind = waiters_new(options->plan.recipes[i], most, &record->waiters[i], error);
    if (kind == ERROR_NONE)
        kind = results_open(&record->results, out, target->name, trials,
                            options->plan.traced.count > 0, error);
    if (kind != ERROR_NONE)
        return kind;
    record->trials_planned = trials;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct trial_row_context){record->results.set.run, record->target,
                                                 target->servers.count, options};
    return ERROR_NONE;
}

void record_free(struct record *record)
{
    manifest_deinit(&record->manifest);
    for (size_t i = 0; i < OPTIONS_RECIPES_MAX; i++)
        waiters_free(record->waiters[i]);
    table_deinit(&record->rows);
    *record = (struct record){0};
}

void record_warn(struct record *record, const char *format, ...)
{
    char warning[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
    if (!record->options->output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

/* Warns once a run. */
static void say_once(struct record *record, const char *why)
{
    bool several = record->options->target.topology_count > 1;
    if (!record->warned)
        record_warn(record, "%s%scannot cross-check against the servers' counters: %s",
                    several ? record->target : "", several ? ": " : "", why);
    record->warned = true;
}

static struct waiters *waiters_of(struct record *record, const struct recipe *recipe)
{
    size_t i = 0;
    while (record->options->plan.recipes[i] != recipe)
        i++;
    return record->waiters[i];
}

enum error_kind record_add(struct record *record, const struct cell *cell,
                           const struct trial_result *result,
                           const struct background_figures *background, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    enum error_kind kind = ERROR_NONE;
    double beta = NAN;
    trial_row_take(cell, result, background, &record->context, cores_allowed(), row);
    if (trial_row_counts(row))
        kind = waiters_add(waiters_of(record, cell->recipe), result, row[trial_row_valid].flag,
                           &beta, error);
    row[trial_row_beta] = table_real(beta);
    if (kind != ERROR_NONE)
        return kind;
    manifest_sessions(&record->manifest, result->memory->fleet);
    if (result->not_reconciled[0] != '\0')
        say_once(record, result->not_reconciled);
    if (trace_lost(&result->memory->trace) > 0)
        record_warn(record, "trace.csv: no room for %llu events of trial %u of %s with %u clients",
                    (unsigned long long)trace_lost(&result->memory->trace), cell->trial,
                    cell->recipe->name, cell->clients);
    return results_add(&record->results, row, result, error);
}

/* ------------------------------------------------------------------ after the last trial */

/* Writes a CSV file whose rows come from one of the writers below. */
static enum error_kind write_csv(const struct record *record, const char *name, const char *columns,
                                 void (*write_rows)(const struct record *record, struct csv *csv),
                                 struct error *error)
{
    struct output file = {0};
    enum error_kind kind = output_open(&file, record->results.set.folder, name, error);
    if (kind != ERROR_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    csv_header(&csv, columns);
    write_rows(record, &csv);
    kind = output_finish(&file, error);
    if (kind != ERROR_NONE)
        output_abandon(&file);
    return kind;
}

static void write_waiters(const struct record *record, struct csv *csv)
{
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        waiters_write(record->waiters[i], record->results.set.run, csv);
}

static void write_fits(const struct record *record, struct csv *csv)
{
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        fits_write(&record->rows, record->waiters[i], &record->context, csv);
}

static void write_prices(const struct record *record, struct csv *csv)
{
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        background_price_write(&record->rows, record->options->plan.recipes[i], &record->context,
                               csv);
}

static enum error_kind draw(const struct record *record, const struct record_end *end,
                            struct error *error)
{
    char recipes[PLOTS_RECIPES_SIZE] = "";
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        (void)plots_add_recipe(recipes, record->options->plan.recipes[i]->name);
    return record_end_draw(end, PLOTS_OF_RUN, recipes, "there is nothing to draw", error);
}

static void write_sentences(const struct record *record, FILE *stream)
{
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        fits_tell(&record->rows, record->options->plan.recipes[i], record->options, stream);
    fits_tell_levels(&record->rows, record->options, stream);
    table_write_roles(&record->rows, record->options, stream);
    table_write_leaks(&record->rows, record->options, stream);
    table_write_stalls(&record->rows, stream);
    table_write_recoveries(&record->rows, record->options, stream);
    background_price_tell(&record->rows, record->options, stream);
}

/* Which of several topologies it is. */
static void tell_topology(const struct record *record)
{
    size_t servers = record->context.servers;
    printf("\n%s: %zu server%s\n\n", record->target, servers, servers == 1 ? "" : "s");
}

void record_complain(const struct record *record)
{
    char where[100] = "";
    if (record->options->target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    table_complain(&record->rows, record->options, where);
}

/* Of trials that all fail there may be no sentence to tell. */
static enum error_kind tell_sentences(const struct record *record, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream != NULL)
        write_sentences(record, stream);
    bool good = stream != NULL && ferror(stream) == 0;
    good = stream != NULL && fclose(stream) == 0 && good;
    if (good && length > 0)
        printf("\n%s", text);
    free(text);
    return good ? ERROR_NONE : error_raise(error, ERROR_NO_MEMORY, 0, "the summary", "%s", "");
}

enum error_kind record_tell(const struct record *record, struct error *error)
{
    record_complain(record);
    if (record->options->output.quiet)
        return ERROR_NONE;
    if (record->options->target.topology_count > 1)
        tell_topology(record);
    const struct terminal_look look = terminal_look(STDOUT_FILENO);
    size_t width = terminal_columns(STDOUT_FILENO);
    enum error_kind kind = table_write(&record->rows, record->options, width, stdout, error);
    if (kind == ERROR_NONE)
        handoff_bars_write(&record->rows, record->options, width, look.blocks, stdout);
    if (kind == ERROR_NONE)
        kind = tell_sentences(record, error);
    if (kind == ERROR_NONE)
        conclusion_write(&record->rows, record->trials_planned, record->options, look.colours,
                         stdout);
    printf("\nresults in %s\n", record->results.set.folder);
    return kind;
}

json_t *record_describe(const struct record *record)
{
    return record_json_new(&record->manifest, record->results.set.folder, record->context.servers,
                           table_json(&record->rows, record->options));
}

/* Closes the files, and adds those that need all trials. The first error is the one that counts. */
enum error_kind record_close(struct record *record, const struct error *cut_short, int interrupts,
                             struct error *error)
{
    const struct results *results = &record->results;
    const struct record_end end = {
        &record->manifest, &results->set, &record->options->output, "run", record->trials_planned,
        cut_short,         interrupts};
    enum error_kind kind = file_set_close(&record->results.set, error);
    if (results->set.trials == 0)
        return kind;
    if (kind == ERROR_NONE)
        kind = write_csv(record, "waiters.csv", waiters_columns, write_waiters, error);
    if (kind == ERROR_NONE)
        kind = write_csv(record, "fits.csv", fits_columns, write_fits, error);
    if (kind == ERROR_NONE && record->options->plan.background.given)
        kind = write_csv(record, "background.csv", background_price_columns, write_prices, error);
    if (kind == ERROR_NONE && !results->set.broken)
        kind = draw(record, &end, error);
    manifest_set(&record->manifest, "stalls", table_json_stalls(&record->rows));
    manifest_set(&record->manifest, "handoffs_csv_every",
                 json_integer((json_int_t)results->thinning));
    kind = record_end_describe(&end, kind, error);
    if (kind == ERROR_NONE && !results->set.broken)
        page_add(results->set.folder, &record->manifest, record->options->output.quiet);
    return kind;
}

int record_verdict(const struct record *record)
{
    int verdict = 0;
    for (size_t i = 0; verdict != 1 && i < record->rows.rows; i++) {
        int of_row = trial_row_verdict(table_row(&record->rows, i));
        verdict = of_row != 0 ? of_row : verdict;
    }
    return verdict;
}
