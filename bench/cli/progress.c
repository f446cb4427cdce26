// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/progress.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void progress_init(struct progress *progress, size_t count, bool quiet)
{
    *progress =
        (struct progress){.shown = !quiet && terminal_look(STDERR_FILENO).controls, .count = count};
}

void progress_begin(struct progress *progress, size_t at, uint64_t left_ns)
{
    progress->at = at;
    progress->began_ns = clock_now_ns();
    progress->left_ns = left_ns;
}

/* An estimated time, rounded to a tenth or so: "about 25 min". Returns text. */
static const char *format_about(uint64_t time_ns, char *text, size_t size)
{
    uint64_t seconds = time_ns / NS_PER_S, step = seconds < 60     ? 10
                                                  : seconds < 600  ? 60
                                                  : seconds < 3600 ? 300
                                                                   : 1800;
    seconds = seconds < step ? step : (seconds + step / 2) / step * step;
    if (seconds < 60)
        snprintf(text, size, "about %" PRIu64 " s", seconds);
    else if (seconds < 3600)
        snprintf(text, size, "about %" PRIu64 " min", seconds / 60);
    else
        snprintf(text, size, "about %" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                 seconds % 3600 / 60);
    return text;
}

/* A line that ends in the last column may wrap. It may have become narrower since the last line. */
static unsigned columns_of_line(void)
{
    return terminal_columns(STDERR_FILENO) - 1;
}

void progress_announce(const struct progress *progress, uint64_t rpcs, uint64_t left_ns)
{
    char count[32], text[48];
    if (!progress->shown)
        return;
    fprintf(stderr, TERMINAL_CLEAR_LINE "%zu trial%s", progress->count,
            progress->count == 1 ? "" : "s");
    if (rpcs > 0)
        fprintf(stderr, ", %s RPCs", text_format_count(rpcs, count, sizeof count));
    if (left_ns > 0)
        fprintf(stderr, ", %s", format_about(left_ns, text, sizeof text));
    fputc('\n', stderr);
}

void progress_say(const struct progress *progress, const char *what)
{
    if (progress->shown)
        fprintf(stderr, TERMINAL_CLEAR_LINE "%.*s", (int)columns_of_line(), what);
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown)
        fputs(TERMINAL_CLEAR_LINE, stderr);
}

/* ------------------------------------------------------------------ the line of a trial */

#define PARTS_MAX 8

/* The line in parts, in their order. Those of the highest number are left out first; 0: never. */
struct parts {
    size_t count;
    unsigned spare[PARTS_MAX];
    char of[PARTS_MAX][PROGRESS_LINE_SIZE / PARTS_MAX];
};

__attribute__((format(printf, 3, 4))) static void add(struct parts *parts, unsigned spare,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parts->of[parts->count], sizeof parts->of[0], format, arguments);
    va_end(arguments);
    parts->spare[parts->count++] = spare;
}

static void add_share(struct parts *parts, const char *of_what, uint64_t done, uint64_t due)
{
    char count[32], total[32];
    text_format_count(done, count, sizeof count);
    if (due == UINT64_MAX)
        add(parts, 0, ", %s: %s", of_what, count);
    else
        add(parts, 0, ", %s: %s of %s", of_what, count,
            text_format_count(due, total, sizeof total));
}

static void add_state(struct parts *parts, uint32_t clients, const struct trial_progress *trial)
{
    char lasted[32];
    if (trial->elapsed_ns == 0)
        add_share(parts, "sessions", trial->established, clients);
    else if (trial->stalled_ns > 0)
        add(parts, 0, ", stalled for %s: %s owes an answer",
            text_format_duration(trial->stalled_ns, lasted, sizeof lasted),
            trial->stalled_at[0] != '\0' ? trial->stalled_at : "a server");
    else if (trial->arrivals_due > 0)
        add_share(parts, "arrivals", trial->arrivals, trial->arrivals_due);
    else if (trial->passages_due > 0)
        add_share(parts, "passages", trial->passages, trial->passages_due);
    else
        add_share(parts, "handoffs", trial->handoffs, trial->handoffs_due);
}

/* Puts the parts one behind the other; returns how long they are. */
static size_t join(const struct parts *parts, unsigned spare_most, char line[PROGRESS_LINE_SIZE])
{
    line[0] = '\0';
    for (size_t i = 0; i < parts->count; i++)
        strcat(line, parts->spare[i] <= spare_most ? parts->of[i] : "");
    return strlen(line);
}

void progress_format(const struct progress *progress, const struct progress_name *name,
                     const struct trial_progress *trial, uint64_t left_ns, unsigned columns,
                     char line[PROGRESS_LINE_SIZE])
{
    struct parts parts = {0};
    char text[48];
    unsigned spare = 4;
    add(&parts, 0, "[%zu/%zu]", progress->at + 1, progress->count);
    if (name->topology[0] != '\0')
        add(&parts, 1, " %s", name->topology);
    add(&parts, 0, " %s", name->what);
    if (name->trial > 0)
        add(&parts, 3, " trial %" PRIu32, name->trial);
    add_state(&parts, name->clients, trial);
    if (trial->elapsed_ns > 0) {
        uint64_t per_s = (uint64_t)((double)trial->rpcs / (double)trial->elapsed_ns * 1e9);
        add(&parts, 4, ", %s RPCs/s", text_format_count(per_s, text, sizeof text));
    }
    if (trial->elapsed_ns > 0 && left_ns > 0)
        add(&parts, 2, ", %s left", format_about(left_ns, text, sizeof text));
    while (join(&parts, spare, line) > columns && spare > 0)
        spare--;
    if (strlen(line) > columns)
        line[columns] = '\0';
}

void progress_show(const struct progress *progress, const struct progress_name *name,
                   const struct trial_progress *trial)
{
    char line[PROGRESS_LINE_SIZE];
    uint64_t gone_ns = clock_now_ns() - progress->began_ns;
    if (!progress->shown)
        return;
    /* How much longer a piece takes that is late is not known. */
    progress_format(progress, name, trial,
                    progress->left_ns > gone_ns ? progress->left_ns - gone_ns : 0,
                    columns_of_line(), line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s", line);
}
