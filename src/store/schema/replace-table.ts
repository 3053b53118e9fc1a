import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError, type Dialect, quote, type Session } from '#database'
import type { Transfer } from './transfer.ts'

/** A transfer with the name that its new table has until it takes the place of the old one. */
export interface Replacement {
  readonly transfer: Transfer
  readonly into: string
}

/** The table in its new form, empty. */
export const createReplacement = ({ transfer, into }: Replacement): string =>
  renamed(transfer.ddl, transfer.name, into)

/**
 * Puts a new table in the place of the old one, where that waits for no reader. The names of indexes
 * are free only then.
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

/** Creates the indexes of a new table under names of their own, and gathers statistics. */
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
 * Puts all new tables in the place of the old ones. Readers of the old ones are waited for, however
 * long they take, without what has been copied being lost; while they are, nothing else is blocked.
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
      for (const text of dialect.lockTimeout) await run(text)
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

/** A statement that creates something, under another name. Only where it is created. */
const renamed = (ddl: string, from: string, to: string): string =>
  ddl.replace(quote(from), () => quote(to))
