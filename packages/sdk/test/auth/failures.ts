import { expect } from "vitest";
import { AuthError } from "@mgmt/sdk/auth";
import type { Reply } from "./fault-server.js";

/** Expected properties of an error. */
export interface Expected {
  code?: string;
  message: string | RegExp;
  status?: number;
  oauthError?: string;
}

/** Contains text that must not be quoted. */
export const html: Reply = (response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<html>refresh-0 canary</html>");

/** Expects an `AuthError` with these properties that quotes no secrets. */
export const expectFailure = (error: unknown, { message, ...fields }: Expected): void => {
  if (!(error instanceof AuthError)) throw error;
  expect(error).toMatchObject({ ...fields, hint: expect.any(String) });
  expect(error.message).toMatch(message instanceof RegExp ? message : new RegExp(escape(message)));
  expect(`${String(error)}${JSON.stringify(error)}`).not.toMatch(/canary|refresh-0|code-1/);
};
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Short if no response is expected, and otherwise long enough for a busy machine. */
export const limit = ({ code }: Expected): { timeoutMs?: number } =>
  code === "auth:timeout" ? { timeoutMs: 150 } : {};
