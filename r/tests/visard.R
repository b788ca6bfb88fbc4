# Run by R CMD check, or: Rscript -e 'library(visard)' and this file. Needs the command, see VISARD_COMMAND.
library(visard)

fails <- function(expression, words) {
  said <- tryCatch({
    force(expression)
    NULL
  }, error = conditionMessage)
  if (is.null(said) || !grepl(words, said)) stop("expected an error about ", words, ", got: ", said)
}

# JSON: what RFC 8259 allows.
parsed <- visard_parse_json("{\"a\": [1, -2.5e3, null], \"b\": {\"c\": \"x\\n\\\"\\u00e9\\ud83d\\ude00\\\\n\", \"d\": []}, \"e\": [true, false], \"f\": null}")
stopifnot(
  identical(parsed$a, c(1, -2500, NA)),
  identical(parsed$b$c, "x\n\"\u00e9\U0001F600\\n"),
  identical(parsed$b$d, list()),
  identical(parsed$e, c(TRUE, FALSE)),
  "f" %in% names(parsed), is.null(parsed$f)
)
for (bad in c("", "{", "[1,", "{\"a\" 1}", "nope", "[1] 2", "{1: 2}")) fails(visard_parse_json(bad), "JSON")

# NPY: there and back, axes in order.
file <- tempfile(fileext = ".npy")
for (x in list(array(rnorm(24), c(2, 3, 4)), matrix(1:6 + 0.5, 2), c(1, 2, 3))) {
  visard_write_npy(x, file)
  stopifnot(identical(visard_npy(file), x))
}
fails(visard_write_npy("a", file), "numeric")
fails(visard_write_npy(c(1, NA), file), "finite")
writeLines("no array", file)
fails(visard_npy(file), "not an NPY")

# Budgets, by the formula of Dong, Roth and Su (2022), Corollary 2.13.
delta <- function(mu, e) pnorm(-e / mu + mu / 2) - exp(e) * pnorm(-e / mu - mu / 2)
stopifnot(all.equal(visard_convert(mu = 1, epsilon = 1)$delta, delta(1, 1), tolerance = 1e-6))
fails(visard_convert(mu = 1), "exactly two")

# Shapes p x k x n, with a public centre.
set.seed(1)
angle <- 2 * pi * (0:19) / 20
atlas <- cbind(1.5 * cos(angle), sin(angle) + 0.2 * cos(2 * angle))
A <- array(atlas, c(20, 2, 200)) + array(rnorm(20 * 2 * 200, sd = 0.03), c(20, 2, 200))
folder <- tempfile("study-")
release <- visard_shape_mean(A, mu = 1, center = atlas, radius = 0.2, out = folder)
stopifnot(
  inherits(release, "visard_release"), release$certificate$private, release$certificate$n == 200,
  identical(dim(release$mean), c(20L, 2L)), release$certificate$loss$mu == 1
)
# The shape is that of the atlas: full Procrustes distance of planar shapes.
z <- function(x) {
  w <- complex(real = x[, 1], imaginary = x[, 2])
  w <- w - mean(w)
  w / sqrt(sum(Mod(w)^2))
}
stopifnot(acos(min(1, Mod(sum(Conj(z(release$mean)) * z(atlas))))) < 0.05)
plain <- visard_shape_mean(A, center = atlas, radius = 0.2, mechanism = "none")
stopifnot(!plain$released, is.null(plain$certificate), acos(min(1, Mod(sum(Conj(z(plain$mean)) * z(atlas))))) < 0.02)

# The same seed gives what the same seed gave.
again <- lapply(1:2, function(i) visard_shape_mean(A, mu = 1, center = atlas, radius = 0.2, seed = 7, out = tempfile())$mean)
stopifnot(identical(again[[1]], again[[2]]), !identical(again[[1]], release$mean))

# In space, with modes; several values are an option several times; -9 is a missing landmark, which a public centre fills.
solid <- matrix(rnorm(30), 10)
B <- array(solid, c(10, 3, 150)) + array(rnorm(10 * 3 * 150, sd = 0.1), c(10, 3, 150))
modes <- visard_shape_modes(B, mu = 2, modes = 3, out = tempfile())
found <- dim(modes$modes)
stopifnot(identical(dim(modes$mean), c(10L, 3L)), found[[1]] <= 3, identical(found[2:3], c(10L, 3L)))
# A specimen against them, if any stood out.
norm <- visard_shape_modes(B, mu = 15, modes = 2, out = tempfile())
if (dim(norm$modes)[[1]] > 0) {
  held <- visard_shape_assess(B[, , 1], norm)
  stopifnot(length(held$places) == 10L, held$verified, held$riemannian_distance > 0)
}
fails(visard_surface_assess("nobody.ply", norm, template = "no-such-template.ply"), "no-such-template.ply")
# What geomorph's and Morpho's functions take: p x k x n, named along n.
drawn <- visard_configurations(modes, sd = 3)
stopifnot(
  identical(dim(drawn), c(10L, 3L, 1L + 2L * found[[1]])), identical(drawn[, , "mean"], `colnames<-`(modes$mean, c("x", "y", "z"))),
  found[[1]] == 0 || all.equal(drawn[, , "mode 1 +3 sd"] + drawn[, , "mode 1 -3 sd"], 2 * drawn[, , "mean"]),
  identical(visard_configurations(folder)[, , "mean"], `colnames<-`(release$mean, c("x", "y")))
)
records <- tempfile(fileext = ".npy")
visard_write_npy(aperm(A, c(3, 1, 2)), records)
labels <- tempfile(fileext = ".csv")
write.csv(data.frame(record = 0:199, group = rep(c("a", "b"), 100)), labels, row.names = FALSE, quote = FALSE)
apart <- tempfile()
invisible(visard_command("shape", "compare", records, "--groups", labels, "--mu", 2, "--out", apart))
stopifnot(identical(dimnames(visard_configurations(apart))[[3]], c("a", "b")))
fails(visard_configurations(structure(list(mean = 1), class = "visard_release")), "no landmarks")
band <- visard_shape_mean(B, mu = 2, band = TRUE, out = tempfile())$band
stopifnot(identical(dim(band), c(2L, 10L, 3L)), all(band[1, , ] < band[2, , ]))
B[3, , 7] <- -9
filled <- suppressMessages(visard_shape_mean(B, mu = 2, center = solid, missing = c(-9, -99), out = tempfile()))
stopifnot(identical(dim(filled$mean), c(10L, 3L)))
fails(visard_shape_modes(B[, , 1], mu = 1, out = tempfile()), "p x k x n")

