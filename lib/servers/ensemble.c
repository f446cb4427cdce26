// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"

#include "base/clock.h"
#include "base/memory.h"
#include "servers/ports.h"
#include "wire/maxbuffer.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_DEADLINE_NS (60 * NS_PER_S)
#define POLL_MS           10
#define ATTEMPTS          5

_Static_assert(ENSEMBLE_SERVERS_MAX <= PORTS_SERVERS_MAX, "ports for every server");

struct ensemble {
    struct supervisor *supervisor;
    unsigned count;
    struct server *servers[ENSEMBLE_SERVERS_MAX];
    enum role roles[ENSEMBLE_SERVERS_MAX];
    struct connect_string connect;
};

struct ensemble_options ensemble_options_default(void)
{
    return (struct ensemble_options){.servers = 1,
                                     .heap_mib = 1024,
                                     .fsync = true,
                                     .tick_ms = 2000,
                                     .jute_maxbuffer_bytes = MAXBUFFER_DEFAULT,
                                     .interrupts = -1};
}

enum error_kind ensemble_check_size(unsigned servers, struct error *error)
{
    char subject[32];
    snprintf(subject, sizeof subject, "%u servers", servers);
    if (servers == 0 || servers > ENSEMBLE_SERVERS_MAX)
        return error_raise(error, ERROR_USAGE, 0, subject,
                           "a private ensemble has 1, 3, 5 or 7 servers");
    if (servers % 2 == 0)
        return error_raise(error, ERROR_USAGE, 0, subject,
                           "%u servers need a majority of %u, so they survive the loss of %u, as "
                           "%u do; take %u or %u",
                           servers, servers / 2 + 1, servers / 2 - 1, servers - 1, servers - 1,
                           servers + 1);
    return ERROR_NONE;
}

static bool find_available_mib(uint64_t *available_mib)
{
    char line[128];
    uint64_t kib;
    bool found = false;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1;
    if (file != NULL)
        fclose(file);
    if (found)
        *available_mib = kib / 1024;
    return found;
}

/* A JVM starts even if its heap exceeds the memory, and is killed when it uses the heap. */
enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib, struct error *error)
{
    char subject[32];
    uint64_t available_mib;
    uint64_t needed_mib = ((uint64_t)heap_mib + SERVER_OVERHEAD_MIB) * servers;
    if (!find_available_mib(&available_mib) || needed_mib <= available_mib)
        return ERROR_NONE;
    snprintf(subject, sizeof subject, "%u server%s", servers, servers == 1 ? "" : "s");
    return error_raise(error, ERROR_NO_MEMORY, 0, subject,
                       "%" PRIu64 " MiB are needed (%u times a heap of %u MiB and about %u MiB "
                       "besides), %" PRIu64 " MiB are available; a smaller heap may do",
                       needed_mib, servers, heap_mib, SERVER_OVERHEAD_MIB, available_mib);
}

static bool is_empty(DIR *directory)
{
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    }
    return true;
}

/* The supervisor makes a folder that does not exist. */
enum error_kind ensemble_check_data_folder(const char *folder, struct error *error)
{
    DIR *directory = opendir(folder);
    if (directory == NULL && errno == ENOENT)
        return ERROR_NONE;
    if (directory == NULL)
        return error_from_errno(error, errno, folder, "as the place for the servers' data");
    bool empty = is_empty(directory);
    closedir(directory);
    return empty ? ERROR_NONE : error_raise(error, ERROR_NOT_EMPTY, 0, folder, "%s", "");
}

static enum error_kind find_temporary_folder(const char **folder, struct error *error)
{
    *folder = getenv("TMPDIR");
    if (*folder == NULL || **folder == '\0')
        *folder = "/tmp";
    if (access(*folder, F_OK) != 0)
        return error_from_errno(error, errno, *folder, "as the place for a temporary folder");
    return ERROR_NONE;
}

