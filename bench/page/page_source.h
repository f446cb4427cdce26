// SPDX-License-Identifier: Apache-2.0
/*
 * page_source: a folder of results, read for a page. Layer: bench/page.
 *
 * Files that the folder does not have are empty here: which ones a folder has depends on the
 * subcommand, on the options, and on what was kept.
 *
 * Invariant: an open source has rows in the file that tells its kind, and a manifest at least: its
 * own, or those of the folders in it, one for each topology.
 */
#ifndef BENCH_PAGE_PAGE_SOURCE_H
#define BENCH_PAGE_PAGE_SOURCE_H

#include "base/error.h"
#include "measure/csv_reader.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PAGE_SOURCES_MAX   16
#define PAGE_MANIFESTS_MAX 16

/* The CSV files that a page shows. A column that a file lacks is empty, as all are in older files.
 */
#define PAGE_FILES(X)                                                                              \
    X("trials.csv")                                                                                \
    X("fits.csv")                                                                                  \
    X("waiters.csv")                                                                               \
    X("trace.csv")                                                                                 \
    X("background.csv")                                                                            \
    X("load.csv")                                                                                  \
    X("cells.csv")                                                                                 \
    X("timeline.csv")                                                                              \
    X("table1.csv")                                                                                \
    X("table2.csv")                                                                                \
    X("table3.csv")                                                                                \
    X("figure8.csv")                                                                               \
    X("samples.csv")                                                                               \
    X("barriers.csv")                                                                              \
    X("shape.csv")                                                                                 \
    X("answers.csv")                                                                               \
    X("plan.csv")

enum {
#define X(name) +1
    PAGE_FILE_COUNT = 0 PAGE_FILES(X)
#undef X
};

enum page_kind { PAGE_RUN, PAGE_LOAD, PAGE_PAPER, PAGE_PLAN, PAGE_KINDS };

struct page_manifest {
    char name[NAME_MAX + 1]; /* of its folder */
    json_t *json;
};

struct page_source {
    char folder[PATH_MAX]; /* as it was named, without slashes at the end */
    char path[PATH_MAX];   /* without links and dots */
    char label[PATH_MAX];  /* the last names of the path: enough to tell it from the others */
    enum page_kind kind;
    struct csv_reader files[PAGE_FILE_COUNT];
    struct page_manifest manifests[PAGE_MANIFESTS_MAX];
    size_t manifest_count;
};

struct page_sources {
    struct page_source list[PAGE_SOURCES_MAX];
    size_t count;
};

/* Adds a folder of results; one without results of its own stands for those in it, in the order of
 * their names. All zero bytes are an empty list. ERROR_NOT_A_RUN if there are none;
 * ERROR_MALFORMED; ERROR_USAGE if there are more than PAGE_SOURCES_MAX; errors of reading. On an
 * error the list may have the folder in part, and is still for page_sources_deinit. */
MUST_CHECK enum error_kind page_sources_add(struct page_sources *sources, const char *folder,
                                            struct error *error);
void page_sources_deinit(struct page_sources *sources);

/* Labels the sources, after the last was added. */
void page_sources_label(struct page_sources *sources);

/* A file by its name, one of the list above; without rows if the folder does not have it. */
const struct csv_reader *page_source_file(const struct page_source *source, const char *name);

/* "" if the file has no such column. */
const char *page_source_text(const struct csv_reader *file, size_t row, const char *column);

/* NaN if the file has no such column, or no number there. */
double page_source_number(const struct csv_reader *file, size_t row, const char *column);

/* Whether a trial counts, or a row of a file without such columns: it is valid, and no verdict of
 * its own has failed. */
bool page_source_counts(const struct csv_reader *file, size_t row);

#endif
