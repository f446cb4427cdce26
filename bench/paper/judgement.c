// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/internal.h"

#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP        2
#define NARROW_GAP 1

/* ------------------------------------------------------------------ the list */

struct judgement *judgements_add(struct judgements *judgements)
{
    judgements->list = memory_grow(judgements->list, judgements->count, sizeof *judgements->list);
    struct judgement *judgement = &judgements->list[judgements->count++];
    *judgement = (struct judgement){0};
    return judgement;
}

void judgements_deinit(struct judgements *judgements)
{
    free(judgements->list);
    *judgements = (struct judgements){0};
}

void judgement_deny(struct judgement *judgement, const char *reason)
{
    if (reason == NULL)
        return;
    judgement->verdict = VERDICT_UNDETERMINED;
    snprintf(judgement->reason, sizeof judgement->reason, "%s", reason);
}

int judgements_exit_status(const struct judgements *judgements)
{
    int status = judgements->count > 0 ? 0 : 4;
    for (size_t i = 0; i < judgements->count; i++) {
        if (judgements->list[i].verdict == VERDICT_FAILS)
            return 1;
        if (judgements->list[i].verdict == VERDICT_UNDETERMINED)
            status = 4;
    }
    return status;
}

/* ------------------------------------------------------------------ the file */

#define COLUMNS(X)                                                                                 \
    X(claim, csv_text(csv, judgement->claim))                                                      \
    X(servers, csv_count(csv, judgement->servers))                                                 \
    X(against_servers, csv_count_if(csv, judgement->against > 0, judgement->against))              \
    X(ratio, csv_real(csv, judgement->ours.value, 4))                                              \
    X(ratio_low, csv_real(csv, judgement->ours.low, 4))                                            \
    X(ratio_high, csv_real(csv, judgement->ours.high, 4))                                          \
    X(paper_ratio, csv_real(csv, judgement->paper, 4))                                             \
    X(verdict, csv_text(csv, verdict_word(judgement->verdict)))                                    \
    X(quantity, csv_text(csv, quantity))                                                           \
    X(reason, csv_text(csv, judgement->reason))

void judgements_write(FILE *stream, const void *context)
{
    const struct judgements *judgements = context;
    struct csv of_stream = {.stream = stream}, *csv = &of_stream;
    const char *quantity = judgements->quantity;
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        COLUMNS(CSV_WRITE) csv_end_row(csv);
    }
}

/* ------------------------------------------------------------------ for people */

/* The upper end of a wide interval may be large. */
static int decimals_of(double value)
{
    return fabs(value) < 10 ? 3 : fabs(value) < 100 ? 2 : fabs(value) < 1000 ? 1 : 0;
}

void judgements_put_interval(struct grid *grid, double low, double high,
                             int (*decimals_for)(double value))
{
    if (isfinite(low))
        grid_put(grid, "%.*f to %.*f", decimals_for(low), low, decimals_for(high), high);
    else
        grid_put(grid, GRID_UNKNOWN);
}

static void put(struct grid *grid, const struct judgement *judgement)
{
    grid_put(grid, "%s",
             judgement->verdict == VERDICT_FAILS ? "FAILS" : verdict_word(judgement->verdict));
    grid_put(grid, "%s", judgement->row);
    const struct interval *ours = &judgement->ours;
    grid_put_real(grid, ours->value, decimals_of(ours->value));
    judgements_put_interval(grid, ours->low, ours->high, decimals_of);
    grid_put_real(grid, judgement->paper, decimals_of(judgement->paper));
}

static void print_table(const struct judgements *judgements, unsigned columns, FILE *stream)
{
    const struct grid_column titles[] = {
        {.title = "verdict"},
        {.title = "claim"},
        {.over = "ours,", .title = judgements->unit, .right = true},
        {.over = "interval", .title = "95 %", .right = true},
        {.over = "paper,", .title = judgements->unit, .right = true, .spare = 1},
    };
    struct grid grid;
    grid_init(&grid, titles, sizeof titles / sizeof titles[0], GAP);
    for (size_t i = 0; i < judgements->count; i++)
        put(&grid, &judgements->list[i]);
    if (grid_width(&grid) > columns)
        grid.gap = NARROW_GAP;
    (void)!grid_fit(&grid, columns, 1);
    grid_write(&grid, columns, stream);
    grid_deinit(&grid);
}

/* Its own reason, or why an interval leaves it open; "" if the interval decides. */
static const char *reason_of(const struct judgement *judgement)
{
    if (judgement->reason[0] != '\0' || judgement->verdict != VERDICT_UNDETERMINED)
        return judgement->reason;
    return isfinite(judgement->ours.low)
               ? "the interval has values for and against the claim: more trials make it narrower"
               : "too few valid trials for an interval";
}

/* Several judgements may have the same reason, which is told once. */
static bool is_first_reason(const struct judgements *judgements, size_t index)
{
    const char *reason = reason_of(&judgements->list[index]);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(reason_of(&judgements->list[i]), reason) == 0)
            return false;
    }
    return reason[0] != '\0';
}

void judgements_print(const struct judgements *judgements, unsigned columns, FILE *stream)
{
    print_table(judgements, columns, stream);
    fputc('\n', stream);
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (is_first_reason(judgements, i))
            wrap_sentence(stream, "%s: %s.", verdict_word(judgement->verdict),
                          reason_of(judgement));
    }
}

/* Why a verdict is what it is. */
static const char *describe_reason(const struct judgements *judgements,
                                   const struct judgement *judgement, char *text, size_t size)
{
    const struct interval *ours = &judgement->ours;
    if (judgement->reason[0] != '\0')
        snprintf(text, size, "%s", judgement->reason);
    else if (isfinite(ours->low))
        snprintf(text, size, "%.3f %s, 95 %% interval %.3f to %.3f", ours->value, judgements->unit,
                 ours->low, ours->high);
    else
        snprintf(text, size, "there are too few valid trials");
    return text;
}

void judgements_complain(const struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        char reason[128];
        if (judgement->verdict != VERDICT_HOLDS)
            complain_plainly("%s: %s: %s", judgement->claim, verdict_word(judgement->verdict),
                             describe_reason(judgements, judgement, reason, sizeof reason));
    }
}
