/**
 * Each message sends requests on several connections without a pause for some seconds, waits for
 * their responses and reports the results.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../../bench/statistics.ts'
import { seeded } from '../../test/support/model.ts'
import type { Request, Slice } from './requests.ts'
import { type ExpectedResponse, readHead } from './response.ts'

const [, , port = '', file = '', seed = '', connections = ''] = process.argv
const requests = JSON.parse(readFileSync(file, 'utf8')) as readonly Request[]
const draw = seeded(Number(seed))

let going = false
let sent = 0
let took: number[] = []
let wrong: string[] = []
let resting = 0
let rest: () => void = () => undefined
const lanes: (() => void)[] = []

const openLane = () => {
  let socket = connectAgain()
  let request: Request | undefined
  let at = 0
  let seen: Buffer | null = null
  let awaited: ExpectedResponse | null = null
  let received = 0

  function connectAgain() {
    const opened = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
    opened.on('data', (chunk: Buffer) => {
      if (opened === socket) read(chunk)
    })
    // A server may close a connection after its maximum number of requests, but not during a
    // request.
    opened.on('close', () => {
      if (opened !== socket) return
      if (request) wrong.push(`The connection was closed under ${request.text.split('\r\n')[0]}`)
      socket = connectAgain()
      if (request) next()
    })
    opened.on('error', () => undefined)
    return opened
  }
  const read = (chunk: Buffer) => {
    received += chunk.length
    if (!awaited) {
      seen = seen ? Buffer.concat([seen, chunk]) : chunk
      awaited = readHead(seen)
    }
    if (!awaited || received < awaited.bytes || !request) return
    took.push(performance.now() - at)
    if (!request.statuses.includes(awaited.status)) {
      wrong.push(`${awaited.status} for ${request.text.split('\r\n')[0]}`)
    }
    const closes = /\r\nconnection: close\r\n/i.test(seen?.toString('latin1', 0, 2_000) ?? '')
    request = undefined
    if (closes) {
      const old = socket
      socket = connectAgain()
      old.destroy()
    }
    next()
  }
  const next = () => {
    seen = null
    awaited = null
    received = 0
    if (!going) {
      request = undefined
      resting += 1
      if (resting === lanes.length) rest()
      return
    }
    request = requests[draw(requests.length)]
    sent += 1
    at = performance.now()
    socket.write(request?.text.replace('{n}', String(sent)) ?? '', 'latin1')
  }
  return next
}

for (let count = 0; count < Number(connections); count += 1) lanes.push(openLane())
resting = lanes.length

process.on('message', async ({ seconds }: { readonly seconds: number }) => {
  going = true
  resting = 0
  for (const lane of lanes) lane()
  await wait(seconds * 1_000)
  const rested = new Promise<void>((resolve) => {
    rest = resolve
  })
  going = false
  await rested
  const sorted = Float64Array.from(took).sort()
  const slice: Slice = {
    requests: took.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    wrong: wrong.length,
    examples: wrong.slice(0, 3),
  }
  took = []
  wrong = []
  process.send?.(slice)
})
process.once('disconnect', () => process.exit())
