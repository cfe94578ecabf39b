import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import type { Validator } from "../generated/validators.js";
import { validateWithoutUnknownFields } from "./unknown-fields.js";

let engine: MemoryServer;
let token: string;

const open = async (unknownFields?: "refuse" | "ignore"): Promise<void> => {
  engine = new MemoryServer({
    deterministic: "unknown fields",
    validateResponses: true,
    settings: unknownFields ? { unknownFields } : {},
  });
  token = await engine.tokens.user();
};

interface Responded {
  status: number;
  data: Record<string, unknown>;
  paths: string[];
}

const send = async (method: string, path: string, body: string | object): Promise<Responded> => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await engine.handle({ method, path, headers, body: text });
  const { data = {}, error } = JSON.parse(response.body ?? "{}") as {
    data?: Record<string, unknown>;
    error?: { issues?: { path: string }[] };
  };
  return { status: response.status, data, paths: (error?.issues ?? []).map((issue) => issue.path) };
};

describe("unknown body fields, by default", () => {
  beforeEach(() => open());

  it("are validation errors, at any depth", async () => {
    const top = await send("POST", "/v1/projects", { name: "shop", colour: "red" });
    expect(top).toMatchObject({ status: 422, paths: ["/colour"] });
    const { id } = await engine.seed.project();
    const nested = await send("POST", "/v1/databases", {
      projectId: id,
      source: { type: "empty", colour: "red" },
    });
    expect(nested).toMatchObject({ status: 422, paths: ["/source/colour"] });
    expect(engine.requests.at(-1)).toMatchObject({ ignoredFields: [] });
  });
});

describe("unknown body fields, with the setting ignore", () => {
  beforeEach(() => open("ignore"));

  it("are dropped and listed in the request log, and known fields take effect", async () => {
    const created = await send("POST", "/v1/projects", {
      colour: "red",
      name: "shop",
      region: "eu-west-3",
      "a/b~c": { deep: 1 },
    });
    expect(created).toMatchObject({ status: 201, data: { name: "shop", defaultRegion: "eu-west-3" } });
    expect(engine.requests.at(-1)).toMatchObject({
      ignoredFields: ["/colour", "/a~1b~0c"],
      body: { name: "shop", region: "eu-west-3" },
    });
    expect(engine.requests.at(-1)?.body).not.toHaveProperty("colour");
  });

  it("are dropped inside objects, where known fields take effect", async () => {
    const { id, database } = await engine.seed.project();
    const copied = await send("POST", "/v1/databases", {
      projectId: id,
      source: { type: "database", databaseId: database?.id, colour: "red" },
    });
    expect(copied).toMatchObject({ status: 201, data: { source: { databaseId: database?.id } } });
    expect(engine.requests.at(-1)).toMatchObject({ ignoredFields: ["/source/colour"] });
  });

  it("are not fields that another kind of source has", async () => {
    const { id, database } = await engine.seed.project();
    const source = { type: "empty", databaseId: database?.id };
    const refused = await send("POST", "/v1/databases", { projectId: id, source });
    expect(refused).toMatchObject({ status: 422, paths: ["/source/databaseId"] });
  });

  it("leave the keys of maps alone", async () => {
    const { id } = await engine.seed.project();
    const settings = { anything: { any: "value" } };
    expect((await send("PATCH", `/v1/projects/${id}`, { settings })).status).toBe(200);
    expect(engine.requests.at(-1)).toMatchObject({ ignoredFields: [], body: { settings } });
  });

  it("do not hide other mistakes", async () => {
    const refused = await send("POST", "/v1/projects", { colour: "red", name: 1 });
    expect(refused).toMatchObject({ status: 422, paths: ["/name"] });
    const missing = await send("POST", "/v1/databases", { projektId: "proj_1" });
    expect(missing).toMatchObject({ status: 422, paths: ["/projectId"] });
    expect((await send("POST", "/v1/projects", [1])).status).toBe(422);
    expect((await send("POST", "/v1/projects", "null")).status).toBe(422);
  });

  it("are dropped even if they have the name of a property of every object", async () => {
    const created = await send("POST", "/v1/projects", '{"__proto__": {"name": "x"}, "constructor": 1}');
    expect(created.status).toBe(201);
    expect(engine.requests.at(-1)?.ignoredFields).toEqual(["/__proto__", "/constructor"]);
    expect(created.data["name"]).not.toBe("x");
  });

  it("are listed up to a limit", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${String(index)}`, 1]));
    expect((await send("POST", "/v1/projects", { ...many, name: "shop" })).data["name"]).toBe("shop");
    expect(engine.requests.at(-1)?.ignoredFields).toHaveLength(20);
  });
});

describe("a body with unknown fields", () => {
  const part = { type: "object", properties: { known: true }, additionalProperties: false };
  const schema = {
    type: "object",
    properties: { parts: { type: "object", additionalProperties: part } },
    additionalProperties: false,
  };
  // The findings of a compiled schema have the fields of those of the generated validators.
  const validatorOf = (allErrors: boolean): Validator =>
    new Ajv2020({ allErrors }).compile(schema) as Validator;
  const validate = (body: unknown, { allErrors = true, nestedFields = [] as string[] } = {}) =>
    validateWithoutUnknownFields(validatorOf(allErrors), body, { nestedFields });

  it("loses them also below fields whose names need escapes in a JSON pointer", () => {
    const body = { parts: { "a/b": { known: 1, one: 1 }, "m~n": { two: 2 }, "~1": { known: 3, three: 3 } } };
    const ignoredPointers = ["/parts/a~1b/one", "/parts/m~0n/two", "/parts/~01/three"];
    expect(validate(body)).toEqual({ isValid: true, ignoredPointers });
    expect(body).toEqual({ parts: { "a/b": { known: 1 }, "m~n": {}, "~1": { known: 3 } } });
  });

  it("keeps those that another alternative of a union has, and is invalid", () => {
    const body = { other: 1, unknown: 1 };
    expect(validate(body, { nestedFields: ["/other"] })).toEqual({
      isValid: false,
      ignoredPointers: ["/unknown"],
    });
    expect(body).toEqual({ other: 1 });
  });

  it.each([null, 1, [1], { parts: null }, { parts: { a: null } }])("is invalid if its rest is %j", (body) => {
    expect(validate(body)).toEqual({ isValid: false, ignoredPointers: [] });
  });

  it("lists no more of them than the limit when the validator finds one at a time", () => {
    const body = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${String(index)}`, 1]));
    const { isValid, ignoredPointers } = validate(body, { allErrors: false });
    expect([isValid, ignoredPointers.length, Object.keys(body).length]).toEqual([true, 20, 0]);
  });
});
