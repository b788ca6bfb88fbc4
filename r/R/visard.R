# Thin over the command: arguments as options, arrays as files, results read from the folder it writes.

#' Run the command with `--json`, and return its answer.
#'
#' The command is `visard` on the path, or what the environment variable VISARD_COMMAND names.
#' @param ... words of the command line.
visard_command <- function(...) {
  program <- Sys.getenv("VISARD_COMMAND", Sys.which("visard"))
  if (!nzchar(program)) {
    stop("visard: the command is not on the path; install it or the Python package, which brings it, or name it in the environment variable VISARD_COMMAND", call. = FALSE)
  }
  words <- as.character(unlist(list(...)))
  notes <- tempfile()
  on.exit(unlink(notes))
  said <- suppressWarnings(system2(program, shQuote(c(words, "--json")), stdout = TRUE, stderr = notes))
  answer <- if (length(said)) visard_parse_json(paste(said, collapse = "\n")) else NULL
  if (!is.null(answer$error)) {
    hint <- answer$error$hint
    stop("visard: ", answer$error$message, if (!is.null(hint)) paste0("; ", hint), call. = FALSE)
  }
  code <- attr(said, "status")
  if (!is.null(code) && code != 0L) {
    stop("visard: the command failed: ", paste(readLines(notes, warn = FALSE), collapse = "\n"), call. = FALSE)
  }
  kept <- readLines(notes, warn = FALSE)
  if (length(kept)) message(paste(kept, collapse = "\n"))
  answer
}

#' Options of every study: `NULL` and `FALSE` are left out, `TRUE` is a bare option, several values are the option several times.
options_of <- function(values) {
  one <- function(name) {
    value <- values[[name]]
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    word <- paste0("--", gsub("_", "-", name))
    if (isTRUE(value)) return(word)
    if (is.numeric(value)) value <- format(value, digits = 17L, trim = TRUE, scientific = FALSE)
    paste0(word, "=", as.character(value))
  }
  unlist(lapply(names(values), one))
}

#' A folder for a study that was given none.
place <- function(out, ledger, free) {
  if (!is.null(out)) return(out)
  if (is.null(ledger) && !free) {
    stop("visard: name a folder for the study (out =), or a ledger to charge (ledger =)", call. = FALSE)
  }
  file.path(tempfile("visard-"), "study")
}

run_study <- function(words, file, mechanism, out, ledger, given) {
  free <- identical(mechanism, "none")
  out <- place(out, ledger, free)
  answer <- visard_command(words, file, options_of(c(list(mechanism = mechanism, out = out, ledger = ledger), given)))
  visard_release(out, answer)
}

#' An array of records, as a file: records along the last axis become the first.
as_file <- function(x, name, records_last = TRUE) {
  if (is.character(x) && length(x) == 1L) return(x)
  if (!is.numeric(x)) stop("visard: ", name, " must be an array of numbers or a file, not ", class(x)[[1L]], call. = FALSE)
  file <- tempfile(paste0("visard-", name, "-"), fileext = ".npy")
  axes <- seq_along(dim(x))
  if (records_last) x <- aperm(x, c(length(axes), axes[-length(axes)]))
  visard_write_npy(x, file, missing = TRUE)
  # Others on this machine are not to read records.
  Sys.chmod(file, "0600")
  file
}

