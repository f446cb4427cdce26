// SPDX-License-Identifier: Apache-2.0
#include "client/socket_info.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The library opens a pipe and a socket, which get the lowest free descriptors. */
#define WINDOW 64

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

uint64_t socket_info_cookie(int descriptor)
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

int socket_info_find(const struct socket_info_search *search)
{
    for (int i = 0; search->first >= 0 && i < WINDOW; i++) {
        if ((search->before >> i & 1) == 0 && is_tcp(search->first + i))
            return search->first + i;
    }
    return -1;
}
