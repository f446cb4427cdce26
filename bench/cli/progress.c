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

/* A line that ends in the last column may wrap. It may have become narrower since the last line. */
static unsigned columns_of_line(void)
{
    return terminal_columns(STDERR_FILENO) - 1;
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

void progress_announce(const struct progress *progress, uint64_t rpcs, uint64_t left_ns)
{
    char count[32], time[32], requests[48] = "";
    if (!progress->shown)
        return;
    if (rpcs > 0)
        snprintf(requests, sizeof requests, ", %s RPCs",
                 text_format_count(rpcs, count, sizeof count));
    fprintf(stderr, TERMINAL_CLEAR_LINE "%zu trial%s%s, %s\n", progress->count,
            progress->count == 1 ? "" : "s", requests, format_about(left_ns, time, sizeof time));
}

void progress_say(const struct progress *progress, const char *what)
{
    if (progress->shown)
        fprintf(stderr, TERMINAL_CLEAR_LINE "%.*s", (int)columns_of_line(), what);
}

/* ------------------------------------------------------------------ the line of a trial */

/* The parts of the line, as they stand in it. */
enum part { POSITION, TOPOLOGY, WHAT, TRIAL, STATE, RATE, LEFT, PARTS };

struct parts {
    char of[PARTS][80]; /* "": left out */
};

__attribute__((format(printf, 3, 4))) static void put(struct parts *parts, enum part part,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parts->of[part], sizeof parts->of[part], format, arguments);
    va_end(arguments);
}

static void put_share(struct parts *parts, const char *of_what, uint64_t done, uint64_t due)
{
    char count[32], total[32] = "";
    text_format_count(done, count, sizeof count);
    if (due != UINT64_MAX)
        text_format_count(due, total, sizeof total);
    put(parts, STATE, ", %s: %s%s%s", of_what, count, total[0] != '\0' ? " of " : "", total);
}

static void put_state(struct parts *parts, uint32_t clients, const struct trial_progress *trial)
{
    char lasted[32];
    if (trial->elapsed_ns == 0)
        put_share(parts, "sessions", trial->established, clients);
    else if (trial->stalled_ns > 0)
        put(parts, STATE, ", stalled for %s: %s owes an answer",
            text_format_duration(trial->stalled_ns, lasted, sizeof lasted),
            trial->stalled_at[0] != '\0' ? trial->stalled_at : "a server");
    else if (trial->arrivals_due > 0)
        put_share(parts, "arrivals", trial->arrivals, trial->arrivals_due);
    else if (trial->passages_due > 0)
        put_share(parts, "passages", trial->passages, trial->passages_due);
    else
        put_share(parts, "handoffs", trial->handoffs, trial->handoffs_due);
}

static void put_speed(struct parts *parts, const struct trial_progress *trial, uint64_t left_ns)
{
    char text[32];
    uint64_t per_s = (uint64_t)((double)trial->rpcs / (double)trial->elapsed_ns * 1e9);
    put(parts, RATE, ", %s RPCs/s", text_format_count(per_s, text, sizeof text));
    if (left_ns > 0)
        put(parts, LEFT, ", %s left", format_about(left_ns, text, sizeof text));
}

/* Puts the parts one behind the other; returns how long they are. */
static size_t join(const struct parts *parts, char line[PROGRESS_LINE_SIZE])
{
    line[0] = '\0';
    for (size_t i = 0; i < PARTS; i++)
        strcat(line, parts->of[i]);
    return strlen(line);
}

void progress_put(const struct progress *progress, const struct progress_name *name,
                  const struct trial_progress *trial, uint64_t left_ns, unsigned columns,
                  char line[PROGRESS_LINE_SIZE])
{
    static const enum part least_important_first[] = {RATE, TRIAL, LEFT, TOPOLOGY};
    struct parts parts = {0};
    put(&parts, POSITION, "[%zu/%zu]", progress->at + 1, progress->count);
    put(&parts, WHAT, " %s", name->what);
    put_state(&parts, name->clients, trial);
    if (name->topology[0] != '\0')
        put(&parts, TOPOLOGY, " %s", name->topology);
    if (name->trial > 0)
        put(&parts, TRIAL, " trial %" PRIu32, name->trial);
    if (trial->elapsed_ns > 0)
        put_speed(&parts, trial, left_ns);
    for (size_t i = 0; i < 4 && join(&parts, line) > columns; i++)
        parts.of[least_important_first[i]][0] = '\0';
    if (join(&parts, line) > columns)
        line[columns] = '\0';
}

/* How much longer a piece takes that is late is not known. */
static uint64_t left_ns(const struct progress *progress)
{
    uint64_t gone_ns = clock_now_ns() - progress->began_ns;
    return progress->left_ns > gone_ns ? progress->left_ns - gone_ns : 0;
}

void progress_show(const struct progress *progress, const struct progress_name *name,
                   const struct trial_progress *trial)
{
    char line[PROGRESS_LINE_SIZE];
    if (!progress->shown)
        return;
    progress_put(progress, name, trial, trial->elapsed_ns > 0 ? left_ns(progress) : 0,
                 columns_of_line(), line);
    fprintf(stderr, TERMINAL_CLEAR_LINE "%s", line);
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown)
        fputs(TERMINAL_CLEAR_LINE, stderr);
}
