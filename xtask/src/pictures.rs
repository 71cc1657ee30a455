//! Pictures of a terminal with the program's real output and colours, as SVG.

use std::{fmt::Write as _, process::Command};

use crate::generate::root;

/// The width of a terminal, in characters.
pub(crate) const COLUMNS: usize = 96;

/// The size of a character, in pixels.
const CHARACTER: (f64, f64) = (8.4, 18.0);

/// The margin around the text.
const MARGIN: f64 = 14.0;

/// The colours of the terminal: light on dark, and the eight colours of SGR 30 to 37.
const PAPER: &str = "#1b1f24";
const INK: &str = "#d7dce2";
const COLOURS: [&str; 8] = ["#5c6570", "#f47067", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#f0f3f6"];

/// A picture of the output of `cfg` with these arguments in a folder.
pub(crate) fn of(folder: &str, words: &[&str]) -> Result<Vec<u8>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = root().join("Cargo.toml");
    // The picture must not depend on the user who makes it.
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "cfg", "--manifest-path"])
        .arg(manifest)
        .args(["--", "--color", "always"])
        .args(words)
        .current_dir(root().join(folder))
        .env("COLUMNS", COLUMNS.to_string())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("HF_HOME")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    if text.is_empty() {
        return Err(format!("cfg {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(drawn(&format!("\x1b[1;32m$\x1b[0m cfg {}\n{text}", words.join(" "))).into_bytes())
}

/// A colour of a terminal.
#[derive(Clone, Copy, PartialEq)]
enum Colour {
    /// One of the eight.
    Named(usize),
    /// Red, green, blue.
    Mixed(u8, u8, u8),
}

impl Colour {
    /// Reads what follows 38 or 48: `5;N` or `2;R;G;B`.
    fn read(parameters: &mut dyn Iterator<Item = usize>) -> Option<Self> {
        let mut byte = || u8::try_from(parameters.next()?).ok();
        match byte()? {
            2 => Some(Self::Mixed(byte()?, byte()?, byte()?)),
            5 => Some(Self::of_palette(byte()?)),
            _ => None,
        }
    }

    /// One of the 256 colours: the eight twice, a cube of six steps each, and greys.
    fn of_palette(number: u8) -> Self {
        let step = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
        match number {
            0..16 => Self::Named(usize::from(number % 8)),
            16..232 => {
                let cube = number - 16;
                Self::Mixed(step(cube / 36), step(cube / 6 % 6), step(cube % 6))
            }
            232.. => {
                let grey = 8 + 10 * (number - 232);
                Self::Mixed(grey, grey, grey)
            }
        }
    }

    fn in_svg(self) -> String {
        match self {
            Self::Named(number) => COLOURS[number].to_owned(),
            Self::Mixed(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}

/// The style of text, from SGR.
#[expect(clippy::struct_excessive_bools, reason = "each is switched by itself")]
#[derive(Clone, Copy, Default, PartialEq)]
struct Look {
    is_bold: bool,
    is_faint: bool,
    is_underlined: bool,
    is_reversed: bool,
    colour: Option<Colour>,
    paper: Option<Colour>,
}

impl Look {
    fn change(&mut self, parameters: &str) {
        let mut parameters = parameters.split(';').map(|parameter| parameter.parse::<usize>().unwrap_or(0));
        while let Some(parameter) = parameters.next() {
            match parameter {
                0 => *self = Self::default(),
                1 => self.is_bold = true,
                2 => self.is_faint = true,
                4 => self.is_underlined = true,
                7 => self.is_reversed = true,
                22 => (self.is_bold, self.is_faint) = (false, false),
                24 => self.is_underlined = false,
                27 => self.is_reversed = false,
                30..=37 | 90..=97 => self.colour = Some(Colour::Named(parameter % 10)),
                38 => self.colour = Colour::read(&mut parameters),
                39 => self.colour = None,
                40..=47 | 100..=107 => self.paper = Some(Colour::Named(parameter % 10)),
                48 => self.paper = Colour::read(&mut parameters),
                49 => self.paper = None,
                // The colour of underlines, which are drawn in the text's colour.
                58 => drop(Colour::read(&mut parameters)),
                _ => {}
            }
        }
    }

    /// The background colour, if it is not that of the terminal.
    fn background(self) -> Option<String> {
        if self.is_reversed {
            return Some(self.colour.map_or_else(|| INK.to_owned(), Colour::in_svg));
        }
        self.paper.map(Colour::in_svg)
    }

    fn attributes(self) -> String {
        let colour = match (self.is_reversed, self.colour) {
            (true, _) => Some(self.paper.map_or_else(|| PAPER.to_owned(), Colour::in_svg)),
            (false, colour) => colour.map(Colour::in_svg),
        };
        let colour = colour.map(|colour| format!(" fill=\"{colour}\"")).unwrap_or_default();
        let weight = if self.is_bold { " font-weight=\"bold\"" } else { "" };
        let line = if self.is_underlined { " text-decoration=\"underline\"" } else { "" };
        let opacity = if self.is_faint { " opacity=\"0.6\"" } else { "" };
        colour + weight + line + opacity
    }
}

/// Runs of text with the same style, each with the column at which it begins.
fn runs(line: &str, look: &mut Look) -> Vec<(usize, Look, String)> {
    let mut runs: Vec<(usize, Look, String)> = Vec::new();
    let mut column = 0;
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        if let Some((parameters, behind)) = rest.strip_prefix("\x1b[").and_then(|escape| escape.split_once('m')) {
            look.change(parameters);
            rest = behind;
            continue;
        }
        match runs.last_mut().filter(|(_, of, _)| of == look) {
            Some((.., text)) => text.push(character),
            None => runs.push((column, *look, character.to_string())),
        }
        column += 1;
        rest = &rest[character.len_utf8()..];
    }
    runs
}

/// What is between two blanks or more, each with the characters before it: programs differ in whether they draw several blanks, or any at either end.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces: Vec<(usize, &str)> = Vec::new();
    let mut offset = 0;
    for piece in text.split("  ") {
        let blanks = piece.len() - piece.trim_start_matches(' ').len();
        let trimmed = piece.trim_matches(' ');
        if !trimmed.is_empty() {
            pieces.push((offset + blanks, trimmed));
        }
        offset += piece.chars().count() + 2;
    }
    pieces
}

/// A picture of a terminal with this text.
#[expect(clippy::cast_precision_loss, reason = "no terminal has so many lines or columns")]
pub(crate) fn drawn(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (across, down) = CHARACTER;
    let (width, height) = (COLUMNS as f64 * across + 2.0 * MARGIN, lines.len() as f64 * down + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"monospace\" font-size=\"14\" fill=\"{INK}\" xml:space=\"preserve\">\n<rect width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    let mut look = Look::default();
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + down * (number as f64 + 0.75);
        for (column, look, text) in runs(line, &mut look) {
            if let Some(background) = look.background() {
                let (x, y) = (MARGIN + column as f64 * across, MARGIN + down * number as f64);
                let length = text.chars().count() as f64 * across;
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{down:.1}\" fill=\"{background}\"/>"
                );
            }
            for (offset, text) in pieces(&text) {
                let (x, length) = (MARGIN + (column + offset) as f64 * across, text.chars().count() as f64 * across);
                let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let attributes = look.attributes();
                // The length keeps columns aligned if a font has other widths. Writing to a `String` does not fail.
                let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"{attributes}>{escaped}</text>");
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::{Colour, Look, drawn, runs};

    #[test]
    fn colours_begin_and_end_at_their_codes() {
        let mut look = Look::default();
        let found = runs("a \x1b[1;31mb\x1b[0mc", &mut look);
        let red = Look { is_bold: true, colour: Some(Colour::Named(1)), ..Look::default() };
        let plain = Look::default();
        assert_eq!(found.len(), 3);
        assert!(found[0] == (0, plain, "a ".to_owned()) && found[1] == (2, red, "b".to_owned()));
        assert!(found[2] == (3, plain, "c".to_owned()) && look == plain);
    }

    #[test]
    fn colours_may_be_mixed_and_set_as_background() {
        let mut look = Look::default();
        look.change("4;58;2;255;0;0;38;5;225;48;2;1;2;3");
        assert!(look.is_underlined && look.colour == Some(Colour::Mixed(255, 215, 255)), "the colour of the line is another");
        assert_eq!(look.background().as_deref(), Some("#010203"));
        look.change("7;39");
        assert_eq!(look.background().as_deref(), Some("#d7dce2"));
        assert!(drawn("\x1b[7m \x1b[0m\n").contains("fill=\"#d7dce2\"/>"));
    }

    #[test]
    fn several_blanks_are_not_drawn() {
        assert_eq!(super::pieces("  a b   c    "), [(2, "a b"), (8, "c")]);
        let svg = drawn("weights   15.3 GiB\n");
        assert!(svg.contains(">weights</text>") && svg.contains("<text x=\"98.0\""), "{svg}");
    }

    #[test]
    fn a_picture_holds_the_text_and_no_markup_of_it() {
        let svg = drawn("x < 1 & y\n\x1b[36mhelp\x1b[0m\n");
        assert!(svg.contains(">x &lt; 1 &amp; y</text>") && svg.contains(" fill=\"#56d4dd\">help</text>"), "{svg}");
        assert_eq!(svg.matches("<text").count(), 2);
    }
}
