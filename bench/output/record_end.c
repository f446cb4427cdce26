// SPDX-License-Identifier: Apache-2.0
#include "bench/output/record_end.h"

#include "bench/cli/complain.h"

#include <stdio.h>

#define REASON_SIZE 640

static void warn_of_skipped(const struct record_end *end, const char *why)
{
    char warning[REASON_SIZE + 60];
    snprintf(warning, sizeof warning, "the plots are skipped: %s", why);
    if (!end->output->quiet)
        complain_mildly("%s", warning);
    manifest_warn(end->manifest, warning);
}

enum error_kind record_end_draw(const struct record_end *end, enum plots_kind kind,
                                const char *recipes, const char *nothing, struct error *error)
{
    char why[REASON_SIZE];
    const struct plots plots = {.kind = kind,
                                .folder = end->set->folder,
                                .recipes = recipes,
                                .formats = end->output->plots,
                                .interrupts = end->interrupts};
    switch (plots_draw(&plots, why, sizeof why)) {
    case PLOTS_DRAWN:
        break;
    case PLOTS_NOTHING:
        if (nothing != NULL && end->cut_short == NULL && !end->output->quiet)
            complain_mildly("no plots in %s: %s", plots.folder, nothing);
        break;
    case PLOTS_SKIPPED:
        warn_of_skipped(end, why);
        break;
    case PLOTS_INTERRUPTED:
        manifest_warn(end->manifest, "interrupted: the plots are not drawn");
        return error_raise(error, ERROR_INTERRUPTED, 0, end->subcommand, "the plots are not drawn");
    }
    return ERROR_NONE;
}

enum error_kind record_end_describe(const struct record_end *end, enum error_kind kind,
                                    struct error *error)
{
    struct error second;
    const struct manifest_end described = {end->set->folder,    end->set->started_utc_ns,
                                           end->trials_planned, end->set->trials,
                                           end->cut_short,      kind == ERROR_NONE ? NULL : error};
    enum error_kind written =
        manifest_write(end->manifest, &described, kind == ERROR_NONE ? error : &second);
    return kind == ERROR_NONE ? written : kind;
}
