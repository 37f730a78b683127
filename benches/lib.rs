//! Benches of Soloist; see `benches/benches` and `benches/examples`.
