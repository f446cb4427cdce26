// SPDX-License-Identifier: Apache-2.0
/* zkherd help: the help of each subcommand, the options of private servers, the columns of files.
 */
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "recipes/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct subcommand subcommands[] = {
#define X(name, does) {#name, name##_main, does},
    SUBCOMMANDS(X)
#undef X
        {0},
};

/* The topic beside the subcommands. */
#define SERVERS "servers"

static const char usage[] =
    "Usage: zkherd help [TOPIC|COLUMN]\n"
    "       zkherd help --completion bash\n"
    "Print the help of a subcommand, or the options of private servers; what a column\n"
    "of a file means; or what completes command lines of zkherd in a shell. Without\n"
    "TOPIC: list the topics.\n"
    "\n";

static const char notes[] = "\n"
                            "Examples:\n"
                            "  zkherd help                         all topics\n"
                            "  zkherd help run                     as zkherd run --help\n"
                            "  zkherd help handoff_p50_us          a column of CSV files\n"
                            "  . <(zkherd help --completion bash)  complete in this shell\n";

/* Text of completion.bash. */
extern const char completion_bash[];

struct call {
    bool completes;
    unsigned shell; /* there is one */
};

static const char *const shells[] = {"bash", NULL};

static const struct option_row rows[] = {
    {.name = "--completion",
     OPTION_WORD(struct call, shell, shells, "expected bash, which zsh reads, too"),
     .given = OPTION_MEMBER(struct call, completes),
     .help = "      --completion SHELL  print the script for bash, which zsh reads, too\n"},
    OPTION_ROW_HELP("  -h, --help              print this help\n"),
    {0},
};

static const char private_does[] = "options of run, load and plan for the servers that they start";

static int list_topics(void)
{
    puts("zkherd help TOPIC: the options of a subcommand, or of private servers\n"
         "zkherd help COLUMN: what a column of a CSV file means\n");
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        printf("  %-12s %s\n", one->name, one->does);
    printf("  %-12s %s\n", SERVERS, private_does);
    return 0;
}

static int print_private(void)
{
    printf("%s\n\n", private_does);
    for (const struct option_row *row = rows_private; row->name != NULL; row++)
        fputs(row->help, stdout);
    puts("\nHow many servers --servers says. docs/options.md says more.");
    return 0;
}

/* ------------------------------------------------------------------ columns of files */

/* The text of docs/files.md, which says what each column is. */
extern const char files_md[];

#define NAME_SIZE 64 /* of a column, at most */

/* The CSV file that a table is of: that of the last heading, or of the paragraph before the table;
 * empty: of none. */
struct place {
    const char *text;
    size_t length;
};

static void find_place(const char *line, struct place *place)
{
    const char *csv = memmem(line, strcspn(line, "\n"), ".csv", strlen(".csv"));
    if (strncmp(line, "## ", 3) == 0)
        *place = (struct place){line + 3, csv != NULL ? strcspn(line + 3, "\n") : 0};
    else if (line[0] == '`' && csv != NULL && strncmp(csv, ".csv`: ", 7) == 0)
        *place = (struct place){line + 1, (size_t)(csv - line) + 3};
}

/* The meaning in a row whose columns have this one; NULL: no such row, or an empty one. */
static const char *find_meaning(const char *row, const char *name)
{
    char quoted[80];
    if (strncmp(row, "| `", 3) != 0)
        return NULL;
    snprintf(quoted, sizeof quoted, "`%s`", name);
    const char *end = strstr(row, " | "), *found = strstr(row, quoted);
    return end != NULL && found != NULL && found < end && end[3] != '|' ? end + 3 : NULL;
}

/* A link of Markdown is printed as its text: [herd coefficient](method.md#times). */
static char *copy_meaning(const char *meaning)
{
    size_t length = strcspn(meaning, "\n") - strlen(" |");
    char *text = memory_new(length + 1, 1), *end = text;
    for (const char *at = meaning; at < meaning + length; at++) {
        if (strncmp(at, "](", 2) == 0)
            at = strchr(at, ')');
        else if (*at != '[')
            *end++ = *at;
    }
    return text;
}

/* Prints a sentence for each file that has a column of this name. Returns how many. */
static size_t print_columns(const char *name)
{
    struct place place = {"", 0};
    size_t count = 0;
    for (const char *line = files_md; *line != '\0'; line = strchr(line, '\n') + 1) {
        find_place(line, &place);
        const char *meaning = find_meaning(line, name);
        if (meaning == NULL || place.length == 0)
            continue;
        char *text = copy_meaning(meaning);
        wrap_sentence(stdout, "%.*s: %s", (int)place.length, place.text, text);
        free(text);
        count++;
    }
    return count;
}

static bool is_like(const char *typed, const char *name)
{
    return strncmp(name, typed, strlen(typed)) == 0 || text_is_like(typed, name);
}

/* Copies the first subcommand, or else column, that begins with what is typed, or is like it; else
 * name is "". */
static void find_like(const char *typed, char name[NAME_SIZE])
{
    name[0] = '\0';
    for (const struct subcommand *one = subcommands; one->name != NULL && name[0] == '\0'; one++)
        if (is_like(typed, one->name))
            snprintf(name, NAME_SIZE, "%s", one->name);
    for (const char *line = files_md; name[0] == '\0' && *line != '\0';
         line = strchr(line, '\n') + 1)
        if (sscanf(line, "| `%63[a-z0-9_]` |", name) == 1 && !is_like(typed, name))
            name[0] = '\0';
}

/* ------------------------------------------------------------------ the topics */

static int refuse_topic(const char *topic)
{
    struct growing_text topics = {0};
    char name[NAME_SIZE];
    find_like(topic, name);
    if (topic[0] != '\0' && name[0] != '\0')
        return complain_usage("help", topic, "neither a topic nor a column; did you mean %s?",
                              name);
    if (registry_find(topic) != NULL)
        return complain_usage("help", topic, "this is a recipe: zkherd recipes %s", topic);
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        growing_text_add(&topics, "%s, ", one->name);
    int status =
        complain_usage("help", topic[0] != '\0' ? topic : "''",
                       "neither a topic nor a column; the topics are %s" SERVERS, topics.text);
    free(topics.text);
    return status;
}

int help_main(int argc, char **argv)
{
    static const struct arguments arguments = {"help", usage, rows, notes, NULL};
    char option[] = "--help";
    struct call call = {0};
    int first, status = arguments_parse(&arguments, argc, argv, &call, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (call.completes && first < argc)
        return complain_usage("help", argv[first], "a script is of all subcommands");
    if (call.completes)
        return fputs(completion_bash, stdout), 0;
    if (first == argc)
        return list_topics();
    if (first + 1 < argc)
        return complain_usage("help", argv[first + 1], "expected one topic");
    char *topic = argv[first];
    for (const struct subcommand *one = subcommands; one->name != NULL; one++) {
        if (strcmp(topic, one->name) == 0)
            return one->main(2, (char *[]){topic, option, NULL});
    }
    if (strcmp(topic, SERVERS) == 0)
        return print_private();
    return print_columns(topic) > 0 ? 0 : refuse_topic(topic);
}
