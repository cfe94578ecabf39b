import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { type ClaimedFolder, claimFolder, releaseClaim } from "./claim-folder.js";
import type { StoredProfiles } from "../../profiles/profile.js";
import { temporaryFolder } from "../../../test/folders.js";

const root = realpathSync(temporaryFolder());
const { self } = createProcessView();
const isRoot = process.geteuid?.() === 0;

let [base, folder, config] = ["", "", ""];
beforeEach(() => {
  base = mkdtempSync(join(root, "claim-"));
  folder = join(base, "shop");
  config = join(base, "config");
  for (const path of [folder, config]) mkdirSync(path);
});

const claim = (path = folder): Promise<ClaimedFolder> =>
  claimFolder(path, { env: { MGMT_CONFIG_DIR: config } });

const release = (claimed: ClaimedFolder): Promise<void> =>
  releaseClaim(claimed, { env: { MGMT_CONFIG_DIR: config } });

// The tests assert what is in it.
const readProfiles = (): StoredProfiles["profiles"] =>
  (JSON.parse(readFileSync(join(config, "config.json"), "utf8")) as StoredProfiles).profiles;

const changeProfile = (name: string, fields: object): void => {
  const profiles = readProfiles();
  const changed = { profiles: { ...profiles, [name]: { ...profiles[name], ...fields } } };
  writeFileSync(join(config, "config.json"), JSON.stringify(changed), { mode: 0o600 });
};

