// SPDX-License-Identifier: Apache-2.0
#include "bench/target/target.h"

#include "base/clock.h"
#include "fleet/server_counters.h"
#include "servers/role.h"
#include "servers/server_limits.h"
#include "servers/tcp.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ASK_NS     (5 * NS_PER_S)
#define SESSION_NS (10 * NS_PER_S)
/* How long a write may take to reach all servers of an ensemble, and how often it is looked for. */
#define SPREAD_NS (5 * NS_PER_S)
#define LOOK_MS   20
/* How long a server that is being killed may seem alive. */
#define DYING_NS (500 * NS_PER_MS)

#define PREFIX "zkherd-"

/* ------------------------------------------------------------------ the root znode */

static const char *target_root_path(char *text, size_t size)
{
    char time[32];
    clock_format_utc(clock_utc_ns(), 1, time, sizeof time);
    /* As long in every run: a path's length is paid for in bytes. */
    snprintf(text, size, "/" PREFIX "%s-%07d", time, (int)getpid());
    return text;
}

/* In the shape a 0 stands for a digit, and any other character for itself. */
static bool has_shape(const char *text, const char *shape)
{
    for (; *shape != '\0'; text++, shape++) {
        if (*shape == '0' ? !isdigit((unsigned char)*text) : *text != *shape)
            return false;
    }
    return *text == '\0';
}

bool target_root_is_name(const char *name)
{
    return has_shape(name, PREFIX "00000000T000000Z-0000000");
}

static const char *target_root_record(char *text, size_t size)
{
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, size, TARGET_ROOT_RECORD "process %d on %s", (int)getpid(), host);
    return text;
}

/* ------------------------------------------------------------------ data of private servers */

enum error_kind target_prepare_data(const struct target_options *options, bool *made,
                                    struct error *error)
{
    *made = false;
    if (options->data == NULL)
        return ERROR_NONE;
    enum error_kind kind = ensemble_check_data_folder(options->data, error);
    if (kind != ERROR_NONE || options->topology_count == 1)
        return kind;
    *made = mkdir(options->data, 0700) == 0;
    if (!*made && errno != EEXIST)
        return error_from_errno(error, errno, options->data, "cannot make the folder");
    return ERROR_NONE;
}

void target_remove_data(const struct target_options *options, bool made)
{
    if (made)
        rmdir(options->data);
}

/* "ensemble3"; of several releases "ensemble3-3.9.3". */
static void name_private(const struct target_options *options, size_t topology,
                         struct target *target)
{
    unsigned servers = (unsigned)options->server_counts[topology];
    char count[16] = "";
    bool several = options->home_count > 1;
    if (servers > 1)
        snprintf(count, sizeof count, "%u", servers);
    snprintf(target->name, sizeof target->name, "%s%s%s%s", servers > 1 ? "ensemble" : "standalone",
             count, several ? "-" : "",
             several ? target_options_home(options, topology)->name : "");
}

static enum error_kind start_private(const struct target_options *options, size_t topology,
                                     int interrupts, struct target *target, struct error *error)
{
    const struct zookeeper_home *home = target_options_home(options, topology);
    struct ensemble_options wanted = ensemble_options_default();
    char folder[PATH_MAX];
    wanted.servers = (unsigned)options->server_counts[topology];
    wanted.heap_mib = options->heap_mib;
    wanted.cpu_percent = options->cpu_percent;
    wanted.fsync = options->fsync;
    wanted.interrupts = interrupts;
    wanted.home = home != NULL ? home->folder : NULL;
    name_private(options, topology, target);
    wanted.data_folder = options->data;
    if (options->data != NULL && options->topology_count > 1) {
        snprintf(folder, sizeof folder, "%s/%s", options->data, target->name);
        wanted.data_folder = folder;
    }
    enum error_kind kind = ensemble_start(&wanted, &target->ensemble, error);
    if (kind != ERROR_NONE)
        return kind;
    target->servers = target->ensemble->connect;
    return ERROR_NONE;
}

