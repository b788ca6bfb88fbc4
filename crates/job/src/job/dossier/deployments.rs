//! Releases of others whose guarantee is public, beside this one.

use super::said::{Said, Source};
use crate::privacy::{Certificate, Delta};

/// What others have stated: who and what, the guarantee, for whom it holds. After D. Desfontaines, "A list of real-world uses of
/// differential privacy" (desfontain.es), where the primary sources are.
const STATED: [(&str, &str, &str); 3] = [
    (
        "2020 Census of the United States, redistricting data, persons",
        "ε = 17.14 at δ = 1e-10, spent once",
        "one person's whole record, central",
    ),
    (
        "Google, COVID-19 community mobility reports",
        "ε = 2.64 a day, so that days add up",
        "one user's day, central",
    ),
    (
        "Apple, popular emoji",
        "ε = 4 a day, so that days add up",
        "one user's day, local: each device adds its own noise",
    ),
];

/// The δ of the first of them.
const DELTA: f64 = 1e-10;

/// Others, and this release in the same terms.
pub(super) fn sentences(certificate: &Certificate, unit: &str, of_sites: bool) -> Vec<Said> {
    let model = if of_sites { "over several sites" } else { "central" };
    let mut list = Vec::new();
    let own = Delta::new(DELTA).and_then(|delta| certificate.loss.epsilon_at(delta));
    if let (true, Ok(epsilon)) = (certificate.private, own) {
        // Rounded up: a smaller ε would claim more than is proven.
        let epsilon = (100.0 * epsilon.get()).ceil() / 100.0;
        list.push(Said {
            about: "this release",
            text: format!("ε = {epsilon:.2} at δ = {DELTA:e}, for one {unit}'s whole contribution, {model}."),
            source: Source::Computed("loss"),
        });
    }
    list.extend(STATED.map(|(who, guarantee, whom)| Said {
        about: "for comparison",
        text: format!("{who}: {guarantee}; it holds for {whom}."),
        source: Source::Program("after D. Desfontaines, A list of real-world uses of differential privacy"),
    }));
    list.push(Said {
        about: "what it shows",
        text: "Numbers of ε are compared only where they hold for the same thing: a day of a user and the whole record of a person are not. \
               None of them says what is right here."
            .into(),
        source: Source::Program("dossier"),
    });
    list
}
