export const page = (body: string): string =>
  `<!doctype html><html lang="en"><title>Projects</title><main><h1>Projects</h1>${body}</main></html>`;

/** Names of projects are whatever somebody has typed. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
