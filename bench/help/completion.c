// SPDX-License-Identifier: Apache-2.0
#include "bench/help/completion.h"

#include "base/memory.h"
#include "bench/cli/arguments.h"
#include "recipes/registry.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASH, ZSH, FISH };

const char *const completion_shells[] = {[BASH] = "bash", [ZSH] = "zsh", [FISH] = "fish", NULL};

/* ------------------------------------------------------------------ what can follow */

/* Words behind a subcommand that have options of their own. */
static const struct {
    const char *subcommand, *word;
} deeper[] = {
    {"paper", "table1"},   {"paper", "table2"},    {"paper", "table3"},  {"paper", "figure8"},
    {"ensemble", "start"}, {"ensemble", "status"}, {"ensemble", "stop"},
};

#define DEEPER (sizeof deeper / sizeof deeper[0])

static const struct option_row *told;

static void listen(const struct arguments *arguments)
{
    told = arguments->rows;
}

/* The options behind a subcommand, or behind a word of it; ensemble has none without a word. */
static const struct option_row *rows_of(const struct subcommand *one, const char *word)
{
    static const struct option_row none = {0};
    char names[2][16], *words[] = {names[0], word != NULL ? names[1] : NULL, NULL};
    if (word == NULL && strcmp(one->name, "ensemble") == 0)
        return &none;
    snprintf(names[0], sizeof names[0], "%s", one->name);
    snprintf(names[1], sizeof names[1], "%s", word != NULL ? word : "");
    arguments_listener = listen;
    one->main(word != NULL ? 2 : 1, words);
    arguments_listener = NULL;
    return told;
}

static void add(struct growing_text *words, const char *word)
{
    growing_text_add(words, "%s%s", words->length > 0 ? " " : "", word);
}

static void add_recipes(struct growing_text *words)
{
    for (size_t i = 0; registry_at(i) != NULL; i++)
        add(words, registry_at(i)->name);
}

/* Adds the operands that are words. */
static void add_operands(struct growing_text *words, const char *name,
                         const struct subcommand subcommands[])
{
    for (size_t i = 0; i < DEEPER; i++) {
        if (strcmp(deeper[i].subcommand, name) == 0)
            add(words, deeper[i].word);
    }
    if (strcmp(name, "recipes") == 0)
        add_recipes(words);
    for (; strcmp(name, "help") == 0 && subcommands->name != NULL; subcommands++)
        add(words, subcommands->name);
    if (strcmp(name, "help") == 0)
        add(words, HELP_SERVERS);
}

static bool takes_folders(const char *name)
{
    return strstr(" autopsy compare plot report ", name) != NULL;
}

/* Adds the words that the value of an option may be. Returns whether it may be several. */
static bool add_values(struct growing_text *words, const struct option_row *row)
{
    for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++)
        add(words, row->words[i]);
    for (size_t i = 0; row->parse == option_row_plots && i < PLOT_FORMATS; i++)
        add(words, plot_formats[i]);
    if (strcmp(row->name, "--recipes") == 0)
        add_recipes(words);
    return row->words == NULL && words->length > 0;
}

/* Calls `write` for each word behind a subcommand that has options, then for each subcommand. */
static void each(const struct subcommand subcommands[],
                 void (*write)(const char *name, const char *word, const struct option_row *rows,
                               const struct subcommand subcommands[]))
{
    for (const struct subcommand *one = subcommands; one->name != NULL; one++) {
        for (size_t i = 0; i < DEEPER; i++) {
            if (strcmp(deeper[i].subcommand, one->name) == 0)
                write(one->name, deeper[i].word, rows_of(one, deeper[i].word), subcommands);
        }
        write(one->name, NULL, rows_of(one, NULL), subcommands);
    }
}

/* Whether the help has the option. */
static bool is_told(const struct option_row *row)
{
    return strstr(row->help, row->name) != NULL;
}

/* Whether the help calls the value of an option so. */
static bool takes(const struct option_row *row, const char *value)
{
    char option[48];
    snprintf(option, sizeof option, "%s %s ", row->name, value);
    return strstr(row->help, option) != NULL;
}

/* ------------------------------------------------------------------ bash and zsh */

/* What is looked at: the number of the word, the first two words, and the one before it. */
static const char bash_begin[] =
    "_zkherd_complete() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local begun='' list='' IFS=$'\\n'\n"
    "    local -a how\n"
    "    # --option=value is three words.\n"
    "    if [[ $current == = ]]; then current=''; fi\n"
    "    if [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "    how=()\n"
    "    case \"$COMP_CWORD ${COMP_WORDS[1]} ${COMP_WORDS[2]-} $option\" in\n";

