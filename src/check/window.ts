import type { Sql } from './sql.ts'

/** The value of the previous row in a window; null for the first row. */
export const previous = (value: Sql, window: Sql): Sql => within('lag', value, window)

/** The value of the next row; null for the last row. */
export const next = (value: Sql, window: Sql): Sql => within('lead', value, window)

/** The value of the first row. */
export const first = (value: Sql, window: Sql): Sql => within('first_value', value, window)

/** The result has the scale and the type of the value. */
const within = (name: 'lag' | 'lead' | 'first_value', value: Sql, window: Sql): Sql => ({
  scale: value.scale,
  isIdentifier: value.isIdentifier,
  write: (to) => `${name}(${value.write(to)}) over (${window.write(to)})`,
})
