// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* A longer label would fill a sentence: it is named by its letter. */
#define LABEL_IN_SENTENCE 24

/* A sentence that is put together piece by piece, and broken where the line ends. */
struct sentence {
    char text[512];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence, const char *format,
                                                      ...)
{
    va_list arguments;
    size_t room = sizeof sentence->text - sentence->length;
    va_start(arguments, format);
    int wrote = vsnprintf(sentence->text + sentence->length, room, format, arguments);
    va_end(arguments);
    if (wrote > 0)
        sentence->length += (size_t)wrote < room ? (size_t)wrote : room - 1;
}

/* The label, or the letter if that is long. */
static void say_label(struct sentence *sentence, const struct compared_runs *compared, size_t at)
{
    char label[COMPARED_RUNS_LABEL_SIZE];
    if (strlen(printable_text(compared->list[at].label, label, sizeof label)) <= LABEL_IN_SENTENCE)
        say(sentence, "%s", label);
    else
        say(sentence, "%c", compared_runs_letter(at));
}

static void say_servers(struct sentence *sentence, const struct compared_run *side)
{
    say(sentence, "%llu server%s", (unsigned long long)side->servers,
        side->servers == 1 ? "" : "s");
}

/* "3 servers" if that tells the sides apart, else the label. */
static void say_side(struct sentence *sentence, const struct compared_runs *compared, size_t at)
{
    const struct compared_run *side = &compared->list[at];
    bool by_servers = true;
    for (size_t i = 0; i < compared->count; i++)
        by_servers = by_servers && (i == at || compared->list[i].servers != side->servers);
    if (by_servers)
        say_servers(sentence, side);
    else
        say_label(sentence, compared, at);
}

/* "3.9.3" if that tells the two sides apart, else the label. */
static void say_release(struct sentence *sentence, const struct compared_runs *compared, size_t at,
                        size_t other)
{
    const char *version = compared->list[at].version, *others = compared->list[other].version;
    char shown[128];
    if (version != NULL && others != NULL && strcmp(version, others) != 0)
        say(sentence, "%s", printable_text(version, shown, sizeof shown));
    else
        say_label(sentence, compared, at);
}

static void say_interval(struct sentence *sentence, const struct ratio *ratio)
{
    char low[16], high[16];
    if (isfinite(ratio->ratio.low))
        say(sentence, " (95 %% CI %s to %s)",
            compare_table_ratio(ratio->ratio.low, low, sizeof low),
            compare_table_ratio(ratio->ratio.high, high, sizeof high));
}

/* Whether a cell compares two releases on as many servers. */
static bool is_of_releases(const struct compared_runs *compared, const struct ratio_cell *cell)
{
    const struct compared_run *side = &compared->list[cell->side];
    const struct compared_run *base = &compared->list[cell->base];
    return side->servers == base->servers && compared_runs_differ_in_release(side, base);
}

/* Which of two releases is better, before the ratio that says so. */
static void say_better(struct sentence *sentence, const struct compared_runs *compared,
                       const struct ratio_cell *cell)
{
    const struct ratio *handoff = &cell->of[RATIO_HANDOFF_P50];
    static const char *const words[][2] = {
        [RATIO_UNKNOWN] = {"too few trials to tell ", " from "},
        [RATIO_PLAIN] = {"no difference is shown between ", " and "},
        [RATIO_MARKED] = {"handoffs are shorter with ", " than with "}};
    bool is_longer = handoff->mark == RATIO_MARKED && handoff->ratio.value > 1;
    say(sentence, "%s", is_longer ? "handoffs are longer with " : words[handoff->mark][0]);
    say_release(sentence, compared, cell->side, cell->base);
    say(sentence, "%s", words[handoff->mark][1]);
    say_release(sentence, compared, cell->base, cell->side);
    say(sentence, ": ");
}

static void say_releases(struct sentence *sentence, const struct compared_runs *compared,
                         const struct ratio_cell *cell)
{
    const struct ratio *handoff = &cell->of[RATIO_HANDOFF_P50];
    char text[32];
    say_better(sentence, compared, cell);
    say(sentence, "the median takes %s times as long",
        compare_table_ratio(handoff->ratio.value, text, sizeof text));
    say_interval(sentence, handoff);
    say(sentence, " at %s clients", text_format_count(cell->clients, text, sizeof text));
}

