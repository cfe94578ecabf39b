/** Result of `ensure`. */
export type EnsureResult<Created, Found = Created> =
  | {
      /** The resource was created by this call, and `resource` includes the secrets that are returned only once. */
      readonly created: true;
      readonly resource: Created;
    }
  | {
      /** The resource existed: it was created earlier, by another caller, or by this call if the response was lost. */
      readonly created: false;
      /** The existing resource, unchanged and without the secrets that are returned only once. */
      readonly resource: Found;
    };
