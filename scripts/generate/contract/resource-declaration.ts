/** A resource as `openapi/resources.schema.yaml` describes it. */
export interface ResourceDeclaration {
  schema: string;
  operations: { create: string; list: string } & Partial<Record<"get" | "update" | "delete", string>>;
  secrets?: string;
  credentials?: { resource: string; body: Record<string, unknown> };
  parents?: Record<string, ParentDeclaration>;
  identities?: IdentityDeclaration[];
  fields: Record<string, { property?: string; mutable?: true }>;
}

export interface ParentDeclaration {
  input: string;
  identityInput?: string;
  default?: string;
  none?: string;
  property?: string;
  mutable?: true;
}

export interface IdentityDeclaration {
  input: string;
  filter?: string;
  property: string;
  scope: string;
  mutable?: true;
  conflicts: string[];
}

/** `x-resources`, by the name of the resource. */
export type Resources = Record<string, ResourceDeclaration>;
