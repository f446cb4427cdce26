// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/reproduce/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(reproduced_row, "reproduced.csv", REPRODUCED_COLUMNS)

#define WHOLE_MAX 1e15

/* ------------------------------------------------------------------ judging all */

/* The command of a part that makes a file, by its -o or the file that it prints; NULL: none. */
static const char *maker_of(const struct commands *commands, const struct part *part,
                            const char *path)
{
    size_t count, words;
    char *const *list = commands_of(commands, part, &count);
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        char **line = list_words(list[i], '\'', &words);
        for (size_t k = 1; k < words; k++) {
            char *target =
                memory_format("%s%s%s", part->in, part->in[0] != '\0' ? "/" : "", line[k]);
            size_t length = strlen(target);
            if ((strcmp(line[k - 1], "-o") == 0 || strcmp(line[k - 1], ">") == 0) &&
                strncmp(path, target, length) == 0 && strchr("/", path[length]) != NULL)
                found = list[i];
            free(target);
        }
        free(line);
    }
    return found;
}

/* Why there is no result of a command; NULL: there is one, or it is not known. */
static char *why_missing(const struct reproduction *reproduction, const struct part *part,
                         const char *command)
{
    const struct table_value *row =
        command != NULL ? commands_row(&reproduction->commands.done, part->name, command) : NULL;
    if (part->elsewhere != NULL)
        return memory_text(part->elsewhere);
    if (command != NULL && !commands_can_run(&reproduction->commands, command))
        return memory_format("the part %s needs --zookeeper", part->name);
    if (row == NULL)
        return memory_text("the command has not run");
    uint64_t status = row[command_row_status].count;
    if (status == 2 || status == 3 || status > 4)
        return memory_format("the command ended with exit status %llu: see output.txt",
                             (unsigned long long)status);
    return NULL;
}

static char *format_number(double number)
{
    char text[32];
    if (!isfinite(number))
        return memory_text("");
    if (fabs(number) < WHOLE_MAX && round(number) == number)
        return memory_format("%s%s", number < 0 ? "-" : "",
                             text_format_count((uint64_t)fabs(number), text, sizeof text));
    return memory_format("%.4g", number);
}

static struct table_value number_or_word(const struct evidence *evidence)
{
    char *text = evidence->differ          ? memory_text("several")
                 : evidence->why != NULL   ? memory_text("")
                 : evidence->words != NULL ? memory_text(evidence->words)
                                           : format_number(evidence->value);
    struct table_value value = table_text(text);
    free(text);
    return value;
}

static void put_command(struct reproduction *reproduction, const struct part *part,
                        const char *command, struct table_value *row)
{
    const struct table_value *done =
        command != NULL ? commands_row(&reproduction->commands.done, part->name, command) : NULL;
    row[reproduced_row_part] = table_text(part->name);
    row[reproduced_row_command] = table_text(command);
    if (done != NULL) {
        row[reproduced_row_minutes] = table_real(done[command_row_seconds].real / 60);
        row[reproduced_row_memory_mib] = done[command_row_memory_mib];
    }
}

static bool is_same_machine(const struct commands *commands)
{
    char cpu[200];
    uint64_t cores;
    commands_machine(cpu, sizeof cpu, &cores);
    const struct table_value *row =
        commands->before.rows > 0 ? table_row(&commands->before, 0) : NULL;
    return row != NULL && strcmp(row[command_row_cpu].text, cpu) == 0 &&
           row[command_row_cores].count == cores;
}

static void judge_one(struct reproduction *reproduction, const struct figure *figure,
                      const struct part *part, const char *path, bool same_machine)
{
    static const char *const kinds[] = {
        [FIGURE_EXACT] = "exact", [FIGURE_MEASURED] = "measured", [FIGURE_VERDICT] = "verdict"};
    const char *why, *command = maker_of(&reproduction->commands, part, path);
    struct evidence expected =
                        evidence_take(figure, &(struct results){reproduction->reference, NULL}),
                    found = evidence_take(
                        figure, &(struct results){reproduction->folder, &reproduction->parts});
    char *missing =
        found.why != NULL && !found.differ ? why_missing(reproduction, part, command) : NULL;
    enum reproduced verdict = judge_figure(figure, &expected, &found, same_machine, &why);
    struct table_value *row = table_add(&reproduction->found);
    row[reproduced_row_document] = table_text(figure->document);
    row[reproduced_row_claim] = table_text(figure->sentence);
    put_command(reproduction, part, command, row);
    row[reproduced_row_kind] = table_text(kinds[figure->kind]);
    row[reproduced_row_expected] = number_or_word(&expected);
    row[reproduced_row_expected_low] = table_real(expected.low);
    row[reproduced_row_expected_high] = table_real(expected.high);
    row[reproduced_row_found] = number_or_word(&found);
    row[reproduced_row_found_low] = table_real(found.low);
    row[reproduced_row_found_high] = table_real(found.high);
    row[reproduced_row_verdict] = table_text(reproduced_words[verdict]);
    row[reproduced_row_reason] = table_text(missing != NULL ? missing : why);
    reproduction->counts[verdict]++;
    free(missing);
    evidence_deinit(&expected);
    evidence_deinit(&found);
}

