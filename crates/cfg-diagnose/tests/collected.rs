//! Logs as collectors keep them: with a prefix before each line, known or not, or as objects of JSON.

use std::{io::Read, path::Path};

use cfg_diagnose::{Component, Log, Matcher, RunContext, Unfolded, conclude, is_enveloped};

const STEPS: &str = "09:00:00    INFO Starting training loop (max_steps=100)\n\
    09:01:00 SUCCESS Step 1 |    58.1s | Loss 0.0011 | Entropy 0.2105 | Mismatch KL 0.0006 | Grad. Norm 0.0680 | LR 1.00e-06 | MFU 20.1% | Peak Mem. 60.1 GiB\n\
    09:02:00 SUCCESS Step 2 |    58.1s | Loss 0.0012 | Entropy 0.2105 | Mismatch KL 0.0006 | Grad. Norm 0.0680 | LR 1.00e-06 | MFU 20.1% | Peak Mem. 60.1 GiB\n";

const END: &str = "Traceback (most recent call last):\n  File \"/app/src/prime_rl/trainer/rl/train.py\", line 210, in train\n    \
    loss.backward()\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n\
    Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\nArithmeticError: the seventh head is missing\n";

fn seen(text: &str) -> Vec<(String, String, Component)> {
    let matcher = Matcher::new();
    let mut log = Log::new(&matcher);
    text.as_bytes().chunks(53).for_each(|piece| log.feed(piece));
    let findings = conclude(&[log.finish().at(Path::new("x.log"))], &RunContext::default());
    let of = |finding: &cfg_diagnose::Finding| {
        let seen = &finding.sightings[0];
        (finding.symptom.name.to_string(), seen.first.text.clone(), seen.component)
    };
    findings.iter().map(of).collect()
}

/// What each kind of collector writes before a line, by the number of the line.
type Prefix = fn(usize) -> String;

const PREFIXES: [(&str, Prefix); 30] = [
    ("stern", |_| "rl-trainer-0 trainer ".to_owned()),
    ("stern, of a deployment", |_| "trainer-7d9f8b6c5d-x2k8p trainer ".to_owned()),
    ("stern, with times", |at| format!("rl-trainer-0 trainer 2026-08-10T08:00:{at:02}.123456789Z ")),
    ("stern, of several namespaces", |_| "research rl-trainer-0 trainer ".to_owned()),
    ("kubectl --prefix", |_| "[pod/rl-trainer-0/trainer] ".to_owned()),
    ("kubectl --prefix --timestamps", |at| format!("[pod/rl-trainer-0/trainer] 2026-08-10T08:00:{at:02}.123456789Z ")),
    ("Loki", |at| format!("2026-08-10T08:00:{at:02}Z {{app=\"rl\", pod=\"rl-trainer-0\"}} ")),
    ("a container runtime", |at| format!("2026-08-10T08:00:{at:02}.123456789Z stderr F ")),
    ("journalctl", |at| format!("Aug 10 08:00:{at:02} gpu-n3 rl[4242]: ")),
    ("journalctl -o short-iso", |at| format!("2026-08-10T08:00:{at:02}+0000 gpu-n3 rl[4242]: ")),
    ("journalctl -o short-full", |at| format!("Mon 2026-08-10 08:00:{at:02} UTC gpu-n3 rl[4242]: ")),
    ("docker compose", |_| "trainer-1  | ".to_owned()),
    ("docker compose, container_name", |_| "prime_trainer    | ".to_owned()),
    ("docker compose -t", |at| format!("trainer-1  | 2026-08-10T08:00:{at:02}.123456789Z ")),
    ("GitHub Actions", |at| format!("2026-08-10T08:00:{at:02}.1234567Z ")),
    ("gh run view --log", |at| format!("gpu tests\tTrain\t2026-08-10T08:00:{at:02}.1234567Z ")),
    ("srun -l", |_| " 3: ".to_owned()),
    ("pdsh", |_| "gpu-03: ".to_owned()),
    ("clush", |_| "gpu03: ".to_owned()),
    ("pdsh, whole names", |_| "gpu03.cluster.local: ".to_owned()),
    ("mpirun --tag-output", |_| "[1,3]<stderr>: ".to_owned()),
    ("torchrun", |_| "[rank0]: ".to_owned()),
    ("torchrun --tee", |_| "[default0]:".to_owned()),
    ("ray", |_| "(TrainerActor pid=2211, ip=10.1.2.3) ".to_owned()),
    ("SkyPilot", |_| "(worker1, rank=1, pid=4312, ip=10.0.0.2) ".to_owned()),
    ("ts", |at| format!("Aug 10 08:00:{at:02} ")),
    // Not known: it is learned from the log.
    ("foreman", |at| format!("08:00:{at:02} trainer.1 >> ")),
    ("overmind", |_| "trainer | ".to_owned()),
    ("parallel --tag", |_| "node3\t".to_owned()),
    ("CloudWatch", |at| format!("2026-08-10T08:00:{at:02}.123000+00:00 rl/trainer/abc ")),
];

