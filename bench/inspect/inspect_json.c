// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/inspect_json.h"

#include "base/clock.h"
#include "bench/inspect/lock_view_table.h"
#include "bench/output/json_result.h"

#include <inttypes.h>
#include <stdlib.h>

static json_t *age(int64_t since_ms)
{
    int64_t age_ms;
    return lock_view_table_age(since_ms, &age_ms) ? json_integer(age_ms) : json_null();
}

/* Who holds since it queued has held for as long as it has queued, to the millisecond. */
static json_t *held_age(const struct lock_view_entry *entry, json_t *queued)
{
    return entry->held_ms == entry->stat.created_ms ? json_incref(queued) : age(entry->held_ms);
}

static json_t *session(int64_t owner)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)owner);
    return owner != 0 ? json_string(text) : json_null();
}

static json_t *data_of(const struct browser_data *data)
{
    return data->known ? json_text_bytes(data->bytes, data->length) : json_null();
}

static json_t *created(int64_t created_ms)
{
    char text[32];
    clock_format_utc((uint64_t)created_ms * NS_PER_MS, 0, text, sizeof text);
    return json_string(text);
}

static json_t *role_of(enum line_role role)
{
    return role == LINE_READS    ? json_string("reads")
           : role == LINE_WRITES ? json_string("writes")
                                 : json_null();
}

static json_t *place_of(const char *path, const struct lock_view *view, size_t place,
                        const struct connections *connections)
{
    const struct lock_view_entry *entry = &view->entries[place];
    const struct connection *found = connections_find(connections, entry->stat.owner);
    char server[ENDPOINT_TEXT_SIZE];
    char *znode = lock_view_znode(view, path, place);
    json_t *queued = znode != NULL ? age(entry->stat.created_ms) : NULL;
    if (found != NULL)
        endpoint_typed(&connections->servers->endpoints[found->server], server, sizeof server);
    json_t *object =
        znode == NULL
            ? NULL
            : json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "place",
                        (int)place + 1, "state", lock_view_table_state(view, place), "role",
                        role_of(view->places[place].role), "znode", json_text(znode), "session",
                        session(entry->stat.owner), "created", created(entry->stat.created_ms),
                        "queued_ms", queued, "held_ms", held_age(entry, queued), "client",
                        found != NULL ? json_text(found->client) : json_null(), "server",
                        found != NULL ? json_text(server) : json_null(), "data",
                        data_of(&entry->data));
    free(znode);
    return object;
}

static const char *kind_of(const struct lock_view *view)
{
    return view->kind == LOCK_VIEW_SEMAPHORE ? "semaphore"
           : view->kind == LOCK_VIEW_ZNODE   ? "znode"
                                             : "queue";
}

static json_t *servers_of(const struct connections *connections)
{
    json_t *servers = json_array();
    for (size_t i = 0; i < connections->servers->count; i++) {
        const struct error *refusal = &connections->refusals[i];
        char text[ENDPOINT_TEXT_SIZE];
        endpoint_typed(&connections->servers->endpoints[i], text, sizeof text);
        json_array_append_new(servers, json_pack("{s:o, s:o}", "server", json_text(text), "refusal",
                                                 refusal->kind == ERROR_NONE
                                                     ? json_null()
                                                     : json_text(error_words(refusal->kind))));
    }
    return servers;
}

enum error_kind inspect_json_write_lock(const char *path, const struct lock_view *view,
                                        const struct connections *connections, FILE *stream,
                                        struct error *error)
{
    json_t *places = json_array();
    bool known = view->kind != LOCK_VIEW_ZNODE;
    const char *recipe = view->kind == LOCK_VIEW_QUEUE && view->count > 0
                             ? line_recipe(view->places, view->count)
                             : kind_of(view);
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(places, place_of(path, view, i, connections));
    return json_result_write(
        json_pack("{s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "path", json_text(path), "kind",
                  kind_of(view), "recipe", recipe, "holders", (json_int_t)view->holders, "waiters",
                  known ? json_integer((json_int_t)lock_view_waiters(view)) : json_null(),
                  "leases_max",
                  view->leases_max > 0 ? json_integer((json_int_t)view->leases_max) : json_null(),
                  "places", places, "servers", servers_of(connections)),
        path, stream, error);
}

static json_t *lock_of(const struct survey_lock *lock)
{
    return json_pack("{s:o, s:s, s:I, s:I, s:o, s:o, s:o}", "path", json_text(lock->path), "recipe",
                     lock->recipe, "holders", (json_int_t)lock->holders, "waiters",
                     (json_int_t)lock->waiters, "longest_wait_ms", age(lock->oldest_ms), "session",
                     lock->found_holder ? session(lock->session) : json_null(), "data",
                     lock->found_holder ? data_of(&lock->data) : json_null());
}

enum error_kind inspect_json_write_folder(const char *path, const struct survey *survey,
                                          FILE *stream, struct error *error)
{
    json_t *locks = json_array();
    for (size_t i = 0; i < survey->count; i++)
        json_array_append_new(locks, lock_of(&survey->locks[i]));
    return json_result_write(
        json_pack("{s:o, s:s, s:o, s:I, s:b}", "path", json_text(path), "kind", "folder", "locks",
                  locks, "znodes", (json_int_t)survey->znodes, "complete", (int)survey->complete),
        path, stream, error);
}
