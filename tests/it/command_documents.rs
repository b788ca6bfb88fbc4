//! What the documents say of the command is true: every command in them parses and every option they name exists, the studies of the guide
//! have a price, the table of what is offered is what is offered, and numbers that code knows are its numbers.

use clap::Command;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use visard::command::{answer, interface};
use visard::io::{RecordSize, read_shapes, write_npy};
use visard::mechanism::registry::entries;
use visard::study::Stop;
use visard::study::face::FaceMechanism;
use visard::study::points::PointMechanism;

/// Every document that tells people what to type: its name and its text.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["docs", "docs/guide"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let in_docs = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        in_docs.filter(|file| file.extension().is_some_and(|e| e == "md")).collect();
    files.push(root.join("README.md"));
    files.sort();
    let named =
        |file: &PathBuf| (file.file_name().unwrap().display().to_string(), fs::read_to_string(file).unwrap());
    files.iter().map(named).collect()
}

/// Texts between fences, line by line with continued lines joined, and texts between single backticks elsewhere.
fn code(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut blocks, mut spans, mut prose, mut inside) = (Vec::new(), Vec::new(), String::new(), false);
    let mut open = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose.push_str(line);
            prose.push(if line.trim().is_empty() { '`' } else { ' ' });
            // A blank line ends a span that was left open.
            if line.trim().is_empty() {
                spans.extend(std::mem::take(&mut prose).split('`').skip(1).step_by(2).map(str::to_owned));
            }
        } else if let Some(begun) = line.strip_suffix('\\') {
            open.push_str(begun);
        } else {
            blocks.push(std::mem::take(&mut open) + line);
        }
    }
    spans.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    (blocks, spans)
}

/// The words of a command as a shell splits them, up to a comment or what is done with the output.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match (quoted, c) {
            (Some(quote), c) if c == quote => quoted = None,
            (None, '"' | '\'') => quoted = Some(c),
            (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    let end =
        words.iter().position(|word| word.starts_with('#') || ["|", ">", "&&"].contains(&word.as_str()));
    words.truncate(end.unwrap_or(words.len()));
    words
}

/// The words after `visard` of a line that runs it.
fn command_of(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start().trim_start_matches("$ ");
    let line = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("visard "))?;
    // `visard = {…}` is a line of Cargo.toml.
    (!line.starts_with('=')).then(|| words(line))
}

/// Whether something stands for what the reader puts there, so that the words are no whole command.
fn is_sketch(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| word.contains('…') || word.contains("...") || word.contains('|') || word.starts_with('['))
}

/// What is wrong with the names in a part of a command: commands and options.
fn wrong_names(words: &[String]) -> Option<String> {
    let mut command = interface();
    let global: BTreeSet<String> = options(&command).collect();
    for word in words.iter().map(|word| word.trim_matches(['[', ']', ',', '…'])) {
        if let Some(option) = word.strip_prefix("--") {
            let name = option.split(['=', '|']).next().unwrap_or_default();
            if command.get_name() != "view"
                && !options(&command).any(|known| known == name)
                && !global.contains(name)
            {
                return Some(format!("{} has no option --{name}", command.get_name()));
            }
            continue;
        }
        if !command.has_subcommands() {
            continue;
        }
        let mut found = None;
        for name in word.split('|').filter(|name| !name.is_empty()) {
            match command.find_subcommand(name) {
                Some(below) => found = Some(below.clone()),
                None => return Some(format!("there is no command {name:?} in {}", command.get_name())),
            }
        }
        command = found.unwrap_or(command);
    }
    None
}

/// The long names of a command's options, also those that its help lists in words.
fn options(command: &Command) -> impl Iterator<Item = String> + use<> {
    let own: Vec<String> = command
        .get_arguments()
        .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default())
        .chain(["help", "version"])
        .map(str::to_owned)
        .collect();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let told = help
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter_map(|word| word.strip_prefix("--"));
    own.into_iter().chain(told.map(str::to_owned).collect::<Vec<_>>())
}

