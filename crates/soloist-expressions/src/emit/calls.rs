//! Calls of functions in code: their order among the temporaries, and their text.

use super::{Language, Writer};
use crate::algebra::{Coefficient, Constant, Counts, Function, Relation, System};
use crate::horner::{Program, Term};

/// A statement before the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A temporary of the program.
    Temporary(usize),
    /// A call of the system.
    Call(usize),
    /// An output, by its place among the results.
    Result(usize),
}

/// Whether Python code needs its module of functions.
pub(super) fn needs_math(system: &System) -> bool {
    system.calls().iter().any(|call| !matches!(call.function, Function::Inverse | Function::Select(_)))
}

/// Whether the code takes cube roots.
pub(super) fn needs_cbrt(system: &System) -> bool {
    system.calls().iter().any(|call| call.function == Function::Named("cbrt"))
}

/// Whether some of what the code computes may have no value, because a conditional does not take it.
pub(super) fn needs_guards(system: &System) -> bool {
    system.calls().iter().any(|call| matches!(call.function, Function::Select(_)))
}

/// Whether the code needs the names of functions of its language.
pub(super) fn functions(system: &System) -> Vec<&'static str> {
    let name = |function| match function {
        Function::Root(2) => Some("sqrt"),
        Function::Root(_) | Function::Power => Some("pow"),
        Function::Named(name) => Some(name),
        Function::Inverse | Function::Constant(_) | Function::Select(_) => None,
    };
    let mut names: Vec<&str> = system.calls().iter().filter_map(|call| name(call.function)).collect();
    soloist::order::sort(&mut names);
    names.dedup();
    names
}

/// Whether a program orders its numbers, and whether it compares them.
pub(super) fn compares(system: &System) -> (bool, bool) {
    let any = |relations: &[Relation]| {
        system.calls().iter().any(|call| relations.iter().any(|&one| call.function == Function::Select(one)))
    };
    (any(&[Relation::Less, Relation::LessEqual]), any(&[Relation::Equal, Relation::NotEqual]))
}

/// Whether a program holds the imaginary unit.
pub(super) fn has_unit(system: &System) -> bool {
    system.calls().iter().any(|call| call.function == Function::Constant(Constant::I))
}

/// Temporaries, calls and outputs in an order in which each comes before its uses. Without calls that of temporaries is
/// the one of the program. An output comes as soon as it can be computed.
///
/// No result of a call can be part of its own arguments: programs compute sums and products of what a polynomial holds.
pub(super) fn steps(system: &System, program: &Program) -> Vec<Step> {
    let (inputs, count, calls) = (program.inputs, program.temporaries.len(), system.calls());
    let mut call_of = vec![None; inputs];
    let symbols = system.inputs();
    for (at, call) in calls.iter().enumerate() {
        if let Ok(place) = symbols.binary_search(&call.symbol) {
            call_of[place] = Some(at);
        }
    }
    let node = |symbol: u32| match (symbol as usize).checked_sub(inputs) {
        Some(at) => Some(at),
        None => call_of[symbol as usize].map(|call| count + call),
    };
    let parts = |at: usize| -> Vec<usize> {
        let of = |terms: &[Term]| -> Vec<usize> {
            terms.iter().flat_map(|term| &term.factors).filter_map(|&symbol| node(symbol)).collect()
        };
        match at.checked_sub(count) {
            None => of(&program.temporaries[at]),
            Some(call) => calls[call].arguments.iter().flat_map(|&argument| of(&program.outputs[argument])).collect(),
        }
    };
    let mut state = vec![0_u8; count + calls.len()];
    let mut steps = Vec::with_capacity(state.len());
    let mut open: Vec<usize> = Vec::new();
    for start in 0..state.len() {
        open.push(start);
        while let Some(&at) = open.last() {
            match state[at] {
                0 => {
                    state[at] = 1;
                    let mut before = parts(at);
                    before.retain(|&part| state[part] == 0);
                    before.reverse();
                    open.extend(before);
                }
                1 => {
                    state[at] = 2;
                    steps.push(at.checked_sub(count).map_or(Step::Temporary(at), Step::Call));
                    open.pop();
                }
                _ => {
                    open.pop();
                }
            }
        }
    }
    let mut place = vec![0; count + calls.len()];
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Step::Temporary(temporary) => place[temporary] = at + 1,
            Step::Call(call) => place[count + call] = at + 1,
            Step::Result(_) => {}
        }
    }
    let mut ready: Vec<(usize, usize)> = Vec::new();
    for (at, (result, terms)) in system.results().zip(&program.outputs).enumerate() {
        if !result.argument {
            let symbols = terms.iter().flat_map(|term| &term.factors);
            ready.push((symbols.filter_map(|&symbol| node(symbol)).map(|part| place[part]).max().unwrap_or(0), at));
        }
    }
    soloist::order::sort(&mut ready);
    let mut ready = ready.into_iter().peekable();
    let mut whole = Vec::with_capacity(steps.len() + program.outputs.len());
    for at in 0..=steps.len() {
        while let Some((_, result)) = ready.next_if(|&(place, _)| place <= at) {
            whole.push(Step::Result(result));
        }
        whole.extend(steps.get(at).copied());
    }
    whole
}

