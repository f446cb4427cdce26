// SPDX-License-Identifier: Apache-2.0
#include "bench/answer/plan_table.h"

#include "base/text.h"
#include "bench/answer/plan_bounds.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>

#define COLUMNS       9
#define GAP           2
#define SENTENCE_SIZE 1600

static void put_size(struct grid *grid, uint64_t size)
{
    char count[32];
    if (size == 0)
        grid_put(grid, GRID_UNKNOWN);
    else
        grid_put(grid, "%s", text_format_count(size, count, sizeof count));
}

static void put_votes(struct grid *grid, const struct plan_votes *votes)
{
    if (votes->cast == 0)
        grid_put(grid, GRID_UNKNOWN);
    else
        grid_put(grid, "%u of %u", votes->passed, votes->cast);
}

static void put_duration(struct grid *grid, double duration_us)
{
    char text[32];
    if (isnan(duration_us))
        grid_put(grid, GRID_UNKNOWN);
    else if (isinf(duration_us))
        grid_put(grid, "> 1 min");
    else
        grid_put(grid, "%s",
                 text_format_duration((uint64_t)(duration_us * 1e3), text, sizeof text));
}

static void put_row(struct grid *grid, const struct plan_told *told)
{
    const struct plan_answer *answer = &told->answer;
    grid_put(grid, "%s", told->target);
    grid_put(grid, "%s", answer->recipe->name);
    put_size(grid, answer->found.passed);
    put_votes(grid, &answer->fresh_passed);
    put_size(grid, answer->found.failed);
    put_duration(grid, answer->p50_us);
    put_duration(grid, answer->measured_us);
    grid_put_whole(grid, answer->handoffs_per_s);
    grid_put(grid, "%s",
             answer->gave_out != NULL ? utilisation_limit_word(answer->gave_out->limit)
                                      : GRID_UNKNOWN);
}

/* "handoff p99", of the column of the objective's own percentile. */
static void name_percentile(const struct objective *objective, char *text, size_t size)
{
    snprintf(text, size, "p%g", objective_percent(objective));
}

static enum error_kind write_table(const struct plan_question *question,
                                   const struct plan_told *list, size_t count, bool several,
                                   FILE *stream, struct error *error)
{
    char percentile[16];
    const struct objective *objective = &question->objective;
    const char *metric = objective_is_rate(objective) ? objective_metric_word(OBJECTIVE_HANDOFF)
                                                      : objective_metric_word(objective->metric);
    name_percentile(objective, percentile, sizeof percentile);
    const struct grid_column columns[COLUMNS] = {
        {.over = "", .title = "servers"},
        {.over = "", .title = "recipe"},
        {.over = "largest", .title = "passed", .right = true},
        {.over = "fresh", .title = "trials", .right = true, .spare = 1},
        {.over = "smallest", .title = "failed", .right = true},
        {.over = metric, .title = "p50", .right = true, .spare = 3},
        {.over = metric, .title = percentile, .right = true},
        {.over = "handoffs", .title = "a second", .right = true, .spare = 2},
        {.over = "gave out", .title = "first"},
    };
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < count; i++)
        put_row(&grid, &list[i]);
    grid.hidden[0] = !several;
    grid.hidden[6] = objective_is_rate(objective) || objective->percentile_hundredths == 5000;
    grid_fit(&grid, TERMINAL_COLUMNS, 1);
    enum error_kind kind = grid_write(&grid, TERMINAL_COLUMNS, stream, error);
    grid_deinit(&grid);
    return kind;
}

static void write_sentence(const struct plan_question *question, const struct plan_told *told,
                           bool several, FILE *stream)
{
    char where[100] = "", sentence[SENTENCE_SIZE];
    if (several)
        snprintf(where, sizeof where, "%s, ", told->target);
    plan_answer_describe(question, &told->answer, sentence, sizeof sentence);
    wrap_sentence(stream, "%s%s", where, sentence);
}

/* What gave out, what one more waiter costs, and how many locks may be hot. */
static void write_bounds(const struct plan_question *question, const struct plan_told *told,
                         bool several, FILE *stream)
{
    const struct plan_answer *answer = &told->answer;
    char name[200], at[300], size[64];
    snprintf(name, sizeof name, "%s%s%s", several ? told->target : "", several ? ", " : "",
             answer->recipe->name);
    if (answer->gave_out != NULL) {
        snprintf(at, sizeof at, "%s, %s", name,
                 plan_question_format(question, answer->found.failed, size, sizeof size));
        plan_bounds_write_limit(at, answer->gave_out, stream);
    }
    if (plan_answer_has_herd(question))
        plan_bounds_write_herd(name, &answer->herd, stream);
    if (plan_knee_is_told(question))
        plan_bounds_write_knee(name, &answer->knee, stream);
}

void plan_table_write_sentences(const struct plan_question *question, const struct plan_told *told,
                                bool several, FILE *stream)
{
    write_sentence(question, told, several, stream);
    write_bounds(question, told, several, stream);
}

enum error_kind plan_table_write(const struct plan_question *question, const struct plan_told *list,
                                 size_t count, bool several, FILE *stream, struct error *error)
{
    enum error_kind kind = write_table(question, list, count, several, stream, error);
    if (kind != ERROR_NONE)
        return kind;
    fputc('\n', stream);
    for (size_t i = 0; i < count; i++)
        plan_table_write_sentences(question, &list[i], several, stream);
    return ERROR_NONE;
}
