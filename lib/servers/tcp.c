// SPDX-License-Identifier: Apache-2.0
#include "servers/tcp.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

bool tcp_await(int fd, short events, uint64_t deadline_ns)
{
    struct pollfd wait = {.fd = fd, .events = events};
    int ready;
    do
        ready = poll(&wait, 1, clock_left_ms(deadline_ns));
    while (ready <= 0 && clock_now_ns() < deadline_ns);
    return ready > 0;
}

/* Begins to connect: returns 0 or an errno, and the socket in *fd unless it is -1. */
static int begin_to_connect(const struct addrinfo *address, int *fd)
{
    *fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (*fd < 0)
        return errno;
    int os_error = connect(*fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (os_error == 0 || os_error == EINPROGRESS || os_error == EINTR)
        return 0;
    close(*fd);
    *fd = -1;
    return os_error;
}

/* How the connect of a socket that has become writable ended: 0 or an errno. */
static int error_of(int connection)
{
    int os_error = 0;
    socklen_t size = sizeof os_error;
    return getsockopt(connection, SOL_SOCKET, SO_ERROR, &os_error, &size) == 0 ? os_error : errno;
}

static enum error_kind raise_unresolved(const struct endpoint *endpoint, int code,
                                        struct error *error)
{
    if (code == EAI_SYSTEM)
        return error_from_errno(error, errno, endpoint->host, "while resolving the host name");
    return error_raise(error, ERROR_UNRESOLVED, 0, endpoint->host, "%s", gai_strerror(code));
}

static enum error_kind raise_unconnected(const struct endpoint *endpoint, int os_error,
                                         struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE];
    endpoint_format(endpoint, subject, sizeof subject);
    if (os_error == ECONNREFUSED)
        return error_raise(error, ERROR_REFUSED, os_error, subject, "%s", "");
    /* The server has accepted and closed the connection before this process saw that it was
     * accepted: a reset has arrived, or an end before it. */
    if (os_error == ECONNRESET || os_error == EPIPE)
        return error_raise(error, ERROR_CLOSED, 0, subject, "%s", "");
    if (os_error == ETIMEDOUT || os_error == EHOSTUNREACH || os_error == ENETUNREACH)
        return error_raise(error, ERROR_NO_ANSWER, os_error, subject,
                           "it could not be connected to");
    return error_from_errno(error, os_error, subject, "while connecting");
}

