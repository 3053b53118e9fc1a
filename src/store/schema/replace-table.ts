import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError, type Dialect, quote, type Session, tableLockMs } from '#database'
import type { Transfer } from './transfer.ts'

/** A transfer, and the name of its new table until it replaces the old one. */
export interface Replacement {
  readonly transfer: Transfer
  readonly into: string
}

/** Creates the new table, empty. */
export const createReplacement = ({ transfer, into }: Replacement): string =>
  renamed(transfer.ddl, transfer.name, into)

/**
 * Replaces the old table by the new one, on engines where this does not wait for readers. Creates
 * the indexes afterwards, because their names become free only then.
 */
export const replaceTable = async (
  session: Session,
  { transfer, into }: Replacement,
  onIndex: (created: number) => void,
): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  await run(`drop table ${quote(transfer.name)}`)
  await run(`alter table ${quote(into)} rename to ${quote(transfer.name)}`)
  for (const [index, { ddl }] of transfer.indexes.entries()) {
    await run(ddl)
    onIndex(index + 1)
  }
}

/** Creates the indexes of a new table under temporary names, and gathers statistics. */
export const indexReplacement = async (
  session: Session,
  dialect: Dialect,
  { transfer, into }: Replacement,
  onIndex: (created: number) => void,
): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  for (const [index, { name, ddl }] of transfer.indexes.entries()) {
    await run(renamed(renamed(ddl, name, indexName(into, index)), transfer.name, into))
    onIndex(index + 1)
  }
  for (const text of dialect.gatherStatistics(into)) await run(text)
}

const retryMs = 200

/**
 * Replaces all old tables by the new ones. Waits for readers of the old tables as long as
 * necessary, keeps the copied rows, and blocks nothing else meanwhile.
 */
export const replaceTables = async (
  session: Session,
  replacements: readonly Replacement[],
  dialect: Dialect,
  onWait: () => void,
): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  const names = replacements.map(({ transfer }) => quote(transfer.name)).join(', ')
  for (;;) {
    await run('savepoint "replace"')
    try {
      for (const text of dialect.lockTimeout(tableLockMs)) await run(text)
      await run(`lock table ${names} in access exclusive mode`)
      break
    } catch (error) {
      if (!(error instanceof DatabaseBusyError)) throw error
      await run('rollback to savepoint "replace"')
      onWait()
      await wait(retryMs)
    }
  }
  for (const { transfer, into } of replacements) {
    const { name, indexes } = transfer
    await run(`drop table ${quote(name)}`)
    await run(`alter table ${quote(into)} rename to ${quote(name)}`)
    await run(`alter index ${quote(`${into}_pkey`)} rename to ${quote(`${name}_pkey`)}`)
    for (const [index, each] of indexes.entries()) {
      await run(`alter index ${quote(indexName(into, index))} rename to ${quote(each.name)}`)
    }
  }
}

const indexName = (table: string, index: number): string => `${table}_${index + 1}`

/** Replaces the first occurrence of a name in a DDL statement: the one that is created. */
const renamed = (ddl: string, from: string, to: string): string =>
  ddl.replace(quote(from), () => quote(to))
