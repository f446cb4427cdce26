// SPDX-License-Identifier: Apache-2.0
#include "bench/output/live.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void live_init(struct live *live, size_t count, uint64_t trial_ns, bool quiet)
{
    *live = (struct live){
        .shown = !quiet && isatty(STDERR_FILENO), .count = count, .trial_ns = trial_ns};
    if (!live->shown)
        return;
    live->response = malloc(sizeof *live->response);
    live->shown = live->response != NULL;
}

void live_deinit(struct live *live)
{
    free(live->response);
    *live = (struct live){0};
}

void live_begin(struct live *live, size_t at, const struct load_cell *cell, const char *target)
{
    char mix[128], rate[48] = "";
    live->at = at;
    live->cell = cell;
    live->seconds = 0;
    if (!live->shown)
        return;
    if (cell->rate_per_s > 0)
        snprintf(rate, sizeof rate, ", %llu/s", (unsigned long long)cell->rate_per_s);
    fprintf(stderr, TERMINAL_CLEAR_LINE "[%zu/%zu] %s%s%s, %u sessions%s, trial %u\n", at + 1,
            live->count, target, target[0] != '\0' ? ": " : "",
            mix_format(&cell->mix, mix, sizeof mix), cell->sessions, rate, cell->trial);
}

static double percentile_ms(const struct histogram *histogram, double percent)
{
    return (double)histogram_percentile_ns(histogram, percent) / 1e6;
}

void live_put(uint32_t second, uint64_t answered, uint64_t errors, const struct histogram *response,
              uint64_t lag_ns, uint64_t left_ns, char line[LIVE_LINE_SIZE])
{
    char rate[32], count[32], time[32], late[48] = "";
    text_format_count(answered, rate, sizeof rate);
    text_format_count(errors, count, sizeof count);
    text_format_duration(left_ns, time, sizeof time);
    if (lag_ns > 0)
        snprintf(late, sizeof late, "  lag %.1f ms", (double)lag_ns / 1e6);
    snprintf(line, LIVE_LINE_SIZE, "%4u s %9s/s  p50 %.1f ms  p99 %.1f ms  errors %s%s  %s left",
             second + 1, rate, percentile_ms(response, 50), percentile_ms(response, 99), count,
             late, time);
}

static void show_second(struct live *live, const struct load_shared *load)
{
    const struct load_plan *plan = load->plan;
    uint32_t second = live->seconds++;
    uint64_t left_ns =
        (plan->seconds - second - 1) * NS_PER_S + (live->count - live->at - 1) * live->trial_ns;
    char line[LIVE_LINE_SIZE];
    memset(live->response, 0, sizeof *live->response);
    load_shared_add_response(load, second, live->response);
    live_put(second, load_shared_answered(load, second), load_shared_errors(load, second),
             live->response, load_shared_lag_ns(load, second), left_ns, line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%.79s\n", line);
}

void live_show(void *context, const struct load_progress *progress)
{
    static const char *const phases[] = {
        [LOAD_CONNECTS] = "opening sessions", [LOAD_LAYS_OUT] = "laying out znodes",
        [LOAD_WARMS_UP] = "warming up",       [LOAD_MEASURES] = "",
        [LOAD_CLEARS] = "deleting znodes",
    };
    struct live *live = context;
    if (!live->shown)
        return;
    if (progress->phase == LOAD_CONNECTS)
        fprintf(stderr, TERMINAL_CLEAR_LINE "%s: %u of %u", phases[LOAD_CONNECTS],
                progress->established, progress->load->plan->fleet.sessions);
    else
        fprintf(stderr, TERMINAL_CLEAR_LINE "%s", phases[progress->phase]);
    while (progress->phase >= LOAD_MEASURES && live->seconds < progress->second)
        show_second(live, progress->load);
}

void live_clear(const struct live *live)
{
    if (live->shown)
        fputs(TERMINAL_CLEAR_LINE, stderr);
}
