//! Releases whose records are added up in parts: any split gives the bytes of one process, and what does not belong together is refused by name.

use crate::command_line::visard;
use crate::stages::{assert_same, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use visard::io::{npy, write_npy};
use visard::study::face::{TemplateSource, load_template};
use visard::synth::FaceParameters;

const FORM: &str = "--curves 6 --samples 16";

/// n made-up people, prepared; the fourth cannot be used.
pub fn people(n: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut faces: Vec<f64> = (0..n)
        .map(|_| FaceParameters::sample(&mut rng).vertices())
        .flat_map(|vertices| template.curves_of(&vertices, 6, 16).unwrap().data().to_vec())
        .collect();
    faces[3 * 288 + 7] = f64::NAN;
    write_npy(&dir.path().join("people.npy"), &[n, 6, 16, 3], &faces).unwrap();
    dir
}

/// Options that were left out leave blanks.
fn line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn done(dir: &Path, words: &str) -> String {
    let (code, out, error) = visard(dir, &line(words));
    assert_eq!(code, Some(0), "{words}: {error}");
    out
}

fn refused(dir: &Path, words: &str) -> String {
    let (code, out, error) = visard(dir, &line(words));
    assert_eq!(code, Some(1), "{words}: {out}");
    error
}

/// The sums of all parts of one pass; what `release` is to be given.
fn sums(dir: &Path, of: usize, pass: usize, options: &str) -> String {
    let one = |k: usize| {
        let out = format!("p{pass}-{k}-{of}.json");
        done(dir, &format!("sum people.npy --part {k}/{of} {FORM} {options} --force --out {out}"));
        out
    };
    // In any order.
    (1..=of).rev().map(one).collect::<Vec<_>>().join(" ")
}

/// All passes; returns how many there were.
fn in_parts(dir: &Path, of: usize, options: &str, out: &str, seed: &str) -> usize {
    let mu = options.split("--mu ").nth(1).unwrap().split(' ').next().unwrap();
    for pass in 1.. {
        let about = if pass == 1 { String::new() } else { format!("--about {out}/round-{}.json", pass - 1) };
        let sums = sums(dir, of, pass, &format!("{options} {about}"));
        done(dir, &format!("release {sums} --mu {mu} --out {out}{seed}"));
        if dir.join(out).join("release").exists() {
            return pass;
        }
    }
    0
}

const OF_AGE: &str = "--covariates ages.csv --bounds age=3:40 --levels sex=F|M";

/// Releases these statistics of sixty people at once and in parts.
fn assert_same_in_parts(path: &Path, names: &[&str]) {
    let table =
        (0..60).fold("record,person\n".to_owned(), |text, i| format!("{text}{i},p{}\n", (7 * i) % 41));
    fs::write(path.join("persons.csv"), table).unwrap();
    let groups = (0..60)
        .fold("record,group\n".to_owned(), |text, i| format!("{text}{i},{}\n", ["a", "b"][(7 * i) % 41 % 2]));
    fs::write(path.join("groups.csv"), groups).unwrap();
    let both = "--groups groups.csv --people persons.csv";
    // One has no line, one no age, one an age that is outside.
    let ages = (0..59).fold("record,age,sex\n".to_owned(), |text, i| {
        let age = if i == 7 { String::new() } else { (3 + (11 * i) % 40).to_string() };
        text + &format!("{i},{age},{}\n", ["F", "M"][i % 2])
    });
    fs::write(path.join("ages.csv"), ages).unwrap();
    let all = [
        ("once", "mean", "--mechanism joint-1 --mu 1 --allow-identical", "", 1),
        ("counted", "mean", "--mu 3 --allow-identical", "", 3),
        ("band", "mean", "--mu 3 --band --allow-identical", "", 3),
        ("few", "modes", "--mu .5 --allow-identical", "", 2),
        ("modes", "modes", "--mu 3 --allow-identical", "--modes 2", 3),
        ("groups", "compare", &format!("--mu 3 {both} --allow-identical"), "", 5),
        ("fields", "regress", &format!("--mu 3 {OF_AGE} --people persons.csv --allow-identical"), "", 3),
        ("residuals", "regress", &format!("--mu 9 {OF_AGE} --residuals --allow-identical"), "", 4),
    ];
    for (name, statistic, options, more, passes) in all.into_iter().filter(|(name, ..)| names.contains(name))
    {
        done(
            path,
            &format!("face {statistic} --prepared people.npy {FORM} {options} {more} --seed 5 --out {name}"),
        );
        let of = match name {
            "counted" => 5,
            "groups" => 3,
            _ => 2,
        };
        let (out, options) = (format!("{name}-{of}"), format!("--statistic {statistic} {options}"));
        assert_eq!(in_parts(path, of, &options, &out, &format!(" {more} --seed 5")), passes, "{name}");
        assert_same(&path.join(name), &path.join(&out));
    }
}

#[test]
#[ignore = "slow: a quarter of a minute; any_split_gives_the_bytes_of_one_process has other statistics"]
fn any_split_of_other_statistics_gives_the_bytes_of_one_process() {
    assert_same_in_parts(people(60).path(), &["once", "band", "modes", "fields"]);
}

#[test]
fn any_split_gives_the_bytes_of_one_process() {
    let dir = people(60);
    let path = dir.path();
    assert_same_in_parts(path, &["counted", "few", "groups", "residuals"]);
    // A round file is public, and may come back with anything in it.
    let round = fs::read(path.join("residuals-2/round-3.json")).unwrap();
    let mut round: Value = serde_json::from_slice(&round).unwrap();
    let entries = round.pointer_mut("/passed/2/value/regression/moments/moments/entries").unwrap();
    entries.as_array_mut().unwrap().fill(Value::from(1e308));
    fs::write(path.join("huge.json"), round.to_string()).unwrap();
    let words = format!("--mu 9 {OF_AGE} --residuals --allow-identical --about huge.json --out none.json");
    let error = refused(path, &format!("sum people.npy {FORM} --statistic regress {words}"));
    assert!(error.contains("not of this regression"), "{error}");
    let detail = |study: &str| {
        let certificate = fs::read(path.join(study).join("release/certificate.json")).unwrap();
        serde_json::from_slice::<Value>(&certificate).unwrap()["details"]["identical_records"].to_string()
    };
    // Where copies are refused, the certificate says that parts were not compared with one another.
    done(path, &format!("face mean --prepared people.npy {FORM} --mu 1 --seed 5 --out refusing"));
    assert_eq!(in_parts(path, 1, "--mu 1", "refusing-1", " --seed 5"), 3);
    assert_same(&path.join("refusing"), &path.join("refusing-1"));
    assert_eq!(in_parts(path, 3, "--mu 1", "refusing-3", " --seed 5"), 3);
    assert!(detail("refusing-3").contains("within each of 3 parts"), "{}", detail("refusing-3"));
    let [one, other] = ["refusing", "refusing-3"].map(|study| release(&path.join(study)));
    assert_eq!(one["curves.npy"], other["curves.npy"]);
    assert_eq!(one["mean.ply"], other["mean.ply"]);
    let nonprivate =
        |study: &str| npy::read(&path.join(study).join("internal/nonprivate_curves.npy")).unwrap().data;
    for (a, b) in nonprivate("refusing").iter().zip(nonprivate("refusing-3")) {
        assert!((a - b).abs() < 1e-14);
    }
}

#[test]
fn what_does_not_belong_together_is_refused_by_name_and_charges_nothing() {
    let dir = people(60);
    let path = dir.path();
    let sum = |k: usize, of: usize, more: &str, out: &str| {
        done(path, &format!("sum people.npy --part {k}/{of} {FORM} --mu 3 {more} --force --out {out}"));
    };
    (1..=3).for_each(|k| sum(k, 3, "", &format!("{k}.json")));
    let said = |sums: &str| refused(path, &format!("release {sums} --mu 3 --out study"));
    assert!(said("1.json 3.json").contains("sums are missing: part 2/3"));
    assert!(said("1.json 2.json 3.json 2.json").contains("2.json and 2.json are both of part 2/3"));
    sum(2, 4, "", "other.json");
    assert!(said("1.json other.json 3.json").contains("other.json: the number of parts differs"));
    sum(2, 3, "--clip-radius 0.03", "other.json");
    assert!(said("1.json other.json 3.json").contains("other.json: the clip radius differs"));
    sum(2, 3, "--mechanism joint-1", "other.json");
    assert!(said("1.json other.json 3.json").contains("other.json: the mechanism differs"));
    sum(2, 3, "--statistic modes", "other.json");
    assert!(said("1.json other.json 3.json").contains("other.json: the statistic differs"));
    assert!(said("1.json 2.json 3.json --modes 3").contains("these are no sums of modes"));
    let table = |turned: usize, out: &str| {
        let lines = (0..60).map(|i| format!("{i},{}\n", ["a", "b"][usize::from((i + turned) % 60 < 20)]));
        fs::write(path.join(out), format!("record,group\n{}", lines.collect::<String>())).unwrap();
    };
    table(0, "groups.csv");
    table(1, "turned.csv");
    for (k, name) in [(1, "groups"), (2, "turned"), (3, "groups")] {
        sum(k, 3, &format!("--statistic compare --groups {name}.csv"), &format!("g{k}.json"));
    }
    assert!(said("g1.json g2.json g3.json").contains("g2.json: the table of groups differs"));
    sum(2, 3, "--statistic compare --groups groups.csv --want map", "g2.json");
    assert!(said("g1.json g2.json g3.json").contains("g2.json: what is wanted of the comparison differs"));
    let ages = |age: usize, out: &str| {
        let lines = (0..60).map(|i| format!("{i},{}\n", (age + i) % 30));
        fs::write(path.join(out), format!("record,age\n{}", lines.collect::<String>())).unwrap();
    };
    ages(0, "ages.csv");
    ages(1, "aged.csv");
    let regress = |k: usize, table: &str, more: &str, out: &str| {
        sum(k, 3, &format!("--statistic regress --covariates {table}.csv {more}"), out);
    };
    [1, 3].into_iter().for_each(|k| regress(k, "ages", "--bounds age=0:30", &format!("r{k}.json")));
    for (table, more, why) in [
        ("aged", "--bounds age=0:30", "the file of records, or a table of people or covariates, differs"),
        ("ages", "--bounds age=0:31", "bounds, levels or splines of the covariates differs"),
        ("ages", "--bounds age=0:30 --residuals", "whether modes of what the covariates leave are wanted"),
    ] {
        regress(2, table, more, "r2.json");
        let error = said("r1.json r2.json r3.json");
        assert!(error.contains(&format!("r2.json: {why}")), "{error}");
    }
    let words = "--statistic regress --covariates ages.csv --bounds age=0:20 --force --out r2.json";
    let (_, _, told) = visard(path, &line(&format!("sum people.npy {FORM} --mu 3 {words}")));
    assert!(told.contains("note (do not publish): 18 values of covariates are outside the bounds"), "{told}");
    let error = refused(path, "release 1.json 2.json 3.json --mu 2 --out study");
    assert!(error.contains("made for mu = 3, not for 2"), "{error}");
    // Changed, cut, no sum at all.
    let text = fs::read_to_string(path.join("2.json")).unwrap();
    let at = text.find("\"sum\":{\"steps\":[[20,[").unwrap() + 21;
    let digit = if text.as_bytes()[at + 1] == b'7' { "8" } else { "7" };
    let mut changed = text.clone();
    changed.replace_range(at + 1..at + 2, digit);
    fs::write(path.join("other.json"), changed).unwrap();
    assert!(said("1.json other.json 3.json").contains("other.json: this sum was changed"));
    fs::write(path.join("other.json"), &text[..text.len() / 2]).unwrap();
    assert!(said("1.json other.json 3.json").contains("other.json: this is not a sum"));
    assert!(said("1.json people.npy 3.json").contains("people.npy: this is not a sum"));
    // Of another file of the same form; of one with a record of another part twice.
    let array = npy::read(&path.join("people.npy")).unwrap();
    let with = |change: &dyn Fn(&mut Vec<f64>)| {
        let mut data = array.data.clone();
        change(&mut data);
        write_npy(&path.join("people.npy"), &array.shape, &data).unwrap();
    };
    with(&|data| data.rotate_left(288));
    sum(2, 3, "", "other.json");
    assert!(said("1.json other.json 3.json").contains("other.json: the file of records"));
    with(&|data| data.copy_within(0..288, 50 * 288));
    (1..=3).for_each(|k| sum(k, 3, "", &format!("copy-{k}.json")));
    let copies = said("copy-1.json copy-2.json copy-3.json");
    assert!(copies.contains("record 0 of part 1") && copies.contains("record 50 of part 3"), "{copies}");
    let near = refused(path, &format!("sum people.npy {FORM} --mu 3 --out whole.json"));
    assert!(near.contains("record 0") && near.contains("record 50"), "{near}");
    assert!(!path.join("study").exists(), "nothing was begun");
    // Options that no sum can have.
    let words = |more: &str| format!("sum people.npy {FORM} --mu 3 {more} --allow-identical --out none.json");
    assert!(refused(path, &words("--mechanism curves")).contains("joint and joint-1"));
    assert!(refused(path, &words("--mechanism none")).contains("joint and joint-1"));
    for (more, why) in [
        ("--statistic modes --band", "--band and --clip-radius go with --statistic mean only"),
        ("--groups groups.csv", "go with --statistic compare only"),
        ("--statistic compare", "needs the table of --groups"),
        ("--statistic modes --residuals", "--spline and --residuals go with --statistic regress only"),
        ("--statistic regress --bounds age=0:1", "needs the table of --covariates"),
    ] {
        let (code, _, error) = visard(path, &line(&words(more)));
        assert!(code == Some(2) && error.contains(why), "{error}");
    }
    assert!(refused(path, &words("--part 1/61")).contains("61 parts of 60 persons"));
    assert!(refused(path, &words("--unusable refuse")).contains("record 3 of part 1/1"));
    assert!(!path.join("none.json").exists());
}

#[test]
fn passes_rest_on_what_was_drawn_before_and_every_one_is_drawn_once() {
    let dir = people(60);
    let path = dir.path();
    let all = |pass: usize, more: &str| sums(path, 2, pass, &format!("--mu 3 {more}"));
    let first = all(1, "");
    let run = |sums: &str, out: &str| done(path, &format!("release {sums} --mu 3 --out {out}"));
    assert!(run(&first, "study").contains("pass 1 of 3"));
    let round = fs::read(path.join("study/round-1.json")).unwrap();
    // A run that was ended before it wrote the round file writes the same one.
    fs::remove_file(path.join("study/round-1.json")).unwrap();
    run(&first, "study");
    assert_eq!(fs::read(path.join("study/round-1.json")).unwrap(), round);
    // Another study of the same people draws another centre; sums about that are not of this study.
    run(&first, "other");
    let theirs = all(2, "--about other/round-1.json");
    let no = |sums: &str| refused(path, &format!("release {sums} --mu 3 --out study"));
    assert!(no(&theirs).contains("is about another round"));
    let second = all(2, "--about study/round-1.json");
    let skipped = refused(path, &format!("release {second} --mu 3 --out new"));
    assert!(skipped.contains("pass 2: it comes after one that was not released yet"), "{skipped}");
    // Records that changed between the passes.
    let whole = fs::read(path.join("people.npy")).unwrap();
    let mut changed = whole.clone();
    let end = changed.len() - 1;
    changed[end - 9] ^= 1;
    fs::write(path.join("people.npy"), changed).unwrap();
    let mixed = all(2, "--about study/round-1.json");
    assert!(no(&mixed).contains("are not those of the first pass"));
    fs::write(path.join("people.npy"), whole).unwrap();
    // Altered round files: the sums about one are refused.
    let text = String::from_utf8(round.clone()).unwrap();
    let at = text.find("\"samples\":[").unwrap() + 14;
    let mut altered = text;
    altered.replace_range(at + 2..at + 3, if &altered[at + 2..at + 3] == "7" { "8" } else { "7" });
    fs::write(path.join("altered.json"), altered).unwrap();
    assert!(no(&all(2, "--about altered.json")).contains("is about another round"));
    assert_eq!(all(2, "--about study/round-1.json"), second);
    assert!(run(&second, "study").contains("pass 2 of 3"));
    assert!(no(&first).contains("pass 1: it was released, and so was a later one"));
    let third = all(3, "--about study/round-2.json");
    assert!(no(&second.replace("p2-1-2", "p3-1-2")).contains("the pass differs"));
    run(&third, "study");
    // The same sums again: the release that there is.
    let released = fs::read(path.join("study/release/certificate.json")).unwrap();
    run(&third, "study");
    assert_eq!(fs::read(path.join("study/release/certificate.json")).unwrap(), released);
    let ledger = fs::read_to_string(path.join("study/visard.ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 1, "{ledger}");
    let (code, out, error) = visard(path, "privacy verify study/release");
    assert_eq!(code, Some(0), "{out}{error}");
    // Sums are secret, under whatever name and wherever they lie.
    fs::copy(path.join("p1-1-2.json"), path.join("prior.npy")).unwrap();
    let secret =
        refused(path, &format!("face mean --prepared people.npy {FORM} --mu 1 --prior prior.npy --out x"));
    assert!(secret.contains("bears the mark"), "{secret}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path.join("p1-1-2.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// Ends `visard release` of these sums after a share of the time that it takes.
fn killed(dir: &Path, words: &str, share: f64, takes: Duration) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
    command.current_dir(dir).args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(takes.mul_f64(share));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a study keeps of its draws: the round file, and what it stores of both passes.
fn drawn(dir: &Path) -> [Option<Vec<u8>>; 3] {
    ["round-1.json", "internal/step-01.json", "internal/step-02.json"]
        .map(|name| fs::read(dir.join("study").join(name)).ok())
}

/// Kills both passes of a release, one after another, at moments spread over their time and past the end.
fn kill(times: usize) {
    let dir = people(60);
    let path = dir.path();
    let first = sums(path, 2, 1, "--mu .4 --allow-identical");
    let (mut takes, mut stopped) = ([Duration::ZERO; 2], 0);
    for k in 0..=times {
        let mut about = String::new();
        for (pass, takes) in takes.iter_mut().enumerate() {
            let sums = if pass == 0 { &first } else { &about };
            let words = format!("release {sums} --mu .4 --out study");
            if k > 0 {
                killed(path, &words, 1.3 * (k as f64 - 0.5) / times as f64, *takes);
                stopped += 1;
            }
            let before = drawn(path);
            let begun = Instant::now();
            done(path, &words);
            if k == 0 {
                *takes = begun.elapsed();
            }
            let after = drawn(path);
            let kept = |(then, now): (&Option<Vec<u8>>, &Option<Vec<u8>>)| then.is_none() || then == now;
            assert!(before.iter().zip(&after).all(kept), "pass {pass}, kill {k}: another draw");
            assert!(after[1 + pass].is_some(), "pass {pass}: nothing is stored");
            if pass == 0 {
                about = self::sums(path, 2, 2, "--mu .4 --allow-identical --about study/round-1.json");
            }
            let ledger = fs::read_to_string(path.join("study/visard.ledger.jsonl")).unwrap();
            assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 1, "pass {pass}, kill {k}");
        }
        done(path, "privacy verify study/release");
        fs::remove_dir_all(path.join("study")).unwrap();
    }
    assert_eq!(stopped, 2 * times);
}

#[test]
fn a_release_that_is_killed_pays_and_draws_once() {
    kill(4);
}

#[test]
#[ignore = "slow: a minute; a_release_that_is_killed_pays_and_draws_once is short"]
fn a_release_that_is_killed_at_many_moments_pays_and_draws_once() {
    kill(60);
}

/// A document with its numbers, and the checksums that follow from them, left out.
fn without_values(value: &mut Value) {
    match value {
        Value::Number(_) => *value = Value::Null,
        Value::String(text) if text.len() >= 32 => *text = "a checksum, or words".into(),
        Value::Array(all) => all.iter_mut().for_each(without_values),
        Value::Object(all) => all.values_mut().for_each(without_values),
        _ => {}
    }
}

/// What goes to the computers of the parts between passes: one record far off, or one that cannot be used, and its covariates show in noised values
/// only.
#[test]
fn round_files_of_neighbours_differ_in_noised_values_only() {
    let dir = people(60);
    let path = dir.path();
    let array = npy::read(&path.join("people.npy")).unwrap();
    let groups = (0..60).fold("record,group\n".to_owned(), |text, i| format!("{text}{i},g{}\n", i % 2));
    fs::write(path.join("groups.csv"), groups).unwrap();
    let run = |(statistic, rounds): (&str, usize), name: &str, own: &str, change: &dyn Fn(&mut [f64])| {
        let ages = (0..60)
            .filter(|i| *i != 50)
            .fold("record,age\n".to_owned(), |text, i| format!("{text}{i},{i}\n"));
        fs::write(path.join("ages.csv"), ages + own).unwrap();
        let mut data = array.data.clone();
        change(&mut data[50 * 288..51 * 288]);
        write_npy(&path.join("people.npy"), &array.shape, &data).unwrap();
        let (mut about, mut told, mut values, mut texts) =
            (String::new(), String::new(), Vec::new(), Vec::new());
        for k in 1..=rounds {
            let sums = sums(path, 2, k, &format!("--statistic {statistic} --mu 3 --allow-identical {about}"));
            told += &done(path, &format!("release {sums} --mu 3 --out {name} --seed 5"));
            let file = format!("{name}/round-{k}.json");
            let text = fs::read(path.join(&file)).unwrap();
            let mut value: Value = serde_json::from_slice(&text).unwrap();
            without_values(&mut value);
            values.push(value);
            texts.push(text);
            about = format!("--about {file}");
        }
        fs::remove_dir_all(path.join(name)).unwrap();
        (told.replace(name, "OUT"), values, texts)
    };
    for of in [
        ("mean", 2),
        ("modes", 2),
        ("compare --groups groups.csv --want test", 2),
        ("regress --covariates ages.csv --bounds age=0:60", 2),
    ] {
        let near = run(of, "near", "50,50\n", &|_| {});
        for far in [
            run(of, "far", "50,900\n", &|own| own.fill(90.0)),
            run(of, "lost", "", &|own| own.fill(f64::NAN)),
        ] {
            assert_eq!(near.0, far.0, "{}", of.0);
            assert_eq!(near.1, far.1, "{}", of.0);
            assert!(near.2.iter().zip(&far.2).all(|(a, b)| a != b), "the record does not enter at all");
        }
    }
}
