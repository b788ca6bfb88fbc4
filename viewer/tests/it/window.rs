//! The window itself, under a virtual display: keys reach the instruments, and the picture it saves shows them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> Running {
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it can be started"))
}

/// Runs xdotool. Its standard output, where it succeeded.
fn xdotool(display: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("xdotool").args(arguments).env("DISPLAY", display).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Asks again and again, for two minutes at most: software Vulkan on a loaded machine is slow.
fn wait<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(120) {
        if let Some(found) = ask() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    panic!("no {what} within two minutes");
}

/// The bytes of a picture that is whole: PNG files end with this chunk.
fn picture(file: &Path) -> Option<Vec<u8>> {
    std::fs::read(file).ok().filter(|bytes| bytes.ends_with(b"IEND\xaeB`\x82"))
}

#[test]
#[ignore = "needs Xvfb, xdotool and a Vulkan adapter: mesa-vulkan-drivers has one in software"]
fn keys_switch_instruments_in_the_window() {
    let dir = tempfile::tempdir().unwrap();
    let display = format!(":{}", 200 + std::process::id() % 500);
    let _server = start(Command::new("Xvfb").args([&display, "-screen", "0", "800x600x24"]));
    wait("display", || xdotool(&display, &["getmouselocation"]));
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    viewer.arg("builtin").current_dir(dir.path()).env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY");
    let _viewer = start(viewer.env("XDG_CONFIG_HOME", dir.path()).env("XDG_RUNTIME_DIR", dir.path()));
    let window = wait("window", || {
        let title = xdotool(&display, &["search", "--name", "built-in template"])?;
        title.lines().next().map(str::to_owned)
    });
    // There is no window manager to give it the keyboard.
    let press = |key: &str| {
        wait("keyboard", || xdotool(&display, &["windowfocus", &window]));
        wait("key", || xdotool(&display, &["key", key]));
        std::thread::sleep(Duration::from_millis(1500));
    };
    // The title comes with the subject; its first frame may take a moment more.
    std::thread::sleep(Duration::from_secs(2));
    press("v");
    let plain = wait("first picture", || picture(&dir.path().join("visard-view-1.png")));
    for key in ["m", "a", "l", "x"] {
        press(key);
    }
    press("v");
    let measured = wait("second picture", || picture(&dir.path().join("visard-view-2.png")));
    assert_ne!(plain, measured, "the instruments are seen");
    for key in ["m", "a", "l", "x"] {
        press(key);
    }
    press("v");
    let again = wait("third picture", || picture(&dir.path().join("visard-view-3.png")));
    assert_eq!(plain, again, "and can be put away");
}
