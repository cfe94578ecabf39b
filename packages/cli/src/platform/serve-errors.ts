import type { ServiceErrorCode } from "@mgmt/platform/serve";
import type { DeclaredErrors } from "../command-line/command.js";

const checkWords = ["serve", "check"];
const helpWords = ["serve", "--help"];
const schemaWords = ["serve", "schema"];
const initHelpWords = ["serve", "init", "--help"];
const workspacesWords = ["serve", "workspaces", "list"];
const approvalsWords = ["serve", "approvals", "list"];

/** The errors of `mgmt serve` and the commands below it, with commands that help. */
export const serveErrors: DeclaredErrors &
  Readonly<Record<ServiceErrorCode | "platform:not_installed", unknown>> = {
  "cluster:databases_unrecorded": { next: [checkWords] },
  "cluster:lacks_privileges": { next: [checkWords] },
  "cluster:other_installation": { next: [checkWords] },
  "cluster:records_incomplete": { next: [checkWords] },
  "cluster:records_open": { next: [checkWords] },
  "cluster:records_outdated": { next: [checkWords] },
  "cluster:session_unresponsive": { next: [checkWords] },
  "cluster:stamp_unknown": { next: [checkWords] },
  "platform:not_installed": { next: [helpWords] },
  "serve:already_initialized": { next: [workspacesWords, ["serve", "tokens", "create", "--help"]] },
  "serve:approval_refused": { next: [approvalsWords] },
  "serve:cannot_listen": { next: [helpWords] },
  "serve:clock_differs": { next: [checkWords] },
  "serve:config_invalid": { next: [schemaWords, helpWords] },
  "serve:config_unreadable": { next: [helpWords] },
  "serve:database_refused": { next: [checkWords] },
  "serve:database_unreachable": { next: [checkWords] },
  "serve:key_file_invalid": { next: [checkWords] },
  "serve:key_file_unreadable": { next: [checkWords, initHelpWords] },
  "serve:key_file_unwritable": { next: [initHelpWords] },
  "serve:keys_differ": { next: [["serve", "status"]] },
  "serve:keys_in_use": { next: [["serve", "status"]] },
  "serve:keys_unknown": { next: [checkWords] },
  "serve:not_a_member": { next: [workspacesWords] },
  "serve:not_found": { next: [workspacesWords] },
  "serve:not_initialized": { next: [initHelpWords, checkWords] },
  "serve:pooler": { next: [checkWords] },
  "serve:schema_newer": { next: [checkWords] },
  "serve:schema_outdated": { next: [["serve", "migrate"]] },
  "serve:secret_altered": { next: [checkWords] },
  "serve:servers_older": { next: [["serve", "status"]] },
  "serve:settings_differ": { next: [["serve", "status"]] },
  "serve:standby": { next: [checkWords] },
  "serve:unsupported_version": { next: [checkWords] },
  "serve:value_invalid": { next: [helpWords] },
};
