//! Tests of the running service.
