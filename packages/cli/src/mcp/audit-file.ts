import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { describeCause } from "../errors/cli-error.js";
import { unwritableAuditError } from "../errors/mcp-errors.js";
import type { Redactor } from "./redactor.js";

/** A line of the audit file. */
export interface AuditEntry {
  /** Name and version of the client. */
  readonly client: string | null;
  readonly tool: string;
  readonly operation: string | null;
  /** The arguments that are ids. */
  readonly ids: Readonly<Record<string, string>>;
  readonly approvalId: string | null;
  readonly requestId: string | null;
  /** `started` before a change is sent; later what became of it, such as `ok`, `approval_required` or `error:not_found`. */
  readonly outcome: string;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** A file with one line of JSON for each call of a tool, which only its owner can read. */
export class AuditFile {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly redactor: Redactor,
  ) {}

  /** Opens the file, and creates it and its folder if they do not exist. Throws `mcp:audit_unwritable`. */
  static async open(path: string, redactor: Redactor): Promise<AuditFile> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
      // One that exists may have been made by another program.
      await handle.chmod(0o600);
      return new AuditFile(path, handle, redactor);
    } catch (error) {
      throw unwritableAuditError(path, describeCause(error));
    }
  }

  /** Appends a line. Throws `mcp:audit_unwritable`. */
  async append(entry: AuditEntry): Promise<void> {
    const line = this.redactor.redact({ time: new Date().toISOString(), ...entry });
    try {
      await this.handle.appendFile(`${JSON.stringify(line)}\n`);
    } catch (error) {
      throw unwritableAuditError(this.path, describeCause(error));
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
