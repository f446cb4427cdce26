// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 79 /* a line that ends in the last column of 80 may wrap */

void live_format_trial(size_t at, size_t count, const struct load_cell *cell, const char *target,
                       char line[LIVE_LINE_SIZE])
{
    char mix[128], number[32], sessions[32], rate[48] = "", trial[32] = "rehearsal";
    if (cell->rate_per_s > 0)
        snprintf(rate, sizeof rate, ", %s/s",
                 text_format_count(cell->rate_per_s, number, sizeof number));
    if (cell->trial > 0)
        snprintf(trial, sizeof trial, "trial %u", cell->trial);
    snprintf(line, LIVE_LINE_SIZE, "[%zu/%zu] %s%s%s session%s%s, %s, %s", at + 1, count, target,
             target[0] != '\0' ? ": " : "",
             text_format_count(cell->sessions, sessions, sizeof sessions),
             text_plural(cell->sessions), rate, trial, mix_format(&cell->mix, mix, sizeof mix));
    printable_cut(line, COLUMNS);
}

void live_begin(struct live *live, const struct load_cell *cell, const char *target)
{
    char line[LIVE_LINE_SIZE];
    live->seconds = 0;
    if (!live->progress->shown)
        return;
    live_format_trial(live->progress->at, live->progress->count, cell, target, line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s\n", line);
}

void live_format_second(uint32_t second, uint64_t answered, uint64_t errors,
                        const struct histogram *response, uint64_t lag_ns, uint64_t left_ns,
                        char line[LIVE_LINE_SIZE])
{
    char count[32], left[32] = "0 s";
    struct growing_text text = {0};
    if (left_ns > 0)
        text_format_duration(left_ns, left, sizeof left);
    growing_text_add(&text, "%4u s  %s left %9s/s", second + 1, left,
                     text_format_count(answered, count, sizeof count));
    for (int percent = 50; percent <= 99; percent += 49) {
        if (histogram_has_percentile(histogram_recorded(response), percent))
            growing_text_add(&text, "  p%d %.1f ms", percent,
                             (double)histogram_percentile_ns(response, percent) / 1e6);
    }
    if (errors > 0)
        growing_text_add(&text, "  errors %s", text_format_count(errors, count, sizeof count));
    if (lag_ns > 0)
        growing_text_add(&text, "  lag %.1f ms", (double)lag_ns / 1e6);
    snprintf(line, LIVE_LINE_SIZE, "%s", text.text);
    free(text.text);
    printable_cut(line, COLUMNS);
}

static void show_second(struct live *live, const struct load_shared *load)
{
    const struct progress *progress = live->progress;
    uint32_t second = live->seconds++;
    uint64_t left_ns = (load->plan->seconds - second - 1) * NS_PER_S +
                       (progress->count - progress->at - 1) * live->trial_ns;
    struct histogram *response = memory_new(1, sizeof *response);
    const struct load_second_sum sum = load_shared_second_sum(load, second);
    char line[LIVE_LINE_SIZE];
    load_shared_add_times(load, second, response, response);
    live_format_second(second, sum.answered, sum.errors, response, sum.lag_ns, left_ns, line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s\n", line);
    free(response);
}

void live_show(struct live *live, const struct load_progress *progress)
{
    static const char *const phases[] = {
        [LOAD_CONNECTS] = "opening sessions", [LOAD_LAYS_OUT] = "laying out znodes",
        [LOAD_WARMS_UP] = "warming up",       [LOAD_MEASURES] = "",
        [LOAD_CLEARS] = "deleting znodes",
    };
    bool connects = progress->phase == LOAD_CONNECTS;
    char done[32], all[32];
    if (!live->progress->shown)
        return;
    const struct load_plan *plan = progress->load->plan;
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s", phases[progress->phase]);
    if (connects || progress->phase == LOAD_LAYS_OUT || progress->phase == LOAD_CLEARS)
        fprintf(stderr, ": %s of %s",
                text_format_count(connects ? progress->established
                                           : atomic_load(&progress->load->chores_done),
                                  done, sizeof done),
                text_format_count(connects ? plan->fleet.sessions : load_plan_znodes(plan), all,
                                  sizeof all));
    while (progress->phase >= LOAD_MEASURES && live->seconds < progress->second)
        show_second(live, progress->load);
}