#' A private mean shape of landmarks.
#'
#' @param A landmarks: an array p x k x n (landmarks, dimensions, specimens) as of geomorph and Morpho, or a file (TPS, CSV, NPY).
#' @param mu,epsilon,delta the budget: mu, or epsilon and delta (epsilon alone for mechanisms with pure epsilon).
#' @param center a public shape (p x k), or a file; by default it is estimated and paid for.
#' @param radius a public Riemannian radius, or "private".
#' @param mechanism by default "joint", in the plane and in space, and for a pure epsilon the single one with the least noise; "none": the
#'   mean without noise, for you only.
#' @param out the study's folder; without it a temporary one, and `ledger` is needed.
#' @param ledger the ledger to charge, shared by all studies of the same specimens.
#' @param ... further options of `visard shape mean`, as in `outline = TRUE`, `band = TRUE`, `seed = 1`, `force = TRUE`.
#' @return a `visard_release`: `mean` (p x k), `band` (2 x p x k) if asked for, `certificate`, `accuracy`, `folder`.
visard_shape_mean <- function(A, mu = NULL, epsilon = NULL, delta = NULL, center = NULL, radius = NULL, mechanism = NULL, out = NULL,
                              ledger = NULL, ...) {
  shape_study("mean", A, center, mechanism, out, ledger, list(mu = mu, epsilon = epsilon, delta = delta, radius = radius, ...))
}

#' The mean shape and its private modes of variation.
#'
#' @param modes maximum number of modes.
#' @param ... further options of `visard shape modes`, as in `outline = TRUE`.
#' @inheritParams visard_shape_mean
#' @return as of `visard_shape_mean`, with `modes` (K x p x k): one standard deviation of each.
visard_shape_modes <- function(A, mu = NULL, epsilon = NULL, delta = NULL, center = NULL, radius = NULL, modes = 5, out = NULL,
                               ledger = NULL, ...) {
  given <- list(mu = mu, epsilon = epsilon, delta = delta, radius = radius, modes = modes, ...)
  shape_study("modes", A, center, NULL, out, ledger, given)
}

shape_study <- function(verb, A, center, mechanism, out, ledger, given) {
  if (is.numeric(A) && length(dim(A)) != 3L) {
    stop("visard: A must be an array p x k x n (landmarks, dimensions, specimens), or a file", call. = FALSE)
  }
  if (is.numeric(center)) {
    if (length(dim(center)) != 2L) stop("visard: center must be a matrix p x k", call. = FALSE)
    center <- as_file(array(center, c(dim(center), 1L)), "center")
  }
  file <- as_file(A, "A")
  on.exit(if (is.numeric(A)) unlink(file))
  run_study(c("shape", verb), file, mechanism, out, ledger, c(list(center = center), given))
}

#' A private mean of symmetric positive definite matrices.
#'
#' @param X matrices k x k x n, or an NPY file (n, k, k).
#' @param radius the public radius of the ball that bounds them about the identity (or `center`, a matrix).
#' @param metric "log-euclidean" or "affine-invariant".
#' @inheritParams visard_shape_mean
visard_spd_mean <- function(X, radius, mu = NULL, epsilon = NULL, delta = NULL, center = NULL, metric = "log-euclidean", mechanism = NULL,
                            out = NULL, ledger = NULL, ...) {
  point_study("spd", "mean", X, mu = mu, epsilon = epsilon, delta = delta, center = center, radius = radius, metric = metric,
              mechanism = mechanism, out = out, ledger = ledger, ...)
}