# Printing, plotting, the ledger.
stopifnot(any(grepl("differentially private", capture.output(print(release$certificate)))))
stopifnot(any(grepl("^Private release of 200", capture.output(print(release)))))
pdf(NULL)
plot(release, main = "mean")
invisible(dev.off())
stopifnot(all.equal(visard_ledger(folder)$total$mu, 1))

# Matrices and directions.
X <- array(0, c(3, 3, 150))
for (i in 1:150) X[, , i] <- crossprod(matrix(rnorm(18), 6)) / 6
stopifnot(identical(dim(visard_spd_mean(X, radius = 2, mu = 1, out = tempfile())$mean), c(3L, 3L)))
directions <- cbind(1, matrix(rnorm(300, sd = 0.2), 150))
directions <- directions / sqrt(rowSums(directions^2))
found <- visard_sphere_mean(directions, radius = 0.6, center = c(1, 0, 0), mu = 1, out = tempfile())$mean
stopifnot(abs(sum(found^2) - 1) < 1e-9, found[[1]] > 0.95)

# Modes, regression and groups of whatever has a tangent space; the same seed gives what the command gives.
ages <- data.frame(age = seq(4, 38, length.out = 150))
halves <- rep(c("a", "b"), 75)
modes <- visard_spd_modes(X, radius = 2, mu = 3, modes = 2, out = tempfile())
stopifnot(identical(dim(modes$modes)[2:3], c(3L, 3L)), modes$certificate$n == 150)
fit <- visard_sphere_regress(directions, ages, bounds = list(age = c(3, 40)), radius = 0.6, center = c(1, 0, 0), mu = 3, out = tempfile())
stopifnot(identical(dim(fit$fields), c(2L, 3L)), identical(fit$mean, fit$fields[1, ]))
groups <- visard_hyperbolic_compare(directions / 2, halves, radius = 2, mu = 3, out = tempfile())
stopifnot(identical(names(groups$means), c("a", "b")), length(groups$difference) == 3, groups$test$p_value <= 1)
waves <- outer(rnorm(150), sin(2 * pi * (0:19) / 20))
waves_file <- tempfile(fileext = ".npy")
visard_write_npy(waves, waves_file)
mine <- visard_function_modes(waves, domain = "circle", bound = 4, mu = 3, seed = 5, out = tempfile())
out <- tempfile()
invisible(visard_command("function", "modes", waves_file, "--domain", "circle", "--bound", 4, "--mu", 3, "--seed", 5, "--out", out))
stopifnot(identical(mine$modes, visard_npy(file.path(out, "release", "modes.npy"))))

# Bad input: said in words, and nothing is charged.
ledger <- tempfile(fileext = ".jsonl")
fails(visard_shape_mean(A[, , 1], mu = 1, out = tempfile()), "p x k x n")
fails(visard_shape_mean("nowhere.tps", mu = 1, ledger = ledger), "nowhere.tps: there is no such file")
fails(visard_shape_mean(A, mu = 1), "out =")
fails(visard_shape_mean(A, ledger = ledger), "mu")
fails(visard_shape_mean(A, mu = -1, ledger = ledger), "mu")
fails(visard_shape_mean(A, mu = 1, mechanism = "x", ledger = ledger), "mechanism")
fails(visard_shape_mean(list(1), mu = 1, ledger = ledger), "array of numbers")
fails(visard_spd_modes(X, radius = 2, ledger = ledger), "mu")
fails(visard_sphere_regress(directions, ages, radius = 0.6, center = c(1, 0, 0), mu = 1, ledger = ledger), "bounds")
fails(visard_function_modes(waves[1, ], domain = "circle", bound = 4, mu = 1, ledger = ledger), "n x d")
fails(visard_spd_mean(-X, radius = 2, mu = 1, ledger = ledger), "positive definite")
fails(visard_shape_mean(A, mu = 1, center = atlas, radius = 0.2, out = folder), "already holds a release")
fails(visard_face_mean("nowhere", mu = 1, ledger = ledger), "nowhere")
lists <- tempfile(fileext = ".parquet")
writeLines("PAR1", lists)
fails(visard_face_mean(lists, mu = 1, ledger = ledger), "damaged Parquet")
stopifnot(!file.exists(ledger))

cat("all done\n")
