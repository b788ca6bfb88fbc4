//! A certificate in plain sentences.

use super::budget::number;
use super::certificate::{LENGTHENED, NOT_IN_ERRORS, UNSEEN, counts_persons};
use super::neighbours::WITHIN_GROUPS;
use super::noise::NoisePath;
use super::{Certificate, ClipSource, PrivacyLoss};
use std::fmt::Write;

/// What an attacker who knows everyone else's record can conclude about one person, as odds and as the error rates of
/// the best possible test, and what the guarantee rests on. A plain summary first, definitions below. Percentages are rounded up.
pub fn explain(certificate: &Certificate) -> String {
    let mut text = String::new();
    headline(&mut text, certificate);
    if certificate.loss.is_private() {
        attacker(&mut text, certificate);
        definition(&mut text, certificate);
    }
    foundations(&mut text, certificate);
    if certificate.private {
        text.push_str(
            "\nIt does not promise that nothing can be learnt about a person: what is true of the whole group (and of \
             them as a member of it) shows with or without their record. Nor does it cover people who gave several \
             records, unless these were counted as one.\n",
        );
    }
    text
}

fn headline(text: &mut String, c: &Certificate) {
    let (records, mechanism) = (counted(c), &c.mechanism);
    let used = if counts_persons(c) { format!("The {records}") } else { records.clone() };
    let verb = if c.n == 1 && !counts_persons(c) { "was" } else { "were" };
    if c.private {
        let _ = writeln!(
            text,
            "This release is differentially private. {used} {verb} used (the number is public), and the \
             mechanism was: {mechanism}."
        );
        if let Some(sentence) = c.details.get("in_words").and_then(serde_json::Value::as_str) {
            let _ = writeln!(text, "{sentence}");
        }
        let _ = writeln!(
            text,
            "In short: someone who sees it, has everybody else's record, and has to say which of two candidates the last one was, is right at \
             most {} of the time. A coin is right 50 % of the time.",
            percent(best(c, &|loss| loss.guess_probability()))
        );
    } else {
        let _ = writeln!(text, "This release is NOT PRIVATE. Do not publish it as if it were.");
        for caveat in &c.caveats {
            let _ = writeln!(text, "- {caveat}");
        }
        if c.loss.is_private() {
            let _ = writeln!(
                text,
                "The mechanism ({mechanism}, {records}) would guarantee the following if that were repaired; as released, none of it holds."
            );
        } else {
            let _ = writeln!(
                text,
                "No loss is stated ({mechanism}, {records}): what it shows of any one person is unbounded."
            );
        }
    }
}

fn meaning(loss: PrivacyLoss) -> &'static str {
    match loss {
        PrivacyLoss::Gaussian(_) => {
            "Deciding whether one person's record was used, or another in its place, is at least as hard as deciding from one observation whether \
             a normal variable has mean 0 or mean mu (Gaussian differential privacy)."
        }
        PrivacyLoss::Pure(_) => {
            "No result, however unlikely, is more than e^epsilon times as probable with one person's record as with \
             another in its place (pure differential privacy)."
        }
        PrivacyLoss::Approximate(..) => {
            "Apart from a chance of delta, no result is more than e^epsilon times as probable with one person's record \
             as with another in its place (approximate differential privacy)."
        }
        PrivacyLoss::ZeroConcentrated(_) => {
            "The evidence a result gives for one person's record over another in its place is concentrated as a normal \
             variable's is (zero-concentrated differential privacy)."
        }
        PrivacyLoss::NonPrivate => "",
    }
}

/// The least of what the stated loss and that of the parts together allow.
fn best(c: &Certificate, allows: &dyn Fn(&PrivacyLoss) -> f64) -> f64 {
    let by_parts = c.composition.mu().ok().flatten().map(PrivacyLoss::Gaussian);
    [Some(c.loss), by_parts].iter().flatten().map(allows).fold(1.0, f64::min)
}

fn attacker(text: &mut String, c: &Certificate) {
    let guess = best(c, &|loss| loss.guess_probability());
    let others = match c.n {
        1 => "who knows everything about the mechanism".to_owned(),
        n => {
            let others = if counts_persons(c) {
                format!("the records of the other {} persons", n - 1)
            } else {
                format!("the other {} records", n - 1)
            };
            format!("who knows everything about the mechanism and has {others} in full")
        }
    };
    let _ = writeln!(
        text,
        "\nTake an attacker {others}, and two {}, one of which was used for the last person.",
        records(c)
    );
    let _ = writeln!(
        text,
        "- The attacker's best guess of which one it was is right with probability at most {} if both were equally likely (a coin: 50 %), no \
         matter what is computed from the release.",
        percent(guess)
    );
    for alpha in [0.05, 0.01, 0.001] {
        let power = best(c, &|loss| loss.power_at(alpha));
        let factor = power / alpha;
        let _ = writeln!(
            text,
            "- At {} false alarms, the best test detects this record at most {} of the time. An alarm then changes the odds by a factor of at most \
             {}: even odds become at most {} to 1, a probability of {}.",
            percent(alpha),
            percent(power),
            digits_up(factor),
            digits_up(factor),
            percent(power / (power + alpha)),
        );
    }
    if let PrivacyLoss::Pure(epsilon) = c.loss {
        let factor = epsilon.get().exp();
        let _ = writeln!(
            text,
            "- No result changes the odds by a factor of more than {}: a suspicion of 50 % becomes at most {}, \
             one of 1 % at most {}.",
            digits_up(factor),
            percent(factor / (1.0 + factor)),
            percent(0.01 * factor / (0.99 + 0.01 * factor)),
        );
    }
}

