// SPDX-License-Identifier: Apache-2.0
#include "servers/ensemble.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBIAN_HOME "/usr/share/java"
#define DEBIAN_JAR  "zookeeper.jar"

/* The value of an environment variable; NULL if it is unset or empty. */
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? NULL : value;
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Writes <folder>/<name> as an absolute path. Symbolic links stay: a java may depend on the name by
 * which it is called. False if the path does not fit. */
static bool join(const char *folder, size_t folder_length, const char *name, char *path,
                 size_t size)
{
    char here[PATH_MAX] = "";
    bool is_absolute = folder_length > 0 && folder[0] == '/';
    if (!is_absolute && getcwd(here, sizeof here) == NULL)
        return false;
    int length = snprintf(path, size, "%s%s%.*s/%s", here, is_absolute ? "" : "/",
                          (int)folder_length, folder, name);
    return length > 0 && (size_t)length < size;
}

static bool find_in_path(const char *folders, const char *name, char *path, size_t size)
{
    while (folders != NULL) {
        size_t length = strcspn(folders, ":");
        if (join(folders, length, name, path, size) && is_program(path))
            return true;
        folders = folders[length] == ':' ? folders + length + 1 : NULL;
    }
    return false;
}

enum error_kind install_find_java(char *path, size_t size, struct error *error)
{
    const char *home = setting("JAVA_HOME");
    if (home != NULL && join(home, strlen(home), "bin/java", path, size) && is_program(path))
        return ERROR_NONE;
    if (find_in_path(setting("PATH"), "java", path, size))
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_JAVA, 0, "java",
                       home == NULL ? "not in the PATH" : "neither in JAVA_HOME nor in the PATH");
}

/* How many servers' jars a folder has. */
static unsigned count_servers(const char *folder)
{
    unsigned count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        count += fnmatch("zookeeper-[0-9]*.jar", entry->d_name, 0) == 0;
    if (directory != NULL)
        closedir(directory);
    return count;
}

/* The server's jar names what it needs, some by absolute paths, where another version may be: so
 * its own come first. It names no library for its log; without one its warnings are lost. */
static void add_package(struct install *install)
{
    static const char *const jars[] = {"zookeeper-jute.jar", "slf4j-api.jar", DEBIAN_JAR,
                                       "slf4j-simple.jar"};
    for (size_t i = 0; i < sizeof jars / sizeof jars[0]; i++) {
        char path[PATH_MAX];
        size_t length = strlen(install->class_path);
        if (join(install->home, strlen(install->home), jars[i], path, sizeof path) &&
            access(path, R_OK) == 0)
            snprintf(install->class_path + length, sizeof install->class_path - length, "%s%s",
                     length > 0 ? ":" : "", path);
    }
}

enum error_kind install_find_zookeeper(const char *home, struct install *install,
                                       struct error *error)
{
    char jar[PATH_MAX], lib[PATH_MAX];
    const char *set = setting("ZOOKEEPER_HOME"), *why = NULL;
    const char *chosen = home != NULL ? home : set != NULL ? set : DEBIAN_HOME;
    *install = (struct install){0};
    if (!join(chosen, strlen(chosen), DEBIAN_JAR, jar, sizeof jar) ||
        !join(chosen, strlen(chosen), "lib", lib, sizeof lib))
        return error_from_errno(error, ENAMETOOLONG, chosen, "%s", "");
    memcpy(install->home, jar, strlen(jar) - strlen("/" DEBIAN_JAR));
    bool has_jar = access(jar, R_OK) == 0;
    unsigned in_lib = count_servers(lib), servers = in_lib + count_servers(install->home);
    if (!has_jar && chosen != set && chosen != home)
        return error_raise(error, ERROR_NO_ZOOKEEPER, 0, jar, "%s",
                           "it does not exist, and ZOOKEEPER_HOME is not set");
    if (servers > 1)
        why = "it has the jars of several servers: leave one";
    else if (has_jar && in_lib == 0)
        add_package(install);
    else if (servers == 0)
        why = "there is no zookeeper-VERSION.jar in it or in its folder lib";
    else /* without the release's conf folder: its logging would slow a server under load */
        snprintf(install->class_path, sizeof install->class_path, "%s/lib/*:%s/*", install->home,
                 install->home);
    return why == NULL ? ERROR_NONE
                       : error_raise(error, ERROR_NO_ZOOKEEPER, 0, install->home, "%s", why);
}
