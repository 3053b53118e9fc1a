import { createHash } from 'node:crypto'
import type { Resource } from '#contract'
import type { Dialect, Session } from '#database'
import type { StoreTable } from './collection-stats.ts'

/*
 * Every row belongs to an owner: a brand, or all brands together. In the tables an owner is a
 * number derived from the slug alone. So it is the same on every machine and after every restore,
 * and statements need no lookup.
 */

/** The slug of shared records, which are the same for every brand. It is not a valid slug. */
export const sharedOwner = '*'

/** The owner number of shared records. */
export const sharedNumber = 0

/** 48 bits: a safe integer in JavaScript, and 6 bytes in a row of SQLite. */
const numberBytes = 6

const numbersMax = 10_000
const numbers = new Map<string, number>()

/** The number of an owner: the first 48 bits of the SHA-256 of its slug. */
export const ownerNumber = (slug: string): number => {
  const cached = numbers.get(slug)
  if (cached !== undefined) return cached
  const number =
    slug === sharedOwner
      ? sharedNumber
      : createHash('sha256').update(slug).digest().readUIntBE(0, numberBytes)
  if (numbers.size >= numbersMax) numbers.clear()
  numbers.set(slug, number)
  return number
}

/** The owner of a collection's records: the shared one, or the given owner. */
export const ownerAmong = ({ scope }: Resource, owner: number): number =>
  scope === 'shared' ? sharedNumber : owner

/** The owner of the records of a collection that a brand reads. */
export const ownerOf = (resource: Resource, brand: string): number =>
  ownerAmong(resource, ownerNumber(brand))

/** The slug of each owner number. */
export const ownersTable = ({ text, integer }: Dialect): StoreTable => ({
  name: 'selvedge_owners',
  // Requests know their slug.
  rows: 'none',
  ddl: `create table "selvedge_owners" (
  "owner" ${integer} primary key,
  "slug" ${text} not null unique
)`,
})

/** Two slugs have the same number, so their records would be mixed. */
export class OwnerConflictError extends Error {
  constructor(slug: string, other: string) {
    super(
      `Nothing was written: the brands ${slug} and ${other} have the same number in the database, so that their records could not be told apart. Give the new brand another slug.`,
    )
  }
}

/**
 * Stores the slug of an owner with its first write. Rejects a slug whose number belongs to another
 * one.
 */
export const nameOwner = async (session: Session, slug: string): Promise<number> => {
  const owner = ownerNumber(slug)
  const find = async () => {
    const text = 'select "slug" from "selvedge_owners" where "owner" = ?1'
    const [row] = await session.all({ text, values: [owner] })
    return row && String(row[0])
  }
  const insert = () =>
    session.run({
      text: [
        'insert into "selvedge_owners" ("owner", "slug")',
        'values (?1, ?2)',
        'on conflict ("owner") do nothing',
      ].join('\n'),
      values: [owner, slug],
    })
  let named = await find()
  if (named === undefined) {
    await insert()
    named = await find()
  }
  if (named !== slug) throw new OwnerConflictError(slug, String(named))
  return owner
}
