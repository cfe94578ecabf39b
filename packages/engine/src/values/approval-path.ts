/** Path of the page that shows an approval, below the URL of the authorization server. */
export const buildApprovalPath = (id: string): string => `/approvals/${id}`;

/** Returns the id of the approval whose page has this path; undefined for other paths. */
export const parseApprovalPath = (path: string): string | undefined =>
  /^\/approvals\/(apr_[a-z0-9]{1,128})$/.exec(path)?.[1];
