/** Creates an element with attributes and children. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
};

/** Creates a button. */
export const button = (
  text: string,
  click: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement => {
  const created = element("button", { type: "button", ...attributes }, text);
  created.addEventListener("click", click);
  return created;
};
