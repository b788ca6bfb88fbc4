//! Enclosures against 55 digits, their ends, and how they narrow.

use super::refine::{decide, to_grid, until_decided};
use super::*;
use num_rational::Ratio;
use proptest::prelude::*;

/// (function, argument, m, k): the value is m·10⁻ᵏ to 55 digits (mpmath 1.3, 80 digits).
#[rustfmt::skip]
#[expect(clippy::approx_constant, reason = "arguments near multiples of π, as doubles")]
const REFERENCES: &[(&str, f64, &str, i32)] = &[
    ("exp", 2.5835695101491516, "1324432965340982200129100306081124465911167660025867151", 53),
    ("exp", -7.338399559060675, "6500901196558162008744982382165506003369879048099638295", 58),
    ("exp", -0.9666804697087341, "3803435066556036783469615004137744584395159986841942980", 55),
    ("exp", -0.0033170150148240747, "9966884802018956355331911448651707833022445969109174954", 55),
    ("exp", 9.882096856364566, "1957672924389706559750709190599373630851533949461427534", 50),
    ("exp", 0.31717573320562287, "1373243875270635897186544174882528253521780401252293554", 54),
    ("exp", -0.0011490138724459201, "9988516459912385765584572420356180236491257400130942873", 55),
    ("exp", -0.07542144570896595, "9273525751969141474687957767240717670599529167043261577", 55),
    ("exp", 1e-12, "1000000000001000000000000499979886647795902168681590422", 54),
    ("exp", -1e-12, "9999999999990000000000005000201133522040576046137514222", 55),
    ("exp", 700.0, "1014232054735004509455329595231267615204679572243073349", -250),
    ("exp", -60.0, "8756510762696520338488732800739166036557107481781758906", 81),
    ("ln", 2.3432354589144047e-08, "-1756914809484752666840097080242441239395513014139802765", 53),
    ("ln", 659201614.656286, "2030653998597444581741987176728824477747282012799931457", 53),
    ("ln", 0.0022207285608826883, "-6109919956359628204626208921497258911759077905287605253", 54),
    ("ln", 1932903.899674806, "1447453404131818779098648259759043234305742897967270512", 53),
    ("ln", 5.3255155504799635e-11, "-2365592649903393371129797968760150286987056444848800219", 53),
    ("ln", 676.4386889185661, "6516841813671584321541017931743337767387179409239964538", 54),
    ("ln", 0.04743036505744817, "-3048492642359707636985531327609406238403667008167367663", 54),
    ("ln", 1.4920401200446792e-09, "-2032312144541599978937892225756013680542174672819245797", 53),
    ("ln", 1.0000000000000002, "2220446049250312834328230454615487925982331807901114703", 70),
    ("ln", 0.9999999999999999, "-1110223024625156602053389888482372171809732720065290096", 70),
    ("ln", 0.75, "-2876820724517809274392190059938274315035097108977610565", 55),
    ("ln", 1.5, "4054651081081643819780131154643491365719904234624941976", 55),
    ("sin", -7.675513545475622e-05, "-7675513537939098485214395615565685472690688046803951839", 59),
    ("sin", -437.667100597964, "8336709017467811544247081663062600149041661873132202687", 55),
    ("sin", -71.0673119389665, "-9281156864711294110489672881305560648888675492284143624", 55),
    ("sin", 0.0006650622688850553, "6650622198580158229698304792833073076476866546514815324", 58),
    ("sin", -0.07128714466587613, "-7122678149331053488055939052621343001275404638838286855", 56),
    ("sin", -4.315369789705534e-05, "-4315369788366156796354487317424395928887933105323221225", 59),
    ("sin", -500.12528382745234, "5745480941819132263409243546127441166117953559865563420", 55),
    ("sin", 0.0004887649794661096, "4887649600058340050321945103066737953789091179428275974", 58),
    ("sin", 3.141592653589793, "1224646799147353177226065932274997997083053901299791949", 70),
    ("sin", 1.5707963267948966, "9999999999999999999999999999999981253002716726780066919", 55),
    ("sin", 1e-09, "1000000000000000062114924791113189721097939630562715303", 63),
    ("cos", 0.005422011128302063, "9999853009336728505980899064539510597527582228589157667", 55),
    ("cos", -0.00023675951985073008, "9999999719724650109496624519106712352889423231696919548", 55),
    ("cos", 0.0005155038426398222, "9999998671278970542880939268615701433100188551744688144", 55),
    ("cos", -0.23110564563390462, "9734137375729197764385660740278818851680602118970481950", 55),
    ("cos", 3.928276554621822e-06, "9999999999922843216552141767905362673129972690194103949", 55),
    ("cos", 23.26283668813958, "-2946681333504562041475914078969731344678232287714756242", 55),
    ("cos", 1.852585535068141, "-2780747336440547121453904898836274440634083709555992437", 55),
    ("cos", -0.021427202606359597, "9997704462772559327715213616256291017084723448734930510", 55),
    ("cos", 3.141592653589793, "-9999999999999999999999999999999925012010866907120267676", 55),
    ("cos", 1.5707963267948966, "6123233995736765886130329661375001464640377798836283052", 71),
    ("cos", 1e-09, "9999999999999999994999999999999999377600752088868083187", 55),
    ("sqrt", 153732385.27250314, "1239888645292403416114642298328930718083927720881625450", 50),
    ("sqrt", 1.905623857936576e-18, "1380443355569715492927275518751457010076505683140499690", 63),
    ("sqrt", 1.0092122786925316e+19, "3176810159094388834235513213109764046305180120421381929", 45),
    ("sqrt", 8.215283028514292e-20, "2866231502951967089287729915939441607960764971779741599", 64),
    ("sqrt", 9812979501.7368, "9906048405765438838754450355379938129261008334479272365", 50),
    ("sqrt", 62407326142702.4, "7899830766712816009265880857031403883631755862975487245", 48),
];