/* A simulated server's port is its number. */
static void describe_simulation(const struct target_options *options, size_t topology,
                                struct target *target)
{
    target->servers.count = options->server_counts[topology];
    target->simulation = sim_options_default();
    target->simulation.servers = (unsigned)target->servers.count;
    for (size_t i = 0; i < target->servers.count; i++) {
        struct four_letter_identity *identity = &target->identities[i];
        target->servers.endpoints[i] =
            (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
        snprintf(identity->version, sizeof identity->version, "simulated");
        snprintf(identity->mode, sizeof identity->mode, "%s",
                 sim_mode((unsigned)target->servers.count, (unsigned)i));
    }
    snprintf(target->name, sizeof target->name, "simulated%zu", target->servers.count);
}

/* A folder's name from the first host: letters, digits, dots and dashes stay. */
static void name_after_host(struct target *target)
{
    char host[ENDPOINT_TEXT_SIZE];
    endpoint_typed(&target->servers.endpoints[0], host, sizeof host);
    size_t at = 0;
    for (size_t i = 0; host[i] != '\0' && at + 1 < sizeof target->name; i++)
        target->name[at++] = isalnum((unsigned char)host[i]) || host[i] == '.' ? host[i] : '-';
    target->name[at] = '\0';
}

/* A server that is named twice would be counted twice. */
static enum error_kind check_all_differ(const struct connect_string *servers, struct error *error)
{
    for (size_t i = 0; i < servers->count; i++) {
        const struct endpoint *one = &servers->endpoints[i];
        for (size_t j = 0; j < i; j++) {
            const struct endpoint *other = &servers->endpoints[j];
            char text[ENDPOINT_TEXT_SIZE], other_text[ENDPOINT_TEXT_SIZE];
            if (one->port == other->port && strcmp(one->host, other->host) == 0)
                return error_raise(error, ERROR_USAGE, 0, "--connect",
                                   "%s and %s are the same server: name each once",
                                   endpoint_format(other, other_text, sizeof other_text),
                                   endpoint_format(one, text, sizeof text));
        }
    }
    return ERROR_NONE;
}

/* Once, and here: a name that DNS has forgotten, as that of a container that has died, would hold
 * up the sessions, and the workers with them. */
static enum error_kind resolve_servers(struct target *target, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < target->servers.count; i++)
        kind = tcp_resolve(&target->servers.endpoints[i], ASK_NS, error);
    return kind == ERROR_NONE ? check_all_differ(&target->servers, error) : kind;
}

/* Whether all of them are servers that zkherd itself has started, and left standing. */
static bool find_standing(struct target *target)
{
    struct error ignored;
    if (detached_find(&target->detached, &ignored) != ERROR_NONE)
        return false;
    for (size_t i = 0; i < target->servers.count; i++) {
        if (detached_index_of(&target->detached, &target->servers.endpoints[i]) < 0)
            return false;
    }
    return true;
}

enum error_kind target_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                struct four_letter_identity *identity, struct error *error)
{
    char text[ENDPOINT_TEXT_SIZE];
    enum error_kind kind = four_letter_identify(endpoint, timeout_ns, identity, error);
    if (kind != ERROR_NONE || role_of_mode(identity->mode) != ROLE_READ_ONLY)
        return kind;
    return error_raise(error, ERROR_READ_ONLY, 0, endpoint_format(endpoint, text, sizeof text),
                       "%s", "");
}

static enum error_kind look_at_servers(struct target *target, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < target->servers.count; i++)
        kind =
            target_identify(&target->servers.endpoints[i], ASK_NS, &target->identities[i], error);
    return kind;
}

/* Whether the server may be down, or without a quorum; any other answer is a mistake in --connect.
 */
static bool is_down(enum error_kind kind)
{
    return kind == ERROR_REFUSED || kind == ERROR_NO_ANSWER || kind == ERROR_NOT_SERVING ||
           kind == ERROR_READ_ONLY;
}

