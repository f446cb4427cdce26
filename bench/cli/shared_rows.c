// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/shared_rows.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool take_counts(struct option_given *given)
{
    struct target_options *target = option_row_place(given);
    const struct option_row *row = given->row;
    free(target->server_counts);
    target->server_counts = NULL;
    return text_parse_numbers(given->value, row->least, row->most, &target->server_counts,
                              &target->topology_count);
}

static bool check_all_differ(struct option_given *given)
{
    const struct target_options *target = option_row_place(given);
    const struct option_row *row = given->row;
    return target->topology_count == text_count_numbers(given->value, row->least, row->most) ||
           option_row_refuse(given, "a number of servers is given twice");
}

bool shared_rows_topologies(struct option_given *given)
{
    struct target_options *target = option_row_place(given);
    if (!take_counts(given))
        return option_row_refuse(given, "expected 1, 3, 5 or 7, or several of them, such as 1,3");
    for (size_t i = 0; i < target->topology_count; i++) {
        struct error error = {0};
        if (ensemble_check_size((unsigned)target->server_counts[i], &error) != ERROR_NONE)
            return option_row_refuse(given, "%s", error.detail);
    }
    if (!check_all_differ(given))
        return false;
    return target_options_cross(target) ||
           option_row_refuse(given, "with --zookeeper, more than %d ensembles in all",
                             OPTIONS_TOPOLOGIES_MAX);
}

bool shared_rows_simulated_topologies(struct option_given *given)
{
    const struct target_options *target = option_row_place(given);
    bool taken = take_counts(given);
    for (size_t i = 0; taken && i < target->topology_count; i++)
        taken = target->server_counts[i] % 2 == 1;
    return taken ? check_all_differ(given)
                 : option_row_refuse(given, "expected odd numbers from 1 to %llu, such as 1,3,5",
                                     (unsigned long long)given->row->most);
}

bool shared_rows_session_timeout(struct option_given *given)
{
    const uint64_t *timeout_ns = option_row_place(given);
    if (!option_row_duration(given))
        return false;
    return *timeout_ns <= given->row->most || option_row_refuse(given, "expected at most an hour");
}

bool shared_rows_hold(struct option_given *given)
{
    struct hold *hold = option_row_place(given);
    hold->exponential = strncmp(given->value, "exp:", 4) == 0;
    return text_parse_duration(given->value + (hold->exponential ? 4 : 0), &hold->mean_ns) ||
           option_row_refuse(given, "expected a duration with its unit, such as 5ms or exp:5ms");
}
