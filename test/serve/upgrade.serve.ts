import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../../packages/cluster/src/rows/migrations.js";
import { bundleProgram } from "../../packages/platform/test/platform-process.js";
import { textAt } from "../crash/request.js";
import { ServePlace, isFull } from "./place.js";
import { ServerProcess } from "./server-process.js";

const place = new ServePlace();
const run = promisify(execFile);
const { length: version } = migrations;
const { oldestProgram = 0 } = migrations.at(-1) ?? {};

/** Steps of the next versions: the first adds something, and the second needs a program that knows it. */
const expansion = { statements: ["alter table mgmt.projects add column note text"], oldestProgram };
const contraction = {
  statements: ["alter table mgmt.projects alter column note set default ''"],
  oldestProgram: version + 1,
};

let program = "";

/** A program whose records have more steps than those of this one. */
class NextProgram {
  readonly #environment: Record<string, string>;

  constructor(...steps: readonly object[]) {
    this.#environment = { MGMT_TEST_NEXT_STEPS: JSON.stringify(steps) };
  }

  async migrate(): Promise<string> {
    const environment = { ...process.env, ...this.#environment };
    const parameters = [program, JSON.stringify(place.settings), "migrate"];
    return (await run(process.execPath, parameters, { env: environment })).stdout;
  }

  async start(): Promise<ServerProcess> {
    const server = await ServerProcess.start(program, place.settings, this.#environment);
    place.servers.push(server);
    return server;
  }
}

const createProject = async (server: ServerProcess, name: string): Promise<string> => {
  const { status, body } = await server.call(place.tokens[0], "POST", "/v1/projects", { name });
  expect(status).toBe(201);
  return textAt(body, "data", "id");
};

const readName = async (server: ServerProcess, id: string): Promise<string> =>
  textAt((await server.call(place.tokens[0], "GET", `/v1/projects/${id}`)).body, "data", "name");

/** Renames a project again and again through a server while work runs, which no request may notice. */
const whileRenaming = async (server: ServerProcess, work: () => Promise<unknown>): Promise<number> => {
  const id = await createProject(server, "before");
  const statuses: number[] = [];
  let isDone = false;
  const rename = async (): Promise<void> => {
    for (let index = 0; !isDone; index += 1) {
      const body = { name: `renamed ${String(index)}` };
      statuses.push((await server.call(place.tokens[0], "PATCH", `/v1/projects/${id}`, body)).status);
      expect(await readName(server, id)).toBe(body.name);
    }
  };
  await Promise.all([work().finally(() => (isDone = true)), rename()]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  return statuses.length;
};

describe.runIf(isFull)("two versions of the program", () => {
  beforeAll(async () => {
    program = await bundleProgram(place.service.cluster.directory, "../../../test/serve/run-next-server");
  });

  beforeEach(async () => {
    const admin = await place.service.connect("service");
    await admin.query("alter table mgmt.projects drop column if exists note");
    await admin.query("delete from mgmt.migrations where version > $1", [version]);
    // A server that was killed stays registered for a while.
    await admin.query("delete from mgmt.servers");
    await admin.end();
  });

  it("upgrade: serve together while one replaces the other", async () => {
    const old = await place.start();
    const next = new NextProgram(expansion);
    await expect(next.start()).rejects.toMatchObject({ code: "serve:schema_outdated" });
    let other: ServerProcess | undefined;
    const count = await whileRenaming(old, async () => {
      expect(await next.migrate()).toBe("migrated");
      other = await next.start();
    });
    console.log(`upgrade: ${String(count)} requests while the records were migrated`);
    if (other === undefined) throw new Error("The new server has not started");
    expect(await readName(old, await createProject(other, "new"))).toBe("new");
    expect(await readName(other, await createProject(old, "old"))).toBe("old");
    // One that ends may also start again, as before a way back.
    await old.end("SIGKILL");
    const again = await place.start();
    expect(await readName(other, await createProject(again, "again"))).toBe("again");
  });

  it("upgrade: refuse a program that is too old for the records, and to make them too new for one that runs", async () => {
    const old = await place.start();
    expect(await new NextProgram(expansion, contraction).migrate()).toBe("serve:servers_older");
    await createProject(old, "still works");
    await old.end("SIGTERM");
    expect(await new NextProgram(expansion, contraction).migrate()).toBe("migrated");
    await expect(place.start()).rejects.toMatchObject({
      code: "serve:schema_newer",
      message: expect.stringContaining("newer version"),
    });
    await new NextProgram(expansion).start();
  });
});
