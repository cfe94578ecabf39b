/** A value that a key compares for equality. */
export type KeyValue = string | number | boolean | null;

/**
 * A field that a key may use: one with a plain value, an array of plain values (`memberIds`), or a field of the objects in
 * an array (`domains.name`). A row with an array is found by each of its elements.
 */
export type KeyField<T> = {
  [F in keyof T & string]: T[F] extends KeyValue
    ? F
    : T[F] extends readonly KeyValue[]
      ? F
      : T[F] extends readonly (infer Item)[]
        ? `${F}.${keyof Item & string}`
        : never;
}[keyof T & string];

/** A combination of fields by which rows are found: all fields in `by`, and any of those in `and`. */
export interface Key<F extends string = string> {
  readonly by: readonly F[];
  readonly and?: readonly F[];
}

/** A field of a row at any depth. The path leads through arrays: `changes.pass` is the field of all objects in `changes`. */
export type FieldPath<T> = T extends readonly (infer Item)[]
  ? FieldPath<Item>
  : T extends object
    ? { [F in keyof T & string]-?: F | `${F}.${FieldPath<NonNullable<T[F]>>}` }[keyof T & string]
    : never;