static void tell_left_out(struct target *target, const struct error *why)
{
    size_t length = strlen(target->left_out);
    snprintf(target->left_out + length, sizeof target->left_out - length, "%s%s (%s)",
             length == 0 ? "" : ", ", why->subject, error_words(why->kind));
}

/* Keeps those that serve, in their order. *elects: one of the others is there, as in an election.
 */
static enum error_kind leave_out_absent(struct target *target, bool *elects, struct error *error)
{
    struct connect_string *servers = &target->servers;
    size_t serving = 0, named = servers->count;
    struct error first = {.kind = ERROR_NONE};
    *elects = false;
    for (size_t i = 0; i < named; i++) {
        enum error_kind kind =
            target_identify(&servers->endpoints[i], ASK_NS, &target->identities[serving], error);
        if (kind == ERROR_NONE)
            servers->endpoints[serving++] = servers->endpoints[i];
        else if (!is_down(kind))
            return kind;
        else {
            *elects = *elects || kind == ERROR_NOT_SERVING || kind == ERROR_READ_ONLY;
            tell_left_out(target, error);
            first = first.kind == ERROR_NONE ? *error : first;
        }
    }
    if (serving == 0)
        *error = first;
    else
        servers->count = serving;
    return serving > 0 ? ERROR_NONE : first.kind;
}

static bool has_place(enum placement placement, enum role role)
{
    return placement == PLACEMENT_SPREAD ||
           (placement == PLACEMENT_LEADER ? role_leads(role) : role == ROLE_FOLLOWER);
}

static enum error_kind place(enum placement placement, struct target *target, struct error *error)
{
    struct connect_string *chosen = &target->placement;
    *chosen = target->servers;
    chosen->count = 0;
    for (size_t i = 0; i < target->servers.count; i++) {
        if (has_place(placement, role_of_mode(target->identities[i].mode)))
            chosen->endpoints[chosen->count++] = target->servers.endpoints[i];
    }
    if (chosen->count == 0)
        return error_raise(error, ERROR_USAGE, 0, "--placement", "no server reports the role %s",
                           role_word(placement == PLACEMENT_LEADER ? ROLE_LEADER : ROLE_FOLLOWER));
    return ERROR_NONE;
}

/* The root of a chrooted session is the chroot itself: the server says whether it is there. */
static enum error_kind check_chroot(struct target *target, struct error *error)
{
    bool exists = false;
    if (target->servers.chroot[0] == '\0')
        return ERROR_NONE;
    enum error_kind kind = setup_session_exists(target->setup, "/", &exists, error);
    if (kind == ERROR_NONE && !exists)
        kind = error_raise(error, ERROR_NO_CHROOT, 0, target->servers.chroot, "%s", "");
    return kind;
}

/* How many sessions the servers allow, as far as they tell. */
static struct target_limit ask_limits(const struct target_options *options, uint64_t most,
                                      const struct connect_string *servers)
{
    uint64_t rooms[CONNECT_ENDPOINTS_MAX];
    for (size_t i = 0; i < servers->count; i++) {
        rooms[i] = server_limits_connections(&servers->endpoints[i], ASK_NS);
        if (rooms[i] == 0)
            rooms[i] = UINT64_MAX;
    }
    return target_limit_of(servers, rooms,
                           most < options->max_clients ? most : options->max_clients,
                           options->companions);
}

enum error_kind target_find(const struct target_options *options, uint64_t most_clients,
                            struct target *target, struct error *error)
{
    bool elects; /* before the run that is not waited for */
    *target = (struct target){.servers = options->servers};
    name_after_host(target);
    enum error_kind kind = resolve_servers(target, error);
    if (kind == ERROR_NONE)
        kind = leave_out_absent(target, &elects, error);
    target->stands = kind == ERROR_NONE && find_standing(target);
    if (kind == ERROR_NONE)
        kind = place(options->placement, target, error);
    if (kind == ERROR_NONE)
        target->limit = ask_limits(options, most_clients, &target->placement);
    return kind;
}

