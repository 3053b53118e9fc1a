import { type Catalog, resourceAt } from '#contract'
import type { Database, Query, Row, SqlValue } from '#database'
import { freshnessQuery, ownerNumber, parseFreshness, readText } from '#store'
import {
  type CycleFinding,
  type Finding,
  formatDetail,
  type QueryFinding,
  type ScanFinding,
  writeBatch,
  writeQuery,
} from './finding.ts'
import type { Rule, Violation } from './rule.ts'
import { rules as allRules } from './rules/index.ts'
import type { Writing } from './sql.ts'

export interface CheckParts {
  /** A database, or a transaction of one with records that are not committed. */
  readonly database: Pick<Database, 'dialect' | 'indexes' | 'snapshot'>
  readonly catalog: Catalog
  readonly brand: string
  /** The date on which certificates must be valid, such as `2026-06-01`. */
  readonly today: string
  /** The time of the check, in milliseconds since 1970. */
  readonly now: number
  /** All rules by default. */
  readonly rules?: readonly Rule[]
  /** Maximum number of listed violations per rule. All violations are counted. */
  readonly listMax?: number
  /** Called after each rule. */
  readonly onRule?: (result: RuleResult) => void
  /** No further rule is checked once this is true. */
  readonly isOver?: () => boolean
}

/** The result of checking a rule. */
export interface RuleResult {
  readonly rule: Rule
  /** Total number of violations. */
  readonly count: number
  /** The first violations, ordered by record. */
  readonly violations: readonly Violation[]
  readonly seconds: number
  /** The collections that were read. */
  readonly reads: readonly string[]
  /** Whether the result depends on the date. */
  readonly usesToday: boolean
}

/**
 * Checks a brand's records against the rules, in order, all on one snapshot. The records stay in the
 * database: only the listed violations, or one batch of rows, are in memory.
 */
export const checkRules = async (parts: CheckParts): Promise<readonly RuleResult[]> => {
  const { database, catalog, brand, today, now, rules = allRules, listMax = 100, onRule } = parts
  for (const path of rules.flatMap(({ collections }) => collections)) resourceAt(catalog, path)
  const indexes = await database.indexes()
  const owner = ownerNumber(brand)
  return database.snapshot(async (all) => {
    const [imported] = await all(freshnessQuery(owner))
    const importedAt = Date.parse(parseFreshness(imported).lastImport?.at ?? '')
    const lastImport = importedAt < now ? importedAt : now
    const writing = { dialect: database.dialect, today, now, lastImport, indexes }
    const results: RuleResult[] = []
    for (const rule of rules) {
      if (parts.isOver?.()) break
      const result = await checkRule(rule, (to) => createReader(all, owner, to), writing, listMax)
      results.push(result)
      onRule?.(result)
    }
    return results
  })
}

const checkRule = async (
  rule: Rule,
  openReader: (writing: Writing) => Reader,
  writing: Writing,
  listMax: number,
): Promise<RuleResult> => {
  const start = performance.now()
  const reads = new Set<string>()
  let usesToday = false
  const reader = openReader({
    ...writing,
    onTable: (path) => void reads.add(path),
    onToday: () => {
      usesToday = true
    },
  })
  let count = 0
  const violations: Violation[] = []
  for (const finding of rule.findings) {
    const result = await run(finding, reader, listMax)
    const [collection] = finding.names
    count += result.count
    for (const { key, detail } of result.first.slice(0, listMax - violations.length)) {
      violations.push({ rule: rule.id, collection, key, detail })
    }
  }
  const seconds = (performance.now() - start) / 1000
  return { rule, count, violations, seconds, reads: [...reads].sort(), usesToday }
}

interface FindingResult {
  readonly count: number
  readonly first: readonly { readonly key: readonly string[]; readonly detail: string }[]
}

const run = (finding: Finding, reader: Reader, listMax: number): Promise<FindingResult> => {
  if (finding.kind === 'query') return runQuery(finding, reader, listMax)
  return finding.kind === 'scan'
    ? runScan(finding, reader, listMax)
    : runCycle(finding, reader, listMax)
}

const runQuery = async (
  finding: QueryFinding,
  reader: Reader,
  listMax: number,
): Promise<FindingResult> => {
  // At least one row is read, because the row contains the count.
  const rows = await reader.read(writeQuery(finding, reader.writing), Math.max(1, listMax))
  const width = keyWidth(finding)
  return {
    count: Number(rows[0]?.at(-1) ?? 0),
    first: rows.map((row) => ({
      key: keyIn(row, width),
      detail: formatDetail(finding.detail, row.slice(width)),
    })),
  }
}

const runScan = async (
  finding: ScanFinding,
  reader: Reader,
  listMax: number,
): Promise<FindingResult> => {
  const width = keyWidth(finding)
  const first: FindingResult['first'][number][] = []
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

/** Removes nodes without incoming or without outgoing edges until only cycles are left. */
const runCycle = async (
  finding: CycleFinding,
  reader: Reader,
  listMax: number,
): Promise<FindingResult> => {
  const width = keyWidth(finding)
  let edges: { readonly key: readonly string[]; readonly from: string; readonly to: string }[] = []
  for await (const rows of reader.batches(finding)) {
    for (const row of rows) {
      const [from, to] = row.slice(width).map(readText)
      if (from !== undefined && to !== undefined) edges.push({ key: keyIn(row, width), from, to })
    }
  }
  for (const [near, far] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const outgoing = Map.groupBy(edges, (edge) => edge[near])
    const incomingCounts = new Map<string, number>()
    for (const edge of edges)
      incomingCounts.set(edge[far], (incomingCounts.get(edge[far]) ?? 0) + 1)
    const loose = [...outgoing.keys()].filter((node) => !incomingCounts.has(node))
    for (let node = loose.pop(); node !== undefined; node = loose.pop()) {
      for (const edge of outgoing.get(node) ?? []) {
        const left = (incomingCounts.get(edge[far]) ?? 0) - 1
        incomingCounts.set(edge[far], left)
        if (left === 0) loose.push(edge[far])
      }
      outgoing.delete(node)
    }
    edges = edges.filter((edge) => outgoing.has(edge[near]))
  }
  return {
    count: edges.length,
    first: edges.slice(0, listMax).map(({ key }) => ({ key, detail: finding.detail })),
  }
}

const keyWidth = ({ names }: Finding): number => names.length - 1

const keyIn = (row: Row, width: number): readonly string[] => row.slice(0, width).map(readText)

/** Reads the rows of findings for one brand. */
interface Reader {
  readonly writing: Writing
  read(text: string, limit: number, ...after: readonly SqlValue[]): Promise<readonly Row[]>
  /** All rows of a scan, ordered by the records they name. */
  batches(finding: ScanFinding | CycleFinding): AsyncIterable<readonly Row[]>
}

const batchRows = 2_000

const createReader = (
  all: (query: Query) => Promise<readonly Row[]>,
  owner: number,
  writing: Writing,
): Reader => {
  const read: Reader['read'] = (text, limit, ...after) =>
    all({ text, values: [owner, limit, ...after] })
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
