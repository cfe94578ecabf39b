import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { readProfiles } from "../../packages/cli/src/profiles/read-profiles.js";
import {
  ensurePrivateCacheDir,
  ensureProgramCacheDir,
} from "../../packages/platform/src/machine/data-dir/directories.js";
import { loadImage, saveImage } from "../../packages/platform/src/machine/postgres/cluster-image.js";
import { stagePrograms } from "../../packages/platform/src/machine/postgres/staging.js";
import { fileStore } from "../../packages/sdk/src/auth/node.js";
import { Sandbox, giveAway, isRoot, makePipe } from "./foreign-account.js";

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());
afterEach(() => vi.unstubAllEnvs());

const codeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return "used";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
};

/** Ways to prepare a file that another account has written or can write. */
const attacks: [name: string, needsRoot: boolean, prepare: (file: string) => void][] = [
  ["every account can write to", false, (file) => chmodSync(file, 0o666)],
  [
    "another group can write to",
    true,
    (file) => {
      chownSync(file, 0, 54_321);
      chmodSync(file, 0o660);
    },
  ],
  ["belongs to another account", true, giveAway],
  [
    "is a named pipe",
    false,
    (file) => {
      rmSync(file);
      makePipe(file);
    },
  ],
  [
    "is a link of another account",
    true,
    (file) => {
      cpSync(file, `${file}.own`);
      chmodSync(`${file}.own`, 0o600);
      rmSync(file);
      symlinkSync(`${file}.own`, file);
      giveAway(file);
    },
  ],
];

