// SPDX-License-Identifier: Apache-2.0
#include "bench/output/manifest.h"

#include "base/clock.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/output/json_result.h"
#include "client/library.h"
#include "servers/four_letter.h"

#include <stdio.h>
#include <string.h>

#define ASK_NS (2 * NS_PER_S)

/* By which costs, in nanoseconds, the times of a simulation come about. */
static json_t *describe_costs(const struct target *target)
{
    const struct sim_costs *costs = &target->simulation.costs;
    json_t *json = json_object();
#define X(name) json_object_set_new(json, #name "_ns", json_integer((json_int_t)costs->name##_ns));
    SIM_COST_LIST(X)
#undef X
    return json;
}

static json_t *describe_driver(const struct target_options *options, const struct target *target)
{
    enum driver driver = options->driver;
    char name[64], version[32] = "";
    struct library library;
    struct error error;
    if (driver == DRIVER_SIMULATED)
        return json_pack("{s:s, s:n, s:n, s:s, s:o}", "driver", options_drivers[driver],
                         "client_library", "client_version", "clock", "simulated", "costs",
                         describe_costs(target));
    enum library_build build = driver == DRIVER_THREADS ? LIBRARY_MT : LIBRARY_ST;
    snprintf(name, sizeof name, "%s (Apache C client)", library_name(build));
    if (library_load(build, NULL, &library, &error) == ERROR_NONE)
        library_version(&library, version, sizeof version);
    return json_pack("{s:s, s:s, s:o, s:s}", "driver", options_drivers[driver], "client_library",
                     name, "client_version", json_text(version), "clock", "CLOCK_MONOTONIC");
}

static json_t *describe_server(const struct target *target, size_t index)
{
    const struct endpoint *endpoint = &target->servers.endpoints[index];
    const struct four_letter_identity *identity = &target->identities[index];
    struct error error;
    char name[ENDPOINT_TEXT_SIZE], address[ENDPOINT_TEXT_SIZE], settings[8192];
    bool answers = target->setup != NULL &&
                   !four_letter_ask(endpoint, "conf", ASK_NS, settings, sizeof settings, &error);
    json_t *server = json_pack(
        "{s:s, s:s, s:o, s:o, s:o}", "endpoint", endpoint_typed(endpoint, name, sizeof name),
        "address", endpoint_address(endpoint, address, sizeof address), "version",
        json_text(identity->version), "mode", json_string(role_words[identity->role]), "settings",
        answers ? json_text(settings) : json_null());
    if (target->ensemble == NULL)
        return server;
    const struct server_start *start = &target->ensemble->servers[index].start;
    json_object_set_new(server, "zookeeper_home", json_text(start->home));
    json_object_set_new(server, "configuration", json_text(start->settings));
    json_object_set_new(server, "jvm", json_text(start->java_version));
    json_object_set_new(server, "jvm_command", json_text(start->command_line));
    return server;
}

/* Where private servers keep their data, its file system, and whether writes wait for the disk;
 * else null. */
static json_t *describe_data(const struct target *target)
{
    const struct ensemble *ensemble = target->ensemble;
    char file_system[64];
    if (ensemble == NULL)
        return json_null();
    machine_file_system(ensemble->folder, file_system, sizeof file_system);
    return json_pack("{s:o, s:s, s:b}", "folder", json_text(ensemble->folder), "file_system",
                     file_system, "fsync", ensemble->options.fsync);
}

/* The files of recipes that are not zkherd's, with the digests of what was read; NULL: none. */
static json_t *describe_own_recipes(void)
{
    const struct recipe *recipe;
    json_t *files = rows_own_recipe(0) != NULL ? json_object() : NULL;
    for (size_t i = 0; (recipe = rows_own_recipe(i)) != NULL; i++)
        json_object_set_new(files, recipe->name,
                            json_pack("{s:o, s:s}", "file", json_text(recipe->file->path), "sha256",
                                      recipe->file->sha256));
    return files;
}

