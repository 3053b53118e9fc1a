/** Asks with limited keys, with cold and warm caches, and reports what they must not have got. */
import assert from 'node:assert/strict'
import { catalog, todayFigures, trendFigures } from '#contract'
import {
  addBeside,
  groupsIn,
  openGroups,
  type Probe,
  passingProbes,
  probesOf,
  rowProbes,
  type ScopedService,
  type ToolProbe,
  toolProbes,
  toolProbesOf,
} from './group-scopes.ts'
import { seeded } from './model.ts'
import type { ViewRecord } from './view-model.ts'

export interface ProbeSize {
  /** Requests of each kind that are answered, and that are refused; all by default. */
  readonly each?: number
  readonly seed: number
  readonly environment?: { readonly [name: string]: string }
  /** Of the service without the other groups. */
  readonly otherEnvironment?: { readonly [name: string]: string }
  /** Stops after so many violations. */
  readonly wrongMax?: number
}

export interface ProbeResult {
  readonly sent: number
  readonly refused: number
  readonly compared: number
  readonly wrong: readonly string[]
}

/**
 * Most groups, without some that others refer to, are linked through, or are counted by: a figure of
 * documents, of the day and of a supplier each, the parts of a document, and those with pictures.
 */
export const tellingScope: readonly string[] = catalog.resources
  .map(({ path }) => path)
  .filter(
    (path) =>
      ![
        ...['production-runs', 'goods-receipt-lines', 'invoices', 'shipment-items', 'images'],
        ...['order-shipments', 'payments', 'partners'],
      ].includes(path),
  )

/** About half of all groups, drawn by a seed. */
export const drawScope = (seed: number): readonly string[] => {
  const draw = seeded(seed)
  return catalog.resources.map(({ path }) => path).filter(() => draw(2) === 0)
}

/** Tries a random scope. `brand` is part of every scope. */
export const probeScope = async (
  groups: readonly string[],
  size: ProbeSize,
): Promise<ProbeResult> => {
  const all = new Set(catalog.resources.map(({ path }) => path))
  const full = await openGroups(all, size.environment)
  const reduced = await openGroups(new Set(groups), size.otherEnvironment)
  try {
    await addBeside(full)
    return await probe(full, reduced, new Set([...groups, 'brand']), size)
  } finally {
    await full.close()
    await reduced.close()
  }
}

