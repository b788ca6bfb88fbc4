//! One ledger by many names, files that are none, rights, and waiting for a lock.

use super::*;

#[test]
fn waiting_ends_with_the_lock_or_with_patience() {
    let (_folder, path) = place();
    let first = Ledger::open(&path, None).unwrap();
    assert!(matches!(Ledger::open(&path, None), Err(LedgerError::Locked(_))));
    let short = Duration::from_millis(50);
    assert!(matches!(Ledger::open_waiting(&path, None, short), Err(LedgerError::Locked(_))));
    std::thread::scope(|scope| {
        let waiting = scope
            .spawn(|| Ledger::open_waiting(&path, None, Duration::MAX).unwrap().charge("b", gaussian(1.0)));
        drop(first);
        assert!(waiting.join().unwrap().is_ok());
    });
    // Whoever waits for a ledger that is withdrawn begins one.
    fs::remove_file(&path).unwrap();
    let first = Ledger::open(&path, None).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope
            .spawn(|| Ledger::open_waiting(&path, None, Duration::MAX).unwrap().charge("b", gaussian(1.0)));
        first.withdraw();
        assert!(waiting.join().unwrap().is_ok());
    });
    assert_eq!(Ledger::history(&path).unwrap().charges.len(), 1);
}

#[test]
fn folders_and_missing_folders_are_no_ledgers() {
    let (folder, path) = place();
    assert!(matches!(Ledger::open(folder.path(), None), Err(LedgerError::NotAFile { .. })));
    assert!(matches!(Ledger::history(folder.path()), Err(LedgerError::NotAFile { .. })));
    assert!(matches!(Ledger::open(&folder.path().join("no/such/folder"), None), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::open(Path::new(""), None), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::history(&path), Err(LedgerError::Io { .. })));
    assert!(!path.exists());
    // A sparse file of half a gigabyte is refused before it is in memory.
    fs::File::create(&path).unwrap().set_len(1 << 29).unwrap();
    assert!(matches!(Ledger::open(&path, None), Err(LedgerError::TooLarge(_))));
}

/// Files beside the ledger are not ours to lose.
#[test]
fn a_file_in_the_way_of_the_kept_state_is_kept_too() {
    let (folder, path) = place();
    let beside = |ending: &str| folder.path().join(format!("{LEDGER_FILE}{ending}"));
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.charge("a", gaussian(1.0)).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    let tear = |cut: usize| {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 1.0);
    };
    fs::write(beside(".bak"), "the owner's own backup").unwrap();
    fs::write(beside(".bak2"), "and another").unwrap();
    tear(whole.len() - 5);
    assert_eq!(fs::read(beside(".bak")).unwrap(), whole[..whole.len() - 5]);
    assert_eq!(fs::read_to_string(beside(".bak2")).unwrap(), "and another");
    assert_eq!(fs::read_to_string(beside(".bak3")).unwrap(), "the owner's own backup");
    // An older state that is in the newer one whole is replaced by it; a longer one is not.
    tear(whole.len() - 4);
    assert!(!beside(".bak4").exists());
    tear(whole.len() - 9);
    assert_eq!(fs::read(beside(".bak")).unwrap(), whole[..whole.len() - 9]);
    assert_eq!(fs::read(beside(".bak4")).unwrap(), whole[..whole.len() - 4]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// A ledger with a charge of 3 and a torn seal, by a link from another folder.
    fn linked() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let (folder, path) = place();
        Ledger::open(&path, None).unwrap().charge("a", gaussian(3.0)).unwrap();
        let study = folder.path().join("study");
        fs::create_dir(&study).unwrap();
        let link = study.join("people.jsonl");
        symlink(Path::new("..").join(LEDGER_FILE), &link).unwrap();
        (folder, path, link)
    }

    #[test]
    fn a_torn_ledger_is_repaired_through_a_link() {
        let (_folder, path, link) = linked();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 20]).unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        let mut ledger = Ledger::open(&link, None).unwrap();
        assert!(ledger.was_repaired());
        // All names lock the same file, also after the repair.
        for name in [&path, &link] {
            assert!(matches!(Ledger::open(name, None), Err(LedgerError::Locked(_))));
        }
        ledger.charge("b", gaussian(4.0)).unwrap();
        drop(ledger);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode, "the same file");
        for name in [&path, &link] {
            assert_eq!(spent_mu(&Ledger::open(name, None).unwrap()), 5.0);
        }
        let kept = path.with_file_name(format!("{LEDGER_FILE}.bak"));
        assert_eq!(fs::read(kept).unwrap(), whole[..whole.len() - 20]);
        assert_eq!(fs::read_dir(link.parent().unwrap()).unwrap().count(), 1, "nothing beside the link");
    }

    #[test]
    fn a_link_to_nothing_begins_no_ledger() {
        let (_folder, path, link) = linked();
        fs::remove_file(&path).unwrap();
        assert!(matches!(Ledger::open(&link, None), Err(LedgerError::Missing(_))));
        assert!(matches!(Ledger::history(&link), Err(LedgerError::Missing(_))));
        assert!(!path.exists());
        let round = link.with_file_name("round");
        symlink(&round, &round).unwrap();
        assert!(Ledger::open(&round, None).is_err());
    }

    #[test]
    fn several_hard_links_are_refused() {
        let (folder, path, _) = linked();
        let whole = fs::read(&path).unwrap();
        let second = folder.path().join("second.jsonl");
        fs::hard_link(&path, &second).unwrap();
        for name in [&path, &second] {
            let error = Ledger::open(name, None).unwrap_err();
            assert!(matches!(error, LedgerError::HardLinks { links: 2, .. }), "{error}");
            assert!(error.to_string().contains("keep one"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), whole);
        // Reading harms nobody.
        assert_eq!(Ledger::history(&second).unwrap().charges.len(), 1);
        fs::remove_file(&second).unwrap();
        assert!(Ledger::open(&path, None).is_ok());
    }

    /// None of them is opened: that alone would hang on a pipe.
    #[test]
    fn pipes_and_devices_are_refused() {
        let (folder, _) = place();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let link = folder.path().join("link");
        symlink("/dev/zero", &link).unwrap();
        for name in [pipe.as_path(), link.as_path(), Path::new("/dev/null"), Path::new("/dev/zero")] {
            assert!(
                matches!(Ledger::open(name, None), Err(LedgerError::NotAFile { .. })),
                "{}",
                name.display()
            );
            assert!(matches!(Ledger::history(name), Err(LedgerError::NotAFile { .. })), "{}", name.display());
        }
    }

    #[test]
    fn ledgers_and_kept_states_are_their_owners_only() {
        let (_folder, path) = place();
        Ledger::open(&path, None).unwrap().charge("a", gaussian(1.0)).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        drop(Ledger::open(&path, None).unwrap());
        for name in [LEDGER_FILE.to_owned(), format!("{LEDGER_FILE}.bak")] {
            let mode = fs::metadata(path.with_file_name(&name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}
