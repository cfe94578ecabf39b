import { Agent } from "node:http";
import { describe, expect, it } from "vitest";
import { runAsOperator } from "../../packages/platform/src/serve/operator.js";
import { loadContract } from "../../scripts/generate/contract/contract.js";
import { Random } from "../crash/random.js";
import { listAt, textAt } from "../crash/request.js";
import { bodyOf, defectOf } from "../crash/soak/check.js";
import { Requests } from "../crash/soak/requests.js";
import { send } from "../crash/soak/send.js";
import { Api } from "../crash/verify.js";
import { ServePlace, isFull } from "./place.js";

const place = new ServePlace();

/** Does work for each number, some at a time. */
const forEach = async (count: number, atATime: number, work: (index: number) => Promise<void>) => {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atATime }, run));
};

describe("two servers", () => {
  it("contract: respond to all requests as the contract says", async () => {
    await place.startTwo();
    // The requests may delete everything in these workspaces.
    const tokens = await runAsOperator(place.settings, (operator) =>
      Promise.all(
        ["First", "Second"].map(async (name) => {
          const { id } = await operator.createWorkspace(name, "ada@example.com");
          return (await operator.createToken(id, "requests")).value;
        }),
      ),
    );
    const contract = await loadContract();
    const seed = process.env["MGMT_TEST_SEED"] ?? "gate";
    const generator = new Requests(contract, new Random(seed), tokens);
    for (let index = 0; index < 3; index += 1)
      generator.learn((await place.call(tokens[0] ?? "", "POST", "/v1/projects", {})).body);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const defects: string[] = [];
    const statuses = new Map<number, number>();
    await forEach(isFull ? 20_000 : 1_000, 4, async (index) => {
      const request = generator.next();
      // Nothing could be requested with the tokens any more.
      if (request.operation?.id === "workspaces.delete") return;
      const server = place.servers[index % 2];
      const response = await send(server?.address ?? "", request, agent);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const defect = defectOf(request, response);
      if (defect !== undefined)
        defects.push(`${request.method} ${request.path} ${request.body ?? ""}\n${defect}`);
      else if (response.status < 300 && request.operation && !/oken/.test(request.path))
        generator.learn(bodyOf(response));
    });
    agent.destroy();
    console.log("contract: statuses", Object.fromEntries(statuses));
    expect(defects).toEqual([]);
  });

  it("unique: create one project with a logical id that many requests have", async () => {
    await place.startTwo();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        place.call(place.tokens[0], "POST", "/v1/projects", { logicalId: "shop", createDatabase: false }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(39).fill(409)]);
  });

  it("paging: show each project once to a client that pages while others are created", async () => {
    await place.startTwo();
    const count = isFull ? 1_000 : 200;
    const api = new Api(place, place.tokens[1]);
    const created: string[] = [];
    const isOver = forEach(count, 8, async () => {
      const answer = await place.call(place.tokens[1], "POST", "/v1/projects", { createDatabase: false });
      expect(answer.status).toBe(201);
      created.push(textAt(answer.body, "data", "id"));
    }).then(() => true);
    let passes = 0;
    for (let isLast = false; !isLast; passes += 1) {
      isLast = await Promise.race([isOver, Promise.resolve(false)]);
      const createdBefore = [...created];
      const ids = await listIds(api, 10);
      expect(new Set(ids).size).toBe(ids.length);
      const listed = new Set(ids);
      expect(createdBefore.filter((id) => !listed.has(id))).toEqual([]);
      if (isLast) expect(ids).toHaveLength(count);
    }
    console.log(`paging: ${String(passes)} passes while ${String(count)} projects were created`);
  });

  it("revoke: refuse a deleted token at once", async () => {
    const servers = await place.startTwo();
    const { id: workspaceId } = place.service.initialized.workspace;
    const path = `/v1/workspaces/${workspaceId}/service-tokens`;
    for (let index = 0; index < 20; index += 1) {
      const { body } = await servers[0].call(place.tokens[0], "POST", path, { name: "short" });
      const [id, value] = [textAt(body, "data", "id"), textAt(body, "data", "value")];
      const [first, second] = index % 2 === 0 ? servers : [servers[1], servers[0]];
      const read = () =>
        Promise.all(servers.map(async (server) => (await server.call(value, "GET", "/v1/projects")).status));
      expect(await read()).toEqual([200, 200]);
      expect(await first.call(place.tokens[0], "DELETE", `${path}/${id}`)).toMatchObject({ status: 204 });
      expect(await second.call(value, "GET", "/v1/projects")).toMatchObject({ status: 401 });
      expect(await read()).toEqual([401, 401]);
    }
  });
});

/** Lists all projects. */
const listIds = async (api: Api, limit: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const query = `?limit=${String(limit)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await api.send("GET", `/v1/projects${query}`);
    ids.push(...listAt(body, "data").map((project) => textAt(project, "id")));
    cursor = textAt(body, "pagination", "nextCursor");
    if (cursor === "") return ids;
  }
};
