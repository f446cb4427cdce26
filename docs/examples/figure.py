# /usr/bin/python3 figure.py rpcs.svg standalone ensemble3: requests of a drain, by trials that are valid or disturbed
import sys
import pandas
from matplotlib import pyplot

trials = pandas.concat(pandas.read_csv(folder + "/trials.csv") for folder in sys.argv[2:])
valid = trials[(trials.valid == "yes") | trials.reason.astype(str).str.fullmatch("disturbed: [^;]*")]
for marker, ((recipe, servers), rows) in zip("o+sxD*v^", valid.groupby(["recipe", "servers"])):
    drains = rows.groupby("clients").rpcs.median()
    label = f"{recipe}, {servers} server" + ("s" if servers > 1 else "")
    pyplot.loglog(drains.index, drains, marker + "-", fillstyle="none", label=label)
pyplot.xlabel("clients n")
pyplot.ylabel("RPCs of a drain")
pyplot.legend()
pyplot.savefig(sys.argv[1])
