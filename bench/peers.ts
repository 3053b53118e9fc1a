/**
 * The product compared with Platformatic DB, which serves the same rows from its SQLite database.
 * Both get the same requests in turn. If Platformatic DB cannot be installed, reports that and exits
 * without an error.
 */
import { join, resolve } from 'node:path'
import { formatCount } from '../tools/options.ts'
import { inSandbox, type Sandbox } from '../tools/sandbox.ts'
import { type Brand, fillBrand } from './brand.ts'
import { filteredPlaces, pageOf, placesOf, spreadGets, spreadOver } from './cases.ts'
import { createComparison, type RequestSet } from './comparison.ts'
import { readBenchOptions, rounds, seconds, text, whole } from './options.ts'
import { categories, itemId } from './order-items.ts'
import { installPlatformatic, peerName, startPlatformatic } from './platformatic.ts'
import { openProduct, type Server } from './product.ts'
import { publish } from './results.ts'
import { median, shuffled } from './statistics.ts'
import { tableOf } from './table.ts'
import { type Place, pageAt } from './walk.ts'

const connections = 32
const places = 2_000

export const readPeersOptions = (args: readonly string[]) =>
  readBenchOptions(args, {
    rows: whole(100_000, 1_000, 10_000_000),
    rounds: rounds(5),
    seconds: seconds(2),
    folder: text(''),
  })

type Options = ReturnType<typeof readPeersOptions>

/** The cases of the product, each with its exact total. */
const ours = ['page', 'filtered page', 'deep page', 'get'] as const
type Ours = (typeof ours)[number]

/** The requests of the peer, each with the product's case to compare. */
const theirs = [
  { name: 'first page of 25', beside: 'page' },
  { name: 'first page + exact total', beside: 'page' },
  { name: 'filtered page + exact total', beside: 'filtered page' },
  { name: 'deep page, theirs by offset', beside: 'deep page' },
  { name: 'deep page, theirs by cursor', beside: 'deep page' },
  { name: 'get', beside: 'get' },
] as const satisfies readonly { readonly name: string; readonly beside: Ours }[]
type Theirs = (typeof theirs)[number]['name']

const depth = 0.9

export const runPeers = (args: readonly string[]): Promise<number> => {
  const options = readPeersOptions(args)
  return inSandbox(async (sandbox) => {
    const folder = options.folder || join(sandbox.folder, 'platformatic')
    const problem = await installPlatformatic(sandbox, resolve(folder))
    if (problem !== null) {
      console.log(`Nothing was compared. ${problem}`)
      return 0
    }
    const figures = await compare(sandbox, resolve(folder), options)
    const { rows, rounds: count, seconds: length } = options
    publish(
      sandbox,
      options,
      'peers',
      { peer: peerName, rows, rounds: count, seconds: length, connections, figures },
      reportOf(rows, figures),
    )
    return 0
  })
}

interface Lane {
  readonly server: Server
  readonly requestSet: RequestSet
  readonly perSecond: number[]
}

