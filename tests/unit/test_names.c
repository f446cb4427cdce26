// SPDX-License-Identifier: Apache-2.0
/* Names of several servers, such as that of a headless service: which address is used, and what is
 * said of the others. The resolver is one of this program. */
#include "base/clock.h"
#include "bench/target/target.h"
#include "servers/tcp.h"

#include "tests/support/port.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#define ADDRESSES 5

/* Of the name "service": no server listens at the first; one address comes twice, one is that of
 * IPv6. The name "server" has only the third. */
static struct addrinfo addresses[ADDRESSES];
static struct sockaddr_in hosts[ADDRESSES];
static struct sockaddr_in6 other = {.sin6_family = AF_INET6};

static void lay_out(uint16_t port)
{
    static const char *const texts[ADDRESSES] = {"127.0.0.2", "127.0.0.3", "127.0.0.1",
                                                 "127.0.0.1"};
    for (size_t i = 0; i < ADDRESSES; i++) {
        const bool is_other = texts[i] == NULL;
        hosts[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
        if (!is_other)
            inet_pton(AF_INET, texts[i], &hosts[i].sin_addr);
        addresses[i] = (struct addrinfo){.ai_family = is_other ? AF_INET6 : AF_INET,
                                         .ai_addr = is_other ? (struct sockaddr *)&other
                                                             : (struct sockaddr *)&hosts[i],
                                         .ai_addrlen = is_other ? sizeof other : sizeof hosts[i],
                                         .ai_next = i < ADDRESSES - 1 ? &addresses[i + 1] : NULL};
    }
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    const bool is_one = strcmp(name, "server") == 0;
    if (is_one || strcmp(name, "service") == 0) {
        *found = is_one ? &addresses[3] : addresses;
        return (hints->ai_flags & AI_NUMERICHOST) != 0 ? EAI_NONAME : 0;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    return next(name, service, hints, found);
}

void freeaddrinfo(struct addrinfo *found)
{
    void (*next)(struct addrinfo *);
    *(void **)&next = dlsym(RTLD_NEXT, "freeaddrinfo");
    if (found != addresses && found != &addresses[3])
        next(found);
}

TEST(of_several_addresses_of_a_name_one_is_used_and_the_others_are_counted)
{
    static const struct {
        const char *host;
        unsigned addresses;
    } cases[] = {{"service", 3}, {"server", 1}, {"127.0.0.1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct endpoint endpoint = {.host = ""};
        struct error error;
        char text[300] = "", wanted[300] = "";
        const int listener = port_listen(&endpoint.port);
        strcpy(endpoint.host, cases[i].host);
        lay_out(endpoint.port);
        assert_int_equal(tcp_resolve(&endpoint, 5 * NS_PER_S, &error), ERROR_NONE);
        assert_string_equal(endpoint.host, "127.0.0.1");
        assert_int_equal(endpoint.addresses, cases[i].addresses);
        target_note_addresses(&endpoint, text, sizeof text);
        if (cases[i].addresses > 1)
            snprintf(wanted, sizeof wanted,
                     "service:%u (127.0.0.1) is 1 of the 3 addresses of its name; the others are "
                     "not used: name each server in --connect",
                     endpoint.port);
        assert_string_equal(text, wanted);
        close(listener);
    }
}
