//! What two runs of the command publish, compared: the library of the audit.
//!
//! Noised values may differ, and what is named here because it is a function of them or of the run alone; nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use visard::io::npy;

/// A run of the command: its study's folder, and what it said under `--json`.
#[derive(Clone)]
pub struct Run {
    pub folder: PathBuf,
    pub stdout: String,
}

/// What is published for noised coordinates.
pub type Point<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

/// What a study is like.
#[derive(Default)]
pub struct Rules<'a> {
    /// Words that no file of a release may hold: names of records and of people.
    pub secrets: &'a [&'a str],
    /// Whether its page shows pictures of the released values.
    pub pictures: bool,
    /// Sentences of its page whose numbers are functions of noised values: what stands before them and after.
    pub sentences: &'a [(&'a str, &'a str)],
    /// Parts of its page whose words are functions of noised values too, as the outcome of a test is: what stands before them and after.
    pub outcomes: &'a [(&'a str, &'a str)],
    /// What `mean.npy` holds for noised coordinates.
    pub point: Option<Point<'a>>,
}

/// Keys of a certificate that belong to the run or to the noised values: the line of the ledger and the sums of the files.
const OF_THE_RUN: [&str; 29] = [
    "/ledger",
    "/files/*/sha256",
    "/details/accuracy/rms",
    "/details/accuracy/expected_rms",
    "/details/accuracy/template_rms",
    "/details/accuracy/sampling_rms",
    "/details/accuracy/clip_rms",
    "/details/accuracy/data_share",
    "/details/accuracy/rms_mm",
    "/details/accuracy/registration_skin_rms",
    "/details/accuracy/registration_normal_rms",
    "/details/lengthened",
    "/details/unseen_at_least/unusable",
    "/details/unseen_at_least/filled",
    "/details/unseen_at_least/unusable_by_group/*",
    "/details/size/root_area_mm",
    "/details/size/relative_error",
    // Of a comparison: outcomes of its test, sizes and widths of its maps.
    "/details/test/result/statistic",
    "/details/test/result/p_value",
    "/details/test/result/per_pair/*/statistic",
    "/details/test/result/per_pair/*/p_value",
    "/details/test/result/per_pair/*/p_adjusted",
    "/details/test/result/power/*/*",
    "/details/difference/comparisons/*/size",
    "/details/difference/comparisons/*/error",
    "/details/difference/comparisons/*/reach_in_standard_errors",
    "/details/difference/comparisons/*/mean_half_width",
    "/details/difference/comparisons/*/largest_half_width",
    "/details/difference/comparisons/*/share_outside",
];
/// Error statements: of points, and of any certificate that is shown on a page or embedded in it.
const EXACT: [(&str, &str); 16] = [
    // The result of a study of points, in numbers.
    ("<ul class=\"facts\">", "</ul>"),
    ("The release lies ", "of the squared distance between centre and mean."),
    ("&quot;accuracy&quot;: {", "}"),
    ("\"accuracy\": {", "}"),
    ("By noised counts, at least ", "on average. Stated errors"),
    ("By a noised measure, records lie ", " as much longer"),
    ("&quot;unseen_at_least&quot;: {", "}"),
    ("\"unseen_at_least\": {", "}"),
    ("&quot;lengthened&quot;: ", "\n"),
    ("\"lengthened\": ", "\n"),
    ("&quot;size&quot;: {", "}"),
    ("\"size\": {", "}"),
    ("&quot;comparisons&quot;: [", "]"),
    ("\"comparisons\": [", "]"),
    ("&quot;result&quot;: {", "&quot;least_p_value"),
    ("\"result\": {", "\"least_p_value"),
];
/// What a page adds where the noised values say so.
const SAID_OF_NOISED: [&str; 2] = [
    " Publishing the centre would be about as good: more records, or a larger budget, would change that.",
    "<p>Most of what is shown is the public template: the data could decide less than half of what distinguishes their mean from it. More \
     people, or a larger budget, would change that.</p>\n",
];
/// Files of noised values.
const NOISED: [&str; 12] = [
    "mean.npy",
    "solution.npy",
    "curves.npy",
    "error.npy",
    "mean.tps",
    "mean.ply",
    "mean_a.ply",
    "mean_b.ply",
    "difference.npy",
    "difference_unshrunk.npy",
    "band.npy",
    "test.json",
];

