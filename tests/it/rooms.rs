//! The house as `docs/concepts.md` draws it: imports run downwards only, from room to room, and no files import each other in a circle.
//!
//! What counts is what the code outside its tests names, wherever it is defined: a `mod.rs` that passes a name on stands for nothing. The
//! rooms stand in crates: a crate names those below it in its `Cargo.toml`, and no other of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use syn::visit::{self, Visit};

/// Every room, the lowest first: a file imports from its own room and from those before it. `cli` is the command, which `command` passes on;
/// `main` and `viewer_main` are the programs. `io` gives out meshes, so the types of `mesh`, which opens no file, are below it.
const ROOMS: &[&str] = &[
    "fault",
    "numeric",
    "parallel",
    "mesh",
    "io",
    "conformal",
    "function",
    "surface",
    "manifold",
    "stats",
    "landmark",
    "synth",
    "images",
    "privacy",
    "estimate",
    "optimize",
    "mechanism",
    "report",
    "job",
    "optimize_study",
    "study",
    "sites",
    "parts",
    "surface_study",
    "norm",
    "reproduce",
    "prelude",
    "cli",
    "command",
    "main",
    "viewer",
    "viewer_main",
    "python",
];

/// The crates that are a room of their own, in which `crate` means the room; all others are one house.
const APART: &[(&str, &str)] = &[
    ("src/main.rs", "main"),
    ("viewer/src/lib.rs", "viewer"),
    ("viewer/src/main.rs", "viewer_main"),
    ("python/src/lib.rs", "python"),
];

/// Every crate of `crates/`, the lowest first; `visard` itself is above them all.
const CRATES: &[&str] = &[
    "base",
    "manifold",
    "geometry",
    "landmark",
    "io",
    "images",
    "privacy",
    "estimate",
    "optimize",
    "mechanism",
    "report",
    "job",
    "optimize-study",
    "study",
    "sites",
    "parts",
    "surface",
    "norm",
    "reproduce",
];

/// A module or an item, from the root of the house, whichever crate it is in; those of the crates in [`APART`] are below their room.
type Name = Vec<String>;

/// What a module names.
#[derive(Debug, Default)]
struct Module {
    file: String,
    /// What it has imported, by the name it has here.
    imports: BTreeMap<String, Name>,
    /// The paths in its code; and whether each is only passed on to others.
    paths: Vec<(Name, bool)>,
}

/// All modules of all crates.
#[derive(Debug, Default)]
struct House {
    modules: BTreeMap<Name, Module>,
}

/// Reads the files of the crates, module by module.
struct Reader<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    house: House,
    /// The module it is in.
    at: Name,
    file: String,
    /// Where the files of its submodules are.
    folder: String,
}

impl Reader<'_> {
    fn enter(&mut self, file: String, folder: String) {
        let text = (self.read)(&file).unwrap_or_else(|| panic!("there is no {file}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        let outside = (std::mem::replace(&mut self.file, file), std::mem::replace(&mut self.folder, folder));
        self.module();
        self.visit_file(&parsed);
        (self.file, self.folder) = outside;
    }

    fn module(&mut self) -> &mut Module {
        let module = self.house.modules.entry(self.at.clone()).or_default();
        module.file.clone_from(&self.file);
        module
    }

    fn import(&mut self, tree: &syn::UseTree, before: &Name, passed_on: bool) {
        let joined = |ident: &syn::Ident| before.iter().cloned().chain([ident.to_string()]).collect::<Name>();
        let (name, path) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &joined(&path.ident), passed_on),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, passed_on));
            }
            syn::UseTree::Glob(_) => (None, before.clone()),
            syn::UseTree::Name(leaf) if leaf.ident == "self" => (before.last().cloned(), before.clone()),
            syn::UseTree::Name(leaf) => (Some(leaf.ident.to_string()), joined(&leaf.ident)),
            syn::UseTree::Rename(leaf) => (Some(leaf.rename.to_string()), joined(&leaf.ident)),
        };
        let module = self.module();
        module.imports.extend(name.map(|name| (name, path.clone())));
        module.paths.push((path, passed_on));
    }
}

