// SPDX-License-Identifier: Apache-2.0
/* One target, from its servers to its set-up session. In a || b || c the first error ends the row,
 * and is in *error. */
#include "bench/target/target.h"

#include "base/clock.h"
#include "base/text.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#define ASK_NS     (5 * NS_PER_S)
#define SESSION_NS (10 * NS_PER_S)
/* How long, and how often, the last transaction is asked for. */
#define LAST_NS (2 * NS_PER_S)
#define LAST_US 50000
/* How long a server that is being killed may seem alive. */
#define DYING_NS (500 * NS_PER_MS)

/* ------------------------------------------------------------------ the servers of --connect */

void target_note_addresses(const struct endpoint *endpoint, char *text, size_t size)
{
    char server[ENDPOINT_TEXT_SIZE];
    if (endpoint->addresses > 1)
        text_append_clause(text, size,
                           "%s is 1 of the %u addresses of its name; the others are not used: "
                           "name each server in --connect",
                           endpoint_format(endpoint, server, sizeof server), endpoint->addresses);
}

/* Names are resolved once, and here: one that DNS has forgotten, as that of a container that has
 * died, would hold up the sessions, and the workers with them. A server that is named twice would
 * be counted twice. */
static enum error_kind resolve_servers(struct target *target, struct error *error)
{
    struct connect_string *servers = &target->servers;
    char text[ENDPOINT_TEXT_SIZE], other_text[ENDPOINT_TEXT_SIZE];
    for (size_t i = 0; i < servers->count; i++) {
        struct endpoint *one = &servers->endpoints[i], *other = servers->endpoints;
        if (tcp_resolve(one, ASK_NS, error))
            return error->kind;
        while (one->port != other->port || strcmp(one->host, other->host) != 0)
            other++;
        if (other < one)
            return error_raise(error, ERROR_USAGE, 0, "--connect",
                               "%s and %s are the same server: name each once",
                               endpoint_format(other, other_text, sizeof other_text),
                               endpoint_format(one, text, sizeof text));
        target_note_addresses(one, target->left_out, sizeof target->left_out);
    }
    return ERROR_NONE;
}

enum error_kind target_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                struct four_letter_identity *identity, struct error *error)
{
    char text[ENDPOINT_TEXT_SIZE];
    enum error_kind kind = four_letter_identify(endpoint, timeout_ns, identity, error);
    if (kind != ERROR_NONE || !identity->read_only)
        return kind;
    return error_raise(error, ERROR_READ_ONLY, 0, endpoint_format(endpoint, text, sizeof text),
                       "%s", "");
}

/* Whether a server may be down; other answers are a mistake in --connect. */
static bool is_down(enum error_kind kind)
{
    return kind == ERROR_REFUSED || kind == ERROR_NO_ANSWER || kind == ERROR_NOT_SERVING ||
           kind == ERROR_READ_ONLY;
}

/* Keeps the servers that serve, in their order. */
static enum error_kind keep_serving(int interrupts, struct target *target, struct error *error)
{
    struct connect_string *servers = &target->servers;
    struct error first = {.kind = ERROR_NONE};
    const size_t count = servers->count;
    servers->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct four_letter_identity *identity = &target->identities[servers->count];
        enum error_kind kind = target_identify(&servers->endpoints[i], ASK_NS, identity, error);
        if (loop_is_interrupted(interrupts))
            return error_raise(error, ERROR_INTERRUPTED, 0, "--connect", "%s", "");
        if (kind == ERROR_NONE) {
            servers->endpoints[servers->count++] = servers->endpoints[i];
            continue;
        }
        if (!is_down(kind))
            return kind;
        if (first.kind != ERROR_NONE) {
            text_append(target->left_out, sizeof target->left_out, ", %s (%s)", error->subject,
                        error_words(kind));
            continue;
        }
        text_append_clause(target->left_out, sizeof target->left_out,
                           "left out, because they do not serve: %s (%s)", error->subject,
                           error_words(kind));
        first = *error;
    }
    *error = first;
    return servers->count > 0 ? ERROR_NONE : first.kind;
}

