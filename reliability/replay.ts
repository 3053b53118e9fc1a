/**
 * Sends the same requests to the servers of two checkouts and compares the responses byte by byte:
 * `npm run reliability -- replay --before <folder of the other checkout>`. `--after` names a folder
 * instead of this checkout. Both servers have the same data, keys and secret. Dates, request ids,
 * timings, rate-limit counts and the wording of messages may differ.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { season } from '#demo'
import { type Checkout, openCheckouts, readCheckout } from '../bench/checkouts.ts'
import { ownCheckout, type Server } from '../bench/product.ts'
import type { Engine } from '../bench/targets.ts'
import { openBrandsModel } from '../test/support/brands.ts'
import { seeded } from '../test/support/model.ts'
import { openSocket } from '../test/support/raw-socket.ts'
import { openSpeaker, shapes } from '../test/support/shapes.ts'
import { askAll, type WireAnswer, wireOf } from '../test/support/wire.ts'
import { oneOf, readOptions, whole } from '../tools/options.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { defaultSeed } from './check.ts'
import { openRounds } from './engines/requests.ts'
import { openFuzzer } from './fuzz/requests.ts'
import { type Difference, differenceOf, messagesIn } from './replay/compare.ts'
import { createData, demoBrand, demoOrders, type ReplayKeys } from './replay/data.ts'
import {
  agentRequests,
  allowedOrigin,
  feedRequests,
  followUps,
  limitedRequests,
  operationRequests,
  plainRequests,
  type ReplayRequest,
} from './replay/requests.ts'

export interface ReplayOptions {
  readonly before: Checkout
  readonly after: Checkout
  readonly requests: number
  readonly engine: Engine
  readonly seed: number
}

export interface ReplayResult {
  readonly requests: number
  /** Messages sent on separate connections, such as malformed ones. */
  readonly connections: number
  readonly different: number
  readonly statuses: Readonly<Record<string, number>>
  readonly groups: readonly DifferenceGroup[]
}

/** Differences of one kind, with the first example. */
export interface DifferenceGroup extends Difference {
  readonly group: string
  readonly count: number
  readonly request: string
}

/** Requests sent to both servers before comparing their responses. */
const batchSize = 500

const settings = {
  CHANGE_FEED: 'on',
  CORS_ORIGINS: allowedOrigin,
  IMAGE_LINK_MINUTES: '60',
  PUBLIC_RATE_BURST: '1000000',
  PUBLIC_RATE_PER_SECOND: '1000000',
  PUBLIC_URL: 'http://api.example',
  TRUSTED_PROXIES: '127.0.0.1',
  // The number of standby workers, by its name in each checkout.
  SPARE_WORKERS: '0',
  STANDBY_WORKERS: '0',
}

export const replay = (options: ReplayOptions): Promise<ReplayResult> =>
  inSandbox(async (sandbox) => {
    const model = openBrandsModel(2)
    const { before, after, copy } = await openCheckouts(sandbox, { ...options, settings })
    const keys = await sandbox.step('creating the data', () => createData(sandbox, before, model))
    await copy()
    const readiness = { path: '/readyz', headers: {} }
    const servers = [await before.serve(readiness), await after.serve(readiness)] as const

    const findings = collectDifferences()
    const connections = await sandbox.step('sending messages on connections of their own', () =>
      compareConnections(servers, keys, findings.add),
    )
    const draw = seeded(options.seed)
    const records: { [path: string]: { [name: string]: unknown }[] } = {}
    for (const { path, record } of season({ brand: demoBrand, orders: demoOrders, seed: 1 })) {
      records[path] ??= []
      records[path].push(record)
    }
    const rounds = openRounds(draw, records, [demoBrand, demoBrand, 'aldermoor', 'nobody'])
    const fuzzer = openFuzzer(options.seed, draw, model, keys)
    const source = drawRequests(keys, rounds, fuzzer, builtFiles(options))

    let sent = 0
    await sandbox.step('sending requests', async () => {
      const limited = limitedRequests(keys)
      for (const request of limited) await compareBatch(servers, [request], findings)
      sent += limited.length
      while (sent < options.requests) {
        const size = Math.min(batchSize, options.requests - sent)
        const batch = Array.from({ length: size }, source.next)
        await compareBatch(servers, batch, findings, source.learn)
        sent += size
        if (sent % 10_000 < batchSize) {
          sandbox.log(`${sent} requests, ${findings.count()} responses differ`)
        }
      }
    })
    return { requests: sent, connections, ...findings.result() }
  })

/** Console files that both checkouts built under the same name. */
const builtFiles = ({ before, after }: ReplayOptions): readonly string[] => {
  const [files, others] = [before, after].map(({ folder }) => {
    const assets = join(folder, 'console/dist/assets')
    return existsSync(assets) ? readdirSync(assets) : []
  })
  return (files ?? [])
    .filter((file) => others?.includes(file) && !/\.(br|gz)$/.test(file))
    .map((file) => `/assets/${file}`)
}

