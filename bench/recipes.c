// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes.h"

#include "bench/complain.h"
#include "bench/law_table.h"
#include "recipes/registry.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 80

static const char help[] =
    "Usage: zkherd recipes [NAME]\n"
    "List the recipes: what a drain of n clients costs, what each is, its source.\n"
    "With NAME: what it does, its pseudo-code, its law step by step, who ships it.\n"
    "\n"
    "  -h, --help  this help\n"
    "\n"
    "In a drain n clients arrive one after another, and each then holds the lock once.\n"
    "The laws hold exactly under lockstep; zkherd run holds its counts against them.\n"
    "\n"
    "Examples:\n"
    "  zkherd recipes           all of them\n"
    "  zkherd recipes scalable  the queue in which each watches the one before\n";

/* Words, in lines that begin with an indent: the first one is there already. */
static void write_wrapped(const char *text, size_t indent)
{
    size_t column = indent;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (column > indent && column + 1 + length > COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

static void write_indented(const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        printf("  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n' ? 1 : 0);
    }
}

static void write_all(void)
{
    const struct recipe *recipe;
    printf("%-19s %-20s %s\n", "recipe", "RPCs of a drain", "notifications");
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        printf("%-19s %-20s %s\n    ", recipe->name, recipe->law.rpcs, recipe->law.notifications);
        write_wrapped(recipe->summary, 4);
        fputs("    ", stdout);
        write_wrapped(recipe->about.source, 4);
    }
}

static void write_law(const struct recipe *recipe)
{
    if (!recipe_has_law(recipe) || recipe->broken) {
        puts(recipe->broken ? "Its verdict fails in every trial." : "It has no law.");
        return;
    }
    puts("Law, under lockstep:");
    if (recipe->law_in_words != NULL)
        write_indented(recipe->law_in_words);
    else
        law_table_write(recipe, stdout);
    printf("  A drain of n: %s RPCs, %s notifications\n", recipe->law.rpcs,
           recipe->law.notifications);
}

static void write_one(const struct recipe *recipe)
{
    printf("%s: ", recipe->name);
    write_wrapped(recipe->summary, strlen(recipe->name) + 2);
    putchar('\n');
    write_wrapped(recipe->about.description, 0);
    putchar('\n');
    write_indented(recipe->about.pseudo_code);
    putchar('\n');
    write_law(recipe);
    fputs("\nSource:     ", stdout);
    write_wrapped(recipe->about.source, 12);
    fputs("Shipped by: ", stdout);
    write_wrapped(recipe->about.shipped_by == NULL ? "nobody" : recipe->about.shipped_by, 12);
}

static int show(const char *name)
{
    const struct recipe *recipe = registry_find(name);
    if (recipe == NULL)
        return complain_usage("recipes", name[0] != '\0' ? name : "''",
                              "no such recipe; did you mean '%s'?", registry_nearest(name));
    write_one(recipe);
    return 0;
}

int recipes_main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return 0;
    }
    if (argc > 1 && argv[1][0] == '-')
        return complain_usage("recipes", argv[1], "no such option");
    if (argc > 2)
        return complain_usage("recipes", argv[2], "expected one recipe");
    if (argc == 2)
        return show(argv[1]);
    write_all();
    return 0;
}
