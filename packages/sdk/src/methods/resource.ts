import type { ApiPromise } from "../request/api-promise.js";
import type { ConnectOptions, ConnectedDatabase } from "../connect/connect-result.js";
import type { ConnectableName, Preparation } from "../connect/connect.js";
import { CoreOwner } from "./core.js";
import type { EnsurableName } from "../ensure/ensure-named.js";
import type { AnyEnsureOptions } from "../ensure/ensure-result.js";
import { type CursorPage, type CursorPages, type ReadPage, listPages, readPage } from "../request/paging.js";
import type { ContractCall, ListOptions, RequestOptions } from "../request/call.js";
import type { HttpMethod } from "../generated/operations.js";
import { readData } from "../request/decode.js";

/** Key of a property that exists only in types. */
export declare const safeKey: unique symbol;

/**
 * Base class of all resources: sends their calls and opens the envelopes of the responses. `SafeMethods` has the methods of the
 * resource as `client.safe` has them.
 */
export abstract class Resource<SafeMethods extends object = object> extends CoreOwner {
  /** Only a type: `Safe` finds the methods by it. A subclass with more methods declares it again. */
  declare readonly [safeKey]: SafeMethods;

  /** Sends a call whose response body is the value itself. */
  protected bodyOf<T>(call: ContractCall, options: RequestOptions | undefined): ApiPromise<T> {
    // The contract defines the type of the object; only that it is one is checked.
    return this.core().request(call, options, (body) =>
      Object(body) === body ? { value: body as T } : undefined,
    );
  }

  /**
   * Sends a call whose response body has the form `{ data }`.
   *
   * @returns the `data`.
   */
  protected dataOf<T>(call: ContractCall, options: RequestOptions | undefined): ApiPromise<T> {
    return this.core().request<T>(call, options, readData);
  }

  /** Sends a call whose response has no value. */
  protected nothingOf(call: ContractCall, options: RequestOptions | undefined): ApiPromise<void> {
    return this.core().request(call, options, () => ({ value: undefined }));
  }

  /**
   * Sends a call whose response body has the form `{ data: […], pagination }`.
   *
   * @param read reads a body of another form.
   */
  protected pagesOf<T, List extends PromiseLike<CursorPage<T>> = CursorPages<T>>(
    call: ContractCall,
    options: ListOptions | undefined,
    read: ReadPage = readPage,
  ): List {
    // The contract defines the other properties of the page.
    return listPages(this.core().request, call, options, read) as unknown as List;
  }

  /** Creates the resource that the body and path parameters identify, or returns the existing one. Its method declares the result. */
  protected async ensureOf(
    name: EnsurableName,
    body: object,
    options: AnyEnsureOptions | undefined,
    pathParams?: Record<string, string>,
  ): Promise<unknown> {
    return (await this.core().load()).ensureNamed(name, body, pathParams, this.core().request, options);
  }

  /**
   * Creates or finds a resource, according to `preparation`, waits, and connects. Its method declares the body and the result.
   */
  protected async connectOf<T extends ConnectedDatabase>(
    name: ConnectableName,
    body: object | undefined,
    options: ConnectOptions | undefined,
    preparation?: Preparation,
  ): Promise<T> {
    // The method declares the fields that the preparation adds.
    return (await this.core().load()).connect(
      name,
      body,
      preparation,
      this.core().request,
      options,
    ) as Promise<T>;
  }
}

/**
 * Makes the call of a method of a resource.
 *
 * @param pathParams the values of `path`, in its order.
 * @param input the query of a GET, or the body of another method.
 */
export const contractCall = (
  method: HttpMethod,
  path: string,
  pathParams: readonly string[] = [],
  input?: object,
): ContractCall => ({ method, path, pathParams, [method === "GET" ? "query" : "body"]: input });
