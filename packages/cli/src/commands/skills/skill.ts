import { skillText } from "./generated/skill-text.js";

/** Returns the skill for coding agents: https://agentskills.io/specification. */
export const renderSkill = (version: string): string => skillText.replace("{version}", version);
