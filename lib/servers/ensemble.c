// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "servers/internal.h"
#include "servers/supervisor.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define START_DEADLINE_NS (60 * NS_PER_S)
#define MAXBUFFER_BYTES   1048575 /* the default of ZooKeeper: 0xfffff */
#define POLL_MS           10
#define ATTEMPTS          5
#define KILL_MS           10000

_Static_assert(ENSEMBLE_SERVERS_MAX <= SUPERVISOR_PLACES, "a place for every server");

/* ------------------------------------------------------------------ ports */

/* A *port of 0 becomes a free one. Returns 0 or an errno. */
static int bind_port(int fd, uint16_t *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    /* A given port is bound as the servers bind it: ended connections do not hold it. A free port
     * must not be one that another socket holds, and the server is to bind it beside this one. */
    int reuse = *port != 0, yes = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) != 0 ||
        bind(fd, (struct sockaddr *)&address, size) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return errno;
    *port = ntohs(address.sin_port);
    return 0;
}

/* The ports for clients first, so that a given port is not found for another use. */
enum error_kind ports_reserve(uint16_t first, unsigned servers, struct server_ports *ports,
                              struct ports_reservation *reservation, struct error *error)
{
    reservation->count = 0;
    for (unsigned i = 0; i < 3 * servers; i++) {
        struct server_ports *own = &ports[i % servers];
        uint16_t *port = i < servers ? &own->client : i < 2 * servers ? &own->peer : &own->election;
        char subject[32];
        *port = i < servers && first != 0 ? (uint16_t)(first + i) : 0;
        snprintf(subject, sizeof subject, "127.0.0.1:%u", *port);
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int os_error = fd < 0 ? errno : bind_port(fd, port);
        if (fd >= 0)
            reservation->sockets[reservation->count++] = fd;
        if (os_error == 0)
            continue;
        ports_let_go(reservation);
        return os_error == EADDRINUSE && *port != 0
                   ? error_raise(error, ERROR_PORT_TAKEN, 0, subject, "%s", "")
                   : error_from_errno(error, os_error, subject, "while looking for a free port");
    }
    return ERROR_NONE;
}

void ports_let_go(struct ports_reservation *reservation)
{
    while (reservation->count > 0)
        close(reservation->sockets[--reservation->count]);
}

/* ------------------------------------------------------------------ what can be started */

struct ensemble_options ensemble_options_default(void)
{
    return (struct ensemble_options){.servers = 1,
                                     .heap_mib = 1024,
                                     .fsync = true,
                                     .tick_ms = 2000,
                                     .jute_maxbuffer_bytes = MAXBUFFER_BYTES,
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

static enum error_kind check_ports(const struct ensemble_options *options, struct error *error)
{
    char subject[32];
    if (options->first_port + options->servers - 1 <= UINT16_MAX)
        return ERROR_NONE;
    snprintf(subject, sizeof subject, "port %u", options->first_port);
    return error_raise(
        error, ERROR_USAGE, 0, subject,
        "%u servers take %u ports in a row, and 65535 is the highest: give %u or less",
        options->servers, options->servers, UINT16_MAX - options->servers + 1);
}

/* A JVM starts even if its heap exceeds the memory, and is killed when it uses the heap. */
enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib, struct error *error)
{
    char subject[32], line[128];
    uint64_t available_kib = UINT64_MAX; /* not known */
    uint64_t needed_mib = ((uint64_t)heap_mib + SERVER_OVERHEAD_MIB) * servers;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "MemAvailable: %" SCNu64 " kB", &available_kib) != 1)
        ;
    if (file != NULL)
        fclose(file);
    if (needed_mib <= available_kib / 1024)
        return ERROR_NONE;
    snprintf(subject, sizeof subject, "%u server%s", servers, servers == 1 ? "" : "s");
    return error_raise(error, ERROR_NO_MEMORY, 0, subject,
                       "%" PRIu64 " MiB are needed (%u times a heap of %u MiB and about %u MiB "
                       "besides), %" PRIu64 " MiB are available; a smaller heap may do",
                       needed_mib, servers, heap_mib, SERVER_OVERHEAD_MIB, available_kib / 1024);
}

