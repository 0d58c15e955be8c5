//! Reads a page of metrics as strictly as Prometheus' own tools check one.

use std::collections::{BTreeMap, BTreeSet};

/// A family of metrics.
#[derive(Debug, Default)]
pub struct Family {
    pub kind: String,
    pub help: String,
    /// The names of its labels, without those that its kind brings along.
    pub labels: BTreeSet<String>,
    pub samples: Vec<Sample>,
}

/// One number.
#[derive(Debug, Clone)]
pub struct Sample {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

/// A page: families by name.
#[derive(Debug, Default)]
pub struct Page(pub BTreeMap<String, Family>);

impl Page {
    /// Reads a page; what Prometheus' tools would complain of is a failed test.
    pub fn read(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').expect("a help text");
                let family = page.0.entry(name.to_owned()).or_default();
                assert!(family.help.is_empty(), "two help texts: {name}");
                assert!(family.samples.is_empty(), "help after samples: {name}");
                help.clone_into(&mut family.help);
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a type");
                let family = page.0.entry(name.to_owned()).or_default();
                assert!(family.kind.is_empty(), "two types: {name}");
                assert!(family.samples.is_empty(), "type after samples: {name}");
                kind.clone_into(&mut family.kind);
            } else {
                assert!(!line.starts_with('#'), "{line}");
                page.add(read_sample(line));
            }
        }
        page.check();
        page
    }

    fn add(&mut self, sample: Sample) {
        let name = &sample.name;
        let stem = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .filter(|stem| {
                let family = self.0.get(*stem);
                family.is_some_and(|family| family.kind == "histogram")
            });
        let family = self.0.get_mut(stem.unwrap_or(name));
        let family = family.unwrap_or_else(|| panic!("no type: {name}"));
        let own = sample.labels.keys().filter(|label| *label != "le");
        family.labels.extend(own.cloned());
        family.samples.push(sample);
    }

    fn check(&self) {
        for (name, family) in &self.0 {
            assert!(!family.help.is_empty(), "no help: {name}");
            let is_word =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            assert!(name.bytes().all(is_word), "{name}");
            let is_counter = family.kind == "counter";
            assert_eq!(
                name.ends_with("_total"),
                is_counter,
                "{name} {}",
                family.kind
            );
            let known = ["counter", "gauge", "histogram"];
            assert!(
                known.contains(&family.kind.as_str()),
                "{name} {}",
                family.kind
            );
            let mut seen = BTreeSet::new();
            for sample in &family.samples {
                let series = format!("{} {:?}", sample.name, sample.labels);
                assert!(seen.insert(series.clone()), "twice: {series}");
                assert!(sample.value.is_finite(), "{series}");
                assert!(!is_counter || sample.value >= 0.0, "{series}");
            }
            if family.kind == "histogram" {
                check_histogram(name, family);
            }
        }
    }

    /// How many series there are.
    pub fn series(&self) -> usize {
        self.0.values().map(|family| family.samples.len()).sum()
    }

    /// The one sample of a family with these labels.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let is_meant = |sample: &&Sample| {
            sample.name == name
                && labels
                    .iter()
                    .all(|(label, value)| sample.labels.get(*label).is_some_and(|has| has == value))
        };
        let samples = self.0.values().flat_map(|family| &family.samples);
        let found: Vec<&Sample> = samples.filter(is_meant).collect();
        assert_eq!(found.len(), 1, "{name} {labels:?}: {found:?}");
        found[0].value
    }
}

fn check_histogram(name: &str, family: &Family) {
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    let mut sums = BTreeSet::new();
    for sample in &family.samples {
        let mut labels = sample.labels.clone();
        let bound = labels.remove("le");
        let key = format!("{labels:?}");
        match bound {
            Some(bound) => {
                let bound = bound.replace("+Inf", "inf").parse().expect("a bound");
                series.entry(key).or_default().push((bound, sample.value));
            }
            None if sample.name.ends_with("_count") => {
                counts.insert(key, sample.value);
            }
            None => {
                assert!(sample.name.ends_with("_sum"), "{}", sample.name);
                sums.insert(key);
            }
        }
    }
    assert_eq!(series.len(), counts.len(), "{name}");
    assert_eq!(series.len(), sums.len(), "{name}");
    for (key, buckets) in series {
        let rises = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        assert!(buckets.windows(2).all(rises), "{name} {key} {buckets:?}");
        let last = buckets.last().expect("a bucket");
        assert!(last.0.is_infinite(), "{name} {key} has no +Inf");
        assert!((last.1 - counts[&key]).abs() < f64::EPSILON, "{name} {key}");
    }
}

fn read_sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let (name, rest) = series.split_once('{').unwrap_or((series, ""));
    let mut labels = BTreeMap::new();
    let mut rest = rest.strip_suffix('}').unwrap_or(rest);
    while let Some((label, after)) = rest.split_once("=\"") {
        let mut value = String::new();
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next().expect("a closing quote") {
                (at, '"') => break at,
                (_, '\\') => match letters.next().expect("an escape").1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, letter) => value.push(letter),
            }
        };
        let former = labels.insert(label.trim_start_matches(',').to_owned(), value);
        assert_eq!(former, None, "{line}");
        rest = &after[end + 1..];
    }
    Sample {
        name: name.to_owned(),
        labels,
        value: value.parse().expect("a number"),
    }
}
