import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(root, "packages/cli/dist");
const requireFromCli = createRequire(join(root, "packages/cli/package.json"));

/** Node.js documents this value, by which the program is found to be standalone. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Makes a program of Node.js and the built command, which runs without either. See
 * https://nodejs.org/api/single-executable-applications.html.
 *
 * @param node A program of Node.js for this system, as it is published. A program of another build can lack what it needs.
 * @param file Where to write the program.
 */
export const buildProgram = async (node: string, file: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-standalone-"));
  try {
    const blob = join(folder, "blob");
    const config = join(folder, "config.json");
    writeFileSync(
      config,
      JSON.stringify({
        main: join(built, "mgmt.js"),
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: embeddedFiles(folder),
      }),
    );
    await run(node, ["--experimental-sea-config", config]);
    copyFileSync(node, file);
    chmodSync(file, 0o755);
    await prepare(file);
    await inject(file, blob);
    // macOS runs no program without a signature, and the change has made the one of Node.js invalid.
    if (process.platform === "darwin") await run("codesign", ["--sign", "-", file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Returns the files that the program contains, by the names under which it reads them. */
const embeddedFiles = (folder: string): Record<string, string> => {
  const scripts = readdirSync(built).filter((name) => name.endsWith(".js") && name !== "mgmt.js");
  const files = scripts.map((name) => {
    const text = readFileSync(join(built, name), "utf8");
    const file = join(folder, name);
    // Installed beside the command otherwise.
    writeFileSync(
      file,
      text.replaceAll('require("@jmespath-community/jmespath")', 'require("./jmespath.js")'),
    );
    return [name, file];
  });
  return {
    ...Object.fromEntries(files),
    "jmespath.js": requireFromCli.resolve("@jmespath-community/jmespath"),
    "keyring.node": keyringPackage().library,
  };
};

/** Returns the package with the library that opens the keyring of this system. */
export const keyringPackage = (): { folder: string; library: string } => {
  const { platform, arch } = process;
  const suffix = { linux: "-gnu", win32: "-msvc" }[platform as string] ?? "";
  const name = `@napi-rs/keyring-${platform}-${arch}${suffix}`;
  const library = createRequire(requireFromCli.resolve("@napi-rs/keyring")).resolve(name);
  return { folder: relative(root, dirname(library)), library };
};

const prepare = async (file: string): Promise<void> => {
  if (process.platform === "darwin") await run("codesign", ["--remove-signature", file]);
  // Removes names for debuggers, which are a seventh of the file.
  if (process.platform === "linux") await run("strip", ["--strip-all", file]);
};

const inject = async (file: string, blob: string): Promise<void> => {
  const program = join(dirname(createRequire(import.meta.url).resolve("postject")), "cli.js");
  const segment = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
  const words = [file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, ...segment];
  // It prints warnings about parts of the file that it does not change.
  await run(process.execPath, [program, ...words]);
};