static enum error_kind launch(const struct ensemble_options *options,
                              const struct server_ports *ports, struct ensemble *ensemble,
                              struct error *error)
{
    const struct server_options server_options = {.heap_mib = options->heap_mib,
                                                  .cpu_percent = options->cpu_percent,
                                                  .fsync = options->fsync,
                                                  .tick_ms = options->tick_ms,
                                                  .jute_maxbuffer_bytes =
                                                      options->jute_maxbuffer_bytes,
                                                  .home = options->home};
    struct server_place place = {
        .supervisor = ensemble->supervisor, .ports = ports, .count = options->servers};
    for (; ensemble->count < options->servers; ensemble->count++) {
        struct server **server = &ensemble->servers[ensemble->count];
        place.index = ensemble->count;
        enum error_kind kind = server_launch(&server_options, &place, server, error);
        if (kind != ERROR_NONE)
            return kind;
        ensemble->connect.endpoints[ensemble->connect.count++] = *server_endpoint(*server);
    }
    return ERROR_NONE;
}

/* Whether every server serves, and one of several leads. *behind: a server that does not yet. */
static bool all_serve(struct ensemble *ensemble, uint64_t patience_ns, unsigned *behind)
{
    unsigned leaders = 0;
    for (unsigned i = 0; i < ensemble->count; i++) {
        *behind = i;
        if (!server_serves(ensemble->servers[i], patience_ns, &ensemble->roles[i]))
            return false;
        leaders += ensemble->roles[i] == ROLE_LEADER;
    }
    return leaders == (ensemble->count > 1);
}

/* A server that could not have its port for peers runs on, and would be elected in vain for ever.
 * The logs are read after ensemble_check: the log of a server that has ended is complete then. */
static enum error_kind check_start(const struct ensemble *ensemble, struct error *error)
{
    enum error_kind kind = ensemble_check(ensemble, error);
    for (unsigned i = 0; i < ensemble->count; i++) {
        if (server_lacks_port(ensemble->servers[i]))
            return server_raise(ensemble->servers[i], ERROR_PORT_TAKEN, error);
    }
    return kind;
}

/* interrupts: as in struct ensemble_options. */
static enum error_kind await_service(struct ensemble *ensemble, int interrupts, struct error *error)
{
    struct pollfd interrupt = {.fd = interrupts, .events = POLLIN};
    uint64_t start_ns = clock_now_ns(), elapsed_ns = 0;
    unsigned behind = 0;
    for (; elapsed_ns < START_DEADLINE_NS; elapsed_ns = clock_now_ns() - start_ns) {
        /* Short timeouts first: a question that arrives after the port opens and before the
         * database does is never answered. */
        if (all_serve(ensemble, 50 * NS_PER_MS + elapsed_ns / 4, &behind))
            return ERROR_NONE;
        enum error_kind kind = check_start(ensemble, error);
        if (kind != ERROR_NONE)
            return kind;
        if (poll(&interrupt, 1, POLL_MS) > 0)
            return error_raise(error, ERROR_INTERRUPTED, 0, "private servers", "%s", "");
    }
    return server_raise(ensemble->servers[behind], ERROR_NO_ANSWER, error);
}

static enum error_kind attempt(const struct ensemble_options *options, const char *folder,
                               struct ensemble **ensemble, struct error *error)
{
    struct server_ports ports[ENSEMBLE_SERVERS_MAX];
    struct ports_reservation reservation = {.count = 0};
    struct ensemble *made = memory_new(1, sizeof *made);
    enum error_kind kind =
        ports_reserve(options->first_port, options->servers, ports, &reservation, error);
    if (kind == ERROR_NONE)
        kind = supervisor_new(folder, &made->supervisor, error);
    if (kind == ERROR_NONE)
        kind = launch(options, ports, made, error);
    if (kind == ERROR_NONE)
        kind = await_service(made, options->interrupts, error);
    ports_let_go(&reservation);
    if (kind == ERROR_NONE)
        *ensemble = made;
    else
        ensemble_stop(made);
    return kind;
}

