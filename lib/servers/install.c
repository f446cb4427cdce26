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

#define DEBIAN_ZOOKEEPER "/usr/share/java/zookeeper.jar"
/* Debian's ZooKeeper package has no logging library; without one its warnings are lost. */
#define DEBIAN_LOGGING "/usr/share/java/slf4j-simple.jar"

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

static bool has_zookeeper_jar(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return false;
    bool found = false;
    for (struct dirent *entry = readdir(directory); entry != NULL && !found;
         entry = readdir(directory))
        found = fnmatch("zookeeper?*.jar", entry->d_name, 0) == 0;
    closedir(directory);
    return found;
}

/* Without the release's conf folder: its logging would slow a server under load. */
static enum error_kind find_release(const char *home, char *class_path, size_t size,
                                    struct error *error)
{
    char root[PATH_MAX], lib[PATH_MAX];
    if (!join(home, strlen(home), "*", root, sizeof root) ||
        !join(home, strlen(home), "lib", lib, sizeof lib))
        return error_from_errno(error, ENAMETOOLONG, home, "ZOOKEEPER_HOME");
    if (!has_zookeeper_jar(lib) && !has_zookeeper_jar(home))
        return error_raise(error, ERROR_NO_ZOOKEEPER, 0, home,
                           "ZOOKEEPER_HOME has no zookeeper-*.jar, neither in lib nor itself");
    int length = snprintf(class_path, size, "%s/*:%s", lib, root);
    if (length < 0 || (size_t)length >= size)
        return error_from_errno(error, ENAMETOOLONG, home, "ZOOKEEPER_HOME");
    return ERROR_NONE;
}

enum error_kind install_find_zookeeper(char *class_path, size_t size, struct error *error)
{
    const char *home = setting("ZOOKEEPER_HOME");
    if (home != NULL)
        return find_release(home, class_path, size, error);
    if (access(DEBIAN_ZOOKEEPER, R_OK) != 0)
        return error_raise(error, ERROR_NO_ZOOKEEPER, 0, DEBIAN_ZOOKEEPER,
                           "it does not exist, and ZOOKEEPER_HOME is not set");
    snprintf(class_path, size, "%s%s", DEBIAN_ZOOKEEPER,
             access(DEBIAN_LOGGING, R_OK) == 0 ? ":" DEBIAN_LOGGING : "");
    return ERROR_NONE;
}
