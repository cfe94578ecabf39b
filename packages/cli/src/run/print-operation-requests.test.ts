import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { definitions } from "../../test/operation-examples.js";
import { newFixture, operationLines } from "../../test/operation-lines.js";
import { recordRequests, withFlag } from "../../test/output/flagged-lines.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

/** What is read to find the region of a new database: of its source, or of its project. */
const placement: Readonly<Record<string, readonly string[]>> = {
  "databases.create": ["projects.get", "databases.list"],
  "projects.databases.create": ["databases.get"],
};

describe("--dry-run", () => {
  for (const [id, line] of Object.entries(operationLines)) {
    // The id of an approval comes from a refused request.
    if (id === "agentApprovals.get") continue;
    const definition = definitions.find((definition) => definition.id === id);

    it(`prints the request and sends nothing that changes something: ${id}`, async () => {
      const fixture = withFlag(await newFixture(session), "--dry-run");
      const [{ status, stdout, json }, requests] = await recordRequests(() => line(fixture), session);
      const operations = requests.map(({ operationId }) => operationId);
      expect({ status, operations }).toEqual({ status: 0, operations: placement[id] ?? [] });
      const address = expect.stringContaining(`${session.server.baseUrl}/v1/`);
      const body = definition?.body && definition.method !== "GET" ? { body: expect.any(Object) } : {};
      const request = { method: definition?.method, url: address, ...body };
      const connection = { method: "POST", url: address, body: { databaseId: "mgmt_id_1", name: "mgmt" } };
      expect(json).toEqual(
        definition?.credentials ? [{ ...request, id: "mgmt_id_1" }, connection] : [request],
      );
      expect(stdout).not.toContain(session.env["MGMT_TOKEN"]);
    });
  }

  it("needs no credential for one request, and asks for no confirmation", async () => {
    const { server } = session;
    const env = { MGMT_BASE_URL: server.baseUrl };
    const { status, json } = await runInProcess(["databases", "delete", "db_1", "db_2", "--dry-run"], {
      env,
    });
    expect({ status, json }).toEqual({
      status: 0,
      json: ["db_1", "db_2"].map((id) => ({ method: "DELETE", url: `${server.baseUrl}/v1/databases/${id}` })),
    });
  });
  it("checks the values, and refuses another format", async () => {
    expect(await session.mgmt`projects create --region mars --dry-run`).toMatchObject({
      status: 2,
      stdout: "",
    });
    const { status, stdout, stderr } = await session.mgmt`projects create --dry-run=wget`;
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/--dry-run cannot be "wget"[^]*json, curl/);
  });
  it("looks up the resource of ensure, and prints nothing to send if it exists", async () => {
    const { server, mgmt } = session;
    const before = server.engine.requests.length;
    const missing = await mgmt`projects ensure --logical-id dry --dry-run`;
    expect(missing.json).toEqual([
      { method: "POST", url: `${server.baseUrl}/v1/projects`, body: { logicalId: "dry" } },
    ]);
    const { id } = await server.engine.seed.project({ logicalId: "dry" });
    const existing = await mgmt`projects ensure --logical-id dry --dry-run`;
    expect(existing).toMatchObject({ status: 0, json: [] });
    expect(existing.stderr).toContain(id);
    const methods = server.engine.requests.slice(before).map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
  });
});
