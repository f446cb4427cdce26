// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/plot_formats.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* An option by a name that none has, or that several begin with. */
static int refuse_unknown(const struct arguments *arguments, const char *argument)
{
    char name[64];
    const char *nearest = NULL;
    size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    for (const struct option *option = arguments->options; option->name != NULL; option++) {
        if (nearest == NULL ||
            text_distance(name + 2, option->name) < text_distance(name + 2, nearest))
            nearest = option->name;
    }
    if (nearest != NULL && text_is_like(name + 2, nearest))
        return complain_usage(arguments->subcommand, argument, "no such option; did you mean --%s?",
                              nearest);
    return complain_usage(arguments->subcommand, argument, "no such option");
}

/* In a cluster, -qx, getopt tells the letter only. */
static int refuse(const struct arguments *arguments, int option, const char *argument)
{
    char letter[] = {'-', (char)optopt, '\0'};
    if (option == ':')
        return complain_usage(arguments->subcommand, argument, "the option needs a value");
    if (optopt == 0)
        return refuse_unknown(arguments, argument);
    if (optopt <= UCHAR_MAX && strchr(arguments->letters, optopt) == NULL)
        return complain_usage(arguments->subcommand, letter, "no such option");
    return complain_usage(arguments->subcommand, argument, "the option takes no value");
}

int arguments_take(const struct arguments *arguments, int argc, char **argv, void *context,
                   int *first)
{
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, arguments->letters, arguments->options, NULL)) != -1) {
        if (option == 'h') {
            fputs(arguments->help, stdout);
            return 0;
        }
        if (option == ':' || option == '?')
            return refuse(arguments, option, argv[optind - 1]);
        if (!arguments->take(option, optarg, context))
            return error_exit_status(ERROR_USAGE);
    }
    if (first != NULL)
        *first = optind;
    else if (optind < argc)
        return complain_usage(arguments->subcommand, argv[optind], "an option is expected here");
    return ARGUMENTS_GO;
}

bool arguments_take_number(const char *subcommand, const char *option, const char *value,
                           uint64_t minimum, uint64_t maximum, uint64_t *number)
{
    char why[96];
    if (text_parse_number(value, minimum, maximum, number))
        return true;
    snprintf(why, sizeof why, "expected a whole number from %llu to %llu",
             (unsigned long long)minimum, (unsigned long long)maximum);
    return complain_value(subcommand, option, value, why);
}

bool arguments_take_servers(const char *subcommand, const char *value,
                            struct connect_string *servers)
{
    struct error error = {0};
    return connect_parse(value, servers, &error) == ERROR_NONE ||
           complain_value(subcommand, "--connect", value, error.detail);
}

bool arguments_take_plots(const char *subcommand, const char *value, unsigned *formats)
{
    return plot_formats_parse(value, formats) ||
           complain_value(subcommand, "--plots", value,
                          "expected svg, png, pdf or eps, or several of them, as svg,pdf");
}
