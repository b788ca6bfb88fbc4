//! When a line was written, for people to read.

/// Seconds since 1970 as year-month-day hour:minute, UTC.
///
/// Days are counted from 1 March of the year 0 of the proleptic Gregorian calendar, whose cycle of 400 years has 146097.
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{of_month:02} {:02}:{:02}", cycle * 400 + year, rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn times_are_shown_as_dates() {
        // From `date -u -d @N`.
        for (seconds, shown) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_827_696, "2000-02-29 12:34"),
            (1_735_689_599, "2024-12-31 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(utc(seconds), shown);
        }
    }
}
