// SPDX-License-Identifier: Apache-2.0
#include "servers/listener.h"

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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
        text_read(tables[i], text, TABLE_SIZE);
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

static bool is_proxy(pid_t pid)
{
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    return text_read(path, name, sizeof name) && strstr(name, "docker-proxy") != NULL;
}

/* An address is this host's if a socket can be bound to it. */
static bool is_here(const char *host)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool is_v4 = inet_pton(AF_INET, host, &v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, host, &v6.sin6_addr) != 1)
        return false;
    int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr *address =
        is_v4 ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6;
    bool here = fd >= 0 && bind(fd, address, is_v4 ? sizeof v4 : sizeof v6) == 0;
    if (fd >= 0)
        close(fd);
    return here;
}

static bool is_contained(void)
{
    struct stat namespace;
    return stat("/proc/self/ns/pid", &namespace) != 0 || namespace.st_ino != FIRST_NAMESPACE;
}

enum listener_place listener_find(const struct endpoint *endpoint, pid_t *pid)
{
    struct process *list;
    unsigned long inode;
    pid_t found = 0;
    if (!is_here(endpoint->host))
        return is_contained() ? LISTENER_UNKNOWN : LISTENER_ELSEWHERE;
    inode = find_inode(endpoint->port);
    size_t count = process_list(&list);
    for (size_t i = 0; i < count && found == 0 && inode != 0; i++)
        found = !list[i].is_kernel && holds(list[i].pid, inode) ? list[i].pid : 0;
    free(list);
    if (found == 0 || is_proxy(found))
        return LISTENER_UNKNOWN;
    *pid = found;
    return LISTENER_HERE;
}
