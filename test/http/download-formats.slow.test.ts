/** Downloads over HTTP: formats, parameters, limits, and clients that do not read. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { catalog, type JsonValue, leafFields, queryBasePath, resourceAt, valueAt } from '#contract'
import type { DemoRecord } from '#demo'
import { until } from '../support/cluster.ts'
import { download, openDownload } from '../support/download.ts'
import { brandRecord, eachOf, idOf, lists, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { cannotReadWorkbooks, readWorkbook } from '../support/xlsx.ts'

const service = await openTestService({
  CORS_ORIGINS: 'https://app.example.com',
  KEY_DOWNLOADS: '100',
  DOWNLOADS: '100',
})
after(() => service.close())
const key = await service.key('aldermoor')

const pathOf = (rest: string, brand = 'aldermoor') => `${queryBasePath}/brands/${brand}/${rest}`
const file = (rest: string, options: Partial<Parameters<typeof download>[1]> = {}) =>
  download(service.url + pathOf(rest), { key, ...options })

/** All pages of a list of the query API. */
const pagesOf = async (rest: string): Promise<readonly DemoRecord[]> => {
  const items: DemoRecord[] = []
  let cursor = ''
  do {
    const { status, body, text } = await service.get(`${pathOf(rest)}limit=7${cursor}`)
    assert.equal(status, 200, text)
    items.push(...body.items)
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
  } while (cursor !== '')
  return items
}

const linesOf = (body: Buffer): readonly string[] => body.toString().split('\n').slice(0, -1)

const csvOf = (body: Buffer): readonly { readonly [column: string]: string }[] =>
  parse(body, { columns: true, record_delimiter: '\r\n', bom: true })

