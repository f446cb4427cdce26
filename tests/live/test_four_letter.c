// SPDX-License-Identifier: Apache-2.0
/* Four-letter words to a real server, and to processes that only pretend to be one. */
#include "base/clock.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"
#include "tests/support/lateness.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include <ctype.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* For what never ends, which is to be judged by what has come by then. */
#define BRIEFLY_NS (1500 * NS_PER_MS)

static struct ensemble *real;

FIXTURE(start_real)
{
    struct error error = {.detail = ""};
    struct ensemble_options options = ensemble_options_default();
    options.heap_mib = 128;
    if (ensemble_start(&options, &real, &error) == ERROR_NONE)
        return 0;
    print_error("%s: %s: %s\n", error.subject, error_words(error.kind), error.detail);
    return -1;
}

FIXTURE(stop_real)
{
    ensemble_stop(real);
    return 0;
}

static const struct endpoint *real_endpoint(void)
{
    return &real->connect.endpoints[0];
}

/* What a pretender does with each connection. */
struct pretence {
    const char *says; /* at once, without waiting for the word */
    bool closes;      /* afterwards, at the latest when the other side has ended */
    bool for_ever;    /* it never stops saying it */
};

struct pretender {
    pid_t pid;
    struct endpoint endpoint;
};

static void serve_connection(int connection, const struct pretence *pretence)
{
    char word[16];
    do {
        if (send(connection, pretence->says, strlen(pretence->says), MSG_NOSIGNAL) < 0)
            break;
    } while (pretence->for_ever);
    if (pretence->closes) {
        while (read(connection, word, sizeof word) > 0)
            ;
        close(connection);
    }
}

static struct pretender pretend(const struct pretence *pretence)
{
    struct pretender pretender = {.endpoint = {.host = "127.0.0.1"}};
    int fd = port_listen(&pretender.endpoint.port);
    pretender.pid = fork();
    if (pretender.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            serve_connection(accept(fd, NULL, NULL), pretence);
    }
    close(fd);
    return pretender;
}

static void stop_pretending(const struct pretender *pretender)
{
    kill(pretender->pid, SIGKILL);
    waitpid(pretender->pid, NULL, 0);
}

/* What a pretender's answer to a word is taken for, with its words in error->detail. */
static enum error_kind ask_pretender(const struct pretence *pretence, const char *word,
                                     struct four_letter_identity *identity, struct error *error)
{
    char answer[256];
    struct pretender pretender = pretend(pretence);
    uint64_t patience_ns = pretence->closes ? PATIENCE_NS : BRIEFLY_NS;
    enum error_kind kind =
        strcmp(word, "srvr") == 0
            ? four_letter_identify(&pretender.endpoint, patience_ns, identity, error)
            : four_letter_ask(&pretender.endpoint, word, patience_ns, answer, sizeof answer, error);
    stop_pretending(&pretender);
    return kind;
}

/* By each address of its name in turn. */
TEST(identifies_a_real_server)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < 2; i++) {
        struct endpoint endpoint = *real_endpoint();
        struct four_letter_identity identity;
        struct error error;
        strcpy(endpoint.host, hosts[i]);
        assert_int_equal(four_letter_identify(&endpoint, PATIENCE_NS, &identity, &error),
                         ERROR_NONE);
        assert_true(identity.talks);
        assert_string_equal(identity.mode, "standalone");
        assert_true(isdigit((unsigned char)identity.version[0]));
        assert_null(strpbrk(identity.version, ", $"));
    }
}

TEST(every_word_of_a_real_server_is_recognized)
{
    static const char *const words[] = {"srvr", "mntr", "conf", "cons", "envi"};
    char answer[64 * 1024];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct error error = {.detail = ""};
        bool refused = strcmp(words[i], "envi") == 0;
        assert_int_equal(
            four_letter_ask(real_endpoint(), words[i], PATIENCE_NS, answer, sizeof answer, &error),
            refused ? ERROR_NOT_WHITELISTED : ERROR_NONE);
        assert_true(strlen(answer) > 1);
    }
    assert_int_equal(four_letter_connections_limit(real_endpoint(), PATIENCE_NS), 0);
}

TEST(counters_count_each_question)
{
    struct four_letter_counters first, second;
    struct error error;
    assert_int_equal(four_letter_counters(real_endpoint(), PATIENCE_NS, &first, &error),
                     ERROR_NONE);
    assert_int_equal(four_letter_counters(real_endpoint(), PATIENCE_NS, &second, &error),
                     ERROR_NONE);
    assert_int_equal(second.packets_received, first.packets_received + 1);
    assert_true(first.znode_count >= 4 && first.writes == 0 && first.watch_count == 0);
}

