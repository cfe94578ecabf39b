import { nameOf } from "./entry.js";
import type { Plan, Step } from "./plan.js";

const signs = { create: "+", update: "~", delete: "-" } as const;

/** Returns the lines of a plan for people: what is created, changed and deleted. */
export const renderPlan = ({ steps }: Pick<Plan, "steps">): string[] => {
  if (steps.length === 0) return ["No changes."];
  const count = (action: Step["action"]): number => steps.filter((step) => step.action === action).length;
  return [
    ...steps.flatMap(renderStep),
    "",
    `Plan: ${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete.`,
  ];
};

const renderStep = (step: Step): string[] => {
  const id = step.action === "create" ? "" : ` (${step.id})`;
  return [`${signs[step.action]} ${nameOf(step)}${id}`, ...detailsOf(step).map((line) => `    ${line}`)];
};

const detailsOf = (step: Step): string[] => {
  if (step.action === "delete") return [];
  if (step.action === "create") {
    return Object.entries(step.fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  }
  return step.changes.map(
    ({ field, from, to }) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
};
