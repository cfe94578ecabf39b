import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { temporaryFolder } from "./folders.js";
import { inProcess } from "./in-process.js";
import type { Mgmt } from "./result.js";
import { type Session, startSession } from "./terminal.js";

/** A manifest with every kind of resource. */
export const shop = `version: 1
projects:
  shop:
    name: Shop
    region: eu-central-1
    branches:
      main:
        databases:
          catalog: { name: Catalog, isDefault: true }
          reports:
            region: eu-west-3
            source: { type: database, databaseId: { database: catalog } }
        services:
          web: {}
      feature/cart:
        databases:
          catalog:
            source: { type: database, databaseId: { branch: main, database: catalog } }
`;

/** A service, and a folder that commands run in. Both are new for each test. */
export interface Provisioning {
  readonly session: Session;
  readonly folder: string;
  readonly mgmt: Mgmt;
  /** Writes a file in the folder. */
  write(content: string, file?: string): void;
  countRequests(): number;
  /** Returns the operations since a number of requests that change something. */
  writesSince(before: number): string[];
}

/** Call it outside of tests and hooks. */
export const useProvisioning = (): Provisioning => {
  const root = temporaryFolder();
  let current: { session: Session; folder: string } | undefined;
  beforeEach(async () => {
    current = { session: await startSession(), folder: mkdtempSync(join(root, "manifest-")) };
  });
  afterEach(() => current?.session.close());
  const now = (): { session: Session; folder: string } => {
    if (!current) throw new Error("There is no session outside of a test");
    return current;
  };
  return {
    get session() {
      return now().session;
    },
    get folder() {
      return now().folder;
    },
    mgmt: (...line) => inProcess({ env: now().session.env, cwd: now().folder })(...line),
    write: (content, file = "mgmt.yaml") => writeFileSync(join(now().folder, file), content),
    countRequests: () => now().session.server.engine.requests.length,
    writesSince: (before) =>
      now()
        .session.server.engine.requests.slice(before)
        .filter(({ method }) => method !== "GET")
        .map(({ operationId }) => operationId ?? ""),
  };
};