interface RequestSource {
  next(): ReplayRequest
  /** Stores cursors and ETags of a response for later requests. */
  learn(request: ReplayRequest, response: WireAnswer): void
}

/** Requests of every kind in turn, then generated ones without end. */
const drawRequests = (
  keys: ReplayKeys,
  rounds: ReturnType<typeof openRounds>,
  fuzzer: ReturnType<typeof openFuzzer>,
  files: readonly string[],
): RequestSource => {
  const authorization = { Authorization: `Bearer ${keys.of.global}` }
  const fuzzed = fuzzer.requests(Number.MAX_SAFE_INTEGER)[Symbol.iterator]()
  const origins = new Map<ReplayRequest, ReturnType<(typeof fuzzed)['next']>['value']>()
  const waiting: ReplayRequest[] = []
  const nextRound = (): ReplayRequest => {
    const target = rounds.next()
    const kind = /\/content(\?|$)/.test(target) ? 'image link' : 'records'
    const wire = wireOf('GET', target, authorization)
    return { group: 'filters and includes', method: 'GET', target, wire, kind }
  }
  const nextFuzzed = (): ReplayRequest => {
    const origin = fuzzed.next().value
    const { method, target, wire } = origin
    const kind = /\/content(\?|$)/.test(target)
      ? 'image link'
      : /^\/($|\?|assets|docs)/.test(target)
        ? 'built file'
        : 'records'
    const request = { group: 'generated', method, target, wire, kind } as const
    origins.set(request, origin)
    return request
  }
  const sources = [
    operationRequests(keys),
    plainRequests(keys, files),
    feedRequests(keys),
    agentRequests(keys),
  ].map((each) => each[Symbol.iterator]())
  let turn = 0
  const next = (): ReplayRequest => {
    const followUp = waiting.shift()
    if (followUp) return followUp
    turn += 1
    // Half of the requests are generated from the start, so that a short run contains all kinds.
    if (turn % 4 === 0) return nextRound()
    if (turn % 4 === 2) return nextFuzzed()
    while (sources.length > 0) {
      const place = (turn >> 1) % sources.length
      const { done, value } = sources[place]?.next() ?? { done: true }
      if (!done && value) return value
      sources.splice(place, 1)
    }
    return nextRound()
  }
  return {
    next,
    learn: (request, response) => {
      const origin = origins.get(request)
      if (origin) {
        origins.delete(request)
        fuzzer.learn(origin, response)
        return
      }
      const followed = followUps(request, response.head, response.bytes.toString('latin1'))
      if (request.group !== 'filters and includes') waiting.push(...followed)
      const cursor = /"nextCursor":"([^"]+)"/.exec(response.bytes.toString('latin1').slice(-1_000))
      if (request.group === 'filters and includes' && cursor?.[1]) {
        rounds.learn(request.target, cursor[1])
      }
    },
  }
}

type Servers = readonly [before: Server, after: Server]
type Findings = ReturnType<typeof collectDifferences>

const compareBatch = async (
  servers: Servers,
  batch: readonly ReplayRequest[],
  findings: Findings,
  learn: RequestSource['learn'] = () => undefined,
): Promise<void> => {
  const [ours, theirs] = await responsesOfBoth(servers, batch, findings)
  for (const [place, request] of batch.entries()) {
    const [before, after] = [ours[place], theirs[place]]
    if (!before || !after) continue
    findings.saw(before.status)
    const difference =
      responseDifference(before, after, request) &&
      (await responseDifferenceAlone(servers, request, findings))
    if (difference) findings.add(request.group, request.wire, difference)
    learn(request, before)
  }
}

type Responses = readonly (WireAnswer | undefined)[]

const responsesOfBoth = (
  servers: Servers,
  batch: readonly ReplayRequest[],
  findings: Findings,
): Promise<[Responses, Responses]> => {
  const requests = batch.map((request, place) => ({ ...request, place }))
  const responsesOf = async ({ port }: Server): Promise<Responses> => {
    const responses: (WireAnswer | undefined)[] = []
    await askAll(`http://127.0.0.1:${port}`, requests, ({ place }, response) => {
      responses[place] = response
    }).catch((error: Error) => findings.lost(error.message))
    return responses
  }
  return Promise.all([responsesOf(servers[0]), responsesOf(servers[1])])
}

const responseDifference = (
  before: WireAnswer,
  after: WireAnswer,
  request: ReplayRequest,
): Difference | null =>
  differenceOf(
    { head: before.head, body: before.bytes },
    { head: after.head, body: after.bytes },
    request,
  )

/**
 * The difference that remains if the request is repeated alone. On a busy machine one of the
 * servers may time out under the load of a batch.
 */
