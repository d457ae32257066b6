//! One question surface over the three contracts: recognise, recall, brief, learn.
