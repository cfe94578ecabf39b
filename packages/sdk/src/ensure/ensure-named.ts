import { ensurables } from "../generated/ensurables.js";
import { listPages, readPage } from "../paging.js";
import type { Call, RequestOptions } from "../request/call.js";
import { readData } from "../request/decode.js";
import type { RequestFunction } from "../request/request.js";
import type { Credentials, Ensurable } from "./ensurable.js";
import type { EnsureOptions, EnsureResult } from "./ensure-result.js";
import { ensureResource } from "./ensure.js";

/** Name of a resource that `ensure` supports. */
export type EnsurableName = keyof typeof ensurables;

/** Ensures a resource with the requests of a client. `body` and `pathParams` are those of its create. */
export const ensureNamed = <Created, Found, Issued>(
  name: EnsurableName,
  body: object,
  pathParams: Record<string, string> | undefined,
  request: RequestFunction,
  { credentials: issues = true, ...options }: EnsureOptions<boolean> = {},
): Promise<EnsureResult<Created, Found, Issued>> => {
  const ensurable: Ensurable = ensurables[name];
  const { create, credentials } = ensurable;
  return ensureResource(
    ensurable,
    { ...body, ...pathParams },
    {
      create: (each) =>
        request<Created>(
          { method: "POST", path: create, ...(pathParams && { pathParams }), body },
          each,
          readData,
        ),
      ...(credentials &&
        issues && { issue: (resource, each) => issue(credentials, resource, request, each) }),
      list: (call, each) => listPages(request, call, each, readPage),
      get: <T>(call: Call, each: RequestOptions) => request<T>(call, each, readData),
    },
    options,
  );
};

/** Creates credentials for a new resource. Returns them as the property that the result of `ensure` has. */
const issue = async <Issued>(
  { property, create, parent, body }: Credentials,
  resource: unknown,
  request: RequestFunction,
  options: RequestOptions,
): Promise<Issued> => {
  const call: Call = { method: "POST", path: create, body: { ...body, [parent]: idOf(resource) } };
  // The generated `ensure` declares the property and its type.
  return { [property]: await request(call, options, readData) } as Issued;
};

const idOf = (resource: unknown): unknown =>
  typeof resource === "object" && resource !== null ? Reflect.get(resource, "id") : undefined;
