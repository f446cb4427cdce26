// SPDX-License-Identifier: Apache-2.0
/* Folders of results: their CSV files, manifests and findings. */
#include "base/memory.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ fields and members */

static const struct csv_reader *read_csv(struct page_files *files, const char *folder,
                                         const char *name)
{
    char *path = memory_format("%s/%s", folder, name);
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->list[i]->path, path) == 0) {
            free(path);
            return &files->list[i]->reader;
        }
    }
    struct page_file *file = memory_new(1, sizeof *file);
    files->list = memory_grow(files->list, files->count, sizeof(struct page_file *));
    files->list[files->count++] = file;
    file->path = path;
    if (folder_has(folder, name))
        ERROR_FIRST(&files->error, csv_reader_open(path, &file->reader, &files->error));
    return &file->reader;
}

const struct csv_reader *page_file(const struct page_source *source, const char *name)
{
    return read_csv(source->files, source->folder, name);
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

json_t *page_json(const struct page_record *record, const char *object, const char *key)
{
    return json_object_get(json_object_get(record->manifest, object), key);
}

const char *page_json_text(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

/* ------------------------------------------------------------------ records */

/* Adds a record of the last source: its own folder, or one in it that has a manifest. */
static enum error_kind add_record(void *context, const char *folder, struct error *error)
{
    static const struct csv_reader none;
    struct page_sources *sources = context;
    struct page_source *source = &sources->list[sources->count - 1];
    bool is_inner = folder != source->path;
    (void)error;
    if (is_inner && !folder_has(folder, "manifest.json"))
        return ERROR_NONE;
    sources->records =
        memory_grow(sources->records, sources->record_count, sizeof *sources->records);
    struct page_record *record = &sources->records[sources->record_count++];
    *record = (struct page_record){.source = source, .findings = &none};
    snprintf(record->name, sizeof record->name, "%s", is_inner ? folder_name(folder) : "");
    source->record_count++;
    if (!source->has_summary)
        record->findings = read_csv(&sources->files, folder, "findings.csv");
    source->findings += record->findings->rows;
    if (sources->files.error.kind == ERROR_NONE && folder_has(folder, "manifest.json"))
        record->manifest = folder_manifest(folder, &sources->files.error);
    return ERROR_NONE;
}

/* Adds those of the last source: its own, or those of the topologies in it, as of a load on several
 * of them, and of the paper's tables. An autopsy has files of servers alone. */
static enum error_kind read_records(struct page_sources *sources, struct error *error)
{
    struct page_source *source = &sources->list[sources->count - 1];
    const char *folder = source->path;
    bool is_whole =
        folder_has(folder, "manifest.json") || strcmp(source->kind->word, "autopsy") == 0;
    if (is_whole || folder_has(folder, "findings.csv"))
        (void)!add_record(sources, folder, error);
    size_t own = source->record_count;
    source->has_summary = source->findings > 0;
    if (is_whole)
        return ERROR_NONE;
    enum error_kind kind = folder_each(folder, add_record, sources, error);
    return kind != ERROR_NONE || source->record_count > own
               ? kind
               : error_raise(error, ERROR_NOT_A_RUN, 0, source->folder,
                             "there is no manifest.json in it");
}

/* ------------------------------------------------------------------ sources */

/* Labels sources by their last names, if these all differ, else as the folders were named. */
static void label_sources(struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct page_source *source = &sources->list[i];
        source->label = sources->has_namesakes ? source->folder : folder_name(source->path);
    }
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
    struct page_source *source = &sources->list[sources->count];
    const struct result_kind *of = result_kind_of(folder);
    if (of == NULL || of->word == NULL)
        return ERROR_NONE;
    if (sources->count == PAGE_SOURCES_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d folders in all",
                           PAGE_SOURCES_MAX);
    sources->count++;
    source->kind = of;
    source->files = &sources->files;
    snprintf(source->folder, sizeof source->folder, "%s", folder);
    if (realpath(folder, source->path) == NULL)
        snprintf(source->path, sizeof source->path, "%s", folder);
    for (const struct page_source *other = sources->list; other < source; other++) {
        if (strcmp(other->path, source->path) == 0)
            return error_raise(error, ERROR_USAGE, 0, folder, "this folder is named twice");
        if (strcmp(folder_name(other->path), folder_name(source->path)) == 0)
            sources->has_namesakes = true;
    }
    enum error_kind kind = read_records(sources, error);
    if (kind == ERROR_NONE && page_file(source, of->file)->rows == 0 &&
        sources->files.error.kind == ERROR_NONE)
        kind = error_raise(error, ERROR_NOT_A_RUN, 0, folder, "its %s has no row", of->file);
    return kind;
}

/* Adds a named folder, or all in it. */
static enum error_kind add_named(struct page_sources *sources, const char *named,
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
    return kind;
}

enum error_kind page_sources_read(struct page_sources *sources, const char *const *folders,
                                  size_t count, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = add_named(sources, folders[i], error);
    label_sources(sources);
    return kind;
}

void page_sources_deinit(struct page_sources *sources)
{
    struct page_files *files = &sources->files;
    for (size_t i = 0; i < files->count; i++) {
        csv_reader_deinit(&files->list[i]->reader);
        free(files->list[i]->path);
        free(files->list[i]);
    }
    for (size_t i = 0; i < sources->record_count; i++)
        json_decref(sources->records[i].manifest);
    free(files->list);
    free(sources->records);
    *sources = (struct page_sources){.count = 0};
}
