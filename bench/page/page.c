// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page.h"

#include "base/memory.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/about.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(STATISTICS_TRIALS_MIN == 5, "page.html says so");

/* ------------------------------------------------------------------ the head of the page */

static void write_heading(FILE *stream, const struct page_sources *sources)
{
    html_text(stream, "zkherd: ");
    for (size_t i = 0; i < sources->count; i++)
        html_format(stream, "%s%s %s", i > 0 ? ", " : "", sources->list[i].kind->word,
                    sources->list[i].label);
}

/* Writes the line below the pictures of each record. */
static void write_about(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->record_count; i++) {
        const struct page_record *record = &sources->records[i];
        char *about = record->manifest != NULL ? about_manifest(record->manifest) : NULL;
        if (about != NULL)
            html_element(stream, "p", "%s%s%s", sources->record_count > 1 ? record->label : "",
                         sources->record_count > 1 ? ": " : "", about);
        free(about);
    }
}

/* ------------------------------------------------------------------ what is in the frame */

struct page {
    struct page_sources sources;
    struct html_slot *slots; /* of page.html */
    size_t slot_count;
};

static void add_slot(struct page *page, const char *name, const char *text)
{
    page->slots = memory_grow(page->slots, page->slot_count, sizeof *page->slots);
    page->slots[page->slot_count++] = (struct html_slot){name, text};
}

/* Adds a slot that is not empty for each condition that holds: kinds of results, and cautions. */
static void add_conditions(struct page *page)
{
    for (size_t i = 0; i < page->sources.count; i++) {
        add_slot(page, page->sources.list[i].kind->word, "1");
        add_slot(page, page->sources.list[i].kind->terms, "1");
    }
    for (size_t i = 0; i < page->sources.record_count; i++) {
        const struct page_record *record = &page->sources.records[i];
        const char *driver = page_json_text(page_json(record, "driver", "driver"));
        json_int_t trials = json_integer_value(page_json(record, "plan", "trials"));
        bool has_data = json_is_object(json_object_get(record->manifest, "data"));
        if (record->manifest != NULL)
            add_slot(page,
                     strcmp(driver, "simulated") == 0 ? "simulated"
                     : has_data                       ? "private"
                                                      : "foreign",
                     "1");
        if (json_is_false(page_json(record, "data", "fsync")))
            add_slot(page, "unsynced", "1");
        if (trials > 0 && trials < STATISTICS_TRIALS_MIN)
            add_slot(page, "few", "1");
    }
}

/* The slots that are written from the sources; NULL: the tables of a section. */
static const struct part {
    const char *slot;
    void (*write)(FILE *stream, const struct page_sources *sources);
} parts[] = {{"heading", write_heading},        {"lead", write_about},
             {"verdict", page_verdict_write},   {"headline", page_headline_write},
             {"findings", page_findings_write}, {"plots", page_plots_write},
             {"anatomy", page_anatomy_write},   {"figures", NULL},
             {"settings", page_settings_write}, {"invalid", NULL}};

#define PARTS (sizeof parts / sizeof parts[0])

/* Writes a new text. False without memory: a page has the data of all its pictures. */
static bool write_part(const struct part *part, const struct page_sources *sources, char **text)
{
    size_t length;
    FILE *stream = open_memstream(text, &length);
    if (stream == NULL)
        return false;
    if (part->write != NULL)
        part->write(stream, sources);
    else
        page_tables_write(stream, sources, part->slot);
    bool good = ferror(stream) == 0;
    return fclose(stream) == 0 && good;
}

/* ------------------------------------------------------------------ the file */

/* The first error of a file that was read. */
static enum error_kind check_files(const struct page_sources *sources, struct error *error)
{
    if (sources->files.error.kind != ERROR_NONE)
        *error = sources->files.error;
    return sources->files.error.kind;
}

static void write_page(FILE *stream, const void *page)
{
    html_frame(stream, page_html, ((const struct page *)page)->slots);
}

enum error_kind page_write(const char *const *folders, size_t count, const char *file,
                           struct error *error)
{
    static const struct html_slot fixed[] = {
        {"style", page_css},       {"anatomy_style", anatomy_css}, {"script", anatomy_js},
        {"hash", anatomy_js_hash}, {"tables", tables_js},          {"tables_hash", tables_js_hash}};
    struct page *page = memory_new(1, sizeof *page);
    const char *name = folder_name(file);
    char folder[PATH_MAX] = ".", *texts[PARTS] = {NULL};
    if (name > file)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - file), file);
    folder_trim(folder);
    enum error_kind kind = page_sources_read(&page->sources, folders, count, error);
    for (size_t i = 0; kind == ERROR_NONE && i < PARTS; i++) {
        if (!write_part(&parts[i], &page->sources, &texts[i]))
            kind = error_raise(error, ERROR_NO_MEMORY, 0, file, "%s", "");
        add_slot(page, parts[i].slot, texts[i]);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        add_slot(page, fixed[i].name, fixed[i].text);
    add_conditions(page);
    add_slot(page, NULL, NULL);
    if (kind == ERROR_NONE)
        kind = check_files(&page->sources, error);
    if (kind == ERROR_NONE)
        kind = output_write(folder, name, write_page, page, error);
    for (size_t i = 0; i < PARTS; i++)
        free(texts[i]);
    free(page->slots);
    page_sources_deinit(&page->sources);
    free(page);
    return kind;
}