/* Another program may ask for just this port, before the server listens on it. */
static enum error_kind start(const struct ensemble_options *options, const char *folder,
                             struct ensemble **ensemble, struct error *error)
{
    struct error found;
    enum error_kind kind;
    int attempts = 0;
    do {
        kind = attempt(options, folder, ensemble, &found);
    } while (kind == ERROR_PORT_TAKEN && ++attempts < ATTEMPTS);
    if (kind != ERROR_NONE)
        *error = found;
    return kind;
}

enum error_kind ensemble_start(const struct ensemble_options *options, struct ensemble **ensemble,
                               struct error *error)
{
    const char *folder = options->data_folder;
    enum error_kind kind = ensemble_check_size(options->servers, error);
    if (kind == ERROR_NONE)
        kind = ports_check(options->first_port, options->servers, error);
    if (kind == ERROR_NONE)
        kind = ensemble_check_memory(options->servers, options->heap_mib, error);
    if (kind == ERROR_NONE)
        kind = folder == NULL ? find_temporary_folder(&folder, error)
                              : ensemble_check_data_folder(folder, error);
    return kind == ERROR_NONE ? start(options, folder, ensemble, error) : kind;
}

static void free_servers(struct ensemble *ensemble)
{
    for (unsigned i = 0; i < ensemble->count; i++)
        server_free(ensemble->servers[i]);
    free(ensemble);
}

void ensemble_stop(struct ensemble *ensemble)
{
    if (ensemble == NULL)
        return;
    supervisor_free(ensemble->supervisor);
    free_servers(ensemble);
}

void ensemble_forget(struct ensemble *ensemble)
{
    if (ensemble == NULL)
        return;
    supervisor_forget(ensemble->supervisor);
    free_servers(ensemble);
}

enum error_kind ensemble_detach(struct ensemble *ensemble, const char *lock_path,
                                struct error *error)
{
    enum error_kind kind = supervisor_detach(ensemble->supervisor, lock_path, error);
    if (kind == ERROR_NONE)
        free_servers(ensemble);
    return kind;
}

const char *ensemble_folder(const struct ensemble *ensemble)
{
    return supervisor_folder(ensemble->supervisor);
}

const struct connect_string *ensemble_connect(const struct ensemble *ensemble)
{
    return &ensemble->connect;
}

const struct server *ensemble_server(const struct ensemble *ensemble, unsigned index)
{
    assert(index < ensemble->count);
    return ensemble->servers[index];
}

enum role ensemble_role(const struct ensemble *ensemble, unsigned index)
{
    assert(index < ensemble->count);
    return ensemble->roles[index];
}

enum error_kind ensemble_kill(struct ensemble *ensemble, unsigned index, struct error *error)
{
    return server_kill(ensemble->servers[index], error);
}

enum error_kind ensemble_restart(struct ensemble *ensemble, unsigned index, struct error *error)
{
    return server_restart(ensemble->servers[index], error);
}

enum error_kind ensemble_mend(struct ensemble *ensemble, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (unsigned i = 0; kind == ERROR_NONE && i < ensemble->count; i++) {
        if (server_was_killed(ensemble->servers[i]))
            kind = server_restart(ensemble->servers[i], error);
    }
    return kind == ERROR_NONE ? await_service(ensemble, -1, error) : kind;
}

enum error_kind ensemble_check(const struct ensemble *ensemble, struct error *error)
{
    for (unsigned i = 0; ensemble != NULL && i < ensemble->count; i++) {
        if (!server_was_killed(ensemble->servers[i]) && !server_is_alive(ensemble->servers[i]))
            return server_raise(ensemble->servers[i], ERROR_SERVER_DIED, error);
    }
    return ERROR_NONE;
}

enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble, uint64_t *cpu_ns,
                                struct error *error)
{
    uint64_t part, sum = 0;
    for (unsigned i = 0; i < ensemble->count; i++) {
        enum error_kind kind = server_cpu_ns(ensemble->servers[i], &part, error);
        if (kind != ERROR_NONE)
            return kind;
        sum += part;
    }
    *cpu_ns = sum;
    return ERROR_NONE;
}
