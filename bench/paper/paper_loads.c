// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_loads.h"

#include "bench/cli/complain.h"
#include "bench/paper/core_shares.h"

#include <stdlib.h>

int paper_loads_lead(struct paper_options *options, int argc, char **argv,
                     int (*tell)(const struct load_series *series, void *context, int *verdict),
                     bool *interrupted)
{
    char text[512];
    struct load_options *load = &options->load;
    struct load_series *series = calloc(1, sizeof *series);
    if (series == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    /* A server's code is compiled in its first minute, on its own share of the CPU. */
    load->rehearses = load->target.driver != DRIVER_SIMULATED;
    const char *warning = core_shares_choose(load, text, sizeof text);
    if (warning != NULL && !load->output.quiet)
        complain_mildly("%s", warning);
    const struct load_series_user user = {.subcommand = "paper", .warning = warning, .tell = tell};
    load_series_init(series, load, &user);
    int status = load_series_lead(series, argc, argv);
    *interrupted = series->interrupted;
    load_series_deinit(series);
    free(series);
    return status;
}
