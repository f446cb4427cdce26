// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/output/folder.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 2 * NAME_MAX + 8)

/* The CSV files that a page shows. */
static const char *const names[] = {
    "trials.csv",  "fits.csv",     "waiters.csv", "trace.csv",   "background.csv", "load.csv",
    "cells.csv",   "timeline.csv", "table1.csv",  "table2.csv",  "table3.csv",     "figure8.csv",
    "samples.csv", "barriers.csv", "shape.csv",   "answers.csv", "plan.csv",       "traffic.csv",
    "watches.csv", "causes.csv",   "herds.csv"};

#define NAMES (sizeof names / sizeof names[0])

/* Which file tells the kind: the first that the folder has. An experiment of the paper has the
 * files of a load, too. */
static const struct {
    const char *file;
    enum page_kind kind;
} tellers[] = {{"shape.csv", PAGE_PAPER}, {"answers.csv", PAGE_PLAN}, {"cells.csv", PAGE_LOAD},
               {"load.csv", PAGE_LOAD},   {"trials.csv", PAGE_RUN},   {"traffic.csv", PAGE_TAP}};

#define TELLERS (sizeof tellers / sizeof tellers[0])

/* ------------------------------------------------------------------ manifests */

static enum error_kind add_manifest(void *context, const char *folder, struct error *error)
{
    struct page_source *source = context;
    char path[FILE_PATH_SIZE];
    json_error_t place;
    if (!folder_has(folder, "manifest.json") || source->manifest_count == PAGE_MANIFESTS_MAX)
        return ERROR_NONE;
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    struct page_manifest *manifest = &source->manifests[source->manifest_count];
    manifest->json = json_load_file(path, 0, &place);
    if (manifest->json == NULL)
        return error_raise(error, ERROR_MALFORMED, 0, path, "line %d: %s",
                           place.line > 0 ? place.line : 1, place.text);
    snprintf(manifest->name, sizeof manifest->name, "%s", folder_name(folder));
    source->manifest_count++;
    return ERROR_NONE;
}

json_t *page_json(const struct page_manifest *manifest, const char *object, const char *key)
{
    return json_object_get(json_object_get(manifest->json, object), key);
}

