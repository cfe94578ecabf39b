import { describe, expect, it } from "vitest";
import type { VerifiedToken } from "../../src/context/authenticator.js";
import type { Principal } from "../../src/values/principal.js";
import { operationHandlers } from "../../src/rules/handlers.js";
import { AccessTokenService } from "../../src/oauth/access-token-service.js";
import { listRequestPreloads } from "../../src/request/pipeline.js";
import { matchRoute } from "../../src/request/route.js";

const claims = {
  subject: "usr_ada",
  workspaceId: "wksp_a",
  scopes: ["workspace:admin"],
  clientId: null,
  integrationId: null,
  tokenId: "jti",
};
const user: Principal = { ...claims, kind: "user", userId: "usr_ada", email: "ada@example.com" };
const service: Principal = { ...claims, kind: "service", serviceTokenId: "stk_a" };
const agent: Principal = { ...claims, kind: "agent", agentId: "agent_a", sponsorId: "usr_grace" };

const tokenOf = (principal: Principal, grantId: string | null = null): VerifiedToken => ({
  principal,
  grantId,
  notBefore: 0,
  expiresAt: Infinity,
});
const row = (table: string, id: string) => ({ read: "row", table, id });
const ofToken = [row("workspaces", "wksp_a"), row("revokedTokens", "jti")];
const ofUser = [...ofToken, row("users", "usr_ada")];
const server = { authenticator: AccessTokenService.prototype, listCountPreloads: () => [] };
const preloads = (method: string, path: string, search = "", token = tokenOf(user)) => {
  const match = matchRoute(method, path);
  return listRequestPreloads(server, token, match, search, operationHandlers[match.operation.id]);
};

describe("the rows that a request probably reads", () => {
  it("include those of the credential", () => {
    expect(preloads("GET", "/v1/me")).toEqual(ofUser);
    expect(preloads("GET", "/v1/me", "", tokenOf(service))).toEqual([
      ...ofToken,
      row("serviceTokens", "stk_a"),
    ]);
    expect(preloads("GET", "/v1/me", "", tokenOf(agent))).toEqual([...ofToken, row("users", "usr_grace")]);
  });

  it("include the grant and the integration of a login", () => {
    expect(preloads("GET", "/v1/me", "", tokenOf({ ...user, integrationId: "itgr_a" }, "grant"))).toEqual([
      ...ofUser,
      row("grants", "grant"),
      row("integrations", "itgr_a"),
    ]);
  });

  it("include those that the path names, whatever the form of the id", () => {
    for (const id of ["proj_a", "a"]) {
      expect(preloads("GET", `/v1/projects/${id}`)).toEqual([...ofUser, row("projects", "proj_a")]);
    }
    expect(preloads("GET", "/v1/projects/%zz")).toEqual(ofUser);
  });

  it("include the connections and the project of a database that is shown", () => {
    const ofDatabase = [
      {
        ...{ read: "range", table: "connections", where: { databaseId: "db_a" }, after: null },
        ...{ limit: null, newestFirst: false },
      },
      { read: "referenced", table: "projects", by: { table: "databases", id: "db_a", field: "projectId" } },
    ];
    const { length } = ofUser;
    const [database, ...others] = preloads("GET", "/v1/databases/db_a").slice(length);
    expect(database).toMatchObject({ read: "row", table: "databases", id: "db_a" });
    expect(others).toEqual(ofDatabase);
    expect(preloads("POST", "/v1/databases/db_a/restore").slice(length + 1)).toEqual(ofDatabase);
  });

  it.each([
    ["projects", "projects"],
    ["databases", "databases"],
    ["apps", "apps"],
    ["services", "apps"],
  ])("include the first page of %s, and the row after it", (path, table) => {
    const pageOf = (limit: number) => ({
      ...{ read: "range", table, where: { workspaceId: "wksp_a" }, after: null },
      ...{ limit: limit + 1, newestFirst: false },
    });
    expect(preloads("GET", `/v1/${path}`)).toEqual([...ofUser, pageOf(100)]);
    for (const limit of [1, 20, 999]) {
      expect(preloads("GET", `/v1/${path}`, `limit=${String(limit)}`)).toEqual([...ofUser, pageOf(limit)]);
    }
  });

  it.each([
    "limit=0",
    "limit=1000",
    "limit=",
    "limit=x",
    "limit=1x",
    "limit=x1",
    "cursor=a",
    "limit=5&logicalId=a",
  ])("include no page for %s, which needs other rows or none", (search) => {
    expect(preloads("GET", "/v1/projects", search)).toEqual(ofUser);
  });
});
