// SPDX-License-Identifier: Apache-2.0
#include "base/loader.h"

#include <dlfcn.h>
#include <string.h>

enum error_kind loader_load(const char *file, const char *package,
                            const struct loader_place *places, enum error_kind missing, void *table,
                            struct error *error)
{
    void *loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL)
        return error_raise(error, missing, 0, file, "it is in the package %s", package);
    for (const struct loader_place *place = places; place->symbol != NULL; place++) {
        const void *address = dlsym(loaded, place->symbol);
        if (address == NULL)
            return error_raise(error, missing, 0, file,
                               "it has no %s, unlike that of the package %s", place->symbol,
                               package);
        char *field = (char *)table + place->offset;
        if (place->is_integer)
            memcpy(field, address, sizeof(int));
        else
            memcpy(field, &address, sizeof address);
    }
    return ERROR_NONE;
}