/// For each input of a program, whether it is an inverse that one term uses once: the code divides by its argument.
pub(super) fn divisors(system: &System, program: &Program) -> Vec<bool> {
    let symbols = system.inputs();
    let mut uses = vec![0_u32; program.inputs];
    for &symbol in program.temporaries.iter().chain(&program.outputs).flatten().flat_map(|term| &term.factors) {
        if let Some(count) = uses.get_mut(symbol as usize) {
            *count += 1;
        }
    }
    let mut divides = vec![false; program.inputs];
    for call in system.calls().iter().filter(|call| call.function == Function::Inverse) {
        if let Ok(place) = symbols.binary_search(&call.symbol) {
            divides[place] = uses[place] == 1;
        }
    }
    divides
}

/// The operations of the code of `program`, which computes `system`. Calls and divisions are not among them: a product
/// with an inverse that is used once is a division alone.
#[must_use]
pub fn code_counts(system: &System, program: &Program) -> Counts {
    let mut counts = program.counts();
    let divides = divisors(system, program);
    if !divides.contains(&true) {
        return counts;
    }
    for term in program.temporaries.iter().chain(&program.outputs).flatten() {
        let divided = term.factors.iter().filter(|&&symbol| divides.get(symbol as usize) == Some(&true)).count();
        if divided > 0 {
            let above = term.factors.len() - divided + usize::from(!term.value.is_unit());
            counts.multiplications -= term.multiplications() - (above as u64).saturating_sub(1);
        }
    }
    counts
}

