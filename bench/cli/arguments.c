// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"

#include "base/text.h"
#include "bench/cli/complain.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 64

/* The rows as getopt_long reads them. */
struct getopt_rows {
    char letters[2 * ROWS_MAX + 2];
    struct option options[ROWS_MAX + 1];
};

/* What getopt_long returns for a row: the letter, or a number that is no character. */
static int code_of(const struct arguments *arguments, const struct option_row *row)
{
    return row->letter != '\0' ? row->letter : UCHAR_MAX + 1 + (int)(row - arguments->rows);
}

static bool is_flag(const struct option_row *row)
{
    return row->parse == NULL || row->parse == option_row_flag;
}

static void fill(const struct arguments *arguments, struct getopt_rows *getopt)
{
    size_t at = 1;
    getopt->letters[0] = ':';
    for (size_t i = 0; i < ROWS_MAX && arguments->rows[i].name != NULL; i++) {
        const struct option_row *row = &arguments->rows[i];
        getopt->options[i] =
            (struct option){.name = row->name + strlen("--"),
                            .has_arg = is_flag(row) ? no_argument : required_argument,
                            .val = code_of(arguments, row)};
        if (row->letter != '\0')
            getopt->letters[at++] = row->letter;
        if (row->letter != '\0' && !is_flag(row))
            getopt->letters[at++] = ':';
    }
}

void arguments_write_help(const struct arguments *arguments)
{
    const struct option_row *row = arguments->shown != NULL ? arguments->shown : arguments->rows;
    fputs(arguments->usage, stdout);
    for (; row->name != NULL; row++)
        fputs(row->help, stdout);
    fputs(arguments->notes, stdout);
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
    if (text_is_like(name + 2, nearest + 2))
        return complain_usage(arguments->subcommand, argument, "no such option; did you mean %s?",
                              nearest);
    return complain_usage(arguments->subcommand, argument, "no such option");
}

/* In a cluster, -qx, getopt tells the letter only. */
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

/* Every default is allowed: a parser that refuses one has no memory for it. */
static int set_defaults(const struct arguments *arguments, void *options)
{
    struct error error;
    for (const struct option_row *row = arguments->rows; row->name != NULL; row++) {
        struct option_given given = {.row = row, .value = row->value, .options = options};
        if (row->value == NULL || row->parse(&given))
            continue;
        error_raise(&error, ERROR_NO_MEMORY, 0, arguments->subcommand, "%s", "");
        return complain(&error);
    }
    return ARGUMENTS_GO;
}

static int take(const struct arguments *arguments, int option, void *options)
{
    struct option_given given = {.row = arguments->rows, .value = optarg, .options = options};
    while (code_of(arguments, given.row) != option)
        given.row++;
    if (given.row->parse == NULL) {
        arguments_write_help(arguments);
        return 0;
    }
    option_row_note(&given);
    if (given.row->parse(&given))
        return ARGUMENTS_GO;
    complain_value(arguments->subcommand, given.row->name, given.value, given.why);
    return error_exit_status(ERROR_USAGE);
}

int arguments_take(const struct arguments *arguments, int argc, char **argv, void *options,
                   int *first)
{
    struct getopt_rows rows = {0};
    int option, status = set_defaults(arguments, options);
    fill(arguments, &rows);
    optind = 1;
    opterr = 0;
    while (status == ARGUMENTS_GO &&
           (option = getopt_long(argc, argv, rows.letters, rows.options, NULL)) != -1) {
        status = option == ':' || option == '?'
                     ? refuse(arguments, rows.letters, option, argv[optind - 1])
                     : take(arguments, option, options);
    }
    if (status != ARGUMENTS_GO)
        return status;
    if (first != NULL)
        *first = optind;
    else if (optind < argc)
        return complain_usage(arguments->subcommand, argv[optind], "an option is expected here");
    return ARGUMENTS_GO;
}
