/** The systems that the standalone program is built for. */
export const targets = [
  "linux-x64",
  "linux-arm64",
  "macos-x64",
  "macos-arm64",
  "windows-x64",
  "windows-arm64",
] as const;

export type Target = (typeof targets)[number];

/** Returns the target that is this system. Throws if there is none. */
export const ownTarget = (): Target => {
  const system = { darwin: "macos", win32: "windows" }[process.platform as string] ?? process.platform;
  const own = targets.find((target) => target === `${system}-${process.arch}`);
  if (own === undefined)
    throw new Error(`The standalone program is not built for ${system}-${process.arch}.`);
  return own;
};

/** Returns the name of the only folder in an archive. */
export const folderIn = (version: string, target: Target): string => `mgmt-${version}-${target}`;

export const archiveName = (version: string, target: Target): string =>
  `${folderIn(version, target)}.${isWindows(target) ? "zip" : "tar.gz"}`;

export const programName = (target: Target): string => (isWindows(target) ? "mgmt.exe" : "mgmt");

const isWindows = (target: Target): boolean => target.startsWith("windows-");
