//! `visard check`: what would count, what is wrong, what it would cost.

use super::budget::{BudgetArgs, CountingArgs};
use super::face::{MakingArgs, NeutralArgs};
use super::output::{Failure, Printer};
use super::{Global, heading};
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use visard::io::write_text;
use visard::study::check::{CheckSettings, Report, check};
use visard::study::face::{FaceInputs, TemplateSource};
use visard::study::{LedgerChoice, Place};

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard check scans/\n  visard check study/ --recursive --save all.csv\n  visard check --manifest all.csv --mu 1 --ledger hospital.jsonl --json\n\nNothing is charged and no record is kept. The \
                  output is about single people: do not publish it. Fix the list of people before you look, and\nleave nobody out because of how a \
                  scan looks: a scan that fails contributes zero.\n\nExit codes: 0 all fine, 1 something failed (or people share a file, or the ledger has no room), 2 wrong usage."
)]
pub struct CheckArgs {
    /// Folders of scans, or scan files
    #[arg(value_name = "PATH", required_unless_present = "manifest")]
    paths: Vec<PathBuf>,
    /// The table of the study's scans: a heading with the column file (relative to the table), and optional columns person, group and covariates
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    manifest: Option<PathBuf>,
    /// Search subfolders too; all scans below a folder sub-NAME belong to one person
    #[arg(long, help_heading = heading::RECORDS)]
    recursive: bool,
    /// Also register every scan: finds every problem that a study would find, and takes as long
    #[arg(long)]
    full: bool,
    /// Write a manifest of the files that count
    #[arg(long, value_name = "FILE.csv", conflicts_with = "manifest")]
    save: Option<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The ledger that would be charged
    #[arg(long, help_heading = heading::LEDGER, value_name = "FILE")]
    ledger: Option<PathBuf>,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    making: MakingArgs,
    #[command(flatten)]
    neutral: NeutralArgs,
}

/// Runs `check`.
pub fn run(args: &CheckArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if let Some(file) = args.save.as_ref().filter(|file| file.exists() && !global.force) {
        return Err(Failure::failed(format!("{} exists", file.display())).with_hint("--force replaces it"));
    }
    let budget = if args.budget.is_empty() { None } else { Some(args.budget.mu()?) };
    let made = args.making.inputs(&args.paths, Place::new("."))?;
    let settings = CheckSettings {
        records: FaceInputs {
            template: args.neutral.of(made.template, made.registration)?,
            manifest: args.manifest.clone(),
            counting: args.counting.counting(),
            ..made
        },
        recursive: args.recursive,
        full: args.full,
        budget,
        ledger: LedgerChoice { file: args.ledger.clone(), ..LedgerChoice::default() },
    };
    let report = check(&settings).map_err(Failure::failed)?;
    if let Some(file) = &args.save {
        write_text(file, &manifest(file, &report)?).map_err(Failure::failed)?;
    }
    // A path that is no text fails here, and not as an answer.
    let answer = serde_json::to_value(&report).map_err(Failure::failed)?;
    let mut text = text(&report, args.save.as_deref());
    if matches!(settings.records.template, TemplateSource::Builtin) {
        text += ADULT;
    }
    printer.result(answer, text);
    if report.is_fine() { Ok(()) } else { Err(Failure::said()) }
}

/// The files that count as a table, relative to it where they lie below it.
fn manifest(file: &Path, report: &Report) -> Result<String, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(Failure::failed);
    let base = absolute(file)?.parent().map(Path::to_owned).unwrap_or_default();
    let persons = report.people.iter().any(|counted| counted.person.is_some());
    let mut text = String::from(if persons { "file,person\n" } else { "file\n" });
    for counted in &report.people {
        let path = absolute(&counted.file)?;
        let shown = path.strip_prefix(&base).unwrap_or(&path).display().to_string();
        text.push_str(&quoted(&shown));
        if persons {
            let own = counted.person.as_ref().unwrap_or(&shown);
            text.push(',');
            text.push_str(&quoted(own));
        }
        text.push('\n');
    }
    Ok(text)
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// Said of the built-in template.
const ADULT: &str =
    "\nthe built-in template is an adult's face: for children give a public face of a child (--template)";

