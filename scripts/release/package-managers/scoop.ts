import { folderIn, programName, type Target } from "../targets.js";
import { type Published, summary, urlOf } from "./published.js";

/** Returns a manifest for a bucket of Scoop. See https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests. */
export const scoopManifest = (published: Published): unknown => {
  const { version, repository, license, hashes } = published;
  // Scoop replaces the variable in what it updates by itself.
  const next = { repository, version: "$version" };
  const architecture = (of: (target: Target) => object): object => ({
    "64bit": of("windows-x64"),
    arm64: of("windows-arm64"),
  });
  return {
    version,
    description: summary,
    homepage: repository,
    license,
    architecture: architecture((target) => ({
      url: urlOf(published, target),
      hash: hashes[target],
      extract_dir: folderIn(version, target),
    })),
    bin: programName("windows-x64"),
    checkver: { github: repository },
    autoupdate: {
      architecture: architecture((target) => ({
        url: urlOf(next, target),
        extract_dir: folderIn(next.version, target),
      })),
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
};
