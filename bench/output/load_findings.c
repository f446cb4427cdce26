// SPDX-License-Identifier: Apache-2.0
/* What a load comes to. */
#include "base/text.h"
#include "bench/output/load_rows.h"

#include <math.h>

/* The cell that answered the most, with its settings. */
static void add_peak(const struct table_cells *cells, struct table *findings)
{
    const struct table_cell *best = NULL;
    struct interval most = {NAN, NAN, NAN};
    char sessions[32], rate[32], low[32], high[32], between[96] = "";
    for (size_t i = 0; i < cells->count; i++) {
        const struct interval figure = load_cell_figure(&cells->list[i], load_row_achieved_per_s);
        if (isfinite(figure.value) && !(figure.value <= most.value)) {
            most = figure;
            best = &cells->list[i];
        }
    }
    if (best == NULL)
        return;
    const struct finding peak = {.slug = "throughput",
                                 .subject = table_cell_value(best, load_row_mix)->text,
                                 .verdict = VERDICT_MEASURED,
                                 .figure = most,
                                 .unit = "1/s",
                                 .n = table_cell_flags(best, load_row_complete)};
    if (isfinite(most.low))
        snprintf(between, sizeof between, " (95 %% CI %s to %s)",
                 text_format_count((uint64_t)llround(most.low), low, sizeof low),
                 text_format_count((uint64_t)llround(most.high), high, sizeof high));
    findings_add(findings, &peak, "%s: %s operations a second%s %s %s sessions", peak.subject,
                 text_format_count((uint64_t)llround(most.value), rate, sizeof rate), between,
                 cells->count == 1 ? "with" : "at most, with",
                 text_format_count(table_cell_value(best, load_row_sessions)->count, sessions,
                                   sizeof sessions));
}

void load_findings_add(const struct table *rows, const struct noise_watch *watch, size_t made_again,
                       struct table *findings)
{
    struct table_cells cells = load_rows_cells(rows);
    add_peak(&cells, findings);
    table_cells_deinit(&cells);
    trial_findings_add_faults(&load_row_trials, rows, "", findings);
    trial_findings_add_servers(&load_row_trials, rows, findings);
    trial_findings_add_noise(&load_row_trials, rows, watch, made_again, findings);
}
