use std::sync::Arc;

use cfg_python::Declarations;
use cfg_schema::{History, OwnChecks, Point, Target};

use super::as_known;

#[test]
fn classes_say_more_than_the_date_of_an_unknown_commit() {
    let code = Arc::new(Declarations::default().code);
    let checks = OwnChecks { changed: Arc::default(), code, open: Arc::default(), unknown: Arc::default(), is_recorded: false };
    let newest = History::built_in().newest();
    let by_date = Target { is_beyond: true, ..Target::parse(History::built_in(), "main").expect("a target") };
    let own = (Point(0), History::built_in());
    let copy = as_known(&by_date, None, own, &checks);
    assert_eq!((copy.point, copy.is_beyond), (Point(0), false));
    let named = as_known(&by_date, Some(newest), own, &checks);
    assert_eq!((named.point, named.is_beyond), (newest, true));
}
