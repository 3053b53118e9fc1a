// @ts-check
// JavaScript: the reader threads load no TypeScript module.

/** @import { DatabaseSync } from 'node:sqlite' */

/**
 * @typedef {readonly [value: number | string, key: string]} Entry A value and its tie-breaker.
 */

/**
 * @param {Entry} one
 * @param {Entry} other
 */
const isBefore = (one, other) => one[0] < other[0] || (one[0] === other[0] && one[1] < other[1])

/**
 * @param {Entry[]} least In order.
 * @param {number | string} value
 * @param {string} key
 * @param {number} count
 */
const step = (least, value, key, count) => {
  const last = least.length === count ? least[count - 1] : undefined
  if (last && value > last[0]) return least
  /** @type {Entry} */
  const entry = [value, key]
  if (last && !isBefore(entry, last)) return least
  const at = least.findIndex((each) => isBefore(entry, each))
  least.splice(at === -1 ? least.length : at, 0, entry)
  if (least.length > count) least.pop()
  return least
}

/** @param {Entry[]} least */
const result = (least) =>
  least.length === 0 ? null : least.map((entry) => entry.join(' ')).join(',')

/**
 * Adds the aggregate of the smallest values to a connection.
 * @param {DatabaseSync} connection
 * @param {string} name
 */
export const addLeast = (connection, name) => {
  connection.aggregate(name, {
    start: () => /** @type {Entry[]} */ ([]),
    step: /** @type {(least: any, ...values: any[]) => any} */ (step),
    result: /** @type {(least: any) => string | null} */ (result),
    deterministic: true,
  })
}