/* Finds those of `target` that serve. Those that are there are asked again while they may be
 * electing a leader, and so is one that dies: it closes connections without an answer. */
static enum error_kind find_left(const struct targets *targets, const struct target *target,
                                 struct target *left, struct error *error)
{
    uint64_t until_ns = clock_now_ns() + TARGET_ELECTION_NS;
    for (;;) {
        bool elects;
        *left = *target;
        left->left_out[0] = '\0';
        enum error_kind kind = leave_out_absent(left, &elects, error);
        bool may_pass = elects || (kind != ERROR_NONE && !is_down(kind));
        if (!may_pass || clock_now_ns() >= until_ns)
            return kind;
        if (targets_rest(targets, LOOK_MS))
            return error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    }
}

/* The session before may be with a server that hangs: ending it is not to be waited for. */
static enum error_kind renew_setup(struct target *target, int interrupts, struct error *error)
{
    struct setup_session *renewed = NULL;
    enum error_kind kind =
        setup_session_new(&target->servers, NULL, SESSION_NS, interrupts, &renewed, error);
    if (kind == ERROR_NONE)
        kind = setup_session_inherit(renewed, target->setup, error);
    if (kind != ERROR_NONE) {
        setup_session_free(renewed);
        return kind;
    }
    setup_session_free(target->setup);
    target->setup = renewed;
    return ERROR_NONE;
}

enum error_kind target_leave_out_lost(const struct target_options *options,
                                      const struct targets *targets, struct target *target,
                                      size_t *lost, struct error *error)
{
    struct target left;
    struct error why;
    *lost = 0;
    if (!options->connect || target->servers.count == 1)
        return ERROR_NONE;
    enum error_kind kind = find_left(targets, target, &left, &why);
    if (kind == ERROR_NONE && left.servers.count == target->servers.count)
        return ERROR_NONE;
    if (kind == ERROR_NONE)
        kind = place(options->placement, &left, &why);
    if (kind == ERROR_NONE)
        kind = renew_setup(&left, targets->signals, &why);
    if (kind == ERROR_INTERRUPTED)
        *error = why;
    if (kind != ERROR_NONE)
        return kind == ERROR_INTERRUPTED ? kind : ERROR_NONE;
    *lost = target->servers.count - left.servers.count;
    *target = left;
    return ERROR_NONE;
}

/* The target has its name from that of the jar: figures must not stand under another version. A
 * patched build's name may go on behind the number. */
static enum error_kind check_version(const struct zookeeper_home *home, const struct target *target,
                                     struct error *error)
{
    static const char digits[] = "0123456789.";
    const char *answered = target->identities[0].version;
    size_t length = strspn(answered, digits);
    if (length == strspn(home->version, digits) && strncmp(answered, home->version, length) == 0)
        return ERROR_NONE;
    return error_raise(error, ERROR_USAGE, 0, "--zookeeper",
                       "the server of '%.200s' says that it is version %s, its jar is named after "
                       "%s: name the jar after what is in it, and leave no other release's jars "
                       "beside it",
                       home->folder, answered, home->version);
}

static enum error_kind start_servers(const struct target_options *options, size_t topology,
                                     int interrupts, struct target *target, struct error *error)
{
    enum error_kind kind = start_private(options, topology, interrupts, target, error);
    if (kind == ERROR_NONE)
        kind = look_at_servers(target, error);
    if (kind == ERROR_NONE && options->home_count > 0)
        kind = check_version(target_options_home(options, topology), target, error);
    return kind == ERROR_NONE ? place(options->placement, target, error) : kind;
}

enum error_kind target_start(const struct target_options *options, size_t topology, int interrupts,
                             struct target *target, struct error *error)
{
    struct error closing;
    if (options->connect)
        return ERROR_NONE;
    *target = (struct target){.limit = {.sessions = UINT64_MAX}};
    if (options->driver == DRIVER_SIMULATED) {
        describe_simulation(options, topology, target);
        return place(options->placement, target, error);
    }
    enum error_kind kind = start_servers(options, topology, interrupts, target, error);
    if (kind != ERROR_NONE)
        (void)!target_close(target, &closing);
    return kind;
}

