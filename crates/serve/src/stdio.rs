use std::sync::Arc;

use ken_memory::Memory;
use rmcp::ServiceExt;

use crate::server::Server;
use crate::tools::ToolSet;

/// Opens the memory that the tools ask, as things stand; called at every tool call, so it must be quick. Its error is
/// the sentence that the caller of the tool sees.
pub type Opener = Box<dyn Fn() -> Result<Memory, String> + Send + Sync>;

/// What a server is started with.
pub struct Options {
    /// Opens the memory. Nothing is opened before a tool is called, so the handshake waits for no disk.
    pub open: Opener,
    /// The agent that this server was set up for: observations are written under its name. Without it they are
    /// written under the name that the client gives itself.
    pub agent: Option<String>,
    /// Which tools are offered.
    pub tools: ToolSet,
}

/// The server could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The asynchronous runtime could not start.
    #[error("cannot start the server: {0}; check the limits on open files and threads")]
    Runtime(std::io::Error),
    /// The client went away in the middle of the handshake, or spoke something else.
    #[error(
        "the client did not complete the handshake: {0}; check that it speaks MCP over standard input and output"
    )]
    Handshake(String),
    /// A task of the server ended abnormally.
    #[error("the server stopped: {0}; start it again")]
    Stopped(String),
}

/// Serves MCP on standard input and output until the input ends. Only protocol messages are written to standard
/// output.
pub fn stdio(options: Options) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)?;
    let server = Server::new(Arc::new(options));
    let done = runtime.block_on(async {
        match server.serve(rmcp::transport::stdio_pipes()).await {
            Ok(running) => running
                .waiting()
                .await
                .map(|_| ())
                .map_err(|e| Error::Stopped(e.to_string())),
            // A client that closes before it said anything is no failure: some probe a command that way.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(Error::Handshake(error.to_string())),
        }
    });
    // A read of standard input that is still pending must not keep the process alive.
    runtime.shutdown_background();
    done
}
