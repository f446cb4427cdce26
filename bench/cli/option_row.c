// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/option_row.h"

#include "base/cores.h"
#include "base/text.h"
#include "bench/cli/plot_formats.h"
#include "client/connect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const option_row_no_yes[] = {"no", "yes", NULL};

bool option_row_refuse(struct option_given *given, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(given->why, sizeof given->why, why, arguments);
    va_end(arguments);
    return false;
}

static void *place_of(const struct option_given *given, struct option_member member)
{
    return (char *)given->options + member.offset;
}

void *option_row_place(const struct option_given *given)
{
    return place_of(given, given->row->member);
}

/* The size tells which type the number has; enumerations are as large as unsigned. */
static bool put(const struct option_given *given, uint64_t number)
{
    void *place = option_row_place(given);
    if (given->row->member.size == sizeof(uint64_t))
        *(uint64_t *)place = number;
    else if (given->row->member.size == sizeof(uint32_t))
        *(uint32_t *)place = (uint32_t)number;
    else if (given->row->member.size == sizeof(uint16_t))
        *(uint16_t *)place = (uint16_t)number;
    else
        *(bool *)place = number != 0;
    return true;
}

void option_row_note(const struct option_given *given)
{
    if (given->row->given.size > 0)
        *(bool *)place_of(given, given->row->given) = true;
}

bool option_row_flag(struct option_given *given)
{
    return put(given, 1);
}

bool option_row_number(struct option_given *given)
{
    const struct option_row *row = given->row;
    uint64_t number;
    if (text_parse_number(given->value, row->least, row->most, &number))
        return put(given, number);
    if (row->expected != NULL)
        return option_row_refuse(given, "%s", row->expected);
    return option_row_refuse(given, "expected a whole number from %llu to %llu",
                             (unsigned long long)row->least, (unsigned long long)row->most);
}

bool option_row_numbers(struct option_given *given, uint64_t **list, size_t *count)
{
    const struct option_row *row = given->row;
    free(*list);
    *list = NULL;
    *count = 0;
    if (text_parse_numbers(given->value, row->least, row->most, list, count))
        return true;
    return text_explain_range(given->value, given->why, sizeof given->why)
               ? false
               : option_row_refuse(given, "%s", row->expected);
}

bool option_row_cpus(struct option_given *given)
{
    uint64_t percent, least = given->row->least;
    double cores = cores_allowed();
    if (text_parse_hundredths(given->value, least, (uint64_t)(cores * 100), &percent))
        return put(given, percent);
    return option_row_refuse(given,
                             "expected a number of cores from %.2f to %.4g, with at most two "
                             "decimals: zkherd may use %.4g",
                             (double)least / 100, cores, cores);
}

bool option_row_duration(struct option_given *given)
{
    uint64_t duration_ns;
    char least[32];
    if (!text_parse_duration(given->value, &duration_ns))
        return option_row_refuse(given, "expected a duration with its unit, such as 500ms or 30s");
    if (duration_ns < given->row->least)
        return option_row_refuse(given, "too short: expected at least %s",
                                 text_format_duration(given->row->least, least, sizeof least));
    return put(given, duration_ns);
}

bool option_row_word(struct option_given *given)
{
    for (size_t i = 0; given->row->words[i] != NULL; i++) {
        if (strcmp(given->value, given->row->words[i]) == 0)
            return put(given, i);
    }
    return option_row_refuse(given, "%s", given->row->expected);
}

bool option_row_folder(struct option_given *given)
{
    *(const char **)option_row_place(given) = given->value;
    return given->value[0] != '\0' || option_row_refuse(given, "expected the name of a folder");
}

bool option_row_file(struct option_given *given)
{
    *(const char **)option_row_place(given) = given->value;
    size_t length = strlen(given->value);
    return (length > 0 && given->value[length - 1] != '/') ||
           option_row_refuse(given, "expected the name of a file");
}

bool option_row_servers(struct option_given *given)
{
    struct error error = {0};
    return connect_parse(given->value, option_row_place(given), &error) == ERROR_NONE ||
           option_row_refuse(given, "%s", error.detail);
}

bool option_row_plots(struct option_given *given)
{
    return plot_formats_parse(given->value, option_row_place(given)) ||
           option_row_refuse(given, "expected svg, png, pdf or eps, or several of them, as "
                                    "svg,pdf");
}
