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
    *record = (struct load_record){.options = options, .trials_planned = trials};
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
    load_samples_deinit(&record->samples);
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
    struct load_sample sample;
    load_sample_take(cell, result, cores_allowed(), &sample);
    enum error_kind kind = load_samples_add(&record->samples, &sample, error);
    if (kind != ERROR_NONE)
        return kind;
    manifest_sessions(&record->manifest, result->load->shared);
    if (result->not_reconciled[0] != '\0')
        warn_once(record, result->not_reconciled);
    return load_files_add(&record->files, &record->context, &sample, result, error);
}

/* ------------------------------------------------------------------ after the last trial */

enum error_kind load_record_write_cells(const struct load_record *record, struct csv *csv,
                                        struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (const struct load_cell *cell = load_summary_next(&record->samples, NULL);
         kind == ERROR_NONE && cell != NULL; cell = load_summary_next(&record->samples, cell)) {
        struct load_summary summary;
        kind = load_summary_take(&record->samples, cell, &summary, error);
        if (kind == ERROR_NONE)
            load_summary_write(&summary, &record->context, csv);
    }
    return kind;
}

static enum error_kind write_cells_csv(const struct load_record *record, struct error *error)
{
    struct output file = {0};
    enum error_kind kind = output_open(&file, record->files.set.folder, "cells.csv", error);
    if (kind != ERROR_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    csv_header(&csv, load_summary_columns);
    kind = load_record_write_cells(record, &csv, error);
    if (kind == ERROR_NONE)
        kind = output_finish(&file, error);
    if (kind != ERROR_NONE)
        output_abandon(&file);
    return kind;
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
        kind = write_cells_csv(record, error);
    if (kind == ERROR_NONE && !set->broken)
        kind = record_end_draw(&end, PLOTS_OF_LOAD, "",
                               "they need two seconds at least, or two shares of reads, offered "
                               "rates, or numbers of sessions that leave watches",
                               error);
    return record_end_describe(&end, kind, error);
}

void load_record_complain(const struct load_record *record)
{
    const struct load_samples *samples = &record->samples;
    char where[100] = "";
    if (record->options->target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    for (size_t i = 0; i < samples->count; i++) {
        const struct load_sample *sample = &samples->list[i];
        char mix[128], number[32], sessions[32], rate[64] = "";
        if (sample->valid)
            continue;
        if (sample->cell.rate_per_s > 0)
            snprintf(rate, sizeof rate, " at %s/s",
                     text_format_count(sample->cell.rate_per_s, number, sizeof number));
        complain_plainly("%s%s, %s session%s%s, trial %u: %s: %s", where,
                         mix_format(&sample->cell.mix, mix, sizeof mix),
                         text_format_count(sample->cell.sessions, sessions, sizeof sessions),
                         sample->cell.sessions == 1 ? "" : "s", rate, sample->cell.trial,
                         sample->reconciled == RECONCILED_NO ? "the verdict fails" : "not valid",
                         sample->reason);
    }
}

int load_record_verdict(const struct load_record *record)
{
    bool valid = true;
    for (size_t i = 0; i < record->samples.count; i++) {
        if (record->samples.list[i].reconciled == RECONCILED_NO)
            return 1;
        valid = valid && record->samples.list[i].valid;
    }
    return valid ? 0 : 4;
}
