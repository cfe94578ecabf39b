import { InvalidArgumentError } from "../errors/local-errors.js";
import { ensurables } from "./generated/ensurables.js";
import { listPages, readPage } from "../request/paging.js";
import type { Call, RequestOptions } from "../request/call.js";
import { readData } from "../request/decode.js";
import type { RequestFunction } from "../request/request.js";
import type { WaitContext } from "../request/context.js";
import type { Credentials, Ensurable } from "./ensurable.js";
import type { AnyEnsureOptions, EnsurePlan, EnsureResult } from "./ensure-result.js";
import { ensureResource } from "./ensure.js";
import type { ResourceReaders } from "./find-existing.js";
import { planEnsure } from "./plan-ensure.js";
import { assertOptions } from "#all-type-checks";

/** Name of a resource that `ensure` supports. */
export type EnsurableName = keyof typeof ensurables;

/**
 * Creates a resource unless it exists, or reports whether it would, by the requests of a client.
 *
 * @param body the body of the create operation.
 * @param pathParams the path parameters of the create operation.
 */
export const ensureNamed = <Created, Found, Issued>(
  name: EnsurableName,
  body: object,
  pathParams: Record<string, string> | undefined,
  request: RequestFunction,
  settings: AnyEnsureOptions = {},
  waitContext: WaitContext,
): Promise<EnsureResult<Created, Found, Issued> | EnsurePlan<Found>> => {
  assertOptions(settings, "an ensure", () => InvalidArgumentError);
  const { credentials: shouldIssueCredentials = true, dryRun = false, ...requestOptions } = settings;
  const ensurable: Ensurable = ensurables[name];
  const { create, credentials } = ensurable;
  const inputs = { ...body, ...pathParams };
  const readers: ResourceReaders = {
    list: (call, requestOptions) => listPages(request, call, requestOptions, readPage),
    get: <T>(call: Call, requestOptions: RequestOptions) => request<T>(call, requestOptions, readData),
  };
  if (dryRun) return planEnsure<Found>(ensurable, inputs, readers, requestOptions, waitContext);
  return ensureResource(
    ensurable,
    inputs,
    {
      ...readers,
      create: (requestOptions) =>
        request<Created>(
          { method: "POST", path: create, ...(pathParams && { pathParams }), body },
          requestOptions,
          readData,
        ),
      ...(credentials &&
        shouldIssueCredentials && {
          issue: (resource, requestOptions) =>
            issueCredentials(credentials, resource, request, requestOptions),
        }),
    },
    requestOptions,
    waitContext,
  );
};

/**
 * Creates credentials for a new resource.
 *
 * @returns them as the property that the result of `ensure` has.
 */
const issueCredentials = async <Issued>(
  { property, create, parent, body }: Credentials,
  resource: unknown,
  request: RequestFunction,
  options: RequestOptions,
): Promise<Issued> => {
  const call: Call = { method: "POST", path: create, body: { ...body, [parent]: readId(resource) } };
  // The generated `ensure` declares the property and its type.
  return { [property]: await request(call, options, readData) } as Issued;
};

const readId = (resource: unknown): unknown =>
  typeof resource === "object" && resource !== null ? Reflect.get(resource, "id") : undefined;
