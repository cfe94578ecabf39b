import type { Context } from "../input/context.js";
import type { CallJournal } from "./call-journal.js";
import type { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import type { ProjectScope } from "./project-scope.js";
import type { Redactor } from "./redactor.js";
import type { ServiceSession } from "./service-session.js";

/** State that the tools of a server share. */
export interface ServerContext {
  readonly context: Context;
  readonly session: ServiceSession;
  readonly scope: ProjectScope;
  readonly redactor: Redactor;
  /** Runs calls with the same key one after the other, because clients call several tools at the same time. */
  readonly mutex: KeyedMutex;
  readonly journal: CallJournal;
  /** Absolute path of the workspace folder, in which env files are written. */
  readonly folder: string;
  /** Returns the file of the link or the profile that protects the resources here. Undefined if nothing does. */
  readonly findProtection: () => string | undefined;
}
