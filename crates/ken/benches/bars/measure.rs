//! Whole processes, timed from the call to the end.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::made_up::{Home, Program};

impl Program {
    pub(crate) fn with_input(mut self, input: Vec<u8>) -> Program {
        self.command.stdin(Stdio::piped());
        self.input = input;
        self
    }

    /// Runs it once: how long that took, and what it said.
    pub(crate) fn run(&mut self) -> (Duration, String) {
        let started = Instant::now();
        let mut child = self.command.spawn().expect("the program starts");
        if let Some(mut stdin) = child.stdin.take() {
            // A program that has read enough closes its input: that is its right.
            let _ = stdin.write_all(&self.input);
        }
        let mut said = Vec::new();
        let mut stdout = child.stdout.take().expect("its output is read");
        stdout.read_to_end(&mut said).expect("its output is read");
        let status = child.wait().expect("the program ends");
        let took = started.elapsed();
        assert!(status.success(), "{:?} failed", self.command);
        (took, String::from_utf8_lossy(&said).into_owned())
    }

    /// The most memory that it had in use, in KiB, itself and what it started; where Python can be asked.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        const ASK: &str = "import resource,subprocess,sys\n\
            subprocess.run(sys.argv[1:],stdin=sys.stdin,stdout=subprocess.DEVNULL,check=True)\n\
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
        let mut python = Command::new("/usr/bin/python3");
        python
            .args(["-I", "-c", ASK])
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .env_clear()
            .envs(
                self.command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .current_dir(self.command.get_current_dir()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = python.spawn().ok()?;
        child.stdin.take()?.write_all(&self.input).ok()?;
        let output = child.wait_with_output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse().ok()
    }
}

/// Durations, in order.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        Times(times)
    }

    /// The time below which so many of a hundred stay.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let last = self.0.len() - 1;
        self.0[(last * percent).div_ceil(100)]
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

/// The figures of one row, out of one run.
pub(crate) struct Figures {
    pub(crate) times: Times,
    /// What the bare probe took between: a process that is started, opens a file and reads it.
    pub(crate) probe: Duration,
}

/// Runs a program so many times, and the bare probe in turn with it. `before` may set the stage for each run.
pub(crate) fn whole_process(
    home: &Home,
    runs: usize,
    mut before: impl FnMut(usize),
    mut program: impl FnMut(usize) -> Program,
) -> Figures {
    let probed = home.path().join("probed");
    std::fs::write(&probed, vec![b'x'; 4096]).expect("a file is written");
    let mut bare = Command::new(std::env::current_exe().expect("this program has a path"));
    bare.arg("--probe").arg(&probed);
    let mut bare = home.program(bare);
    let (mut times, mut probes) = (Vec::new(), Vec::new());
    for run in 0..runs {
        probes.push(bare.run().0);
        before(run);
        times.push(program(run).run().0);
    }
    Figures {
        times: Times::of(times),
        probe: Times::of(probes).median(),
    }
}

/// Calls something so many times.
pub(crate) fn in_process<T>(runs: usize, mut call: impl FnMut() -> T) -> Times {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let started = Instant::now();
        std::hint::black_box(call());
        times.push(started.elapsed());
    }
    Times::of(times)
}
