import { isDeepStrictEqual } from 'node:util'
import { type JsonValue, leafFields, quotedText, type Resource, valueAt } from '#contract'
import type { RejectedRow } from '#store'
import { cutValue, plainText } from './report.ts'
import { originOf, type Source } from './source.ts'

/** Differing fields in one message. */
const shownMax = 3

/**
 * How two rows with one identity differ, as the end of a sentence: `, and differs in name (column
 * NAME): "A" here, "B" there: …`. Empty if that is not known.
 */
export const differenceOf = (
  { fields }: Resource,
  source: Pick<Source, 'mapping'> | undefined,
  { body, first }: Pick<RejectedRow, 'body' | 'first'>,
): string => {
  if (!body || !first?.body) return ''
  const [here, there]: readonly unknown[] = [JSON.parse(body), JSON.parse(first.body)]
  /** By column: several fields can be made of one. */
  const differences = new Map<string, string>()
  for (const { name, path } of leafFields(fields)) {
    const values = [valueAt(here, path), valueAt(there, path)] as const
    const { column } = originOf(source, `/${path.join('/')}`)
    // The times of the import are not of the rows.
    if (isDeepStrictEqual(...values) || column === '') continue
    const [own, other] = values.map(shownValue)
    const field = column === undefined ? name : `${name} (column ${column})`
    if (differences.has(column ?? name) && !isPlain(source, name)) continue
    differences.set(column ?? name, `${field}: ${own} here, ${other} there`)
  }
  const differing = [...differences.values()]
  if (differing.length === 0) return ''
  const more = differing.length - shownMax
  const rest = more > 0 ? ` and in ${more} more` : ''
  const advice = source?.mapping
    ? 'keep one of the rows, or add a column to the key in the mapping'
    : 'keep one of them'
  return `, and differs in ${differing.slice(0, shownMax).join(', ')}${rest}: ${advice}`
}

/** Whether a field has the text of its column. */
const isPlain = (source: Pick<Source, 'mapping'> | undefined, name: string): boolean => {
  const mapped = source?.mapping?.fields.find(({ field }) => field === name)
  return mapped?.value.source.kind === 'column' && mapped.value.apply.length === 0
}

const shownValue = (value: JsonValue): string =>
  value === null
    ? '(empty)'
    : typeof value === 'string'
      ? plainText(quotedText(value))
      : cutValue(value)
