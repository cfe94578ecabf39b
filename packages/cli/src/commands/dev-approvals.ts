import { parseDuration } from "../input/duration.js";
import type { MgmtCommand } from "../program/command.js";
import { addGlobalOptions, globalFlags } from "../program/global-options.js";
import { addSections } from "../program/help.js";
import type { Context } from "../run/context.js";
import type { ControlFlags, Decision } from "./run-dev-approvals.js";

/** The sponsor's side of approvals: deciding is no operation of the API, but the reference server's own. */
export const defineDevApprovals = (group: MgmtCommand, context: Context): void => {
  group.usage("<command> [options]").summary("Decide about what agents ask for");
  group.description("The sponsor's side of approvals, on the service that `mgmt dev` runs.");
  addGlobalOptions(group, { hidden: true });

  const list = group.command("list").alias("ls").summary("List all approvals, oldest first");
  list.description("All approvals, oldest first.");
  defineControl(list, ["mgmt dev approvals list"]);
  list.action(async () => {
    const { listApprovals } = await import("./run-dev-approvals.js");
    await listApprovals(controlFlags(list), context);
  });

  const approve = group.command("approve").summary("Let the request through");
  approve.description(
    "Lets the same request through once; with --window the same operation in the same project for a while.",
  );
  approve.option("--window <time>", "such as 30m or 2h, at most 24h; not for transfers and restores");
  defineDecision(
    approve,
    context,
    ["apr_8s2d4f6g1h3j5k7l9q0w2e4r", "apr_8s2d4f6g1h3j5k7l9q0w2e4r --window 1h"],
    () => {
      const { window } = approve.opts<{ window?: string }>();
      return window === undefined
        ? { kind: "approve" }
        : { kind: "approve-window", milliseconds: parseDuration(window, "--window") };
    },
  );

  const deny = group.command("deny").summary("Refuse the request");
  deny.description("Refuses the request; the same one is refused again until its 15 minutes are over.");
  defineDecision(deny, context, ["apr_8s2d4f6g1h3j5k7l9q0w2e4r"], () => ({ kind: "deny" }));
};

const defineDecision = (
  command: MgmtCommand,
  context: Context,
  examples: readonly string[],
  decision: () => Decision,
): void => {
  command.argument("<approval-id>", "id of the approval (apr_…)");
  defineControl(
    command,
    examples.map((example) => `mgmt dev approvals ${command.name()} ${example}`),
  );
  command.action(async (id: string) => {
    const { decideApproval } = await import("./run-dev-approvals.js");
    await decideApproval(id, decision(), controlFlags(command), context);
  });
};

const defineControl = (command: MgmtCommand, examples: readonly string[]): void => {
  command
    .option(
      "--control-url <url>",
      "the control surface (or MGMT_CONTROL_URL; default: that of profile local)",
    )
    .option("--control-secret-file <path>", "file with its secret (or MGMT_CONTROL_SECRET_FILE)");
  addGlobalOptions(command);
  addSections(command, { Examples: () => examples });
};

const controlFlags = (command: MgmtCommand): ControlFlags => ({
  ...globalFlags(command),
  ...command.opts<Pick<ControlFlags, "controlUrl" | "controlSecretFile">>(),
});
