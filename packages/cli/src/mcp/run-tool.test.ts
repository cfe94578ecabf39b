import { describe, expect, it, vi } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";
import { unwritableAuditError } from "../errors/mcp-errors.js";
import { AuditFile } from "./audit-file.js";

const { open, rows, seedProject } = useMcpSetup();

describe("an audit file that cannot be written", () => {
  const failFor = (isFailing: (outcome: string) => boolean): void => {
    const { append } = AuditFile.prototype;
    vi.spyOn(AuditFile.prototype, "append").mockImplementation(function (this: AuditFile, entry) {
      if (isFailing(entry.outcome)) return Promise.reject(unwritableAuditError("audit.jsonl", "it is full"));
      return append.call(this, entry);
    });
  };

  it("keeps a change from being sent", async () => {
    const { id } = await seedProject();
    const { call } = await open();
    failFor(() => true);
    expect(await call("branches_ensure", { projectId: id, gitName: "feature" })).toMatchObject({
      isError: true,
      error: { code: "mcp:audit_unwritable" },
    });
    expect(rows().branches.list({ projectId: id })).toHaveLength(1);
  });

  it("adds a warning to the result of a change that was sent", async () => {
    const { id } = await seedProject();
    const { call } = await open();
    failFor((outcome) => outcome !== "started");
    expect(await call("branches_ensure", { projectId: id, gitName: "feature" })).toMatchObject({
      isError: false,
      created: true,
      warning: expect.stringContaining("it is full"),
    });
  });
});
