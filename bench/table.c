// SPDX-License-Identifier: Apache-2.0
#include "bench/table.h"

#include "base/text.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The trials of one cell. */
struct group {
    const struct sample *list[1024];
    size_t count;
};

static void gather(const struct samples *samples, const struct recipe *recipe, uint64_t clients,
                   struct group *group)
{
    group->count = 0;
    for (size_t i = 0; i < samples->count && group->count < 1024; i++) {
        const struct sample *sample = &samples->list[i];
        if (sample->cell.recipe == recipe && sample->cell.clients == clients)
            group->list[group->count++] = sample;
    }
}

static double median(const struct group *group, double (*value)(const struct sample *sample))
{
    double values[1024];
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        double one = value(group->list[i]);
        if (isfinite(one))
            values[count++] = one;
    }
    statistics_sort(values, count);
    return statistics_median(values, count);
}

static double kilobytes(const struct sample *sample)
{
    return sample_bytes(sample) / 1e3;
}

static double handoff_p50_ms(const struct sample *sample)
{
    return sample->handoff_us[0] / 1e3;
}

static double handoff_p99_ms(const struct sample *sample)
{
    return sample->handoff_us[2] / 1e3;
}

static void write_number(FILE *stream, double number, int width, int decimals)
{
    if (isfinite(number))
        fprintf(stream, " %*.*f", width, decimals, number);
    else
        fprintf(stream, " %*s", width, "-");
}

static void write_count(FILE *stream, double count, int width)
{
    char text[32];
    if (isfinite(count))
        fprintf(stream, " %*s", width,
                text_format_count((uint64_t)(count + 0.5), text, sizeof text));
    else
        fprintf(stream, " %*s", width, "-");
}

/* What is said of the counts of a cell: equal to the law, not, or without one. */
static const char *verdict_of(const struct group *group)
{
    bool has_law = true, valid = true;
    for (size_t i = 0; i < group->count; i++) {
        if (group->list[i]->violations > 0)
            return "FAILS";
        has_law = has_law && group->list[i]->has_law;
        valid = valid && group->list[i]->valid;
    }
    if (!valid)
        return "not valid";
    return has_law ? "= law" : "-";
}

/* Of the columns of counts. */
struct widths {
    int rpcs, creates, notifications, kilobytes;
};

/* As the largest count of any trial is wide, or as the column is by default. */
static int width_of(const struct samples *samples, double (*value)(const struct sample *sample),
                    int least)
{
    char text[32];
    double most = 0;
    for (size_t i = 0; i < samples->count; i++)
        most = fmax(most, value(&samples->list[i]));
    int width = (int)strlen(text_format_count((uint64_t)most, text, sizeof text));
    return width > least ? width : least;
}

static void write_titles(FILE *stream, const struct widths *widths)
{
    int before = 39 + widths->rpcs + widths->creates + widths->notifications + widths->kilobytes;
    fprintf(stream, "%*s%s\n", before, "", "drain   handoff, ms");
    fprintf(stream, "%-18s %7s %*s %-9s %*s %*s %*s %8s %7s %7s\n", "recipe", "clients",
            widths->rpcs, "RPCs", "verdict", widths->creates, "CREATEs", widths->notifications,
            "notifications", widths->kilobytes, "kB", "s", "p50", "p99");
}

static void write_group(FILE *stream, const struct recipe *recipe, uint64_t clients,
                        const struct group *group, const struct widths *widths)
{
    fprintf(stream, "%-18s %7llu", recipe->name, (unsigned long long)clients);
    write_count(stream, median(group, sample_rpcs), widths->rpcs);
    fprintf(stream, " %-9s", verdict_of(group));
    write_count(stream, median(group, sample_creates), widths->creates);
    write_count(stream, median(group, sample_notifications), widths->notifications);
    write_count(stream, median(group, kilobytes), widths->kilobytes);
    write_number(stream, median(group, sample_drain_s), 8, 3);
    write_number(stream, median(group, handoff_p50_ms), 7, 2);
    write_number(stream, median(group, handoff_p99_ms), 7, 2);
    fputc('\n', stream);
}

void table_write(const struct samples *samples, const struct options *options, FILE *stream)
{
    const struct widths widths = {
        .rpcs = width_of(samples, sample_rpcs, 10),
        .creates = width_of(samples, sample_creates, 9),
        .notifications = width_of(samples, sample_notifications, 13),
        .kilobytes = width_of(samples, kilobytes, 9),
    };
    struct group *group = malloc(sizeof *group);
    if (group == NULL)
        return;
    write_titles(stream, &widths);
    for (size_t r = 0; r < options->recipe_count; r++) {
        for (size_t i = 0; i < options->level_count; i++) {
            gather(samples, options->recipes[r], options->clients[i], group);
            if (group->count > 0)
                write_group(stream, options->recipes[r], options->clients[i], group, &widths);
        }
    }
    free(group);
}

