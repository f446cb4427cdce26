// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void live_put_trial(size_t at, size_t count, const struct load_cell *cell, const char *target,
                    char line[LIVE_LINE_SIZE])
{
    char mix[128], number[32], sessions[32], rate[48] = "", trial[32] = "rehearsal";
    text_format_count(cell->sessions, sessions, sizeof sessions);
    if (cell->rate_per_s > 0)
        snprintf(rate, sizeof rate, ", %s/s",
                 text_format_count(cell->rate_per_s, number, sizeof number));
    if (cell->trial > 0)
        snprintf(trial, sizeof trial, "trial %u", cell->trial);
    int length =
        snprintf(line, LIVE_LINE_SIZE, "[%zu/%zu] %s%s%s session%s%s, %s, %s", at + 1, count,
                 target, target[0] != '\0' ? ": " : "", sessions, cell->sessions == 1 ? "" : "s",
                 rate, trial, mix_format(&cell->mix, mix, sizeof mix));
    if (length >= LIVE_LINE_SIZE)
        strcpy(line + LIVE_LINE_SIZE - sizeof "...", "...");
}

void live_begin(struct live *live, const struct load_cell *cell, const char *target)
{
    char line[LIVE_LINE_SIZE];
    live->seconds = 0;
    if (!live->progress->shown)
        return;
    live_put_trial(live->progress->at, live->progress->count, cell, target, line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s\n", line);
}

static double percentile_ms(const struct histogram *histogram, double percent)
{
    return (double)histogram_percentile_ns(histogram, percent) / 1e6;
}

/* Adds a part to the line, unless the line would be too wide: then the line is full. */
__attribute__((format(printf, 3, 4))) static void append(char line[LIVE_LINE_SIZE], bool *full,
                                                         const char *format, ...)
{
    size_t length = strlen(line);
    va_list arguments;
    if (*full)
        return;
    va_start(arguments, format);
    int added = vsnprintf(line + length, LIVE_LINE_SIZE - length, format, arguments);
    va_end(arguments);
    *full = added < 0 || length + (size_t)added >= LIVE_LINE_SIZE;
    if (*full)
        line[length] = '\0';
}

void live_put(uint32_t second, uint64_t answered, uint64_t errors, const struct histogram *response,
              uint64_t lag_ns, uint64_t left_ns, char line[LIVE_LINE_SIZE])
{
    char text[32];
    bool full = false;
    line[0] = '\0';
    append(line, &full, "%4u s %9s/s", second + 1, text_format_count(answered, text, sizeof text));
    if (histogram_recorded(response) > 0) {
        append(line, &full, "  p50 %.1f ms", percentile_ms(response, 50));
        append(line, &full, "  p99 %.1f ms", percentile_ms(response, 99));
    }
    if (errors > 0)
        append(line, &full, "  errors %s", text_format_count(errors, text, sizeof text));
    if (lag_ns > 0)
        append(line, &full, "  lag %.1f ms", (double)lag_ns / 1e6);
    append(line, &full, "  %s left",
           left_ns > 0 ? text_format_duration(left_ns, text, sizeof text) : "0 s");
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
    live_put(second, sum.answered, sum.errors, response, sum.lag_ns, left_ns, line);
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
