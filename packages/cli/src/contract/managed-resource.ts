/** A resource type that a manifest can contain, as generated from `x-resources` of the contract. */
export interface ManagedResource {
  /** `database` */
  readonly name: string;
  /** Key of its entries in the manifest: `databases`. */
  readonly collection: string;
  /** Resource whose entry contains its entries. Absent at the top of the manifest. */
  readonly container?: string;
  /** The key of an entry, as an input of `create` and as a property. */
  readonly identity: {
    readonly input: string;
    readonly property: string;
    /** Whether it can be given to a resource that exists. */
    readonly mutable?: true;
    /** Whether a resource may have none. */
    readonly optional?: true;
  };
  readonly create: { readonly id: string; readonly path: string; readonly parameters: readonly string[] };
  readonly list: { readonly path: string; readonly parameters: readonly string[] };
  readonly update?: { readonly path: string };
  readonly delete?: { readonly path: string };
  /** The outermost first. */
  readonly parents: readonly {
    readonly resource: string;
    readonly input: string;
    readonly property?: string;
  }[];
  readonly fields: readonly ManagedField[];
}

export interface ManagedField {
  readonly input: string;
  /** Property of the resource with the current value, dotted. Absent if the value is not returned. */
  readonly property?: string;
  readonly mutable?: true;
  /** Whether `create` requires it. It then defaults to the key of the entry. */
  readonly required?: true;
  /** The value that the service uses if `create` has none. */
  readonly default?: unknown;
}
