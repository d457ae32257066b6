//! Writes the labelled set as files, so that another scanner can be run beside this one: `credentials/NNN.txt` hold one
//! each, `look-alikes/NNN.txt` hold none. Prints what this room makes of them.
//!
//! ```sh
//! cargo run -p ken-secrets --example labelled_set -- FOLDER
//! detect-secrets scan --all-files FOLDER
//! ```
#![allow(clippy::print_stdout, dead_code)]

#[path = "../tests/room/cases/mod.rs"]
mod cases;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        println!("name a folder to write the set to");
        return Ok(());
    };
    let credentials: Vec<String> = cases::credentials().into_iter().map(|case| case.text).collect();
    for (name, texts) in [
        ("credentials", credentials),
        ("look-alikes", cases::look_alikes()),
    ] {
        let folder = folder.join(name);
        fs::create_dir_all(&folder)?;
        let mut found = 0;
        for (number, text) in texts.iter().enumerate() {
            fs::write(folder.join(format!("{number:03}.txt")), text)?;
            found += usize::from(!ken_secrets::scan(text).is_empty());
        }
        println!("{name}: found in {found} of {}", texts.len());
    }
    Ok(())
}