impl Rules<'_> {
    /// A page without the numbers in those sentences.
    fn without_sentences(&self, mut page: String) -> String {
        for said in SAID_OF_NOISED {
            page = page.replace(said, "");
        }
        for (before, after) in self.outcomes {
            let Some(start) = page.find(before).map(|at| at + before.len()) else { continue };
            let Some(length) = page[start..].find(after) else { continue };
            page.replace_range(start..start + length, "");
        }
        for (before, after) in self.sentences.iter().chain(&EXACT) {
            let Some(start) = page.find(before).map(|at| at + before.len()) else { continue };
            let Some(length) = page[start..].find(after) else { continue };
            let plain = without_numbers(&page[start..start + length]);
            page.replace_range(start..start + length, &plain);
        }
        page
    }
}

impl Run {
    fn release(&self) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(self.folder.join("release")).unwrap().map(Result::unwrap);
        let file = |entry: fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            // What is no file has no business there.
            let bytes = fs::read(entry.path()).unwrap_or_else(|e| e.to_string().into_bytes());
            (name, bytes)
        };
        files.map(file).collect()
    }

    fn json(&self, file: &str) -> Value {
        let bytes = fs::read(self.folder.join(file)).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// What it said, without how good the noised values say they are.
    fn said(&self) -> Value {
        let mut said: Value = serde_json::from_str(&self.stdout).unwrap();
        if let Some(accuracy) = said["accuracy"].as_object_mut() {
            accuracy.values_mut().filter(|value| value.is_number()).for_each(|value| *value = Value::Null);
        }
        if said["size_mm"].is_number() {
            said["size_mm"] = Value::Null;
        }
        // What a comparison tells is in the release, and looked at there.
        for told in ["test", "map", "band"] {
            if let Some(value) = said.get_mut(told) {
                *value = Value::Null;
            }
        }
        said
    }

    fn certificate(&self) -> Value {
        self.json("release/certificate.json")
    }

    /// The entries of the ledger.
    fn ledger(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.join("visard.ledger.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Everything in which two runs on neighbouring records differ and may not, and everything that is wrong with one alone.
pub fn leaks(near: &Run, far: &Run, rules: &Rules<'_>) -> Vec<String> {
    let mut leaks: Vec<String> = [near, far].into_iter().flat_map(|run| alone(run, rules)).collect();
    let (a, b) = (near.release(), far.release());
    if a.keys().ne(b.keys()) {
        leaks.push(format!("files: {:?} and {:?}", a.keys(), b.keys()));
    }
    for (name, a) in &a {
        if let Some(b) = b.get(name)
            && let Some(difference) = compare(name, a, b, rules)
        {
            leaks.push(format!("{name}: {difference}"));
        }
    }
    if near.said() != far.said() {
        leaks.push(format!("standard output: {} and {}", near.stdout, far.stdout));
    }
    let line =
        |run: &Run| (run.certificate()["ledger"]["id"].clone(), run.certificate()["ledger"]["line"].clone());
    if line(near) == line(far) && a != b {
        leaks.push("ledger: two draws on one charge".into());
    }
    leaks
}

/// What is wrong with one run: names, values off the grid, draws that nobody paid for.
fn alone(run: &Run, rules: &Rules<'_>) -> Vec<String> {
    let mut leaks = Vec::new();
    for (name, bytes) in run.release() {
        let text = opened(&String::from_utf8_lossy(&bytes));
        let told = rules.secrets.iter().find(|secret| text.contains(**secret) || name.contains(**secret));
        leaks.extend(told.map(|secret| format!("{name}: tells {secret}")));
    }
    leaks.extend(off_grid(run, rules));
    leaks.extend(unpaid(run));
    leaks
}

/// Values that are not on the grid that the certificate states.
fn off_grid(run: &Run, rules: &Rules<'_>) -> Vec<String> {
    let (certificate, drawn) = (run.certificate(), run.json("internal/drawn.json"));
    let (noise, n) = (&certificate["noise"], certificate["n"].as_f64().unwrap());
    let mut leaks = Vec::new();
    if noise["path"] != "lattice" {
        return vec![format!("certificate.json: noise is not on a lattice: {noise}")];
    }
    let value = &drawn["released"]["value"];
    let numbers = |values: &Value| -> Vec<f64> {
        values.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap()).collect()
    };
    // The groups of a comparison have lattices of their own; stated is the last one's.
    let last = |value: &Value| value["groups"].as_array().and_then(|groups| groups.last().cloned());
    let n = match last(&value["test"]) {
        Some(_) => {
            certificate["details"]["groups"].as_array().unwrap().last().unwrap()["n"].as_f64().unwrap()
        }
        None => n,
    };
    let draws: Vec<Vec<f64>> = match (value["draws"].as_array(), last(&value["test"])) {
        (Some(draws), _) => draws.iter().map(|draw| numbers(&draw["noised"])).collect(),
        (None, Some(group)) => vec![numbers(&group["mean"])],
        (None, None) => vec![numbers(&value["coordinates"])],
    };
    if let Some(step) = noise["step"].as_f64()
        && let Some(x) = draws.iter().flatten().find(|x| !is_on_grid(**x, step, n))
    {
        leaks.push(format!("drawn.json: {x} is not on the grid of step {step}"));
    }
    if let Some(point) = rules.point {
        let points: Vec<f64> = draws.iter().flat_map(|noised| point(noised)).collect();
        let found = npy::read(&run.folder.join("release/mean.npy")).unwrap().data;
        let same =
            points.len() == found.len() && points.iter().zip(&found).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same {
            leaks.push(format!(
                "mean.npy: {found:?} is not to the bit what the noised values make: {points:?}"
            ));
        }
    }
    leaks
}

/// Whether x is a whole number of steps, each a power of two, or that divided by n.
fn is_on_grid(x: f64, step: f64, n: f64) -> bool {
    let power = |x: f64| 2.0_f64.powi(x.log2().round() as i32);
    if power(step) == step {
        return (x / step).fract() == 0.0;
    }
    let g = power(step * n);
    let k = (x * n / g).round();
    // Beyond 2^53 the division has lost whole numbers itself.
    k.abs() > 2.0_f64.powi(52) || k * g / n == x
}

/// Draws without a charge, charges with several results, results that are not those redeemed, sums that do not fit.
fn unpaid(run: &Run) -> Vec<String> {
    let (mut leaks, ledger, certificate) = (Vec::new(), run.ledger(), run.certificate());
    let entries = |kind: &str| ledger.iter().filter(|line| line["entry"]["kind"] == kind).collect::<Vec<_>>();
    let (charges, redeemed) = (entries("charge"), entries("redeem"));
    if charges.len() != 1 || redeemed.len() != 1 || redeemed[0]["entry"]["charge"] != charges[0]["n"] {
        leaks.push(format!("ledger: {} charges, {} results", charges.len(), redeemed.len()));
    }
    let sum = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let drawn = fs::read(run.folder.join("internal/drawn.json")).unwrap();
    if redeemed.last().is_none_or(|line| line["entry"]["draw"] != sum(&drawn)) {
        leaks.push("ledger: the stored draw is not the one that was redeemed".into());
    }
    let named = &certificate["ledger"];
    if !charges.iter().any(|line| line["n"] == named["line"] && line["check"] == named["head"]) {
        leaks.push("ledger: the certificate names another charge".into());
    }
    // What was charged is what the certificate states, for as many draws as there are.
    let paid = charges.first().map(|line| &line["entry"]["part"]);
    let times = paid.map_or(0, |part| part["times"].as_u64().unwrap_or(1));
    let parts = paid.and_then(|part| part["parts"].as_array()).map_or(1, Vec::len);
    let draws = run.json("internal/drawn.json")["released"]["value"]["draws"].as_array().map_or(1, Vec::len);
    if parts == 1 && times != draws as u64 {
        leaks.push(format!("ledger: {draws} draws, of which {times} were paid for"));
    }
    let release = run.release();
    for file in certificate["files"].as_array().unwrap() {
        let bytes = release.get(file["name"].as_str().unwrap());
        if bytes.is_none_or(|bytes| file["sha256"] != sum(bytes)) {
            leaks.push(format!("certificate.json: {} is not the file that was summed", file["name"]));
        }
    }
    if certificate["files"].as_array().unwrap().len() + 1 != release.len() {
        leaks.push("certificate.json: a file that it does not list".into());
    }
    leaks
}

/// How two files of one name differ beyond noised values.
fn compare(name: &str, a: &[u8], b: &[u8], rules: &Rules<'_>) -> Option<String> {
    let differ = |what: &str| Some(what.to_owned());
    match name {
        "certificate.json" => {
            let [a, b] = [a, b].map(|bytes| {
                let mut leaves = BTreeMap::new();
                flatten(&serde_json::from_slice(bytes).unwrap(), "", &mut leaves);
                leaves
            });
            let keys = a.keys().chain(b.keys());
            let other = keys.into_iter().find(|key| a.get(*key) != b.get(*key));
            other.map(|key| format!("{key}: {:?} and {:?}", a.get(key), b.get(key)))
        }
        "report.html" => {
            let [a, b] = [a, b].map(|page| without_sums(&opened(&String::from_utf8_lossy(page))));
            let [a, b] = if rules.pictures { [without_pictures(&a), without_pictures(&b)] } else { [a, b] };
            let [a, b] = [a, b].map(|page| rules.without_sentences(page));
            let at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
            let shown = |page: &str| {
                let bytes = page.as_bytes();
                String::from_utf8_lossy(&bytes[at.saturating_sub(40)..(at + 40).min(bytes.len())])
                    .into_owned()
            };
            (a != b).then(|| format!("{} and {}", shown(&a), shown(&b)))
        }
        _ if !NOISED.contains(&name) => (a != b).then(|| "differs".to_owned()),
        // The header: shape and type.
        _ if name.ends_with(".npy") => {
            let header = |bytes: &[u8]| {
                let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]])) + 10;
                (bytes[..length].to_vec(), bytes.len())
            };
            if header(a) == header(b) { None } else { differ("another shape") }
        }
        _ if name.ends_with(".ply") => {
            let end = |bytes: &[u8]| bytes.windows(11).position(|w| w == b"end_header\n").unwrap_or(0) + 11;
            let vertices = |bytes: &[u8]| {
                let header = String::from_utf8_lossy(&bytes[..end(bytes)]).into_owned();
                let faces = header
                    .split("element face ")
                    .nth(1)
                    .and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
                // A triangle is a byte and three numbers of four.
                (header, bytes.len(), bytes[bytes.len() - 13 * faces.unwrap_or(0)..].to_vec())
            };
            if vertices(a) == vertices(b) { None } else { differ("another mesh") }
        }
        _ => {
            let words = |bytes: &[u8]| without_numbers(&String::from_utf8_lossy(bytes));
            if words(a) == words(b) { None } else { differ("other words or another number of them") }
        }
    }
}

