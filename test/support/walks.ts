/** Walks through lists while others write, and what must hold of each. */
import { fork } from 'node:child_process'
import { basePath, catalog, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { brandRecord, idOf, recordsAt, seeded } from './model.ts'
import type { TestService } from './service.ts'

export const at = (brand: string, rest: string): string => `${basePath}/brands/${brand}/${rest}`

/** The records that stay unchanged; others are added and removed between them. */
export const staying = Array.from({ length: 60 }, (_, index) => idOf(1_000 + index * 4))
const stays = new Set(staying)

interface PageSeen {
  readonly ids: readonly string[]
  readonly total: number
  /** What `mark` said before the page was asked for, and once it was there. */
  readonly from: number
  readonly to: number
}

interface Reader {
  readonly service: TestService
  readonly key: string
}

/** Reads a list to its end, giving way to writers between the pages. */
export const walkSlowly = async (
  { service, key }: Reader,
  url: string,
  limit: number,
  mark: () => number,
): Promise<readonly PageSeen[]> => {
  const pages: PageSeen[] = []
  let cursor: string | null = null
  do {
    const from = mark()
    const more: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, body, text } = await service.get(
      `${url}${url.includes('?') ? '&' : '?'}limit=${limit}${more}`,
      { key },
    )
    if (status !== 200) throw new RangeError(`${url}: ${status} ${text}`)
    const ids = body.items.map(({ id }: { id: string }) => id)
    pages.push({ ids, total: body.totalItems, from, to: mark() })
    cursor = body.nextCursor
    await new Promise((resolve) => setTimeout(resolve, 1))
  } while (cursor !== null)
  return pages
}

/** What was wrong: everything that stayed is seen once, nothing twice, all of it in order. */
export const missed = (pages: readonly PageSeen[], where: string): readonly string[] => {
  const seen = pages.flatMap(({ ids }) => ids)
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((id, index) => id === other[index])
  return [
    ...(new Set(seen).size === seen.length ? [] : [`${where} saw a record twice`]),
    ...(same(seen, [...seen].sort()) ? [] : [`${where} lost its order`]),
    ...(same(
      seen.filter((id) => stays.has(id)),
      staying,
    )
      ? []
      : [`${where} missed a record that stayed`]),
  ]
}

export interface WalkOptions extends Reader {
  /** A brand that is not there yet. */
  readonly brand: string
  readonly walks: number
  readonly seed: number
  readonly log?: (sentence: string) => void
}

export interface Walked {
  readonly walks: number
  readonly pages: number
  readonly writes: number
  readonly misses: readonly string[]
}

/** Walks of five kinds, five at a time, while three writers of this process add, change and remove. */
export const walkUnderWriters = async (options: WalkOptions): Promise<Walked> => {
  const { service, key, brand, walks, seed, log = () => undefined } = options
  const { store } = service.records
  const [product] = recordsAt('parent-products')
  const [link] = recordsAt('product-tags')
  const products = resourceAt(catalog, 'parent-products')
  const links = resourceAt(catalog, 'product-tags')
  const tagId = idOf(7)
  const productOf = (id: string, status: string): DemoRecord => ({
    ...product,
    id,
    status,
    styleNumber: id,
  })
  const linkOf = (productId: string): DemoRecord => ({ ...link, productId, tagId })
  await service.write(brand, {
    brand: [brandRecord(brand, 1)],
    'parent-products': staying.map((id) => productOf(id, 'staying')),
    'product-tags': staying.map(linkOf),
  })

  // For each committed state: how many products there are, and how many have the tag.
  const passing = new Map<string, boolean>()
  const states: (readonly [number, number])[] = [[60, 60]]
  let committed = 0
  let stopped = false
  const draw = seeded(seed)
  const writers = Array.from({ length: 3 }, async () => {
    while (!stopped) {
      const ids = Array.from({ length: 1 + draw(4) }, () => idOf(1_000 + draw(240)))
      const others = [...new Set(ids)].filter((id) => !stays.has(id))
      const going = draw(3) === 0
      const tagged = draw(2) === 0
      const mine = await store.write(brand, async (writer) => {
        for (const id of others) {
          if (going) passing.delete(id)
          else passing.set(id, tagged)
        }
        const withTag = [...passing.values()].filter(Boolean).length
        states.push([60 + passing.size, 60 + withTag])
        const state = states.length - 1
        const status = `round ${states.length}`
        const asKeys = others.map((id) => [id])
        const asLinks = others.map((id) => [id, tagId])
        if (going) await writer.stageRemoval(products, asKeys)
        else {
          await writer.stage(
            products,
            others.map((id) => productOf(id, status)),
          )
        }
        if (going || !tagged) await writer.stageRemoval(links, asLinks)
        else await writer.stage(links, others.map(linkOf))
        // One that stays is written over with what it is.
        await writer.stage(products, [productOf(staying[3] ?? '', 'staying')])
        await writer.merge(products)
        await writer.merge(links)
        return state
      })
      committed = Math.max(committed, mine)
      await new Promise((resolve) => setTimeout(resolve, 1 + draw(8)))
    }
  })

  const kinds = [
    { url: 'parent-products', place: 0 },
    { url: `parent-products?tagId=${tagId}`, place: 1 },
    { url: 'parent-products?status=staying', place: null },
    { url: `parent-products?tagId=${tagId}&status=staying`, place: null },
    { url: 'parent-products?include=category', place: 0 },
  ] as const
  const misses: string[] = []
  let begun = 0
  let pagesSeen = 0
  const lane = async () => {
    for (let turn = begun; turn < walks; turn = begun) {
      begun += 1
      const kind = kinds[turn % kinds.length]
      if (!kind) continue
      const { url, place } = kind
      const limit = 1 + draw(30)
      const where = `walk ${turn} of ${url}, limit ${limit},`
      // The state that was there when the page was asked for, and any begun since.
      const pages = await walkSlowly({ service, key }, at(brand, url), limit, () => committed)
      pagesSeen += pages.length
      misses.push(...missed(pages, where))
      for (const { total, from, to } of pages) {
        const possible =
          place === null ? [60] : states.slice(from, to + 3).map((state) => state[place])
        if (!possible.includes(total)) misses.push(`${where} total ${total} is none of ${possible}`)
      }
      if ((turn + 1) % 50 === 0) log(`${turn + 1} of ${walks} walks`)
    }
  }
  try {
    await Promise.all(Array.from({ length: 5 }, lane))
  } finally {
    stopped = true
    await Promise.all(writers)
  }
  const [all = 0, tagged = 0] = states.at(-1) ?? []
  const totals = [
    ['parent-products', all],
    [`parent-products?tagId=${tagId}`, tagged],
    [`product-tags?tagId=${tagId}`, tagged],
  ] as const
  for (const [url, wanted] of totals) {
    const { totalItems } = (await service.get(at(brand, url), { key })).body
    if (totalItems !== wanted) misses.push(`in the end ${url} has ${totalItems}, not ${wanted}`)
  }
  return { walks: begun, pages: pagesSeen, writes: states.length - 1, misses }
}

