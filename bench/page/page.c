// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/folder.h"
#include "bench/page/html.h"
#include "bench/page/page_anatomy.h"
#include "bench/page/page_cautions.h"
#include "bench/page/page_laws.h"
#include "bench/page/page_lead.h"
#include "bench/page/page_medians.h"
#include "bench/page/page_plots.h"
#include "bench/page/page_script.h"
#include "bench/page/page_settings.h"
#include "bench/page/page_source.h"
#include "bench/page/page_style.h"
#include "bench/page/page_terms.h"
#include "bench/page/page_verdicts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_names[PAGE_KINDS] = {
    [PAGE_RUN] = "run", [PAGE_LOAD] = "load", [PAGE_PAPER] = "evaluation", [PAGE_PLAN] = "plan"};

/* ------------------------------------------------------------------ the sections */

static void write_each(FILE *stream, const struct page_sources *sources,
                       void (*write)(FILE *stream, const struct page_source *source))
{
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->count > 1)
            html_element(stream, "h3", "%s", sources->list[i].label);
        write(stream, &sources->list[i]);
    }
}

static enum error_kind write_verdicts(FILE *stream, const struct page_sources *sources,
                                      struct error *error)
{
    (void)error;
    write_each(stream, sources, page_verdicts_write);
    return ERROR_NONE;
}

static enum error_kind write_settings(FILE *stream, const struct page_sources *sources,
                                      struct error *error)
{
    (void)error;
    for (size_t i = 0; i < sources->count; i++)
        page_settings_write(stream, &sources->list[i]);
    return ERROR_NONE;
}

static enum error_kind write_cautions(FILE *stream, const struct page_sources *sources,
                                      struct error *error)
{
    (void)error;
    write_each(stream, sources, page_cautions_write);
    return ERROR_NONE;
}

static enum error_kind write_terms(FILE *stream, const struct page_sources *sources,
                                   struct error *error)
{
    (void)error;
    page_terms_write(stream, sources);
    return ERROR_NONE;
}

/* In the order of the page. */
static const struct {
    const char *id, *name, *title;
    bool (*any)(const struct page_sources *sources); /* whether there is something; NULL: always */
    enum error_kind (*write)(FILE *stream, const struct page_sources *sources, struct error *error);
} sections[] = {
    {"verdicts", "verdicts", "The verdicts", NULL, write_verdicts},
    {"plots", "plots", "The plots", page_plots_any, page_plots_write},
    {"anatomy", "anatomy", "Anatomy of a handoff", page_plots_has_anatomy,
     page_plots_write_anatomy},
    {"figures", "figures", "The figures", page_medians_any, page_medians_write},
    {"laws", "laws", "The laws beside the measurements", page_laws_any, page_laws_write},
    {"settings", "settings", "Machine, versions, settings", NULL, write_settings},
    {"cautions", "cautions", "What to be careful about", NULL, write_cautions},
    {"terms", "terms", "The terms", NULL, write_terms},
};

#define SECTIONS (sizeof sections / sizeof sections[0])

static bool is_empty(size_t section, const struct page_sources *sources)
{
    return sections[section].any != NULL && !sections[section].any(sources);
}

static enum error_kind write_sections(FILE *stream, const struct page_sources *sources,
                                      struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < SECTIONS; i++) {
        if (is_empty(i, sources))
            continue;
        fprintf(stream, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", sections[i].id,
                sections[i].id, sections[i].title);
        kind = sections[i].write(stream, sources, error);
        fputs("</section>\n", stream);
    }
    return kind;
}

/* ------------------------------------------------------------------ the page */

static void put_title(FILE *stream, const struct page_sources *sources)
{
    html_text(stream, "zkherd: ");
    for (size_t i = 0; i < sources->count; i++)
        html_format(stream, "%s%s %s", i > 0 ? ", " : "", kind_names[sources->list[i].kind],
                    sources->list[i].label);
}

static void write_head(FILE *stream, const struct page_sources *sources)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
          stream);
    if (page_plots_has_anatomy(sources))
        fprintf(stream, "; script-src '%s'", page_script_hash);
    fputs(
        "\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
        stream);
    if (sources->count > 1)
        html_format(stream, "zkherd: %zu results", sources->count);
    else
        put_title(stream, sources);
    fprintf(stream, "</title>\n<style>\n%s%s</style>\n</head>\n", page_style,
            page_plots_has_anatomy(sources) ? page_style_anatomy : "");
}

static void write_contents(FILE *stream, const struct page_sources *sources)
{
    fputs("<nav aria-label=\"Contents\">\n<ul>\n", stream);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!is_empty(i, sources))
            fprintf(stream, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].name);
    }
    fputs("</ul>\n</nav>\n", stream);
}

static enum error_kind write_page(FILE *stream, const struct page_sources *sources,
                                  struct error *error)
{
    write_head(stream, sources);
    fputs("<body>\n<header>\n<h1>", stream);
    put_title(stream, sources);
    fputs("</h1>\n", stream);
    page_lead_write(stream, sources);
    write_contents(stream, sources);
    fputs("</header>\n<main>\n", stream);
    enum error_kind kind = write_sections(stream, sources, error);
    fputs("</main>\n", stream);
    if (page_plots_has_anatomy(sources))
        page_anatomy_write_script(stream);
    fputs("</body>\n</html>\n", stream);
    return kind;
}

/* ------------------------------------------------------------------ the file */

static enum error_kind open_file(const char *file, struct output *output, struct error *error)
{
    char folder[PATH_MAX] = ".";
    const char *name = folder_name(file);
    if (name > file)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - file), file);
    folder_trim(folder);
    return output_open(output, folder, name, error);
}

static enum error_kind write_file(const struct page_sources *sources, const char *file,
                                  struct error *error)
{
    struct output output = {0};
    enum error_kind kind = open_file(file, &output, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = write_page(output.stream, sources, error);
    if (kind == ERROR_NONE)
        kind = output_finish(&output, error);
    if (kind != ERROR_NONE)
        output_abandon(&output);
    return kind;
}

enum error_kind page_write(const char *const *folders, size_t count, const char *file,
                           struct error *error)
{
    struct page_sources *sources = calloc(1, sizeof *sources);
    enum error_kind kind = ERROR_NONE;
    if (sources == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, file, "%s", "");
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = page_sources_add(sources, folders[i], error);
    page_sources_label(sources);
    if (kind == ERROR_NONE)
        kind = write_file(sources, file, error);
    page_sources_deinit(sources);
    free(sources);
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

static bool has_page(const struct dirent *entry, int folder)
{
    char path[NAME_MAX + sizeof "/" PAGE_FILE];
    snprintf(path, sizeof path, "%s/" PAGE_FILE, entry->d_name);
    return faccessat(folder, path, F_OK, 0) == 0;
}

static size_t count_pages(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    if (entries == NULL)
        return 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        count += entry->d_name[0] != '.' && has_page(entry, dirfd(entries));
    closedir(entries);
    return count;
}

void page_add_common(const char *folder, bool quiet)
{
    if (count_pages(folder) > 1)
        page_add(folder, NULL, quiet);
}
