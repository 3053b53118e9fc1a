import { textOf } from '../cell.ts'
import type { SampleTable } from './sample-table.ts'
import { wordsOf } from './words.ts'

/**
 * The times of rows by values: two columns of times that most tables of a database have, of which
 * one is never later than the other, such as `itime` and `mtime`. Not if names tell such columns.
 */
export const recordTimesOf = (
  tables: readonly SampleTable[],
): ReadonlyMap<string, readonly string[]> => {
  const counts = new Map<string, number>()
  for (const { columns, types } of tables)
    for (const [at, name] of columns.entries())
      if (types?.[at]?.kind === 'time') counts.set(name, (counts.get(name) ?? 0) + 1)
  const common = [...counts]
    .filter(([, count]) => count > tablesMin && count * 5 > tables.length * 2)
    .map(([name]) => name)
  const [one, other, third] = common
  const isNamed = common.some((name) => wordsOf(name).some((word) => namedWords.includes(word)))
  if (one === undefined || other === undefined || third !== undefined || isNamed) return new Map()
  const isBefore = (first: string, last: string): boolean => {
    let isOnce = false
    for (const { columns, rows } of tables) {
      const [from, to] = [columns.indexOf(first), columns.indexOf(last)]
      for (const row of from < 0 || to < 0 ? [] : rows) {
        const [early, late] = [textOf(row[from] ?? null), textOf(row[to] ?? null)]
        if (early === null || late === null) continue
        if (early > late) return false
        if (early < late) isOnce = true
      }
    }
    return isOnce
  }
  const [first, last] = isBefore(one, other) ? [one, other] : [other, one]
  if (!isBefore(first, last)) return new Map()
  return new Map([
    [first, ['row', 'created']],
    [last, ['row', 'updated']],
  ])
}

const tablesMin = 3
const namedWords = [
  'created',
  'create',
  'updated',
  'update',
  'write',
  'valid',
  'from',
  'to',
  'start',
  'end',
]
