// SPDX-License-Identifier: Apache-2.0
/* zkherd plan: the table of limits, what it says of clients that pass them, options that are wrong.
 * test_cli_bounds and test_cli_stock ask servers. */
#include "tests/support/outcome.h"

static struct command command;

static void assert_columns(const char *text)
{
    for (; *text != '\0'; text = strchr(text, '\n') + 1) {
        if (strcspn(text, "\n") > 80)
            fail_msg("a line of more than 80 bytes: %.*s", (int)strcspn(text, "\n"), text);
    }
}

/* Without Java: no server is started. */
static void limits_of_a_private_server(void **state)
{
    (void)state;
    command.settings = (const char *const[]){NO_JAVA, NULL};
    command_run(&command, COMMAND("plan", "--limits", "--heap", "1024"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_columns(command.out);
    assert_has(command.out, "1 private server: S = 1; of each server: jute.maxbuffer B = ");
    assert_has(command.out, "\nnames in a list  jute.maxbuffer  childwatch   (B-20)/(4+15)     "
                            "55,187\n                                 scalable     (B-20)/(4+15)  "
                            "   55,187\nwatches again ");
    assert_has(command.out, "\nvalue set                                     B-20-P         "
                            "1,048,544\n");
    assert_has(command.out, "\nconnections      maxClientCnxns               S*C             no "
                            "limit\n");
    assert_has(command.out, "\nwatches          heap            nonscalable  S*H/(450+13)   "
                            "2,319,096\n");
    words_unwrap(command.out);
    assert_has(command.out, " B = 1,048,575 bytes, maxClientCnxns C = 0, free descriptors F = ");
    assert_has(command.out, ", heap H = 1024 MiB. This host: descriptors D = ");
    assert_has(command.out, " The lock: /locks/lock, P = 11 bytes.");
    assert_has(command.out, "\nMet first, as clients of one lock are added, ");
    assert_left(0);
}

static void clients_that_pass_a_limit_are_told(void **state)
{
    (void)state;
    command.settings = NULL;
    command_run(&command, COMMAND("plan", "--limits", "-r", "scalable,ticket", "-n", "200",
                                  "--jute-maxbuffer", "2048", "--lock", "/l"));
    assert_status(&command, 1);
    assert_columns(command.out);
    assert_has(command.out, " (B-20)/(4+15)        106   188.7%\n");
    assert_has(command.out,
               "\nnames in a list of ticket: only after another client has given up\n");
    words_unwrap(command.out);
    assert_has(command.out, "The lock: /l, P = 2 bytes.");
    assert_has(command.out,
               "with a session each: names in a list (jute.maxbuffer) at 106 clients of "
               "scalable; names in a list (jute.maxbuffer) at 126 clients of ticket.");
    assert_string_equal(command.err,
                        "1 private server: 200 clients of scalable: names in a list: 200 "
                        "needed, 106 at most (jute.maxbuffer)\n"
                        "1 private server: 200 clients of ticket: names in a list: 200 needed, 126 "
                        "at most (jute.maxbuffer)\n");
    command_run(&command, COMMAND("plan", "--limits", "-q", "-r", "scalable", "-n", "106",
                                  "--jute-maxbuffer", "2048"));
    assert_status(&command, 0);
    assert_string_equal(command.out, "");
    assert_string_equal(command.err, "");
}

static void each_number_of_servers_has_a_table(void **state)
{
    (void)state;
    command_run(&command, COMMAND("plan", "--limits", "-r", "scalable", "--servers", "1,3"));
    assert_status(&command, 0);
    assert_has(command.out, "1 private server: S = 1;");
    assert_has(command.out, "\n\n3 private servers: S = 3;");
    assert_has(command.out, " S*H/(450+27)   3,376,545\n");
}

static void options_that_are_wrong(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {{NULL}, "zkherd: plan: one of --slo, --limits, --predict and --validate is required; see"},
        {{"--limits", "-r", "nope"}, "--recipes nope: no recipe is called 'nope'"},
        {{"--limits", "-r", "scalable,scalable"}, "a recipe is named twice"},
        {{"--limits", "-n", "0"}, "--clients 0: expected a whole number from 1 to 1000"},
        {{"--limits", "--lock", "l"}, "--lock l: the path does not begin with a '/'"},
        {{"--limits", "--lock", "/"}, "--lock /: expected the znode of a lock"},
        {{"--limits", "--jute-maxbuffer", "1023"},
         "--jute-maxbuffer 1023: expected a whole number from 1024 to 2147483647"},
        {{"--limits", "--heap", "64", "--connect", "h"}, "--heap with --connect: only"},
        {{"--limits", "--servers", "2"}, "--servers 2: 2 servers need a majority"},
        {{"--limits", "x"},
         "zkherd: x: an option is expected here; see zkherd plan --limits --help"},
    };
    ASSERT_LINES_REFUSED(&command, "plan", list);
    command_run(&command, COMMAND("plan", "--limits", "--connect", "127.0.0.1:1"));
    assert_in_vain(&command, "127.0.0.1:1: the connection was refused");
}

static void help_is_printed(void **state)
{
    (void)state;
    command_run(&command, COMMAND("plan", "--help"));
    assert_status(&command, 0);
    assert_has(command.out, "Usage: zkherd plan --slo OBJECTIVE [OPTION]...\n");
    command_run(&command, COMMAND("plan", "--limits", "--help"));
    assert_status(&command, 0);
    assert_has(command.out, "Usage: zkherd plan --limits [OPTION]...\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COMMAND_TEST(limits_of_a_private_server),
        COMMAND_TEST(clients_that_pass_a_limit_are_told),
        COMMAND_TEST(each_number_of_servers_has_a_table),
        COMMAND_TEST(options_that_are_wrong),
        COMMAND_TEST(help_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
