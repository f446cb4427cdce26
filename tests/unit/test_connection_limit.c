// SPDX-License-Identifier: Apache-2.0
/* How many connections a server takes, tried with a server that ends meanwhile. */
#include "tests/support/port.h"

#include "base/clock.h"
#include "servers/connection_limit.h"

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

static void a_server_that_ends_has_no_limit_of_nothing(void **state)
{
    (void)state;
    struct error error;
    uint64_t room, began_ns = clock_now_ns();
    pid_t server = start_server(8);
    assert_int_equal(connection_limit_try(&endpoint, 20, 2 * NS_PER_S, &room, &error),
                     ERROR_REFUSED);
    /* At once: not after trying again for each of the eight. */
    assert_true(clock_now_ns() - began_ns < 1500 * NS_PER_MS);
    stop_server(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_ends_has_no_limit_of_nothing),
    };
    return cmocka_run_group_tests_name("allowance", tests, NULL, NULL);
}
