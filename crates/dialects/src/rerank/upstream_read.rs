//! The vendors' answers. They differ in the names of the list and of the score; one permissive reader
//! takes them all.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Shape;
use super::shape::TEI_TEXTS;
use crate::canonical::Failure;
use crate::error_body;
use crate::units::{Counts, count};

/// What an upstream answered.
#[derive(Debug, Clone, Default)]
pub struct Ranking<'a> {
    /// The results, as they came.
    pub results: Vec<Ranked<'a>>,
    /// The answer's id.
    pub id: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// All tokens that were read.
    pub tokens: Option<u64>,
    /// Search units.
    pub search_units: Option<u64>,
}

/// One result.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// The document, by its place in the request.
    pub index: usize,
    /// Its score, every digit kept.
    pub score: &'a str,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default, alias = "data", alias = "records")]
    results: Option<Vec<Item<'a>>>,
    #[serde(borrow, default)]
    output: Option<Output<'a>>,
    #[serde(borrow, default, alias = "request_id")]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    meta: Option<Meta<'a>>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    results: Vec<Item<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, alias = "id")]
    index: Option<&'a RawValue>,
    #[serde(borrow, default, alias = "score")]
    relevance_score: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    billed_units: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tokens: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BilledUnits<'a> {
    #[serde(borrow, default)]
    search_units: Option<&'a RawValue>,
}

/// Reads the answers to all calls of a request. A result without a score, or that points to no
/// document, is the upstream's fault: guessing would rank wrongly.
pub fn read<B: AsRef<[u8]>>(
    shape: Shape,
    bodies: &[B],
    documents: usize,
) -> Result<Ranking<'_>, Failure> {
    match (shape, bodies) {
        (Shape::Tei, bodies) => bare_lists(bodies, documents),
        (_, [body]) => read_one(shape, body.as_ref(), documents),
        _ => Err(unreadable()),
    }
}

/// Each list counts from the first document of its own call.
fn bare_lists<B: AsRef<[u8]>>(bodies: &[B], documents: usize) -> Result<Ranking<'_>, Failure> {
    let mut ranking = Ranking::default();
    for (part, body) in bodies.iter().enumerate() {
        let first = part * TEI_TEXTS;
        let asked = documents.saturating_sub(first).min(TEI_TEXTS);
        let results = ranked(parse(body.as_ref())?, asked)?.into_iter();
        ranking.results.extend(results.map(|result| Ranked {
            index: first + result.index,
            ..result
        }));
    }
    Ok(ranking)
}

fn read_one(shape: Shape, body: &[u8], documents: usize) -> Result<Ranking<'_>, Failure> {
    let read: Body<'_> = parse(body)?;
    let is_code = |raw: &&RawValue| !matches!(raw.get(), "\"\"" | "null" | "200" | "\"200\"");
    if shape == Shape::DashScope && read.code.is_some_and(|raw| is_code(&raw)) {
        return Err(error_body::for_client(error_body::read_error(200, body)));
    }
    let items = read.results.or(read.output.map(|output| output.results));
    let items = items.ok_or_else(|| error_body::unusable(NO_RANKING, body))?;
    let meta_counts = Counts::read(read.meta.as_ref().and_then(|meta| meta.tokens));
    let billed = read.meta.and_then(|meta| meta.billed_units);
    let billed = billed.and_then(|raw| serde_json::from_str::<BilledUnits<'_>>(raw.get()).ok());
    Ok(Ranking {
        results: ranked(items, documents)?,
        id: read.id.map(Cow::into_owned),
        model: read.model.map(Cow::into_owned),
        tokens: tokens(&Counts::read(read.usage)).or_else(|| tokens(&meta_counts)),
        search_units: billed.and_then(|billed| count(billed.search_units)),
    })
}

/// Everything that was read; the total counts where both are told.
fn tokens(counts: &Counts) -> Option<u64> {
    counts.total.or(counts.input).filter(|tokens| *tokens > 0)
}

fn ranked(items: Vec<Item<'_>>, documents: usize) -> Result<Vec<Ranked<'_>>, Failure> {
    let results: Option<Vec<Ranked<'_>>> = items.into_iter().map(Item::ranked).collect();
    let is_known = |results: &Vec<Ranked<'_>>| results.iter().all(|it| it.index < documents);
    results.filter(is_known).ok_or_else(unreadable)
}

impl<'a> Item<'a> {
    fn ranked(self) -> Option<Ranked<'a>> {
        let index = usize::try_from(count(self.index)?).ok()?;
        let score = self.relevance_score?.get();
        let is_number = score.parse::<f64>().is_ok_and(f64::is_finite);
        is_number.then_some(Ranked { index, score })
    }
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|_| error_body::unusable(NO_RANKING, body))
}

const NO_RANKING: &str = "The upstream's answer is no ranking of the documents.";

fn unreadable() -> Failure {
    Failure::upstream(NO_RANKING)
}
