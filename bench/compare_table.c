// SPDX-License-Identifier: Apache-2.0
#include "bench/compare_table.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define WIDTH 99
/* A longer label would fill a sentence: it is named by its letter. */
#define LABEL_IN_SENTENCE 24

/* ------------------------------------------------------------------ the sides */

void compare_table_write_sides(const struct sides *sides, FILE *stream)
{
    for (size_t i = 0; i < sides->count; i++) {
        const struct side *side = &sides->list[i];
        char line[SIDE_LABEL_SIZE + PATH_MAX + 128];
        size_t stand = 0;
        for (size_t j = 0; j < side->count; j++)
            stand += side->trials[j].times_stand;
        snprintf(line, sizeof line, "%c  %s: %zu trial%s on %llu server%s, ", sides_letter(i),
                 side->label, side->count, side->count == 1 ? "" : "s",
                 (unsigned long long)side->servers, side->servers == 1 ? "" : "s");
        size_t length = strlen(line);
        if (stand < side->count)
            length += (size_t)snprintf(line + length, sizeof line - length,
                                       "%zu of them with valid times, ", stand);
        snprintf(line + length, sizeof line - length, "in %s", side->run->folder);
        fprintf(stream, "%.*s%s\n", strlen(line) > WIDTH ? WIDTH - 3 : WIDTH, line,
                strlen(line) > WIDTH ? "..." : "");
    }
}

/* ------------------------------------------------------------------ the table */

/* In four columns at most: the table has room for no more. */
static const char *put_ratio(double ratio, char *text, size_t size)
{
    if (!isfinite(ratio))
        snprintf(text, size, "-");
    else if (ratio < 0.005)
        snprintf(text, size, "<.01");
    else if (ratio < 9.995)
        snprintf(text, size, "%.2f", ratio);
    else if (ratio < 9999.5)
        snprintf(text, size, "%.0f", ratio);
    else
        snprintf(text, size, ">1e4");
    return text;
}

static char mark_of(const struct ratio *ratio)
{
    return ratio->mark == RATIO_MARKED ? '*' : ' ';
}

/* "1.81 (1.60-2.04)*" in 18 columns. */
static void write_wide(const struct ratio *ratio, FILE *stream)
{
    char value[16], low[16], high[16], interval[40] = "";
    put_ratio(ratio->ratio.value, value, sizeof value);
    if (isfinite(ratio->ratio.low))
        snprintf(interval, sizeof interval, "(%s-%s)", put_ratio(ratio->ratio.low, low, sizeof low),
                 put_ratio(ratio->ratio.high, high, sizeof high));
    fprintf(stream, " %5s %11s%c", value, interval, mark_of(ratio));
}

static void write_narrow(const struct ratio *ratio, FILE *stream)
{
    char value[16];
    fprintf(stream, " %6s%c", put_ratio(ratio->ratio.value, value, sizeof value), mark_of(ratio));
}

static bool counts_are_compared(const struct ratio_cell *cell)
{
    return ratios_is_compared(&cell->of[RATIO_RPCS]);
}

static void write_counts(const struct ratios *ratios, const struct ratio_cell *cell, FILE *stream)
{
    char text[16];
    const struct ratio *rpcs = &cell->of[RATIO_RPCS];
    if (!counts_are_compared(cell))
        fprintf(stream, " %7s", "-");
    else if (ratios->exact)
        fprintf(stream, " %7s", ratios_counts_differ(ratios, cell) ? "DIFFER" : "equal");
    else
        fprintf(stream, " %6s%c", put_ratio(rpcs->ratio.value, text, sizeof text), mark_of(rpcs));
}