fn apply(name: &str, x: &Interval) -> Interval {
    match name {
        "exp" => x.exp().unwrap(),
        "ln" => x.ln().unwrap(),
        "sin" => x.sin_cos().0,
        "cos" => x.sin_cos().1,
        _ => x.sqrt(),
    }
}

type Exact = Ratio<BigInt>;

fn power(base: u32, exponent: i32) -> Exact {
    Ratio::from_integer(BigInt::from(base)).pow(exponent)
}

fn exact(x: f64) -> Exact {
    Ratio::from_float(x).unwrap()
}

fn ends(x: &Interval) -> (Exact, Exact) {
    let unit = power(2, -(x.bits as i32));
    (Ratio::from_integer(x.low.clone()) * &unit, Ratio::from_integer(x.high.clone()) * unit)
}

fn holds(x: &Interval, value: &Exact) -> bool {
    let (low, high) = ends(x);
    low <= *value && *value <= high
}

/// Units of the last place between the ends.
fn width(x: &Interval) -> BigInt {
    &x.high - &x.low
}

#[test]
fn functions_enclose_their_references_and_narrow() {
    for (name, x, digits, k) in REFERENCES {
        let value = Ratio::from_integer(digits.parse::<BigInt>().unwrap()) * power(10, -k);
        let off = power(10, -k);
        for bits in [64, 96, 130, 160] {
            let found = apply(name, &Interval::of(*x, 1200).unwrap().with_bits(bits));
            let (low, high) = ends(&found);
            assert!(low <= &value + &off && &value - &off <= high, "{name}({x}) at {bits} bits");
            // The argument is a unit wide where it is no multiple of 2^-bits; the slope magnifies it.
            let slope = match *name {
                "exp" => x.exp().max(1.0),
                "ln" => (1.0 / x).max(1.0),
                "sqrt" => (0.5 / x.sqrt()).max(1.0),
                _ => 1.0,
            };
            let widest = BigInt::from((8.0 * slope) as u128 + 4);
            let coarse = *name == "sqrt" && *x < 1e-9 && bits < 96;
            assert!(width(&found) <= widest || coarse, "{name}({x}) at {bits}: {} units", width(&found));
        }
    }
}

#[test]
fn constants_agree_at_all_lengths() {
    // π to 50 digits; beyond what is kept it is computed anew, and both ways agree.
    let value =
        Ratio::from_integer("314159265358979323846264338327950288419716939937510".parse::<BigInt>().unwrap());
    let value = value * power(10, -50);
    let (low, high) = ends(&Interval::pi(200));
    let off = power(10, -50);
    assert!(low <= &value + &off && high >= &value - &off);
    let (a, b) = (ends(&Interval::pi(1000)), ends(&Interval::pi(1500)));
    assert!(a.0 <= b.1 && b.0 <= a.1);
    // e^{ln 2} = 2 beyond the kept length.
    let two = Interval::whole(2, 1400);
    let back = two.ln().unwrap().exp().unwrap();
    assert!(holds(&back, &exact(2.0)) && width(&back) < BigInt::from(100));
}

#[test]
fn what_cannot_be_enclosed_is_none_not_wrong() {
    let around_zero = &Interval::of(1.0, 64).unwrap() - &Interval::digits(1u32.into(), 1, 64);
    assert!(around_zero.ln().is_none() && Interval::whole(1, 64).over(&around_zero).is_none());
    assert!(Interval::whole(0, 64).ln().is_none());
    assert!(Interval::of(f64::NAN, 64).is_none() && Interval::of(f64::INFINITY, 64).is_none());
    assert!(Interval::whole(1u64 << 40, 64).exp().is_none());
    let none = Interval::whole(-(1i64 << 40), 64).exp().unwrap();
    assert!(holds(&none, &exact(0.0)) && width(&none) == BigInt::from(1));
    // A number that is not negative, whose enclosure reaches below 0.
    let small = Interval::between(BigInt::from(-5), BigInt::from(7), 64);
    assert!(holds(&small.sqrt(), &exact(0.0)));
    assert!(Interval::whole(1, 64).nearest(-64).is_none(), "a grid finer than the enclosure");
}