/* The addresses are for the caller to freeaddrinfo. Returns 0 or getaddrinfo's error. */
static int look_up(const struct endpoint *endpoint, int flags, struct addrinfo **addresses)
{
    char service[8];
    snprintf(service, sizeof service, "%u", endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    return getaddrinfo(endpoint->host, service, &hints, addresses);
}

enum error_kind tcp_begin(const struct endpoint *endpoint, int *fd, struct error *error)
{
    struct addrinfo *addresses;
    int code = look_up(endpoint, AI_NUMERICHOST, &addresses);
    if (code != 0)
        return raise_unresolved(endpoint, code, error);
    int os_error = begin_to_connect(addresses, fd);
    freeaddrinfo(addresses);
    return os_error == 0 ? ERROR_NONE : raise_unconnected(endpoint, os_error, error);
}

enum error_kind tcp_end(const struct endpoint *endpoint, int fd, struct error *error)
{
    int os_error = error_of(fd);
    return os_error == 0 ? ERROR_NONE : raise_unconnected(endpoint, os_error, error);
}

/* ------------------------------------------------------------------ names */

/* The first address that accepts a connection. Each is tried for an equal share of the time that is
 * left, so that one that drops packets does not hide the next. Returns 0 or an errno. */
static int find_accepting(const struct addrinfo **address, uint64_t deadline_ns)
{
    uint64_t count = 0;
    int connection, os_error = ETIMEDOUT;
    for (const struct addrinfo *next = *address; next != NULL; next = next->ai_next)
        count++;
    for (; *address != NULL; *address = (*address)->ai_next) {
        uint64_t now_ns = clock_now_ns();
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        os_error = begin_to_connect(*address, &connection);
        if (connection >= 0) {
            bool is_ready = tcp_await(connection, POLLOUT, now_ns + left_ns / count--);
            os_error = is_ready ? error_of(connection) : ETIMEDOUT;
            close(connection);
        }
        if (os_error == 0)
            break;
    }
    return os_error;
}

/* Each once, whatever the resolver repeats. */
static unsigned count_of_family(const struct addrinfo *addresses, int family)
{
    unsigned count = 0;
    for (const struct addrinfo *one = addresses; one != NULL; one = one->ai_next) {
        const struct addrinfo *same = addresses;
        while (same->ai_addrlen != one->ai_addrlen ||
               memcmp(same->ai_addr, one->ai_addr, one->ai_addrlen) != 0)
            same = same->ai_next;
        count += same == one && one->ai_family == family;
    }
    return count;
}

enum error_kind tcp_resolve(struct endpoint *endpoint, uint64_t timeout_ns, struct error *error)
{
    char host[sizeof endpoint->host];
    struct addrinfo *addresses;
    int os_error = 0, code = look_up(endpoint, AI_NUMERICHOST, &addresses);
    bool is_name = code == EAI_NONAME;
    if (is_name)
        code = look_up(endpoint, 0, &addresses);
    if (code != 0)
        return raise_unresolved(endpoint, code, error);
    const struct addrinfo *found = addresses;
    if (is_name)
        os_error = find_accepting(&found, clock_now_ns() + timeout_ns);
    if (os_error == 0)
        code = getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0,
                           NI_NUMERICHOST);
    if (os_error == 0 && code == 0)
        endpoint->addresses = count_of_family(addresses, found->ai_family);
    freeaddrinfo(addresses);
    if (os_error != 0)
        return raise_unconnected(endpoint, os_error, error);
    if (code != 0)
        return raise_unresolved(endpoint, code, error);
    if (strcmp(endpoint->host, host) != 0) {
        memcpy(endpoint->name, endpoint->host, sizeof endpoint->name);
        memcpy(endpoint->host, host, sizeof endpoint->host);
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ who listens */

#define TABLE_SIZE (4 << 20) /* a line is 150 bytes */

/* PROC_PID_INIT_INO of the kernel: the inode of the namespace in which the machine started. */
#define FIRST_NAMESPACE 0xEFFFFFFCU

/* TCP_LISTEN of the kernel's net/tcp_states.h. */
#define STATE_LISTEN 0x0A

unsigned long listener_parse_inode(const char *text, unsigned port)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        unsigned local_port, state;
        unsigned long inode;
        line += *line == '\n';
        if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu",
                   &local_port, &state, &inode) == 3 &&
            local_port == port && state == STATE_LISTEN)
            return inode;
    }
    return 0;
}

static unsigned long find_inode(unsigned port)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    char *text = memory_new(1, TABLE_SIZE);
    unsigned long inode = 0;
    for (size_t i = 0; i < 2 && inode == 0; i++) {
        text_read(text, TABLE_SIZE, "%s", tables[i]);
        inode = listener_parse_inode(text, port);
    }
    free(text);
    return inode;
}

/* Whether a process has the socket of this inode among its descriptors. */
static bool holds(pid_t pid, unsigned long inode)
{
    char path[64], target[64], wanted[64];
    bool found = false;
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; !found && folder != NULL && (entry = readdir(folder)) != NULL;) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

/* An address is this host's if a socket can be bound to it. */
static bool is_here(const char *host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *address;
    if (getaddrinfo(host, NULL, &hints, &address) != 0)
        return false;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool here = fd >= 0 && bind(fd, address->ai_addr, address->ai_addrlen) == 0;
    if (fd >= 0)
        close(fd);
    freeaddrinfo(address);
    return here;
}

enum listener_place listener_find(const struct endpoint *endpoint, pid_t *pid)
{
    char name[64];
    struct process *list;
    struct stat namespace;
    pid_t found = 0;
    bool is_contained =
        stat("/proc/self/ns/pid", &namespace) != 0 || namespace.st_ino != FIRST_NAMESPACE;
    if (!is_here(endpoint->host))
        return is_contained ? LISTENER_UNKNOWN : LISTENER_ELSEWHERE;
    unsigned long inode = find_inode(endpoint->port);
    size_t count = process_list(&list);
    for (size_t i = 0; i < count && found == 0 && inode != 0; i++)
        found = !list[i].is_kernel && holds(list[i].pid, inode) ? list[i].pid : 0;
    free(list);
    text_read(name, sizeof name, "/proc/%d/comm", (int)found);
    if (found == 0 || strstr(name, "docker-proxy") != NULL)
        return LISTENER_UNKNOWN;
    *pid = found;
    return LISTENER_HERE;
}
