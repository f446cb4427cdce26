// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_lead.h"

#include "bench/page/html.h"
#include "bench/page/page_verdicts.h"

#include <string.h>

#define DATE_LENGTH 10 /* of 2026-11-22T12:00:11Z */

static json_t *member(const struct page_manifest *manifest, const char *object, const char *key)
{
    return json_object_get(json_object_get(manifest->json, object), key);
}

static const char *text_of(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

/* ------------------------------------------------------------------ what */

static void put_recipes(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *recipes = member(manifest, "plan", "recipes");
    size_t count = json_array_size(recipes);
    html_text(stream, count == 1 ? "the recipe " : "the recipes ");
    for (size_t i = 0; i < count; i++) {
        html_text(stream, i == 0 ? "" : i + 1 < count ? ", " : " and ");
        html_text(stream, text_of(json_array_get(recipes, i)));
    }
}

static void put_run(FILE *stream, const struct page_source *source)
{
    html_text(stream, "What clients pay for ");
    put_recipes(stream, &source->manifests[0]);
    html_text(stream, ": requests, bytes and times, against the number of clients.");
}

static void put_load(FILE *stream, const struct page_source *source)
{
    (void)source;
    html_text(stream, "How many requests a second the servers answer, and in what time.");
}

static void put_paper(FILE *stream, const struct page_source *source)
{
    (void)source;
    html_text(stream, "An experiment of the ZooKeeper paper (Hunt et al., USENIX ATC 2010), made "
                      "again on other machines, and its shape compared with the paper's.");
}

static void put_plan(FILE *stream, const struct page_source *source)
{
    const struct page_manifest *manifest = &source->manifests[0];
    html_format(stream, "How many %s meet the objective %s, with ",
                page_verdicts_unit(text_of(member(manifest, "plan", "unknown"))),
                text_of(member(manifest, "plan", "objective")));
    put_recipes(stream, manifest);
    html_text(stream, ": a search.");
}

/* ------------------------------------------------------------------ where and when */

static void put_servers(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *servers = json_object_get(manifest->json, "servers");
    size_t count = json_array_size(servers);
    const char *version = text_of(json_object_get(json_array_get(servers, 0), "version"));
    bool simulated = strcmp(text_of(member(manifest, "driver", "driver")), "simulated") == 0;
    html_format(stream, "%zu %sserver%s%s%s", count, simulated ? "simulated " : "",
                count == 1 ? "" : "s", simulated ? "" : " of ZooKeeper ", simulated ? "" : version);
}

static void put_circumstances(FILE *stream, const struct page_source *source)
{
    json_int_t trials = 0;
    for (size_t i = 0; i < source->manifest_count; i++)
        trials += json_integer_value(json_object_get(source->manifests[i].json, "trials_finished"));
    html_format(stream, " %lld trial%s on ", (long long)trials, trials == 1 ? "" : "s");
    for (size_t i = 0; i < source->manifest_count; i++) {
        html_text(stream, i == 0 ? "" : i + 1 < source->manifest_count ? ", " : " and ");
        put_servers(stream, &source->manifests[i]);
    }
    html_format(stream, ", %.*s.", DATE_LENGTH,
                text_of(json_object_get(source->manifests[0].json, "started")));
}

void page_lead_write(FILE *stream, const struct page_sources *sources)
{
    static void (*const put[PAGE_KINDS])(FILE *,
                                         const struct page_source *) = {[PAGE_RUN] = put_run,
                                                                        [PAGE_LOAD] = put_load,
                                                                        [PAGE_PAPER] = put_paper,
                                                                        [PAGE_PLAN] = put_plan};
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        fputs("<p>", stream);
        if (sources->count > 1)
            html_format(stream, "%s: ", source->label);
        put[source->kind](stream, source);
        put_circumstances(stream, source);
        fputs("</p>\n", stream);
    }
}
