import type { EngineOptions } from "@mgmt/engine";
import { assertEngineOptions } from "@mgmt/engine/internal";

export interface MockOptions extends Omit<EngineOptions, "settings"> {
  /** Settings to change, such as the durations of life cycles. Default: `defaultSettings`. */
  settings?: EngineOptions["settings"] | undefined;
  /** Base URL of the API, without a trailing slash and without `/v1`. Default: `https://api.mgmt.test`. */
  baseUrl?: string | undefined;
}

/**
 * Returns the options of the server that a mock is.
 *
 * @param defaults the default options.
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const toServerOptions = (
  options: MockOptions,
  defaults: Pick<MockOptions, "validateResponses"> = {},
): EngineOptions => {
  assertEngineOptions(options, ["baseUrl"]);
  const { baseUrl, settings, validateResponses = defaults.validateResponses, ...otherOptions } = options;
  return {
    ...otherOptions,
    validateResponses,
    settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
  };
};
