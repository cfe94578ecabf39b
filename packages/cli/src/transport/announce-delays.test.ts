import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCannedServer } from "../../test/canned-server.js";
import { runInProcess, type Setup } from "../../test/in-process.js";
import { type Session, startSession } from "../../test/terminal.js";

let session: Session;
beforeEach(async () => {
  session = await startSession();
});
afterEach(() => session.close());

const impatient = (): Setup => ({ env: session.env, slowRequestMs: 100 });

describe("a request", () => {
  it("says that it is slow, once, on standard error", async () => {
    session.server.engine.faults.add({ operation: "projects.list", latency: 300, times: 1 });
    const { status, stderr } = await runInProcess(["projects", "list"], impatient());
    const host = new URL(session.server.baseUrl).host;
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `Still waiting for a response from ${host}.\nNothing found.\n`,
    });
  });

  it("says so in a notice with --output json", async () => {
    session.server.engine.faults.add({ operation: "projects.list", latency: 300, times: 1 });
    const { stdout, errors } = await runInProcess(["projects", "list", "-o", "json"], impatient());
    expect(stdout).toBe("[]\n");
    expect(errors).toEqual([
      { notice: { code: "request:slow", message: expect.stringContaining("Still waiting") } },
    ]);
  });

  it("says that it is sent again, why, and after which pause", async () => {
    let count = 0;
    const { env, close } = await startCannedServer(() => {
      count += 1;
      return count === 1
        ? { status: 503, headers: { "retry-after": "1" }, body: { error: { code: "x:y", message: "later" } } }
        : { body: { data: [], pagination: { hasMore: false, nextCursor: null } } };
    });
    const { status, stderr } = await runInProcess(["projects", "list"], { ...impatient(), env });
    expect(status).toBe(0);
    // On a busy machine a response may take longer than the patience of this test.
    expect(stderr.replaceAll(/^Still waiting for a response.*\n/gm, "")).toMatch(
      /^\S+ responded with status 503\. The request is sent again in [12] s\.\nNothing found\.\n$/,
    );
    close();
  });

  it("does not say so of another request to the same address, after one that failed", async () => {
    const { faults } = session.server.engine;
    faults.add({ operation: "projects.create", status: 502, times: 1 });
    faults.add({ operation: "projects.create", latency: 300, times: 1 });
    const { stderr } = await runInProcess(["projects", "create", "--ndjson", "-", "-o", "ndjson"], {
      ...impatient(),
      stdin: '{"name":"first"}\n{"name":"second"}\n',
    });
    expect(stderr).toContain("request:slow");
    expect(stderr).not.toContain("request:retried");
  });

  it("says nothing when it finishes in time", async () => {
    expect((await session.mgmt`projects list`).stderr).toBe("Nothing found.\n");
    expect((await session.mgmt`projects get proj_0 -o json`).errors).not.toContainEqual(
      expect.objectContaining({ notice: expect.objectContaining({ code: "request:slow" }) }),
    );
  });
});

describe("standard input", () => {
  it("says nothing when it is a pipe", async () => {
    const { id } = await session.server.engine.seed.project();
    const words = ["projects", "update", id, "--body", "-"];
    const { stderr } = await runInProcess(words, { env: session.env, stdin: '{"name":"piped"}' });
    expect(stderr).toBe("");
  });
});
