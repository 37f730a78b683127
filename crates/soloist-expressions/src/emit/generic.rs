//! The beginnings of functions: what code includes, declares and asks of its type of numbers.

use super::{C_HEAD, Float, Writer, calls};
use std::fmt::Write as _;

impl Writer<'_> {
    /// The headers of C code.
    pub(super) fn c_includes(&self) -> String {
        let (complex, quad) = (self.words.complex, self.words.float == Float::Quad);
        let calls = !calls::functions(self.system).is_empty();
        let mut text = String::new();
        if quad && (complex || calls) {
            text.push_str("#include <quadmath.h>\n");
        } else if complex {
            text.push_str("#include <complex.h>\n");
        } else if !self.system.calls().is_empty() {
            text.push_str("#include <math.h>\n");
        }
        if let Some(include) = &self.include {
            let _ = writeln!(text, "#include \"{include}\"");
        }
        text
    }

    /// The beginning of a template of C++.
    pub(super) fn template(&self, name: &str) -> String {
        debug_assert!(C_HEAD.contains("stddef"), "C++ has its own header of sizes");
        let math = if calls::functions(self.system).is_empty() { "" } else { "#include <cmath>\n#include <complex>\n" };
        format!("#pragma once\n#include <cstddef>\n{math}\ntemplate <typename T>\nvoid {name}(const T *x, T *y)\n{{")
    }

    /// The names of the standard library that a template uses, unless those of its type fit.
    pub(super) fn using(&mut self) {
        for function in calls::functions(self.system) {
            self.line(&format!("    using std::{};", self.words.function(function)));
        }
    }

    /// The trait and the beginning of a generic function of Rust.
    pub(super) fn generic_function(&self, name: &str) -> String {
        let (n, m) = (self.inputs.len(), self.outputs.len());
        let functions = calls::functions(self.system);
        let arguments = |function: &str| if matches!(function, "pow" | "atan2" | "min" | "max") { 2 } else { 1 };
        let (orders, equals) = calls::compares(self.system);
        let bound = if orders {
            " + PartialOrd"
        } else if equals {
            " + PartialEq"
        } else {
            ""
        };
        let mut text = format!(
            "/// What the code needs of a number.\npub trait Number:\n    Copy\n    + std::ops::Add<Output = Self>\n    \
             + std::ops::Sub<Output = Self>\n    + std::ops::Mul<Output = Self>\n    + std::ops::Div<Output = Self>\n    \
             + std::ops::Neg<Output = Self>{bound}\n{{\n    /// A whole number, exactly.\n    fn whole(value: i32) -> Self;\n"
        );
        if calls::has_unit(self.system) {
            text.push_str("    /// The imaginary unit.\n    fn i() -> Self;\n");
        }
        for function in &functions {
            let more = if arguments(function) == 2 { ", other: Self" } else { "" };
            let _ = writeln!(text, "    fn {function}(self{more}) -> Self;");
        }
        text.push_str("}\n\n");
        // The language itself has no complex numbers.
        for own in ["f32", "f64"].into_iter().filter(|_| !self.words.complex) {
            let whole = if own == "f32" { "value as f32" } else { "value.into()" };
            let _ = writeln!(
                text,
                "impl Number for {own} {{\n    fn whole(value: i32) -> Self {{\n        {whole}\n    }}"
            );
            for function in &functions {
                let (more, other) = if arguments(function) == 2 { (", other: Self", ", other") } else { ("", "") };
                let called = match *function {
                    "log" => "ln",
                    "pow" => "powf",
                    known => known,
                };
                let _ = writeln!(
                    text,
                    "    fn {function}(self{more}) -> Self {{\n        {own}::{called}(self{other})\n    }}"
                );
            }
            text.push_str("}\n\n");
        }
        let _ = write!(
            text,
            "#[allow(clippy::all, unused_variables)]\npub fn {name}<T: Number>(x: &[T; {n}], y: &mut [T; {m}]) {{"
        );
        text
    }

    /// The beginning of a subroutine of Fortran.
    pub(super) fn subroutine(&self, name: &str) -> String {
        let (n, m) = (self.inputs.len(), self.outputs.len());
        let (number, kind) = (self.words.number(), self.words.kind());
        let mut open = format!("subroutine {name}(x, y)\n    implicit none\n    integer, parameter :: {kind}\n");
        let _ = writeln!(open, "    {number}, intent(in) :: x({n})\n    {number}, intent(out) :: y({m})");
        let _ = write!(open, "    {number} :: {}({})", self.prefix, self.temporaries().max(1));
        for (_, variable) in &self.locals {
            let _ = write!(open, "\n    {number} :: {variable}");
        }
        open
    }
}
