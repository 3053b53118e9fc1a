import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { basePath } from '#contract'
import { generateKey } from '#keys'
import { openBrandsModel } from '../test/support/brands.ts'
import { seeded } from '../test/support/model.ts'
import { wireOf } from '../test/support/wire.ts'
import { check } from './check.ts'
import { openServingProcess } from './server-process.ts'
import { cropped, welch } from './timing/welch.ts'

interface Size {
  /** Samples per class. */
  readonly samples: number
  readonly tMax: number
}

/** The usual threshold of leakage tests: above it, two classes are distinguishable. */
const threshold = 4.5

/**
 * Refusals with the same response: within a group, timing must not reveal more than the text. Each
 * group has its first class twice; the difference between the two is the noise.
 */
const groups = {
  invalid_api_key: ['unknown', 'revoked', 'unknown again'],
  out_of_scope: ['other brand', 'no such brand', 'other brand again'],
  expired_api_key: ['expired', 'expired, no such brand', 'expired again'],
} as const

export default check<Size>({
  id: 'R4',
  claim: 'The timing of an error reveals no more than its text.',
  target: `Errors with the same text cannot be distinguished by their timing: |t| < ${threshold} (Welch, without the slowest tenth) over 20,000 of each kind, requested in random order, one at a time. A kind compared with itself shows the noise.`,
  sizes: {
    short: { samples: 150, tMax: 25 },
    full: { samples: 20_000, tMax: threshold },
  },
  try: async ({ samples, tMax }, { seed, log }) => {
    const serving = await openServingProcess(openBrandsModel(1), { LOG_LEVEL: 'warn' })
    try {
      const { keys } = serving.records
      const issue = (brand: string, expiresAt: string | null = null) =>
        keys.issue({
          name: 'timing',
          brands: [brand],
          global: false,
          expiresAt,
          perSecond: null,
          burst: null,
        })
      const revoked = await issue('aldermoor')
      await keys.revoke(revoked.id)
      const expired = (await issue('aldermoor', '2020-01-01T00:00:00.000Z')).key
      const foreign = (await issue('birkholm')).key
      // Has the form of a key but was never issued here.
      const stranger = generateKey(randomBytes).key
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const kinds: { readonly [name: string]: readonly [key: string, brand: string] } = {
        unknown: [stranger, 'aldermoor'],
        'unknown again': [stranger, 'aldermoor'],
        revoked: [revoked.key, 'aldermoor'],
        'other brand': [foreign, 'aldermoor'],
        'other brand again': [foreign, 'aldermoor'],
        'no such brand': [foreign, 'aldernoor'],
        expired: [expired, 'aldermoor'],
        'expired again': [expired, 'aldermoor'],
        'expired, no such brand': [expired, 'aldernoor'],
      }
      const names = Object.keys(kinds)
      const times = names.map(() => new Float64Array(samples))
      let ask = await createIpcConnection(serving.url)
      const draw = seeded(seed)
      let sent = 0
      for (let round = -50; round < samples; round += 1) {
        // The server closes a connection after this many requests.
        if (round > 0 && round % 5_000 === 0) {
          ask.end()
          ask = await createIpcConnection(serving.url)
        }
        for (const place of shuffled(names.length, draw)) {
          const [key, brand] = kinds[names[place] ?? ''] ?? ['', '']
          sent += 1
          const took = await ask(
            wireOf('GET', `${basePath}/brands/${brand}/tags`, {
              Authorization: `Bearer ${key}`,
              // Refusals are counted by address, so each request uses a new address.
              'X-Forwarded-For': `fd00:0:${(sent >> 16).toString(16)}:${(sent & 65_535).toString(16)}::1`,
            }),
          )
          const own = times[place]
          if (own && round >= 0) own[round] = took
        }
        if (round > 0 && (round + 1) % 5_000 === 0) log(`${round + 1} of ${samples} of each`)
      }
      ask.end()

      const summaries = cropped(times)
      const misses: string[] = []
      const reported: string[] = []
      const counts: { [name: string]: number } = { samples, kinds: names.length }
      for (const [code, [first, second, again]] of Object.entries(groups)) {
        const at = (name: string) =>
          summaries[names.indexOf(name)] ?? { count: 0, mean: 0, variance: 0 }
        const t = Math.abs(welch(at(first), at(second)))
        const noise = Math.abs(welch(at(first), at(again)))
        const micros = Math.round(at(first).mean)
        reported.push(
          `${first} and ${second} ${t.toFixed(1)} (itself ${noise.toFixed(1)}, ${micros} µs)`,
        )
        counts[`${code}_t`] = Math.round(t * 10) / 10
        counts[`${code}_noise`] = Math.round(noise * 10) / 10
        if (noise >= tMax)
          misses.push(`${first} differs from itself by ${noise.toFixed(1)}: too noisy to tell.`)
        else if (t >= tMax) misses.push(`${first} and ${second} differ by ${t.toFixed(1)}.`)
      }
      return {
        measured: `${samples.toLocaleString('en')} of each kind, |t|: ${reported.join('; ')}.`,
        counts,
        misses,
      }
    } finally {
      await serving.close()
    }
  },
})

const shuffled = (length: number, draw: (below: number) => number): readonly number[] => {
  const order = Array.from({ length }, (_, index) => index)
  for (let last = length - 1; last > 0; last -= 1) {
    const other = draw(last + 1)
    ;[order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0]
  }
  return order
}

/** One connection with one request at a time. Returns the duration in microseconds. */
const createIpcConnection = async (url: string) => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  await new Promise((resolve) => socket.once('connect', resolve))
  let heard: () => void = () => undefined
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const end = received.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
    if (end !== -1 && received.length >= end + 4 + length) heard()
  })
  const ask = async (wire: string): Promise<number> => {
    received = ''
    const answered = new Promise<void>((resolve) => {
      heard = resolve
    })
    const began = process.hrtime.bigint()
    socket.write(wire, 'latin1')
    await answered
    const took = Number(process.hrtime.bigint() - began) / 1_000
    if (!received.startsWith('HTTP/1.1 401 ')) throw new RangeError(received.slice(0, 300))
    return took
  }
  return Object.assign(ask, { end: () => socket.destroy() })
}
