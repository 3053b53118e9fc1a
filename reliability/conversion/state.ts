import { createHash } from 'node:crypto'
import { catalog } from '#contract'
import { openDatabase, quote } from '#database'
import { tablesOf } from '../../src/store/schema/tables.ts'

export interface LayoutState {
  /** `1`, `2`, or a sentence about a mixed state. */
  readonly layout: string
  readonly records: number
  /** The row count and byte count of each table, in a form that both layouts share. */
  readonly contents: string
  /** Stored totals that differ from the number of records. */
  readonly wrongTotals: readonly string[]
}

/** The layout and content of a database, read without the store. */
export const stateOf = async (url: string): Promise<LayoutState> => {
  const database = openDatabase(url)
  try {
    const columns = await database.tables()
    const names = [...tablesOf(catalog).values()].map(({ name, resource }) => ({
      name,
      path: resource.path,
    }))
    const owned = ['selvedge_collections', 'selvedge_totals', 'selvedge_changes']
    const firsts = new Set(
      [...names.map(({ name }) => name), ...owned].map((name) => columns.get(name)?.[0]),
    )
    const [first = ''] = firsts
    const leftovers = [...columns.keys()].filter((name) => name.startsWith('selvedge_new_'))
    const isWhole = firsts.size === 1 && leftovers.length === 0
    const layout = { brand: '1', owner: '2' }[first]
    return await database.snapshot(async (all) => {
      const read = async (text: string) => all({ text, values: [] })
      const counts: string[] = []
      const wrongTotals: string[] = []
      let records = 0
      for (const { name, path } of names) {
        const [row] = await read(
          `select count(*), coalesce(sum(length("body")), 0) from ${quote(name)}`,
        )
        const [total] = await read(
          `select coalesce(sum("total"), 0) from "selvedge_collections" where "collection" = '${path}'`,
        )
        counts.push(`${name} ${row?.join(' ')}`)
        records += Number(row?.[0])
        if (Number(total?.[0]) !== Number(row?.[0])) {
          wrongTotals.push(`${path} has ${row?.[0]} records and a total of ${total?.[0]}`)
        }
      }
      for (const text of [
        'select count(*), sum("version"), sum("total") from "selvedge_collections"',
        'select count(*), sum("total") from "selvedge_totals"',
        'select count(*), sum("change"), sum("removed") from "selvedge_changes"',
        'select count(*), max("change") from "selvedge_change_numbers"',
        `select "value" from "selvedge_settings" where "name" in ('change', 'secret') order by 1`,
      ]) {
        counts.push(JSON.stringify(await read(text)))
      }
      return {
        layout: isWhole && layout ? layout : `between: ${[...firsts]}, ${leftovers}`,
        records,
        contents: `${records} records, ${createHash('sha256').update(counts.join()).digest('hex')}`,
        wrongTotals,
      }
    })
  } finally {
    await database.close()
  }
}
