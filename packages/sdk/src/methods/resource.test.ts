import { describe, expect, it } from "vitest";
import { InvalidResponseError, createClient } from "@mgmt/sdk";
import { thrown } from "../../test/server.js";
import { contractCall } from "./resource.js";

it.each([
  ["GET", "query"],
  ["POST", "body"],
  ["PATCH", "body"],
  ["DELETE", "body"],
] as const)("the input of a %s is its %s", (method, place) => {
  expect(contractCall(method, "/v1/{a}", ["x"], { b: 1 })).toEqual({
    ...{ method, path: "/v1/{a}", pathParams: ["x"], [place]: { b: 1 } },
  });
  expect(contractCall(method, "/v1")).toEqual({ method, path: "/v1", pathParams: [], [place]: undefined });
});

describe("the value of a response", () => {
  const clientOf = (body: string | null, status = 200) =>
    createClient({
      ...{ baseUrl: "https://x.test", token: false, maxRetries: 0 },
      fetch: async () => new Response(body, { status }),
    });

  it("is in its envelope, is the body itself, or is nothing", async () => {
    expect(await clientOf('{"data":{"id":"a"}}').projects.get("a")).toEqual({ id: "a" });
    expect(await clientOf('{"databaseId":"a"}').databases.usage.get("a")).toEqual({ databaseId: "a" });
    expect(await clientOf(null, 204).projects.delete("a")).toBeUndefined();
    expect(
      await clientOf(
        '{"data":[{"id":"a"}],"pagination":{"nextCursor":null,"hasMore":false}}',
      ).projects.list(),
    ).toEqual({
      ...{ data: [{ id: "a" }], nextCursor: null, hasMore: false },
    });
  });

  it.each(["", "null", "5", '"text"', "{}", '{"data":null}'])("is missing in %j", async (body) => {
    expect(await thrown(clientOf(body).projects.get("a"))).toBeInstanceOf(InvalidResponseError);
    if (body.startsWith("{")) return;
    expect(await thrown(clientOf(body).databases.usage.get("a"))).toBeInstanceOf(InvalidResponseError);
  });
});
