import { isJsonObject, parseIdentity, type Resource } from '#contract'
import { SourceError, type SourceRow, type SourceRows } from './row.ts'
import { cellText, type Table } from './table.ts'

/** Removals from the rows of a table with a column for each part of the identity. */
export async function* tableRemovals(
  { path, key }: Resource,
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
): AsyncIterable<SourceRows> {
  const missing = key.filter((name) => !columns.includes(name))
  if (missing.length > 0) {
    throw new SourceError(
      `does not name records of ${path} to remove: the column ${missing.join(', ')} is missing`,
    )
  }
  const places = key.map((name) => columns.indexOf(name))
  for await (const batch of rows) {
    const removals = batch.map((row): SourceRow => {
      if ('problem' in row) return row
      const { line, cells } = row
      return { line, removal: places.map((place) => cellText(cells[place] ?? '')) }
    })
    yield { rows: removals, canonical: null }
  }
}

/** Removals from JSON: delete items of the change feed, or objects with the identity's fields. */
export async function* jsonRemovals(
  resource: Resource,
  batches: AsyncIterable<SourceRows>,
): AsyncIterable<SourceRows> {
  for await (const { rows } of batches) {
    yield {
      rows: rows.map((row) => ('value' in row ? removalOf(resource, row.line, row.value) : row)),
      canonical: null,
    }
  }
}

const removalOf = ({ path, key }: Resource, line: number, value: unknown): SourceRow => {
  const refused = (problem: string): SourceRow => ({
    line,
    problem,
    text: JSON.stringify(value) ?? '',
  })
  if (!isJsonObject(value)) return refused('must be an object')
  const { operation, collection, id } = value
  if (operation !== undefined) {
    if (operation !== 'remove') return refused('is not an item that removes a record')
    if (collection !== path) return refused(`is not an item of ${path}`)
    return { line, removal: parseIdentity(String(id), key.length) ?? [String(id)] }
  }
  const missing = key.filter((name) => typeof value[name] !== 'string')
  if (missing.length > 0) return refused(`does not have the identity: ${missing.join(', ')}`)
  return { line, removal: key.map((name) => String(value[name])) }
}
