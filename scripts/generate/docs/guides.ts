import { optionRules } from "../../../packages/sdk/src/checks/option-rules.js";
import type { ClientOptions } from "../../../packages/sdk/src/request/client-options.js";
import type { RequestOptions } from "../../../packages/sdk/src/request/call.js";
import { resolveSettings } from "../../../packages/sdk/src/request/settings.js";
import { serveSettingsSchema } from "../../../packages/platform/src/serve/config-schema.js";
import * as goals from "../../../packages/sdk/src/wait/goals.js";
import { markdownTable } from "./markdown-table.js";
import { withMarkedSections } from "./marked-sections.js";

/** What an option does, and its default if that is no number of the settings. */
type OptionText = readonly [description: string, defaultValue?: string];

const optionTexts: Readonly<Record<keyof ClientOptions | keyof RequestOptions, OptionText>> = {
  baseUrl: ["base URL of the service, without `/v1`", "`MGMT_BASE_URL`"],
  token: ["bearer token, or a function that returns one; `false` for none", "`MGMT_TOKEN`"],
  transport: ["sends the requests", "`fetch`"],
  fetch: ["a `fetch` for the default transport", "`globalThis.fetch`"],
  headers: ["headers of the call replace those of the client", "none"],
  timeoutMs: ["one deadline for the whole call, including retries; `Infinity` for none"],
  maxRetries: ["maximum number of retries, made only where that is safe and may help"],
  maxRetryAfterMs: ["longest `Retry-After` that the client waits for"],
  onRetry: ["function that is told why a request is sent again, and after which pause", "none"],
  middleware: ["functions that wrap every request that is sent", "none"],
  allowInsecureHttp: [
    "allows an `http:` URL of another machine, see [authentication](authentication.md#use-http-in-a-network-that-you-trust)",
    "`false`",
  ],
  debug: ["prints requests and responses, with secrets masked", "`false`"],
  signal: ["aborts the call at any time; see [Cancel a call](retries.md#cancel-a-call)", "none"],
  waitForApproval: [
    "for agents: waits for the sponsor's approval, then sends the same request again",
    "`false`",
  ],
  timers: [
    "for tests: the timers of deadlines and pauses; `mock.clientOptions()` of `@mgmt/mock` has some",
    "the platform's",
  ],
};

const printOptions = (): string => {
  const settings: Readonly<Record<string, unknown>> = {
    ...resolveSettings({ baseUrl: "https://api.example.com" }, () => Promise.reject(new Error("no call"))),
  };
  const rows = Object.entries(optionTexts).map(([name, [description, text]]) => {
    const [isOfClient, isOfCall] = [name in optionRules["a client"], name in optionRules["a call"]];
    const setOn = isOfClient && isOfCall ? "both" : isOfClient ? "client" : "call";
    return [`\`${name}\``, setOn, text ?? Number(settings[name]).toLocaleString("en"), description];
  });
  return markdownTable(["option", "set on", "default", "description"], rows);
};

type Goal = Pick<goals.WaitGoal<never>, "outcomes" | "timeoutMs">;

const statusesOf = ({ outcomes }: Goal): string =>
  Object.entries(outcomes)
    .filter(([, outcome]) => outcome === "reached")
    .map(([status]) => `\`${status}\``)
    .join(", ");

const codesOf = ({ outcomes }: Goal): string => {
  const failures = Object.values<"reached" | "pending" | goals.GoalFailure>(outcomes);
  const codes = failures.flatMap((outcome) => (typeof outcome === "string" ? [] : [`\`${outcome.code}\``]));
  return [...new Set(codes)].join(", ") || "–";
};

const waits: readonly (readonly [method: string, goal: Goal, waitsFor?: string])[] = [
  ["databases.waitUntilReady", goals.databaseReadyGoal],
  ["deployments.waitUntilRunning", goals.deploymentRunningGoal],
  ["deployments.waitUntilStopped", goals.deploymentStoppedGoal, "`stopped`, `failed`, or never started"],
  ["services.waitUntilPromoted", goals.deploymentPromotedGoal, "the deployment as `latestDeploymentId`"],
  ["projects.waitUntilTransferred", goals.projectTransferredGoal, "the recipient can read the project"],
  ["agentApprovals.wait", goals.approvalGrantedGoal],
];

const printWaits = (): string =>
  markdownTable(
    ["method", "waits for", "`WaitFailedError`", "default `timeoutMs`"],
    waits.map(([method, goal, waitsFor = statusesOf(goal)]) => [
      `\`${method}\``,
      waitsFor,
      codesOf(goal),
      goal.timeoutMs.toLocaleString("en"),
    ]),
  );

interface SettingSchema {
  readonly type: unknown;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
}

/** Lists the settings of a service, and those inside of others. */
const listSettings = (
  properties: Readonly<Record<string, SettingSchema>>,
  prefix = "",
): (readonly [name: string, description: string])[] =>
  Object.entries(properties).flatMap(([name, { description, enum: values, properties: inner }]) => {
    const allowed = values && `One of ${values.map((value) => `\`${value}\``).join(", ")}.`;
    const text = [description, allowed].filter((part) => part !== undefined).join(" ");
    return [
      ...(text === "" ? [] : [[`\`${prefix}${name}\``, text] as const]),
      ...listSettings(inner ?? {}, `${prefix}${name}.`),
    ];
  });

/** Writes the tables of guides that the code has the facts of. */
export const generateGuides = async (): Promise<Map<string, string>> =>
  new Map([
    ...(await withMarkedSections("docs/guides/client.md", new Map([["options", printOptions()]]))),
    ...(await withMarkedSections("docs/guides/waiting.md", new Map([["waits", printWaits()]]))),
    ...(await withMarkedSections(
      "docs/guides/serve.md",
      new Map([
        ["settings", markdownTable(["setting", "what it is"], listSettings(serveSettingsSchema.properties))],
      ]),
    )),
  ]);
