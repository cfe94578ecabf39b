import type { Advice, AwaitedKind, MgmtError, WaitError } from "@mgmt/sdk";
import { isTooManyFiles, tooManyFilesHint } from "./last-resort.js";

const baseUrl = "the base URL (MGMT_BASE_URL, --base-url)";

/** What the SDK's advice means on the command line: in flags, variables and commands. */
const hints: Readonly<Record<Advice, string>> = {
  fix_argument: "Correct the value. Nothing was sent.",
  check_base_url: `Check that ${baseUrl} is the address of the Management API and that the service is running. \`mgmt dev\` runs it on this machine.`,
  use_redirect_target: `Use the address that the service redirects to as ${baseUrl}.`,
  check_intermediary: `The response may come from a server in between. Check ${baseUrl}, proxies and load balancers.`,
  check_auth_url:
    "Check that the address of the authorization server (MGMT_AUTH_URL, --auth-url) is correct and that it can be reached.",
  check_client_id: "Log in again with mgmt login.",
  check_token: "Check the token for a line break or a leading `Bearer `.",
  set_token: "Log in with mgmt login, or set MGMT_TOKEN.",
  log_in: "Log in again with mgmt login.",
  log_in_manually: "Run mgmt login --no-browser, and paste the address that the browser ends up at.",
  wait_longer: "The work continues in the background. Pass a longer --timeout to wait longer.",
  wait_and_resend: "The sponsor may still decide. Run the same command again to keep waiting.",
  start_deployment: "Start it again with mgmt deployments start, then wait.",
};

const groupOf: Readonly<Record<AwaitedKind, string>> = {
  approval: "agent-approvals",
  database: "databases",
  deployment: "deployments",
  service: "services",
  project: "projects",
};

/** Returns the hint of an SDK error: the command line's own words where the SDK's name its options or methods. */
export const hintOf = (error: MgmtError): string | undefined => {
  if (error.advice === undefined) return error.hint;
  // The command line has no option for it.
  if ("argument" in error && error.argument === "proxy") {
    return "Correct the variable HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Nothing was sent.";
  }
  if ("reason" in error && isTooManyFiles(error.reason)) return tooManyFilesHint;
  const hint = hints[error.advice];
  if (error.advice !== "wait_longer" || !isWaitError(error)) return hint;
  return `${hint} mgmt ${groupOf[error.resource]} get ${error.id} shows its status.`;
};

const isWaitError = (error: MgmtError): error is WaitError => "resource" in error && "id" in error;
