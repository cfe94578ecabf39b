import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { CallJournal } from "./call-journal.js";

const root = temporaryFolder();
const day = 24 * 60 * 60_000;
let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(root, "journal-")), "calls");
});

describe("the journal of calls", () => {
  it("keeps what is known of a call for other servers, for their user only, and without the call", async () => {
    await new CallJournal(folder).write("secret call", { approvalId: "apr_1", sentAt: "2026-01-01" });
    expect(await new CallJournal(folder).read("secret call")).toEqual({
      approvalId: "apr_1",
      sentAt: "2026-01-01",
    });
    expect(await new CallJournal(folder).read("another")).toBeUndefined();
    const [name = ""] = readdirSync(folder);
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it("forgets a call after a day", async () => {
    await new CallJournal(folder).write("call", { doneAt: "2026-01-01" });
    const later = new CallJournal(folder, () => Date.now() + day + 1_000);
    expect(await later.read("call")).toBeUndefined();
    await later.removeOld();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["", "{", "[]", '{"sentAt":5}'])("knows nothing of a call whose file has %j", async (text) => {
    const journal = new CallJournal(folder);
    await journal.write("call", { doneAt: "2026-01-01" });
    writeFileSync(join(folder, readdirSync(folder)[0] ?? ""), text);
    expect((await journal.read("call"))?.doneAt).toBeUndefined();
  });

  it("says that it cannot be written", async () => {
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "");
    await expect(new CallJournal(folder).write("call", {})).rejects.toMatchObject({
      code: "mcp:journal_unwritable",
    });
  });
});
