import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { findProjectFolder } from "./project-folder.js";
import { temporaryFolder } from "../../../test/folders.js";

const root = realpathSync(temporaryFolder());
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(root, "home-"));
  vi.stubEnv("HOME", home);
  return () => vi.unstubAllEnvs();
});

/** Makes files, and the folders of those that end with a slash. */
const make = (...paths: string[]): void => {
  for (const path of paths) {
    mkdirSync(join(home, path.endsWith("/") ? path : dirname(path)), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(join(home, path), "{}");
  }
};

const find = (cwd: string, env: NodeJS.ProcessEnv = {}): string =>
  findProjectFolder({ cwd: join(home, cwd), env: { MGMT_CONFIG_DIR: join(home, "settings"), ...env } });

describe("findProjectFolder", () => {
  it.each([
    ["the top of a clone", ["shop/.git/", "shop/api/package.json"], "shop/api", "shop"],
    [
      "the top of a worktree",
      ["shop/.git/", "shop/.trees/cart/.git", "shop/.trees/cart/api/"],
      "shop/.trees/cart/api",
      "shop/.trees/cart",
    ],
    [
      "the folder with the link",
      ["shop/.git/", "shop/api/.mgmt/link.json", "shop/api/src/"],
      "shop/api/src",
      "shop/api",
    ],
    [
      "the top of a clone in a folder with a link",
      [".mgmt/link.json", "work/.mgmt/link.json", "work/shop/.git/"],
      "work/shop",
      "work/shop",
    ],
    ["the folder of a package outside of clones", ["shop/package.json", "shop/src/"], "shop/src", "shop"],
    ["the working directory if there is nothing else", ["shop/src/"], "shop/src", "shop/src"],
    ["the working directory in a home directory that is a clone", [".git/", "shop/"], "shop", "shop"],
    [
      "the package in a home directory that is a clone",
      [".git/", "package.json", "shop/package.json", "shop/src/"],
      "shop/src",
      "shop",
    ],
  ])("is %s", (_, paths, cwd, expected) => {
    make(...paths);
    expect(find(cwd)).toBe(join(home, expected));
  });

  it("is the one that has a service already, without symbolic links", () => {
    make("shop/.git/", "shop/api/.mgmt/dev/", "shop/api/src/", "settings/");
    const folder = join(home, "shop/api");
    const profiles = { here: { baseUrl: "http://127.0.0.1", folder } };
    writeFileSync(join(home, "settings/config.json"), JSON.stringify({ profiles }), { mode: 0o600 });
    symlinkSync(join(home, "shop"), join(home, "alias"));
    expect(find("alias/api/src")).toBe(folder);
    expect(find("alias")).toBe(join(home, "shop"));
  });

  it.each(["", "..", "../.."])("is refused for the home directory and those above it: %j", (cwd) => {
    make(".git/");
    expect(() => find(cwd)).toThrow(
      expect.objectContaining({ code: "dev:home_folder", hint: expect.any(String) }),
    );
  });

  it("is refused for the home directory by another path", () => {
    symlinkSync(home, join(root, `alias-${String(Date.now())}`));
    vi.stubEnv("HOME", join(home, "..", "x", "..", home.slice(root.length + 1)));
    expect(() => find("")).toThrow(expect.objectContaining({ code: "dev:home_folder" }));
  });
});
