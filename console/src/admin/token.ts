/**
 * The one-time token of a link, `/#token=…`. Removes it from the address and from the history of
 * the browser.
 */
export const takeToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