/* Chooses the servers that sessions connect to. */
static enum error_kind place(enum placement placement, struct target *target, struct error *error)
{
    struct connect_string *chosen = &target->placement;
    *chosen = target->servers;
    chosen->count = 0;
    for (size_t i = 0; i < target->servers.count; i++) {
        enum role role = target->identities[i].role;
        if (placement == PLACEMENT_SPREAD ||
            (placement == PLACEMENT_LEADER ? role_leads(role) : role == ROLE_FOLLOWER))
            chosen->endpoints[chosen->count++] = target->servers.endpoints[i];
    }
    if (chosen->count > 0)
        return ERROR_NONE;
    return error_raise(error, ERROR_USAGE, 0, "--placement", "no server reports the role %s",
                       role_words[placement == PLACEMENT_LEADER ? ROLE_LEADER : ROLE_FOLLOWER]);
}

/* The sessions that the servers allow, as far as they report it. */
static struct target_limit ask_limits(const struct target_options *options, uint64_t most,
                                      const struct connect_string *servers)
{
    uint64_t rooms[CONNECT_ENDPOINTS_MAX];
    for (size_t i = 0; i < servers->count; i++) {
        rooms[i] = four_letter_connections_limit(&servers->endpoints[i], ASK_NS);
        if (rooms[i] == 0)
            rooms[i] = UINT64_MAX;
    }
    return target_limit_of(servers, rooms,
                           most < options->max_clients ? most : options->max_clients,
                           options->companions);
}

/* A folder's name from the first host: letters, digits, dots and dashes stay. */
static void name_after_host(struct target *target)
{
    char host[ENDPOINT_TEXT_SIZE];
    snprintf(target->name, sizeof target->name, "%s",
             endpoint_typed(&target->servers.endpoints[0], host, sizeof host));
    for (char *at = target->name; *at != '\0'; at++)
        *at = isalnum((unsigned char)*at) || *at == '.' ? *at : '-';
}

