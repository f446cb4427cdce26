// SPDX-License-Identifier: Apache-2.0
/* A run that is read again: what is taken for one, and when two have the same plan. */

#include "bench/output/past_run.h"

#include "tests/support/test.h"

#include <unistd.h>

static char folders[2][64];
static json_t *plan;
static struct past_run run, other;
static struct error error;

static const char trials[] = "recipe,clients,trial,note\n"
                             "scalable,10,1,\n"
                             "nonscalable,10,1,\n"
                             "scalable,20,1,\n";

static const char *path_of(int folder, const char *name)
{
    static char path[2 * sizeof folders[0]];
    snprintf(path, sizeof path, "%.60s/%.60s", folders[folder], name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        strcpy(folders[i], P_tmpdir "/test_past_run.XXXXXX");
        if (mkdtemp(folders[i]) == NULL)
            return -1;
    }
    plan =
        json_pack("{s[ss]s[ii]s{si}ssss sisi si sb si ss si}", "recipes", "scalable", "nonscalable",
                  "clients", 10, 20, "most_clients", "nonscalable", 10, "workload", "drain", "pace",
                  "lockstep", "handoffs", 0, "duration_ns", 0, "hold_ns", 0, "hold_exponential", 0,
                  "locks", 1, "placement", "spread", "trials", 1);
    json_object_set_new(plan, "max_rate", json_null());
    json_object_set_new(plan, "server_cpu_percent", json_null());
    return plan == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    past_run_deinit(&run);
    past_run_deinit(&other);
    json_decref(plan);
    for (int i = 0; i < 2; i++) {
        unlink(path_of(i, "manifest.json"));
        unlink(path_of(i, "trials.csv"));
        rmdir(folders[i]);
    }
    return 0;
}