#' Modes of variation, regression on covariates, and groups compared: of matrices, directions, points of hyperbolic space, and functions.
#'
#' @param X matrices k x k x n; directions, or points of hyperbolic space, in rows, n x d; functions in rows, n x samples; or a file.
#' @param covariates a data frame, its columns named in `bounds`, `levels` or `spline`, or a table record,NAME.
#' @param groups the group of every record, in their order, or a table record,group.
#' @param ... the budget, `out` or `ledger`, and further options of the command: the public `radius` and `center` of points, `metric` of
#'   matrices, `model` of hyperbolic points, `domain` and `bound` of functions; `modes`, the maximum number of modes; `want` ("map", "test" or
#'   "both"); `bounds = list(age = c(3, 40))`, `levels = list(sex = c("F", "M"))`, `spline = list(age = 4)`.
#' @return a `visard_release` with `modes`; with `fields`, the mean at the reference values and what every column adds; or with `means`,
#'   `difference`, `band` and `test`.
visard_spd_modes <- function(X, ...) point_study("spd", "modes", X, ...)
visard_spd_regress <- function(X, covariates, ...) point_study("spd", "regress", X, covariates = covariates, ...)
visard_spd_compare <- function(X, groups, ...) point_study("spd", "compare", X, groups = groups, ...)
visard_sphere_modes <- function(X, ...) point_study("sphere", "modes", X, ...)
visard_sphere_regress <- function(X, covariates, ...) point_study("sphere", "regress", X, covariates = covariates, ...)
visard_sphere_compare <- function(X, groups, ...) point_study("sphere", "compare", X, groups = groups, ...)
visard_hyperbolic_modes <- function(X, ...) point_study("hyperbolic", "modes", X, ...)
visard_hyperbolic_regress <- function(X, covariates, ...) point_study("hyperbolic", "regress", X, covariates = covariates, ...)
visard_hyperbolic_compare <- function(X, groups, ...) point_study("hyperbolic", "compare", X, groups = groups, ...)
visard_function_modes <- function(X, ...) point_study("function", "modes", X, ...)
visard_function_regress <- function(X, covariates, ...) point_study("function", "regress", X, covariates = covariates, ...)
visard_function_compare <- function(X, groups, ...) point_study("function", "compare", X, groups = groups, ...)

point_study <- function(kind, verb, X, ..., mechanism = NULL, out = NULL, ledger = NULL) {
  solid <- kind == "spd"
  if (is.numeric(X) && length(dim(X)) != if (solid) 3L else 2L) {
    stop("visard: X must be ", if (solid) "an array k x k x n" else "a matrix n x d", ", or a file", call. = FALSE)
  }
  given <- list(...)
  made <- character()
  on.exit(unlink(made))
  center <- given$center
  if (is.numeric(center)) {
    # A file has a public point as its only record, a public function as it is.
    center <- switch(kind, spd = array(center, c(dim(center), 1L)), "function" = as.array(center), matrix(center, 1L))
    made <- given$center <- as_file(center, "center", records_last = solid)
  }
  for (table in intersect(c("covariates", "groups"), names(given))) {
    value <- given[[table]]
    if (is.data.frame(value) || length(value) > 1L) {
      value <- if (is.data.frame(value)) value else data.frame(group = value)
      file <- tempfile(table, fileext = ".csv")
      write.csv(cbind(record = seq_len(nrow(value)) - 1L, value), file, row.names = FALSE, quote = FALSE, na = "")
      Sys.chmod(file, "0600")
      made <- c(made, given[[table]] <- file)
    }
  }
  joined <- c(bounds = ":", levels = "|", spline = "")
  for (option in intersect(names(joined), names(given))) {
    known <- given[[option]]
    if (!is.list(known)) next
    word <- function(name) paste0(name, "=", paste(format(known[[name]], digits = 17L, trim = TRUE), collapse = joined[[option]]))
    given[[option]] <- vapply(names(known), word, "")
  }
  file <- as_file(X, "X", records_last = solid)
  if (is.numeric(X)) made <- c(made, file)
  run_study(c(kind, verb), file, mechanism, out, ledger, given)
}

#' A private mean direction.
#'
#' @param X unit vectors in rows, n x d, or a file.
#' @param radius the public radius in radians.
#' @param center a public direction, a file, or "private".
#' @inheritParams visard_shape_mean
visard_sphere_mean <- function(X, radius, center, mu = NULL, epsilon = NULL, delta = NULL, mechanism = NULL, out = NULL, ledger = NULL,
                               ...) {
  point_study("sphere", "mean", X, mu = mu, epsilon = epsilon, delta = delta, center = center, radius = radius, mechanism = mechanism, out = out,
              ledger = ledger, ...)
}

