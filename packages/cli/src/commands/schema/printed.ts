import type { Ready } from "@mgmt/platform";
import type { Failure } from "../../errors/failure.js";
import type { Plan } from "../../manifest/plan.js";
import type { ItemResult } from "../../output/output.js";
import type { CommandHelp } from "../../program/describe-command.js";
import type { PlannedRequest } from "../../service/curl-line.js";
import type { StepResult } from "../apply/run.js";
import type { ListedProfile } from "../auth-list/run.js";
import type { AuthStatus } from "../auth-status/run.js";
import type { PrintedToken } from "../auth-token/run.js";
import type { PrintedSetting } from "../config/settings.js";
import type { PrintedApproval } from "../dev-approvals/run.js";
import type { Check } from "../doctor/check.js";
import type { EnvResult } from "../env/run.js";
import type { PrintedTopic } from "../help/topic.js";
import type { LinkResult } from "../link/run.js";
import type { LoginResult } from "../login/run.js";
import type { OpenResult } from "../open/run.js";
import type { ListedOperation } from "../operations/command.js";
import type { DeletedPreview } from "../preview/preview.js";
import type { PreviewResult } from "../preview/run-up.js";
import type { Report } from "../rehearse/run.js";
import type { CommandSchema } from "./command-schema.js";

/**
 * What hand-written commands print on standard output with `--output json`, by the words of the command. The generator
 * makes JSON Schemas of these types. A command that is missing here prints no JSON.
 */
export interface PrintedResults {
  login: LoginResult;
  "auth login": LoginResult;
  "auth list": readonly ListedProfile[];
  "auth status": AuthStatus;
  "auth token": PrintedToken;
  "config list": readonly PrintedSetting[];
  "config get": PrintedSetting;
  "config set": PrintedSetting;
  "config unset": PrintedSetting;
  plan: Plan;
  apply: readonly StepResult[];
  rehearse: Report;
  "preview up": PreviewResult;
  "preview down": DeletedPreview;
  "preview gc": readonly DeletedPreview[];
  link: LinkResult;
  dev: Ready;
  "dev approvals list": readonly PrintedApproval[];
  "dev approvals approve": PrintedApproval;
  "dev approvals deny": PrintedApproval;
  env: EnvResult;
  open: OpenResult;
  /** The body of the response. */
  api: unknown;
  doctor: readonly Check[];
  operations: readonly ListedOperation[];
  schema: CommandSchema;
  help: CommandHelp | PrintedTopic;
}

/** What several commands print. */
export interface SharedResults {
  /** A line of standard error of a command that failed. */
  error: { readonly error: Omit<Failure, "exitCode"> };
  /** What became of one of several items. */
  item: ItemResult;
  /** The requests that `--dry-run` prints instead of sending them. */
  dryRun: readonly PlannedRequest[];
}
