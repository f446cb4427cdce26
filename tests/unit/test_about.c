// SPDX-License-Identifier: Apache-2.0
/* What stands in small print below a picture, of manifests made by hand. */
#include "tests/support/work.h"

#include "base/memory.h"
#include "bench/output/about.h"

#define HOST                                                                                       \
    "\"host\": {\"cores\": 2}, \"started\": \"2026-11-22T12:00:11Z\", \"version\": \"1.0.0\""
#define SERVER  "{\"version\": \"3.8.0\"}"
#define PRIVATE "\"data\": {\"fsync\": true}, \"driver\": {\"driver\": \"events\"}"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_work("%s", name), "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_about(const char *folder, const char *expected)
{
    char *about = about_folder(in_work("%s", folder), NULL);
    assert_string_equal(about, expected);
    free(about);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_work("%s", name), 0755), 0);
}

COMMAND_TEST(a_run_is_told)
{
    write_text("manifest.json",
               "{\"plan\": {\"recipes\": [\"a\", \"b\"], \"clients\": [1000, 10, 50], "
               "\"background\": \"none\", \"sessions\": []}, \"servers\": [" SERVER "], " PRIVATE
               ", " HOST "}");
    assert_about(".", "a, b; n = 10 to 1,000; 1 server of ZooKeeper 3.8.0; all on 2 cores; "
                      "2026-11-22; zkherd 1.0.0\n");
}

/* Servers of --connect are on machines of their own; a share of the cores; one number alone. */
COMMAND_TEST(a_load_is_told)
{
    write_text(
        "manifest.json",
        "{\"plan\": {\"mixes\": [\"set=100\", \"b\", \"c\", \"d\", \"get=100\"], \"sessions\": "
        "[60], \"rates_per_s\": [500, 2000], \"server_cpu_percent\": 20}, \"servers\": "
        "[" SERVER ", " SERVER ", " SERVER "], \"data\": null, \"driver\": {\"driver\": "
        "\"threads\"}, " HOST "}");
    assert_about(".", "set=100 … get=100; 60 sessions; 500 to 2,000/s offered; 3 servers of "
                      "ZooKeeper 3.8.0, 0.20 cores each; clients on 2 cores; 2026-11-22; zkherd "
                      "1.0.0\n");
}

/* No machine and no release of ZooKeeper stands behind the times. */
COMMAND_TEST(a_simulation_is_told_first)
{
    write_text("manifest.json",
               "{\"plan\": {\"recipes\": [\"a\"], \"objective\": \"p95 < 1s\", "
               "\"clients\": 7}, \"servers\": [{\"version\": \"simulated\"}], "
               "\"data\": null, \"driver\": {\"driver\": \"simulated\"}, " HOST "}");
    assert_about(".", "Simulated: the times come from a model. a; p95 < 1s; n = 7; 1 server; "
                      "2026-11-22; zkherd 1.0.0\n");
}

#define TWO "a; 1, 3 servers of ZooKeeper 3.8.0; all on 2 cores; 2026-11-22; zkherd 1.0.0\n"

/* The folder of several topologies has their manifests in folders, whose names say nothing of the
 * order. */
COMMAND_TEST(topologies_are_told_together)
{
    make_folder("standalone");
    make_folder("ensemble3");
    write_text("standalone/manifest.json",
               "{\"plan\": {\"recipes\": [\"a\"]}, \"servers\": [" SERVER "], " PRIVATE ", " HOST
               "}");
    write_text("ensemble3/manifest.json",
               "{\"plan\": {\"recipes\": [\"a\"]}, \"servers\": [" SERVER ", " SERVER
               ", {\"version\": \"3.9.3\"}], " PRIVATE ", " HOST "}");
    assert_about(".", TWO);
    /* The verdict of all outweighs theirs. */
    write_text("ensemble3/findings.csv", "verdict,sentence\nholds,h\n");
    assert_about(".", TWO "verdict: holds\n");
    write_text("findings.csv", "verdict,sentence\nundetermined,u\n");
    assert_about(".", TWO "verdict: undetermined: u\n");
}

/* The lines of a comparison are in a file. Nothing: nothing is known. */
COMMAND_TEST(a_comparison_has_lines)
{
    assert_about(".", "");
    write_text(ABOUT_FILE, "a; n = 8\nA one: 1 server\nB two: 3 servers\n");
    assert_about(".", "a; n = 8\nA one: 1 server\nB two: 3 servers\n");
    write_text("findings.csv", "verdict,sentence\nfails,f\n");
    assert_about(".", "a; n = 8\nA one: 1 server\nB two: 3 servers\nverdict: fails: f\n");
}

/* Text of a manifest is printed as other foreign text; what is no manifest is nothing. */
COMMAND_TEST(foreign_text_is_printable)
{
    write_text("manifest.json", "[1]");
    assert_about(".", "");
    write_text("manifest.json", "{\"plan\": {\"recipes\": [\"a\\u001b[1m\\nb\"]}, \"servers\": "
                                "[{\"version\": 3}], \"driver\": 5, \"started\": \"x\"}");
    assert_about(".", "a\\x1b[1m\\x0ab; 1 server of ZooKeeper ; clients on 0 cores; x; zkherd \n");
}

#define KNOWN "a; 1 server of ZooKeeper 3.8.0; all on 2 cores; 2026-11-22; zkherd 1.0.0\n"

/* The worst verdict with the first clause that decides it, of which a terminal and gnuplot obey
 * nothing; none without a judgement, or of a malformed file. */
COMMAND_TEST(the_verdict_stands_below)
{
    static const struct {
        const char *rows, *line;
    } cases[] = {
        {"measured,m\nholds,h\n", "verdict: holds\n"},
        {"undetermined,u\nnot valid,n\x1b[2J; advice\nholds,h\nnot valid,o\n",
         "verdict: not valid: n\\x1b[2J; 1 more in findings.csv\n"},
        {"measured,m\n", ""},
        {"fails\n", ""},
        {",\n", "verdict: undetermined: \n"},
    };
    write_text("manifest.json", "{\"plan\": {\"recipes\": [\"a\"]}, \"servers\": [" SERVER
                                "], " PRIVATE ", " HOST "}");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char findings[256], expected[256];
        snprintf(findings, sizeof findings, "verdict,sentence\n%s", cases[i].rows);
        snprintf(expected, sizeof expected, KNOWN "%s", cases[i].line);
        write_text("findings.csv", findings);
        assert_about(".", expected);
    }
}
