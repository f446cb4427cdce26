// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd compare` share. Layer: bench/compare.
 *
 * Side A is the first; every other side is compared with its base (find_base in result_folders.c).
 * Times are compared by the ratio of their geometric means over trials, with its interval. Counts
 * of runs under lockstep, without --duration, have to be equal. Other counts are compared like
 * times.
 *
 * Invariants: every side has trials; no two labels are equal; nothing is marked without an interval
 * that excludes 1, or an exact count that differs. All intervals that are marked exclude 1 at once
 * with 95 %, and so do those of all overall ratios, and of all limits.
 */
#ifndef BENCH_COMPARE_INTERNAL_H
#define BENCH_COMPARE_INTERNAL_H

#include "bench/output/findings.h"
#include "bench/output/folder.h"
#include "bench/output/plots.h"
#include "bench/output/trial_columns.h"

#include <jansson.h>
#include <limits.h>

#define CONFIDENCE       0.95
#define KEYS_MAX         32
#define LIMITS_MAX       32
#define METRIC_NAME_SIZE 64
#define RATIO_SIZE       16
#define SIDE_LABEL_SIZE  (PATH_MAX + 128)

/* A figure that is compared. */
struct metric {
    size_t column;
    bool is_count;     /* of a run */
    bool is_exact;     /* a count that has to be equal */
    bool per_handoff;  /* the column's value by the trial's handoffs */
    bool is_shown;     /* on the screen */
    bool has_interval; /* there */
    double factor;     /* of the column's value; 0: 1 */
    int decimals;      /* in compare.csv */
    unsigned spare;    /* as in struct grid_column */
    char over[METRIC_NAME_SIZE], title[METRIC_NAME_SIZE]; /* on the screen */
    char name[METRIC_NAME_SIZE];                          /* in compare.csv */
};

/* compare.csv */
#define RATIO_COLUMNS(X, T)                                                                        \
    X(T, recipe, TEXT, "", 0, KEY, "the group: a recipe, or a mix, or the name of the file")       \
    X(T, clients, COUNT, "", 0, KEY, "the size: clients, or sessions, or another number")          \
    X(T, metric, TEXT, "", 0, KEY, "the compared quantity")                                        \
    X(T, pair, TEXT, "", 0, KEY, "`B/A`, `C/A`, …; the second is called a in the columns below")   \
    X(T, label_a, TEXT, "", 0, NONE, "label of the second side of the pair")                       \
    X(T, label_b, TEXT, "", 0, NONE, "label of the first")                                         \
    X(T, a, REAL, "", 3, NONE, "the geometric mean over its trials; exact counts: the smallest")   \
    X(T, a_low, REAL, "", 3, NONE, "its 95 % interval; exact counts: the range")                   \
    X(T, a_high, REAL, "", 3, NONE, "upper end")                                                   \
    X(T, b, REAL, "", 3, NONE, "the same of the first side")                                       \
    X(T, b_low, REAL, "", 3, NONE, "lower end")                                                    \
    X(T, b_high, REAL, "", 3, NONE, "upper end")                                                   \
    X(T, ratio, REAL, "", 4, NONE, "b by a")                                                       \
    X(T, ratio_low, REAL, "", 4, NONE, "lower end of its 95 % interval")                           \
    X(T, ratio_high, REAL, "", 4, NONE, "upper end")                                               \
    X(T, trials_a, COUNT, "", 0, NONE, "trials that were used")                                    \
    X(T, trials_b, COUNT, "", 0, NONE, "trials that were used")                                    \
    X(T, marked, FLAG, "", 0, NONE, "whether the ratio differs from 1, or exact counts do")        \
    X(T, at, TEXT, "", 0, KEY, "other sizes that vary, such as `depth 4`")
TABLE_DECLARE(ratio, RATIO_COLUMNS);

/* What can be used of a trial. */
enum trial_use { USE_NONE, USE_COUNTS, USE_TIMES };

/* A folder of results. The texts point into the manifest or the trials; NULL: not known. */
struct side {
    char folder[PATH_MAX]; /* as it was named, without slashes at the end */
    json_t *manifest;
    json_t *plan; /* points into the manifest */
    bool lockstep, has_duration, drain;
    bool paced;          /* by --max-rate: trials have no times that span several steps */
    struct table trials; /* at least one; columns that the file lacks are unknown */
    char letter[2];      /* "A", "B", … */
    const char *target;
    const char *version; /* of ZooKeeper, as all servers answered */
    const char *home;    /* of private servers' release */
    uint64_t servers;
    size_t operand;          /* index, on the command line, of the folder that it is part of */
    const struct side *base; /* the side it is compared with; of side A itself */
    enum trial_use *use;     /* of each trial */
    size_t timed;            /* trials with usable times */
    size_t failed;           /* trials with a violation */
    size_t disturbed;        /* trials that other programs disturbed, and that were kept */
    char label[SIDE_LABEL_SIZE];
};

