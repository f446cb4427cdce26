// SPDX-License-Identifier: Apache-2.0
/* How many connections a server takes, tried with a server that ends meanwhile. */
#include "tests/support/lateness.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include "servers/connection_limit.h"
#include "servers/four_letter.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct endpoint endpoint = {.host = "127.0.0.1"};
static int listening;

static void serve(int accepted)
{
    close(accept(listening, NULL, NULL)); /* the question about its settings */
    for (int i = 0; i < accepted; i++) {
        if (accept(listening, NULL, NULL) < 0)
            _exit(1);
    }
}

/* Takes so many connections and keeps them; then it closes one, and listens no
 * more. */
static pid_t start_server(int accepted)
{
    listening = port_take(&endpoint.port);
    assert_int_equal(listen(listening, 16), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        serve(accepted);
        int last = accept(listening, NULL, NULL);
        close(listening);
        close(last);
        pause();
        _exit(0);
    }
    close(listening);
    return pid;
}

static void stop_server(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(a_server_that_ends_has_no_limit_of_nothing)
{
    struct error error;
    uint64_t room;
    struct lateness_mark begun = lateness_mark();
    pid_t server = start_server(8);
    assert_int_equal(connection_limit_try(&endpoint, 20, 2 * NS_PER_S, &room, &error),
                     ERROR_REFUSED);
    /* At once: not after trying again for each of the eight. */
    assert_true(lateness_run_ns(begun) < 1500 * NS_PER_MS);
    stop_server(server);
}

/* ------------------------------------------------------------------ a server that counts late */

#define LIMIT 6

/* A server with a limit, which it does not heed for so many connections after the first. */
struct late {
    struct pollfd polled[64]; /* the first is the one that listens */
    nfds_t count;
    int unheeded;
    bool sleeps; /* when several connections end at once */
};

static void welcome(struct late *late)
{
    int connection = accept(listening, NULL, NULL);
    bool is_first = late->count == 1;
    if (late->count - 1 >= LIMIT && late->unheeded <= 0) {
        close(connection);
        return;
    }
    late->unheeded -= !is_first;
    late->polled[late->count++] = (struct pollfd){connection, POLLIN, 0};
}

/* Says no to a question, and notices an end. */
static void turn_to(struct late *late, nfds_t index)
{
    static const char no[] = "conf is not executed because it is not in the whitelist.\n";
    char word[4];
    if (read(late->polled[index].fd, word, sizeof word) == (ssize_t)sizeof word)
        (void)!write(late->polled[index].fd, no, sizeof no - 1);
    close(late->polled[index].fd);
    late->polled[index] = late->polled[--late->count];
}

/* As a process that is not run for longer than a client waits: whoever comes then is turned away at
 * the door, before the ends are noticed. */
static void sleep_at_ends(struct late *late)
{
    int ends = 0;
    for (nfds_t i = 1; i < late->count; i++)
        ends += late->polled[i].revents != 0;
    if (ends == 0)
        return;
    pause_ms(20);
    if (poll(late->polled, late->count, 0) < 3)
        return;
    pause_ms(400);
    poll(late->polled, late->count, 0);
    if (late->polled[0].revents != 0)
        close(accept(listening, NULL, NULL));
    late->polled[0].revents = 0;
}

static void serve_late(struct late late)
{
    late.polled[0] = (struct pollfd){listening, POLLIN, 0};
    late.count = 1;
    while (poll(late.polled, late.count, -1) > 0) {
        if (late.sleeps)
            sleep_at_ends(&late);
        for (nfds_t i = late.count - 1; i > 0; i--) {
            if (late.polled[i].revents != 0)
                turn_to(&late, i);
        }
        if (late.polled[0].revents != 0)
            welcome(&late);
    }
}

static pid_t start_late(struct late late)
{
    listening = port_take(&endpoint.port);
    assert_int_equal(listen(listening, 16), 0);
    pid_t server = fork();
    assert_true(server >= 0);
    if (server == 0)
        serve_late(late);
    close(listening);
    return server;
}

/* How many of the wanted it takes. */
static uint64_t try_late(uint64_t wanted, int unheeded)
{
    struct error error;
    uint64_t room = 0;
    pid_t server = start_late((struct late){.unheeded = unheeded});
    enum error_kind kind = connection_limit_try(&endpoint, wanted, 10 * NS_PER_S, &room, &error);
    stop_server(server);
    assert_int_equal(kind, ERROR_NONE);
    return room;
}

TEST(a_limit_is_found_behind_connections_too_many)
{
    assert_int_equal(try_late(LIMIT, 0), CONNECTION_LIMIT_ENOUGH);
    assert_int_equal(try_late(LIMIT + 1, 0), LIMIT);
    assert_int_equal(try_late(LIMIT + 1, LIMIT + 1), LIMIT);
    assert_int_equal(try_late(LIMIT + 9, LIMIT + 2), LIMIT);
    assert_int_equal(try_late(0, 0), CONNECTION_LIMIT_ENOUGH);
}

/* Else a run would be turned away that follows at once. */
TEST(the_next_client_finds_room_again)
{
    char answer[100];
    struct error error;
    uint64_t room = 0;
    pid_t server = start_late((struct late){.sleeps = true});
    (void)state;
    enum error_kind kind = connection_limit_try(&endpoint, LIMIT, 10 * NS_PER_S, &room, &error);
    enum error_kind next =
        four_letter_ask(&endpoint, "conf", 10 * NS_PER_S, answer, sizeof answer, &error);
    stop_server(server);
    assert_int_equal(kind, ERROR_NONE);
    assert_int_equal(room, CONNECTION_LIMIT_ENOUGH);
    assert_int_equal(next, ERROR_NOT_WHITELISTED);
}