#' A private mean face of scans.
#'
#' @param scans a folder of scans, or files.
#' @param ... further options of `visard face mean`, as in `band = TRUE`, `size = TRUE`, `template = "t.ply"`, `seed = 1`.
#' @inheritParams visard_shape_mean
#' @return a `visard_release`: `mesh` (vertices, triangles), `curves` (J x m x 3), `error`, `band`, `certificate`, `accuracy`, `folder`.
visard_face_mean <- function(scans, mu = NULL, epsilon = NULL, delta = NULL, mechanism = NULL, out = NULL, ledger = NULL, ...) {
  given <- list(mu = mu, epsilon = epsilon, delta = delta, ...)
  run_study(c("face", "mean"), face_files(scans), mechanism, out, ledger, given)
}

#' The mean face and its private modes of variation.
#'
#' @param modes maximum number of modes.
#' @inheritParams visard_face_mean
#' @return as of `visard_face_mean`, with `modes` (K x J x m x 3).
visard_face_modes <- function(scans, mu = NULL, epsilon = NULL, delta = NULL, modes = 5, out = NULL, ledger = NULL, ...) {
  given <- list(mu = mu, epsilon = epsilon, delta = delta, modes = modes, ...)
  run_study(c("face", "modes"), face_files(scans), NULL, out, ledger, given)
}

#' A private mean surface, and its modes of variation, about a public template that is a disk or closed.
#'
#' @param scans a folder of scans, or files; or an array n x vertices x 3 of the template's vertices, in its order and frame.
#' @param template the template's file, public.
#' @param modes maximum number of modes.
#' @param ... further options of the command, as in `radius = 8`, `band = TRUE`.
#' @inheritParams visard_shape_mean
#' @return a `visard_release` with `mesh`, `mean` (vertices x 3), `error`, `band` (2 x vertices x 3) if asked for, or `modes`.
visard_surface_mean <- function(scans, template, mu = NULL, epsilon = NULL, delta = NULL, out = NULL, ledger = NULL, ...) {
  given <- list(template = template, mu = mu, epsilon = epsilon, delta = delta, ...)
  run_study(c("surface", "mean"), face_files(scans, c("vertices", 3)), NULL, out, ledger, given)
}
visard_surface_modes <- function(scans, template, mu = NULL, epsilon = NULL, delta = NULL, modes = 5, out = NULL, ledger = NULL, ...) {
  given <- list(template = template, mu = mu, epsilon = epsilon, delta = delta, modes = modes, ...)
  run_study(c("surface", "modes"), face_files(scans, c("vertices", 3)), NULL, out, ledger, given)
}

#' A patient's face, surface or matrix, or a specimen's landmarks, held against a released norm: free, for you alone, never a diagnosis.
#'
#' @param scan a file; or a registered face (J x m x 3) or surface (vertices x 3), as the norm's records are.
#' @param template the template's file, public: the norm's.
#' @param matrix a symmetric positive definite matrix, or a file with one.
#' @param specimen landmarks p x k, missing ones NA, numbered as the norm's; or a file with one specimen.
#' @param norm a `visard_release` with modes, or its folder.
#' @param at the patient's values of all covariates of a regression, as in `list(age = 8)`.
#' @param out a folder for the page and the numbers; without it a temporary one.
#' @param ... further options of the command, as in `template = "t.ply"`.
#' @return a list: `percentile`, `percentile_interval`, `distance`, `parts`, `beyond`, `notes`, `verified`, of landmarks `places`.
visard_face_assess <- function(scan, norm, at = NULL, out = NULL, ...) {
  assess("face", registered(scan), norm, out, list(at = values_at(at), ...))
}
visard_spd_assess <- function(matrix, norm, at = NULL, out = NULL, ...) {
  assess("spd", as_file(matrix, "matrix", records_last = FALSE), norm, out, list(at = values_at(at), ...))
}
visard_surface_assess <- function(scan, norm, template, at = NULL, out = NULL, ...) {
  assess("surface", registered(scan), norm, out, list(template = template, at = values_at(at), ...))
}
visard_shape_assess <- function(specimen, norm, out = NULL, ...) {
  assess("shape", as_file(specimen, "specimen", records_last = FALSE), norm, out, list(...))
}