void compare_table_write(const struct ratios *ratios, FILE *stream)
{
    bool interval = false;
    fprintf(stream, "%-15s %7s %4s %7s %18s %18s %6s %7s %7s\n", "recipe", "clients", "pair",
            ratios->exact ? "counts" : "RPCs", "handoff p50      ", "drain         ", "p99", "rate",
            "CPU");
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        fprintf(stream, "%-15s %7llu  %c/A", cell->recipe, (unsigned long long)cell->clients,
                sides_letter(cell->side));
        write_counts(ratios, cell, stream);
        write_wide(&cell->of[RATIO_HANDOFF_P50], stream);
        write_wide(&cell->of[RATIO_DRAIN], stream);
        write_narrow(&cell->of[RATIO_HANDOFF_P99], stream);
        write_narrow(&cell->of[RATIO_HANDOFFS_PER_S], stream);
        write_narrow(&cell->of[RATIO_SERVER_CPU], stream);
        fputc('\n', stream);
        interval = interval || isfinite(cell->of[RATIO_HANDOFF_P50].ratio.low);
    }
    fputs(
        "Ratios to A. p99: of the handoff latency; rate: handoffs a second; CPU: of the server, a "
        "handoff.\n",
        stream);
    fputs(interval ? "(low-high): 95 % over trials; * where it excludes 1. All intervals are in "
                     "compare.csv.\n"
                   : "Too few trials for intervals: they take 5 on each side.\n",
          stream);
}

/* ------------------------------------------------------------------ sentences */

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

static void print_broken(const char *text, FILE *stream)
{
    const char *indent = "";
    size_t width = WIDTH;
    while (strlen(text) > width) {
        size_t end = width;
        while (end > 0 && text[end] != ' ')
            end--;
        if (end == 0)
            end = width;
        fprintf(stream, "%s%.*s\n", indent, (int)end, text);
        text += end + (text[end] == ' ');
        indent = "    ";
        width = WIDTH - 4;
    }
    fprintf(stream, "%s%s\n", indent, text);
}

/* "3 servers" if that tells the sides apart, else the label, or the letter if that is long. */
static void say_side(struct sentence *sentence, const struct sides *sides, size_t at)
{
    const struct side *side = &sides->list[at];
    bool by_servers = true;
    for (size_t i = 0; i < sides->count; i++)
        by_servers = by_servers && (i == at || sides->list[i].servers != side->servers);
    if (by_servers)
        say(sentence, "%llu server%s", (unsigned long long)side->servers,
            side->servers == 1 ? "" : "s");
    else if (strlen(side->label) <= LABEL_IN_SENTENCE)
        say(sentence, "%s", side->label);
    else
        say(sentence, "%c", sides_letter(at));
}

static void say_interval(struct sentence *sentence, const struct ratio *ratio)
{
    char low[16], high[16];
    if (isfinite(ratio->ratio.low))
        say(sentence, " (%s to %s)", put_ratio(ratio->ratio.low, low, sizeof low),
            put_ratio(ratio->ratio.high, high, sizeof high));
}

static void say_handoff(struct sentence *sentence, const struct sides *sides,
                        const struct ratio_cell *cell)
{
    const struct ratio *handoff = &cell->of[RATIO_HANDOFF_P50];
    char text[16];
    say(sentence, "a handoff takes %s times as long on ",
        put_ratio(handoff->ratio.value, text, sizeof text));
    say_side(sentence, sides, cell->side);
    say_interval(sentence, handoff);
    say(sentence, " at %llu clients", (unsigned long long)cell->clients);
    if (handoff->mark == RATIO_UNKNOWN)
        say(sentence, ", with too few trials for an interval");
    else if (handoff->mark == RATIO_PLAIN)
        say(sentence, ", which may be chance");
}

static bool is_of(const struct ratio_cell *cell, const char *recipe, size_t side)
{
    return cell->side == side && strcmp(cell->recipe, recipe) == 0;
}

static void say_exact_counts(struct sentence *sentence, const struct ratios *ratios,
                             const char *recipe, size_t side)
{
    size_t compared = 0, differ = 0, cells = 0;
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        if (!is_of(cell, recipe, side))
            continue;
        cells++;
        compared += counts_are_compared(cell);
        if (ratios_counts_differ(ratios, cell))
            say(sentence, differ++ == 0 ? "the counts DIFFER at %llu" : ", %llu",
                (unsigned long long)cell->clients);
    }
    if (differ > 0)
        say(sentence, " clients");
    else
        say(sentence, compared > 0 ? "the counts are equal" : "no counts can be compared");
    if (compared > 0 && compared < cells)
        say(sentence, " (compared in %zu of %zu cells)", compared, cells);
}

