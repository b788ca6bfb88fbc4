//! Regressions over many sites.

use super::consortium::{Consortium, SITES, What, ages, refused};
use std::fs;
use visard::mechanism::functional::Sharing;
use visard::sites::{Findings, KnownPlan, SitePlan, merge_round};
use visard::study::face::{TemplateSource, load_template};

#[test]
fn covariates_are_regressed_on_over_sites_and_tables_that_do_not_fit_cost_nothing() {
    for noise in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let consortium = Consortium::of(What::Regression, noise, 2.0, None, false);
        for (text, expected) in [
            (ages(5).replace("age", "height"), "there is no column age"),
            (ages(5).replace("1,27", "1,old"), "age"),
            (ages(6), "is not a record of this study"),
        ] {
            fs::write(consortium.path("a.csv"), text).unwrap();
            refused(consortium.answer("a"), expected);
        }
        fs::remove_file(consortium.path("a.csv")).unwrap();
        refused(consortium.answer("a"), "give the table --covariates");
        assert!(consortium.charges("a").is_empty());
        // A site may have people of one age only, without an age, or outside the bounds: only its own holder is told.
        let odd = "record,age\n0,27\n1,27\n2,\n3,90\n4,27\n";
        fs::write(consortium.path("a.csv"), odd).unwrap();
        let remarks = consortium.answer("a").unwrap().remarks.join("; ");
        assert!(remarks.contains("1 of 5 records has no value of age"), "{remarks}");
        assert!(remarks.contains("1 value of covariates is outside"), "{remarks}");
        let (certificate, Findings::Regression(found)) = consortium.rounds(noise) else {
            panic!("a regression")
        };
        assert!(certificate.private && certificate.n == 20 && certificate.loss.to_string().contains('2'));
        assert!(certificate.mechanism.contains("regression over many sites"), "{}", certificate.mechanism);
        assert_eq!(certificate.details["covariates"][0]["name"], "age");
        assert_eq!(found.fields.columns.len(), 1);
        let field = &found.fields.columns[0];
        assert!(field.error > 0.0 && field.error < 0.05 && field.rms < 0.1, "{} {}", field.error, field.rms);
        if noise == Sharing::Each {
            let own = &certificate.details["site_certificates"]["b"]["details"];
            assert_eq!(own["covariates"][0]["upper"], 70.0);
        }
        assert_eq!(consortium.charges("b"), [2]);
        for file in ["mean.ply", "fields.npy", "band.npy", "modes.npy", "variances.csv", "report.html"] {
            assert!(consortium.path("study/release").join(file).is_file(), "{file}");
        }
        visard::study::verify(&consortium.path("study"), None, None).unwrap();
    }
}

#[test]
fn covariates_do_not_change_between_rounds_and_are_in_the_plan() {
    let consortium = Consortium::of(What::Regression, Sharing::Each, 2.0, None, false);
    SITES.iter().for_each(|(site, _)| drop(consortium.answer(site).unwrap()));
    merge_round(&consortium.closing(&[])).unwrap();
    fs::write(consortium.path("a.csv"), ages(5).replace("1,27", "1,28")).unwrap();
    refused(consortium.answer("a"), "differ from those of the first round");
    // Put back, the same round is answered.
    fs::write(consortium.path("a.csv"), ages(5)).unwrap();
    consortium.answer("a").unwrap();
    // Too few people for a covariate are refused with the plan.
    let known = KnownPlan::read(&consortium.path("public")).unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap();
    known.plan.check_release(&template).unwrap();
    let few = SitePlan { mu: 0.1, ..known.plan };
    refused(few.check_release(&template), "covariate");
    // A plan of more than one statistic, of bounds that are none, or of too few people is none.
    let plan = consortium.path("public/plan.json");
    let text = fs::read_to_string(&plan).unwrap();
    for (from, to, expected) in [
        ("\"regression\": {", "\"modes\": 2, \"regression\": {", "need a plan each"),
        ("\"upper\": 70.0", "\"upper\": 1.0", "not a plan for several sites"),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(&plan, text.replace(from, to)).unwrap();
        let error = KnownPlan::read(&consortium.path("public")).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
