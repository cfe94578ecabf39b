import { toPrintable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import { formatAddress } from "./entry.js";
import type { Plan, Step } from "./plan.js";

/** The sign and the color of the steps of an action. */
const markByAction = {
  create: { sign: "+", tone: "good" },
  update: { sign: "~", tone: "busy" },
  delete: { sign: "-", tone: "bad" },
} as const satisfies Record<Step["action"], { sign: string; tone: keyof Style }>;

/** Returns the lines of a plan in readable form, safe on a terminal: creations in green, changes in yellow, and deletions in red. */
export const renderPlan = ({ steps }: Pick<Plan, "steps">, style: Style): string[] => {
  if (steps.length === 0) return ["No changes."];
  const renderStepCount = (action: Step["action"], verb: string): string => {
    const { length } = steps.filter((step) => step.action === action);
    const text = `${String(length)} to ${verb}`;
    return length === 0 ? text : style[markByAction[action].tone](text);
  };
  return [
    ...steps.flatMap((step) => renderStep(step, style)),
    "",
    `Plan: ${renderStepCount("create", "create")}, ${renderStepCount("update", "change")}, ${renderStepCount("delete", "delete")}.`,
  ];
};

const renderStep = (step: Step, style: Style): string[] => {
  const { sign, tone } = markByAction[step.action];
  const id = step.action === "create" ? "" : ` (${step.id})`;
  return [
    style[tone](toPrintable(`${sign} ${formatAddress(step)}${id}`)),
    ...renderStepDetails(step).map((line) => `    ${toPrintable(line)}`),
  ];
};

const renderStepDetails = (step: Step): string[] => {
  if (step.action === "delete") return [];
  if (step.action === "create") {
    return Object.entries(step.fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  }
  return step.changes.map(
    ({ field, from, to }) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
};
