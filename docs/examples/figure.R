# Rscript figure.R rpcs.pdf standalone ensemble3: requests of a drain, by trials that are valid or disturbed
args <- commandArgs(TRUE)
trials <- do.call(rbind, lapply(args[-1], function(folder) read.csv(file.path(folder, "trials.csv"))))
valid <- trials[trials$valid == "yes" | grepl("^disturbed: [^;]*$", trials$reason), ]
drains <- aggregate(rpcs ~ clients + servers + recipe, valid, median)
series <- split(drains, paste0(drains$recipe, ", ", drains$servers, " server", ifelse(drains$servers > 1, "s", "")))
pdf(args[1])
plot(drains$clients, drains$rpcs, log = "xy", type = "n", xlab = "clients n", ylab = "RPCs of a drain")
for (i in seq_along(series)) lines(series[[i]]$clients, series[[i]]$rpcs, type = "b", pch = i, lty = i)
legend("topleft", names(series), pch = seq_along(series), lty = seq_along(series))
