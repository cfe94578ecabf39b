import { ApiError } from "../errors/api-error.js";
import { ConnectionError, InvalidArgumentError, TimeoutError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { Attempt } from "../errors/attempt.js";
import type { RequestOptions } from "../request/call.js";
import { validateTimeout } from "../deadlines/deadline.js";
import type { WaitContext } from "../request/context.js";
import { pause } from "../deadlines/pause.js";
import type { Timers } from "../deadlines/timers.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import type { Ensurable, IdentityRule } from "./ensurable.js";
import type { EnsureResult } from "./ensure-result.js";
import { type EnsureInputs, type ResourceReaders, findExisting } from "./find-existing.js";

/** Upper bounds of the random pause between two rounds: the first one, doubled each round up to the longest. */
const initialBackoffMs = 200;
const maxBackoffMs = 4_000;
const maxRounds = 8;

/** The calls that ensuring a resource needs. */
interface EnsureCalls<Created, Issued> extends ResourceReaders {
  create: (options: RequestOptions) => Promise<Created>;
  /** Creates credentials for a resource that was created. Absent if `create` returns them, or there are none. */
  issue?: (resource: Created, options: RequestOptions) => Promise<Issued>;
}

/**
 * Creates a resource or returns the existing one with the same identity.
 *
 * Creates first, so that the service decides which of several callers succeeds. After a conflict, or an unknown outcome (no
 * response, an unreadable one, 408 or 5xx), looks for the resource, and creates it again if it does not exist. That cannot
 * create a second one because the service keeps identities unique. `timeoutMs` is the deadline of all requests together; without
 * it, each has the timeout of the client. An error lists the attempts of all requests.
 */
export const ensureResource = async <Created, Found, Issued>(
  ensurable: Ensurable,
  inputs: object,
  calls: EnsureCalls<Created, Issued>,
  options: RequestOptions,
  { timers, signals }: WaitContext,
): Promise<EnsureResult<Created, Found, Issued>> => {
  const identity = selectIdentity(ensurable, inputs);
  const timeoutMs = validateTimeout(options.timeoutMs ?? Infinity);
  const createTimeoutError = (): TimeoutError =>
    new TimeoutError({ method: "POST", url: ensurable.create }, timeoutMs);
  const deadline = timers.performance.now() + timeoutMs;
  const attempts: Attempt[] = [];
  const conflicts = Object.keys(identity.conflicts);
  const findExistingResource = (
    requestOptions: RequestOptions,
    conflict: ApiError | undefined,
  ): Promise<Found | undefined> =>
    findExisting(ensurable, identity, { ...inputs }, calls, requestOptions, conflict);
  let resultPromise: Promise<EnsureResult<Created, Found, Issued>> | undefined;
  try {
    return await withDeadline(
      { signals: signals.concat(options.signal ?? []), timeoutMs, onTimeout: createTimeoutError, timers },
      (signal) => {
        const attemptOptions = { ...options, signal };
        const ensurePromise = createOrFind<Created, Found>(
          { create: calls.create, find: findExistingResource, conflicts },
          attemptOptions,
          signal,
          deadline,
          attempts,
          timers,
        );
        resultPromise = ensurePromise.then((result) =>
          addCredentials(result, calls, attemptOptions, deadline, timers),
        );
        return resultPromise;
      },
    );
  } catch (caughtError) {
    // The call in progress adds its attempts when it ends.
    await resultPromise?.catch(() => undefined);
    // The error of the last call has only the time that was left for it.
    const isCallTimeout = caughtError instanceof TimeoutError && options.timeoutMs !== undefined;
    const error = isCallTimeout ? createTimeoutError() : caughtError;
    if (error instanceof MgmtError && attempts[0]) error.attempts = attempts;
    throw error;
  }
};

/**
 * Returns the options of a call with the time that is left until the deadline as its timeout. Without a deadline, the timeout of the client
 * applies.
 */
export const limitToRemainingTime = (
  options: RequestOptions,
  deadline: number,
  timers: Timers,
): RequestOptions =>
  options.timeoutMs === undefined
    ? options
    : { ...options, timeoutMs: Math.max(deadline - timers.performance.now(), 1) };

/** Adds credentials to a resource that was created. Not repeated, so that there is one for each new resource. */
const addCredentials = async <Created, Found, Issued>(
  ensureResult: EnsureResult<Created, Found>,
  { issue }: Pick<EnsureCalls<Created, Issued>, "issue">,
  options: RequestOptions,
  deadline: number,
  timers: Timers,
): Promise<EnsureResult<Created, Found, Issued>> => {
  if (!ensureResult.created) return ensureResult;
  const issuedCredentials = await issue?.(
    ensureResult.resource,
    limitToRemainingTime(options, deadline, timers),
  );
  // Without `issue`, the result of `ensure` declares no credentials.
  return { ...ensureResult, ...issuedCredentials };
};

/**
 * Returns the rule of the identity that the inputs have a value for.
 *
 * @throws InvalidArgumentError if they have none, because every call would then create another resource.
 */
export const selectIdentity = ({ parents, identities }: Ensurable, inputs: object): IdentityRule => {
  // JavaScript callers can pass anything.
  const fields: EnsureInputs = Object(inputs) as EnsureInputs;
  for (const { input, required } of parents) if (required) assertNonEmptyText(fields, input);
  const identity = identities.find(({ input }) => fields[input] !== undefined) ?? identities.at(-1);
  if (identity === undefined) throw new Error("The resource has no identity");
  assertNonEmptyText(fields, identity.input);
  return identity;
};

const assertNonEmptyText = (inputs: EnsureInputs, name: string): void => {
  const value = inputs[name];
  if (typeof value === "string" && value !== "") return;
  throw new InvalidArgumentError(
    name,
    "must be a non-empty string because ensure identifies the resource by it",
  );
};

const createOrFind = async <Created, Found>(
  {
    create,
    find,
    conflicts,
  }: {
    create: (options: RequestOptions) => Promise<Created>;
    /** `conflict` is undefined if the outcome of the create is unknown. */
    find: (options: RequestOptions, conflict: ApiError | undefined) => Promise<Found | undefined>;
    conflicts: readonly string[];
  },
  options: RequestOptions,
  signal: AbortSignal,
  deadline: number,
  attempts: Attempt[],
  timers: Timers,
): Promise<EnsureResult<Created, Found>> => {
  const buildStepOptions = (): RequestOptions => limitToRemainingTime(options, deadline, timers);
  for (let round = 1; ; round += 1) {
    const pauseMs = Math.random() * Math.min(initialBackoffMs * 2 ** (round - 1), maxBackoffMs);
    try {
      return { created: true, resource: await create(buildStepOptions()) };
    } catch (error) {
      addAttempts(error, attempts);
      signal.throwIfAborted();
      const conflict = error instanceof ApiError && conflicts.includes(error.code) ? error : undefined;
      if (!conflict && !isOutcomeUnknown(error)) throw error;
      const existingResource = await findIfReachable(
        () => find(buildStepOptions(), conflict),
        signal,
        attempts,
      );
      if (existingResource) return { created: false, resource: existingResource };
      if (round >= maxRounds || timers.performance.now() + pauseMs >= deadline) throw error;
    }
    await pause(pauseMs, signal, timers);
  }
};

/** Runs `find`. Returns undefined if the resource does not exist, or if the service could not be reached. */
const findIfReachable = async <Found>(
  find: () => Promise<Found | undefined>,
  signal: AbortSignal,
  attempts: Attempt[],
): Promise<Found | undefined> => {
  try {
    return await find();
  } catch (error) {
    addAttempts(error, attempts);
    signal.throwIfAborted();
    if (!isOutcomeUnknown(error)) throw error;
    return undefined;
  }
};

const isOutcomeUnknown = (error: unknown): boolean =>
  (error instanceof ConnectionError && !(error instanceof TimeoutError)) ||
  (error instanceof ApiError && (error.status < 300 || error.status === 408 || error.status >= 500));

/**
 * Adds the attempts of an error to the attempts of the whole operation. Adds the same attempts only once, because `find` can throw the same
 * conflict again.
 */
const addAttempts = (error: unknown, attempts: Attempt[]): void => {
  const newAttempts = (error instanceof MgmtError && error.attempts) || [];
  attempts.push(...newAttempts.filter((attempt) => !attempts.includes(attempt)));
};