/// So many of a kind are shown to people; `--json` has all.
const SHOWN: usize = 20;

fn text(report: &Report, saved: Option<&Path>) -> String {
    let Report { people, skipped, failed, refused, duplicates, n, units, .. } = report;
    let usable = people.iter().filter(|counted| counted.status == "ok").count();
    let counting = if usable == 1 { "that counts" } else { "that count" };
    let mut text = format!("{usable} {} {counting}", files(usable));
    if usable < people.len() {
        let _ = write!(text, " and {} that cannot be used", people.len() - usable);
    }
    let _ = write!(text, ", {} (do not publish)", persons(*n as u64));
    let mut list = |heading: String, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = write!(text, "\n{heading}");
        for line in lines.iter().take(SHOWN) {
            let _ = write!(text, "\n  {line}");
        }
        if lines.len() > SHOWN {
            let _ = write!(text, "\n  and {} more (--json has all)", lines.len() - SHOWN);
        }
    };
    list("a study stops at this, before anything is charged".into(), refused.clone());
    list(
        format!(
            "failed: {} (such scans contribute zero; --unusable refuse stops a study at them)",
            failed.len()
        ),
        failed.iter().map(|f| format!("{}: {}", f.file.display(), f.problem)).collect(),
    );
    let same =
        |files: &Vec<PathBuf>| files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" = ");
    list(
        "identical files, or copies of one scan, given as different people's: keep one, name the person (column person, --people), or use --allow-identical".into(),
        duplicates.iter().map(same).collect(),
    );
    list(
        format!("skipped: {}", skipped.len()),
        skipped.iter().map(|s| format!("{}: {}", s.file.display(), s.why)).collect(),
    );
    let repaired = people.iter().filter(|counted| !counted.repairs.is_empty());
    list(
        "repaired, or partly left out".into(),
        repaired.map(|counted| format!("{}: {}", counted.file.display(), counted.repairs)).collect(),
    );
    let odd = units.odd.iter().map(|file| file.display().to_string()).collect();
    list("at least five times larger or smaller than the others: in other units?".into(), odd);
    let coloured = people.iter().filter(|counted| counted.appearance).count();
    if coloured > 0 {
        let _ = write!(text, "\ncolours or texture in {coloured} {}: not used", files(coloured));
    }
    let landmarks = people.iter().filter(|counted| counted.landmarks.is_some()).count();
    let _ =
        write!(text, "\nlandmark files: {landmarks}; units: {}", units.guess.unwrap_or("cannot be guessed"));
    report.notes.iter().for_each(|note| {
        let _ = write!(text, "\nnote: {note}");
    });
    if let Some(groups) = &report.groups {
        let groups: Vec<String> = groups.iter().map(|(label, count)| format!("{label} ({count})")).collect();
        let _ = write!(text, "\ngroups: {}", groups.join(", "));
    }
    if let (Some(seconds), Some(each)) = (report.seconds, report.seconds_per_scan) {
        let memory = report.memory_bytes.map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
        let _ = write!(text, "\nall records: about {seconds:.0} s here ({each:.2} s of work a scan){memory}");
    }
    if let Some(price) = &report.price {
        let after =
            price.ledger_total_after.map_or(String::new(), |after| format!("; the ledger then: {after}"));
        let _ = write!(text, "\na mean face of {}: {}{after}", persons(price.n), price.loss);
        if let Some(problem) = &price.problem {
            let _ = write!(text, "\nthe ledger refuses: {problem}");
        }
    }
    if let Some(saved) = saved {
        let _ = write!(text, "\nmanifest: {}", saved.display());
    }
    text
}

fn persons(count: u64) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

fn files(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}
