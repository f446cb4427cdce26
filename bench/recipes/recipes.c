// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/recipes/internal.h"
#include "recipes/own.h"
#include "recipes/registry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd recipes [--json] [NAME|FILE]\n"
    "       zkherd recipes --new NAME\n"
    "List the recipes: the cost of a drain of n clients, a summary, the source.\n"
    "With NAME, or the FILE of a recipe of your own: what the recipe does, its\n"
    "pseudo-code, its law step by step, and the software that ships it.\n"
    "\n";

static const char notes[] =
    "\n"
    "In a drain, n clients arrive one after another; then each holds the lock once.\n"
    "A law gives the exact number of messages of each step under lockstep, in which\n"
    "one client at a time arrives or releases; zkherd run checks its counts against\n"
    "the law.\n"
    "\n"
    "Examples:\n"
    "  zkherd recipes           all recipes\n"
    "  zkherd recipes scalable  the queue without herd effect\n"
    "  zkherd recipes --new mylock\n";

struct recipes_options {
    bool json;
    const char *new_name; /* NULL: none is written */
};

static const struct option_row rows[] = {
    {.name = "--json",
     OPTION_FLAG(struct recipes_options, json),
     .help = "      --json      print JSON\n"},
    {.name = "--new",
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct recipes_options, new_name),
     .help = "      --new NAME  write NAME.c here: a lock to begin with, its law, its test\n"},
    OPTION_ROW_HELP("  -h, --help      print this help\n"),
    {0},
};

static void write_indented(const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        printf("  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n' ? 1 : 0);
    }
}

static void write_sentence(const char *text, size_t indent)
{
    char *spelled = law_table_spell(text);
    wrap_write(spelled, indent, stdout);
    free(spelled);
}

static void write_all(void)
{
    const struct recipe *recipe;
    printf("%-19s %-20s %s\n", "recipe", "RPCs of a drain", "notifications");
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        printf("%-19s ", recipe->name);
        law_table_write_formula(recipe->law.rpcs, 21, stdout);
        law_table_write_formula(recipe->law.notifications, 0, stdout);
        fputs("\n    ", stdout);
        write_sentence(recipe->summary, 4);
        fputs("    ", stdout);
        wrap_write(recipe->about.source, 4, stdout);
    }
}

static void write_law(const struct recipe *recipe)
{
    if (recipe->broken) {
        printf("Under lockstep the verdict of every trial fails, from %u clients per lock on.\n",
               recipe->broken);
        return;
    }
    if (!recipe_has_law(recipe)) {
        puts("This recipe has no law.");
        return;
    }
    puts("Law, under lockstep:");
    if (recipe->law_in_words != NULL)
        write_indented(recipe->law_in_words);
    else
        law_table_write(recipe, stdout);
    fputs("  A drain of n: ", stdout);
    law_table_write_formula(recipe->law.rpcs, 0, stdout);
    fputs(" RPCs, ", stdout);
    law_table_write_formula(recipe->law.notifications, 0, stdout);
    fputs(" notifications\n", stdout);
}

static void write_one(const struct recipe *recipe)
{
    printf("%s: ", recipe->name);
    write_sentence(recipe->summary, strlen(recipe->name) + 2);
    putchar('\n');
    write_sentence(recipe->about.description, 0);
    putchar('\n');
    write_indented(recipe->about.pseudo_code);
    putchar('\n');
    write_law(recipe);
    fputs("\nSource:     ", stdout);
    wrap_write(recipe->about.source, 12, stdout);
    fputs("Shipped by: ", stdout);
    wrap_write(recipe->about.shipped_by == NULL ? "no library" : recipe->about.shipped_by, 12,
               stdout);
}

static json_t *steps_of(const struct recipe *recipe)
{
    json_t *steps = json_array();
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        struct law_row row = {0};
        if (!law_table_row(recipe, (enum tally_kind)kind, &row))
            continue;
        json_array_append_new(
            steps, json_pack("{s:s, s:s, s:s, s:s, s:s}", "messages", tally_columns[kind],
                             "arrival_free", row.of[LAW_ARRIVAL_FREE], "arrival_held",
                             row.of[LAW_ARRIVAL_HELD], "release_waited", row.of[LAW_RELEASE_WAITED],
                             "release_alone", row.of[LAW_RELEASE_ALONE]));
    }
    return steps;
}

