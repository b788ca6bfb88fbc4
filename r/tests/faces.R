# A private mean face from R: made-up records about the template, then its mesh and curves. Needs the command, see VISARD_COMMAND.
library(visard)
set.seed(2)
folder <- tempfile("scans-")
dir.create(folder)
start <- tempfile()
said <- visard_command("demo", "--scans", 4, "--mu", 1, "--out", start, "--seed", 1)
found <- visard_release(start)
stopifnot(length(dim(found$curves)) == 3L, ncol(found$mesh$vertices) == 3L, max(found$mesh$triangles) <= nrow(found$mesh$vertices))
n <- 60
records <- array(rep(found$curves, each = n), c(n, dim(found$curves)))
records <- records * array(exp(rnorm(n * dim(records)[[2]], sd = 0.02)), dim(records))
release <- visard_face_mean(records, mu = 1, band = TRUE, out = tempfile())
stopifnot(
  identical(dim(release$curves), dim(found$curves)), identical(dim(release$band), c(2L, dim(found$curves))),
  length(release$error) == nrow(release$mesh$vertices), release$certificate$n == n
)
pdf(NULL)
plot(release)
invisible(dev.off())
cat("all done\n")
