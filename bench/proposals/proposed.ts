import { readFileSync } from 'node:fs'
import pg from 'pg'
import { catalog } from '#contract'
import { parseMapping, proposeMapping, writeProposal } from '#mapping'
import { createSourceDatabase, sampleDatabase, tablePatterns } from '#sync'
import type { Gold } from './gold.ts'
import type { ProposedMapping, Source } from './score.ts'
import { tableOf } from './tables.ts'

/** Runs SQL files in an empty database, and says what the scorer needs of the tables. */
export const loadSchema = async (url: string, files: readonly string[]): Promise<Source> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const file of files) await client.query(readFileSync(file, 'utf8'))
    await client.query('analyze')
    const { rows: keys } = await client.query<{ readonly one: string; readonly other: string }>(
      `select c.conrelid::regclass || '.' || a.attname as one,
         c.confrelid::regclass || '.' || f.attname as other
       from pg_constraint c
       cross join lateral unnest(c.conkey, c.confkey) as k(own, other)
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
       join pg_attribute f on f.attrelid = c.confrelid and f.attnum = k.other
       where c.contype = 'f'`,
    )
    const { rows: texts } = await client.query<{
      readonly table: string
      readonly column: string
      readonly texts: readonly string[]
    }>(
      `select t.name as table, cell.key as column, array_agg(distinct cell.value) as texts
       from (select oid::regclass::text as name, oid from pg_class
         where relkind = 'r' and relnamespace::regnamespace::text !~ '^pg_|^information_schema') t
       cross join lateral xmltable('//row' passing query_to_xml('select to_jsonb(t)::text as cells from ' || t.name || ' t', true, false, '') columns cells text) r
       cross join lateral jsonb_each_text(r.cells::jsonb) cell
       where cell.value is not null
       group by t.name, cell.key`,
    )
    const byColumn = new Map(
      texts.map(({ table, column, texts: all }) => [`${table}.${column}`, new Set(all)]),
    )
    return {
      relations: keys.map(({ one, other }) => [one.replaceAll('"', ''), other.replaceAll('"', '')]),
      texts: (table, column) => byColumn.get(`${table}.${column}`) ?? new Set(),
    }
  } finally {
    await client.end()
  }
}

/** Not set: the mapping that is written only names it. */
const variable = 'SOURCE_URL'

/** As `selvedge map init` reads them. */
const limits = { tablesMax: 200, rowsMax: 500, timeoutMs: 30_000, bytesMax: 1_024 ** 3 }

export interface Proposal {
  readonly text: string
  readonly mappings: readonly ProposedMapping[]
}

/** What `selvedge map init` proposes for a database, written and parsed again. */
export const proposeFor = async (url: string, { brand }: Gold): Promise<Proposal> => {
  const { tables } = await sampleDatabase(createSourceDatabase(url, limits), {
    choose: tablePatterns(undefined),
    ...limits,
  })
  const proposal = proposeMapping(catalog, tables)
  const text = writeProposal(proposal, {
    ...{ brand: 'sample', timezone: brand.timezone, database: `\${${variable}}` },
  })
  const { collections } = await parseMapping({ file: 'proposal.map.yaml', text })
  const rest = [...collections]
  const mappings = proposal.collections.map(({ collection, table, certainty, ...proposed }) => {
    const at = rest.findIndex(
      (each) => each.collection === collection && table.from.includes(each.from.sql?.sql ?? ' '),
    )
    const [mapping] = rest.splice(at, at < 0 ? 0 : 1)
    if (!mapping) throw new RangeError(`${collection} is not in the proposal that was written.`)
    return {
      ...{ mapping, certainty, keyCertainty: proposed.keyCertainty },
      // A default is not more certain than the collection that takes it.
      fields: new Map([
        ...proposal.defaults.map(
          (field) => [field.name, certainty === 'certain' ? field.certainty : 'likely'] as const,
        ),
        ...proposed.fields.map((field) => [field.name, field.certainty] as const),
      ]),
    }
  })
  const [left] = rest
  if (left) throw new RangeError(`${left.collection} from ${tableOf(left.from)} has no certainty.`)
  return { text, mappings }
}
