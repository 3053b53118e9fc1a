import { valueAt } from './fields.ts'
import { fieldAt, type Resource } from './resource.ts'

/** The groups that a line can be about, the best known first. A line is called after them. */
export const subjectGroups = ['skus', 'order-items', 'quote-items'] as const

/** Names in one description. */
const namesMax = 2
const valueLengthMax = 60

/**
 * A record by the texts that people know it by, its title and its natural keys: `orderNumber
 * "PO-1001"`. Empty if it has none.
 */
export const recordName = ({ title, unique, fields }: Resource, record: unknown): string => {
  const names = new Set([...(title ? [title] : []), ...unique.flat()])
  const texts = [...names].flatMap((name) => {
    const value = fieldAt(fields, name)?.kind === 'text' ? valueAt(record, name) : null
    return typeof value === 'string' && value !== '' ? [`${name} ${quotedText(value)}`] : []
  })
  return texts.slice(0, namesMax).join(', ')
}

/** A text as messages show it, cut: `"Obere Str. 57"`. */
export const quotedText = (text: string | null): string => {
  if (text === null || text === '') return '(empty)'
  const cut = text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text
  return `"${cut.toWellFormed()}"`
}
