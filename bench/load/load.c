// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/subcommands.h"
#include "bench/load/load_command_line.h"
#include "bench/load/load_table.h"
#include "bench/output/json_result.h"
#include "bench/output/load_series.h"
#include "bench/output/manifest.h"
#include "bench/page/page.h"

#include <stdio.h>
#include <stdlib.h>

/* The page of each record, and of the cells of all in their common folder. */
static void add_pages(const struct load_series *series)
{
    const struct output_options *output = &series->options->output;
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct load_record *record = &series->records[i];
        if (record->rows.rows > 0 && !record->files.set.broken)
            page_add(record->files.set.folder, &record->manifest, output->quiet);
    }
    if (series->base.targets.made_out)
        page_add_common(output->out, output->quiet);
}

static int tell_in_text(const struct load_series *series)
{
    for (size_t i = 0; i < series->base.record_count; i++) {
        if (series->records[i].rows.rows > 0)
            load_table_tell(&series->records[i]);
    }
    return 0;
}

static int tell_in_json(const struct load_series *series, int verdict)
{
    struct error error;
    json_t *records = json_array();
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct load_record *record = &series->records[i];
        if (record->rows.rows == 0)
            continue;
        load_record_complain(record);
        json_t *cells = load_table_json(&record->rows);
        json_array_append_new(records, manifest_result(&record->manifest, record->files.set.folder,
                                                       record->context.servers, cells));
    }
    enum error_kind kind = json_result_write_records(verdict, records, "load", stdout, &error);
    return kind == ERROR_NONE ? 0 : complain(&error);
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    (void)context;
    add_pages(series);
    *verdict = load_series_verdict(series);
    return series->options->output.json ? tell_in_json(series, *verdict) : tell_in_text(series);
}

static int lead(struct load_options *options, int argc, char **argv)
{
    static const struct load_series_user user = {.subcommand = "load", .tell = tell};
    struct load_series *series = malloc(sizeof *series);
    if (series == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "load"});
    load_series_init(series, options, &user);
    int status = load_series_lead(series, argc, argv);
    load_series_deinit(series);
    free(series);
    return status;
}

int load_main(int argc, char **argv)
{
    struct load_options options;
    int status = load_command_line_parse(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = lead(&options, argc, argv);
    load_options_deinit(&options);
    return status;
}