/// Whether a module is of one of the crates in [`APART`].
fn is_apart(at: &Name) -> bool {
    at.first().is_some_and(|first| APART.iter().any(|(_, room)| first == room))
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_test(&item.attrs) {
            return;
        }
        let (name, outside) = (item.ident.to_string(), self.folder.clone());
        let folder = format!("{outside}{name}/");
        self.at.push(name);
        match &item.content {
            Some(_) => {
                self.folder = folder;
                visit::visit_item_mod(self, item);
            }
            None => {
                let beside = format!("{}.rs", folder.trim_end_matches('/'));
                let inside = format!("{folder}mod.rs");
                self.enter(if (self.read)(&beside).is_some() { beside } else { inside }, folder);
            }
        }
        self.folder = outside;
        self.at.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // The root of a crate names the rooms of those below it, which is no import.
        if !self.at.is_empty() && !is_test(&item.attrs) {
            let passed_on = !matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, &Name::new(), passed_on);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    // `pub(super)` is no import.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let name = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.module().paths.push((name, false));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string().replace("\\\"", "").replace(" :: ", "::");
        let code = text.split('"').step_by(2);
        let words = code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':'));
        let paths = words.filter(|word| word.contains("::"));
        let names =
            paths.map(|path| (path.trim_matches(':').split("::").map(str::to_owned).collect(), false));
        self.module().paths.extend(names);
        visit::visit_macro(self, item);
    }
}

impl House {
    /// Reads the crates that begin with these files, each with its room where it is one of its own.
    fn read(roots: &[(&str, Option<&str>)], read: &dyn Fn(&str) -> Option<String>) -> Self {
        let house = Self::default();
        let mut reader = Reader { read, house, at: Name::new(), file: String::new(), folder: String::new() };
        for (file, room) in roots {
            reader.at = room.iter().map(|&room| room.to_owned()).collect();
            let folder = file.rfind('/').map_or("", |end| &file[..=end]);
            reader.enter((*file).to_owned(), folder.to_owned());
        }
        reader.house
    }

    /// The module a path leads to from `at`: through imports to where the name is defined. None for what is not of this crate.
    fn target(&self, at: &Name, path: &[String], depth: usize) -> Option<Name> {
        let (first, rest) = path.split_first().filter(|_| depth < 9)?;
        let child = || [at.as_slice(), &path[..1]].concat();
        match first.as_str() {
            "crate" => {
                Some(self.walk(if is_apart(at) { at[..1].to_vec() } else { Name::new() }, rest, depth))
            }
            "visard_viewer" => Some(self.walk(vec!["viewer".to_owned()], rest, depth)),
            name if name == "visard" || name.starts_with("visard_") => {
                Some(self.walk(Name::new(), rest, depth))
            }
            "self" => Some(self.walk(at.clone(), rest, depth)),
            "super" => {
                let parent = at.split_last()?.1.to_vec();
                match rest.first() {
                    Some(next) if next == "super" => self.target(&parent, rest, depth),
                    _ => Some(self.walk(parent, rest, depth)),
                }
            }
            _ if !rest.is_empty() && self.modules.contains_key(&child()) => {
                Some(self.walk(child(), rest, depth))
            }
            _ => {
                let import = self.modules.get(at)?.imports.get(first)?;
                self.target(at, &[import.as_slice(), rest].concat(), depth + 1)
            }
        }
    }

    /// As far down from `at` as there are modules, and on through what the last one has imported. Where a module and what it has
    /// imported have one name, a path that ends there means the latter.
    fn walk(&self, at: Name, path: &[String], depth: usize) -> Name {
        let Some((name, rest)) = path.split_first() else { return at };
        let child = [at.as_slice(), std::slice::from_ref(name)].concat();
        let import = self.modules.get(&at).and_then(|module| module.imports.get(name));
        match import {
            Some(import) if rest.is_empty() || !self.modules.contains_key(&child) => {
                let through = [import.as_slice(), rest].concat();
                self.target(&at, &through, depth + 1).unwrap_or(at)
            }
            _ if self.modules.contains_key(&child) => self.walk(child, rest, depth),
            _ => at,
        }
    }

    /// Which modules each module imports from, and by which path.
    fn imports(&self) -> impl Iterator<Item = (&Name, Name, &Name)> {
        self.modules.iter().flat_map(move |(at, module)| {
            module.paths.iter().filter_map(move |(path, passed_on)| {
                let target = self.target(at, path, 0)?;
                // What a module passes on of its own submodules is no import.
                let is_front = *passed_on && target.starts_with(at);
                (!is_front && target != *at).then_some((at, target, path))
            })
        })
    }

