# Arrays as NPY files: what the command reads and writes.

#' Read a numeric NPY file as an array, its axes in the order of the file.
#'
#' @param file its path.
visard_npy <- function(file) {
  input <- file(file, "rb")
  on.exit(close(input))
  magic <- readBin(input, "raw", 8L)
  if (length(magic) < 8L || !identical(magic[2:6], charToRaw("NUMPY"))) stop("visard: ", file, " is not an NPY file", call. = FALSE)
  width <- if (magic[[7L]] == as.raw(1)) 2L else 4L
  size <- readBin(input, "integer", 1L, size = width, signed = width == 4L, endian = "little")
  header <- rawToChar(readBin(input, "raw", size))
  type <- sub(".*'descr': *'([^']*)'.*", "\\1", header)
  if (!type %in% c("<f8", "<f4")) stop("visard: ", file, " holds ", type, ", not numbers of 8 or 4 bytes", call. = FALSE)
  by_columns <- grepl("'fortran_order': *True", header)
  shape <- as.integer(strsplit(gsub("[^0-9,]", "", sub(".*'shape': *\\(([^)]*)\\).*", "\\1", header)), ",")[[1L]])
  data <- readBin(input, "numeric", prod(shape), size = as.integer(substr(type, 3L, 3L)), endian = "little")
  if (length(data) != prod(shape)) stop("visard: ", file, " ends too early", call. = FALSE)
  if (length(shape) < 2L) return(data)
  if (by_columns) array(data, shape) else aperm(array(data, rev(shape)))
}

#' Write a numeric array as an NPY file of 8-byte numbers, its axes in their order.
#'
#' @param x a numeric vector, matrix or array without missing values unless `missing` is TRUE.
#' @param file its path.
#' @param missing whether NA may be written (as NaN).
visard_write_npy <- function(x, file, missing = FALSE) {
  if (!is.numeric(x)) stop("visard: x must be numeric, not ", class(x)[[1L]], call. = FALSE)
  if (!missing && !all(is.finite(x))) stop("visard: x has values that are not finite", call. = FALSE)
  shape <- if (is.null(dim(x))) length(x) else dim(x)
  axes <- paste0("(", paste0(shape, collapse = ", "), if (length(shape) == 1L) ",", ")")
  header <- paste0("{'descr': '<f8', 'fortran_order': False, 'shape': ", axes, ", }")
  padding <- (64L - (10L + nchar(header) + 1L) %% 64L) %% 64L
  header <- paste0(header, strrep(" ", padding), "\n")
  output <- file(file, "wb")
  on.exit(close(output))
  writeBin(c(as.raw(0x93), charToRaw("NUMPY"), as.raw(c(1, 0))), output)
  writeBin(nchar(header), output, size = 2L, endian = "little")
  writeBin(charToRaw(header), output)
  data <- if (length(shape) > 1L) aperm(x) else x
  data <- as.double(data)
  data[is.na(data)] <- NaN
  writeBin(data, output, size = 8L, endian = "little")
  invisible(file)
}

#' Read a binary little-endian PLY mesh of the command's: a list of `vertices` (V x 3) and `triangles` (F x 3, from 1).
#'
#' @param file its path.
visard_ply <- function(file) {
  input <- file(file, "rb")
  on.exit(close(input))
  lines <- character()
  repeat {
    line <- character()
    repeat {
      byte <- readBin(input, "raw", 1L)
      if (length(byte) == 0L || byte == as.raw(10L)) break
      line <- c(line, rawToChar(byte))
    }
    lines <- c(lines, paste(line, collapse = ""))
    if (lines[[length(lines)]] == "end_header") break
    if (length(lines) > 200L) stop("visard: ", file, " is not a PLY file written by visard", call. = FALSE)
  }
  if (!"format binary_little_endian 1.0" %in% lines) stop("visard: ", file, " is not a binary PLY file", call. = FALSE)
  n <- as.integer(sub("element vertex ", "", grep("^element vertex", lines, value = TRUE)))
  faces <- as.integer(sub("element face ", "", grep("^element face", lines, value = TRUE)))
  from <- grep("^element vertex", lines)
  to <- grep("^element face", lines)
  properties <- strsplit(grep("^property", lines[from:to], value = TRUE), " ")
  sizes <- c(char = 1L, uchar = 1L, short = 2L, ushort = 2L, int = 4L, uint = 4L, float = 4L, double = 8L)
  widths <- sizes[vapply(properties, `[[`, "", 2L)]
  names <- vapply(properties, `[[`, "", 3L)
  body <- readBin(input, "raw", n * sum(widths))
  table <- matrix(body, nrow = sum(widths))
  first <- cumsum(c(0L, widths))
  column <- function(name) {
    i <- match(name, names)
    readBin(as.vector(table[first[[i]] + seq_len(widths[[i]]), ]), "numeric", n, size = widths[[i]], endian = "little")
  }
  vertices <- cbind(x = column("x"), y = column("y"), z = column("z"))
  triangles <- matrix(readBin(input, "raw", faces * 13L), nrow = 13L)
  corners <- readBin(as.vector(triangles[-1L, ]), "integer", 3L * faces, size = 4L, endian = "little")
  list(vertices = vertices, triangles = matrix(corners, ncol = 3L, byrow = TRUE) + 1L)
}