describe.each(attacks)("a file that %s", (name, needsRoot, prepare) => {
  const newFile = (text: string): string => {
    const file = join(mkdtempSync(join(sandbox.path, "file-")), "file.json");
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const test = it.skipIf(needsRoot && !isRoot);

  test("is not used as the profiles of mgmt", async () => {
    const file = newFile('{"profiles":{"planted":{"baseUrl":"http://127.0.0.1:1"}}}');
    // The control.
    expect(Object.keys(readProfiles(file).profiles)).toEqual(["planted"]);
    prepare(file);
    const code = name.endsWith("pipe") ? "profiles:unreadable" : "profiles:untrusted";
    expect(await codeOf(() => readProfiles(file))).toBe(code);
  });

  test("is not used as the login of an SDK", async () => {
    const credential = { issuer: "http://127.0.0.1:1", clientId: "itgr_1", accessToken: "planted" };
    const file = newFile("");
    await fileStore(file).write({ ...credential, scopes: [] });
    // The control.
    expect(await fileStore(file).read()).toMatchObject(credential);
    prepare(file);
    expect(await codeOf(() => fileStore(file).read())).toBe("auth:store_unreadable");
  });

  test("is not used as the image of a new cluster", async () => {
    const file = newFile("");
    const bytes = Buffer.from("18\n");
    const files = [{ path: "PG_VERSION", size: 3, offset: 0 }];
    const contents = { password: "planted", directories: [], files };
    await saveImage({ contents, bytes }, file);
    // The control.
    expect(await loadImage(file)).toEqual({ contents, bytes });
    prepare(file);
    expect(await loadImage(file)).toBeUndefined();
  });
});

describe("the folder for cached clusters", () => {
  const usual = (): string => join(sandbox.path, "caches");
  const useCaches = (prepare: (folder: string) => void): void => {
    rmSync(usual(), { recursive: true, force: true });
    mkdirSync(join(usual(), "mgmt"), { recursive: true, mode: 0o700 });
    prepare(join(usual(), "mgmt"));
    vi.stubEnv("XDG_CACHE_HOME", usual());
  };

  it.runIf(process.platform === "linux")("is not one that another account could have filled", async () => {
    useCaches(() => undefined);
    // The control.
    expect(await ensurePrivateCacheDir()).toBe(join(usual(), "mgmt"));
    for (const mode of [0o770, 0o707]) {
      useCaches((folder) => chmodSync(folder, mode));
      expect(await ensurePrivateCacheDir()).not.toBe(join(usual(), "mgmt"));
    }
    useCaches((folder) => {
      rmSync(folder, { recursive: true });
      symlinkSync(sandbox.directory("cache-target"), folder);
    });
    expect(await ensurePrivateCacheDir()).not.toBe(join(usual(), "mgmt"));
    useCaches(() => chmodSync(usual(), 0o777));
    expect(await ensurePrivateCacheDir()).not.toBe(join(usual(), "mgmt"));
  });

  it("is not below TMPDIR when another account could exchange it there", async () => {
    useCaches((folder) => chmodSync(folder, 0o777));
    const hostile = sandbox.directory("temporary", 0o777);
    vi.stubEnv("TMPDIR", hostile);
    expect(await ensurePrivateCacheDir()).toBeUndefined();
    await ensureProgramCacheDir();
    expect(readdirSync(hostile)).toEqual([]);
  });
});

describe("the copy of the programs of Postgres", () => {
  let copies = 0;
  /** Copies programs of a package, and changes the copy. Returns where they are. */
  const stage = async (change: (staged: string) => void): Promise<string> => {
    copies += 1;
    const [native, base] = [sandbox.directory(`package-${copies}`), sandbox.directory(`programs-${copies}`)];
    mkdirSync(join(native, "bin"));
    writeFileSync(join(native, "bin", "postgres"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(native, "pg-symlinks.json"), "[]");
    await stagePrograms(native, base, "18");
    change(join(base, "18"));
    return stagePrograms(native, base, "18");
  };

  it("is not used if another account owns it or can write to it", async () => {
    // The control.
    expect(await stage(() => undefined)).toMatch(/18\/bin$/);
    for (const name of [".", "bin", "bin/postgres"]) {
      await expect(stage((staged) => chmodSync(join(staged, name), 0o777))).rejects.toThrow(
        "cannot be trusted",
      );
      if (isRoot)
        await expect(stage((staged) => giveAway(join(staged, name)))).rejects.toThrow("cannot be trusted");
    }
  });

  it.runIf(isRoot)("stays as it is when the owner of the package changes a file later", async () => {
    for (const [isForeign, expected] of [
      [true, "programs"],
      // The control: files of root's own package are shared with the copy.
      [false, "changed"],
    ] as const) {
      copies += 1;
      const [native, base] = [
        sandbox.directory(`package-${copies}`),
        sandbox.directory(`programs-${copies}`),
      ];
      mkdirSync(join(native, "bin"));
      const postgres = join(native, "bin", "postgres");
      writeFileSync(postgres, "programs", { mode: 0o755 });
      writeFileSync(join(native, "pg-symlinks.json"), "[]");
      if (isForeign) giveAway(postgres);
      const staged = join(await stagePrograms(native, base, "18"), "postgres");
      writeFileSync(postgres, "changed");
      expect(readFileSync(staged, "utf8")).toBe(expected);
      expect(statSync(staged).uid).toBe(0);
    }
  });

  it("is not used if it is a link", async () => {
    const elsewhere = sandbox.directory("elsewhere");
    for (const name of [".", "bin", "bin/postgres"]) {
      const replace = (staged: string): void => {
        const path = join(staged, name);
        cpSync(path, join(elsewhere, name), { recursive: true });
        rmSync(path, { recursive: true });
        symlinkSync(join(elsewhere, name), path);
      };
      await expect(stage(replace)).rejects.toThrow("cannot be trusted");
    }
  });
});

describe("mgmt as root in the home directory of another account", () => {
  beforeAll(ensureBuilt);

  const old = new Date(0);
  const run = (home: string): void => {
    const env = { PATH: process.env["PATH"], HOME: home };
    expect(spawnSync(process.execPath, [bin, "auth", "list"], { env }).status).toBe(0);
  };

  it.runIf(isRoot && process.platform === "linux")(
    "neither writes nor removes what the account has linked its cache to",
    () => {
      const home = sandbox.directory("home");
      const caches = join(home, ".cache", "mgmt");
      mkdirSync(caches, { recursive: true });
      const target = sandbox.directory("code-of-root");
      const victim = join(target, "month-old");
      writeFileSync(victim, "kept");
      utimesSync(victim, old, old);
      symlinkSync(target, join(caches, "code"));
      for (const path of [join(caches, "code"), caches, join(home, ".cache"), home]) giveAway(path);
      run(home);
      expect(readdirSync(target)).toEqual(["month-old"]);
      // The control, where Node.js can keep compiled code: root stores code in its own home directory.
      if (!("enableCompileCache" in module)) return;
      for (const path of [caches, join(home, ".cache"), home]) chownSync(path, 0, 0);
      rmSync(join(caches, "code"));
      run(home);
      expect(readdirSync(join(caches, "code"))).not.toEqual([]);
    },
  );
});
