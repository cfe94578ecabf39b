/** A type whose fields may be left out, or be undefined, as may those inside that may be left out. */
export type DeepOptional<T> = { readonly [Name in keyof T]?: InnerOptional<T[Name]> | undefined };

type InnerOptional<T> = T extends object
  ? {
      readonly [Name in keyof T]:
        | InnerOptional<T[Name]>
        | (Partial<Pick<T, Name>> extends Pick<T, Name> ? undefined : never);
    }
  : T;

/** Returns the given values, and the defaults of those that are left out or undefined. */
export const applyDefaults = <T extends object>(defaults: T, values: DeepOptional<NoInfer<T>> = {}): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
});
