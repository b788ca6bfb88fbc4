use super::super::fit::fits;
use super::*;
use proptest::prelude::*;

fn pure(e: f64) -> PrivacyLoss {
    PrivacyLoss::Pure(Epsilon::new(e).unwrap())
}
fn gaussian(m: f64) -> PrivacyLoss {
    PrivacyLoss::Gaussian(Mu::new(m).unwrap())
}
fn approximate(e: f64, d: f64) -> PrivacyLoss {
    PrivacyLoss::Approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
}
fn zcdp(r: f64) -> PrivacyLoss {
    PrivacyLoss::ZeroConcentrated(Rho::new(r).unwrap())
}
fn del(d: f64) -> Delta {
    Delta::new(d).unwrap()
}
fn of(losses: &[PrivacyLoss]) -> Composition {
    let mut all = Composition::new();
    for loss in losses {
        all.add("part", *loss);
    }
    all
}

#[test]
fn no_release_costs_nothing_and_a_non_private_one_everything() {
    let empty = Composition::new();
    assert_eq!(empty.epsilon_at(del(0.0)).unwrap().epsilon.get(), 0.0);
    assert_eq!(empty.total().unwrap(), pure(0.0));
    let ruined = of(&[gaussian(0.1), PrivacyLoss::NonPrivate]);
    assert!(ruined.epsilon_at(del(0.5)).is_err());
    assert_eq!(ruined.total().unwrap(), PrivacyLoss::NonPrivate);
    assert_eq!((ruined.mu().unwrap(), ruined.rho().unwrap()), (None, None));
}

#[test]
fn one_kind_keeps_its_unit() {
    assert_eq!(of(&[gaussian(3.0), gaussian(4.0)]).total().unwrap(), gaussian(5.0));
    assert_eq!(of(&[pure(0.5), pure(0.25)]).total().unwrap(), pure(0.75));
    assert_eq!(of(&[zcdp(0.5), zcdp(0.25)]).total().unwrap(), zcdp(0.75));
    assert_eq!(of(&[approximate(0.5, 1e-6)]).total().unwrap(), approximate(0.5, 1e-6));
    let mixed = of(&[pure(0.5), gaussian(1.0)]).total().unwrap();
    let PrivacyLoss::Gaussian(mu) = mixed else { panic!("{mixed:?}") };
    let converted = Mu::of_pure(Epsilon::new(0.5).unwrap()).unwrap().get();
    assert!((mu.get() - (1.0 + converted * converted).sqrt()).abs() < 1e-12);
}