void page_add(const char *folder, const struct manifest *manifest, bool quiet)
{
    struct error error;
    char file[PATH_MAX + sizeof PAGE_FILE], warning[PATH_MAX + 128];
    if (strcmp(folder, OUTPUT_NOWHERE) == 0)
        return;
    snprintf(file, sizeof file, "%s/%s", folder, PAGE_FILE);
    enum error_kind kind = page_write(&folder, 1, file, &error);
    if (kind == ERROR_NONE)
        return;
    snprintf(warning, sizeof warning, "no " PAGE_FILE " in %s: %s; zkherd report writes it later",
             folder, error_words(kind));
    if (manifest != NULL)
        manifest_warn_late(manifest, folder, warning, quiet);
    else if (!quiet)
        complain_mildly("%s", warning);
}

void page_add_series(const struct series *series)
{
    const struct output_options *output = series->options.output;
    size_t pages = 0;
    for (size_t i = 0; i < series->record_count; i++) {
        const struct series_record *record = &series->records[i];
        pages += record->whole;
        if (record->whole)
            page_add(record->files.folder, &record->manifest, output->quiet);
    }
    if (series->targets.made_out && pages > 1)
        page_add(output->out, NULL, output->quiet);
}

/* ------------------------------------------------------------------ tables of folders */

const char *const page_formats[] = {"latex", "csv", "markdown", NULL};

/* What is written to a file. */
struct page_export {
    struct page_sources sources;
    const char *table;
    const struct page_form *form;
};

static void write_export(FILE *stream, const void *context)
{
    const struct page_export *export = context;
    page_table_write(stream, &export->sources, export->table, export->form);
}

/* Looks for the table among all, whose files are read: an error in one is found before a table is
 * written. */
static enum error_kind find_table(const struct page_sources *sources, const char *table,
                                  struct error *error)
{
    struct growing_text names = {0};
    const char *name;
    bool found = table == NULL;
    for (size_t at = 0; (name = page_table_next(sources, &at)) != NULL;) {
        found = found || strcmp(name, table) == 0;
        growing_text_add(&names, "%s%s", names.length > 0 ? ", " : "", name);
    }
    enum error_kind kind = check_files(sources, error);
    const char *lacks = found ? NULL : page_table_lacks(sources, table);
    if (kind == ERROR_NONE && lacks != NULL)
        kind = error_raise(error, ERROR_USAGE, 0, table,
                           "its rows are those of %s, of which these results have none; they have "
                           "%s",
                           lacks, names.text);
    else if (kind == ERROR_NONE && !found)
        kind = error_raise(error, ERROR_USAGE, 0, table,
                           "these results have no such table; they have %s", names.text);
    free(names.text);
    return kind;
}

static enum error_kind save_tables(struct page_export *export, const char *ending, const char *out,
                                   struct error *error)
{
    char folder[PATH_MAX];
    enum error_kind kind = folder_make(out, 0, "", folder, error);
    for (size_t at = 0;
         kind == ERROR_NONE && (export->table = page_table_next(&export->sources, &at)) != NULL;) {
        char *file = memory_format("%s.%s", export->table, ending);
        kind = output_write(folder, file, write_export, export, error);
        free(file);
    }
    return kind;
}

enum error_kind page_tables_export(const char *const *folders, size_t count, const char *table,
                                   enum page_format format, const char *out, struct error *error)
{
    static const char *const endings[] = {"tex", "csv", "md"};
    struct page_export *export = memory_new(1, sizeof *export);
    export->table = table;
    export->form = &page_forms[format];
    enum error_kind kind = page_sources_read(&export->sources, folders, count, error);
    if (kind == ERROR_NONE)
        kind = find_table(&export->sources, table, error);
    if (kind == ERROR_NONE && table == NULL)
        kind = save_tables(export, endings[format], out, error);
    else if (kind == ERROR_NONE)
        write_export(stdout, export);
    page_sources_deinit(&export->sources);
    free(export);
    return kind;
}
