import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { usedSeconds } from "../../scripts/processor-time.js";
import { packPackages } from "../../scripts/release/pack.js";
import { installedVersion } from "../compare/measured.js";
import { type Installation, installIn } from "../runner/install-in.js";
import { startDev } from "../runner/mgmt-dev.js";
import { prepare } from "../runner/prepare.js";
import { type Measured, type Measurement, writeMeasured } from "./measured.js";

/** Measures what the page `docs/why.md` says about the first minutes with mgmt and with other tools. Needs a network. Linux only. */
const sdks = ["@mgmt/sdk", "@prisma/management-api-sdk", "@neon/sdk", "stripe", "openai", "octokit"];
const commands = ["@mgmt/cli", "neon", "prisma"];

/** Starts of a program, whose mean is reported. */
const starts = 10;

const folder = mkdtempSync(join(tmpdir(), "mgmt-first-minutes-"));
/** That of a user who has neither profiles nor data nor caches. */
const env = { PATH: process.env["PATH"], HOME: mkdtempSync(join(folder, "home-")) };
await prepare();
const packed = await packPackages(folder);

/** Returns the seconds of processor time that something takes. */
const secondsOf = async (action: () => Promise<void> | void): Promise<number> => {
  const before = usedSeconds();
  await action();
  return usedSeconds() - before;
};

/** The SDKs have the versions of the comparison, which are the newest that run on this version of Node.js. */
const versionOf = (name: string): string => (sdks.includes(name) ? installedVersion(name) : "latest");

const install = (...names: string[]): Installation =>
  installIn(
    folder,
    names.map(
      (name) => packed.find((tarball) => tarball.name === name)?.tarball ?? `${name}@${versionOf(name)}`,
    ),
  );

/** Returns undefined if the program cannot run here, such as one that first downloads a part of itself. */
const startOf = async (name: string, { folder: cwd }: Installation): Promise<number | undefined> => {
  const program = join(cwd, "node_modules/.bin", name === "@mgmt/cli" ? "mgmt" : name);
  const [file, args] = sdks.includes(name)
    ? ["node", ["-e", `import(${JSON.stringify(name)})`]]
    : [program, ["--version"]];
  const run = (): void => void execFileSync(file, args, { cwd, stdio: "ignore", env });
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

const measure = async (name: string): Promise<Measurement> => {
  console.log(name);
  const before = usedSeconds();
  const installed = install(name);
  const seconds = usedSeconds() - before;
  const manifest = readFileSync(join(installed.folder, "node_modules", name, "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  const start = await startOf(name, installed);
  return {
    name,
    version: name.startsWith("@mgmt/") ? "" : version,
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

/** Installs the command line and the platform, starts the service, creates a project, and writes a row into its database. */
const writeFirstRow = async (): Promise<void> => {
  const { folder: installed } = install("@mgmt/cli", "@mgmt/platform");
  const mgmt = join(installed, "node_modules/.bin/mgmt");
  const service = await startDev(mgmt, [], env);
  try {
    const run = promisify(execFile);
    await run(mgmt, ["projects", "create", "shop", "--wait"], { env });
    const { stdout: url } = await run(mgmt, ["run", "--", "node", "-p", "process.env.DATABASE_URL"], {
      env: { ...env, MGMT_PROJECT_ID: "shop" },
    });
    const client = new pg.Client({ connectionString: url.trim() });
    await client.connect();
    await client.query("create table notes (body text)");
    const { rowCount } = await client.query("insert into notes values ('Hello') returning body");
    await client.end();
    if (rowCount !== 1) throw new Error("The row was not written");
  } finally {
    await service.stop();
  }
};

try {
  const measured: Measured = {
    month: new Date().toLocaleString("en", { month: "long", year: "numeric" }),
    sdks: await measureAll(sdks),
    commands: await measureAll(commands),
    firstRow: await secondsOf(writeFirstRow),
  };
  writeMeasured(measured);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