/* The supervisor makes a folder that does not exist. */
enum error_kind ensemble_check_data_folder(const char *folder, struct error *error)
{
    DIR *directory = opendir(folder);
    size_t entries = 0;
    if (directory == NULL && errno == ENOENT)
        return ERROR_NONE;
    if (directory == NULL)
        return error_from_errno(error, errno, folder, "as the place for the servers' data");
    while (readdir(directory) != NULL)
        entries++;
    closedir(directory);
    return entries <= 2 /* . and .. */ ? ERROR_NONE
                                       : error_raise(error, ERROR_NOT_EMPTY, 0, folder, "%s", "");
}

/* ------------------------------------------------------------------ the start */

/* Whether every server serves, and one of several leads. *behind: a server that does not yet. */
static bool all_serve(struct ensemble *ensemble, uint64_t patience_ns, unsigned *behind)
{
    unsigned leaders = 0;
    for (unsigned i = 0; i < ensemble->connect.count; i++) {
        *behind = i;
        if (!server_serves(ensemble, &ensemble->servers[i], patience_ns))
            return false;
        leaders += ensemble->servers[i].role == ROLE_LEADER;
    }
    return leaders == (ensemble->connect.count > 1);
}

/* A server that could not have its port for peers runs on, and would be elected in vain for ever.
 * The logs are read after ensemble_check: the log of a server that has ended is complete then. */
static enum error_kind check_start(const struct ensemble *ensemble, struct error *error)
{
    enum error_kind kind = ensemble_check(ensemble, error);
    for (unsigned i = 0; i < ensemble->connect.count; i++) {
        if (server_lacks_port(&ensemble->servers[i]))
            return server_raise(&ensemble->servers[i], ERROR_PORT_TAKEN, error);
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
    return server_raise(&ensemble->servers[behind], ERROR_NO_ANSWER, error);
}

/* On an error *ensemble is NULL. */
static enum error_kind attempt(const struct ensemble_options *options, const char *folder,
                               struct ensemble **ensemble, struct error *error)
{
    struct server_ports ports[ENSEMBLE_SERVERS_MAX];
    struct ports_reservation reservation = {.count = 0};
    struct ensemble *made = memory_new(1, sizeof *made);
    *error = (struct error){.kind = ERROR_NONE};
    made->options = *options;
    ERROR_FIRST(error,
                ports_reserve(options->first_port, options->servers, ports, &reservation, error));
    ERROR_FIRST(error, install_find_java(made->java, sizeof made->java, error));
    ERROR_FIRST(error, install_find_zookeeper(options->home, &made->install, error));
    ERROR_FIRST(error, supervisor_new(folder, &made->supervisor, error));
    if (error->kind == ERROR_NONE) {
        made->folder = supervisor_folder(made->supervisor);
        made->connect.count = options->servers;
    }
    for (unsigned i = 0; i < options->servers; i++)
        ERROR_FIRST(error, server_launch(made, i, ports, error));
    ERROR_FIRST(error, await_service(made, options->interrupts, error));
    ports_let_go(&reservation);
    *ensemble = error->kind == ERROR_NONE ? made : NULL;
    if (*ensemble == NULL)
        ensemble_stop(made);
    return error->kind;
}

enum error_kind ensemble_start(const struct ensemble_options *options, struct ensemble **ensemble,
                               struct error *error)
{
    const char *folder = options->data_folder, *temporary = getenv("TMPDIR");
    struct error found = {.kind = ERROR_NONE};
    int attempts = 0;
    ERROR_FIRST(&found, ensemble_check_size(options->servers, &found));
    ERROR_FIRST(&found, check_ports(options, &found));
    ERROR_FIRST(&found, ensemble_check_memory(options->servers, options->heap_mib, &found));
    if (folder != NULL)
        ERROR_FIRST(&found, ensemble_check_data_folder(folder, &found));
    else
        folder = temporary != NULL && *temporary != '\0' ? temporary : "/tmp";
    if (found.kind == ERROR_NONE && options->data_folder == NULL && access(folder, F_OK) != 0)
        error_from_errno(&found, errno, folder, "temporary folders are made there");
    if (found.kind == ERROR_NONE) {
        do /* another program may ask for just this port, before the server listens on it */
            attempt(options, folder, ensemble, &found);
        while (found.kind == ERROR_PORT_TAKEN && ++attempts < ATTEMPTS);
    }
    if (found.kind != ERROR_NONE)
        *error = found;
    return found.kind;
}

/* ------------------------------------------------------------------ the end */

void ensemble_stop(struct ensemble *ensemble)
{
    if (ensemble != NULL)
        supervisor_free(ensemble->supervisor);
    free(ensemble);
}

void ensemble_forget(struct ensemble *ensemble)
{
    if (ensemble != NULL)
        supervisor_forget(ensemble->supervisor);
    free(ensemble);
}

enum error_kind ensemble_detach(struct ensemble *ensemble, const char *lock_path,
                                struct error *error)
{
    enum error_kind kind = supervisor_detach(ensemble->supervisor, lock_path, error);
    if (kind == ERROR_NONE)
        free(ensemble);
    return kind;
}

/* ------------------------------------------------------------------ while it runs */

enum error_kind ensemble_check(const struct ensemble *ensemble, struct error *error)
{
    for (unsigned i = 0; ensemble != NULL && i < ensemble->connect.count; i++) {
        const struct server *server = &ensemble->servers[i];
        if (!server->killed && !process_is_alive(server->pid))
            return server_raise(server, ERROR_SERVER_DIED, error);
    }
    return ERROR_NONE;
}

/* The time of /proc/PID/stat, but in nanoseconds; of a process that has ended and was not reaped,
 * too. False if there is no such process. */
static bool read_cpu_ns(pid_t pid, uint64_t *cpu_ns)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return false;
    *cpu_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    return true;
}

