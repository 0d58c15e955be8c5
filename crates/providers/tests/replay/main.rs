//! The transport and the vendors against a fake upstream.
