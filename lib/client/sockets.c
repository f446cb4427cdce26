// SPDX-License-Identifier: Apache-2.0
#include "client/sockets.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/jute.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WINDOW 64 /* the library's pipe and socket get the lowest free descriptors */

#define FIND_NS       (2 * NS_PER_S)
#define FIND_AGAIN_NS (20 * NS_PER_MS) /* after a search that found nothing */
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

void socket_owner_begin(struct socket_owner *owner)
{
    owner->lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    owner->before = 0;
    if (owner->lowest < 0)
        return;
    close(owner->lowest);
    for (int i = 0; i < WINDOW; i++)
        owner->before |= (uint64_t)is_tcp(owner->lowest + i) << i;
}

/* The first descriptor that has become a socket since; -1: none. */
static int find_new_socket(const struct socket_owner *owner)
{
    for (int i = 0; owner->lowest >= 0 && i < WINDOW; i++) {
        if ((owner->before >> i & 1) == 0 && is_tcp(owner->lowest + i))
            return owner->lowest + i;
    }
    return -1;
}

/* ------------------------------------------------------------------ whose socket it is */

struct socket_owners *socket_owners_new(size_t count)
{
    struct socket_owners *owners = memory_new(1, sizeof *owners + count * sizeof owners->all[0]);
    pthread_mutex_init(&owners->mutex, NULL);
    owners->count = count;
    for (size_t i = 0; i < count; i++)
        owners->all[i] = (struct socket_owner){.owners = owners, .descriptor = -1};
    return owners;
}

void socket_owners_free(struct socket_owners *owners)
{
    pthread_mutex_destroy(&owners->mutex);
    free(owners);
}

/* The caller holds the mutex. */
static void set_socket(struct socket_owner *owner, int descriptor)
{
    owner->descriptor = descriptor;
    owner->cookie = socket_cookie(descriptor);
}

void socket_owner_find(struct socket_owner *owner)
{
    const struct timespec step = {.tv_nsec = FIND_STEP_NS};
    uint64_t until_ns = clock_now_ns() + (owner->owners->futile ? FIND_AGAIN_NS : FIND_NS);
    int descriptor;
    while ((descriptor = find_new_socket(owner)) < 0 && clock_now_ns() < until_ns)
        nanosleep(&step, NULL);
    pthread_mutex_lock(&owner->owners->mutex);
    owner->owners->futile = descriptor < 0;
    set_socket(owner, descriptor);
    pthread_mutex_unlock(&owner->owners->mutex);
}

void socket_owner_confirm(struct socket_owner *owner)
{
    struct socket_owners *owners = owner->owners;
    pthread_mutex_lock(&owners->mutex);
    set_socket(owner, owner->descriptor);
    bool is_lost = owner->cookie == 0;
    for (size_t i = 0; i < owners->count; i++)
        is_lost |= &owners->all[i] != owner && owners->all[i].cookie == owner->cookie;
    if (is_lost)
        set_socket(owner, -1);
    pthread_mutex_unlock(&owners->mutex);
}

bool socket_owner_stands(const struct socket_owner *owner)
{
    return owner->cookie != 0 && socket_cookie(owner->descriptor) == owner->cookie;
}

void socket_owner_drop(struct socket_owner *owner)
{
    pthread_mutex_lock(&owner->owners->mutex);
    set_socket(owner, -1);
    pthread_mutex_unlock(&owner->owners->mutex);
}

/* ------------------------------------------------------------------ losing a connection */

/* A message is its length, and begins with the number of the request that it answers, negative if
 * it answers none. Where no message begins, the library has read a part of one, and reads on. */
static enum drop_connection_view first_message(const char *bytes, size_t count)
{
    size_t at = 0;
    while (count - at >= WIRE_LENGTH + sizeof(int32_t)) {
        struct jute jute = {.bytes = (const unsigned char *)bytes + at, .left = count - at};
        int32_t length = jute_int(&jute), xid = jute_int(&jute);
        if (length < WIRE_REPLY_HEADER)
            return DROP_CONNECTION_OTHER;
        if (xid >= 0)
            return DROP_CONNECTION_REPLY;
        if (WIRE_LENGTH + (size_t)length > count - at)
            break;
        at += WIRE_LENGTH + (size_t)length;
    }
    return at > 0 ? DROP_CONNECTION_OTHER : DROP_CONNECTION_NOTHING;
}

enum drop_connection_view drop_connection_peek(int descriptor)
{
    char bytes[LOOK_BYTES];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? DROP_CONNECTION_NOTHING : DROP_CONNECTION_OTHER;
    return count == 0 ? DROP_CONNECTION_OTHER : first_message(bytes, (size_t)count);
}

void drop_connection_hold(int descriptor)
{
    const int bytes = INT_MAX;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end)
{
    int ends[2], connection = dup(descriptor);
    if (connection < 0)
        return false;
    bool is_pair = socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0;
    /* Corked bytes leave with the end of the connection (tcp(7)). */
    if (!is_pair || (length > 0 && send(connection, last, length, MSG_NOSIGNAL | MSG_DONTWAIT) !=
                                       (ssize_t)length)) {
        for (int i = 0; is_pair && i < 2; i++)
            close(ends[i]);
        close(connection);
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
    /* A thread that polls the connection keeps it open: close alone would not end it. The shutdown
     * wakes the thread, which looks at the descriptor again: the other socket must be there. */
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
