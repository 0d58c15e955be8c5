//! Whether a conversion keeps what was meant: over recorded traffic, over our own fixtures and over
//! made-up conversations. Rules of single dialects are tested beside their code.

mod bulk;
mod calls;
mod cuts;
mod fidelity;
mod fixtures;
mod folds;
mod golden;
mod grammar;
mod identity;
mod made_up;
mod malice;
mod meaning;
mod page;
mod properties;
mod recorded;
mod streams;
