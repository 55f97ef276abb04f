//! Names that only their authors would understand: the field has a word for each of these things.
//!
//! What can be told from a name alone is a list. Names of tests are sentences and free.

use super::Violation;
use super::files::Source;
use super::sources::without_text;

/// What declares a type.
const TYPES: [&str; 4] = ["struct ", "enum ", "trait ", "type "];

/// Names of types that say no thing, and what is said instead.
const TYPE_NAMES: [(&str, &str); 13] = [
    ("Told Said Says Saying", "Event…, …Answer, …Log"),
    ("Shown Seen", "…View, …Body, the version that is expected"),
    ("Place Placed Places", "…Key, Cursor, Position"),
    ("Asked Ask Wanted", "…Query, …Request"),
    (
        "Tried Judged Believed Sold Made Taken Kept Known Held Counted Stated Listed",
        "a noun for what the value is",
    ),
    ("Late Fresh Still Next Then Also Within Around Beside Meanwhile", "a noun for what the value is"),
    (
        "Turn Turns Hands Station Bay Workshop Surroundings",
        "Lock, Lease, WorkerPool, …Runtime, …Context, Environment",
    ),
    ("Courier Parcel", "…Sender, …Request"),
    ("Shelf Shelves", "…Loader"),
    ("Lite Desk Ear", "Sqlite…, Writer…, Listener"),
    ("Patience Patient Tally Figures Traveller", "Timeouts, …Stats, …Metrics, …Run"),
    ("Fit Fits Fitting Meet", "…Constraints, …Conflict"),
    ("Rehearsal Census Guesses Once On", "Canary…, …Count, LoginThrottle, Idempotent…, Executor"),
];

/// How names of types do not end or begin.
const TYPE_ENDS: [(&str, &str); 1] = [("Place", "…Key, …Cursor, …Path, …Position")];
const TYPE_BEGINNINGS: [(&str, &str); 1] = [("Fresh", "Generated…, Random…")];

/// Names of functions that say no action, and what is said instead.
const FUNCTION_NAMES: [(&str, &str); 7] = [
    (
        "told tell tells said says shown",
        "what is returned or written: `view`, `to_json`, `append_events`, `notify`",
    ),
    ("beside around elsewhere", "what stands there: `constraints`, `follow_up`, `remote`"),
    ("turn in_turn take_turn put_down rest", "`with_lock`, `lease`, `release`, `back_off`"),
    ("guesses census meet meets meeting", "`throttle`, `counts_by_…`, `overlaps`"),
    ("wanted fitting fits absent", "`find_visible`, `validate`, `ensure_absent`"),
    ("linger patiently once", "`drain`, `within_deadline`, `claim_…`"),
    (
        "seen asked late made fit fresh place also",
        "`put_…`, `by_query`, `convert_…`, `generate`, `position`, `and_where`",
    ),
];
/// How names of functions do not begin or end, unless they are sentences.
const FUNCTION_ENDS: [(&str, &str); 2] = [("_elsewhere", "`…_remote`"), ("_beside", "what stands there")];

/// Names of constants that say no thing, and what is said instead.
const CONSTANT_NAMES: [(&str, &str); 2] = [
    (
        "PATIENCE PATIENT LINGER APART HANDS REST TURN TURNS",
        "what it bounds: `DRAIN_TIMEOUT`, `POLL_INTERVAL`, `LEASE`",
    ),
    ("ELSEWHERE RETURNED TOLD SHOWN SEEN PLACE PLACES", "what is in it: `READ_ONLY`, `KEYS`"),
];
/// How names of constants do not end.
const CONSTANT_ENDS: [(&str, &str); 2] = [("_ELSEWHERE", "`…_REMOTE`"), ("_HERE", "`…_LOCAL`")];

/// Names of modules that say not what is in them, and what is said instead.
const MODULE_NAMES: [(&str, &str); 4] = [
    ("told shown seen returned", "what is in it: `views`, `read_only_members`"),
    ("elsewhere turn turns beside", "`remote`, `locks`, `constraints`"),
    (
        "courier shelf shelves desk bay lite patience",
        "`client`, `loaders`, `writer`, `runtime`, `sqlite`, `timeouts`",
    ),
    (
        "twice absent census meet guesses stuck fitting",
        "`duplicate_keys`, `null_values`, `counts`, `conflict`, `throttle`, `recovery`",
    ),
];

