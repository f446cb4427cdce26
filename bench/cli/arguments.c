// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"

#include "base/cores.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "client/connect.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 64

/* ------------------------------------------------------------------ parsers of values */

const char *const option_row_no_yes[] = {"no", "yes", NULL};
const char *const plot_formats[PLOT_FORMATS] = {"svg", "png", "pdf", "eps"};

bool option_row_refuse(struct option_given *given, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(given->why, sizeof given->why, why, arguments);
    va_end(arguments);
    return false;
}

void *option_row_place(const struct option_given *given)
{
    return (char *)given->options + given->row->member.offset;
}

void option_row_note(const struct option_given *given)
{
    if (given->row->given.size > 0)
        *((bool *)given->options + given->row->given.offset) = true;
}

/* The size gives the type of the number; enumerations are as large as unsigned. */
static bool store(const struct option_given *given, uint64_t number)
{
    void *place = option_row_place(given);
    switch (given->row->member.size) {
    case sizeof(uint64_t):
        *(uint64_t *)place = number;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)place = (uint32_t)number;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)place = (uint16_t)number;
        break;
    default:
        *(bool *)place = number != 0;
    }
    return true;
}

bool option_row_flag(struct option_given *given)
{
    return store(given, 1);
}

bool option_row_number(struct option_given *given)
{
    const struct option_row *row = given->row;
    uint64_t number;
    if (text_parse_number(given->value, row->least, row->most, &number))
        return store(given, number);
    if (row->expected != NULL)
        return option_row_refuse(given, "%s", row->expected);
    return option_row_refuse(given, "expected a whole number from %llu to %llu",
                             (unsigned long long)row->least, (unsigned long long)row->most);
}

bool option_row_levels(struct option_given *given)
{
    const struct option_row *row = given->row;
    struct levels *levels = option_row_place(given);
    free(levels->list);
    *levels = (struct levels){0};
    return text_parse_numbers(given->value, row->least, row->most, &levels->list, &levels->count) ||
           option_row_refuse(given, "%s", row->expected);
}

bool option_row_cpus(struct option_given *given)
{
    uint64_t percent, least = given->row->least;
    double cores = cores_allowed();
    if (text_parse_hundredths(given->value, least, (uint64_t)(cores * 100), &percent))
        return store(given, percent);
    return option_row_refuse(given,
                             "expected a number of cores from %.2f to %.4g, with at most two "
                             "decimals: zkherd may use %.4g",
                             (double)least / 100, cores, cores);
}

bool option_row_duration(struct option_given *given)
{
    const struct option_row *row = given->row;
    uint64_t duration_ns;
    char least[32];
    if (!text_parse_duration(given->value, &duration_ns))
        return option_row_refuse(given, "expected a duration with its unit, such as 500ms or 30s, "
                                        "at most ten days");
    if (row->most > 0 && duration_ns > row->most)
        return option_row_refuse(given, "%s", row->expected);
    if (duration_ns < row->least)
        return option_row_refuse(given, "too short: expected at least %s",
                                 text_format_duration(row->least, least, sizeof least));
    return store(given, duration_ns);
}

bool option_row_word(struct option_given *given)
{
    for (size_t i = 0; given->row->words[i] != NULL; i++) {
        if (strcmp(given->value, given->row->words[i]) == 0)
            return store(given, i);
    }
    return option_row_refuse(given, "%s", given->row->expected);
}

bool option_row_text(struct option_given *given)
{
    *(const char **)option_row_place(given) = given->value;
    return given->row->expected == NULL || given->value[0] != '\0' ||
           option_row_refuse(given, "%s", given->row->expected);
}

bool option_row_folder(struct option_given *given)
{
    *(const char **)option_row_place(given) = given->value;
    return given->value[0] != '\0' || option_row_refuse(given, "expected the name of a folder");
}

bool option_row_file(struct option_given *given)
{
    size_t length = strlen(given->value);
    *(const char **)option_row_place(given) = given->value;
    return (length > 0 && given->value[length - 1] != '/') ||
           option_row_refuse(given, "expected the name of a file");
}

bool option_row_servers(struct option_given *given)
{
    struct error error = {0};
    struct connect_string *servers = option_row_place(given);
    struct identity *identity = servers->identity; /* of options that came before */
    if (connect_parse(given->value, servers, &error))
        return option_row_refuse(given, "%s", error.detail);
    servers->identity = identity;
    return true;
}

bool option_row_never(struct option_given *given)
{
    error_raise(&given->error, ERROR_NO_TLS, 0, given->row->name, "%s", "");
    return false;
}

