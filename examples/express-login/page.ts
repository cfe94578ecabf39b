export const page = (body: string): string =>
  `<!doctype html><html lang="en"><title>Projects</title><main><h1>Projects</h1>${body}</main></html>`;

/** Escapes text for HTML; project names are user input. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
