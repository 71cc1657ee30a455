//! `cfg run report`: one self-contained page.

use crate::{
    CLEAN, Ended, Folder,
    registry::{bump, read, registered},
};

/// The page on a command's standard output.
#[track_caller]
fn page(folder: &Folder, words: &str) -> String {
    let ended = folder.run(&format!("run report {words}"));
    assert_eq!((ended.status, &*ended.stderr), (Some(0), ""), "{ended:?}");
    assert_sound(&ended.stdout);
    ended.stdout
}

/// Elements without an end tag.
const VOID: [&str; 6] = ["meta", "input", "br", "!DOCTYPE", "!--", "link"];

/// Asserts that the page is one document in which every element is closed, and that it loads nothing.
#[track_caller]
fn assert_sound(page: &str) {
    assert!(page.starts_with(cfg_report::page::MARK) && page.trim_end().ends_with("</html>"), "{page}");
    assert!(page.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"), "{page}");
    // The contents of the page's own style and script are skipped.
    let (mut body, mut rest) = (String::new(), page);
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let (before, inside) = rest.split_once(open).expect("there is one");
        body.push_str(before);
        rest = inside.split_once(close).expect("it ends").1;
        assert!(!rest.contains(open), "there is one");
    }
    body.push_str(rest);
    let mut open = Vec::new();
    for (at, _) in body.match_indices('<') {
        let tag = body[at + 1..].split_once('>').expect("a tag ends").0;
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        for attribute in ["src=", "href=\"h", "href=\"/", "srcset", "style=", " on", "@import", "action="] {
            assert!(!tag.contains(attribute) || tag.contains("aria-label"), "{tag}");
        }
        match () {
            () if VOID.contains(&name) || tag.ends_with('/') => {}
            () if tag.starts_with('/') => assert_eq!(open.pop(), Some(name), "{tag}"),
            () => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
    assert!(!["script", "iframe", "img", "object", "embed", "link"].iter().any(|name| body.contains(&format!("<{name}"))));
    assert!(!body.chars().any(|character| character != '\n' && cfg_diag::is_hazard(character)), "nothing hides in it");
}

fn sections(page: &str) -> Vec<&str> {
    page.split("<section id=\"").skip(1).filter_map(|section| section.split_once('"')).map(|(id, _)| id).collect()
}

#[test]
fn a_config_is_shown_with_its_memory_its_steps_and_its_values() {
    let folder = Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\ngpu = \"2x H100\"\n")]);
    let text = page(&folder, "rl.toml");
    assert_eq!(sections(&text), ["findings", "memory", "steps", "values"]);
    for part in [
        "<h1>rl.toml</h1>",
        "prime-rl 0.4.0",
        "2x H100",
        "<td><code>trainer.optim.lr</code></td><td><code>1e-05</code></td><td class=\"dim\">rl.toml:21:6</td>",
        "default of 0.4.0",
        "The tokens of a rollout: 4,096",
        "512 rollouts = 32 problems x 16",
        "An answer is cut at 2,048 tokens.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Another machine, and a config that prime-rl refuses.
    assert!(page(&folder, "rl.toml --gpu 2xA10").contains("out of memory"));
    folder.write("rl.toml", CLEAN.replace("rollouts_per_example", "rollouts_per_exmaple").as_bytes());
    let text = page(&folder, "rl.toml");
    assert!(text.contains("PRL101 unknown-key") && text.contains("<pre>rollouts_per_exmaple = 16</pre>"), "{text}");
    for words in ["run report nothing.toml", "run report rl.toml:v3", "run report rl.toml cfg.toml"] {
        let ended = folder.run(words);
        assert_eq!(
            (ended.status, ended.stdout.is_empty(), ended.stderr.is_empty()),
            (Some(2), true, false),
            "{words}: {ended:?}"
        );
    }
}

/// A registry with three versions.
fn three_versions() -> Folder {
    let folder = registered();
    for (lr, why) in [("2e-5", "-m too-slow"), ("3e-5", "-m still-too-slow")] {
        let old = read(&folder, "a.toml");
        let line = old.lines().find(|line| line.starts_with("lr = ")).expect("a rate").to_owned();
        folder.write("a.toml", old.replace(&line, &format!("lr = {lr}")).as_bytes());
        assert_eq!(bump(&folder, &format!("a.toml {why}")).status, Some(0));
    }
    folder
}