const textOf = (value: JsonValue): string => {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

describe('a download', () => {
  it('as NDJSON has every record of every group, and says in its last line that it is complete', () =>
    eachOf(lists, async ({ path }) => {
      const { status, headers, trailers, body, isComplete } = await file(
        `${path}/download?format=ndjson`,
      )
      const total = recordsAt(path).length
      assert.equal(status, 200, `${path} ${body}`)
      const lines = linesOf(body)
      assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { complete: true, items: total }, path)
      const { body: page } = await service.get(`${pathOf(path)}?limit=100`)
      const records = lines.slice(0, -1).map((line) => JSON.parse(line))
      assert.deepEqual(records.slice(0, 100), page.items, path)
      assert.equal(records.length, total)
      assert.equal(headers['total-items'], String(total))
      assert.ok(isComplete)
      assert.equal(trailers['download-complete'], 'true')
    }))

  it('as CSV has every field of every record of every group', () =>
    eachOf(lists, async ({ path, fields }) => {
      const { body, trailers } = await file(`${path}/download?format=csv`)
      const rows = csvOf(body)
      assert.equal(trailers['download-complete'], 'true')
      const lines = linesOf((await file(`${path}/download?format=ndjson`)).body).slice(0, -1)
      assert.equal(rows.length, lines.length, path)
      for (const [index, line] of lines.entries()) {
        for (const { name, field, path: steps } of leafFields(fields)) {
          const value = valueAt(JSON.parse(line), steps)
          const text =
            value !== null && field.kind === 'any' ? JSON.stringify(value) : textOf(value)
          const cell = rows[index]?.[name] ?? ''
          assert.ok(cell === text || cell === `'${text}`, `${path} ${name}: ${cell}`)
        }
      }
    }))

  it('has names beside references, from the same state', async () => {
    const suppliers = new Map(recordsAt('suppliers').map(({ id, name }) => [id, name]))
    const rows = csvOf((await file('orders/download?format=csv')).body)
    assert.ok(rows.length > 0)
    for (const row of rows)
      assert.equal(row['supplierName'], suppliers.get(row['supplierId'] ?? ''))
  })

  for (const rest of [
    'orders?',
    'orders?sort=-orderDate&',
    'order-items?sort=qty&fields=qty,orderId&',
    `order-items?orderId=${recordsAt('orders')[0]?.['id']}&`,
    'orders?orderDate.gte=2020-01-01&sort=orderNumber&',
    'orders?orderNumber.startsWith=po&status.in=sent,received,shipped,closed&',
    `orders?ids=${recordsAt('orders')[0]?.['id']},${idOf(1)}&`,
  ]) {
    it(`has what its list has, page by page: ${rest}`, { skip: cannotReadWorkbooks }, async () => {
      const [group, query = ''] = rest.split('?')
      const records = await pagesOf(rest)
      assert.ok(records.length > 0)
      const named = `${group}/download?${query}`
      const lines = linesOf((await file(`${named}format=ndjson`)).body)
      assert.deepEqual(
        lines.slice(0, -1),
        records.map((each) => JSON.stringify(each)),
      )
      const shown = Object.keys(records[0] ?? {})
      const rows = csvOf((await file(`${named}format=csv`)).body)
      const book = readWorkbook((await file(`${named}format=xlsx`)).body)
      const header = Object.values(book.rows[0] ?? {}).map(([, value]) => value)
      assert.equal(book.sheet, group)
      assert.deepEqual(header, Object.keys(rows[0] ?? {}))
      assert.equal(book.rows.length, records.length + 1)
      for (const name of shown) {
        const texts = records.map((each) => textOf(each[name] ?? null))
        assert.deepEqual(
          rows.map((row) => row[name]),
          texts,
          name,
        )
        const column = Object.keys(book.rows[0] ?? {})[header.indexOf(name)] ?? ''
        const kind = resourceAt(catalog, group ?? '').fields[name]?.kind
        if (kind === 'date' || kind === 'timestamp') continue
        assert.deepEqual(
          book.rows.slice(1).map((row) => row[column]?.[1] ?? ''),
          texts,
          name,
        )
      }
    })
  }

  it('is named after its group, brand, view and day, and is not to be stored', async () => {
    const { headers } = await file('orders/download?format=csv&view=late&asOf=2026-03-01')
    assert.equal(
      headers['content-disposition'],
      'attachment; filename="orders-aldermoor-late-2026-03-01.csv"',
    )
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers.etag, undefined)
    // A proxy that buffers would forward it beside a length.
    assert.equal(headers.trailer, undefined)
    assert.match(String(headers['x-request-id']), /./)
    const plain = await file('tags/download?format=xlsx')
    assert.match(
      String(plain.headers['content-disposition']),
      /^attachment; filename="tags-aldermoor-\d{4}-\d\d-\d\d\.xlsx"$/,
    )
  })

  it('has semicolons in CSV if that is asked for', async () => {
    const [plain, other] = await Promise.all([
      file('suppliers/download?format=csv'),
      file('suppliers/download?format=csv&delimiter=semicolon'),
    ])
    const options = { columns: true, record_delimiter: '\r\n', delimiter: ';' }
    assert.deepEqual(parse(other.body, options), csvOf(plain.body))
  })

  it('has a byte order mark in CSV if that is asked for', async () => {
    const [plain, marked] = await Promise.all([
      file('tags/download?format=csv'),
      file('tags/download?format=csv&bom=true'),
    ])
    assert.deepEqual(marked.body, Buffer.concat([Buffer.from('\ufeff'), plain.body]))
  })

  it('is compressed if that is asked for; a workbook is already', async () => {
    const plain = await file('skus/download?format=ndjson')
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const headers = { 'accept-encoding': encoding }
      const packed = await file('skus/download?format=ndjson', { headers })
      assert.equal(packed.headers['content-encoding'], encoding)
      assert.deepEqual(decode(packed.body), plain.body)
      assert.equal(packed.trailers['download-complete'], 'true')
      const book = await file('tags/download?format=xlsx', { headers })
      assert.equal(book.headers['content-encoding'], undefined)
    }
  })

  it('answers HEAD with the same headers and no body', async () => {
    const { status, headers, body } = await file('tags/download?format=csv', { method: 'HEAD' })
    assert.equal(status, 200)
    assert.equal(body.length, 0)
    assert.equal(headers['total-items'], String(recordsAt('tags').length))
    assert.match(String(headers['content-disposition']), /\.csv"$/)
  })

  it('lets scripts of listed origins read how many records there are', async () => {
    const headers = { origin: 'https://app.example.com' }
    const answer = await file('tags/download?format=csv', { headers })
    assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example.com')
    assert.match(
      String(answer.headers['access-control-expose-headers']),
      /Total-Items, .*, Content-Disposition$/,
    )
    assert.match(String(answer.headers.vary), /Origin/)
  })

  it('is refused with all that is wrong', async () => {
    const refused = async (rest: string) => {
      const { status, body } = await file(rest)
      assert.equal(status, 400, rest)
      const { errorCode, details } = JSON.parse(body.toString())
      assert.equal(errorCode, 'invalid_parameter')
      return Object.fromEntries(
        details.map(({ parameter, issue }: { parameter: string; issue: string }) => [
          parameter,
          issue,
        ]),
      )
    }
    assert.deepEqual(await refused('tags/download'), {
      format: 'is missing: use ndjson, csv, xlsx',
    })
    const problems = await refused(
      'orders/download?format=xls&bom=yes&delimiter=tab&limit=5&cursor=x&include=supplier&sort=memo',
    )
    assert.match(problems['format'], /names "xls", which is not a format; did you mean xlsx\?/)
    assert.equal(problems['bom'], 'must be true or false')
    assert.match(problems['delimiter'], /names "tab", which is not a delimiter/)
    for (const name of ['limit', 'cursor', 'include']) {
      assert.match(problems[name], /^is not a parameter here/, name)
    }
    assert.match(problems['sort'], /names "memo"/)
  })

  it('needs a key for the brand, and has nothing of another brand', async () => {
    await service.write('other', {
      brand: [brandRecord('other', 2)],
      tags: [{ ...recordsAt('tags')[0], id: idOf(77), name: 'secret of another brand' }],
    })
    const other = await service.key('other')
    const url = service.url + pathOf('tags/download?format=ndjson')
    assert.equal((await download(url, { key: other })).status, 401)
    assert.equal((await download(url, { key: 'nonsense' })).status, 401)
    const own = await download(url, { key })
    assert.ok(!own.body.toString().includes('secret of another brand'))
    const theirs = await download(service.url + pathOf('tags/download?format=ndjson', 'other'), {
      key: other,
    })
    assert.equal(linesOf(theirs.body).length, 2)
  })
})

