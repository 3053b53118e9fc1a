/** Enough for any request that was meant; a longer one is cut. */
const lengthMax = 512
/** How often a text may have been percent-encoded before it is given up on. */
const decodingsMax = 3

const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const key = /slv_[0-9a-z_]*/gi
/** Parameters that carry secrets here, such as the signature of an image link, or elsewhere. */
const secretParameter =
  /([?&](?:api[_-]?key|[^=&]*token|auth|authorization|[^=&]*secret|password|[^=&]*signature|sig)=)[^&]*/gi
const control = /[\u0000-\u001f\u007f-\u009f]/g

/**
 * A request's path and query as they are logged: without the host, without keys and other secrets,
 * without control characters, and no longer than is useful.
 */
export const loggablePath = (target: string): string => {
  const path = target.replace(origin, '')
  const cut = path.length > lengthMax ? `${path.slice(0, lengthMax)}…` : path
  const shown = holdsHiddenKey(cut) ? decoded(cut) : cut
  return shown.replace(secretParameter, '$1…').replace(key, 'slv_…').replace(control, '?')
}

/** Whether a key shows only once percent-encoding is undone. */
const holdsHiddenKey = (text: string): boolean => text.includes('%') && /slv_/i.test(decoded(text))

const decoded = (text: string): string => {
  let before = text
  for (let count = 0; count < decodingsMax; count += 1) {
    const after = before.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (after === before) break
    before = after
  }
  return before
}
