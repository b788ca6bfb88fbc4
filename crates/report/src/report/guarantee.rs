//! What every release's page says of privacy, from the certificate alone: headline, sentences, charts, parameters, the
//! certificate itself. The same for faces, planar shapes and matrices.

use super::chart::{Axis, Line};
use super::figure::Figure;
use super::page::Page;
#[doc(hidden)]
pub use crate::privacy::counted;
use crate::privacy::{
    CERTIFICATE_FILE, Certificate, ClipSource, Delta, PrivacyLoss, counts_persons, explain, rounded_up,
};

/// A page with title, badge and one sentence on what was released; `what` as in "average of 200 faces".
pub fn release_page(title: &str, what: &str, certificate: &Certificate) -> Page {
    let mut page = Page::new(title);
    if certificate.private {
        page.badge("differentially private", true);
        page.lead(&format!("The {what}, released with {}. It may be published.", certificate.loss));
    } else {
        page.badge("NOT PRIVATE: do not publish", false);
        let why = certificate.caveats.first().map_or("no guarantee is stated", String::as_str);
        page.lead(&format!("The {what}. It carries no privacy guarantee ({why})."));
    }
    page
}

/// The section on the guarantee: the numbers that matter, two charts, the full statement in sentences.
pub fn guarantee_section(page: &mut Page, certificate: &Certificate) {
    page.heading("What this guarantees");
    if certificate.private {
        page.facts(&facts(certificate));
        page.figures(&charts(certificate));
    }
    page.prose(&explain(certificate));
}

/// The section with the caveats, where there are any, and the certificate, shown and to download: all of it but the sums of the files of
/// the release, of which this page is one.
pub fn certificate_section(page: &mut Page, certificate: &Certificate) {
    if !certificate.caveats.is_empty() {
        page.heading("Caveats");
        page.list(&certificate.caveats);
    }
    page.heading("Certificate");
    page.paragraph("The same in a form for machines. Keep it with every copy of the release.");
    // A certificate that was made can be written.
    page.embedded_json(CERTIFICATE_FILE, &certificate.to_json().unwrap_or_default());
}

/// Rows (name, value) of what a certificate says of the mechanism, for the table of parameters.
pub fn mechanism_rows(certificate: &Certificate) -> Vec<Vec<String>> {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let number = if counts_persons(certificate) {
        "number of persons n (public)"
    } else {
        "number of records n (public)"
    };
    let mut rows = vec![
        row("mechanism", certificate.mechanism.clone()),
        row("privacy loss", certificate.loss.to_string()),
        row(number, certificate.n.to_string()),
        row("neighbours", certificate.neighbours().to_string()),
    ];
    if let Some(radius) = certificate.clip_radius {
        let source = match radius.source() {
            ClipSource::Public => "public",
            ClipSource::Private => "private estimate, paid for",
            // `ClipSource::Data`; of a source that is new, too, no more is claimed.
            _ => "from the data, not private",
        };
        rows.push(row("clip radius", format!("{} ({source})", radius.get())));
    }
    if let Some(sensitivity) = certificate.sensitivity {
        rows.push(row("sensitivity", format!("{sensitivity:.4e}")));
    }
    if let Some(noise) = &certificate.noise {
        let text = format!(
            "{} ({}), scale {:.4e} in each of {} coordinates",
            noise.distribution, noise.sampler, noise.scale, noise.dimension
        );
        rows.push(row("noise", text));
    }
    for input in &certificate.public_inputs {
        rows.push(row("public input", format!("{} (SHA-256 {})", input.name, input.sha256)));
    }
    rows
}

/// The smallest of what the headline and the composed parts allow.
fn best(certificate: &Certificate, f: impl Fn(&PrivacyLoss) -> f64) -> f64 {
    let by_parts = certificate.composition.mu().ok().flatten();
    let losses = match (certificate.loss, by_parts) {
        // The larger one allows more in every respect.
        (PrivacyLoss::Gaussian(mu), Some(parts)) => {
            let smaller = if parts.get() < mu.get() { parts } else { mu };
            [Some(PrivacyLoss::Gaussian(smaller)), None]
        }
        (headline, parts) => [Some(headline), parts.map(PrivacyLoss::Gaussian)],
    };
    losses.iter().flatten().map(f).fold(f64::INFINITY, f64::min)
}