void reproduction_judge(struct reproduction *reproduction)
{
    bool same_machine = is_same_machine(&reproduction->commands);
    figures_expand_verdicts(&reproduction->figures,
                            &(struct results){reproduction->reference, NULL});
    for (size_t i = 0; i < reproduction->figures.count; i++) {
        const struct figure *figure = &reproduction->figures.list[i];
        char *path = NULL;
        size_t count = 0;
        const struct part *part = parts_of(&reproduction->parts, figure, &path);
        if (part != NULL)
            (void)commands_of(&reproduction->commands, part, &count);
        bool judged = part != NULL && part->wanted &&
                      (!reproduction->quick || (count > 0 && figure->kind != FIGURE_MEASURED));
        if (judged)
            judge_one(reproduction, figure, part, path, same_machine);
        reproduction->left_out += !judged;
        free(path);
    }
}

/* ------------------------------------------------------------------ the table */

/* A number or a word, with its interval. */
static void write_value(const char *what, const struct table_value *value)
{
    double low = table_number(&value[1]), high = table_number(&value[2]);
    printf(" %s ", what);
    if (value[0].kind != TABLE_TEXT || value[0].text[0] == '\0')
        fputs("nothing", stdout);
    else if (isfinite(low) && isfinite(high))
        printf("%s (%.3g to %.3g)", value[0].text, low, high);
    else
        fputs(value[0].text, stdout);
}

static const char *text_of(const struct table_value *value)
{
    return value->kind == TABLE_TEXT ? value->text : "";
}

static void write_figure(const struct table_value *row)
{
    const char *reason = text_of(&row[reproduced_row_reason]);
    printf("  %-19s", text_of(&row[reproduced_row_verdict]));
    write_value("expected", &row[reproduced_row_expected]);
    fputc(',', stdout);
    write_value("found", &row[reproduced_row_found]);
    fputc('\n', stdout);
    if (reason[0] != '\0') {
        printf("%22s", "");
        wrap_write(reason, 22, stdout);
    }
}

static bool differs(const struct table_value *row, const struct table_value *last,
                    enum reproduced_row_column column)
{
    return last == NULL || strcmp(text_of(&row[column]), text_of(&last[column])) != 0;
}

/* The command if it is another one than that of the row before, the claim if it is another one. */
static void write_heads(const struct table_value *row, const struct table_value *last)
{
    bool other =
        differs(row, last, reproduced_row_command) || differs(row, last, reproduced_row_part);
    const char *command = text_of(&row[reproduced_row_command]);
    if (other) {
        char *line = memory_format("%s: zkherd %s", text_of(&row[reproduced_row_part]), command);
        fputc('\n', stdout);
        wrap_hanging(command[0] != '\0' ? line : text_of(&row[reproduced_row_part]), stdout);
        free(line);
        if (row[reproduced_row_minutes].kind == TABLE_REAL)
            printf("%.1f minutes, %.0f MiB of memory\n", row[reproduced_row_minutes].real,
                   row[reproduced_row_memory_mib].real);
    }
    if (other || differs(row, last, reproduced_row_claim) ||
        differs(row, last, reproduced_row_document)) {
        char *line = memory_format("%s: %s", text_of(&row[reproduced_row_document]),
                                   text_of(&row[reproduced_row_claim]));
        fputc('\n', stdout);
        wrap_write(line, 0, stdout);
        free(line);
    }
}

/* With --quiet what is reproduced is left out. */
static void write_rows(const struct reproduction *reproduction)
{
    const struct table_value *last = NULL;
    for (size_t i = 0; i < reproduction->found.rows; i++) {
        const struct table_value *row = table_row(&reproduction->found, i);
        const char *verdict = text_of(&row[reproduced_row_verdict]);
        bool good = strcmp(verdict, reproduced_words[REPRODUCED_EQUAL]) == 0 ||
                    strcmp(verdict, reproduced_words[REPRODUCED_WITHIN]) == 0;
        if (reproduction->quiet && good)
            continue;
        write_heads(row, last);
        write_figure(row);
        last = row;
    }
}

