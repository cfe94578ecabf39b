import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startPlatform } from "../../packages/platform/src/index.js";
import { endedPid, lockText } from "../../packages/platform/test/lock-owners.js";
import { Sandbox, giveAway, isRoot, makePipe, makeZeroDevice, stranger } from "./foreign-account.js";
import { runAttack, whyNoOtherAccount } from "./other-account.js";

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());
afterEach(() => vi.unstubAllEnvs());

const unsafe = "platform:data_dir_unsafe";

/** Starts the platform and stops it. Returns the code of the error that kept it from starting, or "started". */
const outcomeOf = async (dataDir: string | undefined): Promise<string> => {
  try {
    const where = dataDir === undefined ? { ephemeral: true } : { dataDir };
    const platform = await startPlatform({ port: 0, ...where });
    await platform.stop();
    return "started";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
};

/** A data directory of an earlier run. */
let whole: string;
beforeAll(async () => {
  whole = sandbox.directory("whole");
  expect(await outcomeOf(whole)).toBe("started");
});

let copies = 0;
const copyOf = (directory: string, parent = sandbox.path): string => {
  copies += 1;
  const copy = join(parent, `copy-${String(copies)}`);
  cpSync(directory, copy, { recursive: true });
  chmodSync(copy, 0o700);
  return copy;
};

/** Copies all files that are checked before Postgres starts. */
const quickCopyOf = (directory: string, parent = sandbox.path): string => {
  copies += 1;
  const copy = join(parent, `copy-${String(copies)}`);
  const isChecked = (path: string): boolean =>
    !path.includes("/postgres/") || ["PG_VERSION", "global", "pg_control"].includes(basename(path));
  cpSync(directory, copy, { recursive: true, filter: isChecked });
  chmodSync(copy, 0o700);
  return copy;
};

const files = [
  "platform.json",
  "platform.lock",
  "platform.lock.removal",
  "postgres.log",
  "postgres.log.1",
  "token",
  "token.0123456789ab.tmp",
  "control-secret",
  "sign-in-key",
  "record-keys",
  "tls/server-key.pem",
  "tls/server.pem",
];
const directories = ["postgres", "tls"];

describe("a data directory", () => {
  it("starts as a copy, which is the control of the attacks below", async () => {
    expect(await outcomeOf(copyOf(whole))).toBe("started");
  });

  it.each([...files, ...directories])(
    "is refused when %s is a link, whose target stays as it is",
    async (name) => {
      const dataDir = quickCopyOf(whole);
      const victim = sandbox.victim(`target-of-${basename(dataDir)}`);
      const before = victim.state();
      rmSync(join(dataDir, name), { recursive: true, force: true });
      symlinkSync(directories.includes(name) ? victim.folder : victim.file, join(dataDir, name));
      expect(await outcomeOf(dataDir)).toBe(unsafe);
      expect(victim.state()).toEqual(before);
      expect(readdirSync(victim.folder)).toEqual(["file"]);
    },
  );

  it.each([...files, ...directories])(
    "is refused when %s is a named pipe, and does not wait for its writer",
    async (name) => {
      const dataDir = quickCopyOf(whole);
      rmSync(join(dataDir, name), { recursive: true, force: true });
      makePipe(join(dataDir, name));
      expect(await outcomeOf(dataDir)).toBe(unsafe);
    },
  );

  it.each([...files, ...directories])("is refused when %s is a socket", async (name) => {
    const dataDir = quickCopyOf(whole);
    rmSync(join(dataDir, name), { recursive: true, force: true });
    const server = createServer().listen(join(dataDir, name));
    await once(server, "listening");
    chmodSync(join(dataDir, name), 0o600);
    expect(await outcomeOf(dataDir)).toBe(unsafe);
    server.close();
  });

  it.each([...files, ...directories])("is refused when %s is a device that never ends", async (name) => {
    const dataDir = quickCopyOf(whole);
    rmSync(join(dataDir, name), { recursive: true, force: true });
    // Without the right to make devices, the next best thing is a link to one.
    if (!makeZeroDevice(join(dataDir, name))) symlinkSync("/dev/zero", join(dataDir, name));
    expect(await outcomeOf(dataDir)).toBe(unsafe);
  });

  it("does not write a log through a link, or into a hard link", async () => {
    for (const make of [symlinkSync, linkSync]) {
      const dataDir = quickCopyOf(whole);
      const victim = sandbox.victim(`log-of-${basename(dataDir)}`);
      rmSync(join(dataDir, "postgres.log"));
      make(victim.file, join(dataDir, "postgres.log"));
      const before = victim.state();
      expect(await outcomeOf(dataDir)).toBe(unsafe);
      expect(victim.state()).toEqual(before);
      // The control: a write without the check changes the file.
      appendFileSync(join(dataDir, "postgres.log"), "!");
      expect(readFileSync(victim.file, "utf8")).toBe("kept!");
    }
  });

  it.each([".", "tls", ...files])("is refused when other accounts can write to %s", async (name) => {
    for (const bit of [0o020, 0o002]) {
      const dataDir = quickCopyOf(whole);
      const path = join(dataDir, name);
      if (!existsSync(path)) writeFileSync(path, "{}", { mode: 0o600 });
      chmodSync(path, statSync(path).mode | bit);
      expect(await outcomeOf(dataDir)).toBe(unsafe);
    }
  });

  it.runIf(isRoot).each([".", ...directories, ...files])(
    "is refused when %s belongs to another account",
    async (name) => {
      const dataDir = quickCopyOf(whole);
      const path = join(dataDir, name);
      if (!existsSync(path)) writeFileSync(path, "{}", { mode: 0o600 });
      giveAway(path);
      expect(await outcomeOf(dataDir)).toBe(unsafe);
      expect(statSync(path).uid).toBe(stranger);
    },
  );
});

describe("the parents of a data directory", () => {
  it("are refused when other accounts can write to one, unless it is sticky", async () => {
    for (const mode of [0o777, 0o757]) {
      const parent = sandbox.directory(`shared-${mode.toString(8)}`, mode);
      expect(await outcomeOf(quickCopyOf(whole, parent))).toBe(unsafe);
      expect(await outcomeOf(join(parent, "new", "directory"))).toBe(unsafe);
      expect(existsSync(join(parent, "new"))).toBe(false);
    }
    // The control.
    expect(await outcomeOf(copyOf(whole, sandbox.directory("sticky", 0o1777)))).toBe("started");
  });

  it("may contain a link of this account", async () => {
    const link = join(sandbox.path, "own-link");
    symlinkSync(sandbox.directory("linked"), link);
    expect(await outcomeOf(copyOf(whole, link))).toBe("started");
  });

  it.runIf(isRoot)("are refused when a directory or a link belongs to another account", async () => {
    const group = sandbox.directory("group", 0o775);
    chownSync(group, 0, stranger);
    const foreign = sandbox.directory("foreign", 0o755);
    giveAway(foreign);
    const link = join(sandbox.directory("open", 0o1777), "link");
    symlinkSync(sandbox.path, link);
    giveAway(link);
    for (const parent of [group, foreign, link])
      expect(await outcomeOf(quickCopyOf(whole, parent))).toBe(unsafe);
    expect(await outcomeOf(join(foreign, "new"))).toBe(unsafe);
    expect(existsSync(join(foreign, "new"))).toBe(false);
  });

  it("cannot be exchanged for a link during a start: such a parent is refused at once", async ({ skip }) => {
    const reason = whyNoOtherAccount();
    if (reason !== undefined) skip(reason);
    const parent = sandbox.directory("exchanged", 0o755);
    const [dataDir, aside] = [quickCopyOf(whole, parent), join(parent, "aside")];
    const victim = sandbox.victim("exchange-victim");
    const before = victim.state();
    // The control: between a check and a use, the owner of the parent exchanges what is checked.
    chownSync(parent, 65_534, 65_534);
    const isChecked = lstatSync(dataDir).isDirectory();
    await runAttack(exchange, { dataDir, aside, target: victim.folder, rounds: 0 });
    expect([isChecked, statSync(dataDir).ino]).toEqual([true, statSync(victim.folder).ino]);
    rmSync(dataDir);
    renameSync(aside, dataDir);

    const attacker = spawn(process.execPath, ["--input-type=module", "-"], {
      uid: 65_534,
      gid: 65_534,
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(attacker, "close");
    attacker.stdin.end(
      `globalThis.input = ${JSON.stringify({ dataDir, aside, target: victim.folder, rounds: 1e9 })};${exchange}`,
    );
    await once(attacker.stdout, "data");
    const outcomes = new Set<string>();
    for (let start = 0; start < 30; start += 1) outcomes.add(await outcomeOf(dataDir));
    attacker.kill();
    await ended;
    expect([...outcomes]).toEqual([unsafe]);
    expect(victim.state()).toEqual(before);
    expect(readdirSync(victim.folder)).toEqual(["file"]);
  });
});

/** Exchanges a directory for a link, and back for as many rounds as it is told. Prints a line once it has. */
const exchange = `
  import { renameSync, symlinkSync, unlinkSync } from "node:fs";
  const { dataDir, aside, target, rounds } = input;
  for (let round = 0; ; round += 1) {
    renameSync(dataDir, aside);
    symlinkSync(target, dataDir);
    if (round === 0) console.log("true");
    if (round >= rounds) break;
    unlinkSync(dataDir);
    renameSync(aside, dataDir);
  }`;

describe("an ephemeral platform", () => {
  it("is refused where other accounts could exchange its directory", async () => {
    vi.stubEnv("TMPDIR", sandbox.directory("own-temporary"));
    // The control.
    expect(await outcomeOf(undefined)).toBe("started");
    const hostile = sandbox.directory("hostile-temporary", 0o777);
    vi.stubEnv("TMPDIR", hostile);
    expect(await outcomeOf(undefined)).toBe(unsafe);
    expect(readdirSync(hostile)).toEqual([]);
  });

  it("does not remove directories that only look like those of earlier ones", async () => {
    const temporary = sandbox.directory("planted-temporary", 0o1777);
    const victim = sandbox.victim("planted-victim");
    const planted = join(temporary, "mgmt-ephemeral-planted");
    symlinkSync(victim.folder, planted);
    const lock = lockText({ pid: endedPid });
    writeFileSync(join(victim.folder, "platform.lock"), lock, { mode: 0o600 });
    vi.stubEnv("TMPDIR", temporary);
    expect(await outcomeOf(undefined)).toBe("started");
    expect(readdirSync(victim.folder)).toEqual(["file", "platform.lock"]);
    // The control: a directory of this account is removed.
    rmSync(planted);
    mkdirSync(planted);
    writeFileSync(join(planted, "platform.lock"), lock, { mode: 0o600 });
    expect(await outcomeOf(undefined)).toBe("started");
    expect(existsSync(planted)).toBe(false);
  });
});

describe("mgmt dev as root", () => {
  it("leaves nothing that another account can read, and gives only the cluster to the account of Postgres", async ({
    skip,
  }) => {
    const reason = whyNoOtherAccount();
    if (reason !== undefined) skip(reason);
    const dataDir = sandbox.directory("of-root");
    const platform = await startPlatform({ port: 0, dataDir });
    await platform.stop();
    const paths = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).map((name) =>
      join(dataDir, name),
    );
    for (const path of paths) {
      const isCluster = path === join(dataDir, "postgres") || path.startsWith(join(dataDir, "postgres/"));
      expect([path, lstatSync(path).uid === 0]).toEqual([path, !isCluster]);
    }
    const { uid } = statSync(join(dataDir, "postgres"));
    if (uid === 65_534) skip("Postgres runs as the account of the attacker here");
    expect(await runAttack(readable, { paths })).toEqual([]);
    // The control.
    const [open, token] = [sandbox.directory("open-to-all", 0o755), join(dataDir, "token")];
    cpSync(token, join(open, "token"));
    chmodSync(join(open, "token"), 0o644);
    expect(await runAttack(readable, { paths: [token, join(open, "token")] })).toEqual([join(open, "token")]);
  });
});

/** Prints the paths that can be read. */
const readable = `
  import { readFileSync, readdirSync, statSync } from "node:fs";
  const isReadable = (path) => {
    try { statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path); return true; } catch { return false; }
  };
  console.log(JSON.stringify(input.paths.filter(isReadable)));`;
