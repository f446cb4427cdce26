// SPDX-License-Identifier: Apache-2.0
/* A recipe in a file of its own: compiled and loaded, and refused in words when it cannot be. Tests
 * run in the folder that README.md is in. */
#include "recipes/own.h"

#include "recipes/law.h"
#include "recipes/registry.h"
#include "tests/support/folder.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KAZOO "docs/examples/kazoo.c"

static char folder[] = P_tmpdir "/test_own.XXXXXX", temporary[sizeof folder + 8];
static struct error error;
static struct recipe *recipe;

static const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_source(const char *name, const char *text)
{
    FILE *stream = fopen(in_folder(name), "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
    return in_folder(name);
}

static void copy(const char *from, const char *to)
{
    static char text[64 * 1024];
    FILE *stream = fopen(from, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    write_source(to, text);
}

/* Whatever comes of it, nothing is left of a compilation. */
static enum error_kind load(const char *path)
{
    enum error_kind kind = own_load(path, "lib", &recipe, &error);
    assert_int_equal(count_entries(temporary), 0);
    return kind;
}

static void assert_refused(const char *source, const char *why)
{
    char path[512];
    snprintf(path, sizeof path, "%s", write_source("refused.c", source));
    assert_int_equal(load(path), ERROR_NOT_A_RECIPE);
    assert_string_equal(error.subject, path);
    assert_non_null(strstr(error.detail, why));
}

/* ------------------------------------------------------------------ what is loaded */

static void assert_kazoo(const char *path)
{
    struct tally total = {0};
    assert_int_equal(load(path), ERROR_NONE);
    assert_string_equal(recipe->name, "kazoo");
    assert_string_equal(recipe->file->path, path);
    assert_int_equal(strlen(recipe->file->sha256), 64);
    law_total(recipe, 10, 10, &total);
    assert_int_equal(tally_rpcs(&total), 58);
    own_free(recipe);
}

TEST(a_source_is_compiled_and_loaded)
{
    assert_kazoo(KAZOO);
}

/* No shell reads the name, and a dash begins no option. */
TEST(names_may_have_any_characters)
{
    static const char *const names[] = {"a b.c",   "it's \"so\".c",  "$(touch made).c", "-o.c",
                                        "a;b&c.c", "\xc3\xa9\xff.c", "new\nline.c"};
    char before[512];
    assert_non_null(getcwd(before, sizeof before));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        copy(KAZOO, names[i]);
        assert_kazoo(in_folder(names[i]));
    }
    assert_int_equal(access("made", F_OK), -1);
    assert_int_equal(mkdir(in_folder("-I x"), 0700), 0);
    copy(KAZOO, "-I x/kazoo.c");
    char headers[600];
    snprintf(headers, sizeof headers, "%s/lib", before);
    assert_int_equal(chdir(folder), 0);
    enum error_kind kind = own_load("-I x/kazoo.c", headers, &recipe, &error);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(kind, ERROR_NONE);
    own_free(recipe);
}

/* ------------------------------------------------------------------ what is refused */

#define HEAD                                                                                       \
    "#include \"recipes/queue.h\"\n#include \"recipes/recipe.h\"\n"                                \
    "static void cost(const struct law_view *v, struct tally *t) { (void)v; (void)t; }\n"
#define TEXTS ".summary = \"s\", .about = {\"d\", \"p\", \"s\", 0},"
#define STEPS ".acquire = queue_acquire_exists, .release = contender_delete_own,"
#define LAW   ".law = {cost, cost, \"1\", \"0\"},"

TEST(what_would_end_the_program_later_is_refused)
{
    assert_refused(HEAD "RECIPE(x) = {.name = \"X\"," TEXTS STEPS LAW "};\n", ".name");
    assert_refused(HEAD "RECIPE(x) = {.name = \"a/b\"," TEXTS STEPS LAW "};\n", ".name");
    assert_refused(HEAD "RECIPE(x) = {" TEXTS STEPS LAW "};\n", ".name");
    assert_refused(HEAD "RECIPE(x) = {.name = \"x\"," STEPS LAW "};\n", ".summary");
    assert_refused(HEAD "RECIPE(x) = {.name = \"x\"," TEXTS LAW "};\n", ".acquire");
    assert_refused(HEAD "RECIPE(x) = {.name = \"x\"," TEXTS STEPS "};\n", "both texts");
    assert_refused(HEAD "RECIPE(x) = {.name = \"x\"," TEXTS STEPS LAW ".leases = 2};\n",
                   "it has no .shares");
    assert_refused(HEAD "RECIPE(x) = {.name = \"x\"," TEXTS STEPS
                        ".law = {cost, 0, \"1\", \"0\"}};\n",
                   "only one of the two functions");
}

/* Its compiler says why, on stderr. */
TEST(what_does_not_compile_is_refused)
{
    assert_refused("int x;\n", "it has no RECIPE");
    assert_refused("no C\n", "does not compile");
    assert_refused(HEAD "int f(void); int f(void) { return g(); }\n", "does not compile");
    assert_refused(HEAD "int f(void); int f(void) { extern int g(void); return g(); }\n",
                   "undefined symbol: g");
    assert_refused(HEAD "ACQUIRE(x) { BEGIN; exists(s, s->lock, NO_WATCH); GRANTED; END; }\n"
                        "RECIPE(x) = {.name = \"x\"," TEXTS LAW
                        ".acquire = x_acquire, .release = contender_delete_own};\n",
                   "does not compile");
}

/* Compiled with other headers, it would be read wrongly. */
TEST(a_recipe_of_another_interface_is_refused)
{
#define EXPORT(number, bytes)                                                                      \
    HEAD "static const struct recipe r = {.name = \"x\"," TEXTS STEPS LAW "};\n"                   \
         "extern const struct recipe_export recipe_exported;\n"                                    \
         "const struct recipe_export recipe_exported = {{" number ", " bytes ", "                  \
         "sizeof(struct contender), sizeof(struct law_view), sizeof(struct client_reply), "        \
         "sizeof(struct request), TALLY_KINDS}, &r};\n"
    const char *path = write_source("same.c", EXPORT("RECIPE_INTERFACE", "sizeof(struct recipe)"));
    assert_int_equal(load(path), ERROR_NONE);
    own_free(recipe);
    assert_refused(EXPORT("RECIPE_INTERFACE + 1", "sizeof(struct recipe)"),
                   "the headers of another zkherd");
    assert_refused(EXPORT("RECIPE_INTERFACE", "sizeof(struct recipe) + 8"),
                   "the headers of another zkherd");
}

TEST(what_is_missing_is_named)
{
    assert_int_equal(load(in_folder("none.c")), ERROR_SYSTEM);
    assert_int_equal(error.os_error, ENOENT);
    assert_int_equal(load(in_folder("none")), ERROR_NOT_A_RECIPE);
    assert_int_equal(load(write_source("text.so", "no source\n")), ERROR_NOT_A_RECIPE);
    assert_int_equal(own_load(KAZOO, NULL, &recipe, &error), ERROR_NO_HEADERS);
    setenv("CC", "/nonexistent/cc -x", 1);
    assert_int_equal(load(KAZOO), ERROR_NO_COMPILER);
    assert_string_equal(error.detail, "/nonexistent/cc is to compile it");
    unsetenv("CC");
    setenv("TMPDIR", in_folder("none"), 1);
    assert_int_equal(own_load(KAZOO, "lib", &recipe, &error), ERROR_SYSTEM);
    setenv("TMPDIR", temporary, 1);
}

/* ------------------------------------------------------------------ signals */

/* A compiler that tells that it runs, and waits to be ended. */
static void be_interrupted(int ready)
{
    char script[1024], words[600], ready_number[16];
    snprintf(ready_number, sizeof ready_number, "%d", ready);
    snprintf(script, sizeof script, "#!/bin/sh\necho >&%s\nexec sleep 60\n", ready_number);
    snprintf(words, sizeof words, "sh %s", write_source("compiler", script));
    setenv("CC", words, 1);
    setpgid(0, 0);
    (void)!own_load(KAZOO, "lib", &recipe, &error);
    _exit(0);
}

TEST(nothing_is_left_after_a_signal)
{
    int ends[2], status;
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0)
        be_interrupted(ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(count_entries(temporary), 1);
    assert_int_equal(kill(-pid, SIGINT), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
    assert_int_equal(count_entries(temporary), 0);
}

FIXTURE(set_up)
{
    unsetenv("CC");
    /* What a recipe calls is linked into a program that has all recipes, as zkherd has. */
    if (registry_find("scalable") == NULL || mkdtemp(folder) == NULL)
        return -1;
    snprintf(temporary, sizeof temporary, "%s/tmp", folder);
    return mkdir(temporary, 0700) | setenv("TMPDIR", temporary, 1);
}

FIXTURE(tear_down)
{
    return folder_remove(folder);
}

TEST_GROUP(set_up, tear_down)
