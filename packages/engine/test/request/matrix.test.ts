import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { idPrefixes } from "../../src/generated/ids.js";
import type { OperationEntry } from "../../src/generated/operations.js";
import type { Snapshot } from "@mgmt/engine";
import { type Face, type Sent, openMock } from "../../../mock/test/faces.js";
import { type Fixture, makeFixture, malformedIds, named, validRequest } from "./valid-requests.js";

const everyOperation = named(() => true);
const withBody = named(({ body }) => body !== "none");
const paged = named(({ query }) => query.some(({ name }) => name === "cursor"));
const limited = named(({ query }) => query.some(({ name }) => name === "limit"));
const rateLimited = named((operation) => operation.rateLimited);
const gated = named(({ agentApproval }) => agentApproval === "required");
const never = named(({ agentApproval }) => agentApproval === "never");
const withPathId = named(({ pathResourceTypes }) => Object.keys(pathResourceTypes).length > 0);

/**
 * Operations whose resource belongs to no workspace, or which have their own response for another
 * workspace's.
 */
const withoutForeign: ReadonlySet<string> = new Set(["agentApprovals.get", "workspaces.serviceTokens.list"]);

describe("every operation", () => {
  let face: Face;
  let fixture: Fixture;
  let foreign: Fixture;
  let start: Snapshot;
  let user: string;
  let otherUser: string;
  let agent: string;
  let scopeless: string;
  let expired: string;

  beforeAll(async () => {
    face = await openMock();
    const { engine } = face;
    const { defaults, tokens } = engine;
    fixture = await makeFixture(engine, defaults.workspace.id);
    foreign = await makeFixture(engine, defaults.otherWorkspace.id);
    start = engine.snapshot();
    [user, otherUser, agent, scopeless, expired] = await Promise.all([
      tokens.user(),
      tokens.otherUser(),
      tokens.agent(),
      tokens.withoutScope(),
      tokens.expired(),
    ]);
  });
  beforeEach(() => face.engine.load(start));
  afterAll(() => face.close());

  /** Sends a valid request with the changes of the test. */
  const send = (operation: OperationEntry, changes: Sent = {}, path?: string) => {
    const request = validRequest(operation, fixture, otherUser);
    const { body } = request;
    return face.send(request.method, path ?? request.path, {
      token: user,
      ...(body && { body }),
      ...changes,
    });
  };

  const rejection = async (operation: OperationEntry, changes: Sent = {}, path?: string) => {
    const before = JSON.stringify(face.engine.snapshot().store);
    const { status, code } = await send(operation, changes, path);
    expect(JSON.stringify(face.engine.snapshot().store)).toBe(before);
    return [status, code];
  };

  const withQuery = (operation: OperationEntry, query: string): string => {
    const { path } = validRequest(operation, fixture, otherUser);
    return path + (path.includes("?") ? "&" : "?") + query;
  };

  describe("a valid request", () => {
    it.each(everyOperation.filter(([id]) => id !== "agentApprovals.get" && id !== "projects.delete"))(
      "succeeds for %s",
      async (_id, operation) => {
        const { status, text } = await send(operation);
        expect([status, operation.responses[status]], text).toEqual([status, []]);
      },
    );
  });

  describe("401 auth:unauthorized without a valid token", () => {
    it.each(everyOperation)("applies to %s", async (_id, operation) => {
      expect(await rejection(operation, { token: undefined })).toEqual([401, "auth:unauthorized"]);
      expect(await rejection(operation, { token: expired })).toEqual([401, "auth:unauthorized"]);
    });
  });

  describe("403 auth:forbidden without workspace:admin", () => {
    it.each(everyOperation)("applies to %s", async (_id, operation) => {
      expect(await rejection(operation, { token: scopeless })).toEqual([403, "auth:forbidden"]);
    });
  });

  describe("500 and 503 after a failure", () => {
    it.each(everyOperation)("applies to %s", async (id, operation) => {
      face.engine.faults.add({ operation: operation.id, status: 500, times: 1 });
      expect(await rejection(operation)).toEqual([500, "internal:error"]);
      face.engine.faults.add({ operation: operation.id, status: 503, times: 1 });
      const { status, code, headers } = await send(operation);
      expect([status, code, headers.get("retry-after")], id).toEqual([503, "internal:unavailable", "1"]);
    });
  });

  describe("with a body", () => {
    it.each(withBody)("returns 400 from %s for invalid JSON", async (_id, operation) => {
      for (const raw of ["{", '{"name":}', "nothing", "{}{}", new Uint8Array([0x7b, 0xff, 0x7d])]) {
        expect(await rejection(operation, { raw })).toEqual([400, "request:malformed"]);
      }
    });

    it.each(withBody)("returns 415 from %s for another content type", async (_id, operation) => {
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
      ]) {
        const headers = { "content-type": type };
        expect(await rejection(operation, { headers })).toEqual([415, "request:unsupported_media_type"]);
      }
    });

    it.each(withBody)(
      "returns 413 from %s for a body above its limit, but not for one at the limit",
      async (_id, operation) => {
        const cap = operation.maxBodyBytes ?? 1024 * 1024;
        const body = JSON.stringify(validRequest(operation, fixture, otherUser).body);
        expect(await rejection(operation, { raw: body.padEnd(cap + 1) })).toEqual([413, "request:too_large"]);
        const { status } = await send(operation, { raw: body.padEnd(cap) });
        expect(operation.responses[status]).toEqual([]);
      },
    );

    it.each(withBody)("returns 422 from %s for an unknown field, and names it", async (_id, operation) => {
      const body = { ...validRequest(operation, fixture, otherUser).body, "sur/prise": "hunter2" };
      const { status, code, issues, text } = await send(operation, { body });
      expect([status, code]).toEqual([422, "validation:failed"]);
      expect(issues.map(({ path }) => path)).toContain("/sur~1prise");
      expect(text).not.toContain("hunter2");
    });

    it.each(withBody)(
      "returns 422 from %s for a body that is not an object, or is too deep",
      async (_id, operation) => {
        for (const raw of ["[]", "null", '"text"', "1", "[".repeat(30_000) + "]".repeat(30_000)]) {
          expect(await rejection(operation, { raw })).toEqual([422, "validation:failed"]);
        }
      },
    );

    it.each(withBody.filter(([, { body }]) => body === "required"))(
      "returns 422 from %s without a body",
      async (_id, operation) => {
        const { method, path } = validRequest(operation, fixture, otherUser);
        const { status, code } = await face.send(method, path, { token: user });
        expect([status, code]).toEqual([422, "validation:failed"]);
      },
    );
  });

  describe("that lists", () => {
    it.each(limited)("returns 422 from %s for a limit that is not 1 to 1000", async (_id, operation) => {
      for (const limit of ["0", "1001", "-1", "1.5", "ten", "", "1e2", "9".repeat(400)]) {
        const { status, issues } = await send(operation, {}, withQuery(operation, `limit=${limit}`));
        expect([limit, status, issues[0]?.path]).toEqual([limit, 422, "query/limit"]);
      }
      for (const limit of ["1", "1000"]) {
        expect((await send(operation, {}, withQuery(operation, `limit=${limit}`))).status).toBe(200);
      }
    });

    it.each(paged)("returns 422 from %s for a cursor of another list", async (_id, operation) => {
      for (const cursor of ["1", "null", "a".repeat(48), "%00", "🐧"]) {
        const path = withQuery(operation, `cursor=${encodeURIComponent(cursor)}`);
        expect(await rejection(operation, {}, path)).toEqual([422, "validation:failed"]);
      }
      expect((await send(operation, {}, withQuery(operation, "cursor="))).status).toBe(200);
    });

    it.each(limited)(
      "returns 422 from %s for a repeated parameter, and ignores unknown ones",
      async (_id, operation) => {
        expect(await rejection(operation, {}, withQuery(operation, "limit=1&limit=1"))).toEqual([
          422,
          "validation:failed",
        ]);
        expect((await send(operation, {}, withQuery(operation, "colour=red&colour=blue"))).status).toBe(200);
      },
    );
  });

  describe("that is rate limited", () => {
    it.each(rateLimited)("returns 429 from %s with RateLimit-* and Retry-After", async (_id, operation) => {
      face.engine.setRateLimit({ requests: 1, window: 30_000 });
      const first = await send(operation);
      const second = await send(operation);
      face.engine.setRateLimit(null);
      expect(first.headers.get("ratelimit-remaining")).toBe("0");
      expect([second.status, second.code]).toEqual([429, "rate_limit:exceeded"]);
      const names = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"];
      expect(names.map((name) => second.headers.get(name))).toEqual(["1", "0", "30", "30"]);
    });
  });

  describe("for an agent", () => {
    it("requires approvals for every DELETE, restore, transfer, rotation and change of identity, and forbids two operations", () => {
      const ids = (some: readonly (readonly [string, unknown])[]) => some.map(([id]) => id).sort();
      const deletions = ids(named(({ method }) => method === "DELETE"));
      const graver = ["connections.rotate", "databases.restore", "projects.transfer"];
      expect(deletions.length).toBeGreaterThan(9);
      expect(ids(gated)).toEqual([...deletions, ...graver].sort());
      expect(ids(never)).toEqual(["workspaces.create", "workspaces.serviceTokens.create"]);
      // What identifies a resource decides what tools delete.
      const fields = ["logicalId", "branchId", "branchGitName"];
      const updates = named(({ method, path }) => method === "PATCH" && !/projects|branches/.test(path));
      expect(named(({ approvalFields }) => approvalFields.length > 0)).toEqual(updates);
      for (const [, { approvalFields }] of updates) expect(approvalFields).toEqual(fields);
    });

    it.each(gated.filter(([id]) => id !== "projects.delete"))(
      "requires an approval for %s",
      async (_id, operation) => {
        const asked = await send(operation, { token: agent });
        expect([asked.status, asked.code]).toEqual([403, "approval_required"]);
        const [approval] = face.engine.approvals.list();
        await face.engine.approvals.deny(approval?.id ?? "");
        const denied = await send(operation, { token: agent });
        expect([denied.status, denied.code]).toEqual([403, "approval:denied"]);
      },
    );

    it("requires an approval for projects.delete", async () => {
      const { id } = await face.engine.seed.project();
      const remove = () => face.send("DELETE", `/v1/projects/${id}`, { token: agent });
      expect((await remove()).code).toBe("approval_required");
      await face.engine.approvals.deny(face.engine.approvals.list()[0]?.id ?? "");
      expect((await remove()).code).toBe("approval:denied");
    });

    it.each(never)("forbids %s", async (_id, operation) => {
      expect(await rejection(operation, { token: agent })).toEqual([403, "auth:forbidden"]);
      expect(face.engine.approvals.list()).toEqual([]);
    });

    it.each(everyOperation.filter(([, { agentApproval }]) => agentApproval === null))(
      "allows %s without an approval",
      async (_id, operation) => {
        expect(["approval_required", "approval:denied"]).not.toContain(
          (await send(operation, { token: agent })).code,
        );
      },
    );
  });

  describe("with an id in its path", () => {
    it.each(withPathId)(
      "returns 422 from %s for a malformed id if it lists 422, otherwise 404",
      async (_id, operation) => {
        const { method, path, body } = validRequest(operation, fixture, otherUser);
        const [pathname = ""] = path.split("?");
        for (const name of Object.keys(operation.pathResourceTypes)) {
          const place = operation.path.split("/").indexOf(`{${name}}`);
          for (const id of malformedIds) {
            const segments = pathname.split("/");
            segments[place] = id;
            // Bypasses `fetch`, which would resolve the dots.
            const answer = await face.engine.handle({
              method,
              path: segments.join("/"),
              headers: { authorization: `Bearer ${user}`, "content-type": "application/json" },
              body: body && JSON.stringify(body),
            });
            expect([id, answer.status]).toEqual([id, operation.malformedIdStatus]);
            // Every error has this body.
            const { error } = JSON.parse(answer.body ?? "") as { error: { code: string } };
            expect(operation.responses[answer.status]).toContain(error.code);
          }
        }
      },
    );

    it.each(withPathId)("accepts ids without their prefix: %s", async (_id, operation) => {
      const { path } = validRequest(operation, fixture, otherUser);
      const prefixes = Object.values(operation.pathResourceTypes).map((kind) => idPrefixes[kind]);
      const bare = prefixes.reduce((shortened, prefix) => shortened.replace(`/${prefix}`, "/"), path);
      expect(bare).not.toBe(path);
      const full = await send(operation, {}, path);
      await face.engine.load(start);
      const short = await send(operation, {}, bare);
      expect([short.status, short.code]).toEqual([full.status, full.code]);
    });

    it.each(withPathId.filter(([id]) => id !== "workspaces.serviceTokens.list"))(
      "returns 404 from %s when the resource does not exist",
      async (_id, operation) => {
        const segments = operation.path
          .split("/")
          .map((segment) => (segment.startsWith("{") ? "nosuchthing" : segment));
        const [status, code] = await rejection(operation, {}, segments.join("/"));
        expect(status).toBe(404);
        expect(operation.responses[404]).toContain(code);
      },
    );

    it.each(withPathId.filter(([id]) => !withoutForeign.has(id)))(
      "hides another workspace's resources: %s",
      async (_id, operation) => {
        const { path } = validRequest(operation, foreign, otherUser);
        const [status, code] = await rejection(operation, {}, path);
        expect(status).toBe(operation.foreignStatus);
        expect(operation.responses[operation.foreignStatus]).toContain(code);
      },
    );
  });
});