describe('a download that is large', () => {
  let large: TestService
  let url: string
  let own: string
  const total = 4_000
  const records = Array.from({ length: total }, (_, index) => ({
    ...recordsAt('tags')[0],
    id: idOf(index + 1),
    // More than the sockets on both sides hold.
    name: `${index} ${'x'.repeat(8_000)}`,
    code: `t${index}`,
  }))
  before(async () => {
    large = await openTestService(
      { KEY_DOWNLOADS: '2', DOWNLOADS: '3', DOWNLOAD_RECORDS: String(total) },
      { story: false },
    )
    await large.write('acme', { brand: [brandRecord('acme', 3)], tags: records })
    own = await large.key('acme')
    url = large.url + pathOf('tags/download?format=', 'acme')
  })
  after(() => large.close())

  it('does not change while it is read, whatever is imported', async () => {
    const reader = await openDownload(`${url}ndjson`, { key: own })
    await large.write('acme', { tags: records.map((each) => ({ ...each, name: 'changed' })) })
    const { body, isComplete } = await reader.finish()
    assert.ok(isComplete)
    const lines = linesOf(body)
    assert.equal(lines.length, total + 1)
    assert.ok(!lines.some((line) => line.includes('"changed"')))
    await large.write('acme', { tags: records })
  })

  it('leaves room for others: so many of a key, and so many in all', async () => {
    const open = () => openDownload(`${url}csv`, { key: own })
    const second = await large.key('acme')
    const readers = [await open(), await open()]
    const refused = await (await open()).finish()
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '5')
    assert.match(refused.body.toString(), /at most 2 of one key and 3 in all/)
    readers.push(await openDownload(`${url}csv`, { key: second }))
    assert.deepEqual(
      readers.map(({ response }) => response.statusCode),
      [200, 200, 200],
    )
    const full = await download(`${url}csv`, { key: second })
    assert.equal(full.status, 429)
    // Short requests are served meanwhile, and a client that leaves makes room.
    const page = await large.get(pathOf('tags?limit=1', 'acme'), { key: own })
    assert.equal(page.status, 200)
    for (const reader of readers) reader.destroy()
    await until(async () => (await download(`${url}csv`, { key: own })).status === 200)
    assert.ok(!large.logged.some((line) => line.includes('"level":50')), String(large.logged))
  })

  it('of more records than may be is refused before anything is sent', async () => {
    const added = { ...recordsAt('tags')[0], id: idOf(total + 1), code: 'more' }
    await large.write('acme', { tags: [added] })
    const { status, body, headers } = await download(`${url}xlsx`, { key: own })
    assert.equal(status, 400)
    assert.match(String(headers['content-type']), /json/)
    const { errorCode, error } = JSON.parse(body.toString())
    assert.equal(errorCode, 'page_too_large')
    assert.equal(
      error,
      'This download selects 4001 records, but a file of this format has at most 4000. To get fewer, add filters, ranges or a view; to get all of them, read the list page by page.',
    )
    const narrowed = await download(`${url}csv&code=more`, { key: own })
    assert.equal(narrowed.headers['total-items'], '1')
  })

  it('has left its slot before its client can know that it is complete', async () => {
    const leaving: (() => void)[] = []
    const release = () => new Promise<void>((left) => leaving.push(left))
    const take = async () => ({ release })
    const held = await openTestService({}, { machineSlots: () => ({ take }) })
    try {
      const own = await held.key('aldermoor')
      for (const options of [{ format: 'ndjson' }, { format: 'csv' }, { method: 'HEAD' }]) {
        const { format = 'xlsx', method = 'GET' } = options
        const url = held.url + pathOf(`tags/download?format=${format}`)
        let isOver = false
        const file = download(url, { key: own, method }).finally(() => {
          isOver = true
        })
        await until(() => leaving.length > 0)
        await held.get(pathOf('tags?limit=1'))
        assert.equal(isOver, false, format)
        const leave = setInterval(() => leaving.shift()?.(), 1)
        assert.ok((await file).isComplete)
        clearInterval(leave)
        assert.equal((await file).body.toString().includes('"complete":true'), format === 'ndjson')
      }
    } finally {
      await held.close()
    }
  })

  for (const [what, environment, reason] of [
    ['that its client does not read', { SEND_TIMEOUT_SECONDS: '1' }, 'stalled'],
    // Enough for a busy machine to begin the file, which a second was not.
    ['that takes too long', { DOWNLOAD_SECONDS: '8' }, 'download'],
  ] as const) {
    it(`${what} is cut off, and noticed as incomplete`, async () => {
      const strict = await openTestService(environment, { story: false })
      try {
        await strict.write('acme', { brand: [brandRecord('acme', 3)], tags: records })
        const reader = await openDownload(
          strict.url + pathOf('tags/download?format=ndjson', 'acme'),
          { key: await strict.key('acme') },
        )
        assert.equal(reader.response.statusCode, 200)
        const cuts = async () => (await strict.metrics.text()).body.includes(`reason="${reason}"`)
        await until(cuts)
        const { isComplete, body, trailers } = await reader.finish()
        assert.equal(isComplete, false)
        assert.equal(trailers['download-complete'], undefined)
        assert.ok(!body.toString().includes('"complete":true'))
      } finally {
        await strict.close()
      }
    })
  }
})
