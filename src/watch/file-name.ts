/**
 * What the name of a dropped file says: when its content is from, and which collection it has.
 *
 * A time is a year, a month and a day, which may be followed by hours, minutes, seconds and
 * milliseconds: `2026-03-01`, `20260301`, `2026_03_01`, `20260301T093000`, `2026-03-01T09-30-00.250`,
 * `20260301-0930`, `2026.03.01 09.30.00`. It is used for the order of files alone, so that all of them
 * are taken for times of one time zone.
 */
const timePattern =
  /(?<!\d)(20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?:[T_\-. ]?([01]\d|2[0-3])[-_.:h]?([0-5]\d)(?:[-_.:m]?([0-5]\d)(?:[.,_-]?(\d{3}))?)?)?Z?(?!\d)/

/** The time in a name, in milliseconds; null where there is none. */
export const timeInName = (name: string): number | null => {
  const match = timePattern.exec(name)
  if (!match) return null
  const [, year, , month, day, hour = 0, minute = 0, second = 0, millisecond = 0] = match
  const [y, m, d, h, min, s, ms] = [year, month, day, hour, minute, second, millisecond].map(Number)
  return Date.UTC(y ?? 0, (m ?? 1) - 1, d, h, min, s, ms)
}

/** A name without its extensions and its time: `orders` of `orders-20260301T0930.csv.gz`. */
export const stemOf = (name: string): string =>
  name
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(timePattern, '')
    .replace(/^[-_. ]+|[-_. ]+$/g, '')

/** Ends the name of a file that says that the file of the same name without it is complete. */
export const doneSuffix = '.done'

/** Names of files that other programs are still writing, or that are not meant for this one. */
export const isIgnored = (name: string): boolean =>
  name.startsWith('.') ||
  name.startsWith('~') ||
  name.endsWith('~') ||
  /\.(part|partial|tmp|temp|filepart|crdownload|swp|done)$/i.test(name)

/** Files beside a file that say what was wrong with it. */
export const problemSuffixes = { rows: '.problems.ndjson', text: '.problems.txt' } as const

/** File systems allow 255 bytes; the rest is for a number and for the suffix of problems. */
const nameBytesMax = 200

/** A stem and the extensions of a name, cut to what a name with something added can have. */
export const nameParts = (name: string): { readonly stem: string; readonly extensions: string } => {
  const [, stem = name, extensions = ''] = /^(.+?)((?:\.[a-z0-9]{1,20}){1,2})$/is.exec(name) ?? []
  const bytes = new TextEncoder().encode(stem).subarray(0, nameBytesMax - extensions.length)
  // A character that was cut in its middle is left out.
  return { stem: new TextDecoder().decode(bytes, { stream: true }), extensions }
}

/** A name that is short enough for every file system, also with a suffix. */
export const shortName = (name: string): string => {
  const { stem, extensions } = nameParts(name)
  return `${stem}${extensions}`
}
