/** A resource that `ensure` can create or find. Generated from `x-resources` of the contract. */
export interface Ensurable {
  /** Path of the operation that creates the resource. */
  readonly create: string;
  /** Path of the operation that lists resources. */
  readonly list: string;
  /** Path of the operation that gets a resource by its id, the last parameter of the path. */
  readonly get?: string;
  readonly parents: readonly ParentRule[];
  /** The preferred identity first. */
  readonly identities: readonly IdentityRule[];
  /** The credentials to create for a new resource. Absent if `create` returns them, or there are none. */
  readonly credentials?: Credentials;
}

/** The credentials that `ensure` returns together with a resource. */
export interface Credentials {
  /** Name of the property of the result. */
  readonly property: string;
  /** Path of the operation that creates the credentials. */
  readonly create: string;
  /** Body field with the id of the resource. */
  readonly parent: string;
  /** The other fields of the body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A resource that the ensured one belongs to. */
export interface ParentRule {
  /** Input with the id of the parent, and name of the parameter of `list`. */
  readonly input: string;
  readonly required?: true;
  /** Value of the parameter of `list` for resources without this parent, which null as input creates. */
  readonly none?: string;
  /** How to find the parent if its id is not given. */
  readonly lookup?: {
    readonly list: string;
    /** Input with the identity of the parent. */
    readonly input?: string;
    /** Property of the parent with its identity. */
    readonly property?: string;
    /** Property that is true for the parent that is used if none is given. */
    readonly default: string;
  };
}

/** The identity of a resource in its scope. */
export interface IdentityRule {
  readonly input: string;
  /** Query parameter of `list`. Without it, items are compared by `property`. */
  readonly filter?: string;
  /** Property with the value of the input. */
  readonly property: string;
  /** Error codes of `create` for an identity that is in use. */
  readonly conflicts: Readonly<Record<string, ConflictFields>>;
}

/** Fields of a conflict error that describe the conflict. */
export interface ConflictFields {
  /** Field with the id of the existing resource. */
  readonly id?: string;
  /** Field with the name of the property that both resources have in common. */
  readonly property?: string;
}
