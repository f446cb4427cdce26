// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/load_rows.h"

bool load_rows_levels(struct option_given *given)
{
    struct load_levels *levels = option_row_place(given);
    return option_row_numbers(given, &levels->list, &levels->count);
}

bool load_rows_sessions(struct option_given *given)
{
    struct client_counts *sessions = option_row_place(given);
    sessions->left_out = 0;
    return option_row_numbers(given, &sessions->list, &sessions->count);
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