#[test]
fn every_command_in_a_document_parses() {
    let (mut wrong, mut looked) = (Vec::new(), 0);
    for (name, text) in documents() {
        let (blocks, spans) = code(&text);
        for line in &blocks {
            let Some(words) = command_of(line) else { continue };
            looked += 1;
            let problem = if is_sketch(&words) {
                wrong_names(&words)
            } else {
                interface()
                    .try_get_matches_from(std::iter::once("visard".into()).chain(words))
                    .err()
                    // Help that was asked for is no mistake.
                    .filter(clap::Error::use_stderr)
                    .map(|e| e.to_string())
            };
            wrong.extend(problem.map(|problem| format!("{name}: {line}\n  {problem}")));
        }
        // In the text a command may be named without its arguments.
        for span in spans.iter().filter(|span| span.trim_start().starts_with("visard ")) {
            looked += 1;
            let problem = wrong_names(&command_of(span).unwrap_or_default());
            wrong.extend(problem.map(|problem| format!("{name}: `{span}`\n  {problem}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked > 100, "{looked}");
}

#[test]
fn every_option_in_a_document_exists() {
    let (mut known, mut commands) = (BTreeSet::new(), vec![interface()]);
    while let Some(command) = commands.pop() {
        known.extend(options(&command));
        commands.extend(command.get_subcommands().cloned());
    }
    let mut wrong = Vec::new();
    // How figures were measured names options of the programs that measure.
    for (name, text) in documents().into_iter().filter(|(name, _)| name != "measurements.md") {
        for span in code(&text).1 {
            let is_ours = !["cargo ", "maturin ", "docker ", "pip ", ".ci/", "R "]
                .iter()
                .any(|other| span.starts_with(other));
            let named = span.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            let unknown = named
                .filter_map(|word| word.strip_prefix("--"))
                .filter(|option| is_ours && !option.is_empty() && !known.contains(*option));
            wrong.extend(unknown.map(|option| format!("{name}: --{option} in `{span}`")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers of mechanisms, wherever they are told.
#[test]
fn numbers_of_mechanisms_are_those_of_the_registry() {
    let mut told = 0;
    for (name, text) in documents() {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(3) {
            let is_number = |word: &str| word.trim_matches(',').parse::<usize>().ok();
            let found = match pair {
                ["lists", "all", number] => is_number(number),
                [number, "mechanisms", ..] | [number, _, "mechanisms"] => is_number(number),
                _ => None,
            };
            if let Some(found) = found {
                assert_eq!(found, entries().count(), "{name}: {pair:?}");
                told += 1;
            }
        }
    }
    assert!(told >= 1);
}

#[test]
fn every_mechanism_that_a_study_offers_is_explained() {
    let concepts = documents().into_iter().find(|(name, _)| name == "concepts.md").unwrap().1;
    let of_points = PointMechanism::OF_SHAPES.iter().chain(PointMechanism::OF_POINTS);
    let names = of_points.map(|mechanism| mechanism.name());
    let faces = <FaceMechanism as clap::ValueEnum>::value_variants().iter().map(|mechanism| mechanism.name());
    for name in names.chain(faces).filter(|name| *name != "none") {
        assert!(concepts.contains(&format!("`{name}`")), "docs/concepts.md does not explain {name}");
    }
}

/// The names that plans and certificates use are those of the options.
#[test]
fn mechanisms_are_called_as_their_options() {
    use clap::ValueEnum;
    let name = |value: Option<clap::builder::PossibleValue>| value.unwrap().get_name().to_owned();
    for mechanism in PointMechanism::value_variants() {
        assert_eq!(mechanism.name(), name(mechanism.to_possible_value()));
    }
    for mechanism in FaceMechanism::value_variants() {
        assert_eq!(mechanism.name(), name(mechanism.to_possible_value()));
    }
}

/// A folder with a file of every name that the documents' studies read: enough records, and nothing that anyone has to look at.
struct Data(tempfile::TempDir);

impl Data {
    fn new() -> Self {
        let data = Self(tempfile::tempdir().unwrap());
        let shape = |id: &str| format!("LM=4\n0 0\n1 0\n1 1\n0 1.5\nID={id}\n");
        let shapes: String = (0..500).map(|i| shape(&i.to_string())).collect();
        let table = |heading: &str, row: &dyn Fn(usize) -> String| {
            (0..500).fold(format!("{heading}\n"), |text, i| format!("{text}{}\n", row(i)))
        };
        let group = |i: usize| ["a", "b"][i % 2];
        let scans = table("file,person,group,age,bmi,sex", &|i| {
            format!("scans/{i}.ply,{i},{},{},20,{}", group(i), 3 + i % 30, ["F", "M"][i % 2])
        });
        data.write("all.csv", &scans);
        for i in 0..500 {
            data.write(&format!("scans/{i}.ply"), "not looked at");
        }
        for name in ["skulls.tps", "outlines.tps"] {
            data.write(name, &shapes);
        }
        data.write("atlas.tps", &shape("atlas"));
        data.write("public.txt", "1\n2\n3\n");
        data.write("cities.csv", &table("city,lat,lon", &|i| format!("c{i},{},{}", i % 50, i % 40)));
        data.write("centre.csv", "lat,lon\n20,20\n");
        data.write("heights.csv", &table("a,b,c,d", &|i| format!("{i},1,2,3")));
        data.write("standard.csv", "a,b,c,d\n1,2,3,4\n");
        data.write("ages.csv", "a,b,c,d\n1,2,3,5\n");
        let ones = |n: usize| vec![1.0; n];
        let identity = |order: usize| {
            (0..500 * order * order).map(move |i| f64::from((i % (order * order)).is_multiple_of(order + 1)))
        };
        data.array("descriptors.npy", &[500, 11, 11], &identity(11).collect::<Vec<_>>());
        data.array("tensors.npy", &[500, 3, 3], &identity(3).collect::<Vec<_>>());
        data.array("points.npy", &[500, 2], &[0.1; 1000]);
        data.array("gait.npy", &[500, 20], &ones(10_000));
        data.array("corneas.npy", &[500, 4, 8], &ones(16_000));
        data.array("outlines.npy", &[500, 12, 2], &ones(12_000));
        data.array("flat.npy", &[4, 8], &ones(32));
        data
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    fn array(&self, name: &str, shape: &[usize], values: &[f64]) {
        write_npy(&self.at(name), shape, values).unwrap();
    }

    /// The command with files of this folder in place of those it names, and what it writes beneath it.
    fn here(&self, words: &[String]) -> Vec<String> {
        let mut before = "";
        let mut here = Vec::new();
        for word in words {
            let is_written = ["--out", "--ledger"].contains(&before);
            let is_read = !word.starts_with("--") && self.at(word).exists();
            here.push(if is_written || is_read { self.at(word).display().to_string() } else { word.clone() });
            before = word;
        }
        here
    }

    /// Whether the file that a study reads is here. Others the reader makes before: `tests/it/documents.rs` runs such blocks as a whole.
    fn has_records_of(&self, words: &[String]) -> bool {
        words.get(2).is_some_and(|file| self.at(file).exists())
    }

    /// What a dry run of the command says against it.
    fn price(&self, words: &[String]) -> Result<(), String> {
        let line = self.here(words).into_iter().chain(["--dry-run".to_owned()]);
        answer(line, &|_, _, _| {}, &Stop::default()).map(drop).map_err(|refusal| refusal.message)
    }
}

/// Studies in the documents are not refused: each has a price. What a study needs of records' values is not asked.
#[test]
fn every_study_in_a_document_has_a_price() {
    let data = Data::new();
    data.write(
        "groups.csv",
        &(0..500).fold("record,group\n".to_owned(), |t, i| format!("{t}{i},{}\n", ["a", "b"][i % 2])),
    );
    data.write(
        "people.csv",
        &(0..500).fold("record,age,bmi,sex\n".to_owned(), |t, i| format!("{t}{i},{},20,F\n", 3 + i % 30)),
    );
    let studies = ["shape", "spd", "sphere", "hyperbolic", "function"];
    let (mut wrong, mut priced) = (Vec::new(), 0);
    for (name, text) in documents() {
        for line in code(&text).0 {
            let words = command_of(&line).unwrap_or_default();
            let is_study = words.len() > 2
                && studies.contains(&words[0].as_str())
                && ["mean", "modes", "regress", "compare"].contains(&words[1].as_str());
            if !is_study || is_sketch(&words) || !data.has_records_of(&words) {
                continue;
            }
            priced += 1;
            wrong.extend(data.price(&words).err().map(|problem| format!("{name}: {line}\n  {problem}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(priced >= 5, "{priced}");
}

/// Where single mechanisms are offered, and how a study there begins.
const PLACES: [(&str, &str); 5] = [
    ("shapes", "shape mean outlines.tps --center atlas.tps --radius 0.15"),
    ("matrices, log-Euclidean", "spd mean tensors.npy --radius 1"),
    ("matrices, affine-invariant", "spd mean tensors.npy --metric affine-invariant --radius 1"),
    ("directions", "sphere mean cities.csv --center centre.csv --radius 0.3"),
    ("hyperbolic points", "hyperbolic mean points.npy --radius 0.5"),
];

/// The table of the guide: which mechanism takes which budget where.
fn offered() -> String {
    let data = Data::new();
    let mut table = String::from("| mechanism |");
    PLACES.iter().for_each(|(place, _)| table += &format!(" {place} |"));
    table += "\n| --- |";
    table += &" --- |".repeat(PLACES.len());
    table.push('\n');
    let mut all = PointMechanism::OF_SHAPES.to_vec();
    all.extend(PointMechanism::OF_POINTS.iter().filter(|other| !PointMechanism::OF_SHAPES.contains(other)));
    let mut rows: Vec<(Vec<String>, String)> = Vec::new();
    for mechanism in all.into_iter().filter(|mechanism| *mechanism != PointMechanism::None) {
        let name = format!("`{}`", mechanism.name());
        let mut cells = String::new();
        for (_, study) in PLACES {
            let takes = |budget: &str| {
                let line = format!("{study} --mechanism {} {budget} --out study", mechanism.name());
                data.price(&words(&line)).is_ok()
            };
            let budgets: Vec<&str> = [("μ", "--mu 1"), ("ε", "--epsilon 1")]
                .into_iter()
                .filter_map(|(name, budget)| takes(budget).then_some(name))
                .collect();
            cells += &format!(" {} |", if budgets.is_empty() { "–".to_owned() } else { budgets.join(", ") });
        }
        // What takes the same as the one before shares its row.
        match rows.last_mut().filter(|(_, other)| *other == cells) {
            Some((names, _)) => names.push(name),
            None => rows.push((vec![name], cells)),
        }
    }
    rows.iter().for_each(|(names, cells)| table += &format!("| {} |{cells}\n", names.join(", ")));
    table
}

#[test]
fn the_guide_has_the_table_of_what_is_offered() {
    let chapter = documents().into_iter().find(|(name, _)| name == "matrices_and_directions.md").unwrap().1;
    let table = offered();
    assert!(chapter.contains(&table), "docs/guide/matrices_and_directions.md needs:\n{table}");
}

/// Headings of tables of landmarks in the guide.
const HEADINGS: [&str; 5] = [
    "id,x1,y1,x2,y2",
    "xcoord1,xcoord2,ycoord1,ycoord2,age",
    "specimen,landmark,x,y",
    "specimen,x,y",
    "file,name,x,y",
];

/// What a table with this heading is taken to mean by the reader of tables, with two records of two landmarks.
fn meaning(heading: &str, dir: &Path) -> String {
    let value = |column: &str, row: usize| match column {
        "specimen" | "frame" | "file" => format!("a{}", row / 2),
        "landmark" | "bodypart" | "name" => format!("p{}", row % 2),
        _ => (row * row + column.len()).to_string(),
    };
    let row = |row| heading.split(',').map(|column| value(column, row)).collect::<Vec<_>>().join(",");
    let file = dir.join("table.csv");
    fs::write(&file, format!("{heading}\n{}\n{}\n{}\n{}\n", row(0), row(1), row(2), row(3))).unwrap();
    let told = match read_shapes(&file, RecordSize::Heading) {
        Ok(table) => table.meaning().into_iter().chain(table.notes().to_vec()).collect::<Vec<_>>().join("; "),
        Err(error) => {
            let problem = error.problem();
            let choice = problem.split("give ").nth(1).unwrap().split(" (or").next().unwrap();
            format!("refused: give {choice}")
        }
    };
    told.replace('"', "`")
        .replace("--record-column `", "`--record-column ")
        .replace("--landmark-column", "`--landmark-column`")
}

#[test]
fn the_guide_has_the_table_of_what_headings_mean() {
    let chapter = documents().into_iter().find(|(name, _)| name == "landmarks.md").unwrap().1;
    let dir = tempfile::tempdir().unwrap();
    let rows = HEADINGS.map(|heading| format!("| `{heading}` | {} |\n", meaning(heading, dir.path())));
    let table = format!("| heading of a table | meaning |\n| --- | --- |\n{}", rows.concat());
    assert!(chapter.contains(&table), "docs/guide/landmarks.md needs:\n{table}");
}
