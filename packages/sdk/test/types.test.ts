import type { fetch as undiciFetch } from "undici-types";
import { describe, expectTypeOf, it } from "vitest";
import {
  type ApiError,
  type ApiPromise,
  type App,
  AppAlreadyExistsError,
  type Backup,
  type BackupList,
  ConflictError,
  type CursorPage,
  type CursorPages,
  type Database,
  type ErrorCode,
  type Fetch,
  type KnownApiError,
  NotFoundError,
  type OperationId,
  type Project,
  type ProjectNotFoundError,
  type ProjectWithDatabase,
  ProjectsResource,
  type PublicErrorByCode,
  type Queries,
  type Region,
  type RegionId,
  type RequestOptions,
  type Resources,
  type Result,
  type Safe,
  type SafeResources,
  type Schemas,
  type WholeList,
  type components,
  createClient,
  isApiError,
  type operations,
  type paths,
} from "@mgmt/sdk";

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

describe("the option fetch", () => {
  it("takes the global fetch, and one of another library", () => {
    expectTypeOf<typeof fetch>().toExtend<Fetch>();
    expectTypeOf<typeof undiciFetch>().toExtend<Fetch>();
    expectTypeOf<(url: URL | string, init?: RequestInit) => Promise<Response>>().toExtend<Fetch>();
  });

  it("takes no function that returns something else, or wants other arguments", () => {
    expectTypeOf<() => Promise<string>>().not.toExtend<Fetch>();
    expectTypeOf<(url: string) => Response>().not.toExtend<Fetch>();
    expectTypeOf<(request: Request) => Promise<Response>>().not.toExtend<Fetch>();
  });
});

describe("what a program sends", () => {
  it("may be undefined where it may be left out, with exactOptionalPropertyTypes", () => {
    expectTypeOf<{ name: undefined }>().toExtend<Parameters<typeof client.projects.update>[1]>();
    expectTypeOf<{ cursor: undefined }>().toExtend<Queries["projects.list"]>();
    expectTypeOf<{ cursor: undefined }>().toExtend<
      NonNullable<operations["projects.list"]["parameters"]["query"]>
    >();
  });

  it("may not be undefined where it is required, or where the service sends it", () => {
    expectTypeOf<{ displayName: undefined }>().not.toExtend<Parameters<typeof client.services.create>[0]>();
    expectTypeOf<{ pooled: undefined }>().not.toExtend<Schemas["Connection"]["endpoints"]>();
  });
});

describe("client.safe", () => {
  type Method<T> = Extract<T, (...args: never) => unknown>;
  type ValueOf<Call> = Awaited<ReturnType<Method<Call>>>;
  type DataOf<Call> = ValueOf<Call> extends { data: infer Data } ? Exclude<Data, undefined> : never;
  /** The methods whose parameters or values differ from those of the client; `never` if there are none. */
  type Differing<Plain, Safe> = {
    [Name in keyof Plain & string]: Plain[Name] extends (...args: infer Arguments) => unknown
      ? Name extends keyof Safe
        ? [Arguments, ValueOf<Plain[Name]>] extends [Parameters<Method<Safe[Name]>>, DataOf<Safe[Name]>]
          ? never
          : Name
        : Name
      : Name extends keyof Safe
        ? Differing<Plain[Name], Safe[Name]>
        : Name;
  }[keyof Plain & string];

  it("has every method, with the same parameters and the same value", () => {
    expectTypeOf<Differing<Resources, SafeResources>>().toEqualTypeOf<never>();
    expectTypeOf<Differing<Resources, Omit<SafeResources, "me">>>().toEqualTypeOf<"me">();
  });

  it("is typed as safely types a client", () => {
    expectTypeOf<Safe<Resources>>().toExtend<SafeResources>();
    expectTypeOf<SafeResources>().toExtend<Safe<Resources>>();
  });

  it("returns credentials only if ensure creates them", () => {
    const body = { projectId: "proj_1", logicalId: "orders" };
    const ensured = () => client.safe.databases.ensure(body).then(({ data }) => data);
    expectTypeOf(ensured).returns.resolves.extract<{ created: true }>().toHaveProperty("connection");
    const without = () => client.safe.databases.ensure(body, { credentials: false }).then(({ data }) => data);
    expectTypeOf(without).returns.resolves.extract<{ created: true }>().not.toHaveProperty("connection");
  });

  it("has the methods that a program adds to a resource", () => {
    class Extended extends ProjectsResource {
      async count(): Promise<number> {
        return (await this.list().toArray()).length;
      }
    }
    type Methods = Safe<Extended>;
    expectTypeOf<Methods["count"]>().returns.resolves.toEqualTypeOf<Result<number>>();
    expectTypeOf<Methods["get"]>().toEqualTypeOf<SafeResources["projects"]["get"]>();
  });
});