static void say_handoff(struct sentence *sentence, const struct compared_runs *compared,
                        const struct ratio_cell *cell)
{
    const struct ratio *handoff = &cell->of[RATIO_HANDOFF_P50];
    char text[32];
    say(sentence, "the median handoff takes %s times as long on ",
        compare_table_ratio(handoff->ratio.value, text, sizeof text));
    say_side(sentence, compared, cell->side);
    if (compared_runs_vary_in_release(compared) && compared_runs_vary_in_servers(compared)) {
        say(sentence, " as on ");
        say_side(sentence, compared, cell->base);
    }
    say_interval(sentence, handoff);
    say(sentence, " at %s clients", text_format_count(cell->clients, text, sizeof text));
    if (handoff->mark == RATIO_UNKNOWN)
        say(sentence, "; too few trials for an interval");
    else if (handoff->mark == RATIO_PLAIN)
        say(sentence, ": this may be chance");
}

static bool is_of(const struct ratio_cell *cell, const char *recipe, size_t side)
{
    return cell->side == side && strcmp(cell->recipe, recipe) == 0;
}

static void say_exact_counts(struct sentence *sentence, const struct ratios *ratios,
                             const char *recipe, size_t side)
{
    size_t compared = 0, differ = 0, cells = 0;
    char clients[32];
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        if (!is_of(cell, recipe, side))
            continue;
        cells++;
        compared += ratios_is_compared(&cell->of[RATIO_RPCS]);
        if (ratios_counts_differ(ratios, cell))
            say(sentence, differ++ == 0 ? "the counts DIFFER at %s" : ", %s",
                text_format_count(cell->clients, clients, sizeof clients));
    }
    if (differ > 0)
        say(sentence, " clients");
    else
        say(sentence, compared > 0 ? "the counts are equal" : "no counts can be compared");
    if (compared > 0 && compared < cells)
        say(sentence, " (compared at %zu of %zu client counts)", compared, cells);
}

static void say_counts(struct sentence *sentence, const struct ratio_cell *cell)
{
    const struct ratio *rpcs = &cell->of[RATIO_RPCS];
    char text[16];
    say(sentence, "%s times as many RPCs",
        compare_table_ratio(rpcs->ratio.value, text, sizeof text));
    say_interval(sentence, rpcs);
}

/* The cell at the most clients where handoffs can be compared; else the last one. */
static const struct ratio_cell *cell_to_tell(const struct ratios *ratios, const char *recipe,
                                             size_t side)
{
    const struct ratio_cell *compared = NULL, *last = NULL;
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        if (!is_of(cell, recipe, side))
            continue;
        last = cell;
        if (ratios_is_compared(&cell->of[RATIO_HANDOFF_P50]))
            compared = cell;
    }
    return compared != NULL ? compared : last;
}

static void tell_one(const struct ratios *ratios, const struct compared_runs *compared,
                     const char *recipe, size_t side, FILE *stream)
{
    struct sentence sentence = {0};
    const struct ratio_cell *cell = cell_to_tell(ratios, recipe, side);
    bool of_releases = is_of_releases(compared, cell);
    say(&sentence, "%s", recipe);
    if (of_releases && compared_runs_vary_in_servers(compared)) {
        say(&sentence, " on ");
        say_servers(&sentence, &compared->list[side]);
    }
    say(&sentence, ": ");
    if (of_releases && ratios_is_compared(&cell->of[RATIO_HANDOFF_P50])) {
        say_releases(&sentence, compared, cell);
    } else if (ratios_is_compared(&cell->of[RATIO_HANDOFF_P50])) {
        say_handoff(&sentence, compared, cell);
    } else {
        say(&sentence, "no handoff times can be compared on ");
        say_side(&sentence, compared, side);
    }
    say(&sentence, "; ");
    if (ratios->exact)
        say_exact_counts(&sentence, ratios, recipe, side);
    else
        say_counts(&sentence, cell);
    wrap_hanging(sentence.text, stream);
}

void compare_sentences_write(const struct ratios *ratios, const struct compared_runs *compared,
                             FILE *stream)
{
    const struct past_run *run = compared->list[0].run;
    for (size_t r = 0; past_run_recipe(run, r) != NULL; r++) {
        for (size_t side = 1; side < compared->count; side++)
            tell_one(ratios, compared, past_run_recipe(run, r), side, stream);
    }
}