/// The guarantee as theorems state it.
fn definition(text: &mut String, c: &Certificate) {
    let _ = writeln!(text, "\nIn the terms of the literature: {}. {}", c.loss, meaning(c.loss));
    if let Some(within) = c.details.get(WITHIN_GROUPS).and_then(serde_json::Value::as_str) {
        let _ = writeln!(text, "Within groups: {within}.");
    }
    if !c.epsilon_at_delta.is_empty() {
        let pairs: Vec<String> = c
            .epsilon_at_delta
            .iter()
            .map(|p| format!("epsilon {} at delta {}", digits_up(p.epsilon.get()), number(p.delta.get())))
            .collect();
        let _ = writeln!(text, "In (epsilon, delta) terms: {}.", pairs.join("; "));
    }
}

fn foundations(text: &mut String, c: &Certificate) {
    let _ = writeln!(text, "\nWhat this rests on:");
    let _ = writeln!(text, "- Neighbouring datasets: {}; n stays the same.", c.neighbours());
    if let Some(radius) = c.clip_radius {
        let source = match radius.source() {
            ClipSource::Public => "chosen without looking at the records",
            ClipSource::Private => "estimated from the records by a mechanism that was paid for",
            ClipSource::Data => "measured on the records, which breaks the guarantee",
        };
        let _ = writeln!(text, "- Every record was clipped to radius {}, {source}.", number(radius.get()));
    }
    if let Some(sensitivity) = c.sensitivity {
        let _ = writeln!(text, "- One record can move the statistic by at most {}.", about(sensitivity));
    }
    if let Some(noise) = &c.noise {
        let path = match noise.path {
            NoisePath::Lattice => {
                "drawn exactly, on a lattice, so that the finite precision of computers leaks nothing"
            }
            NoisePath::IdealizedReals => "drawn in floating point, for which the theorem is an idealization",
        };
        let _ = writeln!(
            text,
            "- Noise: {} of scale {} in {} coordinates, {path} ({}).",
            noise.distribution,
            about(noise.scale),
            noise.dimension,
            noise.sampler
        );
    }
    let parts = c.composition.parts();
    if parts.len() > 1 || parts.iter().any(|part| part.times > 1) {
        let list: Vec<String> = parts.iter().map(describe_part).collect();
        let _ = writeln!(text, "- It is composed of: {}.", list.join("; "));
    }
    if let Some(shares) = c.details.get(UNSEEN) {
        let share = |name: &str| 100.0 * shares.get(name).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
        let (unusable, filled) = (share("unusable"), share("filled"));
        let _ = writeln!(
            text,
            "- By noised counts, at least {unusable:.1} % of the records could not be used; of the others the root of the share that was filled in is at \
             least {filled:.1} % on average. Stated errors count what that moves over the whole; a place that many records lack is farther off."
        );
    }
    if let Some(times) = c.details.get(LENGTHENED).and_then(serde_json::Value::as_f64) {
        let _ = writeln!(
            text,
            "- By a noised measure, records lie {times:.2} times as far from the private centre as the public radius leaves of them; the mean was \
             made as much longer."
        );
    }
    if let Some(what) = c.details.get(NOT_IN_ERRORS).and_then(serde_json::Value::as_str) {
        let _ = writeln!(text, "- Stated errors do not count {what}.");
    }
    for input in &c.public_inputs {
        let _ = writeln!(text, "- Assumed public: {} (SHA-256 {}).", input.name, input.sha256);
    }
    if c.private {
        for caveat in &c.caveats {
            let _ = writeln!(text, "- Caveat: {caveat}.");
        }
    }
}

/// What was used: `12 records`, `records of 12 persons`.
#[doc(hidden)]
pub fn counted(c: &Certificate) -> String {
    match (c.n, counts_persons(c)) {
        (1, true) => "records of 1 person".to_owned(),
        (n, true) => format!("records of {n} persons"),
        (1, false) => "1 record".to_owned(),
        (n, false) => format!("{n} records"),
    }
}

/// What the records are, in the plural: the certificate may name them under `details.record_kind`.
fn records(c: &Certificate) -> &'static str {
    match c.details.get("record_kind").and_then(serde_json::Value::as_str) {
        Some("scan") => "scans",
        Some("shape") => "shapes",
        Some("matrix") => "matrices",
        Some("direction") => "directions",
        Some("point") => "points",
        Some("person") => "sets of records",
        _ => "records",
    }
}

fn describe_part(part: &super::Part) -> String {
    let times = if part.times == 1 { String::new() } else { format!("{} times ", part.times) };
    format!("{times}{} ({})", part.mechanism, part.cost)
}