const char *page_json_text(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

/* ------------------------------------------------------------------ CSV files */

const struct csv_reader *page_file(const struct page_source *source, const char *name)
{
    size_t i = 0;
    while (i + 1 < NAMES && strcmp(names[i], name) != 0)
        i++;
    return &source->files[i];
}

const struct csv_reader *page_trials(const struct page_source *source)
{
    static const char *const files[] = {"trials.csv", "load.csv", "barriers.csv", "plan.csv"};
    const struct csv_reader *file = page_file(source, files[0]);
    for (size_t i = 1; file->rows == 0 && i < sizeof files / sizeof files[0]; i++)
        file = page_file(source, files[i]);
    return file;
}

/* Where a field is; false if there is no such row or column. */
static bool find_field(const struct csv_reader *file, size_t row, const char *column, size_t *place)
{
    struct error error;
    return row < file->rows && csv_reader_column(file, column, place, &error) == ERROR_NONE;
}

const char *page_text(const struct csv_reader *file, size_t row, const char *column)
{
    size_t place;
    return find_field(file, row, column, &place) ? csv_reader_text(file, row, place) : "";
}

double page_number(const struct csv_reader *file, size_t row, const char *column)
{
    struct error error;
    size_t place;
    double number = NAN;
    if (find_field(file, row, column, &place))
        (void)!csv_reader_number(file, row, place, &number, &error); /* NaN stays */
    return number;
}

double page_least(const struct csv_reader *file, size_t row, const char *column)
{
    char name[80];
    snprintf(name, sizeof name, "%s_low", column);
    return isnan(page_number(file, row, column)) ? page_number(file, row, name) : NAN;
}

bool page_counts(const struct csv_reader *file, size_t row)
{
    return strcmp(page_text(file, row, "valid"), "no") != 0 &&
           strcmp(page_text(file, row, "verdict"), "not valid") != 0 &&
           !(page_number(file, row, "violations") > 0);
}

/* ------------------------------------------------------------------ sources */

/* The last so many names of a path. */
static const char *last_names(const char *path, size_t count)
{
    const char *start = path + strlen(path);
    while (start > path && (start[-1] != '/' || --count > 0))
        start--;
    return start;
}

/* By the fewest last names with which they all differ. */
static void label(struct page_sources *sources)
{
    bool differ = false;
    for (size_t count = 1; !differ && count < PATH_MAX / 2; count++) {
        differ = true;
        for (size_t i = 0; i < sources->count; i++) {
            char *text = sources->list[i].label;
            snprintf(text, PATH_MAX, "%s", last_names(sources->list[i].path, count));
            for (size_t j = 0; j < i; j++)
                differ = differ && strcmp(sources->list[j].label, text) != 0;
        }
    }
}

/* The manifest of the folder, or those of the topologies in it: of a load on several of them, and
 * of the paper's tables. And the files. */
static enum error_kind read_source(struct page_source *source, const char *teller,
                                   struct error *error)
{
    enum error_kind kind = add_manifest(source, source->path, error);
    if (kind == ERROR_NONE && source->manifest_count == 0)
        kind = folder_each(source->path, add_manifest, source, error);
    if (kind == ERROR_NONE && source->manifest_count == 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, source->folder,
                           "there is no manifest.json in it");
    source->files = memory_new(NAMES, sizeof *source->files);
    for (size_t i = 0; kind == ERROR_NONE && i < NAMES; i++) {
        char path[FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", source->folder, names[i]);
        if (folder_has(source->folder, names[i]))
            kind = csv_reader_open(path, &source->files[i], error);
    }
    if (kind == ERROR_NONE && page_file(source, teller)->rows == 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, source->folder, "its %s has no row", teller);
    return kind;
}

/* Adds a folder with results of its own; any other one is left out. */
static enum error_kind add_source(void *context, const char *folder, struct error *error)
{
    struct page_sources *sources = context;
    size_t teller = 0;
    while (teller < TELLERS && !folder_has(folder, tellers[teller].file))
        teller++;
    if (teller == TELLERS)
        return ERROR_NONE;
    if (sources->count == PAGE_SOURCES_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d folders in all",
                           PAGE_SOURCES_MAX);
    struct page_source *source = &sources->list[sources->count++];
    *source = (struct page_source){.kind = tellers[teller].kind};
    snprintf(source->folder, sizeof source->folder, "%s", folder);
    if (realpath(folder, source->path) == NULL)
        snprintf(source->path, sizeof source->path, "%s", folder);
    for (size_t i = 0; i + 1 < sources->count; i++) {
        if (strcmp(sources->list[i].path, source->path) == 0)
            return error_raise(error, ERROR_USAGE, 0, folder, "this folder is named twice");
    }
    return read_source(source, tellers[teller].file, error);
}

enum error_kind page_sources_add(struct page_sources *sources, const char *named,
                                 struct error *error)
{
    char folder[PATH_MAX];
    size_t before = sources->count;
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    if (access(folder, F_OK) != 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, folder, "there is no such folder");
    enum error_kind kind = add_source(sources, folder, error);
    if (kind == ERROR_NONE && sources->count == before)
        kind = folder_each(folder, add_source, sources, error);
    if (kind == ERROR_NONE && sources->count == before)
        return error_raise(error, ERROR_NOT_A_RUN, 0, folder,
                           "there are no results in it: no trials.csv, load.csv, cells.csv, "
                           "shape.csv, answers.csv");
    label(sources);
    return kind;
}

void page_sources_deinit(struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t j = 0; sources->list[i].files != NULL && j < NAMES; j++)
            csv_reader_deinit(&sources->list[i].files[j]);
        free(sources->list[i].files);
        for (size_t j = 0; j < sources->list[i].manifest_count; j++)
            json_decref(sources->list[i].manifests[j].json);
    }
    sources->count = 0;
}
