//! Groups compared over many sites.

use super::consortium::{Consortium, SITES, What, refused, table};
use std::fs;
use visard::mechanism::functional::Sharing;
use visard::mechanism::vector::GroupAim;
use visard::sites::{Findings, merge_round};

#[test]
fn groups_are_compared_over_sites_and_tables_that_do_not_fit_cost_nothing() {
    groups_are_compared(&[
        (Sharing::Sites { honest: 2 }, &[GroupAim::Map]),
        (Sharing::Aggregators, &[GroupAim::Test]),
        (Sharing::Each, &[GroupAim::Map, GroupAim::Test]),
    ]);
}

#[test]
#[ignore = "slow: a quarter of a minute; groups_are_compared_over_sites_and_tables_that_do_not_fit_cost_nothing has the others"]
fn groups_are_compared_with_the_other_aims() {
    groups_are_compared(&[
        (Sharing::Sites { honest: 2 }, &[GroupAim::Test]),
        (Sharing::Aggregators, &[GroupAim::Map]),
    ]);
}

fn groups_are_compared(cases: &[(Sharing, &[GroupAim])]) {
    for &(noise, aims) in cases {
        for &aim in aims {
            let consortium = Consortium::of(What::Groups(aim), noise, 2.0, None, false);
            for (text, expected) in [
                (table(5).replace("1,patient", "1,control"), "4 of control, 1 of patient"),
                (table(5).replace("patient", "other"), "\"other\" is not one of those"),
                (table(4), "\"4\": is in no group"),
            ] {
                fs::write(consortium.path("a.csv"), text).unwrap();
                refused(consortium.answer("a"), expected);
            }
            fs::remove_file(consortium.path("a.csv")).unwrap();
            refused(consortium.answer("a"), "give the table --groups");
            assert!(consortium.charges("a").is_empty());
            fs::write(consortium.path("a.csv"), table(5)).unwrap();
            let (certificate, Findings::Groups(found)) = consortium.rounds(noise) else { panic!("groups") };
            assert!(certificate.private && certificate.n == 20 && certificate.loss.to_string().contains('2'));
            assert!(certificate.mechanism.contains("groups over many sites"), "{}", certificate.mechanism);
            assert_eq!(found.groups, [("control".into(), 13), ("patient".into(), 7)]);
            assert_eq!(
                (found.map.len(), found.test.is_some()),
                if aim == GroupAim::Map { (1, false) } else { (0, true) }
            );
            assert!(certificate.details["partition_sha256"].is_null());
            assert_eq!(certificate.details["sites"][1]["groups"], serde_json::json!([3, 1]));
            if noise == Sharing::Each {
                let own = &certificate.details["site_certificates"]["b"]["details"];
                assert_eq!(own["groups"], serde_json::json!([3, 1]));
                assert!(own["adjacency_within_groups"].as_str().unwrap().contains("of the same group"));
            }
            assert_eq!(consortium.charges("b"), [2]);
            let files = if aim == GroupAim::Map {
                &["difference.npy", "mean_control.ply", "mean_patient.ply", "report.html"][..]
            } else {
                &["test.json", "report.html"]
            };
            for file in files {
                assert!(consortium.path("study/release").join(file).is_file(), "{file}");
            }
            visard::study::verify(&consortium.path("study"), None, None).unwrap();
        }
    }
}

#[test]
fn people_do_not_change_groups_between_rounds() {
    let noise = Sharing::Each;
    let consortium = Consortium::of(What::Groups(GroupAim::Map), noise, 2.0, None, false);
    SITES.iter().for_each(|(site, _)| drop(consortium.answer(site).unwrap()));
    merge_round(&consortium.closing(&[])).unwrap();
    // As many of each, but others.
    let text = table(5).replace("0,control", "0,patient").replace("1,patient", "1,control");
    fs::write(consortium.path("a.csv"), text).unwrap();
    refused(consortium.answer("a"), "differ from those of the first round");
}