const responseDifferenceAlone = async (
  servers: Servers,
  request: ReplayRequest,
  findings: Findings,
): Promise<Difference | null> => {
  const [[before], [after]] = await responsesOfBoth(servers, [request], findings)
  return before && after ? responseDifference(before, after, request) : null
}

/** How long a connection may stay open before the received data is compared. */
const connectionMs = 15_000

/** Sends each malformed message on a separate connection, then a valid one if it is still open. */
const compareConnections = async (
  servers: Servers,
  keys: ReplayKeys,
  add: Findings['add'],
): Promise<number> => {
  const messages = Object.entries(shapes).flatMap(([about, cases]) =>
    cases.map(({ what, send }) => ({ group: `odd ${about}`, what, send })),
  )
  let next = 0
  const lane = async () => {
    for (let each = messages[next++]; each; each = messages[next++]) {
      const { group, what, send } = each
      const text = send(openSpeaker(`http://127.0.0.1:${servers[0].port}`, keys.of.aldermoor))
      let difference: Difference | null = null
      for (let tries = 0; tries === 0 || (difference && tries < triesMax); tries += 1) {
        const [before, after] = await Promise.all([
          converse(servers[0].port, text),
          converse(servers[1].port, text),
        ])
        difference = connectionDifference(before, after, text)
      }
      if (difference) add(group, what, difference)
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return messages.length
}

/**
 * The server may notice a bad body before or after it responds, depending on how the bytes arrive.
 * A difference therefore counts only if it occurs every time.
 */
const triesMax = 8

const connectionDifference = (
  before: Received,
  after: Received,
  wire: string,
): Difference | null => {
  const [ours, theirs] = [messagesIn(before.text), messagesIn(after.text)]
  for (const [index, message] of ours.entries()) {
    const other = theirs[index]
    const difference = other && differenceOf(message, other, { wire, kind: 'records' })
    if (difference) return difference
  }
  const end = ({ closed }: Received, { length }: typeof ours) =>
    `${length} responses, ${closed ? 'closed' : 'open'}`
  const [one, other] = [end(before, ours), end(after, theirs)]
  return one === other ? null : { part: 'end of the connection', before: one, after: other }
}

interface Received {
  readonly text: string
  readonly closed: boolean
}

const converse = async (port: number, text: string): Promise<Received> => {
  const socket = openSocket(`http://127.0.0.1:${port}`)
  socket.send(text)
  await socket.until(({ answers, closed }) => closed || answers.length > 0, connectionMs)
  socket.send(wireOf('GET', '/healthz', { Connection: 'close' }))
  const { closed } = await socket.until((said) => said.closed, connectionMs)
  socket.destroy()
  return { text: socket.received(), closed }
}

const collectDifferences = () => {
  const groups = new Map<string, { first: Omit<DifferenceGroup, 'count'>; count: number }>()
  const statuses = new Map<number, number>()
  let different = 0
  const add = (group: string, request: string, difference: Difference): void => {
    different += 1
    const name = `${group}: ${difference.part}`
    const earlier = groups.get(name)
    if (earlier) earlier.count += 1
    else groups.set(name, { first: { group, request, ...difference }, count: 1 })
  }
  return {
    add,
    lost: (message: string) =>
      add('unanswered', message, { part: 'response', before: message, after: message }),
    saw: (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1),
    count: () => different,
    result: (): Pick<ReplayResult, 'different' | 'groups' | 'statuses'> => ({
      different,
      statuses: Object.fromEntries(statuses),
      groups: [...groups.values()].map(({ first, count }) => ({ ...first, count })),
    }),
  }
}

/** Maximum length of a printed request. */
const shownMax = 400

/** The command: prints the first difference of each kind and a line of JSON. */
export const runReplay = async (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    before: { type: 'string' },
    after: { type: 'string', default: ownCheckout },
    requests: { type: 'string', default: '100000' },
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(defaultSeed) },
  })
  const result = await replay({
    before: readCheckout('before', values.before),
    after: readCheckout('after', values.after),
    requests: whole('requests', values.requests, 1, 100_000_000),
    engine: oneOf('--engine', values.engine, ['sqlite', 'postgres']),
    seed: whole('seed', values.seed, 0, 2 ** 31 - 1),
  })
  for (const { group, part, count, request, before, after } of result.groups) {
    const shown = JSON.stringify(request).slice(0, shownMax)
    process.stderr.write(`\n${group}: ${part} differs (${count} times). ${shown}\n`)
    process.stderr.write(`  before: ${before}\n  after:  ${after}\n`)
  }
  const { requests, connections, different } = result
  const total = (requests + connections).toLocaleString('en')
  process.stderr.write(`\n${total} requests and messages, ${different} answered differently.\n`)
  process.stdout.write(`${JSON.stringify(result)}\n`)
  return different === 0 ? 0 : 1
}
