import { expect } from "vitest";
import { AuthError } from "@mgmt/sdk/auth";
import { json } from "../server.js";
import type { Reply } from "./fault-server.js";

/** Expected properties of an error. */
export interface Expected {
  code?: string;
  message: string | RegExp;
  status?: number;
  oauthError?: string;
}

/** Responds with a status, and with text of a type. */
export const replies =
  (status: number, type?: string, text?: string): Reply =>
  (response) =>
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(text);

export const repliesJson =
  (status: number, body: unknown): Reply =>
  (response) =>
    json(response, status, body);

/** Contains text that must not be quoted. */
export const html = replies(200, "text/html", "<html>refresh-0 canary</html>");

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
