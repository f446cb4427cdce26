// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/zookeeper_option.h"

#include "base/text.h"
#include "bench/cli/options.h"
#include "servers/install.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same(const char *folder, const char *other)
{
    struct stat its, others;
    return stat(folder, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
           its.st_ino == others.st_ino;
}

static bool check_is_new(struct option_given *given, const struct target_options *target,
                         const char *folder)
{
    for (size_t i = 0; i < target->home_count; i++) {
        if (is_same(folder, target->homes[i].folder))
            return option_row_refuse(given, "'%s' is given twice", folder);
    }
    return true;
}

static bool take_home(struct option_given *given, struct target_options *target, const char *folder)
{
    struct zookeeper_home *home = &target->homes[target->home_count];
    struct install install;
    struct error error = {0};
    struct stat status;
    if (folder[0] == '\0')
        return option_row_refuse(given, "expected folders, such as /usr/share/java,/opt/zookeeper");
    if (stat(folder, &status) != 0)
        return option_row_refuse(given, "'%s': %s", folder, strerror(errno));
    if (install_find_zookeeper(folder, &install, &error) != ERROR_NONE)
        return option_row_refuse(given, "'%s': %s", folder, error.detail);
    if (install.version[0] == '\0')
        return option_row_refuse(given,
                                 "'%s': beside zookeeper.jar there is no link "
                                 "zookeeper-VERSION.jar that names its version",
                                 folder);
    if (!check_is_new(given, target, folder))
        return false;
    strcpy(home->folder, install.home);
    strcpy(home->version, install.version);
    target->home_count++;
    return true;
}

/* Homes of one version are numbered: 3.8.4-1, 3.8.4-2. */
static void name_homes(struct target_options *target)
{
    for (size_t i = 0; i < target->home_count; i++) {
        struct zookeeper_home *home = &target->homes[i];
        unsigned equal = 0, at = 1;
        for (size_t j = 0; j < target->home_count; j++) {
            bool is_equal = strcmp(target->homes[j].version, home->version) == 0;
            equal += is_equal;
            at += is_equal && j < i;
        }
        snprintf(home->name, sizeof home->name, equal > 1 ? "%s-%u" : "%s", home->version, at);
    }
}

bool zookeeper_option_take(struct option_given *given)
{
    struct target_options *target = option_row_place(given);
    const char *list = given->value;
    char folder[PATH_MAX];
    if (target->homes == NULL)
        target->homes = calloc(OPTIONS_TOPOLOGIES_MAX, sizeof *target->homes);
    target->home_count = 0;
    while (target->homes != NULL && text_next_item(&list, folder, sizeof folder)) {
        if (target->home_count == OPTIONS_TOPOLOGIES_MAX)
            return option_row_refuse(given, "more than %d homes", OPTIONS_TOPOLOGIES_MAX);
        if (!take_home(given, target, folder))
            return false;
    }
    if (target->home_count == 0)
        return option_row_refuse(given, "out of memory");
    name_homes(target);
    return target_options_cross(target) ||
           option_row_refuse(given, "with --servers, more than %d ensembles in all",
                             OPTIONS_TOPOLOGIES_MAX);
}