static double handoff_of_ms(const struct group *group, enum role role)
{
    double values[1024];
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (isfinite(group->list[i]->handoff_of_us[role]))
            values[count++] = group->list[i]->handoff_of_us[role] / 1e3;
    }
    statistics_sort(values, count);
    return statistics_median(values, count);
}

static void write_roles_of(FILE *stream, const char *recipe, uint64_t clients,
                           const struct group *group)
{
    double ms[ROLES];
    unsigned roles = 0;
    for (int role = 0; role < ROLES; role++) {
        ms[role] = handoff_of_ms(group, (enum role)role);
        roles += isfinite(ms[role]) ? 1 : 0;
    }
    if (roles < 2)
        return;
    fprintf(stream, "%s, %llu clients: median handoff by the server of who is granted:", recipe,
            (unsigned long long)clients);
    const char *between = "";
    for (int role = 0; role < ROLES; role++) {
        if (!isfinite(ms[role]))
            continue;
        fprintf(stream, "%s %s %.2f ms", between, role_word((enum role)role), ms[role]);
        between = ",";
    }
    fputc('\n', stream);
}

void table_write_roles(const struct samples *samples, const struct options *options, FILE *stream)
{
    uint64_t most = options->clients[options->level_count - 1];
    struct group *group = malloc(sizeof *group);
    if (group == NULL)
        return;
    for (size_t r = 0; r < options->recipe_count; r++) {
        gather(samples, options->recipes[r], most, group);
        write_roles_of(stream, options->recipes[r]->name, most, group);
    }
    free(group);
}

void table_write_leaks(const struct samples *samples, const struct options *options, FILE *stream)
{
    for (size_t r = 0; r < options->recipe_count; r++) {
        long long watches = 0, ephemerals = 0;
        size_t trials = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const struct sample *sample = &samples->list[i];
            if (sample->cell.recipe != options->recipes[r] || sample->reconciled == RECONCILED_NA)
                continue;
            watches += sample->servers.watches_leaked;
            ephemerals += sample->servers.ephemerals_leaked;
            trials++;
        }
        if (watches != 0 || ephemerals != 0)
            fprintf(stream, "%s: left behind in %zu trial%s: %lld watch%s, %lld ephemeral%s\n",
                    options->recipes[r]->name, trials, trials == 1 ? "" : "s", watches,
                    watches == 1 ? "" : "es", ephemerals, ephemerals == 1 ? "" : "s");
    }
}

static const char *span_of(double least_s, double most_s, char *text, size_t size)
{
    char most[32];
    int length = snprintf(text, size, "%.3f", least_s);
    snprintf(most, sizeof most, "%.3f", most_s);
    if (strcmp(text, most) != 0)
        snprintf(text + length, size - (size_t)length, " to %s", most);
    return text;
}

void table_write_recoveries(const struct samples *samples, const struct options *options,
                            FILE *stream)
{
    for (size_t r = 0; r < options->recipe_count; r++) {
        double least_s = INFINITY, most_s = 0;
        char span[64];
        unsigned long long trials = 0;
        for (size_t i = 0; i < samples->count; i++) {
            const struct sample *sample = &samples->list[i];
            if (sample->cell.recipe != options->recipes[r] || !isfinite(sample->recovery_s))
                continue;
            least_s = fmin(least_s, sample->recovery_s);
            most_s = fmax(most_s, sample->recovery_s);
            trials++;
        }
        if (trials > 0)
            fprintf(stream, "%s: a session died in %llu trial%s; the next grant came after %s s\n",
                    options->recipes[r]->name, trials, trials == 1 ? "" : "s",
                    span_of(least_s, most_s, span, sizeof span));
    }
}

void table_write_failures(const struct samples *samples, const struct options *options,
                          FILE *stream)
{
    bool all_well = true;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->list[i];
        if (sample->violations == 0 && sample->valid)
            continue;
        all_well = false;
        fprintf(stream, "%s, %u clients, trial %u: %s: %s", sample->cell.recipe->name,
                sample->cell.clients, sample->cell.trial,
                sample->violations > 0 ? "the verdict fails" : "not valid", sample->reason);
        if (sample->violations > 1)
            fprintf(stream, " (and %u more)", sample->violations - 1);
        fputc('\n', stream);
    }
    if (!all_well && options->driver == DRIVER_SIMULATED)
        fprintf(stream, "--seed %llu replays this exactly\n", (unsigned long long)options->seed);
}
