/** By code: the command lines that help, without `mgmt`, the best first. */
export type DeclaredErrors = Readonly<Record<string, { readonly next: readonly (readonly string[])[] }>>;
