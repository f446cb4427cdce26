// SPDX-License-Identifier: Apache-2.0
#include "servers/install.h"

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

/* ------------------------------------------------------------------ ZooKeeper */

static enum error_kind raise_none(const char *home, const char *why, struct error *error)
{
    return error_raise(error, ERROR_NO_ZOOKEEPER, 0, home, "%s", why);
}

/* How many servers' jars a folder has. */
static unsigned count_servers(const char *folder)
{
    unsigned count = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += fnmatch("zookeeper-[0-9]*.jar", entry->d_name, 0) == 0;
    closedir(directory);
    return count;
}

/* Adds a jar of a folder to a class path, if it is there. */
static void add_jar(struct install *install, const char *jar)
{
    char path[PATH_MAX];
    size_t length = strlen(install->class_path);
    if (join(install->home, strlen(install->home), jar, path, sizeof path) &&
        access(path, R_OK) == 0)
        snprintf(install->class_path + length, sizeof install->class_path - length, "%s%s",
                 length > 0 ? ":" : "", path);
}

/* The server's jar names what it needs, some by absolute paths, where another version may be: so
 * its own come first. It names no library for its log; without one its warnings are lost. */
static enum error_kind find_package(struct install *install)
{
    static const char *const jars[] = {"zookeeper-jute.jar", "slf4j-api.jar", DEBIAN_JAR,
                                       "slf4j-simple.jar", NULL};
    for (size_t i = 0; jars[i] != NULL; i++)
        add_jar(install, jars[i]);
    return ERROR_NONE;
}

/* Without the release's conf folder: its logging would slow a server under load. */
static enum error_kind find_release(struct install *install, unsigned servers, struct error *error)
{
    const char *home = install->home;
    snprintf(install->class_path, sizeof install->class_path, "%s/lib/*:%s/*", home, home);
    return servers > 0
               ? ERROR_NONE
               : raise_none(home, "there is no zookeeper-VERSION.jar in it or in its folder lib",
                            error);
}

enum error_kind install_find_zookeeper(const char *home, struct install *install,
                                       struct error *error)
{
    char jar[PATH_MAX], lib[PATH_MAX];
    const char *set = setting("ZOOKEEPER_HOME");
    const char *chosen = home != NULL ? home : set != NULL ? set : DEBIAN_HOME;
    size_t length = strlen(chosen);
    *install = (struct install){0};
    if (!join(chosen, length, DEBIAN_JAR, jar, sizeof jar) ||
        !join(chosen, length, "lib", lib, sizeof lib))
        return error_from_errno(error, ENAMETOOLONG, chosen, "%s", "");
    memcpy(install->home, jar, strlen(jar) - strlen("/" DEBIAN_JAR));
    bool has_jar = access(jar, R_OK) == 0;
    if (!has_jar && chosen != set && chosen != home)
        return raise_none(jar, "it does not exist, and ZOOKEEPER_HOME is not set", error);
    unsigned in_lib = count_servers(lib);
    unsigned in_root = count_servers(install->home);
    if (in_lib + in_root > 1)
        return raise_none(install->home, "it has the jars of several servers: leave one", error);
    return has_jar && in_lib == 0 ? find_package(install)
                                  : find_release(install, in_lib + in_root, error);
}
