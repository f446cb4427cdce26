#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A relay that counts what passes, and shares nothing with zkherd's: it holds the laws of clients against themselves.

    independent_relay.py COUNTS CLIENTS SERVER COMMAND...

runs COMMAND with {relay} replaced by the relay's own connect string, and appends to the file COUNTS a row for each kind of
messages, as runs.csv of `zkherd tap --drain` has them: clients, trial, counted, messages.
"""
import asyncio
import collections
import os
import struct
import sys

OPERATIONS = {-11: "closeSession", 1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 8: "getChildren",
              9: "sync", 11: "ping", 12: "getChildren2", 14: "multi", 15: "create2", 17: "checkWatches",
              18: "removeWatches", 19: "createContainer", 101: "setWatches", 105: "setWatches2"}
EVENTS = {1: "created", 2: "deleted", 3: "changed", 4: "children"}
NOTIFICATION, PING, CLOSE = -1, 11, -11

counts = collections.Counter()


async def frames(reader, writer, take):
    """Passes frames until the end; the first, which opens the session, is not counted."""
    first = True
    try:
        while True:
            length = await reader.readexactly(4)
            body = await reader.readexactly(struct.unpack(">i", length)[0])
            if not first:
                take(body)
            first = False
            writer.write(length + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def relay(reader, writer):
    sent = {}

    def take_request(body):
        xid, number = struct.unpack(">ii", body[:8])
        sent[xid] = number
        if number != PING:
            counts[OPERATIONS[number]] += 1
            counts["all requests"] += number != CLOSE

    def take_reply(body):
        xid, _, error = struct.unpack(">iqi", body[:16])
        if xid == NOTIFICATION:
            counts["notification " + EVENTS[struct.unpack(">i", body[16:20])[0]]] += 1
        elif error != 0:
            counts[OPERATIONS[sent[xid]] + " failed"] += 1

    host, port = server.rsplit(":", 1)
    from_server, to_server = await asyncio.open_connection(host, int(port))
    await asyncio.gather(frames(reader, to_server, take_request), frames(from_server, writer, take_reply))


async def main():
    listening = await asyncio.start_server(relay, "127.0.0.1", 0, backlog=1024)
    here = "127.0.0.1:%d" % listening.sockets[0].getsockname()[1]
    process = await asyncio.create_subprocess_exec(*[word.replace("{relay}", here) for word in command])
    return await process.wait()


counts_file, clients, server, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
status = asyncio.run(main())
rows = open(counts_file, encoding="utf-8").read().splitlines() if os.path.exists(counts_file) else []
trial = 1 + len({row.split(",")[1] for row in rows if row.split(",")[0] == clients})
with open(counts_file, "a", encoding="utf-8") as out:
    for counted, messages in sorted(counts.items()):
        print(clients, trial, counted, messages, sep=",", file=out)
sys.exit(status)
