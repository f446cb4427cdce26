// SPDX-License-Identifier: Apache-2.0
/* Folders of results: their CSV files, manifests and findings. */
#include "base/memory.h"
#include "bench/output/folder.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 2 * NAME_MAX + 8)

/* The CSV files that a page shows. */
static const char *const names[] = {
    "trials.csv",  "fits.csv",   "waiters.csv",  "trace.csv",   "background.csv", "load.csv",
    "cells.csv",   "table1.csv", "timeline.csv", "table2.csv",  "table3.csv",     "figure8.csv",
    "samples.csv", "shape.csv",  "barriers.csv", "answers.csv", "plan.csv",       "traffic.csv",
    "watches.csv", "causes.csv", "locks.csv",    "expired.csv", "flaws.csv",      "periods.csv"};

#define NAMES (sizeof names / sizeof names[0])

/* The kind of a folder is the first whose file it has: an experiment of the paper has the files of
 * a load, too, and a run has cells. */
static const struct page_kind kinds[] = {{"shape.csv", "evaluation", "operations"},
                                         {"answers.csv", "plan", "locks"},
                                         {"trials.csv", "run", "locks"},
                                         {"cells.csv", "load", "operations"},
                                         {"load.csv", "load", "operations"},
                                         {"traffic.csv", "tap", "tap"},
                                         {"periods.csv", "autopsy", "locks"}};

#define KINDS (sizeof kinds / sizeof kinds[0])

/* ------------------------------------------------------------------ fields and members */

const struct csv_reader *page_file(const struct page_source *source, const char *name)
{
    size_t i = 0;
    while (i + 1 < NAMES && strcmp(names[i], name) != 0)
        i++;
    return &source->files[i];
}

const char *page_text(const struct csv_reader *file, size_t row, const char *column)
{
    struct error error;
    size_t place;
    return row < file->rows && csv_reader_column(file, column, &place, &error) == ERROR_NONE
               ? csv_reader_text(file, row, place)
               : "";
}

double page_parse_number(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(number) ? number : NAN;
}

double page_number(const struct csv_reader *file, size_t row, const char *column)
{
    return page_parse_number(page_text(file, row, column));
}

bool page_are_alike(const struct csv_reader *a, size_t row_of_a, const struct csv_reader *b,
                    size_t row_of_b, const char *const *columns)
{
    while (*columns != NULL &&
           strcmp(page_text(a, row_of_a, *columns), page_text(b, row_of_b, *columns)) == 0)
        columns++;
    return *columns == NULL;
}

json_t *page_json(const struct page_record *record, const char *object, const char *key)
{
    return json_object_get(json_object_get(record->manifest, object), key);
}