/// Every value of a certificate by its path, but those of the run.
fn flatten(value: &Value, path: &str, leaves: &mut BTreeMap<String, Value>) {
    let of_the_run = is_of_the_run(path);
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    if of_the_run {
        // It is there in both, whatever it is.
        leaves.insert(path.into(), Value::Null);
    } else if children.is_empty() {
        leaves.insert(path.into(), value.clone());
    }
    if !of_the_run {
        children.iter().for_each(|(key, value)| flatten(value, &format!("{path}/{key}"), leaves));
    }
}

/// Whether a value belongs to the run or to the noised values. A star stands for any name or number of a place: groups have names.
fn is_of_the_run(path: &str) -> bool {
    let fits = |pattern: &str| {
        let (pattern, path) = (pattern.split('/'), path.split('/'));
        pattern.clone().count() == path.clone().count() && pattern.zip(path).all(|(p, q)| p == "*" || p == q)
    };
    OF_THE_RUN.iter().any(|pattern| fits(pattern))
}

/// A page with the certificate that is embedded in it in plain words.
fn opened(page: &str) -> String {
    let mark = "application/json;base64,";
    let embedded = page.split(mark).enumerate().map(|(i, part)| {
        let end = part.find('"').unwrap_or(0);
        match (i, BASE64.decode(&part[..end])) {
            (0, _) | (_, Err(_)) => part.to_owned(),
            (_, Ok(bytes)) => String::from_utf8_lossy(&bytes).into_owned() + &part[end..],
        }
    });
    embedded.collect::<Vec<_>>().join(mark)
}

