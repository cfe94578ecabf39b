/** What `ensure` came to. */
export type EnsureResult<Created, Found = Created> =
  | {
      /** This call's own create was answered: one-time secrets are in `resource`. */
      readonly created: true;
      readonly resource: Created;
    }
  | {
      /** It was there: made earlier, by someone else meanwhile, or by this call when the answer was lost. */
      readonly created: false;
      /** As it is: what it has otherwise than the body is not changed, and one-time secrets are absent. */
      readonly resource: Found;
    };