#[test]
fn trees_count_like_their_leaves() {
    let mut curve = Composition::new();
    curve.add("x", gaussian(0.2)).add("y", gaussian(0.2)).add("z", gaussian(0.55));
    let mut face = Composition::new();
    face.push("curve", 23, Cost::Parts(curve));
    assert!((face.mu().unwrap().unwrap().get() - (23.0f64 * 0.3825).sqrt()).abs() < 1e-13);
    let text = serde_json::to_string(&face).unwrap();
    assert_eq!(serde_json::from_str::<Composition>(&text).unwrap(), face, "{text}");
    assert!(
        text.starts_with(r#"[{"mechanism":"curve","times":23,"parts":[{"mechanism":"x","loss":{"mu":0.2}}"#)
    );
    assert!(serde_json::from_str::<Composition>(r#"[{"mechanism":"x"}]"#).is_err());
}

fn of_group(label: &str, cost: Cost) -> Cost {
    Cost::Group(GroupCost::new(Group::new("ledger", label), cost).unwrap())
}

#[test]
fn entries_of_groups_have_a_json_form_and_do_not_nest() {
    let mut all = of(&[gaussian(1.0)]);
    all.push("mean", 3, of_group("F", Cost::Loss(gaussian(0.5))));
    let text = serde_json::to_string(&all).unwrap();
    assert!(
        text.ends_with(
            r#"{"mechanism":"mean","times":3,"group":{"ledger":"ledger","label":"F"},"loss":{"mu":0.5}}]"#
        ),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Composition>(&text).unwrap(), all);
    assert!(GroupCost::new(Group::new("ledger", "M"), Cost::Parts(all)).is_err());
    let nested = format!(r#"[{{"mechanism":"x","group":{{"ledger":"l","label":"M"}},"parts":{text}}}]"#);
    assert!(serde_json::from_str::<Composition>(&nested).is_err());
}

/// A group within a repeated set of releases counts as often as the set.
#[test]
fn groups_count_within_sets() {
    let mut inner = of(&[pure(0.25)]);
    inner.push("F", 2, of_group("F", Cost::Loss(pure(0.5))));
    inner.push("M", 1, of_group("M", Cost::Loss(pure(0.75))));
    let mut all = Composition::new();
    all.push("set", 4, Cost::Parts(inner));
    assert_eq!(all.total().unwrap(), pure(5.0));
    assert!(fits(&[&all], pure(5.0)).unwrap() && !fits(&[&all], pure(4.9)).unwrap());
}

#[test]
fn pure_terms_follow_the_optimal_theorem_of_kairouz_oh_viswanath() {
    // Their Theorem 3.3: k-fold ε-DP is (ε', δ)-DP exactly for
    // δ = Σ_{l<i} C(k,l) (e^{(k−l)ε} − e^{ε' + lε}) / (1+e^ε)^k at ε' = (k − 2i)ε.
    let (k, e) = (10i32, 0.3f64);
    let all = {
        let mut c = Composition::new();
        c.push("response", k as u32, Cost::Loss(pure(e)));
        c
    };
    for i in 1..=4 {
        let target = (k - 2 * i) as f64 * e;
        let mut delta = 0.0;
        let mut choose = 1.0;
        for l in 0..i {
            delta += choose * (((k - l) as f64 * e).exp() - (target + l as f64 * e).exp());
            choose *= (k - l) as f64 / (l + 1) as f64;
        }
        delta /= (1.0 + e.exp()).powi(k);
        let got = all.epsilon_at(del(delta)).unwrap();
        assert!((got.epsilon.get() - target).abs() < 1e-8, "i {i}: {} for {target}", got.epsilon.get());
        assert!(got.epsilon.get() >= target * (1.0 - 1e-12));
    }
    assert_eq!(all.epsilon_at(del(0.0)).unwrap().rule, Rule::Sum);
}

/// Gaussian μ = 1 with randomized response ε = 0.5, by quadrature of (p − e^ε q)⁺ over both outcomes.
/// `python3 -c "import mpmath as m; m.mp.dps=30
/// D=lambda u,e: m.ncdf(-e/u+u/2)-m.exp(e)*m.ncdf(-e/u-u/2)
/// p=1/(1+m.exp(-m.mpf(1)/2)); f=lambda e: p*D(1,e-m.mpf(1)/2)+(1-p)*D(1,e+m.mpf(1)/2)
/// print([m.nstr(f(m.mpf(e)),17) for e in (1,3)])"`
#[test]
fn gaussian_with_pure_is_the_exact_product() {
    for (e, truth) in [(1.0, 0.1698129519344599), (3.0, 0.004038284571467558)] {
        let got = of(&[gaussian(1.0), pure(0.5)]).epsilon_at(del(truth)).unwrap();
        assert_eq!(got.rule, Rule::DominatingPairs);
        assert!((got.epsilon.get() - e).abs() < 1e-10 && got.epsilon.get() > e - 1e-14, "{:?}", got);
    }
}

#[test]
fn approximate_terms_never_beat_their_own_delta() {
    let two = of(&[approximate(0.5, 1e-6), approximate(0.3, 1e-6)]);
    assert!(two.epsilon_at(del(1e-6)).is_err());
    let at_sum = two.epsilon_at(del(2.1e-6)).unwrap().epsilon.get();
    assert!(at_sum <= 0.8 && at_sum > 0.79, "{at_sum}");
    assert!(two.epsilon_at(del(0.1)).unwrap().epsilon.get() < 0.8);
}

#[test]
fn zero_concentrated_terms_mix_with_all_others() {
    let d = del(1e-6);
    let bare = of(&[zcdp(0.5)]).epsilon_at(d).unwrap();
    assert_eq!(bare.rule, Rule::RenyiSum);
    let with_gaussian = of(&[zcdp(0.5), gaussian(1.0)]).epsilon_at(d).unwrap().epsilon.get();
    let as_rho = Rho::new(1.0 + 1e-15).unwrap().epsilon_at(d).unwrap().get();
    assert!(with_gaussian <= as_rho * (1.0 + 1e-9));
    let with_approximate = of(&[zcdp(0.5), approximate(1.0, 5e-7)]).epsilon_at(d).unwrap().epsilon.get();
    assert!(with_approximate > bare.epsilon.get() && with_approximate < bare.epsilon.get() + 1.2);
    let PrivacyLoss::Approximate(..) = of(&[zcdp(0.5), approximate(1.0, 5e-7)]).total().unwrap() else {
        panic!()
    };
}

#[test]
fn many_terms_stay_finite_and_close() {
    let mut many = Composition::new();
    many.push("response", 2000, Cost::Loss(pure(0.01))).push("gauss", 400, Cost::Loss(gaussian(0.02)));
    // Σε² gives about μ² = 2000·1e-4·(π/2)(2/π)... the central limit: losses ±0.01 have variance 1e-4 each.
    let limit =
        Mu::new((2000.0f64 * 1e-4 + 400.0 * 4e-4).sqrt()).unwrap().epsilon_at(del(1e-6)).unwrap().get();
    let got = many.epsilon_at(del(1e-6)).unwrap();
    assert!(got.epsilon.get() > limit * 0.99 && got.epsilon.get() < limit * 1.05, "{got:?} about {limit}");
    let mut overflow = Composition::new();
    let mut inner = Composition::new();
    inner.push("x", u32::MAX, Cost::Loss(pure(0.1)));
    overflow.push("y", u32::MAX, Cost::Parts(inner));
    assert!(overflow.epsilon_at(del(0.1)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// No rule may beat a part alone, nor lose to plain addition.
    #[test]
    fn mixed_bounds_lie_between_the_largest_part_and_the_sum(
        mus in prop::collection::vec(0.05f64..2.0, 0..3),
        epsilons in prop::collection::vec(0.01f64..1.5, 0..4),
        rho in prop::option::of(0.01f64..1.0),
        lg_delta in -12.0f64..-2.0,
    ) {
        prop_assume!(!mus.is_empty() || !epsilons.is_empty() || rho.is_some());
        let d = 10f64.powf(lg_delta);
        let mut all = Composition::new();
        let (mut largest, mut sum) = (0f64, 0f64);
        let kinds = mus.len() + usize::from(rho.is_some());
        let share = d / kinds.max(1) as f64;
        for e in &epsilons {
            all.add("pure", pure(*e));
            sum += e;
        }
        for m in &mus {
            all.add("gaussian", gaussian(*m));
            largest = largest.max(Mu::new(*m).unwrap().epsilon_at(del(d)).unwrap().get());
            sum += Mu::new(*m).unwrap().epsilon_at(del(share)).unwrap().get();
        }
        if let Some(r) = rho {
            all.add("zcdp", zcdp(r));
            sum += Rho::new(r).unwrap().epsilon_at(del(share)).unwrap().get();
        }
        let got = all.epsilon_at(del(d)).unwrap().epsilon.get();
        prop_assert!(got >= largest * (1.0 - 1e-10), "{} below {}", got, largest);
        prop_assert!(got <= sum * (1.0 + 1e-3) + 1e-9, "{} above {}", got, sum);
    }
}

fn any_loss() -> impl Strategy<Value = PrivacyLoss> {
    prop_oneof![
        (0.0f64..1.0).prop_map(pure),
        (0.01f64..1.0).prop_map(gaussian),
        (0.01f64..1.0, 1e-9f64..1e-7).prop_map(|(e, d)| approximate(e, d)),
        (0.01f64..0.5).prop_map(zcdp),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Groups against the definition: each group's releases and everyone's written out, the largest answer taken.
    #[test]
    fn groups_compose_as_their_worst_member_does(
        releases in prop::collection::vec((0usize..4, any_loss(), 1u32..3), 1..7),
        lg_delta in -6.0f64..-2.0,
    ) {
        let labels = ["a", "b", "c"];
        let mut all = Composition::new();
        for (whose, loss, times) in &releases {
            let cost = Cost::Loss(*loss);
            let cost = labels.get(*whose).map_or(cost.clone(), |label| of_group(label, cost));
            all.push("m", *times, cost);
        }
        let named = (0..3).filter(|k| releases.iter().any(|(whose, ..)| whose == k));
        let mut each: Vec<Composition> = named.map(|k| {
            let mut own = Composition::new();
            for (_, loss, times) in releases.iter().filter(|(whose, ..)| *whose == k || *whose == 3) {
                own.push("m", *times, Cost::Loss(*loss));
            }
            own
        }).collect();
        if each.is_empty() {
            each.push(all.clone());
        }
        let delta = del(10f64.powf(lg_delta));
        let epsilons: Vec<f64> = each.iter().map(|own| own.epsilon_at(delta).unwrap().epsilon.get()).collect();
        let largest = epsilons.iter().copied().fold(0.0, f64::max);
        prop_assert_eq!(all.epsilon_at(delta).unwrap().epsilon.get(), largest);
        let most = |question: &dyn Fn(&Composition) -> Option<f64>| {
            each.iter().map(question).try_fold(0.0, |most, answer| Some(f64::max(most, answer?)))
        };
        // A group without loss has no μ and no ρ, and asks for none.
        let lost = |own: &Composition| !fits(&[own], pure(0.0)).unwrap();
        let mu = |of: &Composition| if lost(of) { of.mu().unwrap().map(Mu::get) } else { Some(0.0) };
        let rho = |of: &Composition| if lost(of) { of.rho().unwrap().map(Rho::get) } else { Some(0.0) };
        prop_assert_eq!(mu(&all), most(&mu));
        prop_assert_eq!(rho(&all), most(&rho));
        let pure_epsilon = |of: &Composition| of.pure_epsilon().unwrap().map(Epsilon::get);
        prop_assert_eq!(pure_epsilon(&all), most(&pure_epsilon));
        for limit in [gaussian(1.0), zcdp(0.7), approximate(2.0, delta.get()), pure(1.5)] {
            let each_fits = each.iter().all(|own| fits(&[own], limit).unwrap());
            prop_assert_eq!(fits(&[&all], limit).unwrap(), each_fits);
        }
        let total = all.total().unwrap();
        let covers = |own: &Composition| fits(&[own], total).unwrap();
        prop_assert!(each.iter().all(covers), "{}", total);
    }
}