static void say_counts(struct sentence *sentence, const struct ratio_cell *cell)
{
    const struct ratio *rpcs = &cell->of[RATIO_RPCS];
    char text[16];
    say(sentence, "%s times as many RPCs", put_ratio(rpcs->ratio.value, text, sizeof text));
    say_interval(sentence, rpcs);
}

/* The cell at the most clients where handoffs can be compared; else the last one. */
static const struct ratio_cell *cell_to_tell(const struct ratios *ratios, const char *recipe,
                                             size_t side)
{
    const struct ratio_cell *told = NULL, *last = NULL;
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        if (!is_of(cell, recipe, side))
            continue;
        last = cell;
        if (ratios_is_compared(&cell->of[RATIO_HANDOFF_P50]))
            told = cell;
    }
    return told != NULL ? told : last;
}

static void tell_one(const struct ratios *ratios, const struct sides *sides, const char *recipe,
                     size_t side, FILE *stream)
{
    struct sentence sentence = {0};
    const struct ratio_cell *cell = cell_to_tell(ratios, recipe, side);
    say(&sentence, "%s: ", recipe);
    if (ratios_is_compared(&cell->of[RATIO_HANDOFF_P50])) {
        say_handoff(&sentence, sides, cell);
    } else {
        say(&sentence, "no handoffs can be compared on ");
        say_side(&sentence, sides, side);
    }
    say(&sentence, "; ");
    if (ratios->exact)
        say_exact_counts(&sentence, ratios, recipe, side);
    else
        say_counts(&sentence, cell);
    print_broken(sentence.text, stream);
}

void compare_table_tell(const struct ratios *ratios, const struct sides *sides, FILE *stream)
{
    const struct past_run *run = sides->list[0].run;
    for (size_t r = 0; past_run_recipe(run, r) != NULL; r++) {
        for (size_t side = 1; side < sides->count; side++)
            tell_one(ratios, sides, past_run_recipe(run, r), side, stream);
    }
}

/* ------------------------------------------------------------------ failed verdicts */

/* "318", or "318 to 320" where the trials of one side differ already. */
static void write_span(struct interval span, FILE *stream)
{
    fprintf(stream, "%.0f", span.low);
    if (span.high > span.low)
        fprintf(stream, " to %.0f", span.high);
}

static void write_failed_trials(const struct sides *sides, FILE *stream)
{
    for (size_t i = 0; i < sides->count; i++) {
        const struct side *side = &sides->list[i];
        if (side->failed > 0)
            fprintf(stream,
                    "%c: the verdict fails: of %zu of its %zu trials, which are left out; see "
                    "'reason' in %s/trials.csv\n",
                    sides_letter(i), side->failed, side->count, side->run->folder);
    }
}

void compare_table_write_failures(const struct ratios *ratios, const struct sides *sides,
                                  FILE *stream)
{
    write_failed_trials(sides, stream);
    for (size_t i = 0; i < ratios->count; i++) {
        const struct ratio_cell *cell = &ratios->list[i];
        for (int metric = 0; ratios->exact && metric < RATIO_COUNTS; metric++) {
            const struct ratio *ratio = &cell->of[metric];
            if (ratio->mark != RATIO_MARKED)
                continue;
            fprintf(stream, "%s, %llu clients: the verdict fails: %s: ", cell->recipe,
                    (unsigned long long)cell->clients,
                    ratios_name(ratios, (enum ratio_metric)metric));
            write_span(ratio->a, stream);
            fputs(" in A, ", stream);
            write_span(ratio->b, stream);
            fprintf(stream, " in %c\n", sides_letter(cell->side));
        }
    }
}
