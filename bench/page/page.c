// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/output/folder.h"
#include "bench/page/html.h"
#include "bench/page/page_anatomy.h"
#include "bench/page/page_cautions.h"
#include "bench/page/page_medians.h"
#include "bench/page/page_plots.h"
#include "bench/page/page_script.h"
#include "bench/page/page_settings.h"
#include "bench/page/page_source.h"
#include "bench/page/page_style.h"
#include "bench/page/page_verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[PAGE_KINDS] = {
    [PAGE_RUN] = "run", [PAGE_LOAD] = "load", [PAGE_PAPER] = "evaluation", [PAGE_PLAN] = "plan"};

/* ------------------------------------------------------------------ the sections */

/* Begins a section that the contents name. */
static void begin(FILE *stream, const char *id, const char *title)
{
    fprintf(stream, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, title);
}

static void end(FILE *stream)
{
    fputs("</section>\n", stream);
}

static void write_each(FILE *stream, const struct page_sources *sources,
                       void (*write)(FILE *stream, const struct page_source *source))
{
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->count > 1)
            html_element(stream, "h3", "%s", sources->list[i].label);
        write(stream, &sources->list[i]);
    }
}

/* Of several manifests in a source each has its own name. */
static void write_settings(FILE *stream, const struct page_source *source)
{
    for (size_t i = 0; i < source->manifest_count; i++) {
        char label[PATH_MAX + NAME_MAX + 2];
        const struct page_manifest *manifest = &source->manifests[i];
        snprintf(label, sizeof label, "%s", source->label);
        if (source->manifest_count > 1)
            snprintf(label, sizeof label, "%s/%s", source->label, manifest->name);
        html_element(stream, "h3", "%s", label);
        page_settings_write(stream, manifest, label);
    }
}

static enum error_kind write_figures(FILE *stream, const struct page_sources *sources,
                                     struct error *error)
{
    begin(stream, "figures", "The figures");
    enum error_kind kind = page_medians_write(stream, sources, error);
    end(stream);
    if (kind != ERROR_NONE || !page_medians_has_laws(sources))
        return kind;
    begin(stream, "laws", "The laws beside the measurements");
    kind = page_medians_write_laws(stream, sources, error);
    end(stream);
    return kind;
}

static enum error_kind write_sections(FILE *stream, const struct page_sources *sources,
                                      struct error *error)
{
    begin(stream, "verdicts", "The verdicts");
    write_each(stream, sources, page_verdicts_write);
    end(stream);
    begin(stream, "plots", "The plots");
    enum error_kind kind = page_plots_write(stream, sources, error);
    end(stream);
    if (kind == ERROR_NONE && page_plots_has_anatomy(sources)) {
        begin(stream, "anatomy", "Anatomy of a handoff");
        kind = page_plots_write_anatomy(stream, sources, error);
        end(stream);
    }
    if (kind == ERROR_NONE)
        kind = write_figures(stream, sources, error);
    if (kind != ERROR_NONE)
        return kind;
    begin(stream, "settings", "Machine, versions, settings");
    for (size_t i = 0; i < sources->count; i++)
        write_settings(stream, &sources->list[i]);
    end(stream);
    begin(stream, "cautions", "What to be careful about");
    write_each(stream, sources, page_cautions_write);
    end(stream);
    return ERROR_NONE;
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

static bool has_section(const char *id, const struct page_sources *sources)
{
    if (strcmp(id, "anatomy") == 0)
        return page_plots_has_anatomy(sources);
    return strcmp(id, "laws") != 0 || page_medians_has_laws(sources);
}

static void write_contents(FILE *stream, const struct page_sources *sources)
{
    static const struct {
        const char *id, *title;
    } sections[] = {{"verdicts", "verdicts"}, {"plots", "plots"}, {"anatomy", "anatomy"},
                    {"figures", "figures"},   {"laws", "laws"},   {"settings", "settings"},
                    {"cautions", "cautions"}};
    fputs("<nav aria-label=\"Contents\">\n<ul>\n", stream);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (has_section(sections[i].id, sources))
            fprintf(stream, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
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

void page_add(const char *folder, bool quiet)
{
    struct error error;
    enum error_kind kind = page_write_inside(folder, &error);
    if (kind != ERROR_NONE && !quiet)
        complain_mildly("no " PAGE_FILE " in %s: %s; zkherd report writes it later", folder,
                        error_words(kind));
}
