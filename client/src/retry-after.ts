/** Caps the wait at one day. */
const secondsMax = 86_400

/** The whole seconds of a `Retry-After` header, which holds seconds or a date. */
export const parseRetryAfter = (value: string | null, now = Date.now()): number | undefined => {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1_000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), secondsMax)
}