void manifest_begin(struct manifest *manifest, int argc, char **argv, uint64_t seed, json_t *plan,
                    const struct target_options *options, const struct target *target)
{
    json_t *command = json_pack("[s]", "zkherd"), *servers = json_array();
    for (int i = 0; i < argc; i++)
        json_array_append_new(command, json_text(argv[i]));
    for (size_t i = 0; i < target->servers.count; i++)
        json_array_append_new(servers, describe_server(target, i));
    manifest->warnings = json_array();
    manifest->json = json_pack(
        "{s:o, s:s, s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:o*}", "command", command, "version",
        version_text, "seed", (json_int_t)seed, "plan", plan, "host", machine_describe(), "driver",
        describe_driver(options, target), "target", target->name, "servers", servers, "data",
        describe_data(target), "own_recipes", describe_own_recipes());
}

void manifest_sessions(struct manifest *manifest, const struct shared *shared)
{
    json_t *sessions = json_object(), *roles = json_object();
    const struct connect_string *servers = shared->plan->servers;
    for (uint32_t i = 0; i < shared->plan->sessions; i++) {
        const char *server = shared->sessions[i].server;
        json_int_t count = json_integer_value(json_object_get(sessions, server));
        json_object_set_new(sessions, server, json_integer(count + 1));
    }
    for (size_t i = 0; i < servers->count; i++) {
        char server[ENDPOINT_TEXT_SIZE];
        json_object_set_new(roles, endpoint_address(&servers->endpoints[i], server, sizeof server),
                            json_string(role_words[shared->roles[i]]));
    }
    json_object_set_new(manifest->json, "sessions_of_last_trial", sessions);
    json_object_set_new(manifest->json, "roles_of_last_trial", roles);
    json_object_set_new(manifest->json, "session_timeout_granted_ms",
                        json_integer(shared->sessions[0].timeout_ms));
}

static void write_json(FILE *stream, const void *manifest)
{
    json_dumpf(((const struct manifest *)manifest)->json, stream, JSON_INDENT(2));
    fputc('\n', stream);
}

enum error_kind manifest_write(struct manifest *manifest, const struct file_set *files,
                               size_t planned, json_t *noise, const struct error *cut_short,
                               struct error *error)
{
    char started[32], ended[32];
    clock_format_utc(files->started_utc_ns, 0, started, sizeof started);
    clock_format_utc(clock_utc_ns(), 0, ended, sizeof ended);
    json_t *json = json_pack(
        "{s:s, s:o*, s:s, s:I, s:I, s:b, s:s?, s:O}", "started", started, "noise", noise, "ended",
        ended, "trials_planned", (json_int_t)planned, "trials_finished", (json_int_t)files->trials,
        "interrupted", cut_short != NULL && cut_short->kind == ERROR_INTERRUPTED, "cut_short",
        cut_short != NULL ? error_words(cut_short->kind) : NULL, "warnings", manifest->warnings);
    json_object_update(manifest->json, json);
    json_decref(json);
    return output_write(files->folder, "manifest.json", write_json, manifest, error);
}

void manifest_warn_late(const struct manifest *manifest, const char *folder, const char *warning,
                        bool quiet)
{
    struct error error;
    if (!quiet)
        complain_mildly("%s", warning);
    json_array_append_new(manifest->warnings, json_text(warning));
    (void)!output_write(folder, "manifest.json", write_json, manifest, &error);
}

json_t *manifest_result(const struct manifest *manifest, const char *folder, size_t servers,
                        json_t *cells)
{
    static const char *const keys[] = {"target",    "trials_planned", "trials_finished",
                                       "cut_short", "warnings",       "noise"};
    json_t *result =
        json_pack("{s:o, s:I}", "folder", folder[0] != '\0' ? json_text(folder) : json_null(),
                  "servers", (json_int_t)servers);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(manifest->json, keys[i]);
        json_object_set_new(result, keys[i], value != NULL ? json_incref(value) : json_null());
    }
    json_object_set_new(result, "cells", cells);
    return result;
}

void manifest_deinit(struct manifest *manifest)
{
    json_decref(manifest->json);
    json_decref(manifest->warnings);
    *manifest = (struct manifest){0};
}