#[test]
fn versions_are_shown_with_what_changed_and_why() {
    let folder = three_versions();
    let text = page(&folder, "a.toml");
    assert_eq!(sections(&text), ["findings", "memory", "steps", "changes", "lineage", "values"]);
    assert!(text.contains("a.toml:v2 &rarr; a.toml:v3") && text.contains("2026-01-05: still-too-slow"), "{text}");
    assert!(!text.contains("a.toml:v1 &rarr; a.toml:v2"), "only the last change");
    assert!(text.contains("<td class=\"was\"><code>2e-5</code></td><td class=\"is\"><code>3e-5</code>"), "{text}");
    let text = page(&folder, "a.toml:v1..v3");
    assert!(text.contains("a.toml:v1 &rarr; a.toml:v2") && text.contains("a.toml:v2 &rarr; a.toml:v3"), "{text}");
    assert!(text.contains("<h1>a.toml:v3</h1>") && text.contains("<li class=\"shown\"><b>a.toml:v3</b>"), "{text}");
    let text = page(&folder, "a.toml:v2");
    assert!(
        text.contains("a.toml:v1 &rarr; a.toml:v2") && text.contains("<code>2e-05</code></td><td class=\"dim\">a.toml:"),
        "{text}"
    );
    // A text that is not registered is compared with the last version.
    folder.write("a.toml", read(&folder, "a.toml").replace("lr = 3e-5", "lr = 4e-5").as_bytes());
    assert!(page(&folder, "a.toml").contains("a.toml:v3 &rarr; the current file"));
}

#[test]
fn a_run_is_shown_with_its_curves_and_their_bounds() {
    let folder = three_versions();
    let rows: Vec<String> = (0..60)
        .map(|step| {
            let entropy = if step < 40 { 0.1 } else { 0.03 };
            format!(
                "{{\"step\": {step}, \"entropy/all/mean\": {entropy}, \"optim/grad_norm\": 0.4, \"time/step\": 40.0}}\n{{\"step\": {step}, \"reward/mean\": 0.{step:02}}}\n"
            )
        })
        .collect();
    folder.write("outputs/x/metrics.jsonl", rows.concat().as_bytes());
    folder.write("outputs/x/configs/rl.toml", read(&folder, "a.toml").as_bytes());
    assert_eq!(folder.run("run add a.toml --dir outputs/x --notes first").status, Some(0));
    let text = page(&folder, "outputs/x");
    assert_eq!(sections(&text), ["run", "findings", "memory", "steps", "changes", "lineage", "values"]);
    assert!(text.contains("entropy-collapsed") && text.contains("wrong below 0.05<"), "{text}");
    assert_eq!(text.matches("class=\"chart\"").count(), 4, "reward, entropy, gradient norm, seconds");
    assert_eq!(text.matches("class=\"bound\"").count(), 1, "the bound of the gradient's norm is far away");
    assert!(text.contains("<dt>Run</dt><dd>") && text.contains("<dd>first</dd>"), "{text}");
    // The limits in the settings are used; and there is also a page for a run without a config.
    folder.write("cfg.toml", b"target = \"0.4.0\"\n[watch]\nentropy = 0.01\n");
    assert!(page(&folder, "outputs/x").contains("wrong below 0.01<"));
    std::fs::remove_dir_all(folder.path().join("outputs/x/configs")).expect("it is there");
    assert_eq!(sections(&page(&folder, "outputs/x")), ["run"]);
}

