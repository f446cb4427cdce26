// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/process.h"
#include "base/text.h"
#include "servers/supervisor.h"

#include <arpa/inet.h>
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
#include <sys/stat.h>
#include <unistd.h>

#define START_DEADLINE_NS (60 * NS_PER_S)
#define POLL_MS           10
#define ATTEMPTS          5
#define CONFIG            "zoo.cfg"
#define LOGBACK           "zkherd-logback.xml"
#define LOG4J             "zkherd-log4j.properties"
#define LOG_NAME          "server.log"
#define LOG_ENDS          "its log ends: "
#define TOO_BUSY          "after 60 s it serves nobody, as on a busy machine; "

_Static_assert(ENSEMBLE_SERVERS_MAX <= SUPERVISOR_PROCESSES_MAX, "one process for each server");

/* ------------------------------------------------------------------ ports */

/* A port, and the socket that holds it until a server listens there: a program that asks for any
 * port does not get it, and one that binds it with SO_REUSEADDR, as Java does, can listen there. */
struct port {
    int socket; /* -1: none */
    uint16_t number;
};

/* The ports of a server; those for its peers are unused when it is standalone. */
enum { CLIENT, PEER, ELECTION, PORTS };

/* Finds a port that no other socket holds. */
static enum error_kind bind_port(struct port *port, struct error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int yes = 1;
    port->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (port->socket < 0 || bind(port->socket, (struct sockaddr *)&address, size) != 0 ||
        setsockopt(port->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        getsockname(port->socket, (struct sockaddr *)&address, &size) != 0)
        return error_from_errno(error, errno, "127.0.0.1", "while looking for a free port");
    port->number = ntohs(address.sin_port);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a server's folder */

/* Settings at their default are included, because the manifest shows this text. ZooKeeper turns a
 * key that it does not know (forceSync, snapCount, globalOutstandingLimit, preAllocSize, maxCnxns,
 * admin.*, 4lw.*) into its system property "zookeeper.<key>". dataDir is relative because ZooKeeper
 * reads the file as Latin-1, and the supervisor's folder may have another encoding. The limits in
 * ticks are those of ZooKeeper's sample. */
static void compose_settings(const struct ensemble_options *options, unsigned index,
                             const struct port *ports, char *text, size_t size)
{
    snprintf(text, size,
             "dataDir=./server.%u/data\n"
             "clientPortAddress=127.0.0.1\n"
             "clientPort=%u\n"
             "clientPortListenBacklog=65535\n"
             "maxClientCnxns=0\n"
             "maxCnxns=0\n"
             "tickTime=%" PRIu64 "\n"
             "minSessionTimeout=%" PRIu64 "\n"
             "maxSessionTimeout=3600000\n"
             "globalOutstandingLimit=1000\n"
             "forceSync=%s\n"
             "snapCount=100000\n"
             "preAllocSize=65536\n"
             "autopurge.snapRetainCount=3\n"
             "autopurge.purgeInterval=1\n"
             "4lw.commands.whitelist=srvr,mntr,ruok,conf,cons,wchs,srst,isro\n"
             "admin.enableServer=false\n"
             "standaloneEnabled=true\n",
             index + 1, ports[index * PORTS + CLIENT].number, options->tick_ms,
             2 * options->tick_ms, options->fsync ? "yes" : "no");
    if (options->servers == 1)
        return;
    text_append(text, size,
                "initLimit=10\n"
                "syncLimit=5\n"
                "leaderServes=yes\n"
                "localSessionsEnabled=false\n"
                "quorumListenOnAllIPs=false\n"
                "electionPortBindRetry=3\n");
    for (unsigned i = 0; i < options->servers; i++)
        text_append(text, size, "server.%u=127.0.0.1:%u:%u\n", i + 1,
                    ports[i * PORTS + PEER].number, ports[i * PORTS + ELECTION].number);
}

static void write_text(FILE *stream, const void *text)
{
    fputs(text, stream);
}

/* Makes the folder with its files. Of the two for logging a release reads the one for its library:
 * warnings only, for logback without a configuration writes every debug message. */
static enum error_kind configure(const struct ensemble *ensemble, unsigned index,
                                 struct error *error)
{
    char folder[PATH_MAX], data[PATH_MAX + 8], number[16];
    const struct {
        const char *folder, *name, *text;
    } files[] = {
        {folder, LOGBACK,
         "<configuration>\n"
         "  <appender name=\"out\" class=\"ch.qos.logback.core.ConsoleAppender\">\n"
         "    <encoder><pattern>%d{HH:mm:ss.SSS} %level %logger{0} - %msg%n</pattern></encoder>\n"
         "  </appender>\n"
         "  <root level=\"WARN\"><appender-ref ref=\"out\"/></root>\n"
         "</configuration>\n"},
        {folder, LOG4J,
         "log4j.rootLogger=WARN, out\n"
         "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
         "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
         "log4j.appender.out.layout.ConversionPattern=%d{HH:mm:ss,SSS} %p %c{1} - %m%n\n"},
        {folder, CONFIG, ensemble->servers[index].start.settings},
        {data, "myid", number}, /* of one of several */
    };
    size_t count = sizeof files / sizeof files[0] - (ensemble->options.servers == 1);
    snprintf(folder, sizeof folder, "%s/server.%u", ensemble->folder, index + 1);
    snprintf(data, sizeof data, "%s/data", folder);
    snprintf(number, sizeof number, "%u\n", index + 1);
    if (mkdir(folder, 0700) != 0 || mkdir(data, 0700) != 0)
        return error_from_errno(error, errno, folder, "%s", "");
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = output_write(files[i].folder, files[i].name, write_text, files[i].text, error);
    return kind;
}

/* ------------------------------------------------------------------ a server's process */

static enum error_kind run_server(struct ensemble *ensemble, unsigned index, const char *java,
                                  const struct install *install, struct error *error)
{
    struct server *server = &ensemble->servers[index];
    char heap_first[32], heap_most[32], log[64], config[64], temporary[64], logback[96], log4j[96];
    snprintf(heap_first, sizeof heap_first, "-Xms%um", ensemble->options.heap_mib);
    snprintf(heap_most, sizeof heap_most, "-Xmx%um", ensemble->options.heap_mib);
    snprintf(log, sizeof log, "server.%u/" LOG_NAME, index + 1);
    snprintf(config, sizeof config, "./server.%u/" CONFIG, index + 1);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=./server.%u", index + 1);
    snprintf(logback, sizeof logback, "-Dlogback.configurationFile=server.%u/" LOGBACK, index + 1);
    snprintf(log4j, sizeof log4j, "-Dlog4j.configuration=file:server.%u/" LOG4J, index + 1);
    const char *const arguments[] = {
        java,
        heap_first,
        heap_most,
        /* Bounds for memory besides the heap, far above what a server needs. Each thread that
         * writes keeps a buffer of its longest reply, but none beyond 256 KiB (10,000 names). */
        "-Xss512k",
        "-XX:MaxMetaspaceSize=64m",
        "-XX:ReservedCodeCacheSize=64m",
        "-XX:MaxDirectMemorySize=64m",
        "-Djdk.nio.maxCachedBufferSize=262144",
        "-Djute.maxbuffer=1048575", /* the default of ZooKeeper: 0xfffff */
        /* Without this a lock's empty folder is deleted within a minute, and Curator's clients make
         * it again. */
        "-Dznode.container.checkIntervalMs=3600000",
        "-showversion",
        /* Performance data is a file in /tmp, which would outlive a JVM that is killed. */
        "-XX:-UsePerfData",
        /* A server without memory would run on, very slowly. */
        "-XX:+ExitOnOutOfMemoryError",
        temporary,
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
        logback,
        log4j,
        "-Dzookeeper.jmx.log4j.disable=true",
        "-cp",
        install->class_path,
        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
        config,
        NULL,
    };
    char *command_line = server->start.command_line;
    for (size_t i = 0; arguments[i] != NULL; i++)
        text_append(command_line, sizeof server->start.command_line, "%s%s", i > 0 ? " " : "",
                    arguments[i]);
    strcpy(server->start.home, install->home);
    return supervisor_run(ensemble->supervisor, arguments, log, ensemble->options.cpu_percent,
                          &server->pid, error);
}

/* Names a server in errors (which of several, and of which release if one was asked for), and
 * writes its files. */
static enum error_kind prepare_server(struct ensemble *ensemble, unsigned index,
                                      const struct port *ports, struct error *error)
{
    struct server *server = &ensemble->servers[index];
    const char *home = ensemble->options.home;
    unsigned servers = ensemble->options.servers, port = ports[index * PORTS + CLIENT].number;
    ensemble->connect.endpoints[index] =
        (struct endpoint){.host = "127.0.0.1", .port = (uint16_t)port};
    snprintf(server->log, sizeof server->log, "%s/server.%u/" LOG_NAME, ensemble->folder,
             index + 1);
    if (servers > 1)
        text_append(server->name, sizeof server->name, "server %u of %u (", index + 1, servers);
    text_append(server->name, sizeof server->name, "127.0.0.1:%u%s", port, servers > 1 ? ")" : "");
    if (home != NULL)
        text_append(server->name, sizeof server->name, ", ZooKeeper of %.150s", home);
    compose_settings(&ensemble->options, index, ports, server->start.settings,
                     sizeof server->start.settings);
    return configure(ensemble, index, error);
}

/* Whether the server serves requests; its role is written only then. Another program's server on
 * the same port, whose data is not in this supervisor's folder, does not count. Waits for each of
 * two answers, patience_ns at most. */
static bool is_serving(struct ensemble *ensemble, unsigned index, uint64_t patience_ns)
{
    const struct endpoint *endpoint = &ensemble->connect.endpoints[index];
    struct four_letter_identity identity;
    struct error ignored;
    char conf[8192], place[NAME_MAX + 32];
    snprintf(place, sizeof place, "%s/", strrchr(ensemble->folder, '/'));
    if (four_letter_identify(endpoint, patience_ns, &identity, &ignored) != ERROR_NONE ||
        (!role_leads(identity.role) && identity.role != ROLE_FOLLOWER) ||
        four_letter_ask(endpoint, "conf", patience_ns, conf, sizeof conf, &ignored) != ERROR_NONE ||
        strstr(conf, place) == NULL)
        return false;
    ensemble->servers[index].role = identity.role;
    return true;
}

/* ------------------------------------------------------------------ a server's log */

/* Writes the last whole lines of a log that fit into size bytes. Returns text. */
static const char *log_tail(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *log = fopen(path, "re");
    if (log == NULL)
        return text;
    fseek(log, 0, SEEK_END);
    long length = ftell(log);
    /* One byte more than fits shows whether the first line is whole. */
    fseek(log, length >= (long)size ? length - (long)size : 0, SEEK_SET);
    if (length >= (long)size)
        while (!feof(log) && fgetc(log) != '\n')
            ;
    text[fread(text, 1, size - 1, log)] = '\0';
    fclose(log);
    return text;
}

/* -showversion writes a line at the log's beginning: openjdk version "17.0.15" 2025-04-15. */
static void find_java_version(struct server *server)
{
    char log[16384], *rest = log, *text = server->start.java_version;
    text_read(log, sizeof log, "%s", server->log);
    for (char *line; text[0] == '\0' && (line = strsep(&rest, "\n")) != NULL;) {
        if (strstr(line, " version \"") != NULL)
            snprintf(text, sizeof server->start.java_version, "%s", line);
    }
}

/* Writes the end of a log as one line, without the frames of stack traces. If a whole line of the
 * log fits, no line is cut. */
static void summarize(const char *path, char *text, size_t size)
{
    char tail[16384], joined[2 * sizeof tail] = "";
    char *rest = tail;
    log_tail(path, tail, sizeof tail);
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (*line != '\0' && *line != '\t')
            text_append_clause(joined, sizeof joined, "%s", line);
    }
    const char *end = joined;
    size_t length = strlen(joined);
    if (length >= size) {
        end = joined + length - (size - 1);
        const char *boundary = strstr(end, "; ");
        end = boundary == NULL ? end : boundary + 2;
    }
    memcpy(text, end, strlen(end) + 1);
}

/* The server is the subject, the end of its log the detail; or, if a SIGKILL has ended it, of which
 * no log knows, that. */
static enum error_kind raise_server(const struct server *server, enum error_kind kind,
                                    struct error *error)
{
    char words[sizeof error->detail - sizeof LOG_ENDS - sizeof TOO_BUSY];
    if (kind == ERROR_SERVER_DIED && process_end_signal(server->pid) == SIGKILL)
        return error_raise(error, kind, 0, server->name,
                           "it was killed (SIGKILL), by hand or by the kernel when memory ran out");
    summarize(server->log, words, sizeof words);
    return error_raise(error, kind, 0, server->name, "%s%s%s",
                       kind == ERROR_NO_ANSWER ? TOO_BUSY : "",
                       words[0] == '\0' ? "its log is empty" : LOG_ENDS, words);
}

/* ------------------------------------------------------------------ what can be started */

struct ensemble_options ensemble_options_default(void)
{
    return (struct ensemble_options){
        .servers = 1, .heap_mib = 1024, .fsync = true, .tick_ms = 2000, .interrupts = -1};
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

/* A JVM starts even if its heap exceeds the memory, and is killed when it uses the heap. */
enum error_kind ensemble_check_memory(unsigned servers, unsigned heap_mib, struct error *error)
{
    char subject[32], text[4096];
    uint64_t available_kib = UINT64_MAX; /* not known */
    uint64_t needed_mib = ((uint64_t)heap_mib + SERVER_OVERHEAD_MIB) * servers;
    text_read(text, sizeof text, "/proc/meminfo");
    const char *line = strstr(text, "MemAvailable:");
    if (line != NULL)
        sscanf(line, "MemAvailable: %" SCNu64, &available_kib);
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
        if (!is_serving(ensemble, i, patience_ns))
            return false;
        leaders += ensemble->servers[i].role == ROLE_LEADER;
    }
    for (unsigned i = 0; i < ensemble->connect.count; i++)
        find_java_version(&ensemble->servers[i]);
    return leaders == (ensemble->connect.count > 1);
}

/* A server that could not have its port for peers runs on, and would be elected for ever to no
 * effect. The logs are read after ensemble_check: the log of a server that has ended is complete
 * then. */
static enum error_kind await_service(struct ensemble *ensemble, struct error *error)
{
    struct pollfd interrupt = {.fd = ensemble->options.interrupts, .events = POLLIN};
    char tail[16384];
    uint64_t start_ns = clock_now_ns(), elapsed_ns = 0;
    unsigned behind = 0;
    for (; elapsed_ns < START_DEADLINE_NS; elapsed_ns = clock_now_ns() - start_ns) {
        /* Short timeouts first: a question that arrives after the port opens and before the
         * database does is never answered. */
        if (all_serve(ensemble, 50 * NS_PER_MS + elapsed_ns / 4, &behind))
            return ERROR_NONE;
        enum error_kind kind = ensemble_check(ensemble, error);
        for (unsigned i = 0; i < ensemble->connect.count; i++) {
            const struct server *server = &ensemble->servers[i];
            if (strstr(log_tail(server->log, tail, sizeof tail), "BindException") != NULL)
                return raise_server(server, ERROR_PORT_TAKEN, error);
        }
        if (kind != ERROR_NONE)
            return kind;
        if (poll(&interrupt, 1, POLL_MS) > 0)
            return error_raise(error, ERROR_INTERRUPTED, 0, "private servers", "%s", "");
    }
    return raise_server(&ensemble->servers[behind], ERROR_NO_ANSWER, error);
}

/* Runs the servers of `made` in a new folder below this one, until they serve. */
static void run_servers(struct ensemble *made, const char *folder, const struct port *ports,
                        struct error *error)
{
    struct install install;
    char java[PATH_MAX];
    ERROR_FIRST(error, install_find_java(java, sizeof java, error));
    ERROR_FIRST(error, install_find_zookeeper(made->options.home, &install, error));
    ERROR_FIRST(error, supervisor_new(folder, &made->supervisor, error));
    if (error->kind != ERROR_NONE)
        return;
    made->folder = supervisor_folder(made->supervisor);
    made->connect.count = made->options.servers;
    for (unsigned i = 0; i < made->options.servers; i++) {
        ERROR_FIRST(error, prepare_server(made, i, ports, error));
        ERROR_FIRST(error, run_server(made, i, java, &install, error));
    }
    ERROR_FIRST(error, await_service(made, error));
}

/* On an error *ensemble is NULL. */
static void attempt(const struct ensemble_options *options, const char *folder,
                    struct ensemble **ensemble, struct error *error)
{
    struct port ports[ENSEMBLE_SERVERS_MAX * PORTS] = {0};
    struct ensemble *made = memory_new(1, sizeof *made);
    *error = (struct error){.kind = ERROR_NONE};
    made->options = *options;
    for (unsigned i = 0; i < options->servers * PORTS; i++) {
        ports[i].socket = -1;
        ERROR_FIRST(error, bind_port(&ports[i], error));
    }
    run_servers(made, folder, ports, error);
    for (unsigned i = 0; i < options->servers * PORTS; i++) {
        if (ports[i].socket >= 0)
            close(ports[i].socket);
    }
    *ensemble = error->kind == ERROR_NONE ? made : NULL;
    if (*ensemble == NULL)
        ensemble_stop(made);
}

enum error_kind ensemble_start(const struct ensemble_options *options, struct ensemble **ensemble,
                               struct error *error)
{
    const char *folder = options->data_folder, *temporary = getenv("TMPDIR");
    struct error found = {.kind = ERROR_NONE};
    int attempts = 0;
    ERROR_FIRST(&found, ensemble_check_size(options->servers, &found));
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
        if (!process_is_alive(server->pid))
            return raise_server(server, ERROR_SERVER_DIED, error);
    }
    return ERROR_NONE;
}

enum error_kind ensemble_cpu_ns(const struct ensemble *ensemble,
                                uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX], uint64_t *cpu_ns,
                                struct error *error)
{
    uint64_t sum_ns = 0;
    for (unsigned i = 0; i < ensemble->connect.count; i++) {
        const struct server *server = &ensemble->servers[i];
        if (!process_is_alive(server->pid) || !process_cpu_ns(server->pid, &cpu_of_ns[i]))
            return raise_server(server, ERROR_SERVER_DIED, error);
        sum_ns += cpu_of_ns[i];
    }
    *cpu_ns = sum_ns;
    return ERROR_NONE;
}
