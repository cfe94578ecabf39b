import { describe, expectTypeOf, it } from "vitest";
import {
  type ApiPromise,
  type ApiError,
  type App,
  AppAlreadyExistsError,
  type BackupList,
  ConflictError,
  type CursorPage,
  type CursorPages,
  type Database,
  type ErrorCode,
  NotFoundError,
  type OperationId,
  type Project,
  type ProjectWithDatabase,
  type PublicErrorByCode,
  type Region,
  type RequestOptions,
  type components,
  createClient,
  isApiError,
  type operations,
  type paths,
} from "@mgmt/sdk";
import type { Queries, Schemas } from "../src/generated/types.js";

/** Expands named interfaces and intersections, so that only their shape is compared. */
type Shape<T> = T extends object ? { [K in keyof T]: Shape<T[K]> } : T;

const client = createClient({ baseUrl: "https://x.test", token: false });

describe("ensure", () => {
  it("returns credentials only if it creates them", () => {
    const body = { projectId: "proj_1", logicalId: "orders" };
    const ensured = () => client.databases.ensure(body, { timeoutMs: 1_000 });
    expectTypeOf(ensured).returns.resolves.extract<{ created: true }>().toHaveProperty("connection");
    const without = () => client.databases.ensure(body, { credentials: false });
    expectTypeOf(without).returns.resolves.extract<{ created: true }>().not.toHaveProperty("connection");
    const perhaps = (credentials: boolean) => client.databases.ensure(body, { credentials });
    expectTypeOf(perhaps).returns.resolves.extract<{ created: true }>().not.toHaveProperty("connection");
  });
});

describe("the named interfaces", () => {
  it("equal the schemas that openapi-typescript generates from the contract", () => {
    expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof components["schemas"]>();
    expectTypeOf<Shape<Schemas>>().toEqualTypeOf<Shape<components["schemas"]>>();
  });

  it("equal the queries of the operations", () => {
    type Written = { [K in keyof Queries]: Shape<Queries[K]> };
    type Contract = { [K in keyof Queries]: Shape<NonNullable<operations[K]["parameters"]["query"]>> };
    expectTypeOf<Written>().toEqualTypeOf<Contract>();
    expectTypeOf<OperationId>().toEqualTypeOf<keyof operations>();
    expectTypeOf<"/v1/projects">().toExtend<keyof paths>();
  });
});

describe("resource methods", () => {
  it("accept what the operation accepts", () => {
    expectTypeOf(client.projects.create).parameter(0).toEqualTypeOf<Schemas["CreateProject"] | undefined>();
    expectTypeOf(client.projects.get).parameters.toEqualTypeOf<
      [id: string, options?: RequestOptions | undefined]
    >();
    expectTypeOf(client.services.create).parameter(0).toEqualTypeOf<Schemas["CreateApp"]>();
    expectTypeOf(client.integrations.list).parameter(0).toEqualTypeOf<Queries["integrations.list"]>();
    expectTypeOf(client.projects.list).parameter(0).toEqualTypeOf<Queries["projects.list"] | undefined>();
  });

  it("return resources without their envelopes", () => {
    expectTypeOf(client.projects.create).returns.toEqualTypeOf<ApiPromise<ProjectWithDatabase>>();
    expectTypeOf(client.projects.list).returns.toEqualTypeOf<CursorPages<Project>>();
    expectTypeOf(client.projects.delete).returns.toEqualTypeOf<ApiPromise<void>>();
    expectTypeOf(client.regions.listPostgres).returns.toEqualTypeOf<ApiPromise<Region[]>>();
    expectTypeOf(client.databases.backups.list).returns.toEqualTypeOf<ApiPromise<BackupList>>();
    expectTypeOf(client.apps.get).returns.toEqualTypeOf<ApiPromise<App>>();
    expectTypeOf<Awaited<CursorPages<Database>>>().toEqualTypeOf<CursorPage<Database>>();
  });

  it("refuse what the contract does not have", () => {
    const refused = [
      // @ts-expect-error The field does not exist.
      () => client.projects.create({ nmae: "x" }),
      // @ts-expect-error The region does not exist.
      () => client.projects.create({ region: "moon-1" }),
      // @ts-expect-error The recipient's token is required.
      () => client.projects.transfer("x", {}),
      // @ts-expect-error The workspace is required.
      () => client.integrations.list(),
      // @ts-expect-error A list of backups has no cursor.
      () => client.databases.backups.list("x", { cursor: "c" }),
    ];
    expectTypeOf(refused).toExtend<(() => unknown)[]>();
  });
});

describe("instanceof", () => {
  it("narrows an error by its status", () => {
    const error: unknown = undefined;
    if (error instanceof ConflictError) expectTypeOf(error.status).toEqualTypeOf<409>();
    else if (error instanceof NotFoundError) expectTypeOf(error.status).toEqualTypeOf<404>();
  });
});

describe("isApiError", () => {
  it("narrows to the class of the code, and that to its status", () => {
    const error: unknown = undefined;
    if (isApiError(error)) expectTypeOf(error).toEqualTypeOf<ApiError>();
    if (isApiError(error, "app:already_exists")) {
      expectTypeOf(error).toEqualTypeOf<AppAlreadyExistsError>();
      expectTypeOf(error).toExtend<ConflictError>();
      expectTypeOf(error.status).toEqualTypeOf<409>();
      expectTypeOf(error.conflict).toEqualTypeOf<"name" | "logicalId">();
      expectTypeOf(error.logicalId).toEqualTypeOf<string | null>();
      expectTypeOf(error.name).toEqualTypeOf<string>();
    }
    expectTypeOf<"database:busy">().toExtend<ErrorCode>();
  });

  it("accepts the codes of the contract only", () => {
    const error: unknown = undefined;
    // @ts-expect-error The code is misspelled.
    isApiError(error, "project:notfound");
    // @ts-expect-error A code that comes from elsewhere may be any text.
    isApiError(error, String("project:not_found"));
    isApiError(error, "unauthorized" satisfies keyof PublicErrorByCode);
  });

  it("accepts a code that the contract does not list when that is explicit", () => {
    const error: unknown = undefined;
    if (isApiError(error, { unlisted: "quota:exceeded" })) {
      expectTypeOf(error).toExtend<ApiError>();
      expectTypeOf(error.code).toEqualTypeOf<"quota:exceeded">();
    }
    // @ts-expect-error The property is misspelled.
    isApiError(error, { unlistd: "quota:exceeded" });
  });
});