    /// Imports from a room above, or between rooms that have no place in [`ROOMS`].
    fn upwards(&self, rooms: &[&str]) -> BTreeSet<String> {
        let floor =
            |name: &Name| rooms.iter().position(|room| name.first().is_some_and(|first| first == room));
        let is_up = |from: &Name, to: &Name| match (floor(from), floor(to)) {
            (Some(from), Some(to)) => from < to,
            // The root of the house passes on other people's libraries, to crates above it.
            _ if is_apart(from) && to.is_empty() => false,
            _ => !from.is_empty(),
        };
        let up = self.imports().filter(|(from, to, _)| is_up(from, to));
        up.map(|(from, _, path)| format!("{}: {}", self.modules[from].file, path.join("::"))).collect()
    }

    /// The circles of files that import each other: for each the imports between its files.
    fn circles(&self) -> Vec<Vec<String>> {
        let mut below: BTreeMap<&str, BTreeMap<&str, &Name>> = BTreeMap::new();
        for (from, to, path) in self.imports() {
            let (from, to) = (self.modules[from].file.as_str(), self.modules[&to].file.as_str());
            if from != to {
                below.entry(from).or_default().insert(to, path);
            }
        }
        let reached = |from: &str| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
            while let Some(next) = open.pop() {
                let imports = below.get(next.as_str()).into_iter().flat_map(BTreeMap::keys);
                open.extend(imports.map(|file| (*file).to_owned()).filter(|file| seen.insert(file.clone())));
            }
            seen
        };
        let reach: BTreeMap<&str, BTreeSet<String>> =
            below.keys().map(|&file| (file, reached(file))).collect();
        let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|reached| reached.contains(to));
        let mut circles: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
        for (&from, imports) in &below {
            let circle = below.keys().copied().filter(|to| reaches(from, to) && reaches(to, from)).collect();
            let within = imports.iter().filter(|(to, _)| reaches(to, from));
            let lines = within.map(|(to, path)| format!("{from} -> {to} ({})", path.join("::")));
            circles.entry(circle).or_default().extend(lines);
        }
        circles.into_values().filter(|lines| !lines.is_empty()).collect()
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn this_house() -> &'static House {
    static HOUSE: OnceLock<House> = OnceLock::new();
    HOUSE.get_or_init(read_this_house)
}

fn read_this_house() -> House {
    let libraries: Vec<String> = CRATES.iter().map(|name| format!("crates/{name}/src/lib.rs")).collect();
    let one_house = libraries.iter().map(String::as_str).chain(["src/lib.rs"]).map(|file| (file, None));
    let apart = APART.iter().map(|(file, room)| (*file, Some(*room)));
    let roots: Vec<(&str, Option<&str>)> = one_house.chain(apart).collect();
    House::read(&roots, &|file| fs::read_to_string(here().join(file)).ok())
}

#[test]
fn a_crate_names_those_below_it() {
    let folders = fs::read_dir(here().join("crates")).unwrap();
    let found: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, CRATES.iter().map(|&name| name.to_owned()).collect());
    for (floor, name) in CRATES.iter().enumerate() {
        let manifest = Path::new("crates").join(name).join("Cargo.toml");
        let text = fs::read_to_string(here().join(&manifest)).unwrap();
        for line in text.lines().filter(|line| line.starts_with("visard")) {
            let named = line.split(['.', ' ']).next().unwrap().trim_start_matches("visard-");
            assert!(CRATES[..floor].contains(&named), "{}: {named} is not below it", manifest.display());
        }
    }
}

/// Lines of any kind that the compiler takes at once.
#[test]
fn no_crate_is_too_large() {
    fn lines(path: &Path) -> usize {
        if path.is_dir() {
            return fs::read_dir(path).unwrap().map(|entry| lines(&entry.unwrap().path())).sum();
        }
        let is_code = path.extension().is_some_and(|ending| ending == "rs");
        if is_code { fs::read_to_string(path).unwrap().lines().count() } else { 0 }
    }
    let sources =
        CRATES.iter().map(|name| format!("crates/{name}/src")).chain(["src".into(), "viewer/src".into()]);
    for source in sources {
        let lines = lines(&here().join(&source));
        assert!(lines > 0 && lines <= 25_000, "{source}: {lines} lines");
    }
}