/// Names of locals and parameters that say no thing, and what is said instead.
const LOCAL_NAMES: [(&str, &str); 5] = [
    ("told", "`event`, `message`, `notifications`, what was recorded"),
    ("shown", "`view`, `answer`, `printed`, what is in it"),
    ("asked wanted", "`request`, `requested`, `expected`"),
    ("seen", "`expected_version`, `visible`, `reached`, `listed`"),
    (
        "sold strangers surroundings portal twin",
        "`product_ids`, `unknown_parameters`, `context`, `caller`, `second`",
    ),
];
pub(super) fn check(files: &[Source]) -> Vec<Violation> {
    files.iter().filter(|file| file.is_rust()).flat_map(in_file).collect()
}

fn in_file(file: &Source) -> Vec<Violation> {
    let mut found: Vec<_> = module(&file.path)
        .and_then(|name| private(&MODULE_NAMES, name))
        .into_iter()
        .map(|instead| violation(file, 1, "module", module(&file.path).unwrap_or_default(), instead))
        .collect();
    let mut in_signature = false;
    for (index, line) in file.text.lines().enumerate() {
        let declared = declaration(line);
        let code = without_text(line);
        in_signature |= matches!(declared, Some(Declared::Function(_)));
        for name in locals(&code, in_signature) {
            let instead = private(&LOCAL_NAMES, name);
            found.extend(instead.map(|instead| violation(file, index + 1, "local", name, instead)));
        }
        // rustfmt ends the line of a signature with one of these.
        in_signature &= !code.trim_end().ends_with(['{', '}', ';']);
        let Some(declared) = declared else { continue };
        let named = match declared {
            Declared::Type(name) => type_name(name).map(|instead| ("type", name, instead)),
            Declared::Function(name) => function(name).map(|instead| ("function", name, instead)),
            Declared::Constant(name) => constant(name).map(|instead| ("constant", name, instead)),
        };
        found.extend(named.map(|(what, name, instead)| violation(file, index + 1, what, name, instead)));
    }
    found
}

fn violation(file: &Source, line: usize, what: &str, name: &str, instead: &str) -> Violation {
    let what = format!("the {what} `{name}` has a name that a stranger cannot guess");
    file.violation(line, what, &format!("say {instead}"))
}

enum Declared<'l> {
    Type(&'l str),
    Function(&'l str),
    Constant(&'l str),
}

/// What a line of code declares.
fn declaration(line: &str) -> Option<Declared<'_>> {
    let mut rest = line.trim_start();
    if rest.starts_with("pub") {
        let end = if rest.starts_with("pub(") { rest.find(") ")? + 1 } else { 3 };
        rest = rest.get(end..)?.trim_start();
    }
    let name = |text: &'_ str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::len);
    if let Some(constant) = ["const ", "static "].iter().find_map(|word| rest.strip_prefix(word)) {
        let constant = constant.get(..name(constant)?)?;
        if constant.chars().any(|c| c.is_ascii_uppercase()) {
            return Some(Declared::Constant(constant));
        }
    }
    // A statement of `statements!`.
    if let Some((statement, _)) = rest.split_once(" = ")
        && statement.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && statement.starts_with(|c: char| c.is_ascii_uppercase())
    {
        return Some(Declared::Constant(statement));
    }
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if let Some(rest) = rest.strip_prefix("fn ") {
        return rest.get(..name(rest)?).map(Declared::Function);
    }
    let rest = TYPES.iter().find_map(|word| rest.strip_prefix(word))?;
    rest.get(..name(rest)?).map(Declared::Type)
}

/// The names that a line of code binds with `let` and `for`, in the arm of a match, as parameters of a closure and, in a signature,
/// of a function.
fn locals(code: &str, in_signature: bool) -> Vec<&str> {
    let bound = code.split("let ").skip(1).filter_map(|rest| rest.split('=').next());
    let each =
        code.split("for ").skip(1).filter_map(|rest| rest.split_once(" in ").map(|(pattern, _)| pattern));
    let parts: Vec<_> = code.split('|').collect();
    // Only between two bars: a line of a text may begin with one.
    let of_closures = parts.get(..parts.len() - 1).unwrap_or_default().iter().copied().skip(1).step_by(2);
    let of_arm = code.split_once(" => ").map(|(pattern, _)| pattern);
    let mut found: Vec<_> = bound.chain(each).chain(of_closures).chain(of_arm).flat_map(words).collect();
    if in_signature {
        let (parameters, _) = code.rsplit_once(": ").unwrap_or_default();
        found.extend(parameters.split(": ").filter_map(|before| words(before).last()));
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The module that a file holds.
fn module(path: &str) -> Option<&str> {
    let name = path.strip_suffix(".rs")?.rsplit('/').find(|part| *part != "mod")?;
    Some(name)
}

fn private<'t>(table: &[(&str, &'t str)], name: &str) -> Option<&'t str> {
    table.iter().find(|(names, _)| names.split(' ').any(|known| known == name)).map(|(_, instead)| *instead)
}

