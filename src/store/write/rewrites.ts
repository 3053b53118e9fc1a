import { type Dialect, quote, type Session } from '#database'
import {
  changesTable,
  everyIdentity,
  identityColumns,
  isRecording,
} from '../schema/change-tables.ts'
import {
  asInteger,
  asText,
  nextChange,
  rewriteMark,
  storeMark,
} from '../schema/collection-stats.ts'
import { nameOwner } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { removalsName, stagedName } from './staging.ts'

/*
 * A unit of records that failed is applied later, after units that came after it. It must not
 * overwrite what those wrote. So from the moment at which later units continue, the changes of the
 * brand are logged, also in a database that does not record changes for the feed. A later write that
 * leaves a record as it is, or removes one that is not stored, decides about it as well: it is noted
 * under the negated owner.
 */

/** The number of the brand's last change so far. Every later change of a record is logged. */
export const holdRewrites = async (
  session: Session,
  dialect: Dialect,
  slug: string,
): Promise<number> => {
  const owner = await nameOwner(session, slug)
  const number = await nextChange(session, dialect)
  await storeMark(session, owner, rewriteMark, number)
  return number
}

/** Ends the logging of a brand's changes, unless the database records them for the feed. */
export const releaseRewrites = async (session: Session, owner: number): Promise<void> => {
  await session.run({
    text: 'delete from "selvedge_collections" where "owner" = ?1 and "collection" = ?2',
    values: [owner, rewriteMark],
  })
  const remove = (number: number) =>
    session.run({ text: `delete from "${changesTable}" where "owner" = ?1`, values: [number] })
  await remove(-owner)
  if (!(await isRecording((query) => session.all(query)))) await remove(owner)
}

/** Whether the changes of an owner are logged because of `holdRewrites`. */
export const holdsRewrites = async (session: Session, owner: number): Promise<boolean> => {
  const rows = await session.all({
    text: 'select 1 from "selvedge_collections" where "owner" = ?1 and "collection" = ?2',
    values: [owner, rewriteMark],
  })
  return rows.length > 0
}

/** A staged row or removal whose record has changed since; a removal has no line. */
export interface SupersededRow {
  readonly source: number
  readonly line: number
  readonly identity: string
}

/** Removes staged rows and removals of records that changed after a number, and returns them. */
export const dropSuperseded = async (
  session: Session,
  dialect: Dialect,
  table: Table,
  owner: number,
  after: number,
): Promise<readonly SupersededRow[]> => {
  const isChanged = (alias: string) => {
    const parts = identityColumns.map((name, index) => {
      const column = table.key[index]
      const bytes = column
        ? dialect.keyBytes(`${alias}.${quote(column.name)}`, column.kind)
        : dialect.keyBytes("''", 'text')
      return `c."${name}" = ${bytes}`
    })
    const owner = asInteger('?1', dialect)
    const isLogged = (identity: string) =>
      [
        `exists (select 1 from "${changesTable}" as c`,
        `where c."owner" in (${owner}, -${owner}) and c."collection" = ?2`,
        `and ${identity} and c."change" > ${asInteger('?3', dialect)})`,
      ].join('\n')
    const isAny = `(c."${identityColumns.join('", c."')}") = (${everyIdentity(dialect)})`
    return `${isLogged(parts.join(' and '))}\nor ${isLogged(isAny)}`
  }
  const identity = table.key
    .map(({ name, kind }) => asText(quote(name), kind, dialect))
    .join(" || ' ' || ")
  const remove = async (name: string, returned: string) =>
    session.all({
      text: [
        `delete from ${quote(name)} as s`,
        `where ${isChanged('s')}`,
        `returning ${returned}, ${identity}`,
      ].join('\n'),
      values: [owner, table.resource.path, after],
    })
  const rows = await remove(stagedName(table), '"staged_source", "staged_line"')
  const removals = await remove(removalsName(table), '0, 0')
  return [...rows, ...removals].map(([source, line, text]) => ({
    source: Number(source),
    line: Number(line),
    identity: String(text),
  }))
}
