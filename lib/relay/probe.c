// SPDX-License-Identifier: Apache-2.0
#include "relay/probe.h"

#include "base/clock.h"
#include "relay/relay.h"
#include "relay/traffic.h"
#include "servers/tcp.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_NS   (5 * NS_PER_S)
#define FIRST      50 /* requests that are not measured: they find everything cold */
#define REPLY_SIZE 256

/* ------------------------------------------------------------------ in the process of the probe */

/* The opening of a new session with a timeout of 10 s; exists of the root; the end of the session.
 */
static const unsigned char opening[WIRE_CONNECT_REQUEST] = {
    [3] = 45, [18] = 0x27, [19] = 0x10, [31] = 16};
static const unsigned char exists[] = {0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, '/', 0};
static const unsigned char closing[WIRE_CLOSE_REQUEST] = {0, 0, 0,    8,    0,    0,
                                                          0, 2, 0xff, 0xff, 0xff, 0xf5};

/* Receives so many bytes. */
static bool receive(int fd, unsigned char *bytes, size_t count, uint64_t until_ns)
{
    for (size_t have = 0; have < count;) {
        ssize_t more = recv(fd, bytes + have, count - have, 0);
        if (more == 0 || (more < 0 && errno != EAGAIN))
            return false;
        if (more < 0 && !tcp_await(fd, POLLIN, until_ns))
            return false;
        have += more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* Sends a request, and waits for the whole reply. */
static bool exchange(int fd, const unsigned char *request, size_t count, uint64_t until_ns)
{
    unsigned char reply[REPLY_SIZE];
    if (send(fd, request, count, MSG_NOSIGNAL) != (ssize_t)count ||
        !receive(fd, reply, WIRE_LENGTH, until_ns))
        return false;
    size_t length = (size_t)reply[2] << 8 | reply[3];
    return reply[0] == 0 && reply[1] == 0 && length <= sizeof reply &&
           receive(fd, reply, length, until_ns);
}

static bool open_session(const struct endpoint *endpoint, uint64_t until_ns, int *fd)
{
    struct error ignored;
    int on = 1;
    return tcp_connect(endpoint, until_ns, fd, &ignored) == ERROR_NONE &&
           setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
           exchange(*fd, opening, sizeof opening, until_ns);
}

static void measure(struct probe *probe, const struct endpoint *const endpoints[PROBE_WAYS],
                    uint64_t until_ns)
{
    int fds[PROBE_WAYS];
    for (int way = 0; way < PROBE_WAYS; way++)
        if (!open_session(endpoints[way], until_ns, &fds[way]))
            return;
    for (int i = 0; i < FIRST + PROBE_REQUESTS; i++)
        for (int way = 0; way < PROBE_WAYS; way++) {
            uint64_t sent_ns = clock_now_ns();
            if (!exchange(fds[way], exists, sizeof exists, until_ns))
                return;
            if (i >= FIRST)
                histogram_record(&probe->latency[way], clock_now_ns() - sent_ns);
        }
    for (int way = 0; way < PROBE_WAYS; way++)
        (void)exchange(fds[way], closing, sizeof closing, until_ns);
}

/* ------------------------------------------------------------------ in the process of the relay */

/* Forks the probe, and relays until it has ended. */
static enum error_kind relay_probe(struct relay *relay, const struct connect_string *servers,
                                   struct probe *probe, struct error *error)
{
    const struct endpoint *const endpoints[PROBE_WAYS] = {[PROBE_DIRECT] = &servers->endpoints[0],
                                                          [PROBE_RELAYED] =
                                                              &relay_connect(relay)->endpoints[0]};
    uint64_t until_ns = clock_now_ns() + LIMIT_NS;
    bool ended = false;
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) != 0)
        return error_from_errno(error, errno, "relay", "while starting its probe");
    pid_t pid = fork();
    if (pid == 0) {
        measure(probe, endpoints, until_ns);
        _exit(0);
    }
    close(alive[1]);
    enum error_kind kind = pid < 0
                               ? error_from_errno(error, errno, "relay", "while starting its probe")
                               : relay_poll(relay, alive[0], until_ns, &ended, error);
    close(alive[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return kind;
}

enum error_kind probe_run(const struct connect_string *servers, const char *address,
                          struct probe **probe, struct error *error)
{
    struct traffic traffic;
    struct relay *relay;
    const struct relay_options options = {
        .servers = servers, .address = address, .listener = &traffic_listener, .context = &traffic};
    *probe = mmap(NULL, sizeof **probe, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*probe == MAP_FAILED) {
        *probe = NULL;
        return error_from_errno(error, errno, "relay", "while making memory for its probe");
    }
    traffic_init(&traffic);
    enum error_kind kind = relay_new(&options, &relay, error);
    if (kind == ERROR_NONE) {
        kind = relay_probe(relay, servers, *probe, error);
        relay_free(relay);
    }
    traffic_deinit(&traffic);
    return kind;
}

void probe_free(struct probe *probe)
{
    if (probe != NULL)
        munmap(probe, sizeof *probe);
}