const char *page_json_text(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

/* ------------------------------------------------------------------ records */

/* It has files of servers alone. */
static bool is_autopsy(const struct page_source *source)
{
    return strcmp(source->kind->word, "autopsy") == 0;
}

/* Adds the record of the last source, whose name is "", or of a folder in it, which counts if it
 * has a manifest. */
static enum error_kind add_record(struct page_sources *sources, const char *folder,
                                  const char *name, struct error *error)
{
    struct page_source *source = &sources->list[sources->count - 1];
    char path[FILE_PATH_SIZE];
    enum error_kind kind = ERROR_NONE;
    bool has_manifest = folder_has(folder, "manifest.json"),
         has_findings = !source->has_summary && folder_has(folder, "findings.csv");
    if (!has_manifest && (name[0] != '\0' || (!has_findings && !is_autopsy(source))))
        return ERROR_NONE;
    sources->records =
        memory_grow(sources->records, sources->record_count, sizeof *sources->records);
    struct page_record *record = &sources->records[sources->record_count++];
    *record = (struct page_record){.source = source};
    snprintf(record->name, sizeof record->name, "%s", name);
    source->record_count++;
    if (has_manifest && (record->manifest = folder_manifest(folder, error)) == NULL)
        return error->kind;
    if (source->record_count == 1)
        source->servers = json_array_size(json_object_get(record->manifest, "servers"));
    snprintf(path, sizeof path, "%s/findings.csv", folder);
    if (has_findings)
        kind = csv_reader_open(path, &record->findings, error);
    source->findings += record->findings.rows;
    return kind;
}

static enum error_kind add_inner_record(void *sources, const char *folder, struct error *error)
{
    return add_record(sources, folder, folder_name(folder), error);
}

/* Adds those of the last source: its own, or those of the topologies in it, as of a load on several
 * of them, and of the paper's tables. */
static enum error_kind read_records(struct page_sources *sources, struct error *error)
{
    struct page_source *source = &sources->list[sources->count - 1];
    bool has_manifest = folder_has(source->path, "manifest.json");
    enum error_kind kind = add_record(sources, source->path, "", error);
    size_t own = source->record_count;
    source->has_summary = source->findings > 0;
    if (kind == ERROR_NONE && !has_manifest)
        kind = folder_each(source->path, add_inner_record, sources, error);
    return kind != ERROR_NONE || has_manifest || source->record_count > own || is_autopsy(source)
               ? kind
               : error_raise(error, ERROR_NOT_A_RUN, 0, source->folder,
                             "there is no manifest.json in it");
}

/* ------------------------------------------------------------------ sources */

static enum error_kind read_files(struct page_source *source, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    source->files = memory_new(NAMES, sizeof *source->files);
    for (size_t i = 0; kind == ERROR_NONE && i < NAMES; i++) {
        char path[FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", source->folder, names[i]);
        if (folder_has(source->folder, names[i]))
            kind = csv_reader_open(path, &source->files[i], error);
    }
    return kind;
}

/* Labels sources by their last names, if these all differ, else as the folders were named. */
static void label_sources(struct page_sources *sources)
{
    bool differ = true;
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t j = 0; j < i; j++)
            differ = differ && strcmp(folder_name(sources->list[i].path),
                                      folder_name(sources->list[j].path)) != 0;
    }
    for (size_t i = 0; i < sources->count; i++)
        sources->list[i].label =
            differ ? folder_name(sources->list[i].path) : sources->list[i].folder;
    for (size_t i = 0; i < sources->record_count; i++) {
        struct page_record *record = &sources->records[i];
        const char *name = record->source->record_count > 1 ? record->name : "";
        snprintf(record->label, sizeof record->label, "%s%s%s", record->source->label,
                 name[0] != '\0' ? "/" : "", name);
    }
}

/* Adds a folder with results of its own; any other one is left out. */
static enum error_kind add_source(void *context, const char *folder, struct error *error)
{
    struct page_sources *sources = context;
    const struct page_kind *of = kinds;
    while (of < kinds + KINDS && !folder_has(folder, of->file))
        of++;
    if (of == kinds + KINDS)
        return ERROR_NONE;
    if (sources->count == PAGE_SOURCES_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d folders in all",
                           PAGE_SOURCES_MAX);
    struct page_source *source = &sources->list[sources->count++];
    source->kind = of;
    snprintf(source->folder, sizeof source->folder, "%s", folder);
    if (realpath(folder, source->path) == NULL)
        snprintf(source->path, sizeof source->path, "%s", folder);
    for (size_t i = 0; i + 1 < sources->count; i++) {
        if (strcmp(sources->list[i].path, source->path) == 0)
            return error_raise(error, ERROR_USAGE, 0, folder, "this folder is named twice");
    }
    enum error_kind kind = read_records(sources, error);
    if (kind == ERROR_NONE)
        kind = read_files(source, error);
    return kind != ERROR_NONE || page_file(source, of->file)->rows > 0
               ? kind
               : error_raise(error, ERROR_NOT_A_RUN, 0, folder, "its %s has no row", of->file);
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
    label_sources(sources);
    return kind;
}

void page_sources_deinit(struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct csv_reader *files = sources->list[i].files;
        for (size_t j = 0; files != NULL && j < NAMES; j++)
            csv_reader_deinit(&files[j]);
        free(files);
    }
    for (size_t i = 0; i < sources->record_count; i++) {
        json_decref(sources->records[i].manifest);
        csv_reader_deinit(&sources->records[i].findings);
    }
    free(sources->records);
    sources->records = NULL;
    sources->count = sources->record_count = 0;
}
