/** JSON texts that are stored as they are: only those that validating and rewriting would not change. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { after, describe, it } from 'node:test'
import {
  canonicalRecord,
  catalog,
  checkRecord,
  compileCanonicalScanner,
  fieldAt,
  type Resource,
  resourceAt,
} from '#contract'
import type { DemoRecord } from '#demo'
import { rowFormatOf } from '#store'
import { mix } from '../../bench/statistics.ts'
import { parseJson } from '../../src/ingest/json-text.ts'
import { ndjson, openSandbox } from '../support/command.ts'
import { idOf, recordsAt } from '../support/model.ts'

const scanCells = (resource: Resource) => {
  const { fields, textBytes } = rowFormatOf(catalog, resource)
  const scanner = compileCanonicalScanner(resource, {
    wanted: fields,
    wantedBytes: textBytes,
    isUtf8,
  })
  assert.ok(scanner, `${resource.path} has no scanner`)
  /** The cells of a canonical text, as they are sliced out of it. */
  return (text: string): unknown[] | null => {
    const bytes = Buffer.from(text, 'latin1')
    if (scanner.endOf(bytes, 0) !== bytes.length) return null
    const cells = fields.map((path, index) => {
      const from = scanner.offsets[index * 2] ?? 0
      const cell = bytes.toString('utf8', from, scanner.offsets[index * 2 + 1])
      if (from < 0) return null
      return fieldAt(resource.fields, path)?.kind === 'integer' ? Number(cell) : cell
    })
    return [...cells, bytes.toString()]
  }
}

/** What becomes of a text that is parsed, checked and written. */
const parsed = (resource: Resource, text: string): unknown[] => {
  // Every rule of the other way in holds for it as well.
  const { value, losses } = parseJson(Buffer.from(text, 'latin1').toString())
  const record = value as DemoRecord
  assert.deepEqual(losses, [], text)
  assert.deepEqual(checkRecord(resource, record), [], text)
  assert.deepEqual(canonicalRecord(resource, record), record, text)
  const cells: never[] = []
  rowFormatOf(catalog, resource).pack(record, cells)
  return cells
}

const textsOf = (resource: Resource): readonly string[] =>
  recordsAt(resource.path).map((record) => {
    const cells: unknown[] = []
    rowFormatOf(catalog, resource).pack(record, cells as never[])
    return Buffer.from(String(cells.at(-1))).toString('latin1')
  })

const pieces = [
  ...['\\"', '\\\\', '\\t', '\\/', '\\u0041', '\\u001f', '\\u000a'],
  ...['"', '\\', '\\u0000', '\\n', '{', '}', '[', ']', ',', ':', ' ', '\t', 'null', 'true', '""'],
  ...['0', '-', '-0', '1e3', '1.0', '9007199254740993', '29', '30', '31', '02', '00', '99', '.'],
  ...[
    'a',
    'F',
    'Z',
    'T',
    '+01:00',
    '"id":null,',
    '\xff',
    '\xc3',
    '\xc3\xa9',
    '\xe2\x80\xa8',
    '\xed\xa0\x80',
    '\x7f',
    '\x00',
  ],
]

/** A text with a piece inserted, removed or replaced; the same for the same salt. */
const corrupted = (text: string, salt: number): string => {
  const at = mix(salt, 1) % (text.length + 1)
  const piece = pieces[mix(salt, 2) % pieces.length] ?? ''
  const removedLength = [0, 1, piece.length, 2 + (mix(salt, 4) % 40)][mix(salt, 3) % 4] ?? 0
  return `${text.slice(0, at)}${salt % 5 === 0 ? '' : piece}${text.slice(at + removedLength)}`
}