registered <- function(scan) {
  if (is.character(scan)) scan else c("--prepared", as_file(array(scan, c(dim(scan), 1L)), "scan"))
}

values_at <- function(at) {
  if (length(at)) paste0(names(at), "=", vapply(at, format, "", digits = 17L))
}

assess <- function(kind, file, norm, out, given) {
  norm <- if (inherits(norm, "visard_release")) norm$folder else norm
  out <- if (is.null(out)) tempfile("visard-") else out
  visard_command(kind, "assess", file, options_of(c(list(norm = norm, out = out), given)))
}

face_files <- function(scans, axes = c("J", "m", 3)) {
  if (is.numeric(scans)) {
    if (length(dim(scans)) != 1L + length(axes)) stop("visard: prepared records must be an array n x ", paste(axes, collapse = " x "), call. = FALSE)
    return(c("--prepared", as_file(scans, "scans", records_last = FALSE)))
  }
  if (!is.character(scans) || !length(scans)) stop("visard: scans must be a folder, files, or prepared records", call. = FALSE)
  if (length(scans) == 1L && endsWith(scans, ".parquet")) return(c("--prepared", scans))
  scans
}

#' What a study's folder holds.
#'
#' @param folder a study's folder, or the release in it.
#' @param answer what the command said, if it has just run.
visard_release <- function(folder, answer = NULL) {
  release <- if (file.exists(file.path(folder, "certificate.json"))) folder else file.path(folder, "release")
  internal <- file.path(folder, "internal")
  released <- dir.exists(release)
  if (!released && !dir.exists(internal)) stop("visard: ", folder, " holds no study and no release", call. = FALSE)
  found <- list(folder = folder, released = released, n = answer$n, accuracy = answer$accuracy)
  of <- function(name) if (released) file.path(release, name) else file.path(internal, paste0("nonprivate_", name))
  for (name in c("curves", "error", "band", "modes", "fields", "difference", "mean", "solution")) {
    file <- of(paste0(name, ".npy"))
    if (file.exists(file)) found[[name]] <- visard_npy(file)
  }
  if (released && !file.exists(of("mean.npy"))) {
    files <- list.files(release, "^mean_.*[.]npy$", full.names = TRUE)
    if (length(files)) found$means <- setNames(lapply(files, visard_npy), sub("^mean_(.*)[.]npy$", "\\1", basename(files)))
    found$test <- answer$test
  }
  if (is.null(found$mean) && file.exists(of("mean.tps"))) found$mean <- read_tps(of("mean.tps"))
  if (file.exists(of("mean.ply"))) found$mesh <- visard_ply(of("mean.ply"))
  if (released) found$certificate <- visard_certificate(folder)
  structure(found, class = "visard_release")
}

#' A release of landmarks as an array p x k x n, as geomorph, Morpho and shapes take it.
#'
#' @param release a release of shapes, as of `visard_shape_mean`, `visard_shape_modes` or `visard_release`, or a study's folder.
#' @param sd how far along each mode, in standard deviations.
#' @return configurations, named along the third dimension: "mean"; with modes "mode 1 -2 sd", "mode 1 +2 sd" and on; of a regression the mean
#'   with each column's displacement, as in "age"; of a comparison the groups' means.
visard_configurations <- function(release, sd = 2) {
  if (is.character(release)) release <- visard_release(release)
  is_shape <- function(x) is.matrix(x) && ncol(x) %in% 2:3
  means <- c(if (is_shape(release$mean)) list(mean = release$mean), Filter(is_shape, release$means))
  if (!length(means)) stop("visard: this release has no landmarks", call. = FALSE)
  for (k in seq_len(NROW(release$modes))) {
    for (by in c(-sd, sd)) means[[sprintf("mode %d %+g sd", k, by)]] <- release$mean + by * release$modes[k, , ]
  }
  columns <- unlist(release$certificate$details$columns)
  for (k in seq_along(columns)) means[[columns[[k]]]] <- release$mean + release$fields[k + 1L, , ]
  array(unlist(means), c(dim(means[[1L]]), length(means)), list(NULL, c("x", "y", "z")[seq_len(ncol(means[[1L]]))], names(means)))
}

