import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { watchFolder } from "./watch-folder.js";
import { temporaryFolder } from "../../../test/folders.js";

const root = temporaryFolder();

it.each<[string, (folder: string) => void]>([
  ["is deleted", (folder) => rmSync(folder, { recursive: true })],
  ["is moved", (folder) => renameSync(folder, `${folder}-moved`)],
  [
    "is replaced by a file in its path",
    (folder) => {
      rmSync(join(folder, ".."), { recursive: true });
      writeFileSync(join(folder, ".."), "");
    },
  ],
  [
    "is replaced by another folder",
    (folder) => {
      renameSync(folder, `${folder}-moved`);
      mkdirSync(folder);
    },
  ],
])("notices that a folder %s", async (_, change) => {
  const folder = join(mkdtempSync(join(root, "watch-")), "parent", "dev");
  mkdirSync(folder, { recursive: true });
  const watch = await watchFolder(folder, 5);
  change(folder);
  await expect(watch.removed).resolves.toBeUndefined();
  watch.stop();
});

it("does not resolve for a change in the folder", async () => {
  const folder = mkdtempSync(join(root, "watch-"));
  const watch = await watchFolder(folder, 5);
  writeFileSync(join(folder, "file"), "");
  let isGone = false;
  void watch.removed.then(() => (isGone = true));
  const other = await watchFolder(mkdtempSync(join(root, "watch-")), 5);
  rmSync(other.path, { recursive: true });
  await other.removed;
  expect(isGone).toBe(false);
  for (const { stop } of [watch, other]) stop();
});
