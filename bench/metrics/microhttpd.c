// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/microhttpd.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FILE_NAME "libmicrohttpd.so.12"
#define PACKAGE   "libmicrohttpd12"

static const struct {
    const char *symbol;
    size_t offset;
} places[] = {
#define X(member, function) {#function, offsetof(struct microhttpd, member)},
    MICROHTTPD_LIST(X)
#undef X
};

enum error_kind microhttpd_load(struct microhttpd *http, struct error *error)
{
    void *loaded = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL)
        return error_raise(error, ERROR_NO_HTTP_LIBRARY, 0, FILE_NAME,
                           "it is in the package " PACKAGE);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const void *address = dlsym(loaded, places[i].symbol);
        if (address == NULL)
            return error_raise(error, ERROR_NO_HTTP_LIBRARY, 0, FILE_NAME,
                               "it has no %s, unlike that of the package " PACKAGE,
                               places[i].symbol);
        memcpy((char *)http + places[i].offset, &address, sizeof address);
    }
    return ERROR_NONE;
}
