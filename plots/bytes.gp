# SPDX-License-Identifier: Apache-2.0
# bytes: the bytes of a drain against the clients: every trial, and the median. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "bytes.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("bytes_sent") + number("bytes_received")
label(x) = in_bytes(x)
load scripts."/trials.gp"

set title "Bytes ".subject.": each trial, and the median"
set ylabel "bytes sent and received"
picture = "bytes"
load scripts."/medians.gp"
