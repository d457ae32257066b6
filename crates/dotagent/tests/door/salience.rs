use ken_dotagent::{Event, Salience, final_score, salience, strength};
use proptest::prelude::*;

use super::{line, time};

fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-12 * expected.abs().max(1.0)
}

fn event(at: &str, pain: f64, importance: f64, recurrence: u64) -> Event {
    let mut event = Event::parse(line(1, at, "x").as_bytes()).unwrap();
    (event.pain, event.importance, event.recurrence) = (pain, importance, recurrence);
    event
}

#[test]
fn spot_values() {
    let now = time("2026-05-13T12:00:00Z");
    let aged = event("2026-04-29T12:00:00Z", 10.0, 10.0, 0);
    assert!(close(salience(&aged, now), (-1.0_f64).exp()));
    assert!(close(strength(&aged), 1.0));
    let fresh = event("2026-05-13T12:00:00Z", 5.0, 7.0, 9);
    assert!(close(salience(&fresh, now), 0.35 * (1.0 + 10.0_f64.ln())));
    assert!((salience(&fresh, now) - 1.155_904_782_5).abs() < 1e-9);
    assert!(close(strength(&fresh), salience(&fresh, now)));
    assert!((final_score(2.0, &fresh, now) - 2.311_809_565_1).abs() < 1e-9);

    // A cluster as the dream cycle will see it: 8/9, 6/7, 5/5 aged 1, 2, 4 days.
    let cluster = [
        (1.0, 8.0, 9.0, 0.670),
        (2.0, 6.0, 7.0, 0.364),
        (4.0, 5.0, 5.0, 0.188),
    ];
    for (age, pain, importance, expected) in cluster {
        let value = Salience::new(age, pain, importance, 0).value;
        assert_eq!((value * 1000.0).round() / 1000.0, expected);
    }
    let sum: f64 = cluster
        .iter()
        .map(|(age, p, i, _)| Salience::new(*age, *p, *i, 3).value)
        .sum();
    assert!((sum - 2.917).abs() < 0.0005, "{sum}");
}

#[test]
fn the_factors_are_those_of_the_product() {
    let now = time("2026-05-13T12:00:00Z");
    let factors = Salience::of(&event("2026-05-06T12:00:00Z", 4.0, 5.0, 1), now);
    assert_eq!(
        (factors.age_days, factors.pain, factors.importance),
        (7.0, 0.4, 0.5)
    );
    assert!(close(factors.decay, (-0.5_f64).exp()));
    assert!(close(factors.recurrence, 1.0 + 2.0_f64.ln()));
    assert!(close(factors.value, factors.decay * factors.strength()));
    let ahead = Salience::of(&event("2027-05-06T12:00:00Z", 4.0, 5.0, 1), now);
    assert_eq!((ahead.age_days, ahead.decay), (0.0, 1.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn finite_never_negative_and_monotone(
        age in -1e6..1e6_f64,
        older in 0.0..1e6_f64,
        pain in 0.0..=10.0_f64,
        importance in 0.0..=10.0_f64,
        more in 0.0..=1.0_f64,
        recurrence in any::<u64>(),
        again in any::<u64>(),
    ) {
        let base = Salience::new(age, pain, importance, recurrence).value;
        prop_assert!(base.is_finite() && base >= 0.0);
        prop_assert!(Salience::new(age + older, pain, importance, recurrence).value <= base);
        prop_assert!(Salience::new(age, pain + (10.0 - pain) * more, importance, recurrence).value >= base);
        prop_assert!(Salience::new(age, pain, importance + (10.0 - importance) * more, recurrence).value >= base);
        prop_assert!(Salience::new(age, pain, importance, recurrence.saturating_add(again)).value >= base);
    }
}
