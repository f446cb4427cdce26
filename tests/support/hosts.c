// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hosts.h"

#include "tests/support/schema.h"

struct command hosts_run, second, workers[WORKERS];
char meet[80], few_at[80], some_at[80];

static const char *const without_plots[] = {NO_PROGRAMS, NULL};
struct ensemble *hosts_place;

/* ------------------------------------------------------------------ the servers */

int hosts_start(void **state)
{
    struct ensemble_options options = ensemble_options_default();
    struct error error = {0};
    options.heap_mib = 256;
    if (outside_start(state) != 0)
        return -1;
    if (ensemble_start(&options, &hosts_place, &error) != ERROR_NONE)
        return -1;
    const struct endpoint *server = &hosts_place->connect.endpoints[0];
    snprintf(meet, sizeof meet, "%.20s:%u/lab/hosts", server->host, server->port);
    snprintf(few_at, sizeof few_at, "%.20s:%u/few", server->host, server->port);
    snprintf(some_at, sizeof some_at, "%.20s:%u/some", server->host, server->port);
    return 0;
}

int hosts_stop(void **state)
{
    ensemble_stop(hosts_place);
    return outside_stop(state);
}

/* ------------------------------------------------------------------ workers and loads */

void hosts_start_workers(size_t count)
{
    for (size_t i = 0; i < count; i++)
        place_start_worker(&workers[i], meet, "--share", "1");
    place_await_waiting(meet, count);
}

void hosts_end_workers(size_t count)
{
    for (size_t i = 0; i < count; i++)
        place_end_worker(&workers[i]);
}

int hosts_make(void **state)
{
    hosts_run.settings = second.settings = without_plots;
    return work_make(state);
}

int hosts_clear_away(void **state)
{
    int status = work_remove(state); /* a test that failed has left its workers */
    assert_nothing_left_outside(1);
    place_assert_empty(meet);
    return status;
}

void hosts_assert_counted(const struct csv_file *load)
{
    if (hosts_run.status != 4)
        assert_status(&hosts_run, 0);
    for (size_t row = 0; row < load->rows; row++) {
        bool valid = strcmp(csv_file_text(load, row, "valid"), "yes") == 0;
        assert_string_equal(csv_file_text(load, row, "reconciled"), "yes");
        if (!valid && strncmp(csv_file_text(load, row, "reason"), "the driver, ", 12) != 0)
            fail_msg("%s", csv_file_text(load, row, "reason"));
    }
}

void hosts_assert_spoilt(const char *file, const char *words)
{
    struct csv_file rows = csv_file_read(in_work("%s", file));
    assert_status(&hosts_run, 4);
    assert_int_equal(rows.rows, 1);
    assert_string_equal(csv_file_text(&rows, 0, "valid"), "no");
    assert_string_not_equal(csv_file_text(&rows, 0, "reconciled"), "yes");
    assert_has(csv_file_text(&rows, 0, "reason"), words);
    csv_file_deinit(&rows);
}

json_t *hosts_list(void)
{
    command_run(&hosts_run, COMMAND("hosts", "--meet", meet, "--json"));
    assert_status(&hosts_run, 0);
    return schema_read_result(&hosts_run, "hosts");
}