fn type_name(name: &str) -> Option<&'static str> {
    let by_end = TYPE_ENDS.iter().find(|(end, _)| name.ends_with(end));
    let by_beginning = TYPE_BEGINNINGS.iter().find(|(beginning, _)| name.starts_with(beginning));
    private(&TYPE_NAMES, name).or(by_end.or(by_beginning).map(|(_, instead)| *instead))
}

fn function(name: &str) -> Option<&'static str> {
    let is_sentence = name.split('_').count() > 3;
    let by_end = FUNCTION_ENDS.iter().find(|(end, _)| !is_sentence && name.ends_with(end));
    private(&FUNCTION_NAMES, name).or(by_end.map(|(_, instead)| *instead))
}

fn constant(name: &str) -> Option<&'static str> {
    let by_end = CONSTANT_ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, instead)| *instead);
    private(&CONSTANT_NAMES, name).or(by_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[file]).iter().map(|violation| format!("{}: {}", violation.line, violation.what)).collect()
    }

    #[test]
    fn private_names_of_types_functions_and_modules_are_found_with_their_lines() {
        let text = "use a::Told;\npub(crate) struct Told {\n    pub(super) async fn in_turn(&self) {}\n";
        assert_eq!(
            found("host/a/src/elsewhere.rs", text),
            [
                "1: the module `elsewhere` has a name that a stranger cannot guess",
                "2: the type `Told` has a name that a stranger cannot guess",
                "3: the function `in_turn` has a name that a stranger cannot guess",
            ]
        );
        assert_eq!(found("host/a/src/elsewhere/mod.rs", ""), found("host/a/src/elsewhere.rs", ""));
    }

    #[test]
    fn private_names_of_constants_are_found() {
        let text = "pub(crate) const APART: u8 = 1;\nstatic OF_ELSEWHERE: u8 = 1;\nconst fn of() {}\nconst LEASE: u8 = 1;\n    SEEN = \"SELECT 1\";\n";
        assert_eq!(
            found("host/a/src/a.rs", text),
            [
                "1: the constant `APART` has a name that a stranger cannot guess",
                "2: the constant `OF_ELSEWHERE` has a name that a stranger cannot guess",
                "5: the constant `SEEN` has a name that a stranger cannot guess",
            ]
        );
    }

    #[test]
    fn private_names_of_locals_and_parameters_are_found_outside_of_text() {
        let text = "fn f(told: u8) {\n    let (mut seen, b) = g(\"|shown|\"); // let twin = 1;\n    b.map(|asked: &u8| 1);\n}\nfn g(\n    wanted: u8,\n) {\n    A { told: 1 }\n}\nmatch a {\n    shown => b,\n}\n";
        let local =
            |line, name| format!("{line}: the local `{name}` has a name that a stranger cannot guess");
        let expected =
            [local(1, "told"), local(2, "seen"), local(3, "asked"), local(6, "wanted"), local(11, "shown")];
        assert_eq!(found("host/a/src/a.rs", text), expected);
        assert_eq!(found("host/a/src/a.rs", "        | as asked\n"), Vec::<String>::new());
    }

    #[test]
    fn words_within_names_and_sentences_are_free() {
        let text = "struct PlaceOfBirth;\nfn retold() {}\nfn what_an_event_tells_is_told_elsewhere() {}\nlet retold = 1;\n";
        assert_eq!(found("host/a/src/remote.rs", text), Vec::<String>::new());
        assert_eq!(found("host/a/src/a.rs", "fn follow_elsewhere() {}\n").len(), 1);
        assert_eq!(found("host/a/src/a.rs", "struct FreshId;\nstruct DropFolderPlace;\n").len(), 2);
    }
}