TEST(an_answer_that_does_not_fit_is_a_error)
{
    char answer[128];
    struct error error;
    assert_int_equal(
        four_letter_ask(real_endpoint(), "mntr", PATIENCE_NS, answer, sizeof answer, &error),
        ERROR_ZOOKEEPER);
    assert_non_null(strstr(error.detail, "longer"));
    /* An answer that just fits is none. */
    assert_int_equal(four_letter_ask(real_endpoint(), "ruok", PATIENCE_NS, answer, 5, &error),
                     ERROR_NONE);
    assert_string_equal(answer, "imok");
    assert_int_equal(four_letter_ask(real_endpoint(), "ruok", PATIENCE_NS, answer, 4, &error),
                     ERROR_ZOOKEEPER);
}

TEST(nobody_there_is_refused)
{
    struct endpoint endpoint = {.host = "127.0.0.1"};
    int fd = port_take(&endpoint.port);
    struct four_letter_identity identity;
    struct error error;
    assert_int_equal(four_letter_identify(&endpoint, PATIENCE_NS, &identity, &error),
                     ERROR_REFUSED);
    assert_non_null(strstr(error.subject, "127.0.0.1:"));
    close(fd);
}

TEST(an_impossible_name_is_not_resolved)
{
    struct endpoint endpoint = {.host = "no..such..host", .port = 2181};
    struct four_letter_identity identity;
    struct error error;
    assert_int_equal(four_letter_identify(&endpoint, PATIENCE_NS, &identity, &error),
                     ERROR_UNRESOLVED);
    assert_string_equal(error.subject, "no..such..host");
}

/* Not before; and not later than twice the time in four cases of five, without the time in which
 * the machine did not run this process. */
TEST(silence_ends_at_the_deadline)
{
    static const struct pretence silent = {.says = ""};
    int in_time = 0;
    for (int i = 0; i < 5; i++) {
        struct error error;
        struct four_letter_identity identity;
        struct lateness_mark start = lateness_mark();
        assert_int_equal(ask_pretender(&silent, "srvr", &identity, &error), ERROR_NO_ANSWER);
        assert_true(clock_now_ns() - start.now_ns >= BRIEFLY_NS);
        in_time += lateness_run_ns(start) < 2 * BRIEFLY_NS;
    }
    assert_in_range(in_time, 4, 5);
}

/* Escape sequences are not passed on. A whitelist that refuses srvr is ZooKeeper's. */
TEST(strangers_are_told_from_zookeeper)
{
    static const char no_quorum[] = "This ZooKeeper instance is not currently serving requests\n";
    static const struct {
        const char *word;
        struct pretence pretence;
        enum error_kind kind;
        const char *detail;
    } cases[] = {
        {"srvr", {.says = "", .closes = true}, ERROR_CLOSED, "it said nothing"},
        {"srvr",
         {.says = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", .closes = true},
         ERROR_NOT_ZOOKEEPER,
         "it said 'HTTP/1.1 400 Bad Request'"},
        {"srvr", {.says = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"}, ERROR_NOT_ZOOKEEPER, "it said '"},
        {"srvr",
         {.says = "abcdefghijklmnopqrstuvwxyz", .for_ever = true},
         ERROR_NOT_ZOOKEEPER,
         "it said '"},
        {"conf",
         {.says = "evil\033[2J", .closes = true},
         ERROR_NOT_ZOOKEEPER,
         "to conf it said 'evil\\x1b[2J'"},
        {"srvr", {.says = no_quorum, .closes = true}, ERROR_NOT_SERVING, ""},
        {"mntr", {.says = no_quorum, .closes = true}, ERROR_NOT_SERVING, ""},
        {"srvr",
         {.says = "srvr is not executed because it is not in the whitelist.\n", .closes = true},
         ERROR_NONE,
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct four_letter_identity identity = {.mode = ""};
        struct error error = {.detail = ""};
        enum error_kind kind = ask_pretender(&cases[i].pretence, cases[i].word, &identity, &error);
        if (kind != cases[i].kind)
            fail_msg("'%s' was taken for: %s", cases[i].pretence.says, error_words(kind));
        assert_non_null(strstr(error.detail, cases[i].detail));
        assert_false(identity.talks);
    }
}

TEST_GROUP(start_real, stop_real)
