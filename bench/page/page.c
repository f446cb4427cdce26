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

/* ------------------------------------------------------------------ the sections */

/* In the order of the page; one that writes nothing is left out. */
static const struct {
    const char *id, *title;
    void (*write)(FILE *stream, const struct page_sources *sources);
    /* in the place of this, of each source; named: below its label, if there are several */
    void (*write_source)(FILE *stream, const struct page_source *source);
    bool named;
} sections[] = {
    {"verdicts", "The verdicts", NULL, page_verdicts_write, true},
    {"plots", "The plots", page_plots_write, NULL, false},
    {"anatomy", "Anatomy of a handoff", page_anatomy_write, NULL, false},
    {"figures", "The figures", page_figures_write, NULL, false},
    {"laws", "The laws beside the measurements", page_laws_write, NULL, false},
    {"settings", "Machine, versions, settings", NULL, page_settings_write, false},
    {"cautions", "What to be careful about", NULL, page_cautions_write, true},
    {"terms", "The terms", page_terms_write, NULL, false},
};

#define SECTIONS (sizeof sections / sizeof sections[0])

struct page {
    struct page_sources sources;
    char *sections[SECTIONS]; /* what they write */
};

/* False without memory. */
static bool write_section(struct page *page, size_t section)
{
    size_t length;
    const struct page_sources *sources = &page->sources;
    FILE *stream = open_memstream(&page->sections[section], &length);
    if (stream == NULL)
        return false;
    if (sections[section].write != NULL)
        sections[section].write(stream, sources);
    for (size_t i = 0; sections[section].write == NULL && i < sources->count; i++) {
        if (sections[section].named && sources->count > 1)
            html_element(stream, "h3", "%s", sources->list[i].label);
        sections[section].write_source(stream, &sources->list[i]);
    }
    bool good = ferror(stream) == 0;
    return fclose(stream) == 0 && good;
}

/* ------------------------------------------------------------------ the page */

static bool has_anatomy(const struct page *page)
{
    size_t i = 0;
    while (strcmp(sections[i].id, "anatomy") != 0)
        i++;
    return page->sections[i][0] != '\0';
}

static void put_policy(FILE *stream, const void *page)
{
    if (has_anatomy(page))
        fprintf(stream, "; script-src '%s'", anatomy_js_hash);
}

static void put_heading(FILE *stream, const void *page)
{
    static const char *const kinds[PAGE_KINDS] = {[PAGE_RUN] = "run",
                                                  [PAGE_LOAD] = "load",
                                                  [PAGE_PAPER] = "evaluation",
                                                  [PAGE_PLAN] = "plan"};
    const struct page_sources *sources = &((const struct page *)page)->sources;
    html_text(stream, "zkherd: ");
    for (size_t i = 0; i < sources->count; i++)
        html_format(stream, "%s%s %s", i > 0 ? ", " : "", kinds[sources->list[i].kind],
                    sources->list[i].label);
}

static void put_title(FILE *stream, const void *page)
{
    const struct page_sources *sources = &((const struct page *)page)->sources;
    if (sources->count > 1)
        html_format(stream, "zkherd: %zu results", sources->count);
    else
        put_heading(stream, page);
}

static void put_style(FILE *stream, const void *page)
{
    fprintf(stream, "%s%s", page_css, has_anatomy(page) ? anatomy_css : "");
}

static void put_lead(FILE *stream, const void *page)
{
    page_lead_write(stream, &((const struct page *)page)->sources);
}

static void put_contents(FILE *stream, const void *context)
{
    const struct page *page = context;
    for (size_t i = 0; i < SECTIONS; i++) {
        if (page->sections[i][0] != '\0')
            fprintf(stream, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].id);
    }
}

static void put_sections(FILE *stream, const void *context)
{
    const struct page *page = context;
    for (size_t i = 0; i < SECTIONS; i++) {
        const char *id = sections[i].id;
        if (page->sections[i][0] != '\0')
            fprintf(stream,
                    "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n%s</section>\n", id,
                    id, sections[i].title, page->sections[i]);
    }
}

static void put_script(FILE *stream, const void *page)
{
    if (has_anatomy(page))
        fprintf(stream, "<script>%s</script>\n", anatomy_js);
}

static void write_page(FILE *stream, const void *page)
{
    static const struct html_slot slots[] = {
        {"policy", put_policy},     {"title", put_title},   {"style", put_style},
        {"heading", put_heading},   {"lead", put_lead},     {"contents", put_contents},
        {"sections", put_sections}, {"script", put_script}, {NULL, NULL}};
    html_frame(stream, page_html, slots, page);
}

/* ------------------------------------------------------------------ the file */

static enum error_kind write_file(struct page *page, const char *file, struct error *error)
{
    char folder[PATH_MAX] = ".";
    const char *name = folder_name(file);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!write_section(page, i))
            return error_raise(error, ERROR_NO_MEMORY, 0, file, "%s", "");
    }
    if (name > file)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - file), file);
    folder_trim(folder);
    return output_write(folder, name, write_page, page, error);
}

enum error_kind page_write(const char *const *folders, size_t count, const char *file,
                           struct error *error)
{
    struct page *page = memory_new(1, sizeof *page);
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = page_sources_add(&page->sources, folders[i], error);
    page_sources_label(&page->sources);
    if (kind == ERROR_NONE)
        kind = write_file(page, file, error);
    for (size_t i = 0; i < SECTIONS; i++)
        free(page->sections[i]);
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
    *(size_t *)count += page_has_file(folder, PAGE_FILE);
    return ERROR_NONE;
}

void page_add_common(const char *folder, bool quiet)
{
    struct error error;
    size_t pages = 0;
    (void)page_each_inner(folder, count_page, &pages, &error);
    if (pages > 1)
        page_add(folder, NULL, quiet);
}