#[test]
fn no_import_runs_upwards() {
    let upwards = this_house().upwards(ROOMS);
    assert!(upwards.is_empty(), "from a room above:\n{}", upwards.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn no_files_import_each_other() {
    let house = this_house();
    let circles: Vec<String> = house.circles().iter().map(|lines| lines.join("\n")).collect();
    assert!(circles.is_empty(), "circles:\n{}", circles.join("\n\n"));
}

/// A house of these files.
fn house(files: &[(&str, &str)]) -> House {
    let read = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    let apart = APART.iter().filter(|(file, _)| read(file).is_some());
    let roots: Vec<_> =
        [("lib.rs", None)].into_iter().chain(apart.map(|(file, room)| (*file, Some(*room)))).collect();
    House::read(&roots, &read)
}

#[test]
fn an_import_from_above_is_seen() {
    let upwards = |io: &str| {
        let files = [("lib.rs", "mod io; mod study;"), ("io.rs", io), ("study/mod.rs", "pub struct Job;")];
        house(&files).upwards(&["io", "study"]).len()
    };
    for import in [
        "use crate::study::Job;",
        "use super::{study::{Job as Work}};",
        "fn f() -> crate::study::Job { loop {} }",
        "fn f() { println!(\"{}\", crate::study::Job::NAME); }",
        "mod inside { pub fn f() { use super::super::study; } }",
        "use crate::attic;",
    ] {
        assert_eq!(upwards(import), 1, "{import}");
    }
    for none in [
        "",
        "#[cfg(test)] mod tests { use crate::study::Job; }",
        "/// [`crate::study::Job`]\npub fn f() { println!(\"crate::study::Job\"); }",
        "use other::study::Job;",
    ] {
        assert_eq!(upwards(none), 0, "{none}");
    }
    assert_eq!(
        house(&[("lib.rs", "mod io; mod attic;"), ("io.rs", ""), ("attic.rs", "use crate::io;")])
            .upwards(&["io"])
            .len(),
        1
    );
}

#[test]
fn in_a_crate_apart_crate_means_its_room() {
    let found = |io: &str, look: &str| {
        let files = [
            ("lib.rs", "mod io;"),
            ("io.rs", io),
            ("viewer/src/lib.rs", "mod look; mod pane;"),
            ("viewer/src/look.rs", look),
            ("viewer/src/pane.rs", "use crate::look::Look; use visard::{io::Scan, nalgebra};"),
            ("viewer/src/main.rs", "use visard_viewer::pane;"),
        ];
        let house = house(&files);
        (house.upwards(&["io", "viewer", "viewer_main"]).len(), house.circles().len())
    };
    assert_eq!(found("", ""), (0, 0));
    assert_eq!(found("use visard_viewer::look;", ""), (1, 0));
    assert_eq!(found("", "use super::pane::Pane;"), (0, 1));
}

#[test]
fn a_circle_is_seen_through_the_names_that_are_passed_on() {
    let circles = |front: &str, run: &str, error: &str| {
        let front = format!("mod error; mod run; {front}");
        let files =
            [("lib.rs", "mod job;"), ("job/mod.rs", &front), ("job/run.rs", run), ("job/error.rs", error)];
        house(&files).circles().len()
    };
    // Only passed on: the front stands for nothing.
    assert_eq!(
        circles("pub use error::Error; pub use run::Run;", "use super::Error;", "pub struct Error;"),
        0
    );
    assert_eq!(circles("pub use error::Error; pub use run::Run;", "use super::Error;", "use super::Run;"), 1);
    assert_eq!(circles("pub use error::Error; use run::Run;", "use super::Error;", ""), 0);
    // Defined in the front, which uses its part.
    assert_eq!(circles("pub struct Error; use run::Run;", "use super::Error;", ""), 1);
    assert_eq!(circles("pub struct Error; pub use run::Run; fn f(run: Run) {}", "use super::Error;", ""), 1);
    assert_eq!(circles("pub struct Error; fn f() { run::run() }", "use super::*;", ""), 1);
    assert_eq!(circles("pub struct Error; pub use run::Run;", "use super::Error;", ""), 0);
}
