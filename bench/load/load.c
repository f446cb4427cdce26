// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/load/load_command_line.h"
#include "bench/load/load_table.h"
#include "bench/output/load_series.h"

#include <stdlib.h>

static int tell(const struct load_series *series, void *context, int *verdict)
{
    int status = 0;
    (void)context;
    for (size_t i = 0; i < series->base.record_count; i++) {
        struct error error;
        if (series->records[i].samples.count > 0 &&
            load_table_tell(&series->records[i], &error) != ERROR_NONE && status == 0)
            status = complain(&error);
    }
    *verdict = load_series_verdict(series);
    return status;
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
