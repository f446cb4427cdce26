// SPDX-License-Identifier: Apache-2.0
#include "tests/support/proxy.h"

#include "base/clock.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define PROXY_PAIRS 256
/* A connection is idle when nothing has come over it for so long, the last from the server: no
 * request is out on it, then. One on which a server that stands still owes an answer is cut as
 * well. */
#define PROXY_IDLE_NS (20 * NS_PER_MS)
/* Four-letter words have ended by then. */
#define PROXY_AGE_NS (300 * NS_PER_MS)

struct proxy_pair {
    int ends[2];   /* the session's, the server's; -1: the place is free */
    bool ended[2]; /* it sends no more */
    int last;      /* the end from which bytes have come */
    uint64_t made_ns, moved_ns;
};

static struct sockaddr_in proxy_loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void proxy_close(struct proxy_pair *pair)
{
    close(pair->ends[0]);
    close(pair->ends[1]);
    pair->ends[0] = pair->ends[1] = -1;
}

static void proxy_accept(int listener, uint16_t port, struct proxy_pair *pairs)
{
    struct sockaddr_in address = proxy_loopback(port);
    int session = accept(listener, NULL, NULL);
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint64_t now_ns = clock_now_ns();
    for (int i = 0; session >= 0 && i < PROXY_PAIRS; i++) {
        if (pairs[i].ends[0] >= 0)
            continue;
        if (connect(server, (struct sockaddr *)&address, sizeof address) != 0)
            break;
        pairs[i] = (struct proxy_pair){{session, server}, {false}, 0, now_ns, now_ns};
        return;
    }
    close(session);
    close(server);
}

/* What has come at one end goes to the other. */
static void proxy_pass(struct proxy_pair *pair, int from)
{
    char bytes[16384];
    ssize_t count = read(pair->ends[from], bytes, sizeof bytes);
    pair->moved_ns = clock_now_ns();
    pair->last = from;
    if (count == 0 && !pair->ended[1 - from]) {
        pair->ended[from] = true;
        shutdown(pair->ends[1 - from], SHUT_WR);
    } else if (count <= 0 || write(pair->ends[1 - from], bytes, (size_t)count) != count) {
        proxy_close(pair);
    }
}

/* Another one each time. */
static void proxy_cut_one(struct proxy_pair *pairs, unsigned *last, char order)
{
    uint64_t now_ns = clock_now_ns();
    for (unsigned i = 1; i <= PROXY_PAIRS; i++) {
        struct proxy_pair *pair = &pairs[(*last + i * 37) % PROXY_PAIRS];
        if (pair->ends[0] < 0 || pair->last != (order == 'i') ||
            now_ns - pair->moved_ns < PROXY_IDLE_NS || now_ns - pair->made_ns < PROXY_AGE_NS)
            continue;
        proxy_close(pair);
        *last = (*last + i * 37) % PROXY_PAIRS;
        return;
    }
}

static void proxy_live(int listener, int control, uint16_t port)
{
    struct proxy_pair pairs[PROXY_PAIRS] = {0};
    struct pollfd polls[2 + 2 * PROXY_PAIRS];
    unsigned last = 0;
    char order;
    for (int i = 0; i < PROXY_PAIRS; i++)
        pairs[i].ends[0] = pairs[i].ends[1] = -1;
    for (;;) {
        polls[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        polls[1] = (struct pollfd){.fd = control, .events = POLLIN};
        for (int i = 0; i < 2 * PROXY_PAIRS; i++)
            polls[2 + i] = (struct pollfd){
                .fd = pairs[i / 2].ended[i % 2] ? -1 : pairs[i / 2].ends[i % 2], .events = POLLIN};
        if (poll(polls, 2 + 2 * PROXY_PAIRS, -1) < 0)
            _exit(1);
        for (int i = 0; i < 2 * PROXY_PAIRS; i++) {
            if (polls[2 + i].revents != 0 && pairs[i / 2].ends[0] >= 0)
                proxy_pass(&pairs[i / 2], i % 2);
        }
        if (polls[1].revents != 0 && read(control, &order, 1) != 1)
            _exit(0);
        if (polls[1].revents != 0)
            proxy_cut_one(pairs, &last, order);
        if (polls[0].revents != 0)
            proxy_accept(listener, port, pairs);
    }
}

struct proxy proxy_start(const struct endpoint *server)
{
    struct proxy proxy = {.servers.count = 1};
    struct sockaddr_in address = proxy_loopback(0);
    socklen_t length = sizeof address;
    int control[2];
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, PROXY_PAIRS), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(pipe(control), 0);
    proxy.servers.endpoints[0] = *server;
    proxy.servers.endpoints[0].port = ntohs(address.sin_port);
    proxy.pid = fork();
    assert_true(proxy.pid >= 0);
    if (proxy.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        close(control[1]);
        proxy_live(listener, control[0], server->port);
    }
    close(listener);
    close(control[0]);
    proxy.control = control[1];
    return proxy;
}

void proxy_cut(const struct proxy *proxy, bool idle)
{
    assert_int_equal(write(proxy->control, idle ? "i" : "o", 1), 1);
}

void proxy_stop(struct proxy *proxy)
{
    close(proxy->control);
    kill(proxy->pid, SIGKILL);
    waitpid(proxy->pid, NULL, 0);
}
