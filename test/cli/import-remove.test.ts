/** Lists of records to remove. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { catalog, writeIdentity } from '#contract'
import { findSources, SourceError } from '#ingest'
import { ndjson, openSandbox } from '../support/command.ts'
import { countsOf, messages, noCounts, openStoryRecords, tag } from '../support/import-records.ts'
import { type Files, openImportSandbox } from '../support/import-sandbox.ts'
import { brandRecord, idOf } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, stored, writeFiles } = sandbox
after(() => sandbox.close())

describe('a list of records to remove', async () => {
  const records = await openStoryRecords(sandbox, 'remove.db')
  const remove = async (files: Files) => {
    const at = writeFiles(files)
    const paths = Object.keys(files).map((name) => `${at}/${name}`)
    const sources = await findSources(paths, { catalog, input: Readable.from([]) })
    return importInto(
      records,
      {},
      {
        allowRemovals: false,
        sources: sources.map((source) => ({
          ...source,
          name: source.name.replace(`${at}/`, ''),
          removes: true,
        })),
      },
    )
  }
  const add = (...numbers: number[]) =>
    importInto(records, { 'tags.ndjson': ndjson(numbers.map((number) => tag(number))) })

  for (const [name, file, content] of [
    ['CSV with the identity', 'tags.csv', `id\n${idOf(1)}\n${idOf(2)}\n${idOf(9)}\n`],
    ['CSV with other columns', 'tags.csv', `name;id\nx;${idOf(1)}\ny;${idOf(2)}\nz;${idOf(9)}\n`],
    [
      'identities in NDJSON',
      'tags.ndjson',
      ndjson([1, 2, 9].map((number) => ({ id: idOf(number) }))),
    ],
    ['whole records in NDJSON', 'tags.ndjson', ndjson([1, 2, 9].map((number) => tag(number)))],
    [
      'items of the change feed',
      'tags.json',
      JSON.stringify(
        [1, 2, 9].map((number) => ({ collection: 'tags', id: idOf(number), operation: 'remove' })),
      ),
    ],
  ] as const) {
    it(`is taken as ${name}`, async () => {
      await add(1, 2, 3)
      const result = await remove({ [file]: content })
      assert.deepEqual(result.reported, [])
      assert.deepEqual(countsOf(result), { tags: { ...noCounts, read: 3, removed: 2 } })
      const ids = (await stored(records, 'tags')).map(({ id }) => id)
      assert.deepEqual(
        [1, 2, 3].map((number) => ids.includes(idOf(number))),
        [false, false, true],
      )
    })
  }

  it('names records of several parts by all of them', async () => {
    const [link] = await stored(records, 'product-tags')
    const [productId, tagId] = [String(link?.['productId']), String(link?.['tagId'])]
    const id = writeIdentity([productId, tagId])
    const items = ndjson([{ collection: 'product-tags', id, operation: 'remove' }])
    const result = await remove({ 'product-tags.ndjson': items })
    assert.equal(result.collections[0]?.removed, 1)
  })

  it('is refused with the lines that name nothing', async () => {
    const lines = [
      { collection: 'tags', id: 'red', operation: 'remove' },
      { collection: 'tags', id: idOf(1), operation: 'put', record: {} },
      { collection: 'skus', id: idOf(1), operation: 'remove' },
      { name: 'x' },
    ]
    const { reported, written } = await remove({ 'tags.ndjson': ndjson(lines) })
    assert.equal(written, false)
    assert.deepEqual(
      reported.map(([place, field, , reason]) => [place, field, reason]),
      [
        ['tags.ndjson:1', '/id', messages.notUuid],
        ['tags.ndjson:2', '', 'is not an item that removes a record'],
        ['tags.ndjson:3', '', 'is not an item of tags'],
        ['tags.ndjson:4', '', 'does not have the identity: id'],
      ],
    )
    await assert.rejects(remove({ 'product-tags.csv': `tagId\n${idOf(1)}\n` }), {
      constructor: SourceError,
      message:
        'product-tags.csv does not name records of product-tags to remove: the column productId is missing',
    })
  })
})

describe('the command', () => {
  const place = openSandbox()
  after(() => place.close())

  it('removes with --remove, and refuses it with --replace', async () => {
    place.put({
      'brand.ndjson': ndjson([brandRecord('acme', 1)]),
      'tags.ndjson': ndjson([tag(1), tag(2)]),
      'old/tags.csv': `id\n${idOf(1)}\n`,
    })
    const files = ['brand.ndjson', 'tags.ndjson']
    assert.equal((await place.run(['import', ...files, '--brand', 'acme'])).code, 0)
    const command = ['import', 'old/tags.csv', '--remove', '--brand', 'acme', '--json']
    const { code, stdout, stderr } = await place.run(command)
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).collections[0].removed, 1)
    assert.equal((await place.run([...command, '--replace'])).code, 2)
  })
})
