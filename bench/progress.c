// SPDX-License-Identifier: Apache-2.0
#include "bench/progress.h"

#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

void progress_init(struct progress *progress, const struct cells *cells, bool quiet)
{
    *progress = (struct progress){.shown = !quiet && isatty(STDERR_FILENO), .cells = cells};
}

void progress_announce(const struct progress *progress)
{
    char rpcs[32], time[32];
    if (!progress->shown)
        return;
    fprintf(stderr, CLEAR_LINE "%zu trial%s, %s RPCs, about %s\n", progress->cells->count,
            progress->cells->count == 1 ? "" : "s",
            text_format_count(cells_rpcs(progress->cells, 0), rpcs, sizeof rpcs),
            text_format_duration(cells_time_left_ns(progress->cells, 0), time, sizeof time));
}

void progress_say(const struct progress *progress, const char *what)
{
    if (progress->shown)
        fprintf(stderr, CLEAR_LINE "%s", what);
}

static void show_handoffs(const struct trial_progress *trial)
{
    char done[32], due[32];
    text_format_count(trial->handoffs, done, sizeof done);
    if (trial->handoffs_due == UINT64_MAX)
        fprintf(stderr, "%s handoffs", done);
    else
        fprintf(stderr, "%s of %s handoffs", done,
                text_format_count(trial->handoffs_due, due, sizeof due));
}

void progress_show(void *context, const struct trial_progress *trial)
{
    const struct progress *progress = context;
    if (!progress->shown)
        return;
    const struct cell *cell = &progress->cells->list[progress->at];
    char rate[32], left[32];
    fprintf(stderr, CLEAR_LINE "[%zu/%zu] %s n=%u trial %u: ", progress->at + 1,
            progress->cells->count, cell->recipe->name, cell->clients, cell->trial);
    if (trial->elapsed_ns == 0) {
        fprintf(stderr, "%u of %u sessions", trial->established, cell->clients);
        return;
    }
    uint64_t per_s = (uint64_t)((double)trial->rpcs / (double)trial->elapsed_ns * 1e9);
    uint64_t left_ns = cells_time_left_ns(progress->cells, progress->at);
    left_ns = left_ns > trial->elapsed_ns ? left_ns - trial->elapsed_ns : 0;
    show_handoffs(trial);
    fprintf(stderr, ", %s RPCs/s, about %s left", text_format_count(per_s, rate, sizeof rate),
            text_format_duration(left_ns, left, sizeof left));
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown)
        fputs(CLEAR_LINE, stderr);
}
