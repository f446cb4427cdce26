// SPDX-License-Identifier: Apache-2.0
/* When a server came back, or led again, is known to the time since it last was asked in vain. */

#include "load/internal.h"

#include "base/clock.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDLE "This ZooKeeper instance is not currently serving requests\n"
#define LEADS                                                                                      \
    "Zookeeper version: 3.8.0-0, built on 2022-02-25 08:49 UTC\nLatency min/avg/max: 0/0.0/0\n"    \
    "Received: 1\nSent: 0\nConnections: 1\nOutstanding: 0\nZxid: 0x0\nMode: leader\n"              \
    "Node count: 5\n"

/* A server that does not serve when it is asked for the first time, and leads from the second on.
 * It takes its time for an answer, but less than a server that is looked for is given. */
#define TAKES_MS 20

struct returning {
    int listening;
    uint64_t asked_ns; /* after it was asked first */
    uint64_t leads_ns; /* before it last said that it leads */
};

static void *return_to_lead(void *context)
{
    struct returning *server = context;
    char word[8];
    for (int i = 0;; i++) {
        int connection = accept(server->listening, NULL, NULL);
        if (connection < 0)
            return NULL;
        if (i == 0)
            server->asked_ns = clock_now_ns();
        (void)!read(connection, word, sizeof word);
        pause_ms(TAKES_MS);
        const char *says = i == 0 ? IDLE : LEADS;
        server->leads_ns = clock_now_ns();
        (void)send(connection, says, strlen(says), MSG_NOSIGNAL);
        close(connection);
    }
}

TEST(a_return_is_known_to_the_time_since_the_last_question_in_vain)
{
    static struct ensemble ensemble = {
        .connect = {.endpoints = {{.host = "127.0.0.1"}}, .count = 1}};
    static const struct load_fault fault = {.target = LOAD_FAULT_LEADER};
    const struct load_plan plan = {.faults = &fault, .fault_count = 1};
    struct load_fault_result result;
    struct load_faults faults;
    struct returning server;
    struct error error;
    pthread_t thread;
    server.listening = port_listen(&ensemble.connect.endpoints[0].port);
    load_faults_init(&faults, &plan, &ensemble, NULL, &result);
    result.at_ns = 0;
    faults.measures_ns = clock_now_ns();
    faults.next = 1; /* the fault has been carried out */
    faults.leaderless = true;
    faults.servers[0].awaited = true;
    assert_int_equal(pthread_create(&thread, NULL, return_to_lead, &server), 0);
    while (faults.leaderless)
        assert_int_equal(load_faults_turn(&faults, clock_now_ns(), &error), ERROR_NONE);
    shutdown(server.listening, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(server.listening);
    assert_true(result.led_within_ns >= server.leads_ns - server.asked_ns);
    assert_true(result.served_within_ns >= server.leads_ns - server.asked_ns);
    assert_true(result.led_within_ns <= result.led_ns);
}

TEST_GROUP(NULL, NULL)
