//! Other agents' own stores, read only, projected into manifests.
