//! Arguments about what emitted code looks like.

use crate::values;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
    #[arg(long, value_name = "WORD", value_parser = values::identifier, help_heading = CODE)]
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
