/** Files that operators upload: preview, dry run and import on the operator page. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { uploadLimits } from '#contract'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { ndjson } from '../support/command.ts'
import { idOf } from '../support/model.ts'
import { isOver, type Uploader, uploaderOf } from '../support/uploads.ts'
import { textRow, workbookOf } from '../support/workbook.ts'

let place: TestAdmin
let ada: Uploader
before(async () => {
  place = await openTestAdmin({}, { records: 'story' })
  ada = await signIn('Ada')
})
after(() => place.close())

const signIn = async (name: string) => uploaderOf(place, await place.signIn(name))
const at = '2026-03-01T09:00:00.000Z'
const tag = (number: number, changes: object = {}) => ({
  ...{ id: idOf(9_000 + number), name: `Tag ${number}`, code: null, uiColor: null },
  ...{ createdAt: at, updatedAt: at },
  ...changes,
})
const tableRow = (row: ReturnType<typeof tag>) => columns.map((name) => row[name])
const columns = ['id', 'name', 'createdAt', 'updatedAt'] as const
const csv = (...rows: readonly ReturnType<typeof tag>[]): string =>
  [columns, ...rows.map(tableRow)].map((row) => `${row.join()}\n`).join('')
/** Files that wait in the temporary folder of this process. */
const files = (): readonly string[] =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith('selvedge-uploads-') && name.includes(`-${process.pid}-`))
    .flatMap((name) => readdirSync(`${tmpdir()}/${name}`))

const tags = async () => {
  const counts = await place.records.store.brandCounts('aldermoor')
  return counts.find(({ collection }) => collection === 'tags')?.records ?? 0
}

describe('an uploaded file', () => {
  const formats: readonly (readonly [string, () => Promise<string | Buffer> | string | Buffer])[] =
    [
      ['tags.ndjson', () => ndjson([tag(1)])],
      ['tags.json', () => JSON.stringify([tag(2)])],
      ['tags.csv', () => csv(tag(3))],
      ['tags.csv.gz', () => gzipSync(csv(tag(4)))],
      [
        'tags.xlsx',
        () =>
          workbookOf({
            sheets: {
              Data: textRow(1, ...columns) + textRow(2, ...tableRow(tag(5)).map(String)),
            },
          }),
      ],
      [
        'tags.parquet',
        () =>
          Buffer.from(
            parquetWriteBuffer({
              columnData: columns.map((name) => ({
                ...{ name, data: [tag(6)[name]], type: 'STRING' as const },
              })),
            }),
          ),
      ],
    ]
  for (const [name, bytes] of formats) {
    it(`is previewed, checked and imported: ${name}`, async () => {
      const stored = await tags()
      const upload = await ada.upload({ [name]: await bytes() })
      assert.deepEqual(
        upload.files.map(({ collection, kind }) => [collection, kind]),
        [['tags', 'records']],
      )
      const { previews } = await ada.run(upload.id, 'preview')
      const [preview] = previews ?? []
      assert.equal(preview?.error, null)
      assert.deepEqual(
        preview?.columns.map(({ name, isUsed }) => [name, isUsed]),
        (name.includes('json') ? Object.keys(tag(0)) : columns).map((each) => [each, true]),
      )
      assert.deepEqual([preview?.checkedRows, preview?.isWhole, preview?.missing], [1, true, []])
      assert.match(preview?.rows[0]?.cells.join() ?? '', /,Tag \d,.*2026-03-01/)

      const { result: checked } = await ada.run(upload.id, 'check')
      assert.equal(checked?.isWritten, false)
      assert.deepEqual(
        checked?.changes.map(({ operation, collection, title }) => [operation, collection, title]),
        [['added', 'tags', preview?.rows[0]?.cells[1]]],
      )
      assert.equal(await tags(), stored)

      const { result } = await ada.run(upload.id, 'import')
      assert.deepEqual([result?.isWritten, result?.collections[0]?.added], [true, 1])
      assert.equal(await tags(), stored + 1)
      assert.deepEqual(files(), [])
    })
  }

  it('is a unit and an entry in the audit log, by the operator', async () => {
    const { id } = await ada.upload({ 'tags.ndjson': ndjson([tag(7)]) })
    await ada.run(id, 'import')
    const entry = (await place.entries()).findLast(({ action }) => action === 'unit.committed')
    assert.deepEqual(
      [entry?.actor, entry?.actorKind, entry?.brand],
      ['Ada', 'operator', 'aldermoor'],
    )
    assert.match(entry?.program ?? '', /^selvedge \S+ admin$/)
    const [unit] = (await ada.ask('GET', '/imports?brand=aldermoor')).body.items
    assert.deepEqual([unit?.kind, unit?.state, unit?.added], ['import', 'done', 1])
  })

  it('takes the collection that was chosen if its name has none', async () => {
    const { id, files } = await ada.upload({ 'export from the ERP.csv': csv(tag(8)) })
    const [file] = files
    assert.equal(file?.collection, null)
    const unknown = await ada.run(id, 'preview')
    assert.deepEqual(unknown.previews?.[0]?.collection, null)
    assert.equal(unknown.previews?.[0]?.rows.length, 1)
    const { state, error } = await ada.run(id, 'check')
    assert.deepEqual(
      [state, error],
      ['failed', 'Choose the collection of the records in export from the ERP.csv.'],
    )
    const collections = { [file?.id ?? '']: 'tags' }
    const { result } = await ada.run(id, 'import', { collections })
    assert.equal(result?.collections[0]?.added, 1)
  })

  it('is replaced by another of its name', async () => {
    const { id } = await ada.upload({ 'tags.csv': csv(tag(9)) })
    const { body } = await ada.send('tags.csv', csv(tag(9), tag(10)), id)
    assert.equal(body.files.length, 1)
    const { result } = await ada.run(id, 'check')
    assert.equal(result?.collections[0]?.read, 2)
    assert.equal((await ada.ask('DELETE', `/uploads/${id}`)).status, 204)
    assert.deepEqual(files(), [])
  })
})

