import { type Catalog, resourceAt } from '#contract'
import type { Database, Query, Row, SqlValue } from '#database'
import {
  type CircleFinding,
  type Finding,
  type QueryFinding,
  type ScanFinding,
  tell,
  writeBatch,
  writeQuery,
} from './finding.ts'
import type { Breach, Rule } from './rule.ts'
import { rules as allRules } from './rules/index.ts'
import type { Writing } from './sql.ts'

export interface CheckParts {
  readonly database: Database
  readonly catalog: Catalog
  readonly brand: string
  /** The day that certificates have to be valid on, such as `2026-06-01`. */
  readonly today: string
  /** All of them unless said. */
  readonly rules?: readonly Rule[]
  /** How many breaches of a rule are listed; all of them are counted. */
  readonly listMax?: number
  /** Hears of every rule as soon as it has been checked. */
  readonly onRule?: (result: RuleResult) => void
}

/** What became of a rule. */
export interface RuleResult {
  readonly rule: Rule
  /** How many breaches there are. */
  readonly count: number
  /** The first of them, in the order of their records. */
  readonly breaches: readonly Breach[]
  readonly seconds: number
}

/**
 * Holds a brand's records to the rules, one after the other and in their order, all against one
 * and the same state. The records stay in the database: what is held in memory are the breaches that are listed, or a batch of rows.
 */
export const checkRules = async (parts: CheckParts): Promise<readonly RuleResult[]> => {
  const { database, catalog, brand, today, rules = allRules, listMax = 100, onRule } = parts
  for (const path of rules.flatMap(({ collections }) => collections)) resourceAt(catalog, path)
  const writing: Writing = { dialect: database.dialect, today, indexes: await database.indexes() }
  return database.snapshot(async (all) => {
    const reader = openReader(all, brand, writing)
    const results: RuleResult[] = []
    for (const rule of rules) {
      const result = await checkRule(rule, reader, listMax)
      results.push(result)
      onRule?.(result)
    }
    return results
  })
}

const checkRule = async (rule: Rule, reader: Reader, listMax: number): Promise<RuleResult> => {
  const start = performance.now()
  let count = 0
  const breaches: Breach[] = []
  for (const finding of rule.findings) {
    const found = await run(finding, reader, listMax)
    const [collection] = finding.names
    count += found.count
    for (const { key, detail } of found.first.slice(0, listMax - breaches.length)) {
      breaches.push({ rule: rule.id, collection, key, detail })
    }
  }
  return { rule, count, breaches, seconds: (performance.now() - start) / 1000 }
}

interface Found {
  readonly count: number
  readonly first: readonly { readonly key: readonly string[]; readonly detail: string }[]
}

const run = (finding: Finding, reader: Reader, listMax: number): Promise<Found> => {
  if (finding.kind === 'query') return runQuery(finding, reader, listMax)
  return finding.kind === 'scan'
    ? runScan(finding, reader, listMax)
    : runCircle(finding, reader, listMax)
}

const runQuery = async (finding: QueryFinding, reader: Reader, listMax: number): Promise<Found> => {
  // One row is asked for even when none is to be listed: the count stands in it.
  const rows = await reader.read(writeQuery(finding, reader.writing), Math.max(1, listMax))
  const width = keyWidth(finding)
  return {
    count: Number(rows[0]?.at(-1) ?? 0),
    first: rows.map((row) => ({
      key: keyIn(row, width),
      detail: tell(finding.detail, row.slice(width)),
    })),
  }
}

const runScan = async (finding: ScanFinding, reader: Reader, listMax: number): Promise<Found> => {
  const width = keyWidth(finding)
  const first: Found['first'][number][] = []
  let count = 0
  for await (const rows of reader.batches(finding)) {
    for (const row of rows) {
      const detail = finding.judge(row.slice(width))
      if (detail === undefined) continue
      count += 1
      if (first.length < listMax) first.push({ key: keyIn(row, width), detail })
    }
  }
  return { count, first }
}

/** Takes away, again and again, what nothing leads to or what leads to nothing; circles stay. */
const runCircle = async (
  finding: CircleFinding,
  reader: Reader,
  listMax: number,
): Promise<Found> => {
  const width = keyWidth(finding)
  let edges: { readonly key: readonly string[]; readonly from: string; readonly to: string }[] = []
  for await (const rows of reader.batches(finding)) {
    for (const row of rows) {
      const [from, to] = row.slice(width).map(String)
      if (from !== undefined && to !== undefined) edges.push({ key: keyIn(row, width), from, to })
    }
  }
  for (const [near, far] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const going = Map.groupBy(edges, (edge) => edge[near])
    const coming = new Map<string, number>()
    for (const edge of edges) coming.set(edge[far], (coming.get(edge[far]) ?? 0) + 1)
    const loose = [...going.keys()].filter((node) => !coming.has(node))
    for (let node = loose.pop(); node !== undefined; node = loose.pop()) {
      for (const edge of going.get(node) ?? []) {
        const left = (coming.get(edge[far]) ?? 0) - 1
        coming.set(edge[far], left)
        if (left === 0) loose.push(edge[far])
      }
      going.delete(node)
    }
    edges = edges.filter((edge) => going.has(edge[near]))
  }
  return {
    count: edges.length,
    first: edges.slice(0, listMax).map(({ key }) => ({ key, detail: finding.detail })),
  }
}

const keyWidth = ({ names }: Finding): number => names.length - 1

const keyIn = (row: Row, width: number): readonly string[] => row.slice(0, width).map(String)

/** Reads the rows that findings ask for, of one brand. */
interface Reader {
  readonly writing: Writing
  read(text: string, limit: number, ...after: readonly SqlValue[]): Promise<readonly Row[]>
  /** All rows of a scan, in the order of the records they name. */
  batches(finding: ScanFinding | CircleFinding): AsyncIterable<readonly Row[]>
}

const batchRows = 2_000

const openReader = (
  all: (query: Query) => Promise<readonly Row[]>,
  brand: string,
  writing: Writing,
): Reader => {
  const read: Reader['read'] = (text, limit, ...after) =>
    all({ text, values: [brand, limit, ...after] })
  return {
    writing,
    read,
    batches: async function* (finding) {
      let rows = await read(writeBatch(finding, true, writing), batchRows)
      const next = writeBatch(finding, false, writing)
      while (rows.length > 0) {
        yield rows
        const after = rows.at(-1)?.slice(0, keyWidth(finding)) ?? []
        rows = rows.length < batchRows ? [] : await read(next, batchRows, ...after)
      }
    },
  }
}
