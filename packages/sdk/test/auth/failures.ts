import { expect } from "vitest";
import { AuthError } from "@mgmt/sdk/auth";
import type { Reply } from "./fault-server.js";

/** What is said of a failure. */
export interface Expected {
  code?: string;
  message: string | RegExp;
  status?: number;
  oauthError?: string;
}

/** Holds what must not be quoted. */
export const html: Reply = (response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<html>refresh-0 canary</html>");

/** Expects an `AuthError` that says what went wrong, and quotes nothing of it. */
export const expectFailure = (error: unknown, { message, ...fields }: Expected): void => {
  if (!(error instanceof AuthError)) throw error;
  expect(error).toMatchObject({ ...fields, hint: expect.any(String) });
  expect(error.message).toMatch(message instanceof RegExp ? message : new RegExp(escape(message)));
  expect(`${String(error)}${JSON.stringify(error)}`).not.toMatch(/canary|refresh-0|code-1/);
};
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Short where nothing comes; long enough elsewhere, however busy the machine is. */
export const limit = ({ code }: Expected): { timeoutMs?: number } =>
  code === "auth:timeout" ? { timeoutMs: 150 } : {};