impl Writer<'_> {
    /// The names of the inputs of the program.
    pub(super) fn symbol_names(&self) -> Vec<String> {
        let mut given = self.inputs.iter();
        let calls = self.system.calls();
        let name = |symbol: usize| match calls.iter().position(|call| call.symbol == symbol) {
            Some(at) => self.temporary(self.result(at)),
            None => given.next().cloned().unwrap_or_default(),
        };
        self.system.inputs().into_iter().map(name).collect()
    }

    /// Whether a term divides.
    pub(super) fn divides(&self, term: &Term) -> bool {
        term.factors.iter().any(|&symbol| self.divisors.get(symbol as usize) == Some(&true))
    }

    /// The text of a term that divides, where a quotient may have no value: it is guarded, in a statement of its own.
    pub(super) fn guarded_quotient(&mut self, term: &Term) -> String {
        let above = Term { value: term.value.clone(), factors: self.above(term) };
        let mut text = self.product(&above);
        let calls = self.system.calls();
        let symbols = self.system.inputs();
        for &symbol in &term.factors {
            let place = symbol as usize;
            if self.divisors.get(place) != Some(&true) {
                continue;
            }
            let call = calls.iter().position(|call| call.symbol == symbols[place]).unwrap_or_default();
            let target = self.temporary(self.result(call));
            let right = format!("_value(lambda a, b: a/b, {text}, {})", self.symbols[place]);
            self.assign(&target, &right, true, true);
            text = target;
        }
        text
    }

    /// The factors of a term by which it does not divide.
    pub(super) fn above(&self, term: &Term) -> Vec<u32> {
        let divides = |symbol: u32| self.divisors.get(symbol as usize) == Some(&true);
        term.factors.iter().copied().filter(|&symbol| !divides(symbol)).collect()
    }

    /// The number of the temporary that holds the result of a call.
    fn result(&self, call: usize) -> usize {
        self.program.temporaries.len() + self.arguments() + call
    }

    /// The number of arguments of all calls.
    fn arguments(&self) -> usize {
        self.system.calls().iter().map(|call| call.arguments.len()).sum()
    }

    /// The number of temporaries with those of calls.
    pub(super) fn temporaries(&self) -> usize {
        self.result(self.system.calls().len())
    }

    /// Writes the arguments of a call that are no names, and the call.
    pub(super) fn call(&mut self, at: usize) {
        let call = &self.system.calls()[at];
        let before: usize = self.system.calls()[..at].iter().map(|call| call.arguments.len()).sum();
        let mut texts = Vec::new();
        for (place, &argument) in call.arguments.iter().enumerate() {
            let terms = &self.program.outputs[argument];
            texts.push(match &terms[..] {
                [term] if term.multiplications() == 0 && !term.value.is_negative() && !self.divides(term) => {
                    self.product(term)
                }
                _ => {
                    let target = self.temporary(self.program.temporaries.len() + before + place);
                    self.sum(&target, terms, true);
                    target
                }
            });
        }
        if let Ok(place) = self.system.inputs().binary_search(&call.symbol)
            && self.divisors[place]
        {
            // The one product that uses it becomes a division.
            self.symbols[place] = texts.pop().unwrap_or_default();
            return;
        }
        let target = self.temporary(self.result(at));
        let right = self.call_text(call.function, &texts);
        self.assign(&target, &right, true, true);
    }

    fn call_text(&self, function: Function, arguments: &[String]) -> String {
        let joined = arguments.join(", ");
        let words = self.words;
        let one = words.literal(&Coefficient::ONE);
        let named = |name: &str| format!("{}({joined})", words.function(name));
        let text = match (function, self.language) {
            (Function::Constant(constant), _) => return words.constant(constant),
            (Function::Select(relation), _) => return self.select(relation, arguments),
            (Function::Inverse, Language::Python) if self.guards => {
                return format!("_value(lambda a: 1/a, {joined})");
            }
            (Function::Inverse, _) => return format!("{one}/{joined}"),
            (Function::Root(2), _) => named("sqrt"),
            (Function::Root(degree), language) => {
                let ratio = Coefficient::ratio(1, degree.into()).unwrap_or(Coefficient::ONE);
                let exponent = words.literal(&ratio);
                match language {
                    Language::Fortran => return format!("{joined}**{exponent}"),
                    Language::Python if words.complex => return format!("{joined}**{exponent}"),
                    _ => {
                        let plain = exponent.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                        format!("{}({joined}, {})", words.function("pow"), plain.unwrap_or(&exponent))
                    }
                }
            }
            (Function::Power, Language::Fortran) => return arguments.join("**"),
            (Function::Power, Language::Python) if words.complex => return arguments.join("**"),
            (Function::Power, _) => named("pow"),
            (Function::Named(name @ ("floor" | "ceil")), Language::Fortran) => {
                let own = if name == "floor" { name } else { "ceiling" };
                return format!("real({own}({joined}), {})", words.suffix().trim_start_matches('_'));
            }
            (Function::Named("cbrt"), Language::Fortran) => {
                let third = format!("(1.0{suffix}/3.0{suffix})", suffix = words.suffix());
                return format!("sign(abs({joined})**{third}, {joined})");
            }
            (Function::Named("cbrt"), Language::Python) => format!("_cbrt({joined})"),
            (Function::Named("abs"), Language::Cpp) => format!("T(abs({joined}))"),
            (Function::Named(name), _) => named(name),
        };
        match (self.guards && self.language == Language::Python, text.split_once('(')) {
            (true, Some((name, rest))) => format!("_value({name}, {rest}"),
            _ => text,
        }
    }

    /// A conditional.
    fn select(&self, relation: Relation, arguments: &[String]) -> String {
        let [left, right, then, other] = arguments else { return String::new() };
        let sign = match (relation, self.language) {
            (Relation::Less, _) => "<",
            (Relation::LessEqual, _) => "<=",
            (Relation::Equal, _) => "==",
            (Relation::NotEqual, Language::Fortran) => "/=",
            (Relation::NotEqual, _) => "!=",
        };
        match self.language {
            Language::C | Language::Cpp => format!("{left} {sign} {right} ? {then} : {other}"),
            Language::Rust => format!("if {left} {sign} {right} {{ {then} }} else {{ {other} }}"),
            Language::Fortran => format!("merge({then}, {other}, {left} {sign} {right})"),
            Language::Python => format!("{then} if {left} {sign} {right} else {other}"),
            Language::Form | Language::Json => format!("{}({})", relation.select(), arguments.join(", ")),
        }
    }
}