bool option_row_plots(struct option_given *given)
{
    const char *list = given->value;
    char item[8];
    unsigned formats = 0;
    while (text_next_item(&list, item, sizeof item)) {
        size_t i = 0;
        while (i < PLOT_FORMATS && strcmp(item, plot_formats[i]) != 0)
            i++;
        if (i == PLOT_FORMATS)
            return option_row_refuse(given, "expected svg, png, pdf or eps, or several of them, as "
                                            "svg,pdf");
        formats |= 1u << i;
    }
    return store(given, formats);
}

/* ------------------------------------------------------------------ a subcommand's */

void arguments_write_help(const struct arguments *arguments)
{
    const struct option_row *row = arguments->shown != NULL ? arguments->shown : arguments->rows;
    fputs(arguments->usage, stdout);
    for (bool more = true; more && row->name != NULL; row++) {
        fputs(row->help, stdout);
        more = row->parse != NULL;
    }
    fputs(arguments->notes, stdout);
}

/* The rows as getopt_long reads them. It returns the letter of a row, or a number that is no
 * character. */
struct getopt_rows {
    char letters[2 * ROWS_MAX + 2];
    struct option options[ROWS_MAX + 1];
};

static struct getopt_rows getopt_rows(const struct option_row *row)
{
    struct getopt_rows rows = {.letters = ":"};
    char *letter = rows.letters + 1;
    for (int i = 0; i < ROWS_MAX && row->name != NULL; i++, row++) {
        bool is_flag =
            row->parse == NULL || row->parse == option_row_flag || row->parse == option_row_never;
        rows.options[i] =
            (struct option){.name = row->name + strlen("--"),
                            .has_arg = is_flag ? no_argument : required_argument,
                            .val = row->letter != '\0' ? row->letter : UCHAR_MAX + 1 + i};
        if (row->letter != '\0')
            letter += sprintf(letter, is_flag ? "%c" : "%c:", row->letter);
    }
    return rows;
}

/* An option by a name that none has, or that several begin with. */
static int refuse_unknown(const struct arguments *arguments, const char *argument)
{
    char name[64];
    const char *nearest = arguments->rows[0].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    for (const struct option_row *row = arguments->rows; row->name != NULL; row++) {
        if (text_distance(name + 2, row->name + 2) < text_distance(name + 2, nearest + 2))
            nearest = row->name;
    }
    if (!text_is_like(name + 2, nearest + 2))
        return complain_usage(arguments->subcommand, argument, "no such option");
    return complain_usage(arguments->subcommand, argument, "no such option; did you mean %s?",
                          nearest);
}

/* What getopt_long refuses. In a cluster, -qx, it names the letter only. */
static int refuse(const struct arguments *arguments, const char *letters, int option,
                  const char *argument)
{
    char letter[] = {'-', (char)optopt, '\0'};
    if (option == ':')
        return complain_usage(arguments->subcommand, argument, "the option needs a value");
    if (optopt == 0)
        return refuse_unknown(arguments, argument);
    if (optopt <= UCHAR_MAX && strchr(letters, optopt) == NULL)
        return complain_usage(arguments->subcommand, letter, "no such option");
    return complain_usage(arguments->subcommand, argument, "the option takes no value");
}

/* Parses a value: of the command line, or the default. */
static int parse_value(const struct arguments *arguments, struct option_given *given)
{
    if (given->row->parse == NULL) {
        arguments_write_help(arguments);
        return 0;
    }
    if (given->row->parse(given))
        return ARGUMENTS_GO;
    if (given->error.kind != ERROR_NONE)
        return complain(&given->error);
    complain_value(arguments->subcommand, given->row->name, given->value, given->why);
    return error_exit_status(ERROR_USAGE);
}

int arguments_parse(const struct arguments *arguments, int argc, char **argv, void *options,
                    int *first)
{
    const struct getopt_rows rows = getopt_rows(arguments->rows);
    struct option_given given = {.row = arguments->rows, .options = options};
    int option, status = ARGUMENTS_GO;
    for (; status == ARGUMENTS_GO && given.row->name != NULL; given.row++) {
        given.value = given.row->value;
        if (given.value != NULL) /* every default is allowed, but for what the environment has */
            status = parse_value(arguments, &given);
    }
    optind = 1;
    opterr = 0;
    while (status == ARGUMENTS_GO &&
           (option = getopt_long(argc, argv, rows.letters, rows.options, NULL)) != -1) {
        size_t i = 0;
        while (rows.options[i].name != NULL && rows.options[i].val != option)
            i++;
        if (option == ':' || option == '?')
            return refuse(arguments, rows.letters, option, argv[optind - 1]);
        given =
            (struct option_given){.row = &arguments->rows[i], .value = optarg, .options = options};
        option_row_note(&given);
        status = parse_value(arguments, &given);
    }
    if (status == ARGUMENTS_GO && first != NULL)
        *first = optind;
    else if (status == ARGUMENTS_GO && optind < argc)
        return complain_usage(arguments->subcommand, argv[optind], "an option is expected here");
    return status;
}
