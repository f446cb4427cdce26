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

#include "bench/compare/columns.h"
#include "bench/output/findings.h"
#include "bench/output/past_run.h"
#include "bench/output/plots.h"

#include <jansson.h>

#define CONFIDENCE       0.95
#define KEYS_MAX         32
#define LIMITS_MAX       32
#define METRIC_NAME_SIZE 64
#define RATIO_SIZE       16
#define SIDE_LABEL_SIZE  (PATH_MAX + 128)

/* A kind of results. */
struct kind {
    const char *file;                 /* by which a folder is known */
    const char *word;                 /* "a run" */
    const struct table_type *type;    /* of the file; NULL: it is not compared */
    const struct table_type *answers; /* of its file of answers; NULL: it has none */
};

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

/* What can be used of a trial. */
enum trial_use { USE_NONE, USE_COUNTS, USE_TIMES };

/* A folder of results. The texts point into the run; NULL: not known. */
struct side {
    struct past_run run;
    char letter[2]; /* "A", "B", … */
    const char *target;
    const char *version; /* of ZooKeeper, as all servers answered */
    const char *home;    /* of private servers' release */
    uint64_t servers;
    size_t operand;          /* index, on the command line, of the folder that it is part of */
    const struct side *base; /* the side it is compared with; of side A itself */
    struct table answers;    /* of the kind; without a row if it has none */
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
    const struct kind *kind; /* of all sides */
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

/* kinds.c: kinds of results, the first that of runs, and what is compared of one. */
extern const struct kind compare_kinds[];
MUST_CHECK enum error_kind kind_find(const char *folder, const struct kind **kind,
                                     struct error *error);
MUST_CHECK enum error_kind kind_check_plan(const struct past_run *first,
                                           const struct past_run *other, struct error *error);
/* The value of a column by its name; NULL: the table has no such column. */
const struct table_value *kind_value(const struct table *table, size_t row, const char *column);
void kind_choose_columns(struct comparison *cmp);

/* result_folders.c: folders become sides: read, checked; then paired and labelled. */
MUST_CHECK enum error_kind comparison_read(struct comparison *cmp, char **folders, size_t count,
                                           struct error *error);
void comparison_pair_sides(struct comparison *cmp);
void comparison_deinit(struct comparison *cmp);

/* cells.c; ratios.c: rows of compare.csv, and ratios over all sizes; limits.c: --fail-if. */
void comparison_find_cells(struct comparison *cmp);
void comparison_find_ratios(struct comparison *cmp);
struct overall overall_of(const struct comparison *cmp, const char *group, const struct side *side,
                          size_t metric, const struct limit *limit);
void overall_set_confidences(struct overall *list, size_t count);
void comparison_write_csv(FILE *stream, const void *cmp);
bool limit_parse(const char *text, struct limit *limit);
MUST_CHECK enum error_kind comparison_judge_limits(struct comparison *cmp,
                                                   const struct limit *limits, size_t count,
                                                   struct error *error);

/* conclusion.c: findings and JSON; screen.c. */
const char *format_ratio(double ratio, char text[RATIO_SIZE]);
void comparison_conclude(struct comparison *cmp);
json_t *comparison_json(const struct comparison *cmp);
void comparison_print(const struct comparison *cmp, bool brief);

#endif
