// SPDX-License-Identifier: Apache-2.0
#include "client/sockets.h"

#include "base/clock.h"
#include "wire/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The library opens a pipe and a socket, which get the lowest free descriptors. */
#define WINDOW 64

#define FIND_NS       (2 * NS_PER_S)   /* for all searches in a row that find nothing */
#define FIND_LEAST_NS (20 * NS_PER_MS) /* for each search */
#define FIND_STEP_NS  (50 * NS_PER_US)

/* Room for the notifications that may precede a reply; of the reply the head is enough. */
#define LOOK_BYTES 65536

/* ------------------------------------------------------------------ what the kernel knows */

bool socket_info_bytes(int descriptor, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (descriptor < 0 || getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return false;
    *sent_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
    *received_bytes = info.tcpi_bytes_received;
    return true;
}

static bool is_tcp(int descriptor)
{
    int protocol = 0;
    socklen_t length = sizeof protocol;
    return descriptor >= 0 &&
           getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 &&
           protocol == IPPROTO_TCP;
}

size_t socket_info_unread(int descriptor)
{
    int count = 0;
    return is_tcp(descriptor) && ioctl(descriptor, FIONREAD, &count) == 0 ? (size_t)count : 0;
}

/* The kernel's number of the TCP socket under this descriptor; 0 if there is none. */
static uint64_t socket_cookie(int descriptor)
{
    uint64_t cookie = 0;
    socklen_t length = sizeof cookie;
    if (!is_tcp(descriptor) || getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &length) != 0)
        return 0;
    return cookie;
}

void socket_info_look(struct socket_info_search *search)
{
    *search = (struct socket_info_search){.first = -1};
    int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (lowest < 0)
        return;
    close(lowest);
    search->first = lowest;
    for (int i = 0; i < WINDOW; i++)
        search->before |= (uint64_t)is_tcp(lowest + i) << i;
}

/* The first descriptor that has become a socket since; -1: none. */
static int find_new_socket(const struct socket_info_search *search)
{
    for (int i = 0; search->first >= 0 && i < WINDOW; i++) {
        if ((search->before >> i & 1) == 0 && is_tcp(search->first + i))
            return search->first + i;
    }
    return -1;
}

/* ------------------------------------------------------------------ whose socket it is */

void socket_owners_init(struct socket_owners *owners)
{
    *owners = (struct socket_owners){.first = NULL};
    pthread_mutex_init(&owners->mutex, NULL);
}

void socket_owners_deinit(struct socket_owners *owners)
{
    pthread_mutex_destroy(&owners->mutex);
}

void socket_owner_init(struct socket_owner *socket_owner, struct socket_owners *owners)
{
    *socket_owner = (struct socket_owner){.owners = owners, .descriptor = -1};
}

void socket_owner_find(struct socket_owner *socket_owner, const struct socket_info_search *search)
{
    const struct timespec step = {.tv_nsec = FIND_STEP_NS};
    struct socket_owners *owners = socket_owner->owners;
    uint64_t begun_ns = clock_now_ns(), most_ns = FIND_LEAST_NS;
    if (owners->searched_ns + FIND_LEAST_NS < FIND_NS)
        most_ns = FIND_NS - owners->searched_ns;
    while ((socket_owner->descriptor = find_new_socket(search)) < 0 &&
           clock_now_ns() - begun_ns < most_ns)
        nanosleep(&step, NULL);
    pthread_mutex_lock(&owners->mutex);
    owners->searched_ns =
        socket_owner->descriptor < 0 ? owners->searched_ns + clock_now_ns() - begun_ns : 0;
    socket_owner->cookie = socket_cookie(socket_owner->descriptor);
    socket_owner->next = owners->first;
    owners->first = socket_owner;
    pthread_mutex_unlock(&owners->mutex);
}

static bool is_anothers(const struct socket_owner *socket_owner, uint64_t cookie)
{
    for (const struct socket_owner *other = socket_owner->owners->first; other != NULL;
         other = other->next) {
        if (other != socket_owner && other->cookie == cookie)
            return true;
    }
    return false;
}

void socket_owner_confirm(struct socket_owner *socket_owner)
{
    pthread_mutex_lock(&socket_owner->owners->mutex);
    uint64_t cookie = socket_cookie(socket_owner->descriptor);
    if (cookie != socket_owner->cookie) {
        if (cookie == 0 || is_anothers(socket_owner, cookie))
            socket_owner->descriptor = -1;
        socket_owner->cookie = socket_owner->descriptor < 0 ? 0 : cookie;
    }
    pthread_mutex_unlock(&socket_owner->owners->mutex);
}

bool socket_owner_stands(const struct socket_owner *socket_owner)
{
    return socket_owner->cookie != 0 &&
           socket_cookie(socket_owner->descriptor) == socket_owner->cookie;
}

void socket_owner_drop(struct socket_owner *socket_owner)
{
    pthread_mutex_lock(&socket_owner->owners->mutex);
    struct socket_owner **at = &socket_owner->owners->first;
    while (*at != NULL && *at != socket_owner)
        at = &(*at)->next;
    if (*at != NULL)
        *at = socket_owner->next;
    socket_owner->descriptor = -1;
    socket_owner->cookie = 0;
    pthread_mutex_unlock(&socket_owner->owners->mutex);
}

/* ------------------------------------------------------------------ losing a connection */

static enum drop_connection_view look_through(const char *bytes, size_t count)
{
    struct frame frame;
    size_t at = 0;
    enum frame_state state;
    while ((state = frame_read(bytes + at, count - at, &frame)) >= FRAME_PARTIAL) {
        if (frame.xid >= 0)
            return DROP_CONNECTION_REPLY;
        if (state == FRAME_PARTIAL)
            break;
        at += frame.bytes;
    }
    /* If no frame begins here, the library has read a part of one, and must read the rest. */
    return at > 0 || state == FRAME_INVALID ? DROP_CONNECTION_OTHER : DROP_CONNECTION_NOTHING;
}

enum drop_connection_view drop_connection_look(int descriptor)
{
    char bytes[LOOK_BYTES];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? DROP_CONNECTION_NOTHING : DROP_CONNECTION_OTHER;
    return count == 0 ? DROP_CONNECTION_OTHER : look_through(bytes, (size_t)count);
}

void drop_connection_hold(int descriptor)
{
    const int bytes = INT_MAX;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end)
{
    int ends[2];
    int connection = dup(descriptor);
    if (connection < 0)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
        close(connection);
        return false;
    }
    /* Corked bytes leave with the end of the connection (tcp(7)). */
    if (length > 0 &&
        send(connection, last, length, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)length) {
        close(connection);
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (other_end != NULL) {
        *other_end = ends[1];
    } else {
        shutdown(ends[0], SHUT_WR);
        close(ends[1]);
    }
    dup2(ends[0], descriptor);
    close(ends[0]);
    /* A thread that polls the connection keeps it open, so that close alone would not end it. The
     * shutdown wakes the thread, which then looks at the descriptor once more: the other socket
     * must be there by now. */
    shutdown(connection, SHUT_RDWR);
    close(connection);
    return true;
}

bool drop_connection_drain(int descriptor)
{
    char unread[4096];
    ssize_t length;
    do
        length = recv(descriptor, unread, sizeof unread, MSG_DONTWAIT);
    while (length > 0);
    return length == 0 || (errno != EAGAIN && errno != EINTR);
}

/* The library would wait for room in a socket that is full. */
void drop_connection_end(int other_end)
{
    shutdown(other_end, SHUT_RD);
    drop_connection_drain(other_end);
}
