//! Columns, their bounds and moments; what is refused.

use super::*;

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn design(bounds: &[&str], levels: &[&str], splines: &[&str]) -> Result<Design, String> {
    Design::parse(&texts(bounds), &texts(levels), &texts(splines)).map_err(|e| e.to_string())
}

#[test]
fn columns_are_scaled_by_public_bounds_and_clipped() {
    let found = design(&["age=3:40,bmi=15:40"], &["sex=F|M"], &[]).unwrap();
    assert_eq!(found.names(), ["age", "bmi", "sex"]);
    assert_eq!(found.row(&[Some(3.0), Some(27.5), Some(1.0)]), [0.5, -1.0, 0.0, 1.0]);
    assert_eq!(found.row(&[Some(300.0), None, Some(-1.0)]), [0.5, 1.0, 0.0, -1.0]);
    assert_eq!(found.row(&[]), [0.5, 0.0, 0.0, 0.0]);
    approx::assert_relative_eq!(found.reach().powi(2), 3.25, max_relative = 1e-12);
    assert_eq!(found.expected_moments().diagonal().as_slice(), [0.25, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
    let sex = &found.covariates()[2];
    assert_eq!((sex.value("F"), sex.value("M")), (Ok(-1.0), Ok(1.0)));
    assert!(sex.value("X").unwrap_err().to_string().contains("F and M"));
    assert!(found.covariates()[0].value("nan").is_err());
    let wide = design(&[&format!("x={}:{}", -f64::MAX, f64::MAX)], &[], &[]).unwrap();
    assert_eq!(wide.row(&[Some(0.5 * f64::MAX)])[1], 0.5);
}

/// Bends are orthogonal to straight lines and to one another, no row is longer than the bound, and a natural spline is linear at its ends.
#[test]
fn bends_are_orthogonal_and_bounded() {
    for columns in 2..=6 {
        let found = design(&["age=0:10"], &["sex=F|M"], &[&format!("age={columns}")]).unwrap();
        assert_eq!(found.columns(), columns + 2);
        let expected = found.expected_moments();
        let steps = 4001;
        let mut mean = DMatrix::<f64>::zeros(columns + 2, columns + 2);
        let mut longest = 0.0f64;
        for i in 0..steps {
            let row = found.row(&[Some(10.0 * f64::from(i) / f64::from(steps - 1)), Some(1.0)]);
            longest = longest.max(row.iter().map(|x| x * x).sum::<f64>());
            assert!(row.iter().all(|x| x.abs() <= 1.0 + 1e-4));
            let x = nalgebra::DVector::from_vec(row);
            mean += &x * x.transpose() / f64::from(steps);
        }
        assert!(longest <= found.reach().powi(2), "{columns}: {longest}");
        assert!(longest > 0.98 * found.reach().powi(2));
        for i in 1..=columns {
            for j in 1..=columns {
                assert!((mean[(i, j)] - expected[(i, j)]).abs() < 2e-3, "{columns}: {mean} {expected}");
            }
            assert!(expected[(i, i)] > 0.1, "{columns}: {expected}");
            assert_eq!(found.is_bend(i), i > 1);
        }
        assert!(!found.is_bend(columns + 1) && !found.is_bend(0));
        assert_eq!(found.knots(0).unwrap().len(), columns + 1);
    }
}

/// Corners of a regular simplex about 0: all as far from one another, none longer than a row may be; moments are those of levels equally frequent.
#[test]
fn levels_are_the_corners_of_a_regular_simplex() {
    for k in 2..=MOST_LEVELS {
        let words: Vec<String> = (0..k).map(|i| format!("L{i}")).collect();
        let found = design(&["age=0:10"], &[&format!("site={}", words.join("|"))], &[]).unwrap();
        assert_eq!((found.columns(), found.names().len()), (k + 1, k));
        let site = &found.covariates()[1];
        let rows: Vec<Vec<f64>> =
            words.iter().map(|word| found.row(&[None, site.value(word).ok()])[2..].to_vec()).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                let expected = if i == j { 1.0 } else { -1.0 / (k - 1) as f64 };
                approx::assert_abs_diff_eq!(dot(a, b), expected, epsilon = 1e-12);
            }
        }
        for column in 0..k - 1 {
            let moment = rows.iter().map(|row| row[column] * row[column]).sum::<f64>() / k as f64;
            let expected = found.expected_moments()[(column + 2, column + 2)];
            approx::assert_relative_eq!(moment, expected, max_relative = 1e-12);
            assert!(!found.is_bend(column + 2));
        }
        assert!(found.row(&[]).iter().skip(1).all(|x| *x == 0.0) && !site.holds(site.reference()));
        assert!((0..k).all(|level| site.holds(site.level(level))) && !site.holds(k as f64 + 1.0));
        approx::assert_relative_eq!(found.reach().powi(2), 2.25, max_relative = 1e-12);
    }
    let three = design(&[], &["site=A|B|C"], &[]).unwrap();
    assert_eq!(three.level_columns(0).unwrap()[1], three.row(&[Some(2.0)])[1..]);
    assert_eq!(three.names(), ["site B against A", "site C against A and B"]);
    assert_eq!(three.values(&texts(&["site=C"])).unwrap(), [Some(3.0)]);
    assert!(three.covariates()[0].value("D").unwrap_err().to_string().contains("A and B and C"));
}