void tell_table(const struct reproduction *reproduction)
{
    const size_t *counts = reproduction->counts;
    write_rows(reproduction);
    if (reproduction->quiet)
        return;
    wrap_sentence(stdout,
                  "\n%zu equal, %zu within their intervals, %zu different, %zu undetermined",
                  counts[REPRODUCED_EQUAL], counts[REPRODUCED_WITHIN], counts[REPRODUCED_DIFFERENT],
                  counts[REPRODUCED_UNDETERMINED]);
    if (reproduction->left_out > 0)
        printf("%zu figures left out, by --quick or --only\n", reproduction->left_out);
    if (reproduction->cut_short)
        puts("interrupted: the same command goes on with what is missing");
    printf("\nresults in %s\n", reproduction->named);
}

/* ------------------------------------------------------------------ what is needed */

struct needs {
    double minutes, memory_mib, disk_mib;
    bool known; /* for all commands */
};

static struct needs needs_of(const struct commands *commands, const struct table *table,
                             const struct part *part)
{
    struct needs needs = {.known = true};
    size_t count;
    char *const *list = commands_of(commands, part, &count);
    for (size_t i = 0; i < count; i++) {
        const struct table_value *row = commands_row(table, part->name, list[i]);
        needs.known = needs.known && row != NULL;
        if (row == NULL)
            continue;
        needs.minutes += row[command_row_seconds].real / 60;
        needs.memory_mib = fmax(needs.memory_mib, row[command_row_memory_mib].real);
        needs.disk_mib += row[command_row_disk_mib].real;
    }
    return needs;
}

static void write_needs(const char *name, const struct needs *needs, const char *about)
{
    if (needs->known)
        printf("%-10s%8.1f%12.0f%10.0f  ", name, needs->minutes, needs->memory_mib,
               needs->disk_mib);
    else
        printf("%-10s%8s%12s%10s  ", name, "-", "-", "-");
    wrap_write(about, 42, stdout);
}

void tell_requirements(const struct reproduction *reproduction)
{
    struct needs all = {.known = true};
    const struct commands *commands = &reproduction->commands;
    const struct table_value *first =
        commands->before.rows > 0 ? table_row(&commands->before, 0) : NULL;
    printf("%-10s%8s%12s%10s  %s\n", "part", "minutes", "memory, MiB", "disk, MiB", "what");
    for (size_t i = 0; i < reproduction->parts.count; i++) {
        const struct part *part = &reproduction->parts.list[i];
        size_t count;
        (void)commands_of(commands, part, &count);
        if (count == 0 || !part->wanted)
            continue;
        struct needs needs = needs_of(commands, &commands->before, part);
        write_needs(part->name, &needs, part->about);
        all.minutes += needs.minutes;
        all.memory_mib = fmax(all.memory_mib, needs.memory_mib);
        all.disk_mib += needs.disk_mib;
        all.known = all.known && needs.known;
    }
    write_needs("in all", &all, "");
    if (first != NULL)
        wrap_sentence(stdout,
                      "\nMeasured on %llu cores of %s. -: not measured. Memory is the most "
                      "at a time, with the servers.",
                      (unsigned long long)first[command_row_cores].count,
                      first[command_row_cpu].text);
    wrap_sentence(
        stdout,
        "\nLinux on any architecture with Java and the Apache C client; two cores or more; no "
        "network but 127.0.0.1. Root, or a cgroup in which this user may create others, "
        "for paper and ensembles, which give each server a share of the cores: without it "
        "their figures are undetermined. The part versions needs releases (--zookeeper), "
        "which make zookeepers fetches.");
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_parts(const struct reproduction *reproduction)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < reproduction->parts.count; i++) {
        const struct part *part = &reproduction->parts.list[i];
        struct needs needs = needs_of(&reproduction->commands, &reproduction->commands.done, part);
        if (part->wanted)
            json_array_append_new(parts,
                                  json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "part", part->name,
                                            "about", part->about, "complete", (int)needs.known,
                                            "minutes", json_result_real(needs.minutes),
                                            "memory_mib", json_result_real(needs.memory_mib),
                                            "disk_mib", json_result_real(needs.disk_mib)));
    }
    return parts;
}

void tell_json(const struct reproduction *reproduction)
{
    const size_t *counts = reproduction->counts;
    json_t *figures = json_array();
    for (size_t i = 0; i < reproduction->found.rows; i++) {
        json_t *figure = json_object();
        json_result_set_row(figure, &reproduced_row_table, table_row(&reproduction->found, i), 0,
                            reproduced_row_columns_count - 1);
        json_array_append_new(figures, figure);
    }
    json_result_write(
        json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "figures", figures, "parts",
                  describe_parts(reproduction), "equal", (json_int_t)counts[REPRODUCED_EQUAL],
                  "within", (json_int_t)counts[REPRODUCED_WITHIN], "different",
                  (json_int_t)counts[REPRODUCED_DIFFERENT], "undetermined",
                  (json_int_t)counts[REPRODUCED_UNDETERMINED], "left_out",
                  (json_int_t)reproduction->left_out, "interrupted", (int)reproduction->cut_short,
                  "folder", json_text(reproduction->named)),
        stdout);
}
