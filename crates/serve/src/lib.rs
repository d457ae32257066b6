//! The faces for other programs: MCP.
