// SPDX-License-Identifier: Apache-2.0
/* The pictures of all sources, which the scripts in plots/ have drawn, each with words for those
 * who do not see it and with its data as a table; and the handoffs of a trace to go through. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)
#define COLUMNS_MAX    32

/* Groups that are told; a reader of more reads the table. */
#define GROUPS_MAX 12

static const struct page_picture pictures[] = {
    {"rpcs", "trials.csv", "Requests against clients",
     "Both axes are logarithmic. A point is a trial; a line is the law of the recipe, if it has "
     "one.",
     "recipe clients trial rpcs law_rpcs violations valid", "recipe", "clients", "rpcs"},
    {"messages", "waiters.csv", "Notifications and CREATEs of a handoff against waiters",
     "Two panels, of notifications and of CREATE requests. The axes are logarithmic; below "
     "1, the vertical ones have 0. A point is a mean over handoffs, a line is the law.",
     "recipe waiters_low waiters_high waiters_mean handoffs notifications_mean "
     "law_notifications_mean creates_mean law_creates_mean rpcs_mean",
     "recipe", "waiters_mean", "notifications_mean"},
    {"bytes", "trials.csv", "Bytes sent and received against clients",
     "Both axes are logarithmic. A point is a trial, a line the fitted curve.",
     "recipe clients trial bytes_sent bytes_received violations valid", "recipe", "clients",
     "bytes_received"},
    {"handoff_latency", "waiters.csv", "Time of a handoff against waiters",
     "Both axes are logarithmic. A point is the median with its 95 % interval, larger for more "
     "handoffs; a dashed line joins the 99th percentiles.",
     "recipe waiters_low waiters_high waiters_mean timed handoff_p50_us handoff_p50_low_us "
     "handoff_p50_high_us handoff_p99_us",
     "recipe", "waiters_mean", "handoff_p50_us"},
    {"drain_time", "trials.csv", "Time from the first release to the last against clients",
     "Both axes are logarithmic. A point is a trial, near its number of clients; a line "
     "joins the medians; a cross is a trial that is not valid.",
     "recipe clients trial drain_s handoffs_per_s valid reason", "recipe", "clients", "drain_s"},
    {"anatomy", "trace.csv", "One handoff, message by message",
     "A panel for each recipe, all with the same number of waiters, and a line for each session. A "
     "bar reaches from a request to its reply, a dot is a notification; what sessions did that "
     "were "
     "woken and not granted the lock is grey.",
     "recipe clients trial lock handoff waiters time_us session event operation status latency_us "
     "wakes",
     "recipe", "session", "time_us"},
    {"background", "background.csv", "What the lock costs others",
     "The response times of the load in the background beside the lock, divided by those alone, "
     "against the clients of the lock: medians with their intervals, and 99th percentiles.",
     "recipe clients trials alone_p50_us contended_p50_us ratio_p50 ratio_p50_low ratio_p50_high "
     "alone_p99_us contended_p99_us ratio_p99 ratio_p99_low ratio_p99_high",
     "recipe", "clients", "ratio_p50"},
    {"load_reads", "cells.csv", "Throughput against the share of reads",
     "A curve for each number of sessions, and of servers, with 95 % intervals.",
     "servers mix reads_percent sessions rate_per_s trials valid achieved_per_s "
     "achieved_per_s_low achieved_per_s_high",
     "servers", "reads_percent", "achieved_per_s"},
    {"load_rate", "cells.csv", "Response and service times against the offered rate",
     "A panel for each number of sessions and share of reads: medians and 99th percentiles. A "
     "dashed line stands where the servers answer less than 95 % of what is offered.",
     "servers mix reads_percent sessions rate_per_s trials valid offered_per_s achieved_per_s "
     "response_p50_us response_p99_us service_p50_us service_p99_us",
     "servers", "rate_per_s", "response_p50_us"},
    {"load_fan_out", "cells.csv", "Times of notifications against sessions",
     "From the sending of a write to its first notification, to any and to its last one, and to "
     "its reply, with 95 % intervals; below them, how many sessions a write has notified.",
     "servers mix sessions rate_per_s trials valid fan_out_mean first_notification_p50_us "
     "notification_p50_us last_notification_p50_us set_service_p50_us",
     "servers", "sessions", "last_notification_p50_us"},
    {"load_timeline", "timeline.csv", "Operations and response times in every second",
     "Three panels for each cell, and a line for each trial. A cross is a second with errors, a "
     "triangle a snapshot; a dashed line marks what else happened to the servers.",
     "mix sessions rate_per_s trial second operations errors response_p50_us response_p99_us marks",
     "mix", "second", "operations"},
    {"paper_table1", "table1.csv", "Throughput against the share of reads, ours and the paper's",
     "Our curves with 95 % intervals, one for each number of servers; below them the paper's "
     "figures, which it has for all writes and all reads.",
     "servers reads_percent trials valid starved achieved_per_s achieved_per_s_low "
     "achieved_per_s_high paper_per_s",
     "servers", "reads_percent", "achieved_per_s"},
    {"paper_table2", "table2.csv", "Creates a second against workers, ours and the paper's",
     "Our curves with 95 % intervals, one for each number of servers; below them those of the "
     "paper.",
     "servers workers trials valid creates_per_s creates_per_s_low creates_per_s_high "
     "latency_mean_ms latency_mean_ms_low latency_mean_ms_high paper_per_s paper_latency_ms",
     "servers", "workers", "creates_per_s"},
    {"paper_table3", "table3.csv", "Time of barriers against their number, ours and the paper's",
     "A curve for each number of clients with its 95 % intervals, and a line of slope 1 through "
     "it; open points are the paper's figures.",
     "servers clients barriers trials valid seconds seconds_low seconds_high paper_seconds",
     "clients", "barriers", "seconds"},
    {"paper_figure8", "samples.csv", "Throughput while servers are killed and started again",
     "Operations a second in samples of 300 ms, a line for each trial. Of the first trial, dashed "
     "lines mark when servers are killed, dotted ones when they are started again.",
     "trial from_s reads writes operations_per_s", "trial", "from_s", "operations_per_s"},
    {"plan", "plan.csv", "The trials of the search",
     "A mark is a trial: a cross failed, a grey circle had no vote, any other mark passed. "
     "The dashed line is the limit of the objective. A band reaches from the largest size "
     "that passed to the smallest that failed.",
     "recipe step stage size samples over verdict measured_us p50_us p99_us handoffs_per_s "
     "gave_out",
     "recipe", "size", "measured_us"},
};