enum error_kind server_cpu_ns(const struct server *server, uint64_t *cpu_ns, struct error *error)
{
    uint64_t present_ns = 0;
    if (!server->killed &&
        (!process_is_alive(server->pid) || !read_cpu_ns(server->pid, &present_ns)))
        return server_raise(server, ERROR_SERVER_DIED, error);
    *cpu_ns = server->earlier_cpu_ns + present_ns;
    return ERROR_NONE;
}

enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble, uint64_t *cpu_ns,
                                struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    uint64_t part = 0, sum = 0;
    for (unsigned i = 0; kind == ERROR_NONE && i < ensemble->connect.count; i++) {
        kind = server_cpu_ns(&ensemble->servers[i], &part, error);
        sum += part;
    }
    if (kind == ERROR_NONE)
        *cpu_ns = sum;
    return kind;
}

enum error_kind ensemble_kill(struct ensemble *ensemble, unsigned index, struct error *error)
{
    struct server *server = &ensemble->servers[index];
    uint64_t used_ns = 0;
    if (server->killed || !process_is_alive(server->pid))
        return server_raise(server, ERROR_SERVER_DIED, error);
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, server->pid, 0), .events = POLLIN};
    if (wait.fd < 0)
        return error_from_errno(error, errno, server->name, "while killing it");
    kill(-server->pid, SIGKILL); /* a java that is a shell script has a child */
    /* A pidfd is readable when all threads have ended. */
    bool ended = TEMP_FAILURE_RETRY(poll(&wait, 1, KILL_MS)) == 1;
    close(wait.fd);
    if (!ended)
        return error_raise(error, ERROR_SYSTEM, 0, server->name,
                           "it has not ended within %d s of its SIGKILL", KILL_MS / 1000);
    (void)!read_cpu_ns(server->pid, &used_ns);
    server->earlier_cpu_ns += used_ns;
    server->killed = true;
    return ERROR_NONE;
}

enum error_kind ensemble_restart(struct ensemble *ensemble, unsigned index, struct error *error)
{
    assert(ensemble->servers[index].killed);
    enum error_kind kind = server_run(ensemble, index, error);
    if (kind == ERROR_NONE)
        ensemble->servers[index].killed = false;
    return kind;
}

enum error_kind ensemble_mend(struct ensemble *ensemble, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (unsigned i = 0; kind == ERROR_NONE && i < ensemble->connect.count; i++) {
        if (ensemble->servers[i].killed)
            kind = ensemble_restart(ensemble, i, error);
    }
    return kind == ERROR_NONE ? await_service(ensemble, -1, error) : kind;
}
