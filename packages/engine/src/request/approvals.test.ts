import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

const minute = 60_000;

interface Refused {
  code: string;
  approvalId: string;
  expiresAt: string;
  approvalUrl: string;
}

describe("approvals", () => {
  let face: Face;
  let agent: string;
  let projectId: string;

  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(async () => {
    await face.engine.reset();
    agent = await face.engine.tokens.agent({ expiresAt: face.engine.clock.now() + 48 * 60 * minute });
    projectId = (await face.engine.seed.project()).id;
  });
  afterAll(() => face.close());

  const remove = (id = projectId, token = agent) => face.send("DELETE", `/v1/projects/${id}`, { token });
  const refused = async (answer: ReturnType<typeof remove>): Promise<Refused> => {
    const { status, body, text } = await answer;
    expect(status, text).toBe(403);
    // The contract's ApprovalRequiredError.
    return (body as { error: Refused }).error;
  };
  const read = async (approvalId: string, token = agent) => {
    const { status, body } = await face.send("GET", `/v1/agent-approvals/${approvalId}`, { token });
    return status === 200 ? (body as { status: string; windowExpiresAt: string | null }) : status;
  };
  const statusOf = async (approvalId: string) => {
    const approval = await read(approvalId);
    return typeof approval === "number" ? approval : approval.status;
  };
  const at = (milliseconds: number) => new Date(face.engine.clock.now() + milliseconds).toISOString();

  it("returns a gated call with approval_required, an id, an end in 15 minutes and a URL without a credential", async () => {
    const error = await refused(remove());
    expect(error).toMatchObject({ code: "approval_required", expiresAt: at(15 * minute) });
    expect(error.approvalUrl).toBe(`${face.engine.settings.authUrl}/approvals/${error.approvalId}`);
    expect(await statusOf(error.approvalId)).toBe("pending");
    expect(face.engine.approvals.list()[0]?.request).toBe(`DELETE /v1/projects/${projectId}`);
  });

  it("stay pending for the same request, which returns the same id", async () => {
    const first = await refused(remove());
    await face.engine.clock.advance(14 * minute);
    const second = await refused(remove(projectId.replace("proj_", "")));
    expect(second).toEqual(first);
  });

  it("last 15 minutes more once approved, and the request runs once", async () => {
    const { approvalId } = await refused(remove());
    await face.engine.clock.advance(10 * minute);
    await face.engine.approvals.approve(approvalId);
    expect(await read(approvalId)).toMatchObject({
      status: "approved",
      expiresAt: at(15 * minute),
      decidedAt: at(0),
    });
    await face.engine.clock.advance(14 * minute);
    expect((await remove()).status).toBe(204);
    expect(await statusOf(approvalId)).toBe("consumed");
  });

  it("expire while pending, and the same request then creates another", async () => {
    const first = await refused(remove());
    await face.engine.clock.advance(15 * minute);
    expect(await statusOf(first.approvalId)).toBe("expired");
    const second = await refused(remove());
    expect(second.approvalId).not.toBe(first.approvalId);
  });

  it("return approval:denied for the same request for 15 minutes, and then a new approval", async () => {
    const { approvalId } = await refused(remove());
    await face.engine.approvals.deny(approvalId);
    await face.engine.clock.advance(14 * minute);
    expect((await remove()).code).toBe("approval:denied");
    expect(face.engine.approvals.list()).toHaveLength(1);
    await face.engine.clock.advance(1 * minute);
    expect((await remove()).code).toBe("approval_required");
    expect(await statusOf(approvalId)).toBe("denied");
  });

  it("expire once approved when the request does not arrive in time", async () => {
    const { approvalId } = await refused(remove());
    await face.engine.approvals.approve(approvalId);
    await face.engine.clock.advance(15 * minute);
    expect(await statusOf(approvalId)).toBe("expired");
    expect((await remove()).code).toBe("approval_required");
  });

  it("allow the same operation in the same project until a window ends", async () => {
    const [one, two, three] = [
      await face.engine.seed.database(projectId),
      await face.engine.seed.database(projectId),
      await face.engine.seed.database(projectId),
    ];
    const drop = (id: string) => face.send("DELETE", `/v1/databases/${id}`, { token: agent });
    const { approvalId } = await refused(drop(one.id));
    await face.engine.approvals.approveWindow(approvalId);
    expect(await read(approvalId)).toMatchObject({
      status: "approved_window",
      windowExpiresAt: at(60 * minute),
    });
    expect((await drop(two.id)).status).toBe(204);
    await face.engine.clock.advance(59 * minute);
    expect((await drop(one.id)).status).toBe(204);
    expect(await statusOf(approvalId)).toBe("approved_window");
    await face.engine.clock.advance(1 * minute);
    expect(await statusOf(approvalId)).toBe("expired");
    expect((await drop(three.id)).code).toBe("approval_required");
  });

  it("limit a window to one operation, one project and one agent", async () => {
    const { engine } = face;
    const database = await engine.seed.database(projectId);
    const { approvalId } = await refused(
      face.send("DELETE", `/v1/databases/${database.id}`, { token: agent }),
    );
    await engine.approvals.approveWindow(approvalId);
    const elsewhere = await engine.seed.database((await engine.seed.project()).id);
    const other = await engine.tokens.agent({ agentId: "agent_other" });
    const connection = await engine.seed.connection(database.id);
    for (const [path, token] of [
      [`/v1/databases/${elsewhere.id}`, agent],
      [`/v1/databases/${database.id}`, other],
      [`/v1/connections/${connection.id}`, agent],
    ] as const) {
      expect((await face.send("DELETE", path, { token })).code).toBe("approval_required");
    }
  });

  it("apply a window of a workspace's own operation in the workspace", async () => {
    const { engine } = face;
    const path = `/v1/workspaces/${engine.defaults.workspace.id}/service-tokens`;
    const [one, two] = [await engine.seed.serviceToken(), await engine.seed.serviceToken()];
    const { approvalId } = await refused(face.send("DELETE", `${path}/${one.id}`, { token: agent }));
    await engine.approvals.approveWindow(approvalId);
    expect((await face.send("DELETE", `${path}/${two.id}`, { token: agent })).status).toBe(204);
  });

  it("allow no window for a restore or a transfer", async () => {
    const { engine } = face;
    const databaseId = engine.rows.databases.find({ projectId })?.id ?? "";
    const backup = await engine.seed.backup(databaseId);
    const body = { source: { type: "backup", databaseId, backupId: backup.id } };
    const restore = () => face.send("POST", `/v1/databases/${databaseId}/restore`, { token: agent, body });
    const recipientAccessToken = await engine.tokens.otherUser();
    const transfer = () =>
      face.send("POST", `/v1/projects/${projectId}/transfer`, {
        token: agent,
        body: { recipientAccessToken },
      });
    for (const ask of [restore, transfer]) {
      const { approvalId } = await refused(ask());
      await expect(engine.approvals.approveWindow(approvalId)).rejects.toThrow(
        "cannot be approved for a window",
      );
      expect(await statusOf(approvalId)).toBe("pending");
    }
  });

  it("limit a window to 24 hours", async () => {
    const { approvalId } = await refused(remove());
    for (const milliseconds of [0, -1, 24 * 60 * minute + 1, NaN]) {
      expect(() => face.engine.approvals.approveWindow(approvalId, milliseconds)).toThrow(
        "milliseconds must be greater than 0",
      );
    }
    await face.engine.approvals.approveWindow(approvalId, 24 * 60 * minute);
    expect(await read(approvalId)).toMatchObject({ windowExpiresAt: at(24 * 60 * minute) });
  });

  it("are deleted by later requests seven days after they have ended", async () => {
    const { clock, tokens, approvals } = face.engine;
    agent = await tokens.agent({ expiresAt: clock.now() + 30 * 24 * 60 * minute });
    const denied = await refused(remove());
    await approvals.deny(denied.approvalId);
    await clock.advance(7 * 24 * 60 * minute + 15 * minute - 1);
    const second = await refused(remove());
    expect(await statusOf(denied.approvalId)).toBe("denied");
    await approvals.approveWindow(second.approvalId);
    await clock.advance(60 * minute);
    const third = await refused(remove());
    expect(await statusOf(denied.approvalId)).toBe(404);
    expect([await statusOf(second.approvalId), await statusOf(third.approvalId)]).toEqual([
      "expired",
      "pending",
    ]);
  });

  it("are deleted a hundred at a time, so that no request is slow", async () => {
    const { approvals, clock, seed, tokens } = face.engine;
    agent = await tokens.agent({ expiresAt: clock.now() + 30 * 24 * 60 * minute });
    for (let count = 0; count < 102; count += 1) await refused(remove((await seed.project()).id));
    await clock.advance(8 * 24 * 60 * minute);
    await refused(remove());
    expect(approvals.list()).toHaveLength(3);
    await refused(remove((await seed.project()).id));
    expect(approvals.list()).toHaveLength(2);
  });

  it("are decided only while pending", async () => {
    const { approvals, clock } = face.engine;
    const { approvalId } = await refused(remove());
    await approvals.approve(approvalId);
    await expect(approvals.deny(approvalId)).rejects.toThrow("The approval is approved");
    await clock.advance(15 * minute);
    await expect(approvals.approve(approvalId)).rejects.toThrow("The approval is expired");
    await expect(approvals.approve("apr_none")).rejects.toThrow("The approval apr_none does not exist");
  });

  it("match the same body too: keys in any order, defaults applied, tokens by their workspace", async () => {
    const { engine } = face;
    const databaseId = engine.rows.databases.find({ projectId })?.id ?? "";
    const backups = [await engine.seed.backup(databaseId), await engine.seed.backup(databaseId)];
    const restore = (source: object) =>
      refused(face.send("POST", `/v1/databases/${databaseId}/restore`, { token: agent, body: { source } }));
    const backupId = backups[0]?.id ?? "";
    const first = await restore({ type: "backup", databaseId, backupId });
    const again = await restore({ backupId: backupId.replace("bkp_", ""), databaseId, type: "backup" });
    const other = await restore({ type: "backup", databaseId, backupId: backups[1]?.id });
    expect(again.approvalId).toBe(first.approvalId);
    expect(other.approvalId).not.toBe(first.approvalId);

    const transfer = async (recipientAccessToken: string) =>
      refused(
        face.send("POST", `/v1/projects/${projectId}/transfer`, {
          token: agent,
          body: { recipientAccessToken },
        }),
      );
    const one = await transfer(await engine.tokens.otherUser());
    const two = await transfer(await engine.tokens.otherUser());
    const { id: third } = await engine.seed.workspace();
    const owner = engine.rows.workspaces.get(third)?.memberIds[0] ?? "";
    const three = await transfer(await engine.tokens.user({ userId: owner }));
    expect(two.approvalId).toBe(one.approvalId);
    expect(three.approvalId).not.toBe(one.approvalId);
  });

  it("include no secret of the request", async () => {
    const { engine } = face;
    const recipientAccessToken = await engine.tokens.otherUser();
    await refused(
      face.send("POST", `/v1/projects/${projectId}/transfer`, {
        token: agent,
        body: { recipientAccessToken },
      }),
    );
    const kept = JSON.stringify([engine.approvals.list(), engine.requests, engine.snapshot()]);
    expect(kept).not.toContain(recipientAccessToken);
    expect(engine.requests.at(-1)?.body).toEqual({ recipientAccessToken: "[redacted]" });
  });

  it("are neither created nor consumed by a call that would fail", async () => {
    const { engine } = face;
    const { id } = await engine.seed.database(projectId);
    expect((await remove()).code).toBe("project:has_dependencies");
    expect(engine.approvals.list()).toEqual([]);
    await face.send("DELETE", `/v1/databases/${id}`, { token: await engine.tokens.user() });
    const { approvalId } = await refused(remove());
    await engine.approvals.approve(approvalId);
    await engine.seed.database(projectId);
    expect((await remove()).code).toBe("project:has_dependencies");
    expect(await statusOf(approvalId)).toBe("approved");
  });

  it("return 404 to another agent and to a reader that is not an agent", async () => {
    const { tokens } = face.engine;
    const { approvalId } = await refused(remove());
    for (const token of [
      await tokens.agent({ agentId: "agent_other" }),
      await tokens.user(),
      await tokens.service(),
      await tokens.otherUser(),
    ]) {
      expect(await read(approvalId, token)).toBe(404);
    }
  });

  it("are not required of users and service tokens", async () => {
    for (const token of [await face.engine.tokens.user(), await face.engine.tokens.service()]) {
      const { id } = await face.engine.seed.project();
      expect((await remove(id, token)).status).toBe(204);
    }
  });

  it("expire when their project is transferred while they are pending", async () => {
    const { engine } = face;
    const { approvalId } = await refused(remove());
    const recipientAccessToken = await engine.tokens.otherUser();
    const token = await engine.tokens.user();
    await face.send("POST", `/v1/projects/${projectId}/transfer`, { token, body: { recipientAccessToken } });
    expect(await statusOf(approvalId)).toBe("expired");
  });
});