describe('a canonical text', () => {
  it('is what validating, packing and rewriting it would give, in every collection', () => {
    let canonical = 0
    let others = 0
    for (const resource of catalog.resources) {
      const cellsOf = scanCells(resource)
      for (const [index, text] of textsOf(resource).slice(0, 3).entries()) {
        for (let salt = 0; salt < 150; salt += 1) {
          const tried = salt === 0 ? text : corrupted(text, salt * 7 + index)
          const cells = cellsOf(tried)
          if (cells) assert.deepEqual(cells, parsed(resource, tried))
          if (cells) canonical += 1
          else others += 1
        }
      }
    }
    // Both must happen often, or the test would show nothing.
    assert.ok(canonical > 2_000 && others > 8_000, `${canonical} and ${others}`)
  })

  it('is every exported record that has no escapes and no values of any type', () => {
    for (const resource of catalog.resources) {
      const hasAny = JSON.stringify(resource.fields).includes('"any"')
      const cellsOf = scanCells(resource)
      for (const text of textsOf(resource)) {
        if (!hasAny && !text.includes('\\')) assert.ok(cellsOf(text), `${resource.path}: ${text}`)
      }
    }
  })

  it('may have escapes in a text, but not in a value that has a column', () => {
    const resource = resourceAt(catalog, 'order-items')
    const cellsOf = scanCells(resource)
    const [item] = recordsAt('order-items')
    const textOf = (fields: object) => Buffer.from(JSON.stringify({ ...item, ...fields }))
    const isCanonical = (fields: object) => cellsOf(textOf(fields).toString('latin1')) !== null
    assert.ok(isCanonical({ memo: 'Said “no”,\n\twrote "yes" \\ \b\f\r' }))
    assert.ok(!isCanonical({ memo: 'bell \u0007' }))
    assert.ok(isCanonical({ category: 'Hats' }))
    assert.ok(!isCanonical({ category: 'Hats "and" caps' }))
  })
})

describe('a large file in which some lines are canonical', () => {
  const place = openSandbox()
  after(() => place.close())
  const [item] = recordsAt('order-items')
  const texts = Array.from({ length: 12_000 }, (_, index) =>
    ndjson([{ ...item, id: idOf(index + 100), itemDescription: `Größe ${index}` }]).trimEnd(),
  )
  const odd = new Map<number, (text: string) => string>([
    [1, (text) => `\ufeff${text}`],
    [2, () => ''],
    [3, (text) => `${text}\r`],
    [4, (text) => text.replace('{', '{ ')],
    [5, (text) => text.replace('"qty":', '"qty":0')],
    [6, (text) => text.replace('"memo":null,', '')],
    [700, (text) => text.replace(idOf(799), idOf(100))],
    [701, (text) => ` ${text.replace(idOf(800), idOf(108))}`],
    [11_000, (text) => text.replace(`${item?.['orderId']}`, idOf(1))],
    [12_000, (text) => text.replace('Größe', 'Gr\\u00f6ße')],
  ])
  const lines = texts.map((text, index) => odd.get(index + 1)?.(text) ?? text)

  it('is read line by line, and its problems are reported in order', async () => {
    place.put({ 'order-items.ndjson': lines.join('\n') })
    assert.equal((await place.run(['demo', '--brand', 'aldermoor', '--orders', '0'])).code, 0)
    const command = ['import', 'order-items.ndjson', '--brand', 'aldermoor', '--json']
    const { stdout, stderr } = await place.run([...command, '--skip-invalid'])
    const { collections, problems } = JSON.parse(stdout)
    const { read, added, refused } = collections[0]
    assert.deepEqual({ read, added, refused }, { read: 11_999, added: 11_992, refused: 6 }, stderr)
    assert.deepEqual(
      problems.map(({ line, field, reason }: Record<string, string>) => [line, field, reason]),
      [
        [5, '', problems[0].reason],
        [6, '/memo', 'is missing'],
        [
          700,
          '',
          'has the same identity as line 1 of order-items.ndjson, and differs in itemDescription: "Größe 699" here, "Größe 0" there: keep one of them',
        ],
        [
          701,
          '',
          'has the same identity as line 9 of order-items.ndjson, and differs in itemDescription: "Größe 700" here, "Größe 8" there: keep one of them',
        ],
        [
          1,
          '',
          'has the same identity as line 700 of order-items.ndjson, and differs in itemDescription: "Größe 0" here, "Größe 699" there: keep one of them',
        ],
        [
          9,
          '',
          'has the same identity as line 701 of order-items.ndjson, and differs in itemDescription: "Größe 8" here, "Größe 700" there: keep one of them',
        ],
        [11_000, '/orderId', problems[6].reason],
      ],
    )
    assert.match(problems[0].reason, /^is not JSON/)
    // The stored records are the same, whichever way they were written.
    const left = texts.filter((_, index) => ![2, 5, 6, 700, 701, 11_000].includes(index + 1))
    place.put({ 'again/order-items.ndjson': left.join('\n') })
    const again = await place.run(['import', 'again', '--brand', 'aldermoor', '--json'])
    assert.equal(JSON.parse(again.stdout).collections[0].unchanged, 11_992, again.stderr)
  })
})
