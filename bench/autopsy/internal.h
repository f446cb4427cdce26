// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd autopsy` share. Layer: bench/autopsy.
 *
 * All logs are read twice. The first reading finds how much there is, how far the clocks can be
 * trusted, and which znodes are locks; the second one who held them. Both make rows of tables:
 * files, screen and JSON are views of them.
 */
#ifndef BENCH_AUTOPSY_INTERNAL_H
#define BENCH_AUTOPSY_INTERNAL_H

#include "base/clock.h"
#include "base/id_tree.h"
#include "bench/autopsy/columns.h"
#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/output/file_set.h"
#include "bench/output/findings.h"
#include "history/census.h"
#include "journal/journal.h"

enum autopsy_rows { FLAWS, LOCKS, EXPIRIES, PERIODS, DOUBTS, FINDINGS, AUTOPSY_TABLES };

struct autopsy {
    /* The command line. */
    struct output_options output;
    char *const *folders;
    size_t folder_count;
    int64_t from_ms, until_ms; /* the time that is asked for; in the second reading of the logs' */
    const char *only;          /* the path of the only lock that is asked for; NULL: all */
    /* The logs and the files. */
    struct error error; /* the first one */
    struct journal *journal;
    struct file_set files;
    struct csv handoffs, holds; /* rows are written as locks are released */
    struct progress progress;
    int signals;
    /* What the readings find. */
    struct table tables[AUTOPSY_TABLES];
    bool loses;    /* transactions may be missing */
    uint64_t read; /* transactions, from the first to the last */
    int64_t first_zxid, last_zxid, first_ms;
    int64_t least_ms, last_ms;  /* the earliest and the latest time */
    int64_t back_ms, back_zxid; /* the largest step to an earlier time, and the transaction there */
    uint64_t orphans; /* ephemeral znodes of a snapshot that have outlived their sessions */
    /* For reading.c alone. */
    bool is_second;
    struct census *census;
    struct locks *locks;          /* there is none in the first reading */
    id_tree sessions;             /* that are open */
    struct log_session *session;  /* the last that was asked for; NULL: none, or it has ended */
    int64_t begun_zxid, begun_ms; /* of the first transaction, or of that behind the last gap */
    int64_t snapshot;             /* from which that begins, as in the listener */
    uint64_t zero_closes;         /* sessions that closed themselves by a request of number 0 */
    uint64_t unlisted; /* sessions that a snapshot is too late for, and whose end lists no znodes */
    int64_t unlisted_ms; /* the end of the last of them */
    int64_t now_ms;
    bool in_time, ended; /* now is asked for; is behind until_ms */
    uint64_t period_ms;
    struct table_value *period; /* counts of the present time; `no_period` if it is not asked for */
    struct table_value no_period[autopsy_period_columns_count];
    struct table_value *expiry; /* of the session that ends; NULL: none, or it closed itself */
    const char *end;            /* of a hold that ends now */
};

/* reading.c: reads the logs into the rows, but for the findings; sets the error. */
void autopsy_read(struct autopsy *autopsy);

/* print.c: the findings; everything on stdout, as a text or as an object of docs/schema. */
void autopsy_conclude(struct autopsy *autopsy);
void autopsy_print(const struct autopsy *autopsy);
void autopsy_print_json(const struct autopsy *autopsy);

#endif
