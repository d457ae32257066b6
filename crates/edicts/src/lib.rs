//! Edicts: the ground truth in edicts.yaml.
