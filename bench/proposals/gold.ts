import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { catalog, leafFields, resourceAt } from '#contract'
import { type Derivation, type DerivationText, parseDerivations } from './derivation.ts'

/** A gold mapping: what a person would accept of a proposal for a schema. */
export interface Gold {
  readonly name: string
  readonly note: string
  readonly source: {
    readonly repository: string
    readonly files: readonly string[]
    readonly commit: string
  }
  readonly brand: { readonly currency: string; readonly country: string; readonly timezone: string }
  /** Collections that are neither right nor wrong. */
  readonly unjudged: readonly string[]
  /** Columns with the same values that no foreign key connects. */
  readonly relations: readonly (readonly [string, string])[]
  readonly entries: readonly GoldEntry[]
}

/** A collection from a table. */
export interface GoldEntry {
  readonly collection: string
  readonly from: string
  /** Judged only if proposed. */
  readonly optional: boolean
  /** One of the entries with this name is enough. */
  readonly oneOf: string | null
  /** Columns that rows can be chosen by, of which one is enough; none if all rows belong here. */
  readonly where: readonly string[]
  readonly id: readonly Derivation[]
  readonly fields: ReadonlyMap<string, readonly Derivation[]>
}

interface EntryText {
  readonly from: string
  readonly optional?: boolean
  readonly oneOf?: string
  readonly where?: string | readonly string[]
  readonly id?: DerivationText
  readonly fields: { readonly [field: string]: DerivationText }
}

interface GoldText extends Omit<Gold, 'unjudged' | 'relations' | 'entries'> {
  readonly unjudged?: readonly string[]
  readonly relations?: readonly string[]
  readonly collections: { readonly [collection: string]: EntryText | readonly EntryText[] }
}

export type Usual = { readonly [field: string]: DerivationText }

export const readUsual = (folder: string): Usual =>
  parse(readFileSync(join(folder, 'usual.yaml'), 'utf8')) as Usual

export const readGold = (folder: string, usual: Usual): Gold =>
  parseGold(readFileSync(join(folder, 'gold.yaml'), 'utf8'), usual)

export const parseGold = (text: string, usual: Usual): Gold => {
  const { collections, unjudged = [], relations = [], ...gold } = parse(text) as GoldText
  return {
    ...gold,
    unjudged,
    relations: relations.map((each) => {
      const [one = '', other = ''] = each.split(' = ')
      return [one, other]
    }),
    entries: Object.entries(collections).flatMap(([collection, entries]) =>
      [entries].flat().map((entry) => entryOf(collection, entry as EntryText, usual)),
    ),
  }
}

/** An entry with the usual derivations for required fields that it does not name. */
const entryOf = (collection: string, entry: EntryText, usual: Usual): GoldEntry => {
  const leaves = leafFields(resourceAt(catalog, collection).fields)
  for (const name of Object.keys(entry.fields)) {
    if (!leaves.some((leaf) => leaf.name === name))
      throw new RangeError(`${collection} has no field ${name}.`)
  }
  const required = leaves.filter(({ name, field }) => !field.nullable && name !== 'id')
  const usualFields = required.map(
    ({ name }) => [name, usual[`${collection}.${name}`] ?? usual[name] ?? 'open'] as const,
  )
  return {
    ...{ collection, from: entry.from, optional: entry.optional ?? false },
    oneOf: entry.oneOf ?? null,
    where: [entry.where ?? []].flat(),
    id: entry.id === undefined ? [] : parseDerivations(entry.id),
    fields: new Map(
      [...new Map([...usualFields, ...Object.entries(entry.fields)])].map(([name, derivations]) => [
        name,
        parseDerivations(derivations),
      ]),
    ),
  }
}
