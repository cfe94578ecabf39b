import { describe, expect, it } from "vitest";
import { ApiError, ApiPromise, createClient } from "@mgmt/sdk";
import { answering, thrown } from "../../test/server.js";

describe("withResponse", () => {
  it("returns the value with status, headers, request id and attempts", async () => {
    const { baseUrl } = await answering();
    const call = createClient({ baseUrl, token: false }).projects.get("proj_1");
    expect(call).toBeInstanceOf(ApiPromise);
    expect(call).toBeInstanceOf(Promise);
    const { data, response } = await call.withResponse();
    expect(data).toEqual(await call);
    expect(response).toMatchObject({ status: 200, requestId: "req_1", attempts: [{ status: 200 }] });
    expect(response.headers["content-type"]).toBe("application/json");
  });

  it("returns the first page of a list", async () => {
    const { baseUrl, seen } = await answering({ data: [], pagination: { hasMore: false, nextCursor: null } });
    const list = createClient({ baseUrl, token: false }).projects.list();
    const { data, response } = await list.withResponse();
    expect(data).toEqual(await list);
    expect(response.status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it("throws the call's error, and leaves no rejection unhandled", async () => {
    const { baseUrl } = await answering({}, 404);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const error = await thrown(createClient({ baseUrl, token: false }).projects.get("p").withResponse());
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(error).toBeInstanceOf(ApiError);
    expect(unhandled).toEqual([]);
  });
});