static const char bash_end[] =
    "    esac\n"
    "    if [[ -n $list && $current == *,* ]]; then\n"
    "        begun=${current%,*},\n"
    "        current=${current##*,}\n"
    "    fi\n"
    "    # A recipe may be in a file.\n"
    "    if [[ -n $list && $current == */* ]]; then how=(-f); fi\n"
    "    COMPREPLY=($(IFS=' ' compgen -P \"$begun\" \"${how[@]}\" -- \"$current\"))\n"
    "    if [[ ${how[0]-} == -[df] ]]; then compopt -o filenames 2>/dev/null; fi\n"
    "}\n";

static void write_bash_values(const char *name, const char *word, const struct option_row *row,
                              const struct subcommand subcommands[])
{
    char context[48];
    (void)subcommands;
    snprintf(context, sizeof context, word != NULL ? "*' %s %s'" : "*' %s '*", name, word);
    for (; row->name != NULL; row++) {
        struct growing_text words = {0};
        const char *list = add_values(&words, row) ? "list=yes " : "";
        if (option_row_is_flag(row))
            continue;
        printf("    %s' %s'", context, row->name);
        if (row->letter != '\0')
            printf(" | %s' -%c'", context, row->letter);
        if (words.length > 0)
            printf(") %show=(-W '%s') ;;\n", list, words.text);
        else
            printf(") how=(%s) ;;\n", takes(row, "FILE") ? "-f" : takes(row, "DIR") ? "-d" : "");
        free(words.text);
    }
}

static void write_bash_names(const char *name, const char *word, const struct option_row *row,
                             const struct subcommand subcommands[])
{
    struct growing_text words = {0};
    if (word == NULL)
        add_operands(&words, name, subcommands);
    for (; row->name != NULL; row++) {
        if (is_told(row))
            add(&words, row->name);
    }
    printf("    *' %s %s%s'*) how=(%s-W '%s') ;;\n", name, word != NULL ? word : "",
           word != NULL ? " " : "", takes_folders(name) ? "-d " : "", words.text);
    free(words.text);
}

static void write_bash(const struct subcommand subcommands[])
{
    fputs(bash_begin, stdout);
    fputs("    '1 '*) how=(-W '--help --version", stdout);
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        printf(" %s", one->name);
    puts("') ;;");
    each(subcommands, write_bash_values);
    each(subcommands, write_bash_names);
    fputs(bash_end, stdout);
}

/* ------------------------------------------------------------------ fish */

static void write_fish(const char *name, const char *word, const struct option_row *row,
                       const struct subcommand subcommands[])
{
    const char *seen = word != NULL ? word : name;
    struct growing_text words = {0};
    if (word == NULL)
        add_operands(&words, name, subcommands);
    if (words.length > 0 || takes_folders(name))
        printf("complete -c zkherd -n '__fish_seen_subcommand_from %s' -a '%s'\n", seen,
               words.length > 0 ? words.text : "(__fish_complete_directories)");
    for (; row->name != NULL; row++) {
        if (!is_told(row))
            continue;
        free(words.text);
        words = (struct growing_text){0};
        add_values(&words, row);
        printf("complete -c zkherd -n '__fish_seen_subcommand_from %s' -l %s", seen, row->name + 2);
        if (row->letter != '\0')
            printf(" -s %c", row->letter);
        if (words.length > 0)
            printf(" -x -a '%s'", words.text);
        else if (!option_row_is_flag(row))
            fputs(takes(row, "FILE") || takes(row, "DIR") ? " -rF" : " -x", stdout);
        putchar('\n');
    }
    free(words.text);
}

void completion_write(unsigned shell, const struct subcommand subcommands[])
{
    if (shell == ZSH)
        puts("#compdef zkherd\nautoload -U +X bashcompinit && bashcompinit");
    printf("# By zkherd help --completion %s.\n", completion_shells[shell]);
    if (shell != FISH)
        write_bash(subcommands);
    if (shell == BASH)
        puts("complete -F _zkherd_complete zkherd");
    if (shell == ZSH)
        puts("_bash_complete -F _zkherd_complete");
    if (shell != FISH)
        return;
    puts("complete -c zkherd -f");
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        printf("complete -c zkherd -n __fish_use_subcommand -a %s -d \"%s\"\n", one->name,
               one->does);
    each(subcommands, write_fish);
}
