import { describe, expect, it } from "vitest";
import { ApiError, InvalidResponseError, createClient } from "@mgmt/sdk";
import { startServer, thrown } from "../../test/server.js";

describe("a 2xx response whose body violates the contract", () => {
  const answer = async (body: string, type = "application/json") => {
    const { baseUrl } = await startServer((_, response) =>
      response.writeHead(200, { "content-type": type, "x-request-id": "req_9" }).end(body),
    );
    return createClient({ baseUrl, token: false });
  };

  it.each([
    ["HTML", "<html>hunter2</html>", "not JSON (application/json)"],
    ["broken JSON", '{"data":{"pass":"hunter2', "not JSON (application/json)"],
    ["nothing", "", "empty"],
    ["no envelope", '{"id":"proj_1"}', "not what the contract specifies"],
    ["an empty envelope", '{"data":null}', "not what the contract specifies"],
    ["null", "null", "not what the contract specifies"],
    ["text", '"hunter2"', "not what the contract specifies"],
  ])("throws an InvalidResponseError: %s", async (_, body, problem) => {
    const error = await thrown((await answer(body)).projects.get("proj_1"));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 200,
      code: "response:invalid",
      requestId: "req_9",
      message: `GET /v1/projects/{id} returned status 200, but the body is ${problem}`,
    });
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });

  it.each(['{"data":[]}', '{"data":{},"pagination":{"hasMore":false}}', '{"data":[],"pagination":{}}', "[]"])(
    "throws an InvalidResponseError for a list: %s",
    async (body) => {
      const list = (await answer(body)).projects.list();
      expect(await thrown(list)).toMatchObject({ code: "response:invalid", requestId: "req_9" });
    },
  );

  it("throws an InvalidResponseError for a body without envelope and for a delete", async () => {
    expect(await thrown((await answer('"x"')).agentApprovals.get("a"))).toBeInstanceOf(InvalidResponseError);
    expect(await thrown((await answer("<html>")).projects.delete("a"))).toBeInstanceOf(InvalidResponseError);
    expect(await (await answer("")).projects.delete("a")).toBeUndefined();
    expect(await (await answer("{}")).projects.delete("a")).toBeUndefined();
  });
});
