//! Tests of ranges and of the distribution over their values.

use super::*;

fn space(asked: &[&str]) -> Result<Space, Failure> {
    let asked: Vec<_> = asked.iter().map(|text| Range::parameter(text).unwrap()).collect();
    Space::new(None, &Setup::preset("uct").unwrap(), &asked, &Settings::default())
}

#[test]
fn ranges_are_settled_by_the_table() {
    let kinds =
        space(&["c=0.1..10:log", "threshold=1.5..9.5", "value", "deviation", "temperature=0.1..1", "clamp=1..2"]);
    let kinds: Vec<Kind> = kinds.unwrap().dimensions.into_iter().map(|dimension| dimension.kind).collect();
    let number = |low, high, logarithmic, whole| Kind::Number { low, high, logarithmic, whole };
    let words = |words: &[&str]| Kind::Words(words.iter().map(|&word| word.to_owned()).collect());
    assert_eq!(
        kinds,
        [
            number(0.1, 10.0, true, false),
            number(2.0, 9.0, false, true),
            words(&["mean", "best", "blend"]),
            words(&["true", "false"]),
            number(0.1, 1.0, false, false),
            number(1.0, 2.0, false, false),
        ]
    );
    for (asked, message) in [
        (&["cc"][..], "--parameter cc: no setting `cc`, did you mean `c`?"),
        (&["c=0..1", "c=1..2"], "--parameter c: is there twice"),
        (&["c=-1..1"], "--parameter c: uct: parameter `c`: expected a number from 0 to 1e12, got `-1`"),
        (&["c=0..1:log"], "--parameter c: a logarithmic range begins above 0, got 0"),
        (&["threshold=1.2..1.8"], "--parameter threshold: the range 2..1 holds no two values"),
        (
            &["value=mean|median"],
            "--parameter value: uct: parameter `value`: expected one of mean best blend, got `median`",
        ),
        (&["value=best|best"], "--parameter value: expected two or more different values"),
        (&["value=1..2"], "--parameter value: uct: parameter `value`: expected one of mean best blend, got `1..2`"),
        (&["c=mean|best"], "--parameter c: uct: parameter `c`: expected a number from 0 to 1e12, got `mean|best`"),
        (&["d"], "--parameter d: its range is too wide to search: give one"),
    ] {
        let failure = space(asked).unwrap_err();
        assert!(failure.code() == 2 && failure.message.starts_with(message), "{}", failure.message);
    }
}

#[test]
fn rollouts_and_their_arguments_are_dimensions() {
    let tuned = space(&["c=0.1..10:log", "rollout=tabu-color:0.001..0.1:log"]).unwrap();
    assert_eq!(tuned.dimensions[1].ends(), ["tabu-color:0.001", "tabu-color:0.1"]);
    let mut rng = Rng::new(3);
    let point = tuned.draw(&tuned.start(&[]).unwrap(), &mut rng).unwrap();
    let setting = tuned.settings(&point).remove(1);
    let epsilon: f64 = setting.value.strip_prefix("tabu-color:").unwrap().parse().unwrap();
    assert!(setting.key == "rollout" && (0.001..=0.1).contains(&epsilon), "{setting:?}");
    assert_eq!(space(&["rollout=random|tabu-color"]).unwrap().dimensions[0].ends(), ["random", "tabu-color"]);
    for (asked, message) in [
        (&["rollout"][..], "--parameter rollout: expected rollout=NAME:LOW..HIGH"),
        (&["rollout=0.1..1"], "--parameter rollout: expected rollout=NAME:LOW..HIGH"),
        (&["rollout=a:0..1:log"], "--parameter rollout: a logarithmic range begins above 0, got 0"),
        (&["rollout=a|b", "rollout=a|c"], "--parameter rollout: is there twice"),
        (&["c=a:0..1"], "expected KEY"),
    ] {
        let ranges: Result<Vec<_>, String> = asked.iter().map(|text| Range::parameter(text)).collect();
        let refused = match ranges {
            Ok(ranges) => {
                let uct = Setup::preset("uct").unwrap();
                Space::new(None, &uct, &ranges, &Settings::default()).unwrap_err().message
            }
            Err(message) => message,
        };
        assert!(refused.starts_with(message), "{refused}");
    }
}

#[test]
fn draws_follow_the_beliefs_within_the_ranges() {
    let space = space(&["c=1..100:log", "threshold=1..5", "value"]).unwrap();
    let mut beliefs = space.start(&[]).unwrap();
    assert_eq!(beliefs[0], Belief::Normal { mean: libm::log(10.0), deviation: libm::log(10.0) });
    assert_eq!(beliefs[1], Belief::Normal { mean: 3.0, deviation: 2.0 });
    beliefs[2] = Belief::Chances(vec![0.25, 0.75]);
    let mut rng = Rng::new(1);
    let draws: Vec<_> = (0..4000).map(|_| space.draw(&beliefs, &mut rng).unwrap()).collect();
    let share =
        |test: &dyn Fn(&Vec<Coordinate>) -> bool| draws.iter().filter(|draw| test(draw)).count() as f64 / 4000.0;
    let number = |coordinate: &Coordinate| coordinate.text.parse::<f64>().unwrap();
    assert!(share(&|draw| (1.0..=100.0).contains(&number(&draw[0]))) == 1.0);
    // One in six is beyond one deviation on either side: there the range ends.
    assert!((share(&|draw| number(&draw[0]) == 100.0) - 0.159).abs() < 0.03);
    assert!((share(&|draw| number(&draw[0]) < 10.0) - 0.5).abs() < 0.03);
    assert!((share(&|draw| draw[1].text == "3") - 0.197).abs() < 0.03);
    assert!((share(&|draw| draw[2].text == "best") - 0.75).abs() < 0.03);
    let middle = space.middle(&beliefs).unwrap();
    assert_eq!(middle.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["10", "3", "best"]);
    let moved = space.start(&[Setting { key: "c".to_owned(), value: "50".to_owned() }]).unwrap();
    assert_eq!(moved[0], Belief::Normal { mean: libm::log(50.0), deviation: libm::log(10.0) });
    for (key, value) in [("c", "0.5"), ("d", "1"), ("value", "best")] {
        assert_eq!(space.start(&[Setting { key: key.into(), value: value.into() }]).unwrap_err().code(), 2);
    }
}

