// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A longer label would fill a sentence: it is named by its letter. */
#define LABEL_IN_SENTENCE 24

/* ------------------------------------------------------------------ sides */

/* The label, or the letter if that is long. */
static void say_label(struct growing_text *sentence, const struct side *side)
{
    char label[SIDE_LABEL_SIZE];
    printable_text(side->label, label, sizeof label);
    growing_text_add(sentence, "%s", strlen(label) <= LABEL_IN_SENTENCE ? label : side->letter);
}

static void say_servers(struct growing_text *sentence, const struct side *side)
{
    growing_text_add(sentence, "%llu server%s", (unsigned long long)side->servers,
                     side->servers == 1 ? "" : "s");
}

/* "3 servers" if that tells the sides apart, else the label. */
static void say_side(struct growing_text *sentence, const struct comparison *comparison,
                     const struct side *side)
{
    bool by_servers = true;
    for (size_t i = 0; i < comparison->side_count; i++) {
        const struct side *other = &comparison->sides[i];
        by_servers = by_servers && (other == side || other->servers != side->servers);
    }
    if (by_servers)
        say_servers(sentence, side);
    else
        say_label(sentence, side);
}

/* "3.9.3" if that tells the two sides apart, else the label. */
static void say_release(struct growing_text *sentence, const struct side *side,
                        const struct side *other)
{
    char shown[128];
    if (side->version != NULL && other->version != NULL &&
        strcmp(side->version, other->version) != 0)
        growing_text_add(sentence, "%s", printable_text(side->version, shown, sizeof shown));
    else
        say_label(sentence, side);
}

/* ------------------------------------------------------------------ figures */

void say_interval(struct growing_text *sentence, const struct overall *overall)
{
    char low[RATIO_SIZE], high[RATIO_SIZE];
    if (isfinite(overall->ratio.low))
        growing_text_add(sentence, " (%.3g %% CI %s to %s)", 100 * overall->confidence,
                         ratio_put(overall->ratio.low, low), ratio_put(overall->ratio.high, high));
}

void say_sizes(struct growing_text *sentence, const struct comparison *comparison,
               const struct overall *overall)
{
    char size[32];
    const char *word = comparison_size_word(comparison);
    if (overall->sizes == 1 && strcmp(word, "size") == 0)
        growing_text_add(sentence, " at size %s",
                         text_format_count(overall->only, size, sizeof size));
    else if (overall->sizes == 1)
        growing_text_add(sentence, " at %s %s", text_format_count(overall->only, size, sizeof size),
                         word);
    else if (overall->left_out == 0 && overall->sizes == 2)
        growing_text_add(sentence, " over both sizes");
    else if (overall->left_out == 0)
        growing_text_add(sentence, " over all %zu sizes", overall->sizes);
    else
        growing_text_add(sentence, " over %zu of %zu sizes", overall->sizes,
                         overall->sizes + overall->left_out);
}

static enum ratio_mark mark_of(const struct overall *overall)
{
    if (!isfinite(overall->ratio.low))
        return RATIO_UNKNOWN;
    return overall->ratio.low > 1 || overall->ratio.high < 1 ? RATIO_MARKED : RATIO_PLAIN;
}

static bool is_of(const struct ratio_cell *cell, const struct overall *overall)
{
    return cell->side == overall->side && strcmp(cell->place->group, overall->group) == 0;
}

/* The sizes at which the ratio is marked, unless it is so at all of them, or at none. */
static void say_marked(struct growing_text *sentence, const struct comparison *comparison,
                       const struct overall *overall)
{
    struct growing_text marked = {0};
    size_t count = 0, cells = 0;
    char size[32];
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        if (!is_of(cell, overall))
            continue;
        cells++;
        if (cell->of[overall->metric].mark == RATIO_MARKED)
            growing_text_add(&marked, "%s%s", count++ > 0 ? ", " : "",
                             text_format_count(cell->place->size, size, sizeof size));
    }
    if (count > 0 && count < cells)
        growing_text_add(sentence, "; marked at %s %s", marked.text,
                         comparison_size_word(comparison));
    free(marked.text);
}