interface Told {
  readonly began: number
  readonly done: number
  readonly count: number
}

/** Clocks of two processes agree to within a few milliseconds. */
const clockMs = 20

/** Walks while another process writes to the same database. */
export const walkUnderProcess = async (options: WalkOptions): Promise<Walked> => {
  const { service, key, brand, walks, seed, log = () => undefined } = options
  const [tag] = recordsAt('tags')
  await service.write(brand, {
    brand: [brandRecord(brand, 2)],
    tags: staying.map((id) => ({ ...tag, id, name: 'Staying', code: id })),
  })
  const states: Told[] = [{ began: 0, done: 0, count: 0 }]
  const writer = fork(
    new URL('walk-writer.ts', import.meta.url),
    [`sqlite:${service.folder}/selvedge.db`, brand, '1002', '60', String(seed)],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  writer.on('message', (state: Told) => states.push(state))
  const ended = new Promise((resolve) => writer.once('exit', resolve))
  while (states.length < 5) await new Promise((resolve) => setTimeout(resolve, 5))

  const mark = () => performance.timeOrigin + performance.now()
  const misses: string[] = []
  const seen: PageSeen[] = []
  let pagesSeen = 0
  const draw = seeded(seed)
  for (let turn = 0; turn < walks; turn += 1) {
    const limit = 1 + draw(30)
    const isFiltered = turn % 2 === 1
    const url = isFiltered ? 'tags?name=Staying' : 'tags'
    const where = `walk ${turn} of ${url}, limit ${limit},`
    const pages = await walkSlowly({ service, key }, at(brand, url), limit, mark)
    pagesSeen += pages.length
    misses.push(...missed(pages, where))
    if (!isFiltered) seen.push(...pages)
    else if (pages.some(({ total }) => total !== 60)) misses.push(`${where} had another total`)
    if ((turn + 1) % 50 === 0) log(`${turn + 1} of ${walks} walks`)
  }
  writer.send('stop')
  const code = await ended
  if (code !== 0) misses.push(`the writer ended with ${code}`)
  // A state may be seen from when its write began until the next write is done.
  for (const { total, from, to } of seen) {
    const possible = states.flatMap(({ began, count }, index) => {
      const until = states[index + 1]?.done ?? Number.POSITIVE_INFINITY
      return began - clockMs <= to && until + clockMs >= from ? [60 + count] : []
    })
    if (!possible.includes(total)) {
      misses.push(`total ${total} is none of ${[...new Set(possible)]}`)
    }
  }
  const { totalItems } = (await service.get(at(brand, 'tags?limit=1'), { key })).body
  const wanted = 60 + (states.at(-1)?.count ?? 0)
  if (totalItems !== wanted) misses.push(`in the end there are ${totalItems}, not ${wanted}`)
  return { walks, pages: pagesSeen, writes: states.length - 1, misses }
}
