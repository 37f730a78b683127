//! What emitted code looks like, and the files beside it.

use crate::units;
use clap::{Args, ValueEnum};
use soloist_problems::expressions::{Float, Header, Language, Style, System, emit_header, emit_self_test};
use soloist_study::Failure;
use soloist_study::files::{Guarded, Target};
use std::path::{Path, PathBuf};

const CODE: &str = "Code";

/// Types of numbers, names and files of emitted code.
#[derive(Args, Debug)]
pub(crate) struct CodeArgs {
    /// The type of numbers [default: double; generic for C++]
    #[arg(long, value_enum, value_name = "TYPE", help_heading = CODE)]
    pub(crate) float: Option<FloatType>,
    /// Inputs and outputs are complex numbers, and `I` in FILE is the imaginary unit
    #[arg(long, help_heading = CODE)]
    pub(crate) complex: bool,
    /// The start of the names of temporaries [default: t, in FORM Z]
    #[arg(long, value_name = "WORD", value_parser = units::identifier, help_heading = CODE)]
    pub(crate) prefix: Option<String>,
    /// Variables of the code have the names of the inputs
    #[arg(long, help_heading = CODE)]
    pub(crate) names: bool,
    /// Write a C header with the declarations to FILE, beside the code, which includes it
    #[arg(long, value_name = "FILE", requires = "out", help_heading = CODE)]
    pub(crate) header: Option<PathBuf>,
    /// Write a program to FILE, beside the code, that compiles with the code and compares its values with the input
    #[arg(long, value_name = "FILE", requires = "out", help_heading = CODE)]
    pub(crate) self_test: Option<PathBuf>,
}

/// Types of numbers of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloatType {
    /// float, f32
    Single,
    /// double, f64
    Double,
    /// long double; C and Fortran
    Long,
    /// __float128, 113 bits; C and Fortran
    Quad,
    /// Any type: C++ templates, generic Rust
    Generic,
}

/// The style that the arguments ask for.
pub(crate) fn style(args: &CodeArgs) -> Style {
    let float = args.float.map(|float| match float {
        FloatType::Single => Float::Single,
        FloatType::Double => Float::Double,
        FloatType::Long => Float::Long,
        FloatType::Quad => Float::Quad,
        FloatType::Generic => Float::Generic,
    });
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    Style {
        float,
        prefix: args.prefix.clone(),
        names: args.names,
        header: args.header.as_ref().and_then(name),
        ..Style::default()
    }
}

/// The files beside the code.
pub(crate) struct Beside {
    header: Option<Target>,
    self_test: Option<Target>,
    /// The name of the file of the code.
    code: String,
}

impl Beside {
    /// Checks that the files can be written, stand in the folder of the code `out`, and replace none of `guarded`.
    pub(crate) fn new(args: &CodeArgs, out: Option<&Path>, mut guarded: Guarded) -> Result<Self, Failure> {
        let folder = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut target = |flag: &str, path: Option<&PathBuf>, what| -> Result<Option<Target>, Failure> {
            let (Some(path), Some(out)) = (path, out) else { return Ok(None) };
            if folder(path) != folder(out) {
                return Err(Failure::usage(format!(
                    "{flag} {}: expected a file in the folder of --out",
                    path.display()
                )));
            }
            guarded.check(flag, path)?;
            guarded.add(path, what);
            Target::new(path).map(Some)
        };
        let header = target("--header", args.header.as_ref(), "the header")?;
        let self_test = target("--self-test", args.self_test.as_ref(), "the self-test")?;
        let code = out.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { header, self_test, code })
    }

    /// Writes the files.
    pub(crate) fn write(
        self,
        system: &System,
        language: Language,
        header: &Header<'_>,
        style: &Style,
    ) -> Result<(), Failure> {
        if let Some(target) = self.header {
            target.write(&emit_header(system, header, style))?;
        }
        if let Some(target) = self.self_test {
            let text = emit_self_test(system, language, header, style, &self.code);
            let text = text.map_err(|why| Failure::runtime(format!("--self-test {}: {why}", target.shown())))?;
            target.write(&text)?;
        }
        Ok(())
    }
}