#' The first shape of a TPS file.
read_tps <- function(file) {
  lines <- readLines(file)
  start <- grep("^LM3?=", lines)[[1L]]
  count <- as.integer(sub("^LM3?=", "", lines[[start]]))
  rows <- strsplit(trimws(lines[start + seq_len(count)]), "[ \t]+")
  do.call(rbind, lapply(rows, as.numeric))
}

#' A certificate: all its keys, as a list.
#'
#' @param path certificate.json, or a folder of a release or of a study.
visard_certificate <- function(path) {
  files <- c(path, file.path(path, "certificate.json"), file.path(path, "release", "certificate.json"))
  file <- files[file.exists(files) & !dir.exists(files)]
  if (!length(file)) stop("visard: no certificate at ", path, call. = FALSE)
  text <- paste(readLines(file[[1L]], warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  structure(c(visard_parse_json(text), list(path = file[[1L]])), class = "visard_certificate")
}

#' A certificate in plain sentences.
#'
#' @param certificate a certificate, a release, or a path.
visard_explain <- function(certificate) {
  if (inherits(certificate, "visard_release")) certificate <- certificate$certificate
  path <- if (is.list(certificate)) certificate$path else certificate
  visard_command("privacy", "explain", path)$explanation
}

#' Two of mu, epsilon and delta give the third.
#'
#' @param mu,epsilon,delta two of them.
visard_convert <- function(mu = NULL, epsilon = NULL, delta = NULL) {
  visard_command("privacy", "convert", options_of(list(mu = mu, epsilon = epsilon, delta = delta)))
}

#' All releases from the same people, and their total.
#'
#' @param path a ledger, or a study's folder.
visard_ledger <- function(path) visard_command("privacy", "ledger", path)

#' @param x a certificate.
#' @param ... not used.
print.visard_certificate <- function(x, ...) {
  cat(visard_explain(unclass(x)), sep = "\n")
  invisible(x)
}

#' @param x a release.
#' @param ... not used.
print.visard_release <- function(x, ...) {
  if (x$released) {
    loss <- x$certificate$loss
    loss <- paste(names(loss), format(unlist(loss)), sep = " = ", collapse = ", ")
    cat(if (x$certificate$private) "Private" else "NOT PRIVATE:", " release of ", x$certificate$n, " records, ", loss, "\n", sep = "")
    where <- if (x$certificate$private) "publish:   " else "do NOT publish: "
    cat("  mechanism: ", x$certificate$mechanism, "\n  ", where, file.path(x$folder, "release"), "\n", sep = "")
  } else {
    cat("Mean without noise of ", x$n, " records, for you only: ", file.path(x$folder, "internal"), "\n", sep = "")
  }
  invisible(x)
}

#' Landmarks are drawn as points, in their order; a face as its curves from the front.
#'
#' @param x a release.
#' @param ... further arguments of `plot`.
plot.visard_release <- function(x, ...) {
  if (!is.null(x$curves)) {
    front <- x$curves[, , 1:2]
    plot.default(as.vector(front[, , 1]), as.vector(front[, , 2]), type = "n", asp = 1, xlab = "", ylab = "", ...)
    for (j in seq_len(dim(front)[[1L]])) polygon(front[j, , 1], front[j, , 2], border = "grey30")
  } else if (is.matrix(x$mean) && ncol(x$mean) %in% 2:3) {
    plot.default(x$mean[, 1L], x$mean[, 2L], type = "p", pch = 19, asp = 1, xlab = "", ylab = "", ...)
  } else {
    stop("visard: this release has no picture; see ", file.path(x$folder, "release", "report.html"), call. = FALSE)
  }
  invisible(x)
}
