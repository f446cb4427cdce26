#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""n clients of kazoo's Lock, a session each, acquire one lock once: kazoo_lock.py N CONNECT

The first holds the lock until all others wait for it, so that every run has the same messages:

    zkherd tap --drain -n 4..64x2 -- /usr/bin/python3 kazoo_lock.py {n} {connect}
"""
import logging
import sys
import threading

from kazoo.client import KazooClient


class Waits(logging.Handler):
    """Hears from a client's log when its Lock waits: a getData that sets a watch is answered."""

    def __init__(self):
        super().__init__()
        self.event, self.xid = threading.Event(), None

    def emit(self, record):
        text = record.getMessage()
        if text.startswith("Sending request") and "GetData" in text:
            self.xid = record.args[0]
        elif text.startswith("Received response") and record.args[0] == self.xid:
            self.event.set()


def take_turn(lock):
    with lock:
        pass


n, connect = int(sys.argv[1]), sys.argv[2]
clients, waits = [], []
for number in range(n):
    logger = logging.Logger(str(number), logging.DEBUG)
    waits.append(Waits())
    logger.addHandler(waits[number])
    clients.append(KazooClient(hosts=connect, timeout=30.0, logger=logger))
    clients[number].start()
locks = [client.Lock("/app/lock") for client in clients]

locks[0].acquire()
others = [threading.Thread(target=take_turn, args=(lock,)) for lock in locks[1:]]
for other in others:
    other.start()
for wait in waits[1:]:
    wait.event.wait()
locks[0].release()
for other in others:
    other.join()
for client in clients:
    client.stop()
    client.close()