describe("the types of paths", () => {
  it("have the named schemas and queries", () => {
    expectTypeOf<components["schemas"]>().toEqualTypeOf<Schemas>();
    type Query<Id extends keyof operations> = NonNullable<operations[Id]["parameters"]["query"]>;
    expectTypeOf<{ [Id in keyof Queries]: Query<Id> }>().toEqualTypeOf<{
      [Id in keyof Queries]: Queries[Id];
    }>();
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
    expectTypeOf(client.regions.listPostgres).returns.toEqualTypeOf<CursorPages<Region>>();
    expectTypeOf(client.databases.backups.list).returns.toEqualTypeOf<
      WholeList<Backup, BackupList & CursorPage<Backup>>
    >();
    expectTypeOf(client.apps.get).returns.toEqualTypeOf<ApiPromise<App>>();
    expectTypeOf<Awaited<CursorPages<Database>>>().toEqualTypeOf<CursorPage<Database>>();
  });

  it("accept a region from a configuration, and complete the known ones", () => {
    const region: string = JSON.parse('"eu-central-1"');
    expectTypeOf(client.projects.create).toBeCallableWith({ region });
    expectTypeOf(client.services.create).toBeCallableWith({
      projectId: "x",
      displayName: "x",
      regionId: region,
    });
    expectTypeOf<{ region: string }>().toExtend<components["schemas"]["CreateProject"]>();
    // A plain `string` would have nothing to complete.
    expectTypeOf<Extract<RegionId, "eu-central-1">>().toEqualTypeOf<"eu-central-1">();
  });

  it("refuse what the contract does not have", () => {
    const refused = [
      // @ts-expect-error The field does not exist.
      () => client.projects.create({ nmae: "x" }),
      // @ts-expect-error A region is text.
      () => client.projects.create({ region: 1 }),
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

  it("narrows to one of the classes of a list of codes", () => {
    const error: unknown = undefined;
    if (isApiError(error, ["project:not_found", "app:already_exists"])) {
      expectTypeOf(error).toEqualTypeOf<ProjectNotFoundError | AppAlreadyExistsError>();
      if (error.code === "app:already_exists") expectTypeOf(error.existingAppId).toEqualTypeOf<string>();
    }
    // @ts-expect-error One of the codes is misspelled.
    isApiError(error, ["project:not_found", "app:alreadyexists"]);
  });

  it("narrows to a union of all codes, which the code narrows", () => {
    const error: unknown = undefined;
    if (!isApiError(error)) return;
    expectTypeOf(error).toExtend<ApiError>();
    expectTypeOf(error).toEqualTypeOf<KnownApiError>();
    if (error.code === "app:already_exists") expectTypeOf(error.existingAppId).toEqualTypeOf<string>();
    // @ts-expect-error The code is misspelled.
    if (error.code === "app:alreadyexists") return;
    switch (error.code) {
      case "approval_required":
        expectTypeOf(error.approvalUrl).toEqualTypeOf<string>();
        break;
      // @ts-expect-error The contract has no such code.
      case "quota:exceeded":
        break;
      default:
        expectTypeOf(error).toExtend<ApiError>();
    }
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
