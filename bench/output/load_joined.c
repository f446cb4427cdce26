// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_joined.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/plots.h"

static bool are_several(const struct load_record *records, size_t count)
{
    size_t with_trials = 0;
    for (size_t i = 0; i < count; i++)
        with_trials += records[i].rows.rows > 0;
    return with_trials > 1;
}

struct joined {
    const struct load_record *records;
    size_t count;
};

static void write_cells(FILE *stream, const void *context)
{
    const struct joined *joined = context;
    struct csv csv = {.stream = stream};
    load_cells_write_header(&csv);
    for (size_t i = 0; i < joined->count; i++)
        load_cells_write(&joined->records[i].rows, &csv);
}

enum error_kind load_joined_write(const struct load_record *records, size_t count,
                                  const char *folder, bool *written, struct error *error)
{
    const struct joined joined = {records, count};
    *written = are_several(records, count);
    if (!*written)
        return ERROR_NONE;
    enum error_kind kind = output_write(folder, "cells.csv", write_cells, &joined, error);
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
