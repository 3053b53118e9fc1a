import type { Sql } from './sql.ts'

/** The value of the row before, in a window; null for the first row. */
export const previous = (value: Sql, window: Sql): Sql => within('lag', value, window)

/** The value of the row after it. */
export const next = (value: Sql, window: Sql): Sql => within('lead', value, window)

/** The value of the first row. */
export const first = (value: Sql, window: Sql): Sql => within('first_value', value, window)

/** What a value is, an identifier or a scaled amount, it is in another row too. */
const within = (name: 'lag' | 'lead' | 'first_value', value: Sql, window: Sql): Sql => ({
  scale: value.scale,
  isIdentifier: value.isIdentifier,
  write: (to) => `${name}(${value.write(to)}) over (${window.write(to)})`,
})