const compare = async (
  sandbox: Sandbox,
  folder: string,
  { rows, rounds: count, seconds: length }: Options,
): Promise<readonly Figures[]> => {
  const product = openProduct(sandbox, 'peers', `sqlite:${join(sandbox.folder, 'peers.db')}`)
  const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
  const { items, headers } = brand
  const serve = () => product.serve({ path: pageAt(items, '', 1), headers })
  const paths = await sandbox.step('looking for pages to ask for', async () => {
    const guide = await serve()
    const results = await ourPaths(guide, brand)
    await guide.close()
    return results
  })
  const own = await serve()
  const peer = await startPlatformatic(sandbox, folder, rows)
  const comparison = createComparison(sandbox.folder, connections)
  const laneOf = (server: Server, name: string, paths: readonly string[], headers = {}): Lane => ({
    server,
    requestSet: comparison.requests(name, paths, headers),
    perSecond: [],
  })
  const theirLanes = new Map(
    Object.entries(theirPaths(rows)).map(([name, sent]) => [
      name,
      laneOf(peer, `theirs ${name}`, sent),
    ]),
  )
  const neverSeen = new Map(
    ours.map((name) => [name, laneOf(own, `never seen ${name}`, paths[name].neverSeen, headers)]),
  )
  const repeated = new Map(
    ours.map((name) => [name, laneOf(own, `repeated ${name}`, [paths[name].repeated], headers)]),
  )
  const lanes = [...theirLanes.values(), ...neverSeen.values(), ...repeated.values()]
  for (let round = 0; round <= count; round += 1) {
    sandbox.log(round === 0 ? 'warming up' : `round ${round} of ${count}`)
    for (const { server, requestSet, perSecond } of lanes) {
      const measured = await comparison.measure(server, requestSet, length)
      if (round > 0) perSecond.push(measured.perSecond)
    }
  }
  return theirs.map(({ name, beside }) => ({
    name,
    theirs: medianOf(theirLanes.get(name)),
    neverSeen: medianOf(neverSeen.get(beside)),
    repeated: medianOf(repeated.get(beside)),
  }))
}

const medianOf = (lane: Lane | undefined): number => median(lane?.perSecond ?? [])

const ourPaths = async (guide: Server, brand: Brand): Promise<Record<Ours, OurPaths>> => {
  const { items, rows } = brand
  const pages = await placesOf(guide, brand, places)
  const deep = pages.filter(({ position }) => position > rows * depth)
  const filtered = await filteredPlaces(guide, brand, places)
  const shallow = pages.filter(({ position }) => position <= rows * depth)
  const pathsAt = (at: readonly Place[]): OurPaths => ({
    repeated: pageAt(items, at[0]?.query ?? '', 25),
    neverSeen: spreadOver(pageOf(items), at.slice(1)),
  })
  return {
    page: pathsAt(shallow),
    'filtered page': pathsAt(filtered),
    'deep page': pathsAt(deep),
    get: { repeated: `${items}/${itemId(0)}`, neverSeen: spreadGets(brand) },
  }
}

interface OurPaths {
  readonly repeated: string
  readonly neverSeen: readonly string[]
}

const theirPaths = (rows: number): Record<Theirs, readonly string[]> => {
  const page = '/orderItems?limit=25'
  const last = Array.from({ length: rows }, (_, n) => itemId(n)).sort()[Math.floor(rows * depth)]
  const after = encodeURIComponent(Buffer.from(JSON.stringify({ id: last })).toString('base64'))
  return {
    'first page of 25': [page],
    'first page + exact total': [`${page}&totalCount=true`],
    'filtered page + exact total': categories.map(
      (category) => `${page}&totalCount=true&where.category.eq=${category}`,
    ),
    'deep page, theirs by offset': [`${page}&orderby.id=asc&offset=${Math.floor(rows * depth)}`],
    'deep page, theirs by cursor': [`${page}&orderby.id=asc&cursor=true&startAfter=${after}`],
    get: shuffled(
      Array.from({ length: Math.min(rows, 50_000) }, (_, n) => `/orderItems/${itemId(n)}`),
      5,
    ),
  }
}

interface Figures {
  readonly name: Theirs
  readonly theirs: number
  readonly neverSeen: number
  readonly repeated: number
}

const reportOf = (rows: number, figures: readonly Figures[]): string => {
  const whole = (value: number) => formatCount(Math.round(value))
  const times = (value: number) => `${value < 10 ? value.toFixed(1) : whole(value)} ×`
  const heads = ['', peerName, 'Selvedge, never seen', '', 'Selvedge, repeated', '']
  const table = tableOf(
    heads,
    figures.map((each) => [
      each.name,
      whole(each.theirs),
      whole(each.neverSeen),
      times(each.neverSeen / each.theirs),
      whole(each.repeated),
      times(each.repeated / each.theirs),
    ]),
  )
  return `${table}

Requests a second with ${formatCount(rows)} order items, ${connections} connections, SQLite on both sides.
Selvedge checks a key and a rate, writes an access log, and answers with the exact total always.`
}