describe('several files with a mapping', () => {
  const mapping = `version: 1
collections:
  tags:
    from: { files: "labels*.csv" }
    id: { key: [LABEL] }
    fields:
      name: LABEL
      createdAt: first-seen
      updatedAt: last-changed
`

  it('are imported together', async () => {
    const { id, files } = await ada.upload({
      'labels-1.csv': 'LABEL,COLOUR\nSummer,red\n',
      'labels-2.csv': 'LABEL,COLOUR\nWinter,blue\n',
      'erp.map.yaml': mapping,
    })
    assert.deepEqual(
      files.map(({ kind }) => kind),
      ['records', 'records', 'mapping'],
    )
    const { previews, error } = await ada.run(id, 'preview')
    assert.equal(error, null)
    assert.deepEqual(
      previews?.map(({ collection, columns }) => [
        collection,
        ...columns.map(({ isUsed }) => isUsed),
      ]),
      [
        ['tags', true, false],
        ['tags', true, false],
      ],
    )
    const { result } = await ada.run(id, 'import')
    assert.equal(result?.collections[0]?.added, 2)
    const entry = (await place.entries()).findLast(({ action }) => action === 'mapping.changed')
    assert.deepEqual([entry?.subject, entry?.actor], ['erp.map.yaml', 'Ada'])
  })

  it('say what is wrong with the mapping, or that no pattern matches', async () => {
    const { id } = await ada.upload({
      'labels.csv': 'LABEL\nA\n',
      'erp.map.yaml': 'collections: 1',
    })
    const { state, error } = await ada.run(id, 'preview')
    assert.equal(state, 'failed')
    assert.match(error ?? '', /erp\.map\.yaml/)
    await ada.send('erp.map.yaml', mapping.replace('labels*', 'others*'), id)
    const { previews } = await ada.run(id, 'preview')
    assert.match(previews?.[0]?.error ?? '', /^labels\.csv matches none of the patterns/)
    await ada.ask('DELETE', `/uploads/${id}`)
  })
})

