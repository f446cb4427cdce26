// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/load_rows.h"

#include "base/text.h"

#include <stdlib.h>

bool load_rows_levels(struct option_given *given)
{
    struct load_levels *levels = option_row_place(given);
    const struct option_row *row = given->row;
    free(levels->list);
    *levels = (struct load_levels){0};
    if (text_parse_numbers(given->value, row->least, row->most, &levels->list, &levels->count))
        return true;
    return text_explain_range(given->value, given->why, sizeof given->why)
               ? false
               : option_row_refuse(given, "%s", row->expected);
}

bool load_rows_sessions(struct option_given *given)
{
    struct client_counts *sessions = option_row_place(given);
    const struct option_row *row = given->row;
    free(sessions->list);
    *sessions = (struct client_counts){0};
    if (text_parse_numbers(given->value, row->least, row->most, &sessions->list, &sessions->count))
        return true;
    return text_explain_range(given->value, given->why, sizeof given->why)
               ? false
               : option_row_refuse(given, "%s", row->expected);
}

bool load_rows_seconds(struct option_given *given)
{
    const uint64_t *duration_ns = option_row_place(given);
    if (!option_row_duration(given))
        return false;
    if (*duration_ns % NS_PER_S != 0)
        return option_row_refuse(given, "expected whole seconds: rates are of whole seconds");
    return *duration_ns <= given->row->most || option_row_refuse(given, "expected at most an hour");
}
