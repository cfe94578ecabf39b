import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import { TokenStoreError } from "@mgmt/sdk/auth";
import { thrown } from "../server.js";
import { credentialFor } from "./fault-server.js";
import { makeFolder } from "./folders.js";

export const issuer = "https://auth.example.com";
/** A credential whose tokens must not appear in errors. */
export const credential = credentialFor({ baseUrl: issuer }, 3600, {
  accessToken: "canary-access",
  refreshToken: "canary-refresh",
});
export const text = JSON.stringify(credential);

/** Creates a folder, and a file with this content in it. */
export const makeFile = async (content?: string, mode = 0o600): Promise<string> => {
  const file = join(await makeFolder(), "credentials.json");
  if (content !== undefined) await writeFile(file, content);
  if (content !== undefined) await chmod(file, mode);
  return file;
};

export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

/** Expects an error that names the file and does not quote its content. */
export const expectStoreError = async (work: Promise<unknown>, code: string, file: string): Promise<void> => {
  const error = await thrown(work);
  expect(error).toBeInstanceOf(TokenStoreError);
  expect(error).toMatchObject({ code, message: expect.stringContaining(file), hint: expect.any(String) });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
};
