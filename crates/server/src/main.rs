//! The entry point of `modelgate`.
fn main() {}