#[test]
fn what_makes_no_design_is_refused_in_words() {
    for (bounds, levels, splines, what) in [
        (&[][..], &[][..], &[][..], "needs covariates"),
        (&["age"], &[], &[], "NAME=LOWER:UPPER"),
        (&["age=3"], &[], &[], "NAME=LOWER:UPPER"),
        (&["age=a:b"], &[], &[], "NAME=LOWER:UPPER"),
        (&["age=40:3"], &[], &[], "below the upper"),
        (&["age=3:inf"], &[], &[], "finite"),
        (&["age=nan:3"], &[], &[], "below the upper"),
        (&["a b=3:4"], &[], &[], "letters"),
        (&["age=3:4,AGE=3:5"], &[], &[], "twice"),
        (&["age=3:4"], &["sex=F"], &[], "2 to 12 different levels"),
        (&[], &["site=A|B|A"], &[], "2 to 12 different levels"),
        (&[], &["site=A|B|C|D|E|F|G|H|I|J|K|L|M"], &[], "2 to 12 different levels"),
        (&[], &["site=A||C"], &[], "2 to 12 different levels"),
        (&[], &["sex=F|F"], &[], "2 to 12 different levels"),
        (&["age=3:4"], &[], &["bmi=4"], "no bounds"),
        (&["age=3:4"], &[], &["age=1"], "2 to 6"),
        (&["age=3:4"], &[], &["age=99"], "2 to 6"),
        (&["age=3:4"], &[], &["age=4,age=5"], "twice"),
    ] {
        let found = design(bounds, levels, splines).unwrap_err();
        assert!(found.contains(what), "{found}");
    }
}

#[test]
fn values_are_asked_for_by_name_and_within_the_bounds() {
    let found = design(&["age=3:40"], &["sex=F|M"], &[]).unwrap();
    assert_eq!(found.values(&texts(&["age=8,sex=M"])).unwrap(), [Some(8.0), Some(1.0)]);
    assert_eq!(found.values(&texts(&["sex=F"])).unwrap(), [None, Some(-1.0)]);
    for (at, what) in [
        ("age=2", "outside the bounds 3 to 40"),
        ("size=2", "has age, sex"),
        ("age", "NAME=VALUE"),
        ("age=old", "not a number"),
        ("sex=X", "F and M"),
        ("age=4,age=5", "twice"),
    ] {
        let problem = found.values(&texts(&[at])).unwrap_err().to_string();
        assert!(problem.contains(what), "{problem}");
    }
}

#[test]
fn certificates_hold_all_of_it() {
    let made = design(&["age=3:40"], &["sex=F|M"], &["age=4"]).unwrap();
    let json = serde_json::to_value(&made).unwrap();
    assert_eq!(json[0]["kind"], "spline");
    assert_eq!((&json[1]["name"], &json[1]["levels"][1]), (&"sex".into(), &"M".into()));
    assert_eq!(serde_json::from_value::<Design>(json.clone()).unwrap(), made);
    let mut broken = json;
    broken[0]["upper"] = 1.into();
    assert!(serde_json::from_value::<Design>(broken).is_err());
}
