import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { parseRequest, type RequestFlags, resolveRequest } from "./request.js";
import { InputSources } from "../../input/sources.js";
import { temporaryFolder } from "../../../test/folders.js";

const folder = temporaryFolder();
const resolve = (line: string, flags: RequestFlags = {}, stdin = "{}") =>
  resolveRequest(
    parseRequest(line.split(" ").filter(Boolean), flags),
    "https://api.test",
    new InputSources({ stdin: Readable.from([stdin]) }, folder),
  );

describe("a request of mgmt api", () => {
  it.each<[line: string, flags: RequestFlags, problem: string]>([
    ["GET", {}, "path of the request is missing"],
    ["GTE projects", {}, 'method cannot be "GTE"'],
    ["GET projects", { method: "get" }, "method is set twice"],
    ["projects", { rawField: ["limit=1"] }, "method of a request with fields is missing"],
    ["projects", { input: "-" }, "method of a request with fields is missing"],
    ["GET projects", { input: "-" }, "--input cannot be used with GET"],
    ["GET projects", { rawField: ["a[b]=1"] }, "cannot be in a query"],
    ["GET projects", { field: ["a=null"] }, "cannot be in a query"],
    ["GET projects", { header: ["nothing"] }, "-H needs the name and value"],
    ["GET projects", { header: ["a: b\nc: d"] }, "-H needs the name and value"],
    ["GET projects", { header: ["HOST:evil"] }, "The header HOST cannot be set"],
    ["POST projects", { header: ["Content-Length: 1"] }, "The header Content-Length cannot be set"],
    ["POST projects", { input: "/none/at/all" }, "cannot read"],
    ["POST projects", { input: "-", field: ["a=@-"] }, "cannot both read standard input"],
  ])("is refused before it is sent: %s %j", async (line, flags, problem) => {
    await expect(async () => resolve(line, flags)).rejects.toThrow(problem);
  });

  it.each<[what: string, line: string, flags: RequestFlags]>([
    ["a declared secret", "POST projects/proj_1/transfer", { field: ["recipientAccessToken=CANARY"] }],
    ["a declared secret", "POST projects/proj_1/transfer", { rawField: ["recipientAccessToken=@CANARY"] }],
    ["a credential", "GET me", { header: ["Authorization: Bearer CANARY"] }],
    ["a proxy's credential", "GET me", { header: ["proxy-authorization: CANARY"] }],
    ["a cookie", "GET me", { header: ["Cookie: CANARY"] }],
  ])("is refused with %s on the command line, which is not repeated: %s %j", async (_, line, flags) => {
    await expect(async () => resolve(line, flags)).rejects.toMatchObject({
      code: "usage:secret_in_arguments",
      message: expect.not.stringContaining("CANARY"),
    });
  });

  it.each(["CANARY", "[1]"])(
    "is refused if fields cannot be set in its input, which is not repeated: %s",
    (text) =>
      expect(resolve("POST projects", { input: "-", rawField: ["a=1"] }, text)).rejects.toMatchObject({
        code: expect.stringMatching(/^usage:/),
        message: expect.not.stringContaining("CANARY"),
      }),
  );

  it("has its fields in the body, which they replace in the input", async () => {
    writeFileSync(join(folder, "name.txt"), "from a file");
    const flags = { field: ["name=@name.txt", "n=7"], rawField: ["n2=7", "settings[ci][on]=true"] };
    expect((await resolve("post projects", flags)).body).toEqual({
      name: "from a file",
      n: 7,
      n2: "7",
      settings: { ci: { on: "true" } },
    });
    const body = '{"name":"first","region":"eu-west-3"}';
    expect((await resolve("POST projects", { input: "-", rawField: ["name=second"] }, body)).body).toEqual({
      name: "second",
      region: "eu-west-3",
    });
    expect((await resolve("POST projects", { input: "-" }, "[1]")).body).toEqual([1]);
    expect((await resolve("DELETE projects/proj_1")).body).toBeUndefined();
  });

  it("has its fields in the query of a GET, which they replace", async () => {
    const flags = { method: "GET", field: ["limit=1"], rawField: ["ids[]=a", "ids[]=b"] };
    const { query } = await resolve("projects?limit=5", flags);
    expect([query.getAll("limit"), query.getAll("ids")]).toEqual([["1"], ["a", "b"]]);
  });

  it("has headers of any case, with colons in their values", async () => {
    const header = ["X-Trace: a: b", "accept:text/html"];
    expect((await resolve("me", { header })).headers).toEqual({ "x-trace": "a: b", accept: "text/html" });
  });

  it.each([
    ["GET /v1/regions/postgres", "regions.listPostgres", {}],
    ["GET projects/proj%5F1", "projects.get", { id: "proj_1" }],
    ["PUT projects/proj_1", undefined, undefined],
    ["GET projects/proj_1/nothing", undefined, undefined],
  ])("is that of the operation with its method and path: %s", async (line, id, pathIds) => {
    const { operation } = await resolve(line);
    expect([operation?.definition.id, operation?.pathIds]).toEqual([id, pathIds]);
  });
});
