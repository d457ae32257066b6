//! leaks