/* ------------------------------------------------------------------ times */

/* Which of two releases is better, before the ratio that says so. */
static void say_releases(struct growing_text *sentence, const struct comparison *comparison,
                         const struct overall *overall)
{
    static const char *const words[][2] = {
        [RATIO_UNKNOWN] = {"too few trials to tell ", " from "},
        [RATIO_PLAIN] = {"no difference is shown between ", " and "},
        [RATIO_MARKED] = {"handoffs are shorter with ", " than with "}};
    const struct side *side = overall->side;
    enum ratio_mark mark = mark_of(overall);
    bool is_longer = mark == RATIO_MARKED && overall->ratio.value > 1;
    char text[RATIO_SIZE];
    growing_text_add(sentence, "%s", is_longer ? "handoffs are longer with " : words[mark][0]);
    say_release(sentence, side, side->base);
    growing_text_add(sentence, "%s", words[mark][1]);
    say_release(sentence, side->base, side);
    growing_text_add(sentence, ": the median takes %s times as long",
                     ratio_put(overall->ratio.value, text));
    say_interval(sentence, overall);
    say_sizes(sentence, comparison, overall);
}

static void say_times(struct growing_text *sentence, const struct comparison *comparison,
                      const struct overall *overall)
{
    const struct side *side = overall->side;
    enum ratio_mark mark = mark_of(overall);
    char text[RATIO_SIZE];
    if (comparison->is_of_runs)
        growing_text_add(sentence, "the median handoff takes %s times as long on ",
                         ratio_put(overall->ratio.value, text));
    else
        growing_text_add(sentence, "%s is %s times as large on ",
                         comparison->metrics[overall->metric].name,
                         ratio_put(overall->ratio.value, text));
    say_side(sentence, comparison, side);
    if (side->base != comparison->sides ||
        (comparison->releases_vary && comparison->servers_vary)) {
        growing_text_add(sentence, " as on ");
        say_side(sentence, comparison, side->base);
    }
    say_interval(sentence, overall);
    say_sizes(sentence, comparison, overall);
    if (mark == RATIO_UNKNOWN)
        growing_text_add(sentence, "; too few trials for an interval");
    else if (mark == RATIO_PLAIN)
        growing_text_add(sentence, ": this may be chance");
}

/* ------------------------------------------------------------------ counts */

static void say_exact_counts(struct growing_text *sentence, const struct comparison *comparison,
                             const struct overall *overall)
{
    size_t compared = 0, differ = 0, cells = 0;
    char clients[32];
    for (size_t i = 0; i < comparison->cell_count; i++) {
        const struct ratio_cell *cell = &comparison->cells[i];
        if (!is_of(cell, overall))
            continue;
        cells++;
        compared += cell->of[0].is_compared;
        if (cell->counts_differ)
            growing_text_add(sentence, "%s%s", differ++ == 0 ? "the counts DIFFER at " : ", ",
                             text_format_count(cell->place->size, clients, sizeof clients));
    }
    growing_text_add(sentence, "%s",
                     differ > 0     ? " clients"
                     : compared > 0 ? "the counts are equal"
                                    : "no counts can be compared");
    if (compared > 0 && compared < cells)
        growing_text_add(sentence, " (compared at %zu of %zu client counts)", compared, cells);
}

/* For runs in free pace: how many times as many RPCs. */
static void say_rpcs(struct growing_text *sentence, const struct comparison *comparison,
                     const struct overall *overall)
{
    struct overall rpcs =
        comparison_over(comparison, overall->group, overall->side, 0, NULL, overall->confidence);
    char text[RATIO_SIZE];
    growing_text_add(sentence, "%s times as many RPCs", ratio_put(rpcs.ratio.value, text));
    say_interval(sentence, &rpcs);
}

/* ------------------------------------------------------------------ findings */

