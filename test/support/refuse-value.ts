import type { Database } from '#database'

/** Makes the engine refuse a value of a column, as no rule of the contract does. */
export const refuseValue = async (
  database: Database,
  [table, column, value]: readonly [table: string, column: string, value: string],
): Promise<void> => {
  const name = `refuse_${value}`
  const text =
    database.dialect.name === 'sqlite'
      ? `create trigger "${name}" before insert on "${table}" when new."${column}" = '${value}'
         begin select raise(abort, 'no ${value}'); end`
      : `alter table "${table}" add constraint "${name}" check ("${column}" <> '${value}')`
  await database.write((session) => session.run({ text, values: [] }))
}
