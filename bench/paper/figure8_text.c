// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/figure8_text.h"

#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/paper/paper_servers.h"
#include "bench/paper/published.h"

#define GAP 2

/* ------------------------------------------------------------------ the events */

static const struct grid_column columns_of_events[] = {
    {.over = "", .title = "killed"},
    {.over = "before,", .title = "1/s", .right = true},
    {.over = "down,", .title = "1/s", .right = true},
    {.over = "after,", .title = "1/s", .right = true},
    {.over = "write,", .title = "ms", .right = true},
    {.over = "silence,", .title = "ms", .right = true},
    {.over = "leader,", .title = "ms", .right = true},
    {.over = "serves,", .title = "ms", .right = true},
};

enum error_kind figure8_text_print(const void *context, const struct load_options *options,
                                   unsigned columns, FILE *stream, struct error *error)
{
    const struct figure8 *figure = context;
    struct grid grid;
    (void)options;
    grid_init(&grid, columns_of_events, sizeof columns_of_events / sizeof columns_of_events[0],
              GAP);
    for (uint32_t event = 0; event < figure->plan.events; event++) {
        uint32_t kill = 2 * event;
        grid_put(&grid, "%s", figure8_plan_word(&figure->plan, event));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_before_per_s));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_down_per_s));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_after_per_s));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_first_write_ms));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_silence_ms));
        grid_put_whole(&grid, figure8_median(figure, kill, figure8_leader_ms));
        grid_put_whole(&grid, figure8_median(figure, kill + 1, figure8_served_ms));
    }
    enum error_kind kind = grid_write(&grid, columns, stream, error);
    grid_deinit(&grid);
    return kind;
}

/* ------------------------------------------------------------------ the plan */

void figure8_text_explain(const void *context, const struct load_options *options, FILE *stream)
{
    const struct figure8 *figure = context;
    char servers[120];
    wrap_sentence(stream,
                  "Medians of the trials. Write: from the kill to the first write that was sent "
                  "behind it. Silence: the longest time without a completed operation. Leader: "
                  "until another server leads and serves; the paper elects a leader in less than "
                  "%d ms. Serves: from the start until the servers serve.",
                  PUBLISHED_ELECTION_MS);
    wrap_sentence(stream,
                  "Sessions stay on the server that they went to, in the paper, too: so throughput "
                  "does not recover in full. A ratio holds above what is left without one server "
                  "more than were killed; the paper has no figures, and its ratio here is what is "
                  "left without those that were killed.");
    wrap_sentence(stream,
                  "Ours: %llu servers, %llu sessions, %u request%s outstanding each, 30 %% writes, "
                  "values of %u bytes; %s; %u trials of %u s. A session that finds no server waits "
                  "for %.0f ms (--session-timeout / 60).",
                  (unsigned long long)figure->servers,
                  (unsigned long long)options->sessions.list[0], options->depth,
                  options->depth == 1 ? "" : "s", options->value_bytes,
                  paper_servers_describe(&options->target, servers, sizeof servers),
                  options->trials, figure->seconds, (double)options->session_timeout_ns / 60 / 1e6);
}
