# SPDX-License-Identifier: Apache-2.0
# Sessions of kazoo for the live scenarios of tests/golden. Usage: sessions.py HOST:PORT
#
# Standard input has a request on each line, of session 0, 1 or 2:
#     SESSION create PATH MODE [DATA]       MODE: p persistent, e ephemeral, s sequential; DATA may have escapes
#     SESSION delete PATH                   with all that is below it
#     SESSION children PATH                 how many; for "there is none": -1
#     SESSION acl PATH PERMISSIONS [WHO]    of everybody, or of NAME:PASSWORD: 1 read, 4 create, 8 delete, 31 all
# Each is answered by a line: "ok", a number, or the name of an error.
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from kazoo.security import ACL, Id, make_digest_acl_credential

sessions = [KazooClient(sys.argv[1]) for _ in range(3)]
for session in sessions:
    session.start()
    session.ensure_path("/l")


def answer(session, verb, path, rest):
    if verb == "create":
        mode, _, data = rest.partition(" ")
        data = data.encode("latin-1").decode("unicode_escape").encode("latin-1")
        session.create(path, data, ephemeral="e" in mode, sequence="s" in mode)
    elif verb == "delete":
        session.delete(path, recursive=True)
    elif verb == "acl":
        permissions, _, who = rest.partition(" ")
        identity = Id("digest", make_digest_acl_credential(*who.split(":"))) if who else Id("world", "anyone")
        session.set_acls(path, [ACL(int(permissions), identity)])
    else:
        try:
            return len(session.get_children(path))
        except NoNodeError:
            return -1
    return "ok"


for line in sys.stdin:
    number, verb, path, rest = (line.rstrip("\n") + "   ").split(" ", 3)
    path = path.encode("latin-1").decode("unicode_escape").encode("latin-1").decode("utf-8")
    try:
        print(answer(sessions[int(number)], verb, path, rest.strip()), flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
