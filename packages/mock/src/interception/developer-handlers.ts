import type { RequestHandler } from "msw";
import * as mockErrors from "../errors/mock-errors.js";
import { SharedMswHandler } from "./shared-msw-handler.js";
import { requireMsw } from "./msw.js";

/** Returns the names of those handlers of a server that a developer added. */
export const listDeveloperHandlerNames = (handlers: readonly object[]): string[] =>
  handlers.filter((handler) => !SharedMswHandler.isSharedHandler(handler)).map(getHandlerName);

/** Returns the name of a handler, such as `GET https://example.com/user`. */
const getHandlerName = (handler: object): string => {
  const handlerInfo = "info" in handler ? handler.info : undefined;
  const header = handlerInfo instanceof Object && "header" in handlerInfo ? handlerInfo.header : undefined;
  return typeof header === "string" ? header : "a handler";
};

/**
 * Checks that no handler names the address of the mock, because it would never run.
 *
 * @param bases the base URLs of the mock, without trailing slashes.
 * @throws MockError `mock:shadowed_handler`.
 */
export const assertNoneShadowed = (handlers: readonly object[], bases: readonly string[]): void => {
  const shadowedHandlers = handlers.filter((handler) => bases.some((base) => handlesBase(handler, base)));
  if (shadowedHandlers.length > 0)
    throw mockErrors.shadowedHandler(shadowedHandlers.map(getHandlerName), bases);
};

/** Returns whether a handler names the address, as opposed to matching any host. */
const handlesBase = (handler: object, base: string): boolean => {
  const handlerInfo = "info" in handler ? handler.info : undefined;
  const path = handlerInfo instanceof Object && "path" in handlerInfo ? handlerInfo.path : undefined;
  if (path instanceof RegExp) return path.test(`${base}/v1/me`) && !path.test("https://other.invalid/v1/me");
  return (
    typeof path === "string" &&
    (path === base || /^[/?#*]/.test(path.slice(base.length))) &&
    path.startsWith(base)
  );
};

/** Lets handlers respond again that have the option `once`. */
export const restoreHandlers = (handlers: readonly RequestHandler[]): void => {
  if (handlers.length > 0)
    requireMsw()
      .setupServer(...handlers)
      .restoreHandlers();
};