const probe = async (
  full: ScopedService,
  reduced: ScopedService,
  scope: ReadonlySet<string>,
  { each: most = Number.POSITIVE_INFINITY, seed, wrongMax = Number.POSITIVE_INFINITY }: ProbeSize,
): Promise<ProbeResult> => {
  const limited = await full.limitedKey([...scope])
  const wrong: string[] = []
  let sent = 0
  let refused = 0
  let compared = 0

  /** Whether an answer is what a key of the scope may get. */
  const judge = (about: string, text: string): boolean => {
    const outside = [...groupsIn(text)].filter((group) => !scope.has(group))
    if (outside.length > 0) wrong.push(`${about} shows records of ${outside.join(', ')}.`)
    return outside.length === 0
  }

  /** What has no marker: the names of groups, and figures of all groups. */
  const judgeNames = (path: string, text: string): void => {
    // Records may name groups in their own fields; answers with records are compared instead.
    const isPage = /\/(sources|quality|today)\b/.test(path)
    // A row in quarantine says what it refers to, as a record does.
    const own = text.replaceAll(/"(?:waitsFor|parent)":\{[^}]*\}/g, '')
    for (const [, group = ''] of isPage
      ? own.matchAll(/"(?:group|collection)":"([a-z-]+)"/g)
      : []) {
      if (!scope.has(group)) wrong.push(`${path} names ${group}.`)
    }
    if (path.includes('/today/trend')) {
      const { days } = JSON.parse(text)
      for (const name of trendFigures) {
        const isShown = days.some(({ figures }: ViewRecord) => figures[name].items)
        if (isShown && !scope.has(todayFigures[name].group)) wrong.push(`${path} has ${name}.`)
      }
      return
    }
    if (!path.includes('/today')) return
    const { records, figures } = JSON.parse(text)
    if (records.changedAt !== null || records.lastImport !== null) {
      wrong.push(`${path} says when any record has changed.`)
    }
    for (const [name, { group, ...definition }] of Object.entries(todayFigures)) {
      const isKept = path.includes('asOf') && !('since' in definition)
      if (isKept && !scope.has(group) && figures[name].items !== null) {
        wrong.push(`${path} has ${name} from a snapshot.`)
      }
    }
  }

  const tryProbe = async ({ path, named, compared: part }: Probe): Promise<void> => {
    const isRefused = named.some((group) => !scope.has(group))
    // From its second request on, the answer to a key for all groups is cached.
    const [first] = [await full.ask(path, full.wholeKey), await full.ask(path, full.wholeKey)]
    const answers = [await full.ask(path, limited), await full.ask(path, limited)]
    const tag = first?.tag
    if (tag) answers.push(await full.ask(path, limited, { 'if-none-match': tag }))
    const again = await full.ask(path, full.wholeKey)
    sent += answers.length + 3
    if (first.status !== 200) wrong.push(`${path} with a key for all groups: ${first.text}`)
    if (again.text !== first.text && !path.includes('/content') && !path.includes('/document')) {
      wrong.push(`${path} is another answer for a key for all groups after a limited one.`)
    }
    for (const { status, text } of answers) {
      if (isRefused ? status !== 401 || !text.includes('"out_of_scope"') : status !== 200) {
        if (isRefused || status !== 304) wrong.push(`${path}: ${status} ${text.slice(0, 200)}`)
        else if (first.text !== answers[0]?.text) wrong.push(`${path}: 304 for another answer.`)
      }
      judge(path, text)
      if (status === 200) judgeNames(path, text)
    }
    if (isRefused) {
      refused += 1
      return
    }
    const [answer, repeated] = answers
    const without = await reduced.ask(path, reduced.wholeKey)
    sent += 1
    const parts = [answer?.text ?? '', repeated?.text ?? '', without.text]
    if (answer?.status !== 200 || repeated?.status !== 200) return
    const [one, other, expected] =
      without.status === 200 ? parts.map((each) => part(each)) : [null, null, null]
    compared += 1
    for (const got of [one, other]) {
      try {
        assert.deepEqual(got, expected)
      } catch (error) {
        wrong.push(
          `${path} differs from a database without the other groups: ${(error as Error).message.slice(0, 600)}`,
        )
      }
    }
  }

  const tryTool = async ({ tool, args, named }: ToolProbe): Promise<void> => {
    const isRefused = named.some((group) => !scope.has(group))
    const about = `${tool} ${JSON.stringify(args)}`
    const { status, text } = await full.call(tool, args, limited)
    sent += 1
    judge(about, text)
    const isError = text.includes('"isError":true')
    if (status !== 200) wrong.push(`${about}: ${status} ${text}`)
    else if (isRefused !== text.includes('out_of_scope'))
      wrong.push(`${about}: ${text.slice(0, 300)}`)
    else if (!isRefused && isError) wrong.push(`${about}: ${text.slice(0, 300)}`)
    if (isRefused) refused += 1
  }

  const draw = seeded(seed)
  /** Some of each kind, answered and refused. There are few documents, each with other parts. */
  const drawn = <Each extends { readonly named: readonly string[] }>(
    all: readonly Each[],
    kindOf: (each: Each) => string,
  ): readonly Each[] =>
    [
      ...Map.groupBy(
        all,
        (each) => `${kindOf(each)} ${each.named.every((group) => scope.has(group))}`,
      ),
    ].flatMap(([kind, own]) => {
      const rest = [...own]
      const few = kind.startsWith('document')
        ? own.length
        : kind.startsWith('csv')
          ? 4 * most
          : most
      const count = Math.min(few, own.length)
      return Array.from({ length: count }, () => rest.splice(draw(rest.length), 1)).flat()
    })
  const requests = [...rowProbes, ...catalog.resources.flatMap((each) => [...probesOf(each)])]
  const kindOf = ({ kind, seeks }: Probe) => `${kind} ${seeks === undefined || scope.has(seeks)}`
  for (const each of [...passingProbes, ...drawn(requests, kindOf)]) {
    if (wrong.length >= wrongMax) break
    await tryProbe(each)
  }
  const calls = catalog.resources.flatMap((each) => [...toolProbesOf(each)])
  for (const each of [...toolProbes, ...drawn(calls, ({ tool }) => tool)]) {
    if (wrong.length >= wrongMax) break
    await tryTool(each)
  }
  return { sent, refused, compared, wrong }
}
