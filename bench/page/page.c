// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page.h"

#include "base/memory.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/about.h"
#include "bench/output/folder.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(STATISTICS_TRIALS_MIN == 5, "page.html says so");

/* ------------------------------------------------------------------ the head of the page */

static void write_heading(FILE *stream, const struct page_sources *sources)
{
    static const char *const kinds[PAGE_KINDS] = {
        [PAGE_RUN] = "run",   [PAGE_LOAD] = "load", [PAGE_PAPER] = "evaluation",
        [PAGE_PLAN] = "plan", [PAGE_TAP] = "tap",   [PAGE_AUTOPSY] = "autopsy"};
    html_text(stream, "zkherd: ");
    for (size_t i = 0; i < sources->count; i++)
        html_format(stream, "%s%s %s", i > 0 ? ", " : "", kinds[sources->list[i].kind],
                    sources->list[i].label);
}

static void write_title(FILE *stream, const struct page_sources *sources)
{
    if (sources->count > 1)
        html_format(stream, "zkherd: %zu results", sources->count);
    else
        write_heading(stream, sources);
}

/* The first line below the pictures of each source. */
static void write_lead(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        char *about = about_folder(sources->list[i].path, NULL, NULL);
        about[strcspn(about, "\n")] = '\0';
        if (about[0] != '\0')
            html_element(stream, "p", "%s%s%s", sources->count > 1 ? sources->list[i].label : "",
                         sources->count > 1 ? ": " : "", about);
        free(about);
    }
}

/* ------------------------------------------------------------------ what is in the frame */

/* The slots of page.html that are written from the sources; NULL: the tables of a section. */
static const struct {
    const char *slot;
    void (*write)(FILE *stream, const struct page_sources *sources);
} parts[] = {{"title", write_title},
             {"heading", write_heading},
             {"lead", write_lead},
             {"verdict", page_verdict_write},
             {"headline", page_headline_write},
             {"findings", page_findings_write},
             {"plots", page_plots_write},
             {"anatomy", page_anatomy_write},
             {"figures", NULL},
             {"settings", page_settings_write},
             {"invalid", NULL}};

#define PARTS (sizeof parts / sizeof parts[0])

/* Conditions of parts of page.html: kinds of results, and cautions; the slot of one that holds is
 * not empty. */
#define CONDITIONS_MAX ((size_t)PAGE_SOURCES_MAX * (2 + (size_t)3 * PAGE_RECORDS_MAX))

static size_t add_conditions(const struct page_source *source, struct html_slot *slots)
{
    static const char *const kinds[PAGE_KINDS][2] = {[PAGE_RUN] = {"run", "locks"},
                                                     [PAGE_LOAD] = {"load", "operations"},
                                                     [PAGE_PAPER] = {"paper", "operations"},
                                                     [PAGE_PLAN] = {"plan", "locks"},
                                                     [PAGE_TAP] = {"tap", "tap"},
                                                     [PAGE_AUTOPSY] = {"autopsy", "locks"}};
    size_t count = 2;
    slots[0].name = kinds[source->kind][0];
    slots[1].name = kinds[source->kind][1];
    for (size_t i = 0; i < source->record_count; i++) {
        const struct page_record *record = &source->records[i];
        const char *driver = page_json_text(page_json(record, "driver", "driver"));
        json_int_t trials = json_integer_value(page_json(record, "plan", "trials"));
        bool has_data = json_is_object(json_object_get(record->manifest, "data"));
        if (record->manifest != NULL)
            slots[count++].name = strcmp(driver, "simulated") == 0 ? "simulated"
                                  : has_data                       ? "private"
                                                                   : "foreign";
        if (json_is_false(page_json(record, "data", "fsync")))
            slots[count++].name = "unsynced";
        if (trials > 0 && trials < STATISTICS_TRIALS_MIN)
            slots[count++].name = "few";
    }
    for (size_t i = 0; i < count; i++)
        slots[i].text = "1";
    return count;
}

struct page {
    struct page_sources sources;
    char *parts[PARTS];
};

/* False without memory: a page has the data of all its pictures. */
static bool write_part(struct page *page, size_t part)
{
    size_t length;
    FILE *stream = open_memstream(&page->parts[part], &length);
    if (stream == NULL)
        return false;
    if (parts[part].write != NULL)
        parts[part].write(stream, &page->sources);
    else
        page_tables_write(stream, &page->sources, parts[part].slot);
    bool good = ferror(stream) == 0;
    return fclose(stream) == 0 && good;
}

/* ------------------------------------------------------------------ the file */

static void write_page(FILE *stream, const void *context)
{
    const struct page *page = context;
    struct html_slot slots[6 + PARTS + CONDITIONS_MAX + 1] = {
        {"style", page_css},       {"anatomy_style", anatomy_css}, {"script", anatomy_js},
        {"hash", anatomy_js_hash}, {"tables", tables_js},          {"tables_hash", tables_js_hash}};
    for (size_t i = 0; i < PARTS; i++)
        slots[6 + i] = (struct html_slot){parts[i].slot, page->parts[i]};
    size_t count = 6 + PARTS;
    for (size_t i = 0; i < page->sources.count; i++)
        count += add_conditions(&page->sources.list[i], &slots[count]);
    html_frame(stream, page_html, slots);
}

enum error_kind page_write(const char *const *folders, size_t count, const char *file,
                           struct error *error)
{
    struct page *page = memory_new(1, sizeof *page);
    enum error_kind kind = ERROR_NONE;
    const char *name = folder_name(file);
    char folder[PATH_MAX] = ".";
    if (name > file)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - file), file);
    folder_trim(folder);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = page_sources_add(&page->sources, folders[i], error);
    for (size_t i = 0; kind == ERROR_NONE && i < PARTS; i++) {
        if (!write_part(page, i))
            kind = error_raise(error, ERROR_NO_MEMORY, 0, file, "%s", "");
    }
    if (kind == ERROR_NONE)
        kind = output_write(folder, name, write_page, page, error);
    for (size_t i = 0; i < PARTS; i++)
        free(page->parts[i]);
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
    if (!quiet)
        complain_mildly("%s", warning);
    if (manifest != NULL)
        (void)!manifest_warn_late(manifest, folder, warning, &error);
}

static enum error_kind count_page(void *count, const char *folder, struct error *error)
{
    (void)error;
    *(size_t *)count += folder_has(folder, PAGE_FILE);
    return ERROR_NONE;
}

void page_add_common(const char *folder, bool quiet)
{
    struct error error;
    size_t pages = 0;
    (void)folder_each(folder, count_page, &pages, &error);
    if (pages > 1)
        page_add(folder, NULL, quiet);
}
