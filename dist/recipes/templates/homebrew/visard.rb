# For a tap, or homebrew/core: the command, built from source.
class Visard < Formula
  desc "Differentially private shapes and surfaces"
  homepage "@SOURCE@"
  url "@FILES@/visard-@VERSION@-source.tar.gz"
  sha256 "@sha256 visard-@VERSION@-source.tar.gz@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args, "--bin", "visard"
    system bin/"visard", "man", "--out", man1
    generate_completions_from_executable(bin/"visard", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/visard --version")
    assert_match "epsilon", shell_output("#{bin}/visard privacy convert --mu 1 --delta 1e-6 --json")
    system bin/"visard", "shape", "demo", "--out", testpath/"demo"
    assert_path_exists testpath/"demo/release/certificate.json"
  end
end
