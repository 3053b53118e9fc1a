/** Texts of every page: loading, waiting and failed. */
export const states = {
  loading: 'Loading …',
  retry: 'Try again',
  pageNotFound: 'Page not found',
  nothingAt: (path: string) => `There is no page at ${path}.`,
  nothingHere:
    'This page does not exist. Choose another in the navigation, or search for a record.',
  otherPages: 'Other pages',
  console: 'Console',
  unreachable: 'The server cannot be reached. Is it still running?',
  waiting: (seconds: number) => `The rate limit of this key is reached. Resuming in ${seconds} s.`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied',
  close: 'Close',
}
