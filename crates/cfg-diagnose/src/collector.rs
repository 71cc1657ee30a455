//! What collectors of logs write before each line: journald, Kubernetes, container engines, CI, and programs that run commands on several machines. The
//! time is only used if the program wrote none itself.

use memchr::memchr;

use crate::prefix::{LONGEST_NAME, clock, dated};

/// A time in a collector's own form, and what follows it: `Aug 10 09:00:00 `, `Mon 2026-08-10 09:00:00 UTC `, `job<tab>step<tab>2026-08-10T09:00:00Z `.
pub(crate) fn dated_by(text: &str) -> Option<(u32, &str)> {
    journal(text).or_else(|| weekday(text)).or_else(|| of_job(text))
}

/// What follows the names that a collector writes.
pub(crate) fn collected(text: &str) -> Option<&str> {
    unit(text).or_else(|| stream(text)).or_else(|| labels(text)).or_else(|| labelled(text)).or_else(|| tagged(text))
}

/// Whether a text is a name of a machine, a program or a container.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_part)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Aug 10 09:00:00 ` of journald, with the machine and the program behind it; `ts` writes the time alone.
fn journal(text: &str) -> Option<(u32, &str)> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = text.get(..3)?;
    if !MONTHS.iter().any(|known| month.eq_ignore_ascii_case(known)) || text.as_bytes().get(3) != Some(&b' ') {
        return None;
    }
    let (day, rest) = text[4..].trim_start().split_once(' ')?;
    if day.len() > 2 || !is_number(day) {
        return None;
    }
    let (time, rest) = clock(rest)?;
    // The name of the machine, and that of the program, which ends with a colon.
    let own = || {
        let (machine, rest) = rest.trim_start().split_once(' ')?;
        let (program, rest) = rest.split_once(": ").unwrap_or((rest, ""));
        let has_names = is_name(machine) && !machine.bytes().any(|byte| byte.is_ascii_uppercase()) || program.ends_with(']');
        (has_names && program.len() <= LONGEST_NAME && !program.contains(' ')).then_some(rest)
    };
    Some((time, own().unwrap_or(rest)))
}

