import { ApiError } from '#contract'
import { createCursors } from '#cursors'
import { idOf, seeded } from '../test/support/model.ts'
import { check } from './check.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The cursor with each bit flipped, cut at each length, and with characters appended. */
const variantsOf = (cursor: string): string[] => {
  const bytes = Buffer.from(cursor, 'base64url')
  const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const copy = Buffer.from(bytes)
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return copy.toString('base64url')
  })
  const cut = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length))
  const tails = [...alphabet].flatMap((tail) => [cursor + tail, cursor.slice(0, -1) + tail])
  return [...flipped, ...cut, ...tails].filter((variant) => variant !== cursor)
}

export default check({
  id: 'R5',
  claim: 'A cursor that this server did not issue is never accepted.',
  target:
    'Of 1,000 cursors, no version with a flipped bit, truncated or extended is accepted; all are rejected as invalid.',
  sizes: { short: { cursors: 20 }, full: { cursors: 1_000 } },
  try: async ({ cursors: count }, { seed, log }) => {
    const random = seeded(seed)
    const cursors = createCursors(`secret ${seed}`)
    const misses: string[] = []
    let variants = 0
    for (let index = 0; index < count; index += 1) {
      const walk = {
        brand: `brand-${index % 7}`,
        collection: 'orders',
        filters: new Map(index % 2 === 0 ? [] : [['status', `${index}`] as const]),
      }
      const key = idOf(random(2 ** 31))
      const cursor = cursors.seal(walk, [key])
      if (JSON.stringify(cursors.open(walk, cursor)) !== JSON.stringify([key])) {
        misses.push(`The cursor ${cursor} itself was not taken.`)
      }
      for (const variant of variantsOf(cursor)) {
        variants += 1
        try {
          cursors.open(walk, variant)
          misses.push(`${variant}, made from ${cursor}, was taken.`)
        } catch (error) {
          if (error instanceof ApiError && error.code === 'invalid_cursor') continue
          misses.push(`${variant}, made from ${cursor}, broke the check: ${error}`)
        }
      }
      if ((index + 1) % 100 === 0) log(`${index + 1} of ${count} cursors`)
    }
    return {
      measured: `${variants.toLocaleString('en')} modified versions of ${count.toLocaleString('en')} cursors, ${misses.length} accepted.`,
      counts: { cursors: count, variants, accepted: misses.length },
      misses,
    }
  },
})
