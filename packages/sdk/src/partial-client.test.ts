import { describe, expect, it } from "vitest";
import { type MgmtError, createPartialClient, ProjectsResource } from "@mgmt/sdk";
import { answering, thrown } from "../test/server.js";

describe("a partial client", () => {
  it("has the resources that it was given, and its own request method", async () => {
    const { baseUrl } = await answering();
    const client = createPartialClient({ projects: ProjectsResource }, { baseUrl, token: false });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_1" });
    expect(await client.request({ method: "GET", path: "/v1/me" })).toEqual({ data: { id: "proj_1" } });
    expect(Object.keys(client)).toEqual(["projects"]);
    const failing = createPartialClient(
      { projects: ProjectsResource },
      { baseUrl: (await answering({}, 500)).baseUrl, token: false },
    );
    expect(((await thrown(failing.projects.list())) as MgmtError).code).toBe("http:500");
  });
});