#[test]
fn beliefs_move_to_the_elite() {
    let space = space(&["c=0..100", "value=mean|best"]).unwrap();
    let mut beliefs = space.start(&[]).unwrap();
    let point = |c: f64, word: usize| vec![space.dimensions[0].kind.number(c), space.dimensions[1].kind.word(word)];
    let elite = [point(10.0, 1), point(14.0, 1), point(18.0, 0)];
    space.learn(&mut beliefs, &elite.iter().collect::<Vec<_>>(), 0.5);
    let Belief::Normal { mean, deviation } = beliefs[0] else { panic!("a number") };
    let exact = (32.0_f64 / 3.0).sqrt();
    assert!((mean - f64::midpoint(50.0, 14.0)).abs() < 1e-12 && (deviation - f64::midpoint(50.0, exact)).abs() < 1e-12);
    let Belief::Chances(chances) = &beliefs[1] else { panic!("words") };
    assert!((chances[0] - 0.5 * (0.5 + 1.0 / 3.0)).abs() < 1e-12 && (chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn the_optimum_of_a_known_function_is_found() {
    let space = space(&["c=0.01..100:log", "threshold=1..40", "value", "d=0..1000"]).unwrap();
    let starts = ["c=90", "threshold=38", "d=5"].map(|text| text.parse::<Setting>().unwrap());
    let mut beliefs = space.start(&starts).unwrap();
    let mut rng = Rng::new(3);
    // Least at c = 3, threshold 7, value best, d = 600, with a noise that all settings of an iteration share.
    let worth = |point: &[Coordinate], noise: f64| {
        let number = |at: usize| point[at].text.parse::<f64>().unwrap();
        let (c, threshold, d) = (libm::log(number(0) / 3.0), number(1) - 7.0, (number(3) - 600.0) / 100.0);
        c * c + threshold * threshold / 100.0 + d * d + if point[2].text == "best" { 0.0 } else { 0.3 } + noise
    };
    for _ in 0..25 {
        let noise = 100.0 * rng.unit();
        let mut points: Vec<_> = (0..60).map(|_| space.draw(&beliefs, &mut rng).unwrap()).collect();
        points.sort_by(|a, b| worth(a, noise).total_cmp(&worth(b, noise)));
        space.learn(&mut beliefs, &points[..10].iter().collect::<Vec<_>>(), 0.7);
    }
    let found = space.middle(&beliefs).unwrap();
    let number = |at: usize| found[at].text.parse::<f64>().unwrap();
    assert!((number(0) - 3.0).abs() < 0.15 && (number(3) - 600.0).abs() < 20.0, "{found:?}");
    assert_eq!((found[1].text.as_str(), found[2].text.as_str()), ("7", "best"));
}

#[test]
fn settings_that_exclude_each_other_are_not_drawn() {
    // A method accepts shared states, a beam and play move by move only one at a time.
    let space = space(&["amaf", "transpositions", "beam_width=0..3", "move_playouts=0..2"]).unwrap();
    let beliefs = space.start(&[]).unwrap();
    let mut rng = Rng::new(2);
    for _ in 0..300 {
        let point = space.draw(&beliefs, &mut rng).unwrap();
        assert!(space.accepts(&point).is_ok());
    }
}

#[test]
fn parameters_are_read_with_their_ranges() {
    let numbers = |low, high, logarithmic| Range::Numbers { low, high, logarithmic };
    for (text, range) in [
        ("c", Range::Whole),
        ("c=0.1..10", numbers(0.1, 10.0, false)),
        ("c = -1 .. 1e3:log", numbers(-1.0, 1000.0, true)),
        ("c=.5..1.", numbers(0.5, 1.0, false)),
        ("c=a|b", Range::Words(vec!["a".to_owned(), "b".to_owned()])),
    ] {
        assert_eq!(Range::parameter(text), Ok(("c".to_owned(), range)), "{text}");
    }
    assert!(
        ["", "=1..2", "c=", "c=1", "c=1..", "c=a|", "c=1..inf", "c d=1..2"]
            .iter()
            .all(|text| Range::parameter(text).is_err())
    );
    assert!(Range::parameter("c=2..1").unwrap_err().contains("runs backwards"));
    assert_eq!(Range::parameter("c=1..1").unwrap_err(), "the range 1..1 holds one value: fix it by --set c=1");
}
