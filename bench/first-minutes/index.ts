import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usedSeconds } from "../../scripts/processor-time.js";
import { packPackages } from "../../scripts/release/pack.js";
import { type Installation, installIn } from "../runner/install-in.js";
import { writeFirstRow } from "./first-row.js";
import { type Measured, type Measurement, writeMeasured } from "./measured.js";

/** Measures what the page `docs/why.md` says about the first minutes with mgmt and with other tools. Needs a network. Linux only. */
const sdks = ["@mgmt/sdk", "stripe", "openai", "@prisma/management-api-sdk", "octokit"];
const commands = ["@mgmt/cli", "neonctl", "prisma"];

/** Starts of a program, whose mean is reported. */
const starts = 10;

const folder = mkdtempSync(join(tmpdir(), "mgmt-first-minutes-"));
const packed = await packPackages(folder);

/** Returns the seconds of processor time that something takes. */
const secondsOf = async (action: () => Promise<void> | void): Promise<number> => {
  const before = usedSeconds();
  await action();
  return usedSeconds() - before;
};

const install = (names: readonly string[]): Installation => {
  const specifiers = names.map(
    (name) => packed.find((each) => each.name === name)?.tarball ?? `${name}@latest`,
  );
  const installed = installIn(folder, specifiers);
  if (!installed) throw new Error(`npm could not install ${names.join(" ")}`);
  return installed;
};

/** Returns undefined if the program cannot run here, such as one that first downloads a part of itself. */
const startOf = async (name: string, { folder: cwd }: Installation): Promise<number | undefined> => {
  const program = join(cwd, "node_modules/.bin", name === "@mgmt/cli" ? "mgmt" : name);
  const [file, args] = sdks.includes(name)
    ? ["node", ["-e", `import(${JSON.stringify(name)})`]]
    : [program, ["--version"]];
  const run = (): void => {
    execFileSync(file, args, { cwd, stdio: "ignore", env: { PATH: process.env["PATH"], HOME: folder } });
  };
  try {
    run();
  } catch {
    console.log(`  ${name} does not run`);
    return undefined;
  }
  const seconds = await secondsOf(() => {
    for (let index = 0; index < starts; index += 1) run();
  });
  return Math.round((seconds * 1_000) / starts);
};

const versionOf = (name: string, { folder: cwd }: Installation): string => {
  if (name.startsWith("@mgmt/")) return "";
  // Written by npm.
  const { version } = JSON.parse(readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
};

const measure = async (name: string): Promise<Measurement> => {
  console.log(name);
  const before = usedSeconds();
  const installed = install([name]);
  const seconds = usedSeconds() - before;
  const start = await startOf(name, installed);
  return {
    name,
    version: versionOf(name, installed),
    packages: installed.packages,
    megabytes: Math.ceil(installed.bytes / 1e6),
    install: seconds,
    ...(start !== undefined && { start }),
  };
};

const measureAll = async (names: readonly string[]): Promise<Measurement[]> => {
  const found = [];
  for (const name of names) found.push(await measure(name));
  return found;
};

try {
  const measured: Measured = {
    month: new Date().toLocaleString("en", { month: "long", year: "numeric" }),
    sdks: await measureAll(sdks),
    commands: await measureAll(commands),
    firstRow: await secondsOf(async () => {
      const { folder: installed } = install(["@mgmt/cli", "@mgmt/platform", "@mgmt/engine"]);
      await writeFirstRow(installed, mkdtempSync(join(folder, "home-")));
    }),
  };
  writeMeasured(measured);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