/// `Mon 2026-08-10 09:00:00 UTC ` of journald's `short-full`.
fn weekday(text: &str) -> Option<(u32, &str)> {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let day = text.get(..3)?;
    if !DAYS.iter().any(|known| day.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (time, rest) = dated(text.get(3..)?.strip_prefix(' ')?)?;
    let (zone, behind) = rest.trim_start().split_once(' ')?;
    let is_zone = (2..=5).contains(&zone.len()) && zone.bytes().all(|byte| byte.is_ascii_alphabetic());
    Some((time, if is_zone { behind } else { rest }))
}

/// `job<tab>step<tab>2026-08-10T09:00:00.1234567Z ` of `gh run view --log`.
fn of_job(text: &str) -> Option<(u32, &str)> {
    let (job, rest) = name_before_tab(text)?;
    let (step, rest) = name_before_tab(rest)?;
    if job.is_empty() || step.is_empty() { None } else { dated(rest.trim_start_matches('\u{feff}')) }
}

fn name_before_tab(text: &str) -> Option<(&str, &str)> {
    let at = memchr(b'\t', &text.as_bytes()[..text.len().min(LONGEST_NAME + 1)])?;
    Some((&text[..at], &text[at + 1..]))
}

/// `gpu-node-3 prime-rl[4242]: ` of journald, behind a time that was removed already.
fn unit(text: &str) -> Option<&str> {
    let (machine, rest) = text.split_once(' ')?;
    let (program, rest) = rest.split_once("]: ").or_else(|| Some((rest.strip_suffix("]:")?, "")))?;
    let (program, id) = program.split_once('[')?;
    (is_name(machine) && is_name(program) && is_number(id)).then_some(rest)
}

/// `stderr F ` in the files of container runtimes, behind the time.
fn stream(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("stdout ").or_else(|| text.strip_prefix("stderr "))?;
    // The line is whole (F), or a part (P) of a long one.
    rest.strip_prefix(['F', 'P']).filter(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `{app="rl", pod="rl-trainer-0"} ` of Loki.
fn labels(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix('{')?.split_once("=\"")?;
    let (_, rest) = rest.split_once("\"}")?;
    is_name(name).then_some(rest)
}

/// `3: ` of `srun --label`, `gpu-03: ` of pdsh and clush, `trainer-1  | ` of docker compose.
fn labelled(text: &str) -> Option<&str> {
    let end =
        text.bytes().take(LONGEST_NAME).position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')))?;
    let (name, rest) = text.split_at(end);
    if let Some(rest) = rest.strip_prefix(": ").or_else(|| rest.strip_prefix(':').filter(|rest| rest.is_empty())) {
        return (name.len() <= 4 && is_number(name) || is_machine(name)).then_some(rest);
    }
    let bar = rest.trim_start();
    // Names are padded to the same width, and have a number if a service can have several containers.
    let is_numbered = name.rsplit_once(['-', '_', '.']).is_some_and(|(_, number)| is_number(number));
    let is_container =
        name.len() > 2 && (is_numbered || rest.starts_with("  ") && name.bytes().any(|byte| byte.is_ascii_lowercase()));
    bar.strip_prefix("| ").or_else(|| bar.strip_prefix('|').filter(|rest| rest.is_empty())).filter(|_| is_container)
}

/// `[1,0]<stderr>:` of mpirun.
fn tagged(text: &str) -> Option<&str> {
    let (rank, rest) = text.strip_prefix('[')?.split_once("]<std")?;
    let is_rank = rank.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let rest = rest.strip_prefix("err>:").or_else(|| rest.strip_prefix("out>:"))?;
    is_rank.then_some(rest)
}

/// Whether a word names a machine of a cluster, as pdsh and clush write it before each line: `gpu-03`, `ip-10-0-0-4`, `gpu03`, `gpu03.cluster.local`.
fn is_machine(word: &str) -> bool {
    let begins = word.starts_with(|first: char| first.is_ascii_lowercase());
    let host = word.split('.').next().unwrap_or(word);
    let is_qualified = word.matches('.').count() >= 2 && word.bytes().any(|byte| byte.is_ascii_digit());
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    begins && word.bytes().all(is_part) && (is_qualified || host == word && host.ends_with(|last: char| last.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{collected, dated_by};

    #[test]
    fn what_collectors_write_is_removed() {
        for (text, rest) in [
            ("gpu-node-3 prime-rl[4242]: x y", "x y"),
            ("stderr F x y", " x y"),
            ("{app=\"rl\", pod=\"rl-trainer-0\"} x y", " x y"),
            ("3: x y", "x y"),
            ("gpu-03: x y", "x y"),
            ("gpu03: x y", "x y"),
            ("gpu03.cluster.local: x y", "x y"),
            ("ip-10-0-0-4: x y", "x y"),
            ("trainer-1  | x y", "x y"),
            ("prime_trainer  | x y", "x y"),
            ("trainer.1   | x y", "x y"),
            ("[1,0]<stderr>:x y", "x y"),
        ] {
            assert_eq!(collected(text), Some(rest), "{text}");
        }
        let nine = 9 * 3600;
        for (text, rest) in [
            ("Aug 10 09:00:00 gpu-3 torchrun[4242]: x y", "x y"),
            ("Aug 10 09:00:00 x", " x"),
            ("Mon 2026-08-10 09:00:00 UTC gpu-n3 rl[4242]: x", "gpu-n3 rl[4242]: x"),
            ("gpu tests\tTrain\t2026-08-10T09:00:00.1234567Z x", " x"),
        ] {
            assert_eq!(dated_by(text), Some((nine, rest)), "{text}");
        }
    }

    #[test]
    fn messages_are_left_alone() {
        for text in [
            "reward | x",
            "12 of 13",
            "{'easy': 0.2}",
            "pre-trained weights were loaded",
            "fail-fast mode is on",
            "trainer-1 exited with code 1",
            "ValueError: x",
            "Step 3 | x",
            "stdout is closed",
            "config.toml: x",
            "a\tb\tc",
            "Monday 09:00:00 x",
        ] {
            assert_eq!((collected(text), dated_by(text)), (None, None), "{text}");
        }
    }
}
