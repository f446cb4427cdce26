// SPDX-License-Identifier: Apache-2.0
#include "recipes/own.h"

#include "base/memory.h"
#include "base/process.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_MAX_LENGTH 19 /* as wide as its column in zkherd recipes */
#define WORDS_MAX       32 /* of $CC */
#define LIBRARY         "/recipe.so"

bool own_is_file(const char *name)
{
    return strchr(name, '/') != NULL;
}

bool own_is_name(const char *name)
{
    size_t length = strlen(name);
    return islower((unsigned char)name[0]) && length <= NAME_MAX_LENGTH &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* ------------------------------------------------------------------ the compiler */

/* Warnings that would be a crash later are errors: a missing AWAIT, a missing function. */
#define FLAGS                                                                                      \
    {                                                                                              \
        "-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-shared", "-Wall", "-Wextra",          \
            "-Werror=unused-result", "-Werror=implicit-function-declaration",                      \
            "-Werror=return-type", "-Werror=incompatible-pointer-types"                            \
    }

/* No shell is between: names may have any characters. */
static enum error_kind run_compiler(const char *path, const char *headers, char *library,
                                    struct error *error)
{
    char flags[][40] = FLAGS, plainly[] = "cc", output[] = "-o", *rest, *word;
    char *arguments[WORDS_MAX + sizeof flags / sizeof flags[0] + 5] = {NULL};
    char *words = memory_text(getenv("CC") == NULL ? "" : getenv("CC")),
         *folder = memory_format("-I%s", headers),
         *source = memory_format("%s%s", path[0] == '-' ? "./" : "", path);
    size_t count = 0;
    pid_t child;
    int status = 0;
    for (rest = words; count < WORDS_MAX && (word = strtok_r(rest, " \t", &rest)) != NULL;)
        arguments[count++] = word;
    if (count == 0)
        arguments[count++] = plainly;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        arguments[count++] = flags[i];
    char *const last[] = {folder, output, library, source};
    memcpy(&arguments[count], last, sizeof last);
    int os_error = process_start(arguments, NULL, STDERR_FILENO, false, &child);
    while (os_error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    enum error_kind kind = ERROR_NONE;
    if (os_error != 0)
        kind = error_raise(error, ERROR_NO_COMPILER, os_error, path, "%s is to compile it",
                           arguments[0]);
    else if (WIFSIGNALED(status))
        kind = error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                           "the compiler was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        kind = error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                           "it does not compile, for the reason above");
    free(source);
    free(folder);
    free(words);
    return kind;
}

/* ------------------------------------------------------------------ the library */

static enum error_kind refuse(const char *path, const char *why, struct error *error)
{
    return error_raise(error, ERROR_NOT_A_RECIPE, 0, path, "%s", why);
}

/* What would end the program later. */
static const char *missing(const struct recipe *recipe)
{
    const struct recipe_about *about = &recipe->about;
    const struct recipe_law *law = &recipe->law;
    if (recipe->name == NULL || !own_is_name(recipe->name))
        return "its .name must be a small letter, and up to 18 small letters, digits and dashes";
    if (recipe->summary == NULL || about->description == NULL || about->pseudo_code == NULL ||
        about->source == NULL)
        return "its .summary, or the description, pseudo_code or source of its .about, is missing";
    if (recipe->acquire == NULL || recipe->release == NULL)
        return "its .acquire or .release is missing";
    if (recipe->leases != 0 && recipe->shares == NULL)
        return "its .leases are for clients that share, and it has no .shares";
    if ((law->arrival == NULL) != (law->release == NULL))
        return "its .law has only one of the two functions";
    if (law->rpcs == NULL || law->notifications == NULL)
        return "its .law has not both texts";
    return NULL;
}

static enum error_kind load(const char *path, const char *library, struct recipe *recipe,
                            struct error *error)
{
    static const struct recipe_interface here = RECIPE_INTERFACE_HERE;
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) {
        const char *why = dlerror();
        size_t length = strlen(library);
        bool named = strncmp(why, library, length) == 0 && strncmp(why + length, ": ", 2) == 0;
        return refuse(path, named ? why + length + 2 : why, error);
    }
    const struct recipe_export *exported = dlsym(loaded, "recipe_exported");
    if (exported == NULL)
        return refuse(path, "it has no RECIPE(NAME) = {…}", error);
    if (memcmp(&exported->interface, &here, sizeof here) != 0)
        return refuse(path, "it was compiled with the headers of another zkherd", error);
    const char *why = missing(exported->recipe);
    if (why != NULL)
        return refuse(path, why, error);
    *recipe = *exported->recipe;
    return ERROR_NONE;
}

/* A signal that would end the program in the meantime waits until the folder is removed. */
static enum error_kind compile_and_load(const char *path, const char *headers,
                                        struct recipe *recipe, struct error *error)
{
    static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    const char *parent = getenv("TMPDIR");
    sigset_t blocked, before;
    char folder[PATH_MAX], library[PATH_MAX + sizeof LIBRARY];
    if (headers == NULL)
        return error_raise(error, ERROR_NO_HEADERS, 0, path, "%s", "");
    snprintf(folder, sizeof folder, "%s/zkherd-recipe-XXXXXX",
             parent == NULL || parent[0] == '\0' ? "/tmp" : parent);
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigaddset(&blocked, fatal[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    enum error_kind kind = ERROR_NONE;
    if (mkdtemp(folder) == NULL) {
        kind = error_from_errno(error, errno, folder, "a folder for its compilation");
    } else {
        snprintf(library, sizeof library, "%s" LIBRARY, folder);
        kind = run_compiler(path, headers, library, error);
        if (kind == ERROR_NONE)
            kind = load(path, library, recipe, error);
        unlink(library);
        rmdir(folder);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return kind;
}

/* ------------------------------------------------------------------ the recipe */

/* The recipe, as the caller gets it. */
struct own {
    struct recipe recipe;
    struct recipe_file file;
    char path[];
};

enum error_kind own_load(const char *path, const char *headers, struct recipe **recipe,
                         struct error *error)
{
    size_t length = strlen(path);
    if (length <= 2 || strcmp(path + length - 2, ".c") != 0)
        return refuse(path, "the name of a source ends in .c", error);
    struct own *own = memory_new(1, sizeof *own + length + 1);
    enum error_kind kind = sha256_file(path, own->file.sha256, error);
    if (kind == ERROR_NONE)
        kind = compile_and_load(path, headers, &own->recipe, error);
    if (kind != ERROR_NONE) {
        free(own);
        return kind;
    }
    strcpy(own->path, path);
    own->file.path = own->path;
    own->recipe.file = &own->file;
    *recipe = &own->recipe;
    return ERROR_NONE;
}

void own_free(struct recipe *recipe)
{
    free(recipe); /* the first member of its struct own */
}
