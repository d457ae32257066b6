//! How fast texts without findings are scanned, how long the first scan takes, and what hostile texts cost.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ken_secrets::scan;

/// About a megabyte like a coding agent's transcript: JSON lines with sentences, code, diffs, paths, ids and counts.
fn transcript() -> String {
    let lines = [
        r#"{"type":"user","sessionId":"6f1e3c1a-5b0e-4c33-9d57-0a4c2f6f1b11","cwd":"/home/bob/src/parser","message":{"role":"user","content":"the parser drops the last line when the file has no newline at its end, can you look at reader.rs and write a test that fails first?"},"uuid":"0d0f3c52-2b1c-4a43-8f0e-9a6d0a1f7f10","timestamp":"2026-11-30T10:15:00.123Z"}"#,
        r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"I will read the file first. The loop in `Reader::next_line` returns early when `read_until` gives zero bytes, so the rest of the buffer is never seen.\n\nThree things follow:\n1. the test writes `a\nb` without a newline\n2. the reader must flush what it holds\n3. the count of lines in the summary changes from 41 to 42"}],"usage":{"input_tokens":10233,"output_tokens":512,"cache_read_input_tokens":98112}}}"#,
        r#"{"type":"tool_use","name":"Edit","input":{"file_path":"/home/bob/src/parser/src/reader.rs","old_string":"        if n == 0 {\n            return Ok(None);\n        }\n        self.lines += 1;","new_string":"        if n == 0 && self.held.is_empty() {\n            return Ok(None);\n        }\n        self.lines += 1;\n        let line = std::mem::take(&mut self.held);"}}"#,
        r#"{"type":"tool_result","content":"   Compiling parser v0.3.1 (/home/bob/src/parser)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 2.31s\n     Running unittests src/lib.rs (target/debug/deps/parser-8c1f7e5b2d9a4c60)\n\nrunning 42 tests\ntest reader::tests::empty ... ok\ntest reader::tests::last_line_without_newline ... ok\ntest result: ok. 42 passed; 0 failed; 0 ignored"}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"All 42 tests pass. The commit is 3f2b8c0d9e1a4b5c6d7e8f90a1b2c3d4e5f60718; I left the benchmark as it was, since the difference (1.8 %) is within the noise of this machine. Next I would look at how the writer handles CRLF."}]}}"#,
    ];
    let mut text = String::new();
    while text.len() < 1_000_000 {
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// About a megabyte about tokens, keys and passwords, with none in it.
fn about_keywords() -> String {
    let lines = [
        "The tokenizer splits the text into tokens; each token has a kind, and the token count decides the budget.\n",
        "let token = lexer.next_token(); if token.kind == TokenKind::Key { keys.push(token.text(key)); }\n",
        "The password is hashed before it is stored; a password reset sends a token, and the token expires in an hour.\n",
        "max_tokens: 4096, token_count=42, primary_key = \"user_id\", password: String, api_key = os.environ[\"API_KEY\"]\n",
        "the secret of a good key is that the key holder never shows the key, and that secrets rotate: see the key policy.\n",
    ];
    let mut text = String::new();
    while text.len() < 1_000_000 {
        lines.iter().for_each(|line| text.push_str(line));
    }
    text
}

fn speed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scan");
    group.measurement_time(Duration::from_secs(4)).sample_size(40);
    let accented = transcript().replace("the ", "thé ").replace("loop", "“loop”");
    for (name, text) in [
        ("transcript", transcript()),
        ("about keywords", about_keywords()),
        ("typographic", accented),
        (
            "chinese",
            "解析器在文件末尾没有换行时会丢失最后一行，请先写一个失败的测试。".repeat(10_000),
        ),
    ] {
        assert_eq!(scan(&text), []);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bench| bench.iter(|| scan(black_box(&text))));
    }
    group.finish();
}

fn hostile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hostile");
    group.measurement_time(Duration::from_secs(3)).sample_size(10);
    let dashes = "-".repeat(5);
    for piece in [
        "password=".to_owned(),
        "password=\"".to_owned(),
        "password is ".to_owned(),
        "token ".to_owned(),
        "sk-".to_owned(),
        "sk-ant-".to_owned(),
        "eyJ.".to_owned(),
        "a://b:".to_owned(),
        "curl ".to_owned(),
        "AKIA".to_owned() + &"A".repeat(16) + " ",
        format!("{dashes}BEGIN"),
        format!("{dashes}BEGIN RSA PRIVATE KEY{dashes}\n"),
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(piece.trim(), |bench| bench.iter(|| scan(black_box(&text))));
    }
    group.finish();
}

fn short(criterion: &mut Criterion) {
    criterion.bench_function("short text", |bench| {
        bench.iter(|| scan(black_box("short harmless text")));
    });
}

criterion_group!(benches, speed, hostile, short);
criterion_main!(benches);
