// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_results.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/plots.h"
#include "bench/page/page.h"

#include <unistd.h>

static void write_shape(const void *judgements, struct csv *csv)
{
    judgements_write(judgements, csv);
}

enum error_kind paper_results_write(const char *folder, const char *name, const void *table,
                                    void (*write)(const void *table, struct csv *csv),
                                    struct error *error)
{
    struct output file = {0};
    enum error_kind kind = output_open(&file, folder, name, error);
    if (kind != ERROR_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    write(table, &csv);
    kind = output_finish(&file, error);
    if (kind != ERROR_NONE)
        output_abandon(&file);
    return kind;
}

static enum error_kind write_files(const struct paper_results *results, const char *folder,
                                   struct error *error)
{
    enum error_kind kind =
        paper_results_write(folder, results->file, results->table, results->write, error);
    if (kind == ERROR_NONE)
        kind = paper_results_write(folder, "shape.csv", results->judgements, write_shape, error);
    return kind;
}

static void draw(const struct output_options *output, int interrupts)
{
    char why[640];
    const struct plots plots = {.kind = PLOTS_OF_PAPER,
                                .folder = output->out,
                                .recipes = "",
                                .formats = output->plots,
                                .interrupts = interrupts};
    if (plots_draw(&plots, why, sizeof why) == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots are skipped: %s", why);
}

static enum error_kind print(const struct paper_results *results,
                             const struct load_options *options, struct error *error)
{
    unsigned columns = terminal_columns(STDOUT_FILENO);
    fputc('\n', stdout);
    enum error_kind kind = results->print(results->table, options, columns, stdout, error);
    fputc('\n', stdout);
    if (kind == ERROR_NONE)
        kind = judgements_print(results->judgements, columns, stdout, error);
    results->explain(results->table, options, stdout);
    wrap_sentence(stdout, "The shape is judged, the figures are not: they are those of two "
                          "machines.");
    printf("\nresults in %s\n", options->output.out);
    return kind;
}

int paper_results_tell(const struct paper_results *results, const struct load_options *options,
                       const struct manifest *manifest, int interrupts)
{
    struct error error;
    enum error_kind kind = write_files(results, options->output.out, &error);
    if (kind == ERROR_NONE) {
        draw(&options->output, interrupts);
        page_add(options->output.out, manifest, options->output.quiet);
    }
    int status = kind == ERROR_NONE ? 0 : complain(&error);
    if (options->output.quiet || options->output.json)
        judgements_complain(results->judgements);
    else if (print(results, options, &error) != ERROR_NONE && status == 0)
        status = complain(&error);
    return status;
}
