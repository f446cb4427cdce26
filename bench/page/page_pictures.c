// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)
#define PICTURE_MAX    ((size_t)16 << 20)

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

const struct page_picture *page_pictures_get(size_t index)
{
    return index < sizeof pictures / sizeof pictures[0] ? &pictures[index] : NULL;
}

/* ------------------------------------------------------------------ the file */

static void set_path(const struct page_picture *picture, const struct page_source *source,
                     char path[FILE_PATH_SIZE])
{
    snprintf(path, FILE_PATH_SIZE, "%s/plots/%s.svg", source->folder, picture->name);
}

bool page_pictures_has(const struct page_picture *picture, const struct page_source *source)
{
    char path[FILE_PATH_SIZE];
    set_path(picture, source, path);
    return access(path, R_OK) == 0;
}

static char *read_stream(FILE *stream)
{
    size_t length = 0;
    char *text = NULL;
    FILE *copy = open_memstream(&text, &length);
    char part[BUFSIZ];
    size_t got;
    while (copy != NULL && length < PICTURE_MAX && (got = fread(part, 1, sizeof part, stream)) > 0)
        fwrite(part, 1, got, copy);
    bool good = copy != NULL && ferror(stream) == 0 && ferror(copy) == 0;
    good = copy != NULL && fclose(copy) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}

char *page_pictures_read(const struct page_picture *picture, const struct page_source *source)
{
    char path[FILE_PATH_SIZE];
    set_path(picture, source, path);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return NULL;
    char *text = read_stream(stream);
    fclose(stream);
    return text;
}

/* ------------------------------------------------------------------ the words */

/* The rows of a group with the least and the greatest y. */
struct extremes {
    size_t least, greatest;
    bool found;
};

static bool is_same_group(const struct page_picture *picture, const struct csv_reader *file,
                          size_t row, size_t other)
{
    return strcmp(page_source_text(file, row, picture->group),
                  page_source_text(file, other, picture->group)) == 0;
}

static bool is_first_of_group(const struct page_picture *picture, const struct csv_reader *file,
                              size_t row)
{
    for (size_t i = 0; i < row; i++) {
        if (is_same_group(picture, file, i, row))
            return false;
    }
    return true;
}

static struct extremes find_extremes(const struct page_picture *picture,
                                     const struct csv_reader *file, size_t first)
{
    struct extremes extremes = {first, first, false};
    double least = INFINITY, greatest = -INFINITY;
    for (size_t row = first; row < file->rows; row++) {
        double y = page_source_number(file, row, picture->y);
        if (isnan(y) || !is_same_group(picture, file, row, first))
            continue;
        extremes.found = true;
        if (y < least)
            least = y, extremes.least = row;
        if (y > greatest)
            greatest = y, extremes.greatest = row;
    }
    return extremes;
}

static void put_group(FILE *stream, const struct page_picture *picture,
                      const struct csv_reader *file, size_t row)
{
    struct extremes extremes = find_extremes(picture, file, row);
    if (!extremes.found)
        return;
    fprintf(stream, " %s %s: %s from %s (%s %s) to %s (%s %s).", picture->group,
            page_source_text(file, row, picture->group), picture->y,
            page_source_text(file, extremes.least, picture->y), picture->x,
            page_source_text(file, extremes.least, picture->x),
            page_source_text(file, extremes.greatest, picture->y), picture->x,
            page_source_text(file, extremes.greatest, picture->x));
}

static void put_groups(FILE *stream, const struct page_picture *picture,
                       const struct csv_reader *file)
{
    size_t groups = 0;
    for (size_t row = 0; row < file->rows && groups < GROUPS_MAX; row++) {
        if (!is_first_of_group(picture, file, row))
            continue;
        put_group(stream, picture, file, row);
        groups++;
    }
}

char *page_pictures_describe(const struct page_picture *picture, const struct page_source *source)
{
    size_t length = 0;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return NULL;
    fputs(picture->about, stream);
    put_groups(stream, picture, page_source_file(source, picture->source));
    bool good = ferror(stream) == 0;
    if (fclose(stream) == 0 && good)
        return text;
    free(text);
    return NULL;
}
