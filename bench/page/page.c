// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page.h"

#include "base/memory.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/folder.h"
#include "bench/page/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is written to the frame
 */

static void write_heading(FILE *stream, const struct page_sources *sources)
{
    static const char *const kinds[PAGE_KINDS] = {[PAGE_RUN] = "run",
                                                  [PAGE_LOAD] = "load",
                                                  [PAGE_PAPER] = "evaluation",
                                                  [PAGE_PLAN] = "plan",
                                                  [PAGE_TAP] = "tap"};
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

/* What a page of sources of these kinds is about: a slot with a text, or none. */
static const struct {
    const char *slot;
    unsigned kinds;
} subjects[] = {{"run", 1U << PAGE_RUN},
                {"plan", 1U << PAGE_PLAN},
                {"locks", 1U << PAGE_RUN | 1U << PAGE_PLAN},
                {"operations", 1U << PAGE_LOAD | 1U << PAGE_PAPER}};

/* The slots with what is written of all sources; or of each, below its label where named. */
static const struct {
    const char *slot;
    void (*write)(FILE *stream, const struct page_sources *sources);
    void (*write_source)(FILE *stream, const struct page_source *source);
    bool named;
} parts[] = {
    {"title", write_title, NULL, false},           {"heading", write_heading, NULL, false},
    {"lead", page_lead_write, NULL, false},        {"headline", page_headline_write, NULL, false},
    {"verdicts", NULL, page_verdicts_write, true}, {"plots", page_plots_write, NULL, false},
    {"anatomy", page_anatomy_write, NULL, false},  {"figures", page_figures_write, NULL, false},
    {"laws", page_laws_write, NULL, false},        {"settings", NULL, page_settings_write, false},
    {"cautions", NULL, page_cautions_write, true}};

#define PARTS    (sizeof parts / sizeof parts[0])
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

struct page {
    struct page_sources sources;
    char *parts[PARTS];
};

/* False without memory: a page has the data of all its pictures. */
static bool write_part(struct page *page, size_t part)
{
    size_t length;
    const struct page_sources *sources = &page->sources;
    FILE *stream = open_memstream(&page->parts[part], &length);
    if (stream == NULL)
        return false;
    if (parts[part].write != NULL)
        parts[part].write(stream, sources);
    for (size_t i = 0; parts[part].write == NULL && i < sources->count; i++) {
        if (parts[part].named && sources->count > 1)
            html_element(stream, "h3", "%s", sources->list[i].label);
        parts[part].write_source(stream, &sources->list[i]);
    }
    bool good = ferror(stream) == 0;
    return fclose(stream) == 0 && good;
}

/* ------------------------------------------------------------------ the file */

static void write_page(FILE *stream, const void *context)
{
    const struct page *page = context;
    struct html_slot slots[PARTS + SUBJECTS + 7] = {
        {"style", page_css},       {"anatomy_style", anatomy_css}, {"script", anatomy_js},
        {"hash", anatomy_js_hash}, {"tables", tables_js},          {"tables_hash", tables_js_hash}};
    struct html_slot *slot = &slots[6];
    unsigned kinds = 0;
    for (size_t i = 0; i < page->sources.count; i++)
        kinds |= 1U << page->sources.list[i].kind;
    for (size_t i = 0; i < SUBJECTS; i++)
        *slot++ = (struct html_slot){subjects[i].slot, (kinds & subjects[i].kinds) != 0 ? "1" : ""};
    for (size_t i = 0; i < PARTS; i++)
        *slot++ = (struct html_slot){parts[i].slot, page->parts[i]};
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

enum error_kind page_write_inside(const char *folder, struct error *error)
{
    char file[PATH_MAX + sizeof PAGE_FILE];
    snprintf(file, sizeof file, "%s/%s", folder, PAGE_FILE);
    return page_write(&folder, 1, file, error);
}

void page_add(const char *folder, const struct manifest *manifest, bool quiet)
{
    struct error error;
    char warning[PATH_MAX + 128];
    if (strcmp(folder, OUTPUT_NOWHERE) == 0)
        return;
    enum error_kind kind = page_write_inside(folder, &error);
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
