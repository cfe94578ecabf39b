/** The prompts that the commands use. Loaded only to ask. */
export { confirm, input, password, search } from "@inquirer/prompts";