describe('a file with mistakes', () => {
  it('has its columns, lines and keys in the problems, and stores nothing', async () => {
    const stored = await tags()
    const { id } = await ada.upload({ 'tags.csv': csv(tag(20), tag(21, { createdAt: 'soon' })) })
    const { previews } = await ada.run(id, 'preview')
    const [problem] = previews?.[0]?.problems ?? []
    assert.deepEqual([problem?.file, problem?.line, problem?.field], ['tags.csv', 3, '/createdAt'])
    const { result } = await ada.run(id, 'import')
    assert.deepEqual([result?.isWritten, result?.isRefused, result?.errors], [false, true, 1])
    assert.equal(await tags(), stored)

    const chosen = await ada.run(id, 'import', { onError: 'quarantine' })
    assert.deepEqual(
      [chosen.result?.isWritten, chosen.result?.collections[0]?.quarantined],
      [true, 1],
    )
    assert.equal(await tags(), stored + 1)
  })

  it('names columns that are not fields, and those that are missing', async () => {
    const { id } = await ada.upload({ 'tags.csv': 'id,title\n1,x\n' })
    const [preview] = (await ada.run(id, 'preview')).previews ?? []
    assert.deepEqual(
      preview?.columns.map(({ isUsed }) => isUsed),
      [true, false],
    )
    assert.ok(preview?.missing.includes('name'))
    assert.match(preview?.error ?? '', /column "title" is not a field/)
    await ada.ask('DELETE', `/uploads/${id}`)
  })

  for (const [what, name, bytes, message] of [
    ['a workbook named .csv', 'tags.csv', 'PK\u0003\u0004', /is an Excel workbook[^-]*$/],
    ['a text named .xlsx', 'tags.xlsx', 'id,name\n', /is not an Excel workbook/],
    ['a text named .parquet', 'tags.parquet', 'id,name\n', /is not a Parquet file/],
    ['a broken gzip file', 'tags.csv.gz', 'id,name\n', /is not complete gzip data/],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      const { id } = await ada.upload({ [name]: bytes })
      const [preview] = (await ada.run(id, 'preview')).previews ?? []
      assert.match(preview?.error ?? '', message)
      const { state, error } = await ada.run(id, 'import')
      assert.equal(state, 'failed')
      assert.match(error ?? '', message)
      await ada.ask('DELETE', `/uploads/${id}`)
    })
  }

  it('is refused if it expands beyond measure', async () => {
    const bytes = await workbookOf({
      sheets: { Data: textRow(1, 'id') },
      texts: '<si/>'.repeat(4_000_001),
    })
    const { id } = await ada.upload({ 'tags.xlsx': bytes })
    const [preview] = (await ada.run(id, 'preview')).previews ?? []
    assert.match(preview?.error ?? '', /has more than 4,000,000 shared strings/)
    await ada.ask('DELETE', `/uploads/${id}`)
  })

  it('would be removed records of more than half, and needs that to be allowed', async () => {
    const { id } = await ada.upload({ 'tags.csv': csv(tag(1)) })
    const refused = await ada.run(id, 'check', { replace: true })
    const [problem] = refused.result?.problems ?? []
    assert.match(problem?.reason ?? '', /more than half: check that the file is complete$/)
    const allowed = await ada.run(id, 'check', { replace: true, allowRemovals: true })
    const removed = allowed.result?.collections.find(({ collection }) => collection === 'tags')
    assert.doesNotMatch(JSON.stringify(allowed.result?.problems), /more than half/)
    assert.ok((removed?.removed ?? 0) > 2)
    await ada.ask('DELETE', `/uploads/${id}`)
  })

  it('of shared records is refused in a brand, and taken as shared records', async () => {
    const unit = { code: 'ZZZ', name: 'Test' }
    const { id } = await ada.upload({ 'units-of-measure.ndjson': ndjson([unit]) })
    const { error } = await ada.run(id, 'check')
    assert.match(error ?? '', /are shared by all brands\. Import the file alone, as shared records/)
    const { state } = await ada.run(id, 'check', { brand: null })
    assert.equal(state, 'done')
    await ada.ask('DELETE', `/uploads/${id}`)
  })
})

