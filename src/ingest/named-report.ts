import { compileRowNamer, namingColumns, planRows } from '#mapping'
import { openMapped } from './open-mapped.ts'
import { pointerOf, type RowProblem } from './report.ts'
import { namesOf, type RowNames } from './row.ts'
import type { Source } from './source.ts'

/** A row of one of the sources. */
export interface RowPlace {
  readonly source: number
  readonly line: number
}

/** What the sender of a row calls it, as far as that is known. */
export interface NamedRow {
  /** See `RowProblem`. */
  readonly key: string | null
  /** The natural key of the missing record that it refers to. */
  readonly reference: string | null
}

export interface UnnamedProblem extends RowPlace {
  /** The field of the reference whose natural key is wanted. */
  readonly reference?: string | undefined
  readonly describe: (named: NamedRow) => RowProblem
  /** Receives the problem after it was reported. */
  readonly onNamed?: (problem: RowProblem) => void
}

/**
 * Reports the problems of staged rows in order. An import does not keep what its rows are called,
 * because most have no problem: this reads the sources again, up to the last row that is needed.
 */
export interface NamedReport {
  add(problem: UnnamedProblem): void
  /** Reports what was added since the last call. */
  flush(): Promise<void>
  /** Whether it is time to flush: what is added now has no names. */
  readonly isFull: boolean
}

/** Problems that are held back for their names. Later ones of a collection show identifiers. */
const namedMax = 10_000

export const createNamedReport = (
  sources: readonly Source[],
  report: (problem: RowProblem) => void,
): NamedReport => {
  let added: UnnamedProblem[] = []
  let isOver = false
  const reportNamed = ({ describe, onNamed }: UnnamedProblem, names: NamedRow) => {
    const problem = describe(names)
    report(problem)
    onNamed?.(problem)
  }
  return {
    get isFull() {
      return added.length >= namedMax
    },
    add: (problem) => {
      if (isOver || added.length >= namedMax) reportNamed(problem, noNames)
      else added.push(problem)
    },
    flush: async () => {
      const problems = added
      added = []
      isOver ||= problems.length >= namedMax
      const names = new Map<UnnamedProblem, NamedRow>()
      for (const [index, source] of sources.entries()) {
        const own = problems.filter((each) => each.source === index)
        await addNames(source, own, names)
      }
      for (const each of problems) reportNamed(each, names.get(each) ?? noNames)
    },
  }
}

export const noNames: NamedRow = { key: null, reference: null }

const addNames = async (
  source: Source,
  problems: readonly UnnamedProblem[],
  names: Map<UnnamedProblem, NamedRow>,
): Promise<void> => {
  if (problems.length === 0) return
  const wanted = Map.groupBy(problems, ({ line }) => line)
  const last = Math.max(...wanted.keys())
  for await (const { lines, names: own } of namedRows(source)) {
    for (const line of lines) {
      for (const each of wanted.get(line) ?? []) {
        const pointer = each.reference === undefined ? null : pointerOf(each.reference)
        names.set(each, {
          key: own.keyOf(line),
          reference: pointer === null ? null : own.referenceOf(line, pointer),
        })
      }
    }
    if ((lines.at(-1) ?? 0) >= last) return
  }
}

interface NamedRows {
  readonly lines: readonly number[]
  readonly names: RowNames
}

/** Reads the rows of a mapped source again. A stream can be read only once, and has no names. */
async function* namedRows(source: Source): AsyncIterable<NamedRows> {
  const { mapping, input, resource, validated } = source
  if (!mapping || input.kind === 'stream') return
  if (input.kind === 'rows') {
    const own = planRows(mapping)?.mapping ?? mapping
    const namer = compileRowNamer(own, resource.key, namingColumns(own, resource.key))
    for (const { lines, named } of validated ?? []) {
      const rows = () => lines.map((line, index) => ({ line, cells: named?.[index] }))
      yield { lines, names: namesOf(namer, rows) }
    }
    for await (const { rows, names } of input.rows()) {
      if (names) yield { lines: rows.map(({ line }) => line), names }
    }
    return
  }
  const table = await openMapped({ ...source, input, mapping }, { owner: '' })
  try {
    const namer = compileRowNamer(table.mapping, resource.key, table.columns)
    for await (const batch of table.rows) {
      yield { lines: batch.map(({ line }) => line), names: namesOf(namer, () => batch) }
    }
  } finally {
    await table.close()
  }
}
