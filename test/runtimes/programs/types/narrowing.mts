// What the types know of an error once a program has compared its code.
import {
  type ApiError,
  type ApiResponse,
  type AppAlreadyExistsError,
  type ConflictError,
  type KnownApiError,
  type MethodError,
  type MgmtError,
  type PagingError,
  type Project,
  type ProjectNotFoundError,
  ProjectsResource,
  type TimeoutError,
  type WaitTimeoutError,
  createClient,
  createPartialClient,
  isApiError,
  safely,
} from "@mgmt/sdk";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if the type of the value is exactly `Expected`. */
const exactly =
  <Expected,>() =>
  <Actual,>(value: Actual, ..._: Equal<Actual, Expected> extends true ? [] : ["another type"]): Actual =>
    value;

const client = createClient({ baseUrl: "https://api.example.com", token: false });

export const narrowAny = (error: unknown): string | undefined => {
  if (!isApiError(error)) return undefined;
  exactly<KnownApiError>()(error);
  if (error.code === "app:already_exists") exactly<string>()(error.existingAppId);
  // @ts-expect-error The code is misspelled.
  if (error.code === "app:alreadyexists") return undefined;
  switch (error.code) {
    case "app:already_exists":
      return exactly<"name" | "logicalId">()(error.conflict);
    case "approval_required":
      return exactly<string>()(error.approvalUrl);
    case "http:502":
      return error.requestId;
    // @ts-expect-error The contract has no such code.
    case "quota:exceeded":
      return undefined;
    default:
      // A newer service may return other codes.
      return (error satisfies ApiError).message;
  }
};

export const narrowListed = (error: unknown): void => {
  if (isApiError(error, "project:not_found")) exactly<ProjectNotFoundError>()(error);
  if (isApiError(error, ["project:not_found", "app:already_exists"])) {
    exactly<ProjectNotFoundError | AppAlreadyExistsError>()(error);
    if (error.code === "app:already_exists") exactly<string>()((error satisfies ConflictError).existingAppId);
  }
  if (isApiError(error, { unlisted: "quota:exceeded" })) exactly<"quota:exceeded">()(error.code);
  // @ts-expect-error The code is misspelled.
  isApiError(error, "project:notfound");
  // @ts-expect-error One of the codes is misspelled.
  isApiError(error, ["project:not_found", "app:alreadyexists"]);
};

export const narrowMethod = async (): Promise<string | undefined> => {
  const { data, error } = await client.safe.projects.get("proj_1");
  if (!error) return data.name;
  exactly<MethodError<"projects.get">>()(error);
  switch (error.code) {
    case "project:not_found":
      exactly<404>()(error.status);
      return error.requestId;
    case "connection:failed":
      return error.reason;
    case "connection:timeout":
      exactly<TimeoutError>()(error);
      return String(error.timeoutMs);
    case "token:missing":
    case "auth:login_required":
    case "argument:invalid":
    case "response:invalid":
    case "response:too_large":
    case "not_found":
      return error.hint;
    // @ts-expect-error The method creates no service.
    case "app:already_exists":
      return undefined;
    // @ts-expect-error The method reads no list.
    case "paging:broken":
      return undefined;
    // @ts-expect-error The method does not wait for an approval.
    case "wait:timeout":
      return undefined;
    default:
      // A newer service may return other codes.
      return (error satisfies MgmtError).message;
  }
};

export const narrowResult = async (): Promise<void> => {
  const result = await client.safe.services.create({ displayName: "web", projectId: "proj_1" });
  if (result.error) {
    // @ts-expect-error A failed call has no value.
    void result.data.id;
    switch (result.error.code) {
      case "app:already_exists":
        exactly<AppAlreadyExistsError>()(result.error);
        exactly<string>()(result.error.existingAppId);
        break;
      // @ts-expect-error The code is misspelled.
      case "app:alreadyexists":
        break;
    }
  } else exactly<string>()(result.data.id);
};

export const narrowResponse = async (): Promise<void> => {
  const { data, error, response } = await client.safe.projects.get("proj_1").withResponse();
  if (error) {
    exactly<MethodError<"projects.get">>()(error);
    exactly<ApiResponse | undefined>()(response);
    // @ts-expect-error There was perhaps no response.
    void response.status;
  } else {
    exactly<Project>()(data);
    exactly<ApiResponse>()(response);
  }
  const list = await client.safe.projects.list().withResponse();
  if (list.error?.code === "paging:broken") exactly<PagingError>()(list.error);
  // @ts-expect-error A wait makes several requests.
  void client.safe.databases.waitUntilReady("db_1").withResponse;
};

export const narrowOthers = async (): Promise<void> => {
  const nested = await client.safe.projects.databases.create("proj_1");
  if (nested.error?.code === "backup:unusable") exactly<422>()(nested.error.status);
  const list = await client.safe.projects.list();
  if (list.error?.code === "paging:broken") exactly<PagingError>()(list.error);
  const deleted = await client.safe.projects.delete("proj_1");
  if (deleted.error?.code === "approval_required") exactly<string>()(deleted.error.approvalUrl);
  if (deleted.error?.code === "wait:timeout") exactly<WaitTimeoutError>()(deleted.error);
  const ensured = await client.safe.databases.ensure({ projectId: "proj_1", logicalId: "orders" });
  if (ensured.error?.code === "project:not_found") exactly<ProjectNotFoundError>()(ensured.error);
  // @ts-expect-error The method creates no service.
  if (ensured.error?.code === "app:already_exists") return;
  const waited = await client.safe.databases.waitUntilReady("db_1");
  if (waited.error?.code === "wait:timeout") exactly<number>()(waited.error.timeoutMs);
  if (waited.error?.code === "database:not_found") exactly<404>()(waited.error.status);
  const small = createPartialClient({ mine: ProjectsResource }, { baseUrl: "https://api.example.com" });
  for (const { error } of [await safely(small).mine.get("proj_1"), await safely(small.mine).get("proj_1")])
    if (error) exactly<MethodError<"projects.get">>()(error);
  const { error } = await safely(small).request({ method: "GET", path: "/v2/projects" });
  if (error) exactly<MgmtError>()(error);
};