static json_t *describe(const struct recipe *recipe)
{
    bool formulas = recipe_has_law(recipe) && !recipe->broken && recipe->law_in_words == NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "recipe",
                     recipe->name, "summary", recipe->summary, "description",
                     recipe->about.description, "pseudo_code", recipe->about.pseudo_code, "source",
                     recipe->about.source, "shipped_by", json_result_text(recipe->about.shipped_by),
                     "broken_clients_min",
                     recipe->broken ? json_integer(recipe->broken) : json_null(), "drain_rpcs",
                     recipe->law.rpcs, "drain_notifications", recipe->law.notifications,
                     "law_steps", formulas ? steps_of(recipe) : json_null(), "law_in_words",
                     json_result_text(recipe->law_in_words));
}

/* The keys are those of docs/schema/recipes.schema.json. only: NULL for all recipes. */
static void write_json(const struct recipe *only)
{
    const struct recipe *recipe;
    json_t *recipes = json_array();
    for (size_t i = 0; only == NULL && (recipe = registry_at(i)) != NULL; i++)
        json_array_append_new(recipes, describe(recipe));
    if (only != NULL)
        json_array_append_new(recipes, describe(only));
    json_result_write(json_pack("{s:o}", "recipes", recipes), stdout);
}

/* ------------------------------------------------------------------ a recipe to begin with */

/* The text of skeleton.txt, a recipe that works and obeys its law as it is, where @name@ stands for
 * the recipe's name, and @ident@ for the same with underscores. */
extern const char skeleton_txt[];

static void fill_in(const char *name, FILE *stream)
{
    static const char as_name[] = "@name@", as_identifier[] = "@ident@";
    for (const char *text = skeleton_txt; *text != '\0'; text++) {
        bool is_name = strncmp(text, as_name, strlen(as_name)) == 0,
             is_identifier = strncmp(text, as_identifier, strlen(as_identifier)) == 0;
        if (!is_name && !is_identifier) {
            putc(*text, stream);
            continue;
        }
        for (const char *at = name; *at != '\0'; at++)
            putc(is_identifier && *at == '-' ? '_' : *at, stream);
        text += strlen(is_name ? as_name : as_identifier) - 1;
    }
}

/* Writes it as NAME.c into the present folder; never over another file. ERROR_USAGE if no recipe
 * may be called so, or one is, and the errors of errno. */
static enum error_kind write_skeleton(const char *name, struct error *error)
{
    char path[64];
    if (!own_is_name(name))
        return error_raise(error, ERROR_USAGE, 0, name[0] != '\0' ? name : "''",
                           "a recipe's name is a small letter, and up to 18 small letters, digits "
                           "and dashes");
    if (registry_find(name) != NULL)
        return error_raise(error, ERROR_USAGE, 0, name, "a recipe of zkherd is called so");
    snprintf(path, sizeof path, "%s.c", name);
    FILE *stream = fopen(path, "wxe");
    if (stream == NULL)
        return error_from_errno(error, errno, path, "%s", "");
    fill_in(name, stream);
    errno = 0;
    if (!(ferror(stream) | (fclose(stream) != 0)))
        return ERROR_NONE;
    int os_error = errno != 0 ? errno : EIO;
    unlink(path);
    return error_from_errno(error, os_error, path, "%s", "");
}

static int write_new(const char *name)
{
    struct error error;
    if (write_skeleton(name, &error))
        return complain_about("recipes", &error);
    printf("%s.c: a lock that works, with its law. Its test, in a second:\n\n"
           "    zkherd run -d simulated -r ./%s.c -n 1..8+1,16..64x2 -t 1\n\n"
           "The head of the file has more of them; docs/recipes.md explains the rest.\n",
           name, name);
    return 0;
}

int recipes_main(int argc, char **argv)
{
    static const struct arguments arguments = {"recipes", usage, rows, notes, NULL};
    struct recipes_options options = {0};
    int first, status = arguments_parse(&arguments, argc, argv, &options, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first + 1 < argc)
        return complain_usage("recipes", argv[first + 1], "expected one recipe");
    if (options.new_name != NULL && (first < argc || options.json))
        return complain_usage("recipes", "--new", "writes a file and lists nothing: give it alone");
    if (options.new_name != NULL)
        return write_new(options.new_name);
    const struct recipe *only = NULL;
    struct error error;
    if (first < argc && rows_find_recipe(argv[first], &only, &error) != ERROR_NONE)
        return complain_about("recipes", &error);
    if (options.json)
        write_json(only);
    else if (only != NULL)
        write_one(only);
    else
        write_all();
    return 0;
}
