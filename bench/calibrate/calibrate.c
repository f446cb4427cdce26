// SPDX-License-Identifier: Apache-2.0
#include "bench/calibrate/calibrate.h"

#include "base/clock.h"
#include "bench/calibrate/calibrate_command_line.h"
#include "bench/calibrate/calibrate_fit.h"
#include "bench/calibrate/calibrate_table.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/version.h"
#include "bench/model/drain_series.h"
#include "bench/output/json_result.h"

#include <stdio.h>
#include <stdlib.h>

#define SUBCOMMAND "calibrate"

struct calibrate {
    struct calibrate_options options;
    struct drain_series series;
    struct costs_file costs;
};

static enum error_kind begin(struct drain_series *series, void *context, struct error *error)
{
    struct costs_file *costs = &((struct calibrate *)context)->costs;
    (void)error;
    drain_series_record(series, &costs->holds_for);
    clock_format_utc(clock_utc_ns(), 0, costs->date, sizeof costs->date);
    snprintf(costs->zkherd, sizeof costs->zkherd, "%s", version_text);
    return ERROR_NONE;
}

static enum error_kind write_and_print(const struct calibrate *calibrate, struct error *error)
{
    const struct output_options *output = &calibrate->options.output;
    enum error_kind kind = costs_file_write(&calibrate->costs, output->out, error);
    if (kind == ERROR_NONE && output->json)
        return json_result_write_exactly(costs_file_describe(&calibrate->costs), SUBCOMMAND, stdout,
                                         error);
    if (kind != ERROR_NONE || output->quiet)
        return kind;
    kind = calibrate_table_write(&calibrate->costs, stdout, error);
    if (kind == ERROR_NONE)
        printf("\nThe costs are in %s\n", output->out);
    return kind;
}

static void warn_of_scatter(const struct costs_file *costs)
{
    char text[CALIBRATE_TABLE_WARNING_SIZE];
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
        if (calibrate_table_warns(costs, time, text, sizeof text))
            complain_mildly("%s: %s", SUBCOMMAND, text);
    }
}

static int tell(struct drain_series *series, void *context, int *verdict)
{
    struct calibrate *calibrate = context;
    struct error error;
    (void)verdict;
    enum error_kind kind = calibrate_fit(series, &calibrate->costs, &error);
    if (kind == ERROR_NONE)
        kind = write_and_print(calibrate, &error);
    if (kind == ERROR_NONE)
        warn_of_scatter(&calibrate->costs);
    if (kind == ERROR_INTERRUPTED)
        error_raise(&error, kind, 0, SUBCOMMAND, "during the fit: nothing is kept");
    return kind == ERROR_NONE ? 0 : complain_about(SUBCOMMAND, &error);
}

static int lead(struct calibrate *calibrate, int argc, char **argv)
{
    static const struct drain_series_user user = {SUBCOMMAND, "calibration", begin, tell};
    struct calibrate_options *options = &calibrate->options;
    drain_series_init(&calibrate->series, &options->drains, &options->target, &options->output,
                      &user, calibrate);
    int status = drain_series_lead(&calibrate->series, argc, argv);
    drain_series_deinit(&calibrate->series);
    return status;
}

int calibrate_main(int argc, char **argv)
{
    struct calibrate *calibrate = calloc(1, sizeof *calibrate);
    if (calibrate == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = SUBCOMMAND});
    int status = calibrate_command_line_parse(argc, argv, &calibrate->options);
    if (status == ARGUMENTS_GO) {
        status = lead(calibrate, argc, argv);
        calibrate_command_line_deinit(&calibrate->options);
    }
    free(calibrate);
    return status;
}
