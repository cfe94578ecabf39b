import type { Context } from "../input/context.js";
import type { CallJournal } from "./call-journal.js";
import type { KeyedLock } from "./keyed-lock.js";
import type { ProjectScope } from "./project-scope.js";
import type { Redactor } from "./redactor.js";
import type { ServiceSession } from "./service-session.js";

/** State that the tools of a server share. */
export interface ServerContext {
  readonly context: Context;
  readonly session: ServiceSession;
  readonly scope: ProjectScope;
  readonly redactor: Redactor;
  readonly locks: KeyedLock;
  readonly journal: CallJournal;
  /** Absolute path of the workspace folder, in which env files are written. */
  readonly folder: string;
  /** Returns the file of the link or the profile that protects the resources here. Undefined if nothing does. */
  readonly findProtection: () => string | undefined;
}