fn with(prefix: Prefix, text: &str) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{}{line}\n", prefix(at))).collect::<Vec<String>>().concat()
}

#[test]
fn what_stands_before_each_line_is_removed() {
    for (name, prefix) in PREFIXES {
        let found = seen(&with(prefix, &format!("{STEPS}{END}")));
        let [(symptom, text, component)] = found.as_slice() else { panic!("{name}: {found:?}") };
        assert_eq!(symptom, "uncaught-exception", "{name}");
        assert_eq!(text, "ArithmeticError: the seventh head is missing (caused by KeyError: 'x')", "{name}");
        assert_eq!(*component, Component::Trainer, "{name}");
        // It is well until then, and if it went on.
        assert_eq!(seen(&with(prefix, STEPS)), [], "{name}");
        assert_eq!(seen(&with(prefix, &format!("{STEPS}{END}{}", STEPS.replace("09:", "10:")))), [], "{name}");
    }
}

/// The last words of a program without a traceback.
#[test]
fn last_words_behind_a_prefix_are_quoted() {
    for (name, prefix) in PREFIXES {
        let text = with(prefix, &format!("{STEPS}RuntimeError: nothing is known about this\n"));
        let found = seen(&text);
        assert!(
            found.iter().any(|(_, text, _)| text.ends_with("RuntimeError: nothing is known about this")),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn the_pods_of_one_log_are_told_apart() {
    let orchestrator = "09:00:00    INFO Starting orchestrator loop (max_steps=20)\n09:01:01    INFO Train batch 3/64 (5.0%); 64 inflight rollouts (train=64, eval=0)\n";
    let of_pod =
        |pod: &str, text: &str| text.lines().map(|line| format!("[pod/{pod}/main] {line}\n")).collect::<Vec<String>>().concat();
    let text = of_pod("rl-orchestrator-0", orchestrator) + &of_pod("rl-trainer-0", &format!("{STEPS}{END}"));
    let found = seen(&text);
    assert_eq!(found.iter().map(|(_, _, component)| *component).collect::<Vec<_>>(), [Component::Trainer], "{found:?}");
}

#[test]
fn objects_of_collectors_are_read_as_the_program_wrote_them() {
    let objects: Vec<String> = format!("{STEPS}{END}")
        .lines()
        .map(|line| {
            serde_json::json!({ "log": format!("{line}\n"), "stream": "stderr", "time": "2026-08-10T08:00:00.1Z" }).to_string()
        })
        .collect();
    let text = objects.join("\n");
    assert!(is_enveloped(text.as_bytes(), true));
    let mut unfolded = String::new();
    Unfolded::new(text.as_bytes()).read_to_string(&mut unfolded).expect("text");
    let found = seen(&unfolded);
    assert_eq!(found[0].1, "ArithmeticError: the seventh head is missing (caused by KeyError: 'x')");
}

#[test]
fn nccl_s_last_warning_is_an_answer() {
    let node = "node-1:1234:1290 [0] include/socket.h:409 NCCL WARN ";
    for (line, name) in [
        ("Call to connect failed : Connection timed out", "nccl-connect"),
        ("Call to recv from 10.0.0.3<39123> failed : Connection reset by peer", "fatal-line"),
    ] {
        let found = seen(&format!("{STEPS}{node}{line}\n"));
        assert_eq!(found.iter().map(|(symptom, ..)| &**symptom).collect::<Vec<_>>(), [name], "{line}");
        assert_eq!(seen(&format!("{node}{line}\n{STEPS}")), [], "{line}");
    }
    // NCCL tries again; three times in a row it is what the process does.
    let again = format!("{node}Call to connect returned Connection refused, retrying\n");
    assert_eq!(seen(&format!("{STEPS}{again}")), []);
    assert_eq!(seen(&format!("{STEPS}{}", again.repeat(3))).len(), 1);
    assert_eq!(seen(&format!("{STEPS}{node}NET/Plugin : Could not find: libnccl-net.so\n")), []);
}
