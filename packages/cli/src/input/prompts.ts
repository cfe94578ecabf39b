/** The prompts that the commands use. Loaded only to ask. */
export { default as confirm } from "@inquirer/confirm";
export { default as input } from "@inquirer/input";
export { default as password } from "@inquirer/password";
export { default as search } from "@inquirer/search";
export { default as select } from "@inquirer/select";