/* The values of a metric in the usable trials of a side in a cell, and the round of each. */
struct sample {
    double *values;
    size_t *rounds;
    size_t count;
};

struct cell {
    char *group;                      /* "scalable" */
    char *at;                         /* other sizes that vary: "depth 4"; "": none */
    uint64_t size;                    /* the first key that is a number */
    const struct table_value *keys;   /* a row that has them */
    size_t trials[COMPARED_RUNS_MAX]; /* of each side, usable or not */
    struct sample *samples;           /* of each metric, side by side */
};

/* --fail-if: METRIC > RATIO, or METRIC < RATIO, [at n=SIZE]. */
struct limit {
    const char *text; /* as it was given */
    char metric[METRIC_NAME_SIZE];
    double ratio;
    bool below; /* worse is below the ratio */
    bool has_size;
    uint64_t size;
};

/* The ratio of a metric over all sizes of a group, of a side against its base. */
struct overall {
    const char *group;
    const struct side *side;
    size_t metric;
    size_t shared;             /* cells with trials on both sides, usable or not */
    size_t sizes;              /* cells that it is over: with enough trials on both sides */
    size_t left_out;           /* other cells of the group */
    uint64_t only;             /* the size of the last cell that it is over */
    size_t trials_a, trials_b; /* fewest trials used in a cell */
    struct statistics_contrast contrast;
    struct interval ratio; /* the interval is NaN with too few trials */
    double confidence;     /* of the interval */
    const struct limit *limit;
    enum verdict verdict; /* of the limit: fails if worse; measured without a limit */
    size_t needed; /* trials of each side at each size that would decide the limit; 0: not known, or
                      more than STATISTICS_TRIALS_MOST */
};

/* All zero bytes: without a side. Must not be moved once it has cells. */
struct comparison {
    const struct result_kind *kind; /* of all sides */
    struct side sides[COMPARED_RUNS_MAX];
    size_t side_count;
    size_t operand; /* of the command line: the sides that are read now are part of it */
    bool releases_vary, servers_vary; /* the sides are not all of one */
    bool is_of_runs;
    bool exact;                         /* counts have to be equal */
    size_t keys[KEYS_MAX], key_count;   /* columns: texts, then numbers */
    size_t text_count;                  /* of the keys */
    const char *group_word, *size_word; /* "recipe", "clients" */
    struct metric *metrics;
    size_t metric_count;
    size_t main_metric; /* of the overall ratios */
    struct cell *cells; /* group by group, sizes ascending */
    size_t cell_count;
    struct table rows;       /* cell by cell, side by side but for A, metric by metric */
    size_t interval_count;   /* rows that have an interval, each a chance of a mark */
    struct overall *overall; /* of the main metric: group by group, side by side */
    size_t overall_count;
    struct overall *gates; /* limit by limit, group by group, side by side */
    size_t gate_count;
    struct table findings;
};

/* The steps, in their order. */
MUST_CHECK enum error_kind comparison_read(struct comparison *cmp, char **folders, size_t count,
                                           struct error *error);
void comparison_pair_sides(struct comparison *cmp);
void comparison_choose_columns(struct comparison *cmp);
void comparison_find_cells(struct comparison *cmp);
void comparison_find_ratios(struct comparison *cmp);
MUST_CHECK enum error_kind comparison_judge_limits(struct comparison *cmp,
                                                   const struct limit *limits, size_t count,
                                                   struct error *error);
void comparison_conclude(struct comparison *cmp);
void comparison_deinit(struct comparison *cmp);

/* The value of a column by its name; NULL: the table has no such column. */
const struct table_value *find_value(const struct table *table, size_t row, const char *column);
struct overall overall_of(const struct comparison *cmp, const char *group, const struct side *side,
                          size_t metric, const struct limit *limit);
void overall_set_confidences(struct overall *list, size_t count);
void comparison_write_csv(FILE *stream, const void *cmp);
bool limit_parse(const char *text, struct limit *limit);
const char *format_ratio(double ratio, char text[RATIO_SIZE]);
json_t *comparison_json(const struct comparison *cmp);
void comparison_print(const struct comparison *cmp, bool brief);

#endif
