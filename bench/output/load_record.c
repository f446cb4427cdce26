// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_record.h"

#include "base/cores.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/output/record_end.h"

#include <stdio.h>

enum error_kind load_record_open(struct load_record *record, const struct load_options *options,
                                 const struct target *target, const char *out, size_t trials,
                                 int argc, char **argv, struct error *error)
{
    *record = (struct load_record){
        .options = options, .trials_planned = trials, .rows.type = &load_row_table};
    enum error_kind kind = load_files_open(&record->files, out, target->name, error);
    if (kind != ERROR_NONE)
        return kind;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct load_context){record->files.set.run, record->target,
                                            target->servers.count, options};
    manifest_begin(&record->manifest,
                   &(struct manifest_start){argc, argv, options->seed, load_options_plan(options),
                                            &options->target, target});
    return ERROR_NONE;
}

void load_record_free(struct load_record *record)
{
    manifest_deinit(&record->manifest);
    table_deinit(&record->rows);
    *record = (struct load_record){0};
}

void load_record_warn(struct load_record *record, const char *warning)
{
    if (!record->options->output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

/* Warns once a load. */
static void warn_once(struct load_record *record, const char *why)
{
    bool several = record->options->target.topology_count > 1;
    char warning[384];
    snprintf(warning, sizeof warning, "%s%scannot cross-check against the servers' counters: %s",
             several ? record->target : "", several ? ": " : "", why);
    if (!record->warned)
        load_record_warn(record, warning);
    record->warned = true;
}

enum error_kind load_record_add(struct load_record *record, const struct load_cell *cell,
                                const struct load_result *result, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    load_row_take(cell, result, &record->context, cores_allowed(), row);
    manifest_sessions(&record->manifest, result->load->shared);
    if (result->not_reconciled[0] != '\0')
        warn_once(record, result->not_reconciled);
    return load_files_add(&record->files, row, result, error);
}

/* ------------------------------------------------------------------ after the last trial */

static void write_cells(FILE *stream, const void *context)
{
    struct csv csv = {.stream = stream};
    load_cells_write_header(&csv);
    load_cells_write(context, &csv);
}

enum error_kind load_record_close(struct load_record *record, const struct error *cut_short,
                                  int interrupts, struct error *error)
{
    const struct file_set *set = &record->files.set;
    const struct record_end end = {
        &record->manifest, set,       &record->options->output, "load", record->trials_planned,
        cut_short,         interrupts};
    enum error_kind kind = file_set_close(&record->files.set, error);
    if (set->trials == 0)
        return kind;
    if (kind == ERROR_NONE)
        kind = output_write(set->folder, "cells.csv", write_cells, &record->rows, error);
    if (kind == ERROR_NONE && !set->broken)
        kind = record_end_draw(&end, PLOTS_OF_LOAD, "",
                               "they need two seconds at least, or two shares of reads, offered "
                               "rates, or numbers of sessions that leave watches",
                               error);
    return record_end_describe(&end, kind, error);
}

void load_record_complain(const struct load_record *record)
{
    char where[100] = "";
    if (record->options->target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    for (size_t i = 0; i < record->rows.rows; i++) {
        const struct table_value *row = table_row(&record->rows, i);
        const struct table_value *offered = &row[load_row_rate_per_s];
        uint64_t sessions = row[load_row_sessions].count;
        char number[32], count[32], rate[64] = "";
        if (row[load_row_valid].flag)
            continue;
        if (offered->kind == TABLE_COUNT)
            snprintf(rate, sizeof rate, " at %s/s",
                     text_format_count(offered->count, number, sizeof number));
        complain_plainly("%s%s, %s session%s%s, trial %llu: %s: %s", where, row[load_row_mix].text,
                         text_format_count(sessions, count, sizeof count), sessions == 1 ? "" : "s",
                         rate, (unsigned long long)row[load_row_trial].count,
                         row[load_row_miscounted].flag ? "the verdict fails" : "not valid",
                         row[load_row_reason].text);
    }
}

int load_record_verdict(const struct load_record *record)
{
    int verdict = 0;
    for (size_t i = 0; i < record->rows.rows; i++) {
        int of_row = load_row_verdict(table_row(&record->rows, i));
        verdict = verdict == 1 || of_row == 1 ? 1 : verdict > of_row ? verdict : of_row;
    }
    return verdict;
}
