//! Reverse mode computes the derivatives of the polynomials.

use super::*;
use crate::emit::{Header, Language, emit};
use crate::read::parse;
use crate::simplify::simplify;
use crate::stop::Stop;
use crate::verify::verify_program;

#[test]
fn reverse_mode_agrees_with_the_derivatives() {
    for text in ["x", "7", "f=x^5*y+3*x*y^2-z; g=(x+y)^3*(x-z)", "(a*b+c)^4*(a-b*c)^3+2*a", "x*y; x+y; 3"] {
        let system = parse("test", text.as_bytes(), true).unwrap();
        let whole = with_gradient(&system).unwrap();
        let (n, m) = (system.given().len(), system.outputs().count());
        assert_eq!(whole.outputs().count(), m * (n + 1));
        let program = reversed(&simplify(&system, &[], true, Stop::never()).program);
        program.validate().unwrap();
        let header = Header { function: "f", source: "test", input: whole.counts(), order: &[], exceptions: 0 };
        let form = emit(&whole, &program, Language::Form, &header);
        assert!(verify_program(&whole, &program, &form, Language::Form, &form).unwrap().exact, "{text}");
    }
    for text in ["sin(x)", "1/(x+y)"] {
        assert!(with_gradient(&parse("test", text.as_bytes(), true).unwrap()).is_err());
    }
}