/// A page without the identities and checksums of the run: words of 32 hexadecimal digits and more.
fn without_sums(page: &str) -> String {
    let words = page.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let is_sum = |word: &str| word.len() > 32 && word[..32].bytes().all(|b| b.is_ascii_hexdigit());
    words.map(|word| if is_sum(word) { "#" } else { word }).collect()
}

/// A page on which drawings stand for the kinds of things that are in them (how many ticks an axis has depends on the values that are drawn),
/// and embedded images for nothing but that they are there.
fn without_pictures(page: &str) -> String {
    let kinds = |drawing: &str| {
        let plain = without_numbers(drawing);
        plain.split('<').collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("<")
    };
    let drawings = page.split("<svg").enumerate().map(|(i, part)| match (i, part.split_once("</svg>")) {
        (0, _) | (_, None) => part.to_owned(),
        (_, Some((drawing, rest))) => format!("<svg{}</svg>{rest}", kinds(drawing)),
    });
    let page: String = drawings.collect();
    let images = page.split("base64,").enumerate().map(|(i, part)| match i {
        0 => part,
        _ => part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+/=".contains(c)),
    });
    images.collect::<Vec<_>>().join("base64,")
}

/// Text in which every number is the same.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| word.parse::<f64>().is_ok() && word.contains(|c: char| c.is_ascii_digit());
    let mut out = String::new();
    let part_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    for word in text.split_inclusive(|c: char| !part_of_number(c)) {
        let end =
            word.char_indices().last().filter(|(_, c)| !part_of_number(*c)).map_or(word.len(), |(at, _)| at);
        let (number, rest) = word.split_at(end);
        out.push_str(if is_number(number) { "0" } else { number });
        out.push_str(rest);
    }
    out
}
