import type { Target } from "../targets.js";
import { type Published, summary, urlOf } from "./published.js";

/** Returns a formula for a tap of Homebrew. See https://docs.brew.sh/Formula-Cookbook. */
export const homebrewFormula = (published: Published): string => {
  const archive = (target: Target): string =>
    `      url "${urlOf(published, target)}"\n      sha256 "${published.hashes[target]}"`;
  return `class Mgmt < Formula
  desc "${summary}"
  homepage "${published.repository}"
  version "${published.version}"
  license "${published.license}"

  on_macos do
    on_arm do
${archive("macos-arm64")}
    end
    on_intel do
${archive("macos-x64")}
    end
  end

  on_linux do
    on_arm do
${archive("linux-arm64")}
    end
    on_intel do
${archive("linux-x64")}
    end
  end

  def install
    bin.install "mgmt"
    man1.install Dir["man/*"]
    generate_completions_from_executable(bin/"mgmt", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/mgmt --version").strip
  end
end
`;
};
