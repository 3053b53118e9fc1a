import { type Sql, sql } from './sql.ts'

/** Building blocks of conditions. As in SQL, a comparison with null is not true. */
export const same = (a: Sql, b: Sql): Sql => ({
  ...sql`${a} = ${b}`,
  finds: [a, b].flatMap(({ column }) => column ?? []),
})

/** Both values are present and differ. */
export const differ = (a: Sql, b: Sql): Sql => sql`${a} <> ${b}`

export const is = (value: Sql, text: string): Sql => sql`${value} = ${text}`

export const isNot = (value: Sql, text: string): Sql => sql`${value} <> ${text}`

export const oneOf = (value: Sql, texts: readonly string[]): Sql =>
  any(...texts.map((text) => is(value, text)))

export const missing = (value: Sql): Sql => sql`${value} is null`

export const present = (value: Sql): Sql => sql`${value} is not null`

export const all = (...conditions: readonly Sql[]): Sql => ({
  ...joined(conditions, ' and '),
  finds: conditions.flatMap(({ finds = [] }) => finds),
})

export const any = (...conditions: readonly Sql[]): Sql => joined(conditions, ' or ')

const joined = (conditions: readonly Sql[], by: string): Sql => ({
  scale: 0,
  write: (to) => `(${conditions.map((each) => each.write(to)).join(by)})`,
})