fn facts(certificate: &Certificate) -> Vec<(String, String)> {
    let percent = |p: f64| format!("{} %", rounded_up(100.0 * p, 1).min(100.0));
    let mut facts = vec![
        (
            percent(best(certificate, PrivacyLoss::guess_probability)),
            "an attacker who has everyone else's record and two candidates for yours guesses right at most this often (a coin: 50 %)"
                .to_owned(),
        ),
        (
            percent(best(certificate, |l| l.power_at(0.05))),
            "the best test of whether your record was used detects it at most this often, at 5 % false alarms".to_owned(),
        ),
        (
            percent(best(certificate, |l| l.power_at(0.001))),
            "the same test at one false alarm in a thousand".to_owned(),
        ),
    ];
    let chosen = certificate.epsilon_at_delta.iter().find(|p| p.delta.get() <= 1e-6);
    if let Some(pair) = chosen.or(certificate.epsilon_at_delta.last()) {
        // Rounded up: a smaller ε would claim more than is proven.
        let epsilon = (100.0 * pair.epsilon.get()).ceil() / 100.0;
        let delta = if pair.delta.get() == 0.0 { "0".to_owned() } else { format!("{:e}", pair.delta.get()) };
        facts.push((format!("ε = {epsilon}"), format!("at δ = {delta}: the same guarantee in (ε, δ) terms")));
    }
    facts
}

/// ε for every δ, and the best attacker's detections for every rate of false alarms.
fn charts(certificate: &Certificate) -> Vec<Figure> {
    let mut figures = Vec::new();
    let epsilon_at = |delta: f64| {
        let value = best(certificate, |loss| {
            Delta::new(delta).ok().and_then(|d| loss.epsilon_at(d).ok()).map_or(f64::INFINITY, |e| e.get())
        });
        value.is_finite().then_some((delta, value))
    };
    let curve: Vec<(f64, f64)> =
        (0..=30).filter_map(|k| epsilon_at(10f64.powf(-0.3 - 0.4 * k as f64))).collect();
    if curve.len() > 1 {
        let line = Line::new(certificate.loss.to_string(), curve);
        let caption = "The (ε, δ) guarantees this release satisfies, all at once.";
        figures.push(Figure::lines("ε for every δ", &Axis::log("δ"), &Axis::linear("ε"), &[line], caption));
    }
    let rates: Vec<f64> = (0..=100).map(|k| (k as f64 / 100.0).powi(2)).collect();
    let power = rates.iter().map(|&a| (a, best(certificate, |l| l.power_at(a)))).collect();
    figures.push(Figure::lines(
        "The best attack on one person's record",
        &Axis::linear("false alarms"),
        &Axis::linear("detections"),
        &[
            Line::new("attacker who has all other records", power),
            Line::dashed("blind guessing", rates.iter().map(|&a| (a, a)).collect()),
        ],
        "Deciding whether one given record was used: no test lies above the solid line.",
    ));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Epsilon, Mu, Statement};

    fn page_of(loss: PrivacyLoss, seeded: bool) -> String {
        let mut statement = Statement::new("some mechanism", 100, loss);
        statement.seeded = seeded;
        let certificate = statement.certify().unwrap();
        let mut page = release_page("Mean", "average of 100 shapes", &certificate);
        guarantee_section(&mut page, &certificate);
        page.table(&["parameter", "value"], &mechanism_rows(&certificate));
        certificate_section(&mut page, &certificate);
        page.to_html()
    }

    #[test]
    fn the_textbook_numbers_of_mu_one_are_on_the_page_rounded_up() {
        let html = page_of(PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()), false);
        // Φ(1/2) = 69.146 %; Φ(Φ⁻¹(0.05) + 1) = 25.95 %; Φ(Φ⁻¹(0.001) + 1) = 1.83 %.
        for needle in
            ["<b>69.2 %</b>", "<b>26 %</b>", "<b>1.9 %</b>", "download=\"certificate.json\"", "ε for every δ"]
        {
            assert!(html.contains(needle), "{needle}");
        }
        assert!(html.contains("badge good") && !html.contains("badge bad") && !html.contains("<h2>Caveats"));
    }

    #[test]
    fn what_is_not_private_says_so_and_boasts_of_nothing() {
        let html = page_of(PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()), true);
        assert!(html.contains("NOT PRIVATE: do not publish") && html.contains("badge bad"));
        assert!(!html.contains("may be published") && !html.contains("class=\"facts\""));
        assert!(page_of(PrivacyLoss::NonPrivate, false).contains("badge bad"));
    }

    #[test]
    fn a_weak_guarantee_is_not_said_to_be_better_than_it_is() {
        // Φ(4) = 99.997 %: "at most 99.9 %" would be false.
        let html = page_of(PrivacyLoss::Gaussian(Mu::new(8.0).unwrap()), false);
        assert!(html.contains("<b>100 %</b>") && !html.contains("<b>99.9 %</b>"));
    }

    #[test]
    fn pure_losses_have_one_epsilon_and_no_curve_of_it_below_its_own() {
        let html = page_of(PrivacyLoss::Pure(Epsilon::new(3f64.ln()).unwrap()), false);
        // ln 3: guesses right 3/4 of the time, a 5 % test has 15 % power.
        assert!(
            html.contains("<b>75 %</b>") && html.contains("<b>15 %</b>") && html.contains("<b>ε = 1.1</b>")
        );
    }
}