enum error_kind target_open(const struct target_options *options, size_t topology, int interrupts,
                            struct target *target, struct error *error)
{
    enum error_kind kind = target_start(options, topology, interrupts, target, error);
    if (kind != ERROR_NONE || options->driver == DRIVER_SIMULATED)
        return kind;
    kind = setup_session_new(&target->servers, target->ensemble, SESSION_NS, interrupts,
                             &target->setup, error);
    if (kind == ERROR_NONE)
        kind = check_chroot(target, error);
    struct error closing; /* no root has been made yet */
    if (kind != ERROR_NONE)
        (void)!target_close(target, &closing);
    return kind;
}

/* Through a session with this server alone. */
static enum error_kind look_for_root(const struct target *target, const struct endpoint *server,
                                     int interrupts, bool *found, struct error *error)
{
    struct connect_string alone = target->servers;
    struct setup_session *witness = NULL;
    uint64_t until_ns = clock_now_ns() + SPREAD_NS;
    alone.endpoints[0] = *server;
    alone.count = 1;
    *found = false;
    enum error_kind kind = setup_session_new(&alone, NULL, SESSION_NS, interrupts, &witness, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = setup_session_exists(witness, target->root, found, error);
    while (kind == ERROR_NONE && !*found && clock_now_ns() < until_ns) {
        usleep(LOOK_MS * 1000);
        kind = setup_session_exists(witness, target->root, found, error);
    }
    setup_session_free(witness);
    return kind;
}

/* What belongs to one ensemble sees what was created through another of its servers: true of every
 * version, and without a four-letter word. */
static enum error_kind check_one_ensemble(const struct target *target, int interrupts,
                                          struct error *error)
{
    char through[CLIENT_SERVER_SIZE], text[ENDPOINT_TEXT_SIZE];
    client_server(target->setup->session.client, through, sizeof through);
    for (size_t i = 0; i < target->servers.count; i++) {
        const struct endpoint *server = &target->servers.endpoints[i];
        bool found;
        if (strcmp(endpoint_address(server, text, sizeof text), through) == 0)
            continue;
        enum error_kind kind = look_for_root(target, server, interrupts, &found, error);
        if (kind != ERROR_NONE)
            return kind;
        if (!found)
            return error_raise(error, ERROR_OTHER_ENSEMBLE, 0,
                               endpoint_format(server, text, sizeof text),
                               "a znode created through %s is not visible there within %d s",
                               through, (int)(SPREAD_NS / NS_PER_S));
    }
    return ERROR_NONE;
}

/* Private servers end with the run: their root needs no record and no mark. */
static enum error_kind create_root(const struct target *target, struct error *error)
{
    char record[TARGET_ROOT_RECORD_SIZE], mark[TARGET_ROOT_PATH_SIZE + sizeof TARGET_ROOT_MARK];
    if (target->ensemble != NULL)
        return setup_session_create(target->setup, target->root, error);
    snprintf(mark, sizeof mark, "%s/" TARGET_ROOT_MARK, target->root);
    return setup_session_create_marked(target->setup, target->root,
                                       target_root_record(record, sizeof record), mark, error);
}

/* An ACL may allow to create what only somebody else can delete. The name is not that of a root: it
 * may be seen. */
static enum error_kind try_place(const struct target *target, struct error *error)
{
    char path[sizeof "/try-" + TARGET_ROOT_PATH_SIZE];
    if (target->ensemble != NULL)
        return ERROR_NONE;
    snprintf(path, sizeof path, "/try-%s", target->root + 1);
    return setup_session_try(target->setup, path, error);
}

enum error_kind target_make_root(struct target *target, int interrupts, struct error *error)
{
    target_root_path(target->root, sizeof target->root);
    if (target->setup == NULL)
        return ERROR_NONE;
    enum error_kind kind = try_place(target, error);
    if (kind == ERROR_NONE)
        kind = create_root(target, error);
    if (kind != ERROR_NONE)
        target->root[0] = '\0'; /* it is not ours to remove */
    if (kind == ERROR_NONE && target->ensemble == NULL && target->servers.count > 1)
        kind = check_one_ensemble(target, interrupts, error);
    return kind;
}

/* A private server takes its znodes with it. */
static enum error_kind remove_root(const struct target *target, struct error *error)
{
    struct error why;
    char server[ENDPOINT_TEXT_SIZE], path[sizeof target->servers.chroot + sizeof target->root];
    if (target->ensemble != NULL || target->setup == NULL || target->root[0] == '\0')
        return ERROR_NONE;
    target->setup->interrupts = -1;
    enum error_kind kind = setup_session_delete_tree(target->setup, target->root, &why);
    if (kind == ERROR_NONE)
        return kind;
    snprintf(path, sizeof path, "%s%s", target->servers.chroot, target->root);
    return error_raise(error, ERROR_LEFT_BEHIND, 0, path,
                       "%s%s%s; remove them: zkCli.sh -server "
                       "%s deleteall %s%s",
                       error_words(kind), why.detail[0] != '\0' ? ": " : "", why.detail,
                       endpoint_typed(&target->servers.endpoints[0], server, sizeof server), path,
                       identity_is_known(target->servers.identity) ? ", after addauth" : "");
}

struct trial_host target_trial_host(const struct target *target, int interrupts)
{
    return (struct trial_host){.setup = target->setup,
                               .servers = &target->servers,
                               .ensemble = target->ensemble,
                               .simulation = &target->simulation,
                               .watch.interrupt_descriptor = interrupts};
}

struct load_host target_load_host(const struct target *target, int interrupts)
{
    return (struct load_host){.setup = target->setup,
                              .servers = &target->servers,
                              .ensemble = target->ensemble,
                              .simulation = &target->simulation,
                              .watch.interrupt_descriptor = interrupts};
}

enum error_kind target_close(struct target *target, struct error *error)
{
    enum error_kind kind = remove_root(target, error);
    setup_session_free(target->setup);
    ensemble_stop(target->ensemble);
    *target = (struct target){0};
    return kind;
}

/* Finds a server that has ended, or ends while one that has lost its connections would: the kernel
 * closes a process's sockets before it shows that the process has ended. */
static enum error_kind await_death(const struct ensemble *ensemble, struct error *error)
{
    uint64_t deadline_ns = clock_now_ns() + DYING_NS;
    enum error_kind kind = ensemble_check(ensemble, error);
    while (kind == ERROR_NONE && clock_now_ns() < deadline_ns) {
        nanosleep(&(struct timespec){.tv_nsec = DYING_NS / 50}, NULL);
        kind = ensemble_check(ensemble, error);
    }
    return kind;
}

enum error_kind target_find_cause(const struct target *target, enum error_kind kind,
                                  struct error *error)
{
    if (kind == ERROR_NONE || kind == ERROR_INTERRUPTED || target->ensemble == NULL)
        return kind;
    enum error_kind cause = await_death(target->ensemble, error);
    return cause != ERROR_NONE ? cause : kind;
}

struct target_others target_count_others(const struct target *target)
{
    struct server_counters counters = {.servers = &target->servers};
    struct server_counters_reading before, after;
    struct error error;
    if (server_counters_read(&counters, &before, &error) != ERROR_NONE)
        return (struct target_others){0};
    uint64_t begun_ns = clock_now_ns();
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    double seconds = (double)(clock_now_ns() - begun_ns) / 1e9;
    if (server_counters_read(&counters, &after, &error) != ERROR_NONE)
        return (struct target_others){0};
    struct server_counters_count count = server_counters_subtract(&before, &after);
    if (!count.known || after.connections < 2)
        return (struct target_others){0};
    return (struct target_others){.clients = after.connections - 1,
                                  .requests_per_s =
                                      (uint64_t)((double)count.packets_received / seconds + 0.5)};
}
