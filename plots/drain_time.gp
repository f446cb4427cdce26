# SPDX-License-Identifier: Apache-2.0
# drain_time: the time of a drain against the clients: every trial, and the median. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "drain_time.gp") - 1]."." }
load scripts."/common.gp"
figure(x) = number("drain_s")
label(x) = in_seconds(x)
load scripts."/trials.gp"

set title "Time ".subject.": each trial, and the median"
set ylabel "from the first release to the last"
picture = "drain_time"
load scripts."/medians.gp"
