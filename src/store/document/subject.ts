import {
  type Condition,
  type DocumentCondition,
  type Relation,
  type Resource,
  wholeScope,
} from '#contract'
import type { Steps } from '#database'
import { type Body, concatBodies, decodeBody } from '../read/body.ts'
import { readRecords } from '../read/records.ts'
import { tableAt } from '../schema/tables.ts'
import type { DocumentRequest, DocumentsParts } from './document.ts'
import { resolveIn } from './resolve.ts'
import type { DocumentWalk, WalkedRow } from './walk.ts'

/** The record that a document or a grid is about, and the read that starts from it. */
export interface Subject {
  /** Its JSON text, with the records that it references. */
  readonly body: Body
  readonly row: WalkedRow
  readonly title: string | null
  readonly read: DocumentWalk
}

export type SubjectRequest = Pick<
  DocumentRequest,
  'resource' | 'brand' | 'id' | 'today' | 'scope' | 'reserve'
>

/** Null if the record does not exist. */
export const readSubject = async (
  {
    catalog,
    database: { dialect },
    tables,
  }: Pick<DocumentsParts, 'catalog' | 'database' | 'tables'>,
  steps: Steps,
  { resource, brand, id, today, scope = wholeScope, reserve }: SubjectRequest,
  include: readonly Relation[],
): Promise<Subject | null> => {
  const table = tableAt(tables, resource.path)
  const wanted = { table, brand, keys: [[id]], include, scope, reserve }
  const [pieces] = await readRecords({ dialect, tables }, steps, wanted)
  if (!pieces) return null
  const body = concatBodies(pieces)
  const values = flatValues(JSON.parse(decodeBody(body)))
  const resolve = (where: DocumentCondition, group: string): Condition =>
    resolveIn(catalog, group, where, values, today)
  return {
    body,
    row: { origin: id, key: [id], values },
    title: titleOf(resource, values),
    read: { steps, dialect, tables, brand, scope, resolve },
  }
}

const titleOf = ({ title }: Resource, values: WalkedRow['values']): string | null =>
  title === undefined ? null : (values[title] ?? null)

/** The scalar values of a record as texts. */
const flatValues = (record: { readonly [field: string]: unknown }): WalkedRow['values'] =>
  Object.fromEntries(
    Object.entries(record).flatMap(([field, value]): [string, string | null][] => {
      if (value === null) return [[field, null]]
      return typeof value === 'object' ? [] : [[field, String(value)]]
    }),
  )
