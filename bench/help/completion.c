// SPDX-License-Identifier: Apache-2.0
/* What completes command lines, for bash, zsh and fish. */
#include "base/memory.h"
#include "bench/cli/arguments.h"
#include "bench/help/help.h"
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

/* A place on the command line: behind a subcommand, or behind a word of it. */
struct place {
    const char *name, *word; /* NULL: none */
    const struct option_row *rows;
    bool folders;                 /* operands are folders */
    struct growing_text operands; /* or these words */
};

static const struct option_row *listened;

static void listen(const struct arguments *arguments)
{
    listened = arguments->rows;
}

/* The options at a place; ensemble has none without a word. */
static const struct option_row *find_rows(const struct subcommand *one, const char *word)
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
    return listened;
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

/* Calls `write` for each word behind a subcommand that has options, then for the subcommand. */
static void each(const struct subcommand subcommands[], void (*write)(const struct place *place))
{
    for (const struct subcommand *one = subcommands; one->name != NULL; one++) {
        for (size_t i = 0; i <= DEEPER; i++) {
            struct place place = {.name = one->name};
            if (i < DEEPER && strcmp(deeper[i].subcommand, one->name) != 0)
                continue;
            if (i < DEEPER)
                place.word = deeper[i].word;
            else
                add_operands(&place.operands, one->name, subcommands);
            place.folders = strstr(" autopsy compare plot report ", one->name) != NULL;
            place.rows = find_rows(one, place.word);
            write(&place);
            free(place.operands.text);
        }
    }
}

/* Whether the help has the option. */
static bool is_shown(const struct option_row *row)
{
    return strstr(row->help, row->name) != NULL;
}

/* Whether the help calls the value of an option by this word. */
static bool has_value(const struct option_row *row, const char *value)
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

static void write_bash_values(const struct place *place)
{
    char context[48];
    snprintf(context, sizeof context, place->word != NULL ? "*' %s %s'" : "*' %s '*", place->name,
             place->word);
    for (const struct option_row *row = place->rows; row->name != NULL; row++) {
        struct growing_text words = {0};
        if (option_row_is_flag(row))
            continue;
        const char *list = add_values(&words, row) ? "list=yes " : "";
        printf("    %s' %s'", context, row->name);
        if (row->letter != '\0')
            printf(" | %s' -%c'", context, row->letter);
        if (words.length > 0)
            printf(") %show=(-W '%s') ;;\n", list, words.text);
        else
            printf(") how=(%s) ;;\n", has_value(row, "FILE")  ? "-f"
                                      : has_value(row, "DIR") ? "-d"
                                                              : "");
        free(words.text);
    }
}

static void write_bash_names(const struct place *place)
{
    const char *word = place->word != NULL ? place->word : "";
    const char *between = place->operands.length > 0 ? " " : "";
    printf("    *' %s %s%s'*) how=(%s-W '%s", place->name, word, word[0] != '\0' ? " " : "",
           place->folders ? "-d " : "", between[0] != '\0' ? place->operands.text : "");
    for (const struct option_row *row = place->rows; row->name != NULL; row++) {
        if (!is_shown(row))
            continue;
        printf("%s%s", between, row->name);
        between = " ";
    }
    puts("') ;;");
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

static void write_fish(const struct place *place)
{
    const char *seen = place->word != NULL ? place->word : place->name;
    if (place->operands.length > 0 || place->folders)
        printf("complete -c zkherd -n '__fish_seen_subcommand_from %s' -a '%s'\n", seen,
               place->operands.length > 0 ? place->operands.text : "(__fish_complete_directories)");
    for (const struct option_row *row = place->rows; row->name != NULL; row++) {
        struct growing_text words = {0};
        if (!is_shown(row))
            continue;
        add_values(&words, row);
        printf("complete -c zkherd -n '__fish_seen_subcommand_from %s' -l %s", seen, row->name + 2);
        if (row->letter != '\0')
            printf(" -s %c", row->letter);
        if (words.length > 0)
            printf(" -x -a '%s'", words.text);
        else if (!option_row_is_flag(row))
            fputs(has_value(row, "FILE") || has_value(row, "DIR") ? " -rF" : " -x", stdout);
        putchar('\n');
        free(words.text);
    }
}

void completion_write(unsigned shell, const struct subcommand subcommands[])
{
    if (shell == ZSH)
        puts("#compdef zkherd\nautoload -U +X bashcompinit && bashcompinit");
    printf("# By zkherd help --completion %s.\n", completion_shells[shell]);
    if (shell != FISH) {
        write_bash(subcommands);
        puts(shell == BASH ? "complete -F _zkherd_complete zkherd"
                           : "_bash_complete -F _zkherd_complete");
        return;
    }
    puts("complete -c zkherd -f");
    for (const struct subcommand *one = subcommands; one->name != NULL; one++)
        printf("complete -c zkherd -n __fish_use_subcommand -a %s -d \"%s\"\n", one->name,
               one->does);
    each(subcommands, write_fish);
}
