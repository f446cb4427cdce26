// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_joined.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/plots.h"

static bool are_several(const struct load_record *records, size_t count)
{
    size_t with_trials = 0;
    for (size_t i = 0; i < count; i++)
        with_trials += records[i].samples.count > 0;
    return with_trials > 1;
}

static enum error_kind write_rows(const struct load_record *records, size_t count, struct csv *csv,
                                  struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    csv_header(csv, load_summary_columns);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = load_record_write_cells(&records[i], csv, error);
    return kind;
}

enum error_kind load_joined_write(const struct load_record *records, size_t count,
                                  const char *folder, bool *written, struct error *error)
{
    struct output file = {0};
    *written = false;
    if (!are_several(records, count))
        return ERROR_NONE;
    enum error_kind kind = output_open(&file, folder, "cells.csv", error);
    if (kind != ERROR_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    kind = write_rows(records, count, &csv, error);
    if (kind == ERROR_NONE)
        kind = output_finish(&file, error);
    if (kind != ERROR_NONE)
        output_abandon(&file);
    *written = kind == ERROR_NONE;
    return kind;
}

enum error_kind load_joined_draw(const struct load_options *options, int interrupts,
                                 struct error *error)
{
    char why[640];
    const struct plots plots = {.kind = PLOTS_OF_LOAD,
                                .folder = options->output.out,
                                .recipes = "",
                                .formats = options->output.plots,
                                .interrupts = interrupts};
    enum plots_end end = plots_draw(&plots, why, sizeof why);
    if (end == PLOTS_INTERRUPTED)
        return error_raise(error, ERROR_INTERRUPTED, 0, "load", "the plots are not drawn");
    if (end == PLOTS_SKIPPED && !options->output.quiet)
        complain_mildly("the plots of %s are skipped: %s", options->output.out, why);
    return ERROR_NONE;
}
