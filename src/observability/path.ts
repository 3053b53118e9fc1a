/** Longer paths are truncated. */
const lengthMax = 512
/** How many layers of percent-encoding are decoded. */
const decodingsMax = 3

const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
/** API keys, and credentials that represent them: links, codes and tokens of assistants. */
const key = /(sl[vwl]_)[0-9a-z_]*|sl[acr]_[\w-]{20,}/gi
/** Parameters that carry secrets here, such as the signature of an image link, or elsewhere. */
const secretParameter =
  /([?&](?:api[_-]?key|[^=&]*token|auth|authorization|[^=&]*secret|password|[^=&]*signature|sig)=)[^&]*/gi
const control = /[\u0000-\u001f\u007f-\u009f]/g
/** Matches either of the last two, which few paths contain. */
const keyOrControl = /sl[acrvwl]_|[\u0000-\u001f\u007f-\u009f]/i

/**
 * The path and query of a request for the log: truncated, without host, keys, other secrets and
 * control characters.
 */
export const loggablePath = (target: string): string => {
  const path = target.startsWith('/') ? target : target.replace(origin, '')
  const cut = path.length > lengthMax ? `${path.slice(0, lengthMax)}…` : path
  const shown = holdsHiddenKey(cut) ? decoded(cut) : cut
  const open = shown.includes('=') ? shown.replace(secretParameter, '$1…') : shown
  return keyOrControl.test(open)
    ? open.replace(key, (text) => `${text.slice(0, 4).toLowerCase()}…`).replace(control, '?')
    : open
}

/** Whether the text contains a percent-encoded key. */
const holdsHiddenKey = (text: string): boolean =>
  text.includes('%') && /sl[acrvwl]_/i.test(decoded(text))

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