#[test]
fn untrusted_text_is_escaped_in_html() {
    const EVIL: &str = "<script>alert(1)</script>\\\" onload='x' \\u001b[31m \\u202e</td></style><img src=x>";
    let config = CLEAN
        .replace("name = \"baseline\"", &format!("name = \"{EVIL}\""))
        .replace("id = \"reverse-text\"", &format!("id = \"{EVIL}\""))
        .replace("[inference.model]", &format!("\"{EVIL}\" = 1\n[inference.model]"))
        + &format!("# {EVIL}\n");
    let header = format!("# /// config\n# version = \"v1\"\n# notes = \"{EVIL}\"\n# hardware = \"{EVIL}\"\n# ///\n");
    let row = format!("{{\"step\": 0, \"reward/mean\": 0.1, \"{EVIL}\": \"{EVIL}\"}}\n");
    let log = "12:00:00 ERROR RuntimeError: CUDA out of memory. <script>alert(1)</script> \u{1b}[31m\u{202e}\n";
    let folder = Folder::new(&[
        ("<b>&'.toml", &(header.clone() + &config)),
        ("out/metrics.jsonl", &row.repeat(3)),
        ("out/logs/trainer.log", log),
        ("out/configs/rl.toml", &(header + &config)),
        (
            "registry.json",
            &format!(
                "{{\"configs\": {{\"<b>&'.toml\": {{\"current_version\": \"v1\", \"versions\": {{\"v0\": {{\"notes\": \"{EVIL}\"}}, \"v1\": {{\"notes\": \"{EVIL}\"}}}}}}}}, \"runs\": {{\"{EVIL}\": {{\"config\": \"<b>&'.toml:v1\", \"folder\": \"out\", \"notes\": \"{EVIL}\"}}}}}}"
            ),
        ),
        ("cfg.toml", "target = \"0.4.0\"\n"),
    ]);
    for words in [&["run", "report", "<b>&'.toml"][..], &["run", "report", "out"], &["run", "report", "out", "<b>&'.toml"]] {
        let ended: Ended = crate::finish(folder.command("").args(words), b"");
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert_sound(&ended.stdout);
        assert!(ended.stdout.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is shown, as text: {ended:?}");
    }
}

#[test]
fn numbers_of_any_size_are_drawn() {
    let steps = [i64::MIN, -1, 0, 7, i64::MAX];
    let rows: Vec<String> =
        steps.iter().map(|step| format!("{{\"step\": {step}, \"reward/mean\": 1e308, \"loss/mean\": -1e308}}\n")).collect();
    let huge = CLEAN
        .replace("max_tokens = 2048", "max_tokens = 9223372036854775807")
        .replace("max_steps = 100", "max_steps = 9223372036854775807");
    let folder = Folder::new(&[("rl.toml", &huge), ("cfg.toml", "target = \"0.4.0\"\n"), ("out/metrics.jsonl", &rows.concat())]);
    for words in ["out", "rl.toml", "out rl.toml"] {
        page(&folder, words);
    }
    assert_eq!(folder.run("run compare out out").status, Some(0));
    assert_eq!(folder.run("plan rl.toml").status, Some(0));
}

#[test]
fn only_a_page_is_replaced() {
    let folder = Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n"), ("mine.html", "<p>mine</p>")]);
    let ended = folder.run("run report rl.toml -o mine.html");
    assert_eq!((ended.status, read(&folder, "mine.html")), (Some(2), "<p>mine</p>".to_owned()), "{ended:?}");
    assert_eq!(folder.run("run report rl.toml -o rl.toml").status, Some(2));
    assert_eq!(read(&folder, "rl.toml"), CLEAN);
    for _ in 0..2 {
        let ended = folder.run("run report rl.toml -o page.html");
        assert_eq!((ended.status, &*ended.stdout, &*ended.stderr), (Some(0), "", "page.html: written\n"), "{ended:?}");
        assert_sound(&read(&folder, "page.html"));
    }
    let again = page(&folder, "rl.toml");
    assert_eq!(again, read(&folder, "page.html"), "the same page each time");
    let ended = folder.run("run report rl.toml --format json");
    assert!(crate::outcome(&ended)["output"].as_str().is_some_and(|output| output == again), "{ended:?}");
}

/// Tests the page in a browser after its script has run, which must not report errors.
#[test]
#[ignore = "needs Chromium (in PATH, or in CFG_CHROMIUM)"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn a_browser_shows_it() {
    let folder = three_versions();
    folder
        .write("outputs/metrics.jsonl", "{\"step\": 1, \"reward/mean\": 0.1}\n{\"step\": 2, \"reward/mean\": 0.2}\n".as_bytes());
    for source in ["a.toml:v1..v3", "outputs"] {
        assert_eq!(folder.run(&format!("run report {source} -o page.html")).status, Some(0));
        let program = std::env::var_os("CFG_CHROMIUM").unwrap_or_else(|| "chromium".into());
        let mut browser = std::process::Command::new(program);
        let place = format!("file://{}", folder.path().join("page.html").display());
        // The profile of the user may be in use.
        browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        browser.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--virtual-time-budget=2000",
            "--dump-dom",
            &place,
        ]);
        let Ok(output) = browser.output() else {
            println!("skipped: there is no Chromium in PATH, nor in CFG_CHROMIUM");
            return;
        };
        let (page, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && page.contains("<h1>"), "{said}");
        assert!(!said.contains("CONSOLE") && !said.contains("Content Security Policy"), "{said}");
        if source.starts_with('a') {
            let rows = page.matches("<code>trainer.").count();
            assert!(rows > 20 && page.contains("id=\"search\">") && page.contains(" of "), "the script has run: {page}");
        }
    }
}
