// SPDX-License-Identifier: Apache-2.0
#include "bench/progress.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

void progress_init(struct progress *progress, size_t count, bool quiet)
{
    *progress = (struct progress){.shown = !quiet && isatty(STDERR_FILENO), .count = count};
}

void progress_begin(struct progress *progress, size_t at, uint64_t left_ns)
{
    progress->at = at;
    progress->began_ns = clock_now_ns();
    progress->left_ns = left_ns;
}

void progress_announce(const struct progress *progress, uint64_t rpcs, uint64_t left_ns)
{
    char count[32], time[32];
    if (!progress->shown)
        return;
    fprintf(stderr, CLEAR_LINE "%zu trial%s, %s RPCs, about %s\n", progress->count,
            progress->count == 1 ? "" : "s", text_format_count(rpcs, count, sizeof count),
            text_format_duration(left_ns, time, sizeof time));
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

/* Of a piece that takes longer than it was to take, nobody knows how much longer. */
static void show_time_left(const struct progress *progress)
{
    char left[32];
    uint64_t gone_ns = clock_now_ns() - progress->began_ns;
    if (progress->left_ns > gone_ns)
        fprintf(stderr, ", about %s left",
                text_format_duration(progress->left_ns - gone_ns, left, sizeof left));
}

void progress_show(const struct progress *progress, const char *what, uint32_t clients,
                   const struct trial_progress *trial)
{
    char rate[32];
    if (!progress->shown)
        return;
    fprintf(stderr, CLEAR_LINE "[%zu/%zu] %s: ", progress->at + 1, progress->count, what);
    if (trial->elapsed_ns == 0) {
        fprintf(stderr, "%u of %u sessions", trial->established, clients);
        return;
    }
    uint64_t per_s = (uint64_t)((double)trial->rpcs / (double)trial->elapsed_ns * 1e9);
    show_handoffs(trial);
    fprintf(stderr, ", %s RPCs/s", text_format_count(per_s, rate, sizeof rate));
    show_time_left(progress);
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown)
        fputs(CLEAR_LINE, stderr);
}
