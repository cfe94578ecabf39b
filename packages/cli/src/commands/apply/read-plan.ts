import { invalidPlan } from "../../errors/manifest-errors.js";
import { managedResources } from "../../generated/managed-resources.js";
import { isObject } from "../../json-path.js";
import type { Plan } from "../../manifest/plan.js";

/** Parses a saved plan. Throws `plan:invalid` for anything else. */
export const readPlan = (text: string, file: string): Plan => {
  let plan: unknown;
  try {
    plan = JSON.parse(text);
  } catch {
    throw invalidPlan(file);
  }
  if (!isPlan(plan)) throw invalidPlan(file);
  return plan;
};

const isPlan = (plan: unknown): plan is Plan =>
  isObject(plan) &&
  plan["version"] === 1 &&
  typeof plan["baseUrl"] === "string" &&
  isTexts(plan["projects"]) &&
  isTexts(plan["warnings"]) &&
  isListOf(plan["steps"], isStep) &&
  isListOf(plan["read"], (entry) => isAddress(entry) && isText(entry["id"]) && isObject(entry["fields"]));

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const isListOf = (value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));

const isAddress = ({ resource, path }: Record<string, unknown>): boolean =>
  managedResources.some(({ name }) => name === resource) && isTexts(path);

const isStep = (step: Record<string, unknown>): boolean => {
  if (!isAddress(step)) return false;
  if (step["action"] === "create") return isObject(step["fields"]);
  if (!isText(step["id"])) return false;
  if (step["action"] === "delete") return true;
  return step["action"] === "update" && isListOf(step["changes"], ({ field }) => isText(field));
};
