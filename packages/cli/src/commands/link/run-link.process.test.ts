import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { type Step, inPty } from "../../../test/pty.js";
import { useShopFolder } from "../../../test/shop-folder.js";

const nameOf = (folder: string): string => `shop-${basename(folder).slice(-6)}`;
const current = useShopFolder(nameOf);
beforeAll(ensureBuilt);

describe("mgmt link on a terminal", () => {
  it("asks for the project, and offers the line of .gitignore", async () => {
    const { account, folder, projectId } = current();
    const name = nameOf(folder);
    const read = (file: string): string => readFileSync(join(folder, file), "utf8");
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    const steps: Step[] = [
      { when: /Project:[\s\S]*shop-/, type: `${name}` },
      { when: new RegExp(`${name}[\\s\\S]*${name}`), type: "\r" },
      { when: /Add \.mgmt\/ to \.gitignore\?/, type: "\r" },
    ];
    const { status, screen } = await inPty(["link"], steps, account.env, 200, folder);
    expect(status, screen).toBe(0);
    expect(JSON.parse(read(".mgmt/link.json"))).toMatchObject({ projectId });
    expect(read(".gitignore")).toBe(".mgmt/\n");
  });
});