const failure = (code: string): unknown =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(folder),
    hint: expect.stringMatching(/\.$/),
  });

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe("claimFolder", () => {
  it("makes a data directory of this user that git ignores, and stores who runs its service", async () => {
    const { dataDir, dataId, profileName } = await claim();
    expect(dataDir).toBe(join(folder, ".mgmt/dev"));
    expect(readdirSync(dataDir).sort()).toEqual([".gitignore", "data-id"]);
    expect(readFileSync(join(dataDir, ".gitignore"), "utf8")).toBe("*\n");
    expect(modeOf(dataDir)).toBe(isRoot ? 0o711 : 0o700);
    expect(modeOf(join(dataDir, "data-id"))).toBe(0o600);
    expect(profileName).toMatch(/^here-shop-[\da-f]{8}$/);
    expect(readProfiles()).toEqual({
      [profileName]: {
        ...{ folder, dataId, process: self, baseUrl: "http://127.0.0.1" },
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
  });

  it("refuses a second process in the folder, even at the same moment, and leaves the first one's profile", async () => {
    const results = await Promise.allSettled([claim(), claim()]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [before] = Object.entries(readProfiles());
    await expect(claim()).rejects.toEqual(failure("dev:folder_in_use"));
    expect(Object.entries(readProfiles())).toEqual([before]);
  });

  it("uses the data again after its process was killed, or did not start", async () => {
    const first = await claim();
    writeFileSync(join(first.dataDir, "platform.json"), "{}");
    changeProfile(first.profileName, { process: { ...self, started: "1" }, token: "stored" });
    expect(await claim()).toEqual(first);
    await release(first);
    expect(readProfiles()[first.profileName]).toMatchObject({ token: "stored", dataId: first.dataId });
    expect(readProfiles()[first.profileName]).not.toHaveProperty("process");
    expect(await claim()).toEqual(first);
  });

  it("does not end the claim of another process", async () => {
    const claimed = await claim();
    const other = { ...self, pid: self.pid + 1 };
    changeProfile(claimed.profileName, { process: other });
    await release(claimed);
    expect(readProfiles()[claimed.profileName]).toMatchObject({ process: other });
  });

  it("forgets what was true of data that was deleted", async () => {
    const first = await claim();
    changeProfile(first.profileName, { process: undefined, token: "old", projectId: "proj_1" });
    rmSync(first.dataDir, { recursive: true });
    const second = await claim();
    expect(second.dataId).not.toBe(first.dataId);
    expect(readProfiles()[second.profileName]).not.toHaveProperty("token");
  });

  it("uses the data of a folder that was moved, whose old profile it removes", async () => {
    const first = await claim();
    writeFileSync(join(first.dataDir, "platform.json"), "{}");
    await release(first);
    renameSync(folder, join(base, "moved"));
    mkdirSync(folder);
    // A start elsewhere must not forget the data.
    mkdirSync(join(base, "other"));
    await release(await claim(join(base, "other")));
    const moved = await claim(join(base, "moved"));
    expect(moved.dataId).toBe(first.dataId);
    expect(Object.keys(readProfiles()).sort()).toEqual([
      moved.profileName,
      expect.stringMatching(/^here-other-/),
    ]);
  });

  it("removes profiles of folders that have had no data for months", async () => {
    const first = await claim();
    changeProfile(first.profileName, { process: undefined, startedAt: "2020-01-01T00:00:00Z" });
    rmSync(folder, { recursive: true });
    mkdirSync(join(base, "other"));
    await claim(join(base, "other"));
    expect(readProfiles()).not.toHaveProperty(first.profileName);
  });
});

describe("claimFolder refuses", () => {
  it.each([
    ["data without an id", {}],
    ["data whose id can be read by others, as git writes files", { id: "planted-id", mode: 0o644 }],
    ["data with an id that no profile has", { id: "planted-id", mode: 0o600 }],
    ["data with the id in an empty file", { id: "", mode: 0o600 }],
  ] as const)("%s", async (_, planted: { id?: string; mode?: number }) => {
    const dataDir = join(folder, ".mgmt/dev");
    mkdirSync(join(dataDir, "postgres"), { recursive: true });
    writeFileSync(join(dataDir, "postgres/postgresql.auto.conf"), "archive_command = 'touch /tmp/x'");
    if (planted.id !== undefined) writeFileSync(join(dataDir, "data-id"), planted.id, { mode: planted.mode });
    await expect(claim()).rejects.toEqual(failure("dev:foreign_data"));
    expect(existsSync(join(config, "config.json"))).toBe(false);
  });

  it.each([".mgmt", ".mgmt/dev", ".mgmt/dev/.gitignore", ".mgmt/dev/data-id"])(
    "%s if it is a symbolic link, and writes nothing behind it",
    async (path) => {
      const outside = join(base, "outside");
      mkdirSync(join(outside, "dev"), { recursive: true });
      writeFileSync(join(outside, "file"), "content");
      const isFile = path.includes("dev/");
      mkdirSync(join(folder, path, ".."), { recursive: true });
      symlinkSync(join(outside, isFile ? "file" : "."), join(folder, path));
      await expect(claim()).rejects.toEqual(failure("dev:folder_unusable"));
      expect(readdirSync(outside).sort()).toEqual(["dev", "file"]);
      expect(readdirSync(join(outside, "dev"))).toEqual([]);
      expect(readFileSync(join(outside, "file"), "utf8")).toBe("content");
    },
  );

  it.each([".mgmt", ".mgmt/dev"])("%s if it is a file", async (path) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "");
    await expect(claim()).rejects.toEqual(failure("dev:folder_unusable"));
  });

  it.runIf(isRoot)("data of another account", async () => {
    const dataDir = join(folder, ".mgmt/dev");
    mkdirSync(dataDir, { recursive: true });
    chownSync(dataDir, 1234, 1234);
    await expect(claim()).rejects.toThrow(
      expect.objectContaining({
        code: "dev:folder_unusable",
        message: expect.stringContaining("user id 1234"),
      }),
    );
  });

  it.each<[string, (path: string) => void]>([
    ["belongs to", (path) => chownSync(path, 1234, 1234)],
    ["can be written by", (path) => chmodSync(path, 0o777)],
  ])("a folder that %s another account, and makes nothing in it", async (problem, change) => {
    if (problem === "belongs to" && !isRoot) return;
    change(folder);
    await expect(claim()).rejects.toMatchObject({
      code: "dev:folder_unusable",
      message: expect.stringMatching(
        /\((?:other accounts can write to )?\S+\/shop(?: belongs to another account)?\)$/,
      ),
    });
    expect([readdirSync(folder), readdirSync(config)]).toEqual([[], []]);
  });

  it("a folder in which nothing can be created", async () => {
    // Also root cannot create anything in it.
    await expect(claimFolder("/proc/self", { env: { MGMT_CONFIG_DIR: config } })).rejects.toMatchObject({
      code: "dev:folder_unusable",
      message: expect.stringContaining("/proc/self/.mgmt/dev"),
    });
  });

  it("to run without a profile, by which commands find the service", async () => {
    rmSync(config, { recursive: true });
    writeFileSync(config, "not a folder");
    await expect(claim()).rejects.toMatchObject({ code: "profiles:unwritable" });
  });
});