static void write_file(int folder, const char *name, const char *text)
{
    FILE *stream = fopen(path_of(folder, name), "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void write_run(int folder, const char *rows)
{
    json_t *manifest = json_pack("{sO}", "plan", plan);
    char *text = json_dumps(manifest, 0);
    assert_non_null(text);
    write_file(folder, "manifest.json", text);
    write_file(folder, "trials.csv", rows);
    free(text);
    json_decref(manifest);
}

static enum error_kind open_run(const char *rows)
{
    write_run(0, rows);
    past_run_deinit(&run);
    return past_run_open(folders[0], &run, &error);
}

static void change(const char *key, json_t *value)
{
    assert_int_equal(json_object_set_new(plan, key, value), 0);
}

TEST_BETWEEN(test_a_run_is_read_as_it_was_written, set_up, tear_down)
{
    assert_int_equal(open_run(trials), ERROR_NONE);
    assert_int_equal(run.trials.rows, 3);
    assert_string_equal(past_run_recipe(&run, 1), "nonscalable");
    assert_null(past_run_recipe(&run, 2));
    assert_int_equal(past_run_clients(&run, 1), 20);
    assert_int_equal(past_run_clients(&run, 2), 0);
    assert_true(run.lockstep);
    assert_true(run.drain);
    assert_false(run.has_duration);
    change("pace", json_string("free"));
    change("workload", json_string("steady"));
    change("duration_ns", json_integer(1));
    assert_int_equal(open_run(trials), ERROR_NONE);
    assert_false(run.lockstep);
    assert_false(run.drain);
    assert_true(run.has_duration);
}

TEST_BETWEEN(test_a_recipe_ends_at_its_most_clients, set_up, tear_down)
{
    assert_int_equal(open_run(trials), ERROR_NONE);
    assert_true(past_run_plans(&run, "nonscalable", 10));
    assert_false(past_run_plans(&run, "nonscalable", 11));
    assert_true(past_run_plans(&run, "scalable", 20));
}

TEST_BETWEEN(test_slashes_behind_the_folder_are_left_out, set_up, tear_down)
{
    char name[96];
    (void)state;
    write_run(0, trials);
    snprintf(name, sizeof name, "%s//", folders[0]);
    assert_int_equal(past_run_open(name, &run, &error), ERROR_NONE);
    assert_string_equal(run.folder, folders[0]);
}

TEST_BETWEEN(test_what_is_missing_is_told, set_up, tear_down)
{
    assert_int_equal(past_run_open(folders[0], &run, &error), ERROR_NOT_A_RUN);
    write_run(0, trials);
    unlink(path_of(0, "trials.csv"));
    assert_int_equal(past_run_open(folders[0], &run, &error), ERROR_NOT_A_RUN);
    assert_int_equal(past_run_open(path_of(0, "nowhere"), &run, &error), ERROR_NOT_A_RUN);
    assert_int_equal(open_run("recipe,clients,trial,note\n"), ERROR_NOT_A_RUN);
}

TEST_BETWEEN(test_a_plan_has_every_key_of_its_kind, set_up, tear_down)
{
    static const char *const keys[] = {
        "recipes",  "clients",     "most_clients", "workload",         "pace",
        "handoffs", "duration_ns", "hold_ns",      "hold_exponential", "locks"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_incref(json_object_get(plan, keys[i]));
        json_object_del(plan, keys[i]);
        assert_int_equal(open_run(trials), ERROR_MALFORMED);
        change(keys[i], json_real(1.5));
        assert_int_equal(open_run(trials), ERROR_MALFORMED);
        assert_non_null(strstr(error.detail, keys[i]));
        change(keys[i], value);
    }
    assert_int_equal(open_run(trials), ERROR_NONE);
}

/* The manifests of earlier versions have none. */
TEST_BETWEEN(test_a_plan_without_a_placement_was_spread, set_up, tear_down)
{
    json_object_del(plan, "placement");
    write_run(1, trials);
    change("placement", json_string("spread"));
    assert_int_equal(open_run(trials), ERROR_NONE);
    assert_int_equal(past_run_open(folders[1], &other, &error), ERROR_NONE);
    assert_int_equal(past_run_check_plan(&run, &other, &error), ERROR_NONE);
}

/* A recipe's name goes into gnuplot's command line. */
TEST_BETWEEN(test_lists_hold_names_and_numbers, set_up, tear_down)
{
    static const struct {
        const char *key, *value;
    } bad[] = {
        {"recipes", "[\"scalable\", \"nonscalable\", \"x'; system('true\"]"},
        {"recipes", "[\"scalable\", \"nonscalable\", \"\"]"},
        {"recipes", "[]"},
        {"clients", "[10, 20, 0]"},
        {"clients", "[10, 20, \"30\"]"},
        {"clients", "[]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *good = json_incref(json_object_get(plan, bad[i].key));
        change(bad[i].key, json_loads(bad[i].value, 0, NULL));
        assert_int_equal(open_run(trials), ERROR_MALFORMED);
        assert_string_equal(error.subject, path_of(0, "manifest.json"));
        change(bad[i].key, good);
    }
}

/* As where a file was cut off, or edited. */
TEST_BETWEEN(test_a_field_that_is_not_of_its_kind_is_refused, set_up, tear_down)
{
    static const char *const rows[] = {"scalable,ten,1,\n", "scalable,10,1.5,\n", "scalable,1\n"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, "%s%s", trials, rows[i]);
        assert_int_equal(open_run(text), ERROR_MALFORMED);
        assert_non_null(strstr(error.detail, "line 5"));
    }
}

/* Against a run of another plan, which has these rows more. */
static enum error_kind check_changed(const char *key, json_t *value, const char *rows)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s", trials, rows);
    json_t *former = json_incref(json_object_get(plan, key));
    change(key, value);
    write_run(1, text);
    past_run_deinit(&other);
    assert_int_equal(past_run_open(folders[1], &other, &error), ERROR_NONE);
    change(key, former);
    return past_run_check_plan(&run, &other, &error);
}

TEST_BETWEEN(test_plans_that_measure_something_else_differ, set_up, tear_down)
{
    static const struct {
        const char *key, *value, *rows;
    } others[] = {
        {"clients", "[10, 20, 30]", "scalable,30,1,\n"},
        {"recipes", "[\"scalable\", \"nonscalable\", \"poll\"]", "poll,10,1,\npoll,20,1,\n"},
        {"most_clients", "{\"nonscalable\": 15}", ""},
        {"hold_ns", "5", ""},
        {"hold_exponential", "true", ""},
        {"locks", "2", ""},
        {"placement", "\"leader\"", ""},
        {"max_rate", "9", ""},
        {"server_cpu_percent", "25", ""},
        {"pace", "\"free\"", ""},
    };
    assert_int_equal(open_run(trials), ERROR_NONE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        json_t *value = json_loads(others[i].value, JSON_DECODE_ANY, NULL);
        assert_int_equal(check_changed(others[i].key, value, others[i].rows), ERROR_OTHER_PLAN);
        assert_string_equal(error.subject, folders[1]);
        assert_non_null(strstr(error.detail, others[i].key));
        assert_int_equal(past_run_check_plan(&other, &run, &error), ERROR_OTHER_PLAN);
        assert_string_equal(error.subject, folders[0]);
    }
}

/* Of several keys that differ, whatever their order in the manifest. */
TEST_BETWEEN(test_the_first_key_of_the_table_is_named, set_up, tear_down)
{
    assert_int_equal(open_run(trials), ERROR_NONE);
    json_object_set_new(plan, "placement", json_string("leader"));
    assert_int_equal(check_changed("max_rate", json_integer(9), ""), ERROR_OTHER_PLAN);
    assert_int_equal(strncmp(error.detail, "max_rate is", strlen("max_rate is")), 0);
}

TEST_BETWEEN(test_the_order_of_a_list_decides_nothing, set_up, tear_down)
{
    assert_int_equal(open_run(trials), ERROR_NONE);
    assert_int_equal(check_changed("clients", json_pack("[ii]", 20, 10), ""), ERROR_NONE);
    assert_int_equal(check_changed("recipes", json_pack("[ss]", "nonscalable", "scalable"), ""),
                     ERROR_NONE);
    assert_int_equal(check_changed("locks", json_integer(1), ""), ERROR_NONE);
}
