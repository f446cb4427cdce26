// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper.h"

#include "base/clock.h"
#include "base/output.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/folder.h"
#include "bench/output/load_series.h"
#include "bench/output/plots.h"
#include "bench/paper/core_shares.h"
#include "bench/paper/paper_options.h"
#include "bench/paper/table1_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct paper {
    struct load_options options;
    char folder[PATH_MAX]; /* if the options name none */
    char warning[512];
    struct load_series series;
};

/* ------------------------------------------------------------------ the files */

static void write_cells(const struct table1 *table, struct csv *csv)
{
    csv_header(csv, table1_columns);
    for (size_t i = 0; i < table->topologies * table->shares; i++)
        table1_write(&table->cells[i], csv);
}

static void write_shape(const struct table1 *table, struct csv *csv)
{
    csv_header(csv, table1_shape_columns);
    for (size_t i = 0; i < table->judgement_count; i++)
        table1_write_shape(&table->judgements[i], csv);
}

static enum error_kind write_file(const struct table1 *table, const char *folder, const char *name,
                                  void (*write)(const struct table1 *table, struct csv *csv),
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

static enum error_kind write_files(const struct table1 *table, const char *folder,
                                   struct error *error)
{
    enum error_kind kind = write_file(table, folder, "table1.csv", write_cells, error);
    if (kind == ERROR_NONE)
        kind = write_file(table, folder, "shape.csv", write_shape, error);
    return kind;
}

static void draw(const struct load_series *series)
{
    char why[640];
    const struct output_options *output = &series->options->output;
    const struct plots plots = {.kind = PLOTS_OF_LOAD,
                                .folder = output->out,
                                .recipes = "",
                                .formats = output->plots,
                                .interrupts = series->targets.signals};
    if (plots_draw(&plots, why, sizeof why) == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots are skipped: %s", why);
}

/* ------------------------------------------------------------------ the results */

static enum error_kind show(const struct load_series *series, const struct table1 *table,
                            struct error *error)
{
    const struct load_options *options = series->options;
    for (size_t i = 0; i < series->record_count; i++)
        load_record_complain(&series->records[i]);
    if (options->output.quiet) {
        table1_text_complain(table);
        return ERROR_NONE;
    }
    fputc('\n', stdout);
    enum error_kind kind =
        table1_text_write(table, options, terminal_columns(STDOUT_FILENO), stdout, error);
    printf("\nresults in %s\n", options->output.out);
    return kind;
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    struct table1 table;
    struct error error;
    (void)context;
    enum error_kind kind = table1_init(&table, series->options, series->records, &error);
    if (kind != ERROR_NONE)
        return complain(&error);
    kind = write_files(&table, series->options->output.out, &error);
    if (kind == ERROR_NONE)
        draw(series);
    int status = kind == ERROR_NONE ? 0 : complain(&error);
    kind = show(series, &table, &error);
    if (kind != ERROR_NONE && status == 0)
        status = complain(&error);
    *verdict = load_series_verdict(series) == 1 ? 1 : table1_exit_status(&table);
    table1_deinit(&table);
    return status;
}

/* ------------------------------------------------------------------ the whole */

/* The series makes the folder: all of the topologies' folders are in it. */
static enum error_kind name_folder(struct paper *paper, struct error *error)
{
    if (paper->options.output.out != NULL)
        return ERROR_NONE;
    enum error_kind kind = folder_make(NULL, clock_utc_ns(), "paper", paper->folder, error);
    if (kind != ERROR_NONE)
        return kind;
    rmdir(paper->folder);
    paper->options.output.out = paper->folder;
    return ERROR_NONE;
}

static int lead(struct paper *paper, int argc, char **argv)
{
    struct error error;
    if (name_folder(paper, &error) != ERROR_NONE)
        return complain(&error);
    /* A server's code is compiled in its first minute, on its own share of the CPU. */
    paper->options.rehearses = paper->options.target.driver != DRIVER_SIMULATED;
    const char *warning =
        core_shares_choose(&paper->options, paper->warning, sizeof paper->warning);
    if (warning != NULL && !paper->options.output.quiet)
        complain_mildly("%s", warning);
    const struct load_series_user user = {.subcommand = "paper", .warning = warning, .tell = tell};
    load_series_init(&paper->series, &paper->options, &user);
    int status = load_series_lead(&paper->series, argc, argv);
    load_series_deinit(&paper->series);
    return status;
}

int paper_main(int argc, char **argv)
{
    struct paper *paper = calloc(1, sizeof *paper);
    if (paper == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    int status = paper_options_parse(argc, argv, &paper->options);
    if (status == ARGUMENTS_GO) {
        status = lead(paper, argc, argv);
        load_options_deinit(&paper->options);
    }
    free(paper);
    return status;
}