const struct page_picture *page_picture(size_t index)
{
    return index < sizeof pictures / sizeof pictures[0] ? &pictures[index] : NULL;
}

static FILE *open_picture(const struct page_source *source, const struct page_picture *picture)
{
    char path[FILE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/plots/%s.svg", source->folder, picture->name);
    return fopen(path, "re");
}

bool page_has_picture(const struct page_source *source, const struct page_picture *picture)
{
    FILE *file = open_picture(source, picture);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* ------------------------------------------------------------------ a picture */

/* The rows of each group with the least and the greatest y: where they are, with their x. */
static void put_groups(FILE *stream, const struct page_picture *picture,
                       const struct csv_reader *file)
{
    struct {
        const char *name;
        size_t least, greatest;
    } groups[GROUPS_MAX];
    size_t count = 0;
    for (size_t row = 0; row < file->rows; row++) {
        const char *name = page_text(file, row, picture->group);
        double y = page_number(file, row, picture->y);
        size_t i = 0;
        while (i < count && strcmp(groups[i].name, name) != 0)
            i++;
        if (i == GROUPS_MAX)
            continue;
        if (i == count) {
            groups[i].name = name;
            groups[i].least = groups[i].greatest = row;
            count++;
        }
        /* The first row of a group may have no y. */
        if (!(y >= page_number(file, groups[i].least, picture->y)) && !isnan(y))
            groups[i].least = row;
        if (!(y <= page_number(file, groups[i].greatest, picture->y)) && !isnan(y))
            groups[i].greatest = row;
    }
    for (size_t i = 0; i < count; i++) {
        size_t least = groups[i].least, greatest = groups[i].greatest;
        if (!isnan(page_number(file, least, picture->y)))
            html_format(stream, " %s %s: %s from %s (%s %s) to %s (%s %s).", picture->group,
                        groups[i].name, picture->y, page_text(file, least, picture->y), picture->x,
                        page_text(file, least, picture->x), page_text(file, greatest, picture->y),
                        picture->x, page_text(file, greatest, picture->x));
    }
}

/* What a picture contains cannot reach the page: a browser runs no script of an image, and loads
 * nothing for it. Can be scrolled by keyboard where it is wider than the screen. */
static void put_image(FILE *stream, const struct page_picture *picture,
                      const struct page_source *source, FILE *file)
{
    unsigned char part[3 * 4096];
    size_t got;
    fputs("<div class=\"picture\" role=\"group\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, picture->title);
    fputs("\">\n<img alt=\"", stream);
    html_text(stream, picture->about);
    put_groups(stream, picture, page_file(source, picture->file));
    fputs("\" src=\"data:image/svg+xml;base64,", stream);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        text_write_base64(part, got, stream);
    fputs("\"/>\n</div>\n", stream);
}

/* ------------------------------------------------------------------ the table behind it */

static size_t find_columns(const struct csv_reader *file, const char *names,
                           size_t columns[COLUMNS_MAX])
{
    size_t count = 0;
    while (*names != '\0' && count < COLUMNS_MAX) {
        char name[64];
        struct error error;
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (csv_reader_column(file, name, &columns[count], &error) == ERROR_NONE)
            count++;
        names += length + (names[length] == ' ');
    }
    return count;
}

static void put_rows(FILE *stream, const struct csv_reader *file, const char *names)
{
    size_t columns[COLUMNS_MAX];
    size_t count = find_columns(file, names, columns);
    for (size_t i = 0; i < count; i++)
        html_element(stream, "th scope=\"col\"", "%s", file->fields[columns[i]]);
    html_table_rows(stream);
    for (size_t row = 0; row < file->rows && row < PAGE_ROWS_MAX; row++) {
        fputs("<tr>", stream);
        for (size_t i = 0; i < count; i++) {
            const char *text = csv_reader_text(file, row, columns[i]);
            char *end;
            (void)strtod(text, &end);
            html_cell(stream, end != text && *end == '\0', text);
        }
        fputs("</tr>\n", stream);
    }
}

/* Folded away; a column that the file lacks is left out. alone: the page has room for the table on
 * paper. */
static void put_table(FILE *stream, const struct page_picture *picture,
                      const struct page_source *source, bool alone)
{
    const struct csv_reader *file = page_file(source, picture->file);
    const char *plural = file->rows == 1 ? "" : "s";
    fprintf(stream, "<details class=\"%s\">\n",
            alone && file->rows <= PAGE_PRINTED_MAX ? "short" : "long");
    html_element(stream, "summary", "The data: %zu row%s", file->rows, plural);
    if (file->rows > PAGE_ROWS_MAX)
        html_element(stream, "p", "The first %d rows; the file has all.", PAGE_ROWS_MAX);
    html_table_begin(stream, "%s: %s of %s", picture->title, picture->file, source->label);
    put_rows(stream, file, picture->columns);
    html_table_end(stream);
    fputs("</details>\n", stream);
    html_element(stream, "p class=\"paper\"", "%s: %s of %s: %zu row%s.", picture->title,
                 picture->file, source->label, file->rows, plural);
}

/* ------------------------------------------------------------------ the anatomy of a handoff */

static bool is_anatomy(const struct page_picture *picture)
{
    return strcmp(picture->name, "anatomy") == 0;
}

static bool is_same_handoff(const struct csv_reader *trace, size_t row, size_t other)
{
    static const char *const keys[] = {"recipe", "clients", "trial", "lock", "handoff"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(page_text(trace, row, keys[i]), page_text(trace, other, keys[i])) != 0)
            return false;
    }
    return true;
}

/* The rows of whole handoffs that the table has. */
static size_t count_whole(const struct csv_reader *trace)
{
    size_t rows = trace->rows;
    if (rows > PAGE_ROWS_MAX)
        rows = PAGE_ROWS_MAX;
    while (rows > 0 && rows < trace->rows && is_same_handoff(trace, rows - 1, PAGE_ROWS_MAX))
        rows--;
    return rows;
}

/* The handoffs to go through. */
static void put_anatomy(FILE *stream, const struct csv_reader *trace)
{
    size_t rows = count_whole(trace);
    if (rows == 0)
        return;
    char *count = memory_format("%zu", rows);
    char *cut = memory_format("<p>The first %zu of the %zu rows of trace.csv are drawn; a run that "
                              "traces fewer handoffs has all of them here.</p>\n",
                              rows, trace->rows);
    const struct html_slot slots[] = {
        {"rows", count}, {"cut", rows < trace->rows ? cut : ""}, {NULL, NULL}};
    html_frame(stream, anatomy_html, slots);
    free(count);
    free(cut);
}

/* ------------------------------------------------------------------ the sections */

/* Of a folder with pictures, one that it lacks had nothing to show. */
static bool is_shown(const struct page_picture *picture, const struct page_source *source)
{
    if (page_file(source, picture->file)->rows == 0 || page_has_picture(source, picture))
        return page_file(source, picture->file)->rows > 0;
    for (size_t i = 0; page_picture(i) != NULL; i++) {
        if (page_has_picture(source, page_picture(i)))
            return false;
    }
    return true;
}

static void write_figure(FILE *stream, const struct page_picture *picture,
                         const struct page_source *source, bool alone)
{
    FILE *file = open_picture(source, picture);
    fputs("<div>\n", stream);
    if (is_anatomy(picture))
        put_anatomy(stream, page_file(source, picture->file));
    fputs("<figure>\n", stream);
    if (file != NULL)
        put_image(stream, picture, source, file);
    else
        html_element(stream, "p", "Not drawn as SVG: zkherd plot draws it, if it can be drawn.");
    html_element(stream, "figcaption", "%s: %s", source->label, picture->about);
    fputs("</figure>\n", stream);
    put_table(stream, picture, source, alone);
    fputs("</div>\n", stream);
    if (file != NULL)
        fclose(file);
}

/* A picture once for every source that has it, side by side. */
static void write_row(FILE *stream, const struct page_picture *picture,
                      const struct page_sources *sources)
{
    bool begun = false;
    for (size_t i = 0; i < sources->count; i++) {
        if (!is_shown(picture, &sources->list[i]))
            continue;
        if (!begun && !is_anatomy(picture))
            html_element(stream, "h3", "%s", picture->title);
        fputs(begun ? "" : "<div class=\"row\">\n", stream);
        begun = true;
        write_figure(stream, picture, &sources->list[i], sources->count == 1);
    }
    fputs(begun ? "</div>\n" : "", stream);
}

void page_plots_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; page_picture(i) != NULL; i++) {
        if (!is_anatomy(page_picture(i)))
            write_row(stream, page_picture(i), sources);
    }
}

void page_anatomy_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; page_picture(i) != NULL; i++) {
        if (is_anatomy(page_picture(i)))
            write_row(stream, page_picture(i), sources);
    }
}
