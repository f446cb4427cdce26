// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/progress.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "load/load_result.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define COLUMNS_LEAST 3 /* of printable_cut */

void progress_init(struct progress *progress, size_t count, bool quiet)
{
    *progress = (struct progress){.shown = !quiet && terminal_abilities(STDERR_FILENO).controls,
                                  .count = count};
}

void progress_begin(struct progress *progress, size_t at, uint64_t left_ns)
{
    progress->at = at;
    progress->began_ns = clock_now_ns();
    progress->left_ns = left_ns;
}

/* An estimated time, rounded to a tenth or so: "about 25 min", "under 10 s". Returns text. */
static const char *format_about(uint64_t time_ns, char *text, size_t size)
{
    uint64_t seconds = time_ns / NS_PER_S, step = seconds < 60     ? 10
                                                  : seconds < 600  ? 60
                                                  : seconds < 3600 ? 300
                                                                   : 1800;
    bool is_short = seconds < step;
    seconds = (seconds + step / 2) / step * step;
    if (is_short)
        snprintf(text, size, "under %" PRIu64 " s", step);
    else if (seconds < 60)
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
    unsigned columns = terminal_columns(STDERR_FILENO);
    return columns > COLUMNS_LEAST ? columns - 1 : COLUMNS_LEAST;
}

void progress_announce(const struct progress *progress, uint64_t left_ns)
{
    char text[48];
    if (!progress->shown)
        return;
    fprintf(stderr, TERMINAL_CLEAR_LINE "%zu trial%s", progress->count,
            text_plural(progress->count));
    if (left_ns > 0)
        fprintf(stderr, ", %s", format_about(left_ns, text, sizeof text));
    fputc('\n', stderr);
}

void progress_show_step(const struct progress *progress, const char *what)
{
    if (progress->shown)
        fprintf(stderr, TERMINAL_CLEAR_LINE "%.*s", (int)columns_of_line(), what);
}

void progress_clear(const struct progress *progress)
{
    progress_show_step(progress, "");
}

/* ------------------------------------------------------------------ the line of a trial */

/* How much longer a piece takes that is late is not known. */
static uint64_t left_ns_now(const struct progress *progress)
{
    uint64_t gone_ns = clock_now_ns() - progress->began_ns;
    return progress->left_ns > gone_ns ? progress->left_ns - gone_ns : 0;
}

/* "[3/10] about 2 min left: standalone scalable n=4" */
static void begin_line(const struct progress *progress, uint64_t left_ns, const char *topology,
                       const char *what, char line[PROGRESS_LINE_SIZE])
{
    char text[48];
    snprintf(line, PROGRESS_LINE_SIZE, "[%zu/%zu] ", progress->at + 1, progress->count);
    if (left_ns > 0)
        text_append(line, PROGRESS_LINE_SIZE,
                    "%s left: ", format_about(left_ns, text, sizeof text));
    text_append(line, PROGRESS_LINE_SIZE, "%s%s%s", topology, topology[0] != '\0' ? " " : "", what);
}

static void append_share(char *line, const char *of_what, uint64_t done, uint64_t due)
{
    char count[32];
    text_append(line, PROGRESS_LINE_SIZE, ", %s: %s", of_what,
                text_format_count(done, count, sizeof count));
    if (due != UINT64_MAX)
        text_append(line, PROGRESS_LINE_SIZE, " of %s",
                    text_format_count(due, count, sizeof count));
}

static void append_state(char *line, uint32_t clients, const struct trial_progress *trial)
{
    char lasted[32];
    if (trial->elapsed_ns == 0)
        append_share(line, "sessions", trial->established, clients);
    else if (trial->stalled_ns > 0)
        text_append(line, PROGRESS_LINE_SIZE, ", stalled for %s: %s owes an answer",
                    text_format_duration(trial->stalled_ns, lasted, sizeof lasted),
                    trial->stalled_at[0] != '\0' ? trial->stalled_at : "a server");
    else if (trial->arrivals_due > 0)
        append_share(line, "arrivals", trial->arrivals, trial->arrivals_due);
    else if (trial->passages_due > 0)
        append_share(line, "passages", trial->passages, trial->passages_due);
    else
        append_share(line, "handoffs", trial->handoffs, trial->handoffs_due);
}

void progress_format(const struct progress *progress, const struct progress_name *name,
                     const struct trial_progress *trial, uint64_t left_ns, unsigned columns,
                     char line[PROGRESS_LINE_SIZE])
{
    char text[48];
    begin_line(progress, trial->elapsed_ns > 0 ? left_ns : 0, name->topology, name->what, line);
    if (name->trial > 0)
        text_append(line, PROGRESS_LINE_SIZE, " trial %" PRIu32, name->trial);
    append_state(line, name->clients, trial);
    if (trial->elapsed_ns > 0)
        text_append(
            line, PROGRESS_LINE_SIZE, ", %s RPCs/s",
            text_format_count((uint64_t)((double)trial->rpcs / (double)trial->elapsed_ns * 1e9),
                              text, sizeof text));
    printable_cut(line, columns);
}

void progress_show(const struct progress *progress, const struct progress_name *name,
                   const struct trial_progress *trial)
{
    char line[PROGRESS_LINE_SIZE];
    if (!progress->shown)
        return;
    progress_format(progress, name, trial, left_ns_now(progress), columns_of_line(), line);
    progress_show_step(progress, line);
}

/* The measured time shows what was answered in the last second that has ended. */
void progress_show_load(const struct progress *progress, const char *topology,
                        const struct load_progress *load)
{
    const struct load_plan *plan = load->load->plan;
    const uint64_t made = atomic_load(&load->load->chores_done),
                   znodes = (uint64_t)load_plan_znodes(plan) * plan->fleet.sessions /
                            fleet_plan_all(&plan->fleet);
    const struct {
        const char *words;
        uint64_t done, all;
    } phases[] = {
        [LOAD_CONNECTS] = {"sessions", load->established, plan->fleet.sessions},
        [LOAD_LAYS_OUT] = {"znodes", made, znodes},
        [LOAD_MEASURES] = {"seconds", load->second, plan->seconds},
        [LOAD_CLEARS] = {"znodes deleted", made, znodes},
    };
    char line[PROGRESS_LINE_SIZE], text[128];
    if (!progress->shown)
        return;
    begin_line(progress, left_ns_now(progress), topology, mix_format(&plan->mix, text, sizeof text),
               line);
    if (load->phase == LOAD_WARMS_UP)
        text_append(line, sizeof line, ", warming up");
    else
        append_share(line, phases[load->phase].words, phases[load->phase].done,
                     phases[load->phase].all);
    if (load->phase == LOAD_MEASURES && load->second > 0) {
        const struct load_second_sum sum = load_shared_second_sum(load->load, load->second - 1);
        append_share(line, "operations/s", sum.answered, UINT64_MAX);
        append_share(line, "errors/s", sum.errors, UINT64_MAX);
    }
    progress_show_step(progress, line);
}
