import { expect, it } from "vitest";
import { ProjectsResource, createClient, createPartialClient, safely } from "@mgmt/sdk";
import { answering, json, startServer } from "./server.js";

/** Wraps an object and all objects that it returns, as state libraries do. */
const deepProxy = <T extends object>(target: T): T =>
  new Proxy(target, {
    get(_, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      return typeof member === "object" && member !== null ? deepProxy(member) : member;
    },
  });

const plainProxy = <T extends object>(target: T): T => new Proxy(target, {});

const project = { id: "proj_1", name: "shop" };

it.each([
  ["one object", plainProxy],
  ["all objects", deepProxy],
])("calls through a proxy around %s", async (_, wrap) => {
  const { baseUrl, seen } = await answering({ data: project });
  const client = wrap(createClient({ baseUrl, token: "x" }));
  const projects = wrap(client.projects);
  expect(await client.projects.get("proj_1")).toEqual(project);
  expect(await projects.get("proj_1")).toEqual(project);
  expect(await wrap(client.projects.databases).create("proj_1")).toEqual(project);
  expect(await client.request({ method: "GET", path: "/v1/projects" })).toEqual({ data: project });
  expect(await client.withOptions({ headers: { "x-a": "1" } }).projects.get("proj_1")).toEqual(project);
  expect(await projects.waitUntilTransferred("proj_1", "token")).toEqual(project);
  const { data } = await client.safe.projects.get("proj_1");
  expect(data).toEqual(project);
  const { data: found } = await client.http.GET("/v1/projects/{id}", { params: { path: { id: "proj_1" } } });
  expect(found).toEqual({ data: project });
  expect(client.http.use).toBe(client.http.use);
  expect(seen.map(({ headers }) => headers["x-a"]).filter(Boolean)).toEqual(["1"]);
});

it("calls through a proxy around a client of some resources", async () => {
  const { baseUrl } = await answering({ data: project });
  const client = deepProxy(createPartialClient({ projects: ProjectsResource }, { baseUrl, token: "x" }));
  expect(await client.projects.get("proj_1")).toEqual(project);
  expect(await safely(client).projects.get("proj_1")).toEqual({ data: project, error: undefined });
});

it("lists through a proxy around a list", async () => {
  const { baseUrl, seen } = await startServer((request, response) => {
    const isFirst = !request.url.includes("cursor=");
    const pagination = { hasMore: isFirst, nextCursor: isFirst ? "next" : null };
    json(response, 200, { data: [{ id: isFirst ? "proj_1" : "proj_2" }], pagination });
  });
  const list = plainProxy(createClient({ baseUrl, token: "x" }).projects.list({}, { prefetch: true }));
  expect((await list).data).toEqual([{ id: "proj_1" }]);
  expect(await list.toArray()).toEqual([{ id: "proj_1" }, { id: "proj_2" }]);
  expect((await list.withResponse()).response.status).toBe(200);
  const first = await list.finally(() => undefined).catch(() => undefined);
  expect(first?.nextCursor).toBe("next");
  expect(seen).toHaveLength(2);
});
