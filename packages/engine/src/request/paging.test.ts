import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

interface Page {
  ids: string[];
  next: string | null;
  hasMore: boolean;
}

describe("paging", () => {
  let face: Face;
  let token: string;
  beforeAll(async () => {
    face = await openMock();
    token = await face.engine.tokens.user();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  const page = async (path: string, as = token): Promise<Page> => {
    const { status, body, text } = await face.send("GET", path, { token: as });
    expect(status, text).toBe(200);
    // The shape of every paged list.
    const { data, pagination } = body as {
      data: { id: string }[];
      pagination: { nextCursor: string | null; hasMore: boolean };
    };
    return { ids: data.map(({ id }) => id), next: pagination.nextCursor, hasMore: pagination.hasMore };
  };
  const projects = (cursor: string | null, limit = 2, as = token) =>
    page(`/v1/projects?limit=${String(limit)}${cursor === null ? "" : `&cursor=${cursor}`}`, as);
  const make = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await face.engine.seed.project({ createDatabase: false })).id);
    }
    return ids;
  };
  const remove = async (id: string) => {
    expect((await face.send("DELETE", `/v1/projects/${id}`, { token })).status).toBe(204);
  };
  const code = async (path: string, as = token) => (await face.send("GET", path, { token: as })).code;

  it("returns every row once, oldest first, and ends with a null cursor", async () => {
    const ids = await make(5);
    const first = await projects(null);
    const second = await projects(first.next);
    const third = await projects(second.next);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(ids);
    expect([first, second, third].map(({ next, hasMore }) => [next !== null, hasMore])).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
  });

  it("returns no next page when the last one is exactly full", async () => {
    await make(2);
    expect(await projects(null)).toMatchObject({ next: null, hasMore: false });
  });

  it("returns 100 items by default, and at most 1000", async () => {
    await make(101);
    expect((await page("/v1/projects")).ids).toHaveLength(100);
    expect((await page("/v1/projects?limit=1000")).ids).toHaveLength(101);
  });

  it("continues after the deletion of the row of the cursor, and of those before it", async () => {
    const [a, b, c, d] = await make(4);
    const first = await projects(null);
    expect(first.ids).toEqual([a, b]);
    await remove(a ?? "");
    await remove(b ?? "");
    expect((await projects(first.next)).ids).toEqual([c, d]);
  });

  it("skips what is deleted meanwhile and shows what is made meanwhile, each once", async () => {
    const [, , c, d] = await make(4);
    const first = await projects(null);
    await remove(c ?? "");
    const [e] = await make(1);
    const second = await projects(first.next);
    expect(second).toMatchObject({ ids: [d, e], hasMore: false });
  });

  it("returns an empty last page when all that was left is deleted", async () => {
    const [, , c] = await make(3);
    const first = await projects(null);
    await remove(c ?? "");
    expect(await projects(first.next)).toEqual({ ids: [], next: null, hasMore: false });
  });

  it("shows service tokens newest first, and none twice when one is made meanwhile", async () => {
    const { engine } = face;
    const path = `/v1/workspaces/${engine.defaults.workspace.id}/service-tokens?limit=2`;
    const made: string[] = [engine.defaults.serviceToken.id];
    for (let index = 0; index < 3; index += 1) made.push((await engine.seed.serviceToken()).id);
    const first = await page(path);
    await engine.seed.serviceToken();
    const second = await page(`${path}&cursor=${first.next ?? ""}`);
    expect([...first.ids, ...second.ids]).toEqual(made.toReversed());
  });

  it("accepts a cursor with another limit", async () => {
    const ids = await make(5);
    const { next } = await projects(null, 1);
    expect((await projects(next, 3)).ids).toEqual(ids.slice(1, 4));
  });

  it("accepts a cursor after a restart from a snapshot", async () => {
    const ids = await make(4);
    const { next } = await projects(null);
    const snapshot = face.engine.snapshot();
    await face.engine.reset();
    await face.engine.load(snapshot);
    expect((await projects(next)).ids).toEqual(ids.slice(2));
  });

  it("refuses a cursor of another operation, path, filter or workspace with 422", async () => {
    const { engine } = face;
    await make(3);
    const { next } = await projects(null, 1);
    const other = await engine.tokens.otherUser();
    expect(await code(`/v1/projects?cursor=${next ?? ""}`, other)).toBe("validation:failed");
    expect(await code(`/v1/projects?cursor=${next ?? ""}&logicalId=x`)).toBe("validation:failed");
    expect(await code(`/v1/databases?cursor=${next ?? ""}`)).toBe("validation:failed");

    const project = await engine.seed.project();
    await engine.seed.database(project.id);
    const path = `/v1/projects/${project.id}/databases`;
    const databases = await page(`${path}?limit=1`);
    const [elsewhere] = await make(1);
    expect(await code(`${path.replace(project.id, elsewhere ?? "")}?cursor=${databases.next ?? ""}`)).toBe(
      "validation:failed",
    );
  });

  it("accepts a cursor whatever the form of the ids in path and filter", async () => {
    const { engine } = face;
    const { id } = await engine.seed.project();
    const extra = await engine.seed.database(id);
    const first = await page(`/v1/projects/${id}/databases?limit=1`);
    const second = await page(`/v1/projects/${id.replace("proj_", "")}/databases?cursor=${first.next ?? ""}`);
    expect(second.ids).toEqual([extra.id]);
  });

  it("refuses a cursor that was tampered with", async () => {
    await make(3);
    const { next } = await projects(null, 1);
    const cursor = next ?? "";
    for (const forged of [
      "AAAA",
      cursor.slice(1),
      `${cursor}A`,
      cursor.slice(0, -1),
      `${cursor.startsWith("A") ? "B" : "A"}${cursor.slice(1)}`,
      cursor.slice(0, 20) + cursor.slice(20).split("").reverse().join(""),
    ]) {
      expect(await code(`/v1/projects?cursor=${forged}`)).toBe("validation:failed");
    }
  });

  it("does not reveal the position in its cursors", async () => {
    await make(3);
    const { next } = await projects(null, 1);
    const bytes = Buffer.from(next ?? "", "base64url");
    expect(bytes).toHaveLength(24);
    expect(bytes.subarray(16)).not.toEqual(Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]));
  });
});