/// A probability in per cent, rounded up in its last digit, never to 100 unless it is 1.
fn percent(p: f64) -> String {
    for digits in [1, 2, 3, 4, 6, 9] {
        let scale = 10f64.powi(digits);
        // A probability is known to about 1e-12, and doubles such as 0.05 lie a little above their decimal: that is not worth
        // a digit (75 % would print as 75.1 %).
        let value = (p * 100.0 * scale * (1.0 - 1e-10)).ceil() / scale;
        if (value < 100.0 || p >= 1.0) && (p == 0.0 || value <= 1.2 * 100.0 * p) {
            return format!("{value} %");
        }
    }
    "100 %".into()
}

/// A bound as it is shown with so many decimals: rounded up, since less would claim more than is proven. Doubles lie a little above or below
/// their decimals: up to 1e-10 of the value is not worth a digit.
///
/// ```
/// assert_eq!(visard_privacy::privacy::rounded_up(2.2541, 2), 2.26);
/// assert_eq!(visard_privacy::privacy::rounded_up(0.1 + 0.2, 1), 0.3);
/// ```
pub fn rounded_up(bound: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (bound * scale * (1.0 - 1e-10)).ceil() / scale
}

/// Four digits.
fn about(x: f64) -> String {
    format!("{x:.3e}").parse().map_or_else(|_| number(x), number)
}

/// Three or more digits, rounded up.
fn digits_up(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let scale = 10f64.powi(2 - x.log10().floor() as i32);
    if !scale.is_finite() || scale == 0.0 {
        return format!("{x:e}");
    }
    number((x * scale * (1.0 - 1e-13)).ceil() / scale)
}

#[cfg(test)]
mod tests {
    use super::super::{ClipRadius, Delta, Epsilon, Mu, Statement};
    use super::*;

    fn of(loss: PrivacyLoss) -> Statement {
        Statement::new("Gaussian mechanism", 1000, loss)
    }
    fn gaussian(m: f64) -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(m).unwrap())
    }

    #[test]
    fn numbers_are_rounded_up_and_never_to_certainty() {
        assert_eq!(percent(0.05), "5 %");
        assert_eq!(percent(0.691_46), "69.2 %");
        assert_eq!(percent(0.999_99), "99.999 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.75 + 1e-12), "75 %");
        assert_eq!(percent(0.000_01), "0.001 %");
        assert_eq!(digits_up(5.1901), "5.2");
        assert_eq!(about(0.001_000_000_000_232_8), "0.001");
        assert_eq!(digits_up(2.0), "2");
        assert_eq!(digits_up(0.0012345), "0.00124");
    }

    #[test]
    fn a_gaussian_certificate_says_the_textbook_numbers() {
        let text = explain(&of(gaussian(1.0)).certify().unwrap());
        // Φ(1/2) = 69.15 %; Φ(Φ⁻¹(0.05) + 1) = 25.95 %, 5.19 times 5 %.
        for needle in [
            "differentially private",
            "mu = 1",
            "at most 69.2 %",
            "at most 26 %",
            "factor of at most 5.2",
            "other 999 records",
            "epsilon 4.38 at delta 1e-5",
        ] {
            assert!(text.contains(needle), "{needle} not in:\n{text}");
        }
        assert!(!text.contains("NOT PRIVATE"));
        let at = |words: &str| text.find(words).unwrap();
        assert!(at("In short:") < at("Take an attacker") && at("Take an attacker") < at("mu = 1"), "{text}");
    }

    #[test]
    fn a_pure_certificate_speaks_of_odds() {
        let loss = PrivacyLoss::Pure(Epsilon::new(3f64.ln()).unwrap());
        let text = explain(&of(loss).certify().unwrap());
        assert!(text.contains("factor of more than 3: a suspicion of 50 % becomes at most 75 %"), "{text}");
    }

    #[test]
    fn an_unprivate_one_says_so_first_and_why() {
        let mut seeded = of(gaussian(1.0));
        seeded.seeded = true;
        let text = explain(&seeded.certify().unwrap());
        assert!(text.starts_with("This release is NOT PRIVATE."), "{text}");
        assert!(text.contains("seeded:") && text.contains("none of it holds"), "{text}");
        let text = explain(&of(PrivacyLoss::NonPrivate).certify().unwrap());
        assert!(text.contains("unbounded") && !text.contains("attacker"), "{text}");
        let mut measured = of(gaussian(1.0));
        measured.clip_radius = ClipRadius::new(1.0, ClipSource::Data).ok();
        assert!(explain(&measured.certify().unwrap()).contains("data-driven: the clip radius"));
    }

    #[test]
    fn the_parts_are_used_where_they_say_more_than_the_headline() {
        let (e, d) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        let mu = Mu::within(e, d).unwrap();
        let mut statement = of(PrivacyLoss::Approximate(e, d));
        statement.composition.add("Gaussian", PrivacyLoss::Gaussian(mu));
        let text = explain(&statement.certify().unwrap());
        let guess = PrivacyLoss::Gaussian(mu).guess_probability();
        assert!(text.contains(&percent(guess)), "{text}");
    }
}