enum error_kind target_find(const struct target_options *options, uint64_t most_clients,
                            int interrupts, struct target *target, struct error *error)
{
    *target = (struct target){.servers = options->servers};
    name_after_host(target);
    if (resolve_servers(target, error) || keep_serving(interrupts, target, error) ||
        place(options->placement, target, error))
        return error->kind;
    target->limit = ask_limits(options, most_clients, &target->placement);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ private servers, simulations
 */

/* A simulated server's port is its number. */
static void describe_simulation(size_t servers, struct target *target)
{
    target->servers.count = servers;
    target->simulation = sim_options_default();
    target->simulation.servers = (unsigned)servers;
    for (size_t i = 0; i < servers; i++) {
        struct four_letter_identity *identity = &target->identities[i];
        target->servers.endpoints[i] =
            (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
        snprintf(identity->version, sizeof identity->version, "simulated");
        identity->role = sim_role((unsigned)servers, (unsigned)i);
    }
    snprintf(target->name, sizeof target->name, "simulated%zu", servers);
}

static enum error_kind start_private(const struct target_options *options, unsigned servers,
                                     int interrupts, struct target *target, struct error *error)
{
    struct ensemble_options wanted = ensemble_options_default();
    char folder[PATH_MAX];
    snprintf(target->name, sizeof target->name, servers > 1 ? "ensemble%u" : "standalone", servers);
    wanted.servers = servers;
    wanted.heap_mib = options->heap_mib;
    wanted.cpu_percent = options->cpu_percent;
    wanted.fsync = options->fsync;
    wanted.interrupts = interrupts;
    wanted.home = options->home;
    wanted.data_folder = options->data;
    if (options->data != NULL && options->topology_count > 1) {
        snprintf(folder, sizeof folder, "%s/%s", options->data, target->name);
        wanted.data_folder = folder;
    }
    if (ensemble_start(&wanted, &target->ensemble, error))
        return error->kind;
    target->servers = target->ensemble->connect;
    for (size_t i = 0; i < target->servers.count; i++) {
        if (target_identify(&target->servers.endpoints[i], ASK_NS, &target->identities[i], error))
            return error->kind;
    }
    return ERROR_NONE;
}

enum error_kind target_start(const struct target_options *options, size_t topology, int interrupts,
                             struct target *target, struct error *error)
{
    struct error closing;
    if (options->connect)
        return ERROR_NONE;
    size_t servers = options->server_counts[topology];
    *target = (struct target){.limit = {.sessions = UINT64_MAX}};
    if (options->driver == DRIVER_SIMULATED) {
        describe_simulation(servers, target);
        return place(options->placement, target, error);
    }
    if (!start_private(options, (unsigned)servers, interrupts, target, error) &&
        !place(options->placement, target, error))
        return ERROR_NONE;
    (void)!target_close(target, &closing);
    return error->kind;
}

/* ------------------------------------------------------------------ its session, and its end */

/* The root of a chrooted session is the chroot itself: the server says whether it is there. */
static enum error_kind check_chroot(const struct target *target, struct error *error)
{
    bool exists = true;
    if (target->servers.chroot[0] != '\0' &&
        setup_session_exists(target->setup, "/", &exists, error))
        return error->kind;
    return exists ? ERROR_NONE
                  : error_raise(error, ERROR_NO_CHROOT, 0, target->servers.chroot, "%s", "");
}

enum error_kind target_open(const struct target_options *options, size_t topology, int interrupts,
                            struct target *target, struct error *error)
{
    struct error closing;
    enum error_kind kind = target_start(options, topology, interrupts, target, error);
    if (kind != ERROR_NONE || options->driver == DRIVER_SIMULATED)
        return kind;
    if (!setup_session_new(&target->servers, target->ensemble, SESSION_NS, interrupts,
                           &target->setup, error) &&
        !check_chroot(target, error))
        return ERROR_NONE;
    (void)!target_close(target, &closing); /* no root has been made yet */
    return error->kind;
}

enum error_kind target_close(struct target *target, struct error *error)
{
    enum error_kind kind = target_delete_root(target, error);
    setup_session_free(target->setup);
    ensemble_stop(target->ensemble);
    *target = (struct target){0};
    return kind;
}

/* The ends of the sessions may be under way. The upper half of a zxid is the leader's epoch. */
bool target_count_transactions(const struct target *target, uint64_t *transactions)
{
    const uint64_t until_ns = clock_now_ns() + LAST_NS;
    uint64_t before = 0, last = 0, previous;
    struct error ignored;
    for (size_t i = 0; i < target->servers.count; i++)
        before = MAX(before, target->identities[i].zxid);
    do {
        usleep(LAST_US);
        previous = last;
        last = 0;
        for (size_t i = 0; i < target->servers.count; i++) {
            struct four_letter_identity now;
            if (four_letter_identify(&target->servers.endpoints[i], NS_PER_S, &now, &ignored))
                return false;
            last = MAX(last, now.zxid);
        }
    } while (last != previous && clock_now_ns() < until_ns);
    *transactions = last - before;
    return last > 0 && last >= before && before >> 32 == last >> 32;
}

enum error_kind target_find_cause(const struct target *target, enum error_kind kind,
                                  struct error *error)
{
    if (kind == ERROR_NONE || kind == ERROR_INTERRUPTED || target->ensemble == NULL)
        return kind;
    /* The kernel closes a process's sockets before it shows that the process has ended. */
    const uint64_t until_ns = clock_now_ns() + DYING_NS;
    enum error_kind cause;
    while ((cause = ensemble_check(target->ensemble, error)) == ERROR_NONE &&
           clock_now_ns() < until_ns)
        usleep(DYING_NS / 50000);
    return cause != ERROR_NONE ? cause : kind;
}

/* ------------------------------------------------------------------ its use */

struct fleet_host target_host(const struct target *target, int interrupts)
{
    return (struct fleet_host){.setup = target->setup,
                               .servers = &target->servers,
                               .ensemble = target->ensemble,
                               .simulation = &target->simulation,
                               .interrupt_descriptor = interrupts};
}
