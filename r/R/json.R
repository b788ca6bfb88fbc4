# JSON, as far as the command writes it: base R reads none.

#' Parse JSON text.
#'
#' Objects become named lists, arrays of numbers, words or truth values become vectors, other arrays lists, null becomes NULL (NA within a
#' vector of numbers).
#' @param text one string.
visard_parse_json <- function(text) {
  stopifnot(is.character(text), length(text) == 1L, !is.na(text))
  tokens <- json_tokens(text)
  state <- new.env(parent = emptyenv())
  state$at <- 1L
  value <- json_value(tokens, state)
  if (state$at <= length(tokens)) stop("visard: text after the end of the JSON value", call. = FALSE)
  value
}

json_tokens <- function(text) {
  pattern <- paste0(
    "\"(?:[^\"\\\\]|\\\\.)*\"", "|-?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "|true|false|null", "|[][{}:,]"
  )
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1L]]
  # What no token covers must be white space.
  rest <- gsub(pattern, "", text, perl = TRUE)
  if (grepl("[^ \t\r\n]", rest)) stop("visard: this is not JSON", call. = FALSE)
  tokens
}

json_next <- function(tokens, state, wanted = NULL) {
  if (state$at > length(tokens)) stop("visard: the JSON text ends too early", call. = FALSE)
  token <- tokens[[state$at]]
  if (!is.null(wanted) && !token %in% wanted) stop("visard: this is not JSON: ", token, call. = FALSE)
  state$at <- state$at + 1L
  token
}

json_value <- function(tokens, state) {
  token <- json_next(tokens, state)
  first <- substr(token, 1L, 1L)
  if (first == "{") {
    json_object(tokens, state)
  } else if (first == "[") {
    json_array(tokens, state)
  } else if (first == "\"") {
    json_string(token)
  } else if (token %in% c("true", "false")) {
    token == "true"
  } else if (token == "null") {
    NULL
  } else if (grepl("^-?[0-9]", token)) {
    as.numeric(token)
  } else {
    stop("visard: this is not JSON: ", token, call. = FALSE)
  }
}

json_object <- function(tokens, state) {
  found <- list()
  names <- character()
  if (identical(tokens[state$at], "}")) {
    json_next(tokens, state)
    return(setNames(found, names))
  }
  repeat {
    name <- json_next(tokens, state)
    if (substr(name, 1L, 1L) != "\"") stop("visard: this is not JSON: ", name, call. = FALSE)
    json_next(tokens, state, ":")
    value <- json_value(tokens, state)
    names <- c(names, json_string(name))
    found[length(names)] <- list(value)
    if (json_next(tokens, state, c(",", "}")) == "}") return(setNames(found, names))
  }
}

json_array <- function(tokens, state) {
  found <- list()
  if (identical(tokens[state$at], "]")) {
    json_next(tokens, state)
    return(found)
  }
  repeat {
    found[length(found) + 1L] <- list(json_value(tokens, state))
    if (json_next(tokens, state, c(",", "]")) == "]") break
  }
  single <- vapply(found, function(x) is.null(x) || (is.atomic(x) && length(x) == 1L), TRUE)
  kinds <- unique(vapply(Filter(Negate(is.null), found), function(x) class(x)[[1L]], ""))
  if (all(single) && length(kinds) == 1L) {
    unlist(lapply(found, function(x) if (is.null(x)) NA else x))
  } else {
    found
  }
}

json_string <- function(token) {
  inside <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", inside, fixed = TRUE)) return(inside)
  # Surrogate pairs first, then single code units, then the short forms; a backslash that stands for itself last.
  parts <- strsplit(inside, "(?<=\\\\\\\\)", perl = TRUE)[[1L]]
  parts <- vapply(parts, json_unescape, "", USE.NAMES = FALSE)
  paste(parts, collapse = "")
}

json_unescape <- function(part) {
  short <- c(b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", `"` = "\"", `/` = "/")
  repeat {
    at <- regexpr("\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}", part, perl = TRUE)
    if (at < 0L) break
    pair <- regmatches(part, at)
    high <- strtoi(substr(pair, 3L, 6L), 16L)
    low <- strtoi(substr(pair, 9L, 12L), 16L)
    regmatches(part, at) <- intToUtf8(65536L + (high - 55296L) * 1024L + (low - 56320L))
  }
  repeat {
    at <- regexpr("\\\\u[0-9a-fA-F]{4}", part, perl = TRUE)
    if (at < 0L) break
    regmatches(part, at) <- intToUtf8(strtoi(substr(regmatches(part, at), 3L, 6L), 16L))
  }
  for (letter in names(short)) part <- gsub(paste0("\\", letter), short[[letter]], part, fixed = TRUE)
  sub("\\\\", "\\", part, fixed = TRUE)
}
