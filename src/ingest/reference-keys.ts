import type { RejectedRow } from '#store'
import { compileSource, openRows } from './mapped-rows.ts'
import { pointerOf } from './report.ts'
import type { Source } from './source.ts'

type Severity = 'error' | 'warning'

/** Reports rows in order, the first ones with the natural keys of their missing records. */
export interface KeyedReport {
  add(row: RejectedRow, severity: Severity): Promise<void>
  end(): Promise<void>
}

/** Natural keys are looked up for this many missing records; later ones show identifiers. */
const keyedRowsMax = 1_000

export const createKeyedReport = (
  sources: readonly Source[],
  owner: string,
  report: (row: RejectedRow, severity: Severity, key?: string) => void,
): KeyedReport => {
  let waiting: { readonly row: RejectedRow; readonly severity: Severity }[] | null = []
  const end = async () => {
    const rows = waiting ?? []
    waiting = null
    const keys = new Map<RejectedRow, string>()
    for (const [index, source] of sources.entries()) {
      const own = rows.map(({ row }) => row).filter((row) => row.reference && row.source === index)
      await addKeys(source, owner, own, keys)
    }
    for (const { row, severity } of rows) report(row, severity, keys.get(row))
  }
  return {
    add: async (row, severity) => {
      if (!waiting) return report(row, severity)
      waiting.push({ row, severity })
      if (waiting.length === keyedRowsMax) await end()
    },
    end,
  }
}

/**
 * Finds the natural keys behind references; a record has only identifiers. An import does not keep
 * the keys, because most imports have no missing reference. So this reads the file again, up to the
 * last row that is needed. Inputs that can be read only once have no keys.
 */
const addKeys = async (
  source: Source,
  owner: string,
  rejected: readonly RejectedRow[],
  keys: Map<RejectedRow, string>,
): Promise<void> => {
  const { mapping, input } = source
  if (!mapping || input.kind !== 'file' || rejected.length === 0) return
  const wanted = Map.groupBy(rejected, ({ line }) => line)
  const last = Math.max(...wanted.keys())
  const table = await openRows(input, mapping, () => undefined)
  try {
    const mapper = compileSource(source, mapping, owner, table.columns)
    for await (const batch of table.rows) {
      for (const row of batch) {
        if (!('cells' in row)) continue
        for (const each of wanted.get(row.line) ?? []) {
          const key = mapper.keyOf(pointerOf(each.reference?.field ?? ''), row.cells)
          if (key !== null) keys.set(each, key)
        }
      }
      if ((batch.at(-1)?.line ?? 0) >= last) break
    }
  } finally {
    await table.close()
  }
}
