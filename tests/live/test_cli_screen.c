// SPDX-License-Identifier: Apache-2.0
/* What a run shows on a terminal: nothing is longer than that is wide. */
#include "tests/support/outcome.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"
#include "tests/support/work.h"

static struct command command;

FIXTURE(find_it)
{
    program_find(NULL);
    return 0;
}

/* Simulated, so that two topologies are there at once. It goes fast, but for the lists of those who
 * arrive: they are to be seen arriving and handing on. The table of each topology stands below its
 * name, and nothing wraps. */
COMMAND_TEST(two_topologies_fit_on_a_terminal)
{
    static const char *const capable[] = {NO_PROGRAMS, "TERM=xterm", "NO_COLOR", NULL};
    command.settings = capable;
    screen_run(&command, 80, screen_take_all,
               COMMAND("run", "-d", "simulated", "--servers", "1,3", "-r", "childwatch", "-n",
                       "100,400", "-t", "1", "-o", "out"));
    assert_status(&command, 0);
    assert_true(screen_has(" simulated1 childwatch n=400", ", arrivals: "));
    assert_true(screen_has(" simulated3 childwatch n=400", ", arrivals: "));
    assert_true(screen_has("childwatch n=400", ", handoffs: "));
    const char *one = strstr(screen_shown, "\nsimulated1: 1 server\r\n\r\n");
    const char *three = strstr(screen_shown, "\nsimulated3: 3 servers\r\n\r\n");
    assert_non_null(one);
    assert_non_null(three);
    assert_int_equal(count_words(one, "recipe     clients"), 2);
    assert_int_equal(count_words(three, "recipe     clients"), 1);
    assert_int_equal(count_words(three, "\r\nverdict: \033[1;32mholds\033[0m\r\n    childwatch: "),
                     1);
    assert_non_null(strstr(three, "\r\nchildwatch 100 #########"));
    assert_true(screen_widest(screen_shown) <= 80);
}

/* Without a folder of both there is no common page yet: the command that writes it is told, and it
 * and that of the comparison do what they say. */
COMMAND_TEST(two_topologies_are_put_together_by_the_commands_that_are_told)
{
    static const char *const settings[] = {NO_PROGRAMS, NULL};
    char report[400], compare[400], one[150], three[150], page[] = "report.html";
    command.settings = settings;
    command_run(&command, COMMAND("run", "-d", "simulated", "--servers", "1,3", "-r", "scalable",
                                  "-n", "2", "-t", "1"));
    assert_status(&command, 0);
    const char *told = strstr(command.out, "\nto see all in one page: zkherd report results/");
    assert_non_null(told);
    assert_int_equal(sscanf(told,
                            " to see all in one page: zkherd report %149s %149s -o report.html",
                            one, three),
                     2);
    snprintf(report, sizeof report, "zkherd report %s %s -o %s\n", one, three, page);
    snprintf(compare, sizeof compare, "to compare them: zkherd compare %s %s\n", one, three);
    assert_has(command.out, report);
    assert_has(command.out, compare);
    command_run(&command, COMMAND("report", one, three, "-o", page));
    assert_status(&command, 0);
    command_run(&command, COMMAND("compare", one, three));
    assert_status(&command, 0);
}

TEST_GROUP(find_it, NULL)
