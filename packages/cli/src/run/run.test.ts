import { beforeAll, describe, expect, it } from "vitest";
import { startCannedServer } from "../../test/canned-server.js";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();
beforeAll(async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await session.server.engine.seed.project({ name });
});

const names = (json: unknown): string[] => (json as { name: string }[]).map(({ name }) => name);

describe("a list command", () => {
  it("prints one page, and prints on standard error how to get the next one", async () => {
    const { mgmt } = session;
    const first = await mgmt`projects list --limit 2 --output json`;
    expect(names(first.json)).toEqual(["a", "b"]);
    const [line] = first.errors as { notice: { code: string; nextCursor: string } }[];
    expect(line?.notice.code).toBe("list:more");
    const second = await mgmt`projects list --limit 2 --cursor ${line?.notice.nextCursor ?? ""}`;
    expect(second.stdout).toMatch(/ c .* d /s);
    expect(second.stderr).toMatch(/^There are more. --all lists everything, --cursor \S+ the next page.\n$/);
  });

  it("quotes a cursor for a shell that has to", async () => {
    const pagination = { nextCursor: "$(id)'; id", hasMore: true };
    const canned = await startCannedServer(() => ({ body: { data: [], pagination } }));
    const { stderr } = await runInProcess(["projects", "list"], { env: canned.env });
    canned.close();
    expect(stderr).toContain("--cursor '$(id)'\\''; id' the next page.");
  });

  it("prints all pages with --all, where --limit is the page size", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const { json, stderr } = await mgmt`projects list --all --limit 2 --output json`;
    expect(names(json)).toEqual(["a", "b", "c", "d", "e"]);
    expect(stderr).toBe("");
    expect(server.engine.requests.length - before).toBe(3);
  });

  it("reads the largest pages with --all, and one page of the default size without", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    await mgmt`projects list --all`;
    await mgmt`projects list`;
    const queries = server.engine.requests.slice(before).map(({ query }) => query);
    expect(queries).toEqual([{ limit: 1000 }, { limit: 100 }]);
  });

  it("accepts an empty cursor as the first page, and refuses the cursor of another list with 7", async () => {
    const { mgmt } = session;
    expect(names((await mgmt`projects list --limit 1 -o json --cursor ${""}`).json)).toEqual(["a"]);
    const { errors } = await mgmt`projects list --limit 1 -o json`;
    const [line] = errors as { notice: { nextCursor: string } }[];
    expect((await mgmt`databases list --cursor ${line?.notice.nextCursor ?? ""}`).status).toBe(7);
  });
});

describe("--all with a service that breaks the paging contract", () => {
  const listAll = async (pages: Record<string, { data: unknown[]; nextCursor: string | null }>) => {
    const { env, close } = await startCannedServer(({ url = "" }) => {
      const cursor = new URL(url, "http://a").searchParams.get("cursor") ?? "";
      const { data, nextCursor } = pages[cursor] ?? { data: [], nextCursor: null };
      return { body: { data, pagination: { nextCursor, hasMore: nextCursor !== null } } };
    });
    const result = await runInProcess(["projects", "list", "--all", "-o", "json"], { env });
    close();
    return result;
  };

  it("continues after an empty page", async () => {
    const { stdout } = await listAll({
      "": { data: [{ id: "1" }], nextCursor: "x" },
      x: { data: [], nextCursor: "y" },
      y: { data: [{ id: "2" }], nextCursor: null },
    });
    expect(JSON.parse(stdout)).toEqual([{ id: "1" }, { id: "2" }]);
  });

  it("exits with 1 for a repeated cursor, without printing an incomplete list", async () => {
    const { status, stdout, stderr } = await listAll({
      "": { data: [{ id: "1" }], nextCursor: "x" },
      x: { data: [{ id: "2" }], nextCursor: "x" },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("repeated a cursor");
  });

  it("exits with 1 if there is more but no cursor", async () => {
    const { status, stderr } = await listAll({ "": { data: [{ id: "1" }], nextCursor: "" } });
    expect(status).toBe(1);
    expect(stderr).toContain("no cursor");
  });
});
