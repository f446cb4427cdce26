# Rscript figure.R rpcs.pdf standalone ensemble3: the requests of a drain, of the valid trials of these folders
args <- commandArgs(TRUE)
trials <- do.call(rbind, lapply(args[-1], function(folder) read.csv(file.path(folder, "trials.csv"))))
drains <- aggregate(rpcs ~ clients + servers + recipe, trials[trials$valid == "yes", ], median)
series <- split(drains, paste0(drains$recipe, ", ", drains$servers, " servers"))
pdf(args[1])
plot(drains$clients, drains$rpcs, log = "xy", type = "n", xlab = "clients n", ylab = "RPCs of a drain")
for (i in seq_along(series)) lines(series[[i]]$clients, series[[i]]$rpcs, type = "b", pch = i, lty = i)
legend("topleft", names(series), pch = seq_along(series), lty = seq_along(series))