#[test]
fn questions_are_asked_again_until_they_have_an_answer() {
    // 1/3 against its first 200 digits: more than 128 bits are needed.
    let third = |bits: u32| Interval::whole(1, bits).over(&Interval::whole(3, bits));
    let cut = Interval::dyadic(&((BigInt::from(1) << 200u32) / 3u32), -200, 400);
    let mut asked = Vec::new();
    assert!(decide(|bits| {
        asked.push(bits);
        Some(&third(bits)? - &cut)
    }));
    assert_eq!(asked, [128, 256]);
    assert_eq!(to_grid(8, -3, |bits| Some(vec![third(bits)?, -&third(bits)?])), [3.into(), BigInt::from(-3)]);
    // Halves go up, exactly.
    assert_eq!(Interval::of(1.5, 64).unwrap().nearest(0), Some(2.into()));
    assert_eq!(Interval::of(-1.5, 64).unwrap().nearest(0), Some((-1).into()));
    assert_eq!(until_decided(1, |bits| (bits > 100).then_some(bits)), 128);
}

/// Doubles of all sizes, both signs, zero and subnormals among them.
fn any_scale() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-300.0f64..300.0, any::<bool>()).prop_map(|(e, minus)| if minus { -(10f64.powf(e)) } else { 10f64.powf(e) }),
        2 => -10.0f64..10.0,
        1 => Just(0.0),
        1 => Just(f64::from_bits(1)),
        1 => Just(f64::MAX),
    ]
}

proptest! {
    #[test]
    fn arithmetic_encloses_exact_arithmetic(x in any_scale(), y in any_scale(), bits in 1u32..700, more in 0u32..700) {
        let (a, b) = (Interval::of(x, bits).unwrap(), Interval::of(y, bits + more).unwrap());
        let (p, q) = (exact(x), exact(y));
        prop_assert!(holds(&a, &p) && holds(&b, &q));
        prop_assert!(holds(&(&a + &b), &(&p + &q)));
        prop_assert!(holds(&(&a - &b), &(&p - &q)));
        prop_assert!(holds(&(&a * &b), &(&p * &q)));
        prop_assert!(holds(&a.square(), &(&p * &p)));
        if let Some(quotient) = a.over(&b) {
            prop_assert!(holds(&quotient, &(&p / &q)));
        }
        let square = a.square();
        let root = square.sqrt();
        prop_assert!(root.low <= root.high);
        let size = exact(x.abs());
        prop_assert!(holds(&root, &size));
        prop_assert!(ends(&a.magnitude()).0 >= size);
        prop_assert!(holds(&a.times(7), &(&p * exact(7.0))));
        prop_assert!(holds(&a.times_power_of_two(-9), &(&p * power(2, -9))));
    }

    /// Wide intervals: the ends and the middle of what goes in come out inside.
    #[test]
    fn functions_of_wide_intervals_enclose_those_of_their_points(
        x in -40.0f64..40.0, lg_w in -60.0f64..3.0, part in 0.0f64..1.0, bits in 40u32..300,
    ) {
        let w = 10f64.powf(lg_w);
        let wide = Interval::between(
            Interval::of(x, bits).unwrap().low, (&Interval::of(x, bits).unwrap() + &Interval::of(w, bits).unwrap()).high, bits,
        );
        let point = Interval::of(x + part * w, bits + 300).unwrap();
        let point = Interval::between(
            point.low.max(wide.low.clone() << 300u32), point.high.min(wide.high.clone() << 300u32), bits + 300,
        );
        prop_assume!(point.low <= point.high);
        let inside = |wide: &Interval, point: &Interval| {
            let (a, b) = (ends(wide), ends(point));
            a.0 <= b.0 && b.1 <= a.1 && wide.low <= wide.high
        };
        prop_assert!(inside(&wide.exp().unwrap(), &point.exp().unwrap()));
        prop_assert!(inside(&wide.sin_cos().0, &point.sin_cos().0));
        prop_assert!(inside(&wide.sin_cos().1, &point.sin_cos().1));
        if let Some(ln) = wide.ln() {
            prop_assert!(inside(&ln, &point.ln().unwrap()));
        }
        if wide.low.sign() != Sign::Minus {
            prop_assert!(inside(&wide.sqrt(), &point.sqrt()));
        }
    }
}
