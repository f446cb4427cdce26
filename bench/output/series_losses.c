// SPDX-License-Identifier: Apache-2.0
/* What a series makes of servers of --connect that die while it goes on: each ends an attempt at
 * most. A server that comes back is not taken in again: the trials before
 * and after would be made with other servers once more. */
#include "bench/output/series.h"

/* Errors that a server which is gone may have caused, whoever has met them. */
static bool may_be_lost(enum error_kind kind)
{
    return kind == ERROR_REFUSED || kind == ERROR_NO_ANSWER || kind == ERROR_NOT_SERVING ||
           kind == ERROR_READ_ONLY || kind == ERROR_CLOSED || kind == ERROR_SESSION_LOST ||
           kind == ERROR_ZOOKEEPER;
}

static struct target *target_of(struct series *series)
{
    return &series->targets.list[series->rounds.cells[series->trial->cell].topology];
}

/* Leaves out the servers of the present trial that have died. */
static enum error_kind leave_out(struct series *series, size_t *lost, struct error *error)
{
    *lost = 0;
    if (!series->options.outlives_servers || !series->options.target->connect)
        return ERROR_NONE;
    progress_show_step(&series->progress, "looking at the servers");
    enum error_kind kind = target_leave_out_lost(series->options.target, &series->targets,
                                                 target_of(series), lost, error);
    progress_clear(&series->progress);
    return kind;
}

/* The row of the attempt, which has the servers that there were, is the record's last. */
static void repeat(struct series *series, struct series_record *record, const struct noise_row *row)
{
    const struct target *target = target_of(series);
    char why[TARGET_LEFT_OUT_SIZE + 32];
    snprintf(why, sizeof why, "no longer serving: %s", target->left_out);
    if (row != NULL) {
        noise_watch_repeat(&series->noise, row, why);
        record->rows_before = record->rows.rows - 1;
    }
    record->servers = target->servers.count;
    series_warn(series, record,
                "%s; trial %zu of %zu is made again with %zu server%s, as are later ones", why,
                (size_t)(series->trial - series->rounds.trials) + 1, series->rounds.trial_count,
                record->servers, record->servers == 1 ? "" : "s");
}

void series_end_trial(struct series *series, struct series_record *record,
                      const struct noise_row *row)
{
    size_t lost;
    struct error ignored; /* a signal ends the series at the next trial */
    noise_watch_end(&series->noise, row);
    if (!row->valid->flag && !row->fails && leave_out(series, &lost, &ignored) == ERROR_NONE &&
        lost > 0)
        repeat(series, record, row);
}

enum error_kind series_survive_loss(struct series *series, enum error_kind kind,
                                    struct error *error)
{
    struct series_record *record = &series->records[target_of(series) - series->targets.list];
    size_t lost;
    if (!may_be_lost(kind))
        return kind;
    enum error_kind looked = leave_out(series, &lost, error);
    if (looked != ERROR_NONE || lost == 0)
        return looked != ERROR_NONE ? looked : kind;
    if (series->trial->number > 0) {
        const struct noise_row row = series->user->abandon(series->context, record);
        repeat(series, record, &row);
    } else {
        repeat(series, record, NULL);
    }
    return ERROR_NONE;
}

void series_warn_of_losses(const struct series *series, struct series_record *record)
{
    char where[100];
    size_t before = record->rows_before, count = record->rows.rows;
    if (before > 0 && before < count)
        series_warn(
            series, record,
            "%s%zu of %zu trials were made with more servers than the others, which had %zu: "
            "cells, fits and plots do not tell them apart, the column servers of the trials does",
            series_where(series, record, where), before, count, record->servers);
}