/* For a plan: the largest size that passed on each side. */
static void say_answers(struct growing_text *sentence, const struct overall *overall)
{
    const struct side *const pair[] = {overall->side->base, overall->side};
    for (size_t i = 0; i < 2; i++) {
        const struct table *answers = &pair[i]->answers;
        size_t name = answers->type != NULL ? kind_column(answers->type, "recipe") : SIZE_MAX;
        for (size_t row = 0; row < answers->rows; row++) {
            const struct table_value *values = table_row(answers, row);
            const struct table_value *passed = &values[kind_column(answers->type, "passed")];
            const struct table_value *unknown = &values[kind_column(answers->type, "unknown")];
            char count[32];
            if (strcmp(values[name].text, overall->group) == 0)
                growing_text_add(sentence, "; in %s %s %s passed", pair[i]->letter,
                                 passed->kind == TABLE_COUNT && passed->count > 0
                                     ? text_format_count(passed->count, count, sizeof count)
                                     : "no",
                                 unknown->kind == TABLE_TEXT ? unknown->text : "");
        }
    }
}

/* ------------------------------------------------------------------ the sentences */

static void write_sentence(const struct comparison *comparison, const struct overall *overall)
{
    struct growing_text sentence = {0};
    const struct side *side = overall->side;
    bool of_releases = comparison->is_of_runs && side->servers == side->base->servers &&
                       sides_differ_in_release(side, side->base);
    growing_text_add(&sentence, "%s", overall->group);
    if (of_releases && comparison->servers_vary) {
        growing_text_add(&sentence, " on ");
        say_servers(&sentence, side);
    }
    growing_text_add(&sentence, ": ");
    if (overall->sizes == 0) {
        growing_text_add(&sentence, "no %stimes can be compared on ",
                         comparison->is_of_runs ? "handoff " : "");
        say_side(&sentence, comparison, side);
    } else if (of_releases) {
        say_releases(&sentence, comparison, overall);
    } else {
        say_times(&sentence, comparison, overall);
    }
    say_marked(&sentence, comparison, overall);
    if (comparison->is_of_runs) {
        growing_text_add(&sentence, "; ");
        if (comparison->exact)
            say_exact_counts(&sentence, comparison, overall);
        else
            say_rpcs(&sentence, comparison, overall);
    }
    say_answers(&sentence, overall);
    wrap_hanging(sentence.text, stdout);
    free(sentence.text);
}

/* What the intervals do not know. */
static void write_caution(const struct comparison *comparison)
{
    bool shared = true;
    for (size_t i = 1; i < comparison->side_count; i++)
        shared = shared && sides_share_drift(comparison->sides[i].base, &comparison->sides[i]);
    if (!shared)
        wrap_sentence(stdout,
                      "Runs made one after the other drift: two of the same thing have differed "
                      "by 0.57 times (0.43 to 0.76). Compare topologies or releases in one run "
                      "where you can: run --servers 1,3, run --zookeeper A,B.");
}

static void write_noise(const struct side *side)
{
    char label[SIDE_LABEL_SIZE];
    if (side->disturbed > 0)
        wrap_sentence(
            stdout,
            "Other programs disturbed %zu of the %zu trials of %s: its times are those of "
            "the machine as much as ZooKeeper's.",
            side->disturbed, side->run.trials.rows,
            printable_text(side->label, label, sizeof label));
}

void comparison_conclude(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->overall_count; i++)
        write_sentence(comparison, &comparison->overall[i]);
    if (comparison->overall_count > 1 && comparison->marked_of > 0)
        wrap_sentence(stdout, "These %zu intervals hold with 95 %% at once.",
                      comparison->overall_count);
    write_caution(comparison);
    for (size_t i = 0; i < comparison->side_count; i++)
        write_noise(&comparison->sides[i]);
    if (comparison->result_count > 0)
        putchar('\n');
    for (size_t i = 0; i < comparison->result_count; i++) {
        struct growing_text sentence = {0};
        gate_say(comparison, &comparison->results[i], &sentence);
        wrap_hanging(sentence.text, stdout);
        free(sentence.text);
    }
}
