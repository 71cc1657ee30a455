//! The parts of a URL, as Python's `urllib.parse` splits it.

use super::object::Object;

/// A split URL.
#[derive(Debug)]
pub(super) struct Url {
    scheme: String,
    netloc: String,
    path: String,
    /// What is behind a `;` in the last part of the path; only `urlparse` separates it.
    params: Option<String>,
    query: String,
    fragment: String,
}

/// The schemes whose paths have parameters.
const WITH_PARAMS: [&str; 16] = [
    "", "ftp", "hdl", "prospero", "http", "https", "shttp", "rtsp", "rtsps", "rtspu", "sip", "sips", "mms", "sftp", "tel", "imap",
];

impl Url {
    /// `urlparse`, or `urlsplit` without `has_params`: the parts, or the message of the `ValueError`. `None` for a host that is not modelled: in
    /// brackets, or with other letters than ASCII.
    pub(super) fn of(text: &str, has_params: bool) -> Option<Result<Self, String>> {
        let is_control_or_space = |letter: char| letter <= ' ';
        let text: String = text.trim_start_matches(is_control_or_space).chars().filter(|one| !"\t\r\n".contains(*one)).collect();
        let (scheme, rest) = scheme(&text);
        let (netloc, rest) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            None => ("", rest),
        };
        match (netloc.contains('['), netloc.contains(']')) {
            (false, false) if netloc.is_ascii() => {}
            (true, false) | (false, true) => return Some(Err("Invalid IPv6 URL".to_owned())),
            _ => return None,
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (path, params) = if has_params && WITH_PARAMS.contains(&&*scheme) {
            let last = path.rfind('/').unwrap_or(0);
            let at = path[last..].find(';').map(|at| last + at);
            at.map_or((path, Some("")), |at| (&path[..at], Some(&path[at + 1..])))
        } else {
            (path, has_params.then_some(""))
        };
        Some(Ok(Self {
            scheme,
            netloc: netloc.to_owned(),
            path: path.to_owned(),
            params: params.map(str::to_owned),
            query: query.to_owned(),
            fragment: fragment.to_owned(),
        }))
    }

    /// Its parts in order: it is a tuple.
    pub(super) fn items(&self) -> Vec<Object> {
        let parts = [&self.scheme, &self.netloc, &self.path].into_iter().chain(&self.params).chain([&self.query, &self.fragment]);
        parts.map(|part| Object::str(part.as_str())).collect()
    }

    /// An attribute, or the message of the `ValueError`; `None` if it is not modelled.
    pub(super) fn attribute(&self, name: &str) -> Option<Result<Object, String>> {
        Some(Ok(match name {
            "scheme" => Object::str(&*self.scheme),
            "netloc" => Object::str(&*self.netloc),
            "path" => Object::str(&*self.path),
            "params" => Object::str(self.params.as_deref()?),
            "query" => Object::str(&*self.query),
            "fragment" => Object::str(&*self.fragment),
            "hostname" => match self.host().0 {
                "" => Object::None,
                host => match host.split_once('%') {
                    Some((host, zone)) => Object::str(format!("{}%{zone}", host.to_lowercase())),
                    None => Object::str(host.to_lowercase()),
                },
            },
            "port" => match self.host().1 {
                "" => Object::None,
                port => match port.bytes().all(|byte| byte.is_ascii_digit()).then(|| port.parse::<u16>()) {
                    Some(Ok(port)) => Object::Int(port.into()),
                    Some(Err(_)) => return Some(Err("Port out of range 0-65535".to_owned())),
                    None => return Some(Err(format!("Port could not be cast to integer value as '{port}'"))),
                },
            },
            "username" => {
                self.user().map_or(Object::None, |user| Object::str(user.split_once(':').map_or(user, |(name, _)| name)))
            }
            "password" => {
                let password = self.user().and_then(|user| Some(user.split_once(':')?.1));
                password.map_or(Object::None, Object::str)
            }
            _ => return None,
        }))
    }

    /// The host and the port as written.
    fn host(&self) -> (&str, &str) {
        let host = self.netloc.rsplit_once('@').map_or(&*self.netloc, |(_, host)| host);
        host.split_once(':').unwrap_or((host, ""))
    }

    /// What is before the host.
    fn user(&self) -> Option<&str> {
        self.netloc.rsplit_once('@').map(|(user, _)| user)
    }
}

/// The scheme in lower case, and the rest.
fn scheme(text: &str) -> (String, &str) {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    match text.split_once(':') {
        Some((scheme, rest)) if text.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(is_letter) => {
            (scheme.to_ascii_lowercase(), rest)
        }
        _ => (String::new(), text),
    }
}

#[cfg(test)]
mod tests {
    use super::Url;
    use crate::checks::text::quoted;

    fn read(text: &str, name: &str) -> String {
        match Url::of(text, true).map(|url| url.map(|url| url.attribute(name))) {
            Some(Ok(Some(Ok(object)))) => quoted(&object).expect("a plain value"),
            Some(Ok(Some(Err(said))) | Err(said)) => said,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_url_is_split_as_python_splits_it() {
        let all = ["scheme", "netloc", "hostname", "port", "path", "params", "query", "fragment", "username", "password"];
        let parts = |text: &str| all.map(|name| read(text, name)).join(" ");
        for (text, wanted) in [
            ("http://Host:8000/v1", "'http' 'Host:8000' 'host' 8000 '/v1' '' '' '' None None"),
            ("HTTPS://me:pa:ss@h.x:1/a;b/c;d?q=1#f", "'https' 'me:pa:ss@h.x:1' 'h.x' 1 '/a;b/c' 'd' 'q=1' 'f' 'me' 'pa:ss'"),
            ("localhost:8000", "'localhost' '' None None '8000' '' '' '' None None"),
            ("//host", "'' 'host' 'host' None '' '' '' '' None None"),
            ("host/x", "'' '' None None 'host/x' '' '' '' None None"),
            (" http://u@h:/", "'http' 'u@h:' 'h' None '/' '' '' '' 'u' None"),
            ("1http://h", "'' '' None None '1http://h' '' '' '' None None"),
            ("ws://h/a;b", "'ws' 'h' 'h' None '/a;b' '' '' '' None None"),
            ("", "'' '' None None '' '' '' '' None None"),
        ] {
            assert_eq!(parts(text), wanted, "{text}");
        }
        assert_eq!(read("http://h:70000", "port"), "Port out of range 0-65535");
        assert_eq!(read("http://h:http", "port"), "Port could not be cast to integer value as 'http'");
        assert_eq!(read("http://[::1", "netloc"), "Invalid IPv6 URL");
        assert!(Url::of("http://[::1]:80/", true).is_none());
    }
}
