//! The command that starts hosted training: `prime train FILE --volume NAME`.

use cfg_compose::{Entry, Node, Origin, Table, Value, Word};

/// What a command passes to `prime train`.
pub(crate) struct Started {
    /// The file, as arguments: `@ FILE`.
    pub(crate) words: Vec<Word>,
    /// The keys of the config that flags set, with their arguments.
    settings: Vec<(&'static str, Word)>,
}

/// The flags that set keys.
const OF_KEYS: [(&str, &str); 5] = [
    ("--gpu-type", "gpu_type"),
    ("--image-tag", "image_tag"),
    ("--ref", "source_ref"),
    ("--volume", "volume"),
    ("--volume-size", "volume_size"),
];

/// The other flags that take a value.
const WITH_VALUE: [&str; 9] =
    ["-e", "--env-var", "--env-file", "-o", "--output", "--pr", "--resume-from", "--schema-python", "--artifact-out"];

/// Reads such a command, if it is one that starts or validates a run.
pub(crate) fn started(words: &[Word]) -> Option<Started> {
    let is_program = |word: &Word| word.text.rsplit('/').next() == Some("prime");
    let at = words.windows(2).position(|pair| is_program(&pair[0]) && &*pair[1].text == "train")?;
    let mut rest = words[at + 2..].iter().peekable();
    rest.next_if(|word| matches!(&*word.text, "run" | "validate"));
    let (mut files, mut settings) = (Vec::new(), Vec::new());
    while let Some(word) = rest.next() {
        let (flag, value) = word.text.split_once('=').map_or((&*word.text, None), |(flag, value)| (flag, Some(value)));
        if !flag.starts_with('-') {
            files.push(word);
        } else if let Some((_, key)) = OF_KEYS.iter().find(|(known, _)| *known == flag) {
            let value = value.map(|value| Word { text: value.into(), ..word.clone() }).or_else(|| rest.next().cloned());
            settings.extend(value.map(|value| (*key, value)));
        } else if WITH_VALUE.contains(&flag) && value.is_none() {
            rest.next();
        }
    }
    // Other subcommands take the name of a run, not a file.
    let [file] = files.as_slice() else { return None };
    file.text
        .contains('.')
        .then(|| Started { words: vec![Word { text: "@".into(), ..(*file).clone() }, (*file).clone()], settings })
}

impl Started {
    /// Sets the keys that flags set, over those of the file.
    pub(crate) fn lay_over(&self, root: &mut Table) {
        for (key, word) in &self.settings {
            let origin = Origin::CommandLine(word.location);
            let node = Node { value: Value::Str(word.text.clone()), origin };
            root.insert(Entry { key: (*key).into(), written: None, key_origin: origin, node });
        }
    }
}
