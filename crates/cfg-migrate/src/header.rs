//! The target in a config's metadata.

use std::path::{Component, Path};

use cfg_diag::{Edit, FileId};
use cfg_plan::Metadata;
use cfg_schema::{History, Target};
use cfg_syntax::Dialect;

/// The edit that changes the target in the metadata of the config at `path`; `None` if the config names none.
pub(crate) fn retarget(history: History, path: &str, text: &str, dialect: Dialect, to: &Target) -> Option<Edit> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, dialect);
    let (metadata, _) = Metadata::read(history, FileId(0), text, &document);
    let stated = metadata.target.as_ref().map(|stated| (stated.location, Some(stated.value.point)));
    let (location, point) = stated.or_else(|| metadata.local.as_ref().map(|local| (local.location, None)))?;
    let old = text.get(location.span.range())?;
    let quote = if old.starts_with('\'') { '\'' } else { '"' };
    let name = name_from(path, &to.name)?;
    let is_meant = Target::parse(history, &to.name).is_ok_and(|parsed| parsed.point == to.point);
    let is_other = point != Some(to.point) && old.trim_matches(['"', '\'']) != name;
    let new_text = format!("{quote}{name}{quote}");
    (is_other && (is_meant || Target::is_in_files(&name)) && !name.contains(['"', '\'', '\\']))
        .then_some(Edit { location, new_text })
}

/// The name of a target as a config writes it: the path of a checkout is relative to the config's folder. `None` if there is no relative path.
fn name_from(config: &str, name: &str) -> Option<String> {
    let Some(checkout) = name.strip_prefix(Target::PATH).filter(|checkout| Path::new(checkout).is_relative()) else {
        return Some(name.to_owned());
    };
    let mut up = String::new();
    for part in Path::new(config).parent()?.components() {
        match part {
            Component::Normal(_) => up.push_str("../"),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(format!("{}{up}{checkout}", Target::PATH))
}

#[cfg(test)]
mod tests {
    use super::name_from;

    #[test]
    fn a_checkout_is_named_from_the_folder_of_the_config() {
        for (config, name, wanted) in [
            ("rl.toml", "path:../prime-rl", Some("path:../prime-rl")),
            ("./configs/a/rl.toml", "path:../prime-rl", Some("path:../../../prime-rl")),
            ("configs/rl.toml", "path:/home/me/prime-rl", Some("path:/home/me/prime-rl")),
            ("../rl.toml", "path:prime-rl", None),
            ("/p/rl.toml", "path:prime-rl", None),
            ("configs/rl.toml", "local:ours", Some("local:ours")),
            ("configs/rl.toml", "0.8.0", Some("0.8.0")),
        ] {
            assert_eq!(name_from(config, name).as_deref(), wanted, "{config} {name}");
        }
    }
}
