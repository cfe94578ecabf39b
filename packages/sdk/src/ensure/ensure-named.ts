import { ensurables } from "../generated/ensurables.js";
import { listPages, readPage } from "../paging.js";
import type { Call, RequestOptions } from "../request/call.js";
import { readData } from "../request/decode.js";
import type { RequestFunction } from "../request/request.js";
import type { EnsureResult } from "./ensure-result.js";
import { ensureResource } from "./ensure.js";

/** Name of a resource that `ensure` supports. */
export type EnsurableName = keyof typeof ensurables;

/** Ensures a resource with the requests of a client. */
export const ensureNamed = <Created, Found>(
  name: EnsurableName,
  inputs: object,
  create: (options: RequestOptions) => Promise<Created>,
  request: RequestFunction,
  options: RequestOptions | undefined,
): Promise<EnsureResult<Created, Found>> =>
  ensureResource(
    ensurables[name],
    inputs,
    {
      create,
      list: (call, each) => listPages(request, call, each, readPage),
      get: <T>(call: Call, each: RequestOptions) => request<T>(call, each, readData),
    },
    options,
  );
