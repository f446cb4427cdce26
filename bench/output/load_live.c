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

static void format_percentile(const struct histogram *response, double percent, char text[32])
{
    text[0] = '\0';
    if (histogram_has_percentile(histogram_recorded(response), percent))
        snprintf(text, 32, "  p%.0f %.1f ms", percent,
                 (double)histogram_percentile_ns(response, percent) / 1e6);
}

void live_format_second(uint32_t second, uint64_t answered, uint64_t errors,
                        const struct histogram *response, uint64_t lag_ns, uint64_t left_ns,
                        char line[LIVE_LINE_SIZE])
{
    char count[32], left[32] = "0 s", p50[32], p99[32], failed[48] = "", late[48] = "";
    if (left_ns > 0)
        text_format_duration(left_ns, left, sizeof left);
    format_percentile(response, 50, p50);
    format_percentile(response, 99, p99);
    if (errors > 0)
        snprintf(failed, sizeof failed, "  errors %s",
                 text_format_count(errors, count, sizeof count));
    if (lag_ns > 0)
        snprintf(late, sizeof late, "  lag %.1f ms", (double)lag_ns / 1e6);
    snprintf(line, LIVE_LINE_SIZE, "%4u s  %s left %9s/s%s%s%s%s", second + 1, left,
             text_format_count(answered, count, sizeof count), p50, p99, failed, late);
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

static void show_share(const char *what, uint64_t done, uint64_t all)
{
    char left[32], right[32];
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s: %s of %s", what,
            text_format_count(done, left, sizeof left),
            text_format_count(all, right, sizeof right));
}

void live_show(struct live *live, const struct load_progress *progress)
{
    static const char *const phases[] = {
        [LOAD_CONNECTS] = "opening sessions", [LOAD_LAYS_OUT] = "laying out znodes",
        [LOAD_WARMS_UP] = "warming up",       [LOAD_MEASURES] = "",
        [LOAD_CLEARS] = "deleting znodes",
    };
    if (!live->progress->shown)
        return;
    if (progress->phase == LOAD_CONNECTS)
        show_share(phases[LOAD_CONNECTS], progress->established,
                   progress->load->plan->fleet.sessions);
    else if (progress->phase == LOAD_LAYS_OUT || progress->phase == LOAD_CLEARS)
        show_share(phases[progress->phase], atomic_load(&progress->load->chores_done),
                   load_plan_znodes(progress->load->plan));
    else
        fprintf(stderr, TERMINAL_CLEAR_LINE "%s", phases[progress->phase]);
    while (progress->phase >= LOAD_MEASURES && live->seconds < progress->second)
        show_second(live, progress->load);
}
