import { oauthPaths } from "@mgmt/engine/internal";
import * as mockErrors from "../errors/mock-errors.js";
import type { MemoryServer } from "@mgmt/engine";
import { normalizeBaseUrl } from "../exchange/web-exchange.js";

/** The members of a `NavigateEvent` that this module uses. Not all supported versions of TypeScript declare it. */
interface NavigateEvent extends Event {
  readonly canIntercept: boolean;
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly navigationType: string;
  intercept(options: { handler: () => Promise<void> }): void;
}

/** Options for navigations of a page to a login. */
export interface NavigationOptions {
  /** Whether the state of the mock survives a reload. */
  readonly isStatePersisted: boolean;
  /** Called with the reason why a login is not possible. */
  readonly report: (error: unknown) => void;
  /** Stops the interception. */
  readonly signal: AbortSignal;
}

/**
 * Shows the authorization page of a mock when the page is about to leave for it, until the signal is aborted. Workers of MSW do not pass
 * on navigations.
 */
export const interceptNavigations = (
  mock: MemoryServer,
  { isStatePersisted, report, signal }: NavigationOptions,
): void => {
  // The types of the DOM library lack the Navigation API.
  const { navigation } = globalThis as { navigation?: EventTarget };
  if (!navigation) {
    const stopFollowing = mock.followRequests(({ operationId }) => {
      if (operationId !== "oauth.metadata") return;
      stopFollowing();
      report(mockErrors.loginUnsupported());
    });
    signal.addEventListener("abort", stopFollowing);
    return;
  }
  const endpoint = normalizeBaseUrl(mock.settings.authUrl) + oauthPaths.authorize;
  let isAuthorizationPageOpen = false;
  const handleNavigation = (event: Event): void => {
    // The type of the events with this name.
    const navigateEvent = event as NavigateEvent;
    const { destination, navigationType, canIntercept } = navigateEvent;
    const url = new URL(destination.url);
    if (url.origin + url.pathname === endpoint) {
      event.preventDefault();
      if (!isStatePersisted) return report(mockErrors.loginNotKept());
      isAuthorizationPageOpen = true;
      void import("./authorization-page.js")
        .catch((cause: unknown) => {
          throw mockErrors.pageNotLoaded(cause);
        })
        .then(({ openPage }) => openPage(mock, url, report))
        .catch((error: unknown) => {
          isAuthorizationPageOpen = false;
          report(error);
        });
    } else if (!isAuthorizationPageOpen) {
      return;
    } else if (navigationType === "traverse" && destination.sameDocument && canIntercept) {
      // The document no longer has the content of that address.
      navigateEvent.intercept({ handler: async () => location.reload() });
    }
    // The router of the app is still there, and would show the app in the page.
    event.stopImmediatePropagation();
  };
  navigation.addEventListener("navigate", handleNavigation, { signal });
};
