/**
 * Checks at compile time that each documented response type is assignable to the one of Prisma's Management API, so that programs written
 * against the contract of Prisma's Management API compile against this one.
 */
import type { paths as PublicPaths } from "@prisma/management-api-sdk";
import type { paths } from "../../../packages/sdk/src/generated/schema.js";

type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;
type ResponseBody<Paths, Path extends keyof Paths, Method, Status> = Paths[Path] extends infer Item
  ? Method extends keyof Item
    ? Item[Method] extends { responses: infer Responses }
      ? Status extends keyof Responses
        ? Json<Responses[Status]>
        : never
      : never
    : never
  : never;

type Documented =
  | ["/v1/projects", "get", 200]
  | ["/v1/projects", "post", 201]
  | ["/v1/projects/{id}", "get", 200]
  | ["/v1/projects/{id}", "patch", 200]
  | ["/v1/projects/{projectId}/databases", "get", 200]
  | ["/v1/projects/{projectId}/databases", "post", 201]
  | ["/v1/databases/{targetDatabaseId}/restore", "post", 200]
  | ["/v1/databases/{databaseId}/connections", "post", 200]
  | ["/v1/connections/{id}/rotate", "post", 200]
  | ["/v1/integrations", "get", 200]
  | ["/v1/integrations/{id}", "get", 200]
  | ["/v1/workspaces/{workspaceId}/integrations", "get", 200]
  | ["/v1/workspaces/{workspaceId}/service-tokens", "get", 200]
  | ["/v1/regions/postgres", "get", 200]
  | ["/v1/agent-approvals/{approvalId}", "get", 200]
  | ["/v1/apps", "get", 200]
  | ["/v1/apps", "post", 201]
  | ["/v1/apps", "post", 409]
  | ["/v1/apps/{appId}", "get", 200]
  | ["/v1/apps/{appId}", "patch", 200]
  | ["/v1/apps/{appId}/promote", "post", 200];

type Mismatch<Row> = Row extends [infer Path, infer Method, infer Status]
  ? Path extends keyof PublicPaths & keyof paths
    ? [ResponseBody<paths, Path, Method, Status>] extends [never]
      ? Row
      : ResponseBody<paths, Path, Method, Status> extends ResponseBody<PublicPaths, Path, Method, Status>
        ? never
        : Row
    : Row
  : never;

/** Distributes over the rows, so that the compiler's message names those that do not match. */
type Mismatches<Row> = Row extends [string, string, number]
  ? Mismatch<Row> extends never
    ? never
    : `${Row[1]} ${Row[0]} ${Row[2]}`
  : never;
type None<Names extends never> = Names;
export type AllMatch = None<Mismatches<Documented>>;
export type OurPaths = paths;
export type TheirPaths = PublicPaths;
