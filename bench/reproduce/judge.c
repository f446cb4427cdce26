// SPDX-License-Identifier: Apache-2.0
#include "bench/reproduce/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const reproduced_words[] = {
    [REPRODUCED_EQUAL] = "equal",
    [REPRODUCED_WITHIN] = "within its interval",
    [REPRODUCED_DIFFERENT] = "different",
    [REPRODUCED_UNDETERMINED] = "undetermined",
};

/* A half of a last digit that is rounded either way. */
#define HALF (0.5 + 1e-9)

/* The unit of the last digit of a figure as a document prints it, such as 0.01 of "4.25"; `take`
 * may say that it is rounded to more. Words are whole numbers. */
static double last_digit(const char *printed, const char *take)
{
    const char *rounded = strstr(take, " rounded "), *point = strchr(printed, '.');
    if (rounded != NULL)
        return strtod(rounded + strlen(" rounded "), NULL);
    return point != NULL ? pow(10, -(double)strlen(point + 1)) : 1;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(a);
}

/* Whether both are rounded to the same printed figure. */
static bool prints_equal(const struct figure *figure, double expected, double found)
{
    if (figure->printed == NULL)
        return is_same(expected, found);
    double unit = last_digit(figure->printed, figure->take);
    return fabs(found - round(expected / unit) * unit) <= unit * HALF;
}

static bool has_interval(const struct evidence *evidence)
{
    return isfinite(evidence->low) && isfinite(evidence->high);
}

static enum reproduced judge_measured(const struct figure *figure, const struct evidence *expected,
                                      const struct evidence *found, bool same_machine,
                                      const char **why)
{
    if (prints_equal(figure, expected->value, found->value))
        return REPRODUCED_EQUAL;
    *why = !has_interval(found)
               ? found->left_out > 0 ? "too few valid trials for an interval" : "no interval"
           : !has_interval(expected) ? "the reference has no interval"
                                     : NULL;
    if (*why != NULL)
        return REPRODUCED_UNDETERMINED;
    if (found->low <= expected->high && expected->low <= found->high)
        return REPRODUCED_WITHIN;
    if (same_machine)
        return REPRODUCED_DIFFERENT;
    *why = "outside, on another machine than the reference's";
    return REPRODUCED_UNDETERMINED;
}

static enum reproduced judge_verdict(const char *expected, const char *found, const char **why)
{
    static const char undetermined[] = "undetermined";
    if (strcmp(expected, found) == 0)
        return REPRODUCED_EQUAL;
    bool open = strcmp(found, undetermined) == 0;
    if (!open && strcmp(expected, undetermined) != 0)
        return REPRODUCED_DIFFERENT;
    *why = open ? "here the claim is undetermined" : "the reference's claim is undetermined";
    return REPRODUCED_UNDETERMINED;
}

enum reproduced judge_figure(const struct figure *figure, const struct evidence *expected,
                             const struct evidence *found, bool same_machine, const char **why)
{
    *why = NULL;
    if (found->differ)
        return REPRODUCED_DIFFERENT;
    if (expected->why != NULL || found->why != NULL) {
        *why = found->why != NULL ? found->why : "the reference has no such figure";
        return REPRODUCED_UNDETERMINED;
    }
    if (figure->kind == FIGURE_VERDICT)
        return judge_verdict(expected->words, found->words, why);
    if (figure->kind == FIGURE_EXACT)
        return is_same(expected->value, found->value) ? REPRODUCED_EQUAL : REPRODUCED_DIFFERENT;
    return judge_measured(figure, expected, found, same_machine, why);
}

int judge_status(const size_t counts[REPRODUCED_COUNT])
{
    return counts[REPRODUCED_DIFFERENT] > 0 ? 1 : counts[REPRODUCED_UNDETERMINED] > 0 ? 4 : 0;
}
