/** What mappings take from the records of their brand, on every engine. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { id, integer, nullable, ref, text } from '#contract'
import { findMappedSources, type IngestOptions, ingest, openReport, type Source } from '#ingest'
import { parseMapping } from '#mapping'
import { queriesOf, runRound } from '#sync'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { createSqliteSource } from '../../support/sqlite-source.ts'
import { colours, described, type OpenedForStore, uuid } from './samples.ts'

const brand = resource({
  ...described,
  group: 'Brand',
  path: 'brand',
  name: 'Brand',
  scope: 'brand',
  lookup: 'slug',
  fields: {
    ...{ id: id(), slug: text(), name: text(), countryCode: text() },
    ...{ baseCurrencyCode: text(), timezone: text() },
  },
})

const makers = resource({
  ...described,
  group: 'Makers',
  path: 'makers',
  name: 'Maker',
  scope: 'brand',
  fields: {
    ...{ id: id(), ownerId: nullable(ref('makers')), name: text(), number: nullable(integer()) },
  },
  filters: ['name'],
})

const boxes = resource({
  ...described,
  group: 'Boxes',
  path: 'boxes',
  name: 'Box',
  scope: 'brand',
  fields: {
    ...{ id: id(), brandId: ref('brand'), makerId: nullable(ref('makers')) },
    ...{ colourId: nullable(ref('colours')), code: text(), currency: nullable(text()) },
  },
  filters: ['makerId'],
})

const catalog = joinCatalog([brand, colours, makers, boxes])

const mappingText = (origin: (table: string) => string) => `
version: 1
defaults:
  brandId: { brand: id }
  currency: { brand: currency }
collections:
  makers:
    from: ${origin('makers')}
    id: { key: [NO] }
    fields: { name: NAME, number: { column: NUM, optional: true }, ownerId: { lookup: { by: { name: OWNER } } } }
  boxes:
    from: ${origin('boxes')}
    id: { key: [CODE] }
    fields:
      code: CODE
      makerId: { lookup: { collection: makers, by: { name: MAKER } } }
      colourId: { lookup: { by: { name: { column: COLOUR, optional: true } } }, default: null }
`

export const mappingContextConformance = (
  name: string,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`the context of mappings on ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-context-'))
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
      await ingestAll('*', [rowsOf(colours, [{ id: uuid(7), name: 'Grün' }])])
    })
    after(async () => {
      rmSync(folder, { recursive: true })
      await opened.close()
    })

    const rowsOf = (of: Source['resource'], values: readonly unknown[]): Source => ({
      ...{ name: `${of.path}.ndjson`, resource: of, bytes: null },
      input: {
        kind: 'rows',
        rows: async function* () {
          const rows = values.map((value, index) => ({ line: index + 1, value, losses: [] }))
          yield { rows, canonical: null }
        },
      },
    })
    const ingestAll = async (
      owner: string,
      sources: readonly Source[],
      options: Partial<IngestOptions> = {},
    ) => {
      const report = openReport(undefined)
      const result = await ingest({
        ...{ store, owner, report, now: Date.now, sources },
        ...{ replace: false, allowRemovals: true, dryRun: false, allowDangling: false },
        ...options,
      })
      const problems = report.first.map(
        ({ file, line, reason, value }) => `${file.split('/').at(-1)}:${line} ${value}: ${reason}`,
      )
      return { ...result, problems }
    }
    const addBrand = (slug: string, currency: string) =>
      ingestAll(slug, [
        rowsOf(brand, [
          {
            ...{ id: uuid(currency.charCodeAt(0)), slug, name: 'Søn & Co.', countryCode: 'NO' },
            ...{ baseCurrencyCode: currency, timezone: 'Europe/Oslo' },
          },
        ]),
      ])
    const mappingOf = (origin: (table: string) => string) =>
      parseMapping({ file: 'x.map.yaml', text: mappingText(origin), catalog })
    /** Imports files by the mapping. */
    const put = async (
      owner: string,
      files: { readonly [name: string]: string },
      options: Partial<IngestOptions> = {},
    ) => {
      const mapping = await mappingOf((table) => `'${table}*.csv'`)
      const paths = Object.entries(files).map(([file, content]) => {
        const path = join(folder, file)
        writeFileSync(path, content)
        return path
      })
      const sources = await findMappedSources(paths, {
        ...{ catalog, mapping, input: Readable.from([]), importedAt: '2026-11-18T10:00:00.000Z' },
      })
      const { collections: mappings } = mapping
      return ingestAll(owner, sources, { mappings, ...options })
    }
    const stored = async (owner: string, of: Source['resource'] = boxes) => {
      const request = { resource: of, brand: owner, filters: new Map(), limit: 100, include: [] }
      const { items } = await store.list({ ...request, after: null })
      return JSON.parse(`[${decodeBody(items)}]`) as Record<string, string | null>[]
    }
    /** The codes of boxes with the names of their makers. */
    const made = async (owner: string) => {
      const names = new Map((await stored(owner, makers)).map(({ id, name }) => [id, name]))
      return (await stored(owner))
        .map(({ code, makerId }) => `${code} ${names.get(makerId ?? '')}`)
        .sort()
    }

    it('has values of the brand and its records, and of the same import', async () => {
      await addBrand('files', 'NOK')
      await put('files', { 'makers.csv': 'NO,NAME,OWNER\n1,Åse,\n' })
      const result = await put('files', {
        'boxes.csv': 'CODE,MAKER,COLOUR\nA,åse,grün\nB,2nd,blue\nC,,\n',
        'makers.csv': 'NO,NAME,OWNER\n2,2nd,Third\n3,Third,åse\n',
      })
      assert.deepEqual(result.problems, [])
      assert.deepEqual(await made('files'), ['A Åse', 'B 2nd', 'C undefined'])
      const all = await stored('files')
      assert.deepEqual(new Set(all.map(({ brandId }) => brandId)), new Set([uuid(78)]))
      assert.deepEqual(new Set(all.map(({ currency }) => currency)), new Set(['NOK']))
      const colourOf = new Map(all.map(({ code, colourId }) => [code, colourId]))
      assert.deepEqual([colourOf.get('A'), colourOf.get('B')], [uuid(7), null])
      const owners = new Map((await stored('files', makers)).map((each) => [each['name'], each]))
      assert.equal(owners.get('2nd')?.['ownerId'], owners.get('Third')?.['id'])
      assert.equal(owners.get('Third')?.['ownerId'], owners.get('Åse')?.['id'])
    })

    it('has no records of other brands', async () => {
      await addBrand('other', 'EUR')
      const { written, problems } = await put('other', { 'boxes.csv': 'CODE,MAKER\nA,Åse\n' })
      assert.equal(written, false)
      assert.deepEqual(problems, [
        'boxes.csv:2 Åse: is the name of no record of makers: import that record first, correct the row, or add default: null',
      ])
    })

    it('has the names that records have after the import', async () => {
      await addBrand('renamed', 'SEK')
      await put('renamed', { 'makers.csv': 'NO,NAME,OWNER\n1,Old,\n2,Gone,\n' })
      const { problems } = await put('renamed', {
        'makers.csv': 'NO,NAME,OWNER\n1,New,\n',
        'boxes.csv': 'CODE,MAKER\nA,New\nB,Old\n',
      })
      assert.match(problems.join(), /^boxes\.csv:3 Old: is the name of no record of makers/)
    })

    it('lets rows wait in quarantine until their record is there', async () => {
      await addBrand('waits', 'DKK')
      const quarantine = { onError: 'quarantine', source: { kind: 'watch', name: 'in' } } as const
      const files = { 'boxes.csv': 'CODE,MAKER\nA,Later\n' }
      assert.equal((await put('waits', files, quarantine)).problems.length, 1)
      // Nothing has changed that would find its maker.
      assert.deepEqual(
        (await put('waits', { 'boxes-2.csv': 'CODE,MAKER\nB,\n' }, quarantine)).problems,
        [],
      )
      assert.deepEqual(await made('waits'), ['B undefined'])
      const later = await put('waits', { 'makers.csv': 'NO,NAME,OWNER\n9,Later,\n' }, quarantine)
      assert.deepEqual([later.problems, later.waiting], [[], []])
      assert.deepEqual(await made('waits'), ['A Later', 'B undefined'])
    })

    it('has the rows of queries of the same round', async () => {
      await addBrand('synced', 'GBP')
      const erp = new DatabaseSync(':memory:')
      erp.exec(`
        create table makers (NO text, NAME text, OWNER text, CHANGED text);
        create table boxes (CODE text, MAKER text, CHANGED text);
        insert into makers values ('1', 'Twin', null, '1'), ('2', 'Sæter', 'TWIN', '1');
        insert into boxes values ('A', 'sæter', '1'), ('B', 'Missing', '1'), ('E', null, '2')`)
      const { collections } = await mappingOf(
        (table) => `{ sql: 'select * from ${table}', cursor: CHANGED }`,
      )
      const queries = queriesOf(collections)
      const round = async () => {
        const report = openReport(undefined)
        await runRound({
          ...{ store, brand: 'synced', source: { kind: 'sync', name: 'erp' }, report },
          ...{ database: createSqliteSource(erp, []), queries, mappedQueries: queries },
          ...{ write: store.write, now: Date.now },
          options: {
            ...{ allowRemovals: false, allowDangling: false, onError: 'quarantine' },
            ...{ dryRun: false, reconcile: false },
          },
        })
        return report.first.map(({ value, reason }) => `${value}: ${reason.split(':')[0]}`)
      }
      assert.deepEqual(await round(), ['Missing: is the name of no record of makers'])
      assert.deepEqual(await made('synced'), ['A Sæter', 'E undefined'])
      // Makers have changed, so the row is tried once more.
      assert.deepEqual(await round(), ['Missing: is the name of no record of makers'])
      assert.deepEqual(await round(), [])
      erp.exec("insert into makers values ('3', 'Missing', null, '3')")
      assert.deepEqual(await round(), [])
      assert.deepEqual(await made('synced'), ['A Sæter', 'B Missing', 'E undefined'])
      erp.exec(`
        insert into makers values ('4', 'Twin', null, '4');
        insert into boxes values ('C', 'Twin', '4'), ('D', 'Sæter', '4')`)
      assert.deepEqual(await round(), [
        'Twin: is the name of 2 records of makers (' +
          ids(await stored('synced', makers), 'Twin') +
          ')',
      ])
      assert.deepEqual(await made('synced'), ['A Sæter', 'B Missing', 'D Sæter', 'E undefined'])
    })

    const ids = (all: readonly Record<string, string | null>[], wanted: string) =>
      all
        .filter(({ name }) => name === wanted)
        .map(({ id }) => id)
        .sort()
        .join(', ')

    it('finds records by whole numbers, dates and references', async () => {
      await addBrand('numbers', 'CHF')
      const mapping = await parseMapping({
        file: 'x.map.yaml',
        text: mappingText((table) => `'${table}.csv'`).replace(
          '{ name: MAKER }',
          '{ number: MAKER, ownerId: { ref: OWNER } }',
        ),
        catalog,
      })
      const files = [
        ['makers.csv', 'NO,NAME,NUM,OWNER\n1,One,11,\n2,Two,12,One\n3,Three,12,\n'],
        ['boxes.csv', 'CODE,MAKER,OWNER\nA,12,1\n'],
      ].map(([file = '', content = '']) => {
        writeFileSync(join(folder, file), content)
        return join(folder, file)
      })
      const sources = await findMappedSources(files, {
        ...{ catalog, mapping, input: Readable.from([]), importedAt: '2026-11-18T10:00:00.000Z' },
      })
      assert.deepEqual((await ingestAll('numbers', sources)).problems, [])
      assert.deepEqual(await made('numbers'), ['A Two'])
    })

    it('is refused for shared records and without a brand', async () => {
      const mapping = await parseMapping({
        file: 'x.map.yaml',
        text: "version: 1\ncollections: { colours: { from: 'c.csv', id: { key: [NO] }, fields: { name: { brand: name } } } }",
        catalog,
      })
      writeFileSync(join(folder, 'c.csv'), 'NO\n1\n')
      const sources = await findMappedSources([join(folder, 'c.csv')], {
        ...{ catalog, mapping, input: Readable.from([]), importedAt: '2026-11-18T10:00:00.000Z' },
      })
      await assert.rejects(
        ingestAll('*', sources),
        /^Error: x\.map\.yaml:2 uses a value of the brand, and these records are shared/,
      )
      await assert.rejects(
        put('nobody', { 'boxes.csv': 'CODE,MAKER\nA,\n' }),
        /x\.map\.yaml:4 uses a value of the brand nobody, which does not exist yet/,
      )
    })
  })
}