describe('an upload', () => {
  for (const name of [
    '../../etc/passwd',
    'a/b.csv',
    'a\\b.csv',
    '..',
    'a\u0000.csv',
    'a\u202e.csv',
    '',
  ]) {
    it(`with the name ${JSON.stringify(name)} is refused`, async () => {
      const { status, body } = await ada.send(name, 'x')
      assert.equal(status, 400)
      assert.equal(body.errorCode, 'invalid_parameter')
    })
  }

  for (const [name, reason] of [
    ['tags.pdf', /its extension is none of/],
    ['tags.xls', /old Excel files are not supported: save it as \.xlsx/],
    ['tags', /its extension is none of/],
  ] as const) {
    it(`of another type is refused before it is sent: ${name}`, async () => {
      const { status, body } = await ada.send(name, 'x')
      assert.equal(status, 400)
      assert.match(body.error, reason)
      assert.deepEqual(files(), [])
    })
  }

  it('of another session is not found', async () => {
    const { id } = await ada.upload({ 'tags.csv': csv() })
    const grace = await signIn('Grace')
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      assert.equal((await grace.ask(method, `/uploads/${id}${path}`)).status, 404)
    }
    assert.equal((await grace.send('tags.csv', 'x', id)).status, 404)
    assert.equal((await ada.ask('DELETE', `/uploads/${id}`)).status, 204)
  })

  it('that is too large is refused before it is sent', async () => {
    const { status, body } = await ada.begin('tags.csv', uploadLimits.fileBytes + 1).answer
    assert.equal(status, 413)
    assert.match(body.error, /at most 1,073,741,824 bytes/)
    assert.deepEqual(files(), [])
  })

  it('is removed with the session, and another session keeps its own', async () => {
    const grace = await signIn('Grace')
    const [own, other] = await Promise.all([
      grace.upload({ 'tags.csv': csv(tag(30)) }),
      ada.upload({ 'tags.csv': csv(tag(31)) }),
    ])
    assert.equal(files().length, 2)
    assert.equal((await grace.ask('DELETE', '/session')).status, 204)
    assert.equal(files().length, 1)
    assert.equal((await grace.ask('GET', `/uploads/${own.id}`)).status, 401)
    const { result } = await ada.run(other.id, 'import')
    assert.equal(result?.isWritten, true)
  })

  it('of two operators at once are imported one after the other', async () => {
    const grace = await signIn('Grace')
    const [one, other] = await Promise.all([
      grace.upload({ 'tags.csv': csv(tag(40)) }),
      ada.upload({ 'tags.csv': csv(tag(41)) }),
    ])
    const jobs = await Promise.all([grace.run(one.id, 'import'), ada.run(other.id, 'import')])
    assert.deepEqual(
      jobs.map(({ result }) => result?.isWritten),
      [true, true],
    )
  })

  it('is cancelled before it stores anything', async () => {
    const stored = await tags()
    const many = Array.from({ length: 20_000 }, (_, index) => tag(100_000 + index))
    const { id } = await ada.upload({ 'tags.ndjson': ndjson(many) })
    await ada.start(id, 'import')
    const busy = await ada.start(id, 'import')
    assert.equal(busy.status, 409)
    await ada.until(id, ({ state }) => state === 'running')
    await ada.ask('POST', `/uploads/${id}/cancel`)
    const { state } = await ada.until(id, isOver)
    assert.equal(state, 'cancelled')
    assert.equal(await tags(), stored)
    await ada.ask('DELETE', `/uploads/${id}`)
    assert.deepEqual(files(), [])
  })

  it('that breaks off leaves nothing', async () => {
    const sending = ada.begin('tags.csv', 1_000_000)
    sending.write(csv(tag(50)))
    while (files().length === 0) await wait(10)
    sending.breakOff()
    await assert.rejects(sending.answer)
    while (files().length > 0) await wait(10)
  })
})
