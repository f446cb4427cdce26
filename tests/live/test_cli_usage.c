// SPDX-License-Identifier: Apache-2.0
/* Command lines that are wrong: told in one line, exit status 2, nothing done. */
#include "tests/support/outcome.h"
#include "tests/support/test.h"

static const char *const without_java[] = {NO_JAVA, NULL};

static struct command command = {.settings = without_java};

#define CHECK_ALL(list)                                                                            \
    do {                                                                                           \
        ASSERT_LINES_REFUSED(&command, NULL, list);                                                \
        assert_left(0);                                                                            \
    } while (false)

COMMAND_TEST(subcommands)
{
    static const struct refusal list[] = {
        {{NULL}, "subcommand"},
        {{"jog"}, "zkherd: jog: no such subcommand; see zkherd --help"},
        {{""}, "zkherd: '': no such subcommand"},
        {{"runn"}, "zkherd: runn: no such subcommand; did you mean 'run'? see zkherd --help"},
        {{"RUN"}, "did you mean 'run'?"},
        {{"recipe"}, "did you mean 'recipes'?"},
        {{"comparison"}, "zkherd: comparison: no such subcommand; see zkherd --help"},
        {{"Run"}, "zkherd: Run: "},
        {{"-x"}, "zkherd: -x: "},
        {{"--version", "extra"},
         "zkherd: extra: --version takes no further argument; see zkherd --help"},
        {{"-h", "run"}, "zkherd: run: -h takes no further argument"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(options_as_such)
{
    static const struct refusal list[] = {
        {{"run", "--frobnicate"}, "zkherd: --frobnicate: no such option; see zkherd run --help"},
        {{"run", "-x"}, "zkherd: -x: no such option"},
        {{"run", "-xq"}, "zkherd: -x: no such option"},
        {{"run", "-q", "-qx"}, "zkherd: -x: no such option"},
        {{"run", "-n", "8", "-xq"}, "zkherd: -x: no such option"},
        {{"run", "--quiet=yes"}, "zkherd: --quiet=yes: the option takes no value"},
        {{"run", "--h"}, "zkherd: --h: no such option"},
        {{"run", "--clinets", "8"}, "zkherd: --clinets: no such option; did you mean --clients?"},
        {{"run", "--trails=8"}, "zkherd: --trails=8: no such option; did you mean --trials?"},
        {{"run", "-n"}, "zkherd: -n: the option needs a value"},
        {{"run", "-qn"}, "n: the option needs a value"},
        {{"run", "--connect"}, "zkherd: --connect: the option needs a value"},
        {{"run", "stray"}, "zkherd: stray: an option is expected here"},
        {{"run", "-n", "8", "stray"}, "zkherd: stray: an option is expected here"},
        {{"run", "--", "-n"}, "zkherd: -n: an option is expected here"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(numbers_of_clients)
{
    static const struct refusal list[] = {
        {{"run", "-n", "0"}, "zkherd: --clients 0: expected at most 4096 numbers from 1 to 100000"},
        {{"run", "-n", "-5"}, "--clients -5: "},
        {{"run", "-n", "1..5000+1"}, "at most 4096 numbers from 1 to 100000, such as 10,20 or"},
        {{"run", "-n", "abc"}, "--clients abc: "},
        {{"run", "-n", "1e3"}, "--clients 1e3: "},
        {{"run", "-n", ""}, "--clients '': "},
        {{"run", "-n", "8..4x2"}, "--clients 8..4x2: "},
        {{"run", "-n", "8..256x1"}, "--clients 8..256x1: "},
        {{"run", "-n", "8..256"},
         "zkherd: --clients 8..256: the range lacks its step: 8..256x2 doubles, 8..256+8 adds 8"},
        {{"run", "-n", "4,8..256"}, "the range lacks its step: 8..256x2 doubles, 8..256+8"},
        {{"run", "-n", "256..8x2"},
         "zkherd: --clients 256..8x2: the range is reversed: 256 is more than 8; see"},
        {{"run", "-n", "256..8"}, "--clients 256..8: the range is reversed: 256 is more than 8"},
        {{"run", "-n", "8..8"}, "--clients 8..8: the range lacks its step"},
        {{"run", "-n", "8..256+0"}, "--clients 8..256+0: "},
        {{"run", "-n", "99999999999999999999"}, "--clients 99999999999999999999: "},
        {{"run", "-n", "100001"}, "--clients 100001: "},
        {{"run", "-n", "8,,16"}, "--clients 8,,16: "},
        {{"run", "-n", "8,"}, "--clients 8,: "},
        {{"run", "-n", "8 "}, "--clients 8 : "},
        {{"run", "--clients=0x10"}, "--clients 0x10: "},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(other_numbers)
{
    static const struct refusal list[] = {
        {{"run", "-t", "0"}, "--trials 0: expected a whole number from 1 to 1000"},
        {{"run", "-t", "x"}, "--trials x: "},
        {{"run", "-t", "1001"}, "--trials 1001: "},
        {{"run", "-k", "0"}, "--locks 0: "},
        {{"run", "-k", "9", "-n", "8,16"}, "--locks 9: more locks than clients: at most 8; see"},
        {{"run", "-P", "0"}, "--processes 0: "},
        {{"run", "-P", "9", "-n", "8,16"},
         "--processes 9: more processes than clients: at most 8; see"},
        {{"run", "--seed", "x"}, "--seed x: expected a whole number from 0 to 922337203685477"},
        {{"run", "--seed", "-1"}, "--seed -1: "},
        {{"run", "--seed", "18446744073709551615"}, "--seed 18446744073709551615: "},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(durations)
{
    static const struct refusal list[] = {
        {{"run", "--hold", "5"}, "--hold 5: expected a duration with its unit"},
        {{"run", "--hold", "-1ms"}, "--hold -1ms: "},
        {{"run", "--hold", "exp:"}, "--hold exp:: "},
        {{"run", "--hold", "exp:5"}, "--hold exp:5: "},
        {{"run", "--hold", "5 ms"}, "--hold 5 ms: "},
        {{"run", "--hold", "30s"}, "--timeout that is longer than the hold"},
        {{"run", "--hold", "exp:1500ms"}, "for exp:, longer than 20 means"},
        {{"run", "--hold", "exp:2s", "--timeout", "1s"}, "--timeout that is longer than the hold"},
        {{"run", "--timeout", "0"}, "--timeout 0: too short: expected at least 100 ms; see"},
        {{"run", "--timeout", "30"}, "--timeout 30: expected a duration with its unit"},
        {{"run", "--session-timeout", "abc"}, "--session-timeout abc: "},
        {{"run", "--session-timeout", "10ms"}, "10ms: too short: expected at least 1.0 s; see"},
        {{"run", "--session-timeout", "2h"}, "--session-timeout 2h: expected at most an hour"},
        {{"run", "-w", "steady", "--duration", "0.1ns"},
         "0.1ns: too short: expected at least 1 ms"},
        {{"run", "-w", "steady", "--duration", "0"},
         "--duration 0: too short: expected at least 1 ms"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(workloads)
{
    static const struct refusal list[] = {
        {{"run", "--handoffs", "100", "-n", "8"}, "--workload steady"},
        {{"run", "--duration", "10s"},
         "zkherd: --duration without --workload steady: a drain ends when each client has acquired "
         "once: add --workload steady; see zkherd run --help"},
        {{"run", "--handoffs", "100"}, "zkherd: --handoffs without --workload steady: a drain"},
        {{"run", "-w", "steady", "--handoffs", "100", "--duration", "1s"}, "give only one of them"},
        {{"run", "-w", "steady", "--handoffs", "7", "-n", "8"}, "--handoffs 7: fewer than"},
        {{"run", "-w", "steady", "--handoffs", "0"}, "--handoffs 0: "},
        {{"run", "-n", "4,8", "-k", "2", "--trace", "1,5"},
         "--trace 5: a lock has fewer handoffs: at most 4"},
        {{"run", "-r", "scalable,softlock", "-n", "8", "-k", "4", "--trace", "8,9"},
         "--trace 9: a lock has fewer handoffs: at most 8"},
        {{"run", "-w", "foo"}, "--workload foo: expected drain or steady"},
        {{"run", "-p", "foo"}, "--pace foo: expected lockstep or free"},
        {{"run", "-d", "fibers"}, "--driver fibers: expected events, threads or simulated"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(recipes)
{
    static const struct refusal list[] = {
        {{"run", "-r", "nonscalabel"}, "--recipes nonscalabel: no recipe is called 'nonscalabel'"},
        {{"run", "-r", "nonscalabel"}, "did you mean 'nonscalable'?"},
        {{"run", "-r", "scaleable"}, "did you mean 'scalable'?"},
        {{"run", "-r", "SCALABLE"}, "no recipe is called 'SCALABLE'; did you mean 'scalable'?"},
        {{"run", "-r", "Childwatch"}, "did you mean 'childwatch'?"},
        {{"run", "-r", "nope"},
         "zkherd: --recipes nope: no recipe is called 'nope'; zkherd recipes lists all; see"},
        {{"run", "-r", "scalable,chldwatch"}, "did you mean 'childwatch'?"},
        {{"run", "-r", "scalable,childwatch,scalable"}, "a recipe is named twice"},
        {{"run", "-r", "poll"},
         "zkherd: --recipes poll: it polls without end, so lockstep cannot run it: give "
         "--pace free"},
        {{"run", "-r", "scalable,poll", "-p", "lockstep"}, "give --pace free"},
        {{"run", "-r", "rwlock,barrier", "-w", "steady"},
         "zkherd: --recipes barrier: its clients enter and leave together, once: give --workload "
         "drain"},
        {{"run", "-r", "scalable,rwlock", "-n", "1,8"},
         "zkherd: --recipes rwlock: the first client of a lock writes, so nobody would read: at "
         "least two clients per lock are needed"},
        {{"run", "-r", "rwlock-curator", "-n", "3", "-k", "2"}, "two clients per lock"},
        {{"run", "-r", "scalable,"}, "--recipes scalable,: the name of a recipe is missing"},
        {{"run", "-r", ""}, "--recipes '': the name of a recipe is missing"},
        {{"run", "-r", "scalable:"},
         "after the colon, the recipe's largest client count is expected"},
        {{"run", "-r", "scalable:0"}, "--recipes scalable:0: after the colon"},
        {{"run", "-r", "scalable:8x"}, "--recipes scalable:8x: after the colon"},
        {{"run", "-r", "scalable:7", "-n", "8"}, "its largest client count is below"},
        {{"run", "-r", "scalable:7,scalable"}, "a recipe is named twice"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(topologies)
{
    static const struct refusal list[] = {
        {{"run", "--servers", "0"}, "--servers 0: expected 1, 3, 5 or 7"},
        {{"run", "--servers", "9"}, "--servers 9: expected 1, 3, 5 or 7"},
        {{"run", "--servers", "three"}, "--servers three: "},
        {{"run", "--servers", "4"},
         "--servers 4: 4 servers need a majority of 3, so they survive the loss "
         "of 1, as 3 do; take 3 or 5"},
        {{"run", "--servers", "4"},
         "majority of 3, so they survive the loss of 1, as 3 do; take 3 or 5"},
        {{"run", "--servers", "1,2"}, "--servers 1,2: 2 servers need a majority of 2, so "},
        {{"run", "--servers", "1,2"}, "so they survive the loss of 0, as 1 do; take 1 or 3"},
        {{"run", "--servers", "6"}, "take 5 or 7; see zkherd run --help"},
        {{"run", "--servers", "3", "--connect", "host"}, "give existing servers, or have"},
        {{"run", "--heap", "0"}, "--heap 0: "},
        {{"run", "--heap", "1"}, "--heap 1: expected a whole number from 8 to 1000000; see"},
        {{"run", "--heap", "7"}, "--heap 7: expected a whole number from 8 to 1000000; see"},
        {{"run", "--servers", "1,1"}, "--servers 1,1: a number of servers is given twice; see"},
        {{"run", "--servers", "1..3+2,1"}, "1..3+2,1: a number of servers is given twice; see"},
        {{"run", "--servers", "3,1,3"}, "--servers 3,1,3: a number of servers is given twice"},
        {{"run", "--heap", "1g"}, "--heap 1g: "},
        {{"run", "--server-cpus", "0"}, "--server-cpus 0: expected a number of cores from 0.05"},
        {{"run", "--server-cpus", "0.04"}, "--server-cpus 0.04: expected a number of cores"},
        {{"run", "--server-cpus", "-1"}, "--server-cpus -1: expected a number of cores"},
        {{"run", "--server-cpus", "half"}, "--server-cpus half: expected a number of cores"},
        {{"run", "--server-cpus", "0.125"}, "with at most two decimals: zkherd may use"},
        {{"run", "--server-cpus", "100000"}, "--server-cpus 100000: expected a number of cores"},
        {{"run", "--fsync", "maybe"}, "--fsync maybe: expected yes or no"},
        {{"run", "--data", ""}, "--data '': expected the name of a folder"},
        {{"run", "--data", "d", "--connect", "host"}, "--data with --connect: only private"},
        {{"run", "--heap", "512", "--connect", "host"}, "--heap with --connect: only private"},
        {{"run", "--connect", "host", "--fsync", "yes"}, "--fsync with --connect: only"},
        {{"run", "--connect", "host", "--server-cpus", "0.5"}, "--server-cpus with --connect: o"},
        {{"run", "-d", "simulated", "--server-cpus", "0.5"},
         "--server-cpus with --driver simulated: a simulation has no server process"},
        {{"load", "--server-cpus", "0"}, "--server-cpus 0: expected a number of cores from 0.05"},
        {{"load", "--connect", "host", "--server-cpus", "0.5"}, "--server-cpus with --connect: o"},
        {{"run", "-d", "simulated", "--heap", "512"}, "--heap with --driver simulated: a simul"},
        {{"run", "-d", "simulated", "--fsync", "no"}, "--fsync with --driver simulated: "},
        {{"run", "-d", "simulated", "--data", "d"}, "--data with --driver simulated: "},
        {{"run", "--placement", "left"}, "--placement left: expected spread, leader or followers"},
        {{"run", "--placement", "followers"}, "a standalone server has no followers"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(ensembles)
{
    static const struct refusal list[] = {
        {{"ensemble"}, "zkherd: action: expected start, status or stop; see zkherd ensemble"},
        {{"ensemble", "begin"}, "zkherd: begin: expected start, status or stop"},
        {{"ensemble", "--servers", "3"}, "zkherd: --servers: expected start, status or stop"},
        {{"ensemble", "start", "3"},
         "zkherd: 3: an option is expected here; see zkherd ensemble --help"},
        {{"ensemble", "start", "-x"}, "zkherd: -x: no such option"},
        {{"ensemble", "start", "--frob"}, "zkherd: --frob: no such option"},
        {{"ensemble", "start", "--servers"}, "zkherd: --servers: the option needs a value"},
        {{"ensemble", "start", "--help=me"}, "zkherd: --help=me: the option takes no value"},
        {{"ensemble", "start", "--servers", "0"}, "--servers 0: expected 1, 3, 5 or 7"},
        {{"ensemble", "start", "--servers", "4"},
         "zkherd: --servers 4: 4 servers need a majority of 3, so"},
        {{"ensemble", "start", "--servers", "1,3"}, "--servers 1,3: expected 1, 3, 5 or 7"},
        {{"ensemble", "start", "--heap", "0"}, "--heap 0: expected a whole number"},
        {{"ensemble", "start", "--server-cpus", "0"},
         "--server-cpus 0: expected a number of cores"},
        {{"ensemble", "start", "--fsync", "maybe"}, "--fsync maybe: expected yes or no"},
        {{"ensemble", "start", "--data", ""}, "--data '': expected the name of a folder"},
        {{"ensemble", "start", "--port", "0"}, "--port 0: expected a port from 1 to 65535"},
        {{"ensemble", "start", "--port", "70000"}, "--port 70000: expected a port"},
        {{"ensemble", "start", "--port", "65535"},
         "zkherd: port 65535: 3 servers take 3 ports in a row, and 65535 is the highest: give "
         "65533 or less; see zkherd ensemble --help"},
        {{"ensemble", "status", "--servers", "3"}, "zkherd: --servers: no such option"},
        {{"ensemble", "stop", "now"}, "zkherd: now: an option is expected here"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(claims)
{
    static const struct refusal list[] = {
        {{"claims", "--only", "C42"},
         "zkherd: --only C42: no claim is called 'C42': name C1 to C19; see zkherd claims "
         "--help"},
        {{"claims", "--only", "C1,C"}, "--only C1,C: no claim is called 'C'"},
        {{"claims", "--only", "6"},
         "zkherd: --only 6: no claim is called '6'; did you mean C6? see zkherd claims --help"},
        {{"claims", "--only", "C1,17"}, "no claim is called '17'; did you mean C17?"},
        {{"claims", "--only", "18"}, "no claim is called '18'; did you mean C18?"},
        {{"claims", "--only", "20"}, "no claim is called '20': name C1 to C19"},
        {{"claims", "--only", "C1,"}, "--only C1,: "},
        {{"claims", "--only", ""}, "--only '': "},
        {{"claims", "--only", "C1..C3"}, "--only C1..C3: "},
        {{"claims", "--only"}, "zkherd: --only: the option needs a value"},
        {{"claims", "--seed", "x"},
         "zkherd: --seed x: expected a whole number from 0 to 9223372036854775807; see zkherd "
         "claims --help"},
        {{"claims", "--seed", "-1"}, "--seed -1: expected a whole number from 0 to 922337203685"},
        {{"claims", "--connect", ""}, "--connect '': "},
        {{"claims", "-o", ""}, "--out '': expected the name of a folder"},
        {{"claims", "--recipes", "scalable"}, "zkherd: --recipes: no such option"},
        {{"claims", "-n", "8"}, "zkherd: -n: no such option; see zkherd claims --help"},
        {{"claims", "-qx"}, "zkherd: -x: no such option"},
        {{"claims", "--quiet=yes"}, "zkherd: --quiet=yes: the option takes no value"},
        {{"claims", "C6"}, "zkherd: C6: an option is expected here"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(connect_strings)
{
    static const struct refusal list[] = {
        {{"run", "--connect", ""}, "--connect '': there is no host in it"},
        {{"run", "--connect", "host:0"}, "--connect host:0: a port is a number from 1 to 65535"},
        {{"run", "--connect", "host:70000"}, "a port is a number from 1 to 65535"},
        {{"run", "--connect", "host:"}, "--connect host:: a port is missing after a colon; see"},
        {{"run", "--connect", "zk://h:1"},
         "zkherd: --connect zk://h:1: hosts and ports are expected, as host:2181, without a "
         "scheme such as zk://; see zkherd run --help"},
        {{"run", "--connect", "h:1,h:1"}, "--connect h:1,h:1: a server is named twice: 'h:1'; see"},
        {{"run", "--connect", "h,i,H:2181"}, "a server is named twice: 'H:2181'; see zkherd run"},
        {{"run", "--connect", "a//b"}, "the chroot has an empty name"},
        {{"run", "--connect", ":2181"}, "a host is missing"},
        {{"run", "--connect", "h1:2181,"}, "a host is missing"},
        {{"run", "--connect", "h:2181/chroot/"}, "the chroot ends with a '/'"},
        {{"run", "--connect", "h:2181/a/../b"}, "the chroot has a relative name"},
        {{"run", "--connect", "a b"}, "a blank"},
        {{"run", "--connect", "::1"}, "--connect ::1: an IPv6 address needs brackets"},
    };
    CHECK_ALL(list);
}

COMMAND_TEST(results_folders)
{
    static const struct refusal list[] = {{{"run", "-o", ""}, "--out '': "}};
    CHECK_ALL(list);
}

/* Whatever is there is somebody's: it is not touched, not even when it is empty. */
COMMAND_TEST(an_existing_folder_is_not_touched)
{
    struct stat before, after;
    assert_int_equal(mkdir(in_work("mine"), 0700), 0);
    assert_int_equal(stat(in_work("mine"), &before), 0);
    command_run(&command, COMMAND("run", "-n", "2", "-t", "1", "-o", "mine"));
    assert_refused(&command, 2, "zkherd: mine: already exists");
    command_run(&command, COMMAND("run", "-n", "2", "-t", "1", "-o", "mine/"));
    assert_refused(&command, 2, "already exists");
    command_run(&command, COMMAND("run", "--servers", "1,3", "-o", "mine"));
    assert_refused(&command, 2, "zkherd: mine: already exists");
    assert_left(1);
    assert_int_equal(count_entries(in_work("mine")), 0);
    assert_int_equal(stat(in_work("mine"), &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_ino, after.st_ino);
}

COMMAND_TEST(help_and_version_are_results)
{
    static const struct {
        const char *arguments[6], *words;
    } asked[] = {
        {{"zkherd", "--help"}, "Examples:\n"},
        {{"zkherd", "-h"}, "  run "},
        {{"zkherd", "--version"}, "zkherd "},
        {{"zkherd", "-V"}, "zkherd "},
        {{"zkherd", "run", "--help"}, "Examples:\n"},
        {{"zkherd", "claims", "--help"}, "Examples:\n"},
        {{"zkherd", "ensemble", "--help"}, "Examples:\n"},
        {{"zkherd", "ensemble", "stop", "-h"}, "Examples:\n"},
        {{"zkherd", "inspect", "/l", "--help"}, "Examples:\n"},
        {{"zkherd", "run", "-n", "0", "-h"}, "--clients 0"},
        {{"zkherd", "run", "-h", "-n", "0"}, "Exit status: 0 done"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        command_run(&command, asked[i].arguments);
        assert_has(command.status == 0 ? command.out : command.err, asked[i].words);
        assert_string_equal(command.status == 0 ? command.err : command.out, "");
    }
    assert_left(0);
}

static size_t columns_of(const char *line)
{
    size_t columns = 0;
    for (; *line != '\n'; line++)
        columns += ((unsigned char)*line & 0xc0) != 0x80; /* what goes on with a letter is none */
    return columns;
}

/* Each help is for a terminal of 50 lines of 80 columns, and ends with examples. */
COMMAND_TEST(help_fits_a_screen)
{
    static const char *const asked[][5] = {
        {"zkherd", "--help"},
        {"zkherd", "run", "--help"},
        {"zkherd", "compare", "--help"},
        {"zkherd", "claims", "--help"},
        {"zkherd", "ensemble", "--help"},
        {"zkherd", "inspect", "--help"},
        {"zkherd", "clean", "--help"},
        {"zkherd", "recipes", "--help"},
        {"zkherd", "plan", "--help"},
        {"zkherd", "plan", "--limits", "--help"},
        {"zkherd", "plan", "--predict", "--help"},
        {"zkherd", "calibrate", "--help"},
        {"zkherd", "plot", "--help"},
        {"zkherd", "report", "--help"},
        {"zkherd", "load", "--help"},
        {"zkherd", "help", "--help"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        size_t lines = 0;
        command_run(&command, asked[i]);
        assert_status(&command, 0);
        for (const char *line = command.out; *line != '\0'; line = strchr(line, '\n') + 1) {
            if (columns_of(line) > 80)
                fail_msg("more than 80 columns: %.*s", (int)strcspn(line, "\n"), line);
            lines++;
        }
        assert_true(lines <= 50);
        const char *examples = strstr(command.out, "\n\nExamples:\n  zkherd ");
        assert_non_null(examples);
        assert_null(strstr(examples + 2, "\n\n"));
    }
}
