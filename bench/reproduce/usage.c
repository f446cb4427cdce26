// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/reproduce/internal.h"

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define OPEN_FOLDERS 16

/* ------------------------------------------------------------------ the disk */

static __thread uint64_t folder_bytes; /* nftw passes nothing on */

static int add_bytes(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)path, (void)place;
    folder_bytes += type == FTW_F || type == FTW_D ? (uint64_t)status->st_blocks * 512 : 0;
    return 0;
}

double usage_disk_mib(const char *folder)
{
    folder_bytes = 0;
    nftw(folder, add_bytes, OPEN_FOLDERS, FTW_PHYS);
    return (double)folder_bytes / (1 << 20);
}

/* ------------------------------------------------------------------ a process and all below it */

struct process {
    pid_t pid, parent;
    bool is_ours;
};

struct processes {
    struct process *list;
    size_t count;
};

static struct processes list_all(void)
{
    struct processes all = {0};
    struct dirent *entry;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char path[64], line[512] = "";
        int parent = 0, pid = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "re") : NULL;
        if (file == NULL)
            continue;
        const char *end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
        fclose(file);
        if (end == NULL || sscanf(end, ") %*c %d", &parent) != 1)
            continue;
        all.list = memory_grow(all.list, all.count, sizeof *all.list);
        all.list[all.count++] = (struct process){pid, parent, false};
    }
    if (proc != NULL)
        closedir(proc);
    return all;
}

/* Marks what is below; again and again, because a child may be listed before its parent. */
static void mark(struct processes *all, pid_t root)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *one = &all->list[i];
            bool ours = one->pid == root;
            for (size_t k = 0; !ours && k < all->count; k++)
                ours = all->list[k].is_ours && all->list[k].pid == one->parent;
            more = more || (ours && !one->is_ours);
            one->is_ours = one->is_ours || ours;
        }
    }
}

/* The share of a process in the pages that are in memory. */
static double memory_mib(pid_t pid)
{
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "Pss: %lu", &kib) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return (double)kib / 1024;
}

/* A private server works in the folder of its data. */
static bool works_elsewhere(pid_t pid, const char *folder, char *place)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)pid);
    ssize_t length = readlink(path, place, PATH_MAX - 1);
    place[length > 0 ? length : 0] = '\0';
    return length > 0 && strcmp(place, "/") != 0 && strncmp(place, folder, strlen(folder)) != 0;
}

void usage_look(pid_t root, const char *folder, double *memory, double *disk)
{
    struct processes all = list_all();
    char place[PATH_MAX], last[PATH_MAX] = "";
    double memory_now = 0, disk_now = usage_disk_mib(folder);
    mark(&all, root);
    for (size_t i = 0; i < all.count; i++) {
        if (!all.list[i].is_ours)
            continue;
        memory_now += memory_mib(all.list[i].pid);
        bool below = all.list[i].pid != root; /* which begins where this program works */
        if (below && works_elsewhere(all.list[i].pid, folder, place) && strcmp(place, last) != 0) {
            disk_now += usage_disk_mib(place);
            snprintf(last, sizeof last, "%s", place);
        }
    }
    *memory = memory_now > *memory ? memory_now : *memory;
    *disk = disk_now > *disk ? disk_now : *disk;
    free(all.list);
}
