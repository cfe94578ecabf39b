import { describe, expect, it } from "vitest";
import { InvalidArgumentError, type OperationId, createClient, operationTable } from "@mgmt/sdk";
import { json, startServer, thrown } from "../../test/server.js";

type Method = (...values: unknown[]) => PromiseLike<unknown>;

/** Returns the method of an operation by its name. */
const methodOf = (client: object, operationId: string): Method => {
  const parts = operationId.split(".");
  const name = parts.pop() ?? "";
  // Each part is a property of the client, which the test checks.
  const resource = parts.reduce((each, part) => (each as Record<string, object>)[part] ?? {}, client);
  const method = (resource as Record<string, Method>)[name];
  if (!method) throw new Error(`The client lacks ${operationId}`);
  return method.bind(resource);
};

const withIds = (Object.keys(operationTable) as OperationId[])
  .map((id) => ({ id, names: [...operationTable[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name) }))
  .filter(({ names }) => names.length > 0);

const refused = [
  "",
  " ",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  ".%2e",
  "%252e%252e",
  "../x",
  "x/..",
  "a/./b",
  "a%2f..%2fb",
  "..\\x",
  "x/",
];

describe("an id that would lead to another path", () => {
  it.each(withIds)("is refused by $id before anything is sent", async ({ id, names }) => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: {} }));
    const method = methodOf(createClient({ baseUrl, token: false }), id);
    for (const [place, name] of names.entries()) {
      for (const bad of refused) {
        const ids = names.map((_, index) => (index === place ? bad : "proj_1"));
        const error = await thrown(method(...ids));
        expect(error, `${id}(${JSON.stringify(ids)})`).toBeInstanceOf(InvalidArgumentError);
        expect(error).toMatchObject({
          argument: name,
          message: expect.stringContaining(
            `${name} must be a string that is neither empty nor a dot segment`,
          ),
        });
      }
    }
    expect(seen).toEqual([]);
  });

  it.each([undefined, null, 7, {}, ["a"]])("is refused when it is not a string: %j", async (bad) => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: {} }));
    const error = await thrown(methodOf(createClient({ baseUrl, token: false }), "projects.get")(bad));
    expect(error).toMatchObject({
      code: "argument:invalid",
      message: "id must be a string that is neither empty nor a dot segment",
    });
    expect(seen).toEqual([]);
  });

  it("is refused when it has an unpaired surrogate", async () => {
    const error = await thrown(
      createClient({ baseUrl: "http://127.0.0.1:9", token: false }).projects.get("\ud800"),
    );
    expect(error).toMatchObject({ message: "id is not well-formed text" });
  });

  it("is refused by the raw request and by the path client too", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: {} }));
    const client = createClient({ baseUrl, token: false });
    for (const id of refused) {
      const raw = client.request({ method: "DELETE", path: "/v1/projects/{id}", pathParams: { id } });
      expect(await thrown(raw)).toBeInstanceOf(InvalidArgumentError);
      const path = client.http.DELETE("/v1/projects/{id}", { params: { path: { id } } });
      expect(await thrown(path)).toBeInstanceOf(InvalidArgumentError);
    }
    expect(await thrown(client.request({ method: "DELETE", path: "/v1/projects/{id}" }))).toMatchObject({
      argument: "id",
    });
    expect(seen).toEqual([]);
  });

  it.each(["...", "a..b", "proj_%", "100%25", "%zz", "constructor", "__proto__", "a.b"])(
    "does not include %j, which is sent unchanged",
    async (id) => {
      const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: {} }));
      await createClient({ baseUrl, token: false }).projects.get(id);
      expect(decodeURIComponent(seen[0]?.url ?? "")).toBe(`/v1/projects/${id}`);
    },
  );
});
