// SPDX-License-Identifier: Apache-2.0
/* The JSON that the scenarios of tests/golden have printed, their manifests, and those of the
 * reference runs are as docs/schema says; and what is not is refused. */
#include "tests/support/csv_file.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <glob.h>

/* Numbers that tests/golden.sh has masked. */
static void unmask(char *text)
{
    static const char *const words[] = {": MACHINE", ": MEASURED"};
    for (size_t i = 0; i < 2; i++) {
        for (char *at = text; (at = strstr(at, words[i])) != NULL; at[2] = '1')
            memset(at + 2, ' ', strlen(words[i]) - 2);
    }
}

/* The schema of what stands below a line: "$ zkherd ... --json" or "-- FOLDER/manifest.json --". */
static void name_schema(const char *line, const json_t *json, char name[32])
{
    static const char prompt[] = "$ zkherd ";
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    name[0] = '\0';
    if (strstr(text, "manifest.json --") != NULL)
        strcpy(name, "manifest");
    if (strncmp(text, prompt, strlen(prompt)) != 0 || strstr(text, " --json") == NULL)
        return;
    sscanf(text + strlen(prompt), "%15s", name);
    if (strcmp(name, "inspect") == 0)
        strcat(name, json_object_get(json, "locks") != NULL ? "-folder" : "-lock");
    if (strstr(text, " --dry-run") != NULL)
        strcat(name, "-dry-run");
}

/* Adds the names of the schemas, with blanks around them. Of some a scenario keeps a part alone. */
static void check_scenario(const char *path, char *seen)
{
    char *text = read_text(path), name[32];
    const char *line = text, *above = text;
    unmask(text);
    for (; *line != '\0'; line = strchr(line, '\n') + 1) {
        json_error_t error;
        if (strncmp(line, "$ ", 2) == 0 || strncmp(line, "-- ", 3) == 0)
            above = line;
        if (strncmp(line, "{\n", 2) != 0)
            continue;
        json_t *json = json_loads(line, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
        name_schema(above, json, name);
        if (json != NULL && name[0] != '\0') {
            assert_schema(json, name, path);
            for (int i = 0; i < error.position; i++)
                assert_true(line[i] == '\n' || (line[i] >= ' ' && line[i] <= '~'));
            strcat(strcat(seen, name), " ");
        }
        json_decref(json);
    }
    free(text);
}

TEST(what_is_printed_is_as_the_schemas_say)
{
    static char seen[8192] = " rows ";
    glob_t found;
    assert_int_equal(glob("tests/golden/*", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_scenario(found.gl_pathv[i], seen);
    globfree(&found);
    assert_int_equal(glob("docs/schema/*.schema.json", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64];
        snprintf(name, sizeof name, " %s", found.gl_pathv[i] + strlen("docs/schema/"));
        strcpy(strstr(name, ".schema"), " ");
        if (strstr(seen, name) == NULL)
            fail_msg("no scenario prints what is as %s says", found.gl_pathv[i]);
    }
    globfree(&found);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    return json;
}

TEST(manifests_of_reference_runs_are_as_the_schema_says)
{
    glob_t found;
    assert_int_equal(
        glob("results/reference/{*,*/*,*/*/*}/manifest.json", GLOB_BRACE, NULL, &found), 0);
    assert_true(found.gl_pathc >= 15);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        json_t *json = load(found.gl_pathv[i]);
        assert_schema(json, "manifest", found.gl_pathv[i]);
        json_decref(json);
    }
    globfree(&found);
}

/* One that is changed is refused, in words. */
TEST(what_is_not_as_the_schema_says_is_refused)
{
    json_t *json = load("results/reference/standalone/manifest.json");
    json_object_set_new(json_object_get(json, "plan"), "pace", json_string("fast"));
    assert_string_equal(schema_complaint(json, "manifest"), ".plan.pace: is not in the list");
    json_object_set_new(json_object_get(json, "plan"), "pace", json_string("free"));
    json_object_del(json_object_get(json, "host"), "cores");
    assert_string_equal(schema_complaint(json, "manifest"), ".host: has no 'cores'");
    json_decref(json);
}
