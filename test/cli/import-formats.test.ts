/** Import: the forms of values and files that are taken, and what is said of the others. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog, limits, resourceAt } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { SourceError } from '#ingest'
import { sharedOwner } from '#store'
import { ndjson, openSandbox } from '../support/command.ts'
import { changed } from '../support/import-records.ts'
import { openImportSandbox, type ReportedProblem } from '../support/import-sandbox.ts'
import { idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { openRecords, importInto, stored } = sandbox
after(() => sandbox.close())

const story = await openStory()
const records = await openRecords('formats.db')
before(async () => {
  const filesOf = (each: { readonly [path: string]: readonly object[] }) =>
    Object.fromEntries(Object.entries(each).map(([path, all]) => [`${path}.ndjson`, ndjson(all)]))
  await importInto(records, filesOf(story.shared), { owner: sharedOwner })
  await importInto(records, filesOf(story.records))
})

const at = '2026-03-01T09:00:00.000Z'
const tag = (number: number, changes: object = {}): DemoRecord =>
  changed('tags', { id: idOf(number), createdAt: at, updatedAt: at, ...changes })
const line = (record: object): string => `${JSON.stringify(record)}\n`
const find = async (path: string, id: unknown) =>
  (await stored(records, path)).find((each) => each['id'] === id)

describe('a timestamp', () => {
  const zone =
    'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00'
  const yearZero = 'has the year 0000; years are 0001 to 9999'
  const form = 'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z'

  for (const [written, stored] of [
    ['2026-03-01T09:00:00Z', at],
    ['2026-03-01T09:00Z', at],
    ['2026-03-01t09:00:00z', at],
    ['2026-03-01 09:00:00Z', at],
    ['2026-03-01T10:00:00+01:00', at],
    ['2026-03-01T10:00:00+0100', at],
    ['2026-03-01 10:00:00.000000+01', at],
    ['2026-02-28T23:30:00-09:30', at],
    ['2026-03-01T09:00:00-00:00', at],
    ['2026-03-01T09:00:00.5Z', '2026-03-01T09:00:00.500Z'],
    ['2026-03-01T09:00:00,25Z', '2026-03-01T09:00:00.250Z'],
    ['2026-03-01T09:00:00.123999999+00:00', '2026-03-01T09:00:00.123Z'],
    ['2026-03-01T09:00:59.9999Z', '2026-03-01T09:00:59.999Z'],
    ['2024-02-29T23:59:59-23:59', '2024-03-01T23:58:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    it(`as ${written} is stored as ${stored}, from every format`, async () => {
      const record = tag(1, { createdAt: written })
      for (const [file, content] of [
        ['tags.ndjson', line(record)],
        ['tags.json', JSON.stringify([record])],
        ['tags.csv', `id,name,createdAt,updatedAt\n${idOf(1)},a,"${written}",${at}\n`],
      ] as const) {
        const { reported } = await importInto(records, { [file]: content })
        assert.deepEqual(reported, [])
        assert.equal((await find('tags', idOf(1)))?.['createdAt'], stored)
      }
    })
  }

  for (const [written, reason] of [
    ['2026-03-01T09:00:00', zone],
    ['2026-03-01 09:00', zone],
    ['2026-03-01T09:00:00.123456', zone],
    ['2026-03-01', form],
    ['01.03.2026 09:00', form],
    ['2026-02-29T09:00:00Z', form],
    ['2026-13-01T09:00:00Z', form],
    ['2026-00-01T09:00:00Z', form],
    ['2026-03-00T09:00:00Z', form],
    ['2026-03-01T24:00:00Z', form],
    ['2026-03-01T23:60:00Z', form],
    ['2026-03-01T23:59:60Z', form],
    ['2026-03-01T09:00:00+24:00', form],
    ['2026-03-01T09:00:00+01:60', form],
    ['2026-03-01T09:00:00.1234567890Z', form],
    ['2026-03-01T09:00:00.Z', form],
    ['2026-03-01T09Z', form],
    ['0000-01-01T00:00:00+01:00', yearZero],
    ['0000-12-31T00:00:00.000Z', yearZero],
    ['9999-12-31T23:59:59-01:00', form],
    [' 2026-03-01T09:00:00Z', form],
    ['1772355600', form],
  ] as const) {
    it(`as ${JSON.stringify(written)} is refused`, async () => {
      const { reported } = await importInto(records, {
        'tags.ndjson': line(tag(1, { createdAt: written })),
      })
      assert.deepEqual(reported, [['tags.ndjson:1', '/createdAt', written, reason]])
    })
  }

  it('in another form is the same record as in the canonical one', async () => {
    await importInto(records, { 'tags.ndjson': line(tag(2)) })
    const other = tag(2, { createdAt: '2026-03-01T10:00:00+01:00', updatedAt: '2026-03-01T09:00Z' })
    const { collections } = await importInto(records, { 'tags.ndjson': line(other) })
    assert.equal(collections[0]?.unchanged, 1)
  })
})

describe('an identifier in capitals', () => {
  it('is the one in small letters, as identity and as reference, also inside an object', async () => {
    const id = 'ABCDEF01-2345-4789-8ABC-DEF012345678'
    const [order] = recordsAt('orders')
    const [item] = recordsAt('order-items')
    const [partner] = recordsAt('partners')
    const relationship = partner?.['relationship'] as DemoRecord
    const upper = (value: unknown) => String(value).toUpperCase()
    const result = await importInto(records, {
      'orders.ndjson': line(changed('orders', { id, supplierId: upper(order?.['supplierId']) })),
      'order-items.ndjson': line({ ...item, id: idOf(0xabc).toUpperCase(), orderId: id }),
      'partners.ndjson': line({
        ...partner,
        id: upper(partner?.['id']),
        relationship: { ...relationship, id: upper(relationship['id']) },
      }),
    })
    assert.deepEqual(result.reported, [])
    assert.equal((await find('orders', id.toLowerCase()))?.['supplierId'], order?.['supplierId'])
    assert.equal((await find('order-items', idOf(0xabc)))?.['orderId'], id.toLowerCase())
    const partners = result.collections.find(({ collection }) => collection === 'partners')
    assert.equal(partners?.unchanged, 1)
  })

  it('that comes in both forms is there twice', async () => {
    const id = 'abcdef01-2345-4789-8abc-def012345678'
    const both = line(tag(1, { id })) + line(tag(1, { id: id.toUpperCase() }))
    const { reported } = await importInto(records, { 'tags.ndjson': both })
    assert.deepEqual(reported, [
      [
        'tags.ndjson:2',
        '',
        id,
        `has the same identity as line 1 of tags.ndjson, and differs in name: "core ${id.toUpperCase()}" here, "core ${id}" there: keep one of them`,
      ],
    ])
  })
})

const twice = 'is given twice in the same object: keep one of them'
const order = recordsAt('orders')[0] ?? {}
const withFields = (json: string) =>
  JSON.stringify({ ...order, customFields: 0 }).replace(
    '"customFields":0',
    `"customFields":${json}`,
  )
const lossOf = (stored: string) =>
  `would be stored as ${stored}: write it as a string to keep its digits`

describe('JSON that says a name twice', () => {
  const record = JSON.stringify(tag(1))
  for (const [name, file, content, reported] of [
    [
      'in a record',
      'tags.ndjson',
      record.replace('{', '{"name":"first",'),
      [['tags.ndjson:1', '/name']],
    ],
    [
      'in an escape',
      'tags.ndjson',
      record.replace('{', '{"\\u006eame":"first",'),
      [['tags.ndjson:1', '/name']],
    ],
    [
      'in a line after one that is ready',
      'tags.ndjson',
      `${record}\n${JSON.stringify(tag(2)).replace('{', '{"id":null,')}\n`,
      [['tags.ndjson:2', '/id']],
    ],
    [
      'in an array of records',
      'tags.json',
      `[${record},\n${JSON.stringify(tag(2)).replace('{', '{"code":"x",')}]`,
      [['tags.json:2', '/code']],
    ],
    [
      'in a free value',
      'orders.ndjson',
      withFields('{"a":1,"a":2}'),
      [['orders.ndjson:1', '/customFields/a']],
    ],
    [
      'deep inside a free value, more than once',
      'orders.ndjson',
      withFields(
        '{"x":[{},{"a~b":{"c/d":1,"e":"\\"c/d\\":","c\\u002fd":2}}],"\\\\":1,"\\u005c":[1]}',
      ),
      [
        ['orders.ndjson:1', '/customFields/x/1/a~0b/c~1d'],
        ['orders.ndjson:1', '/customFields/\\'],
      ],
    ],
    ['as __proto__', 'orders.ndjson', withFields('{"__proto__":1,"__proto__":2}'), null],
  ] as const) {
    it(`${name} is refused with its line and the name`, async () => {
      const result = await importInto(records, { [file]: content })
      assert.equal(result.written, false)
      if (reported) {
        const expected: ReportedProblem[] = reported.map(([place, field]) => [
          place,
          field,
          '',
          twice,
        ])
        assert.deepEqual(result.reported, expected)
      }
    })
  }

  it('in a cell of CSV is refused', async () => {
    const [partner] = recordsAt('partners')
    const [resource, rows] = [resourceAt(catalog, 'partners'), [partner ?? {}]]
    const content = csvOf(resource.fields, rows, {
      'relationship.customFields': '{"a":[{"b":1,"b":1}],"c":1e-400}',
    })
    const { reported } = await importInto(records, { 'partners.csv': content })
    assert.deepEqual(reported, [
      ['partners.csv:2', '/relationship/customFields/a/0/b', '', twice],
      ['partners.csv:2', '/relationship/customFields/c', '1e-400', lossOf('0')],
    ])
  })

  it('in different objects is taken', async () => {
    const json = '{"a":{"a":{"a":[{"a":1},{"a":2}]}},"b":"{\\"a\\":1,\\"a\\":2}"}'
    const { reported } = await importInto(records, { 'orders.ndjson': withFields(json) })
    assert.deepEqual(reported, [])
    assert.deepEqual((await find('orders', order['id']))?.['customFields'], JSON.parse(json))
  })
})

describe('a number in a free value', () => {
  for (const [number, stored] of [
    ['1e-400', '0'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['-3.00000000000000000001', '-3'],
    ['1.00000000000000005', '1'],
    ['123456789.123456789123', '123456789.12345679'],
    ['4.9e-324', '5e-324'],
    [`0.${'0'.repeat(500)}1`, '0'],
  ] as const) {
    it(`that would become ${stored} is refused: ${number.slice(0, 30)}`, async () => {
      const { reported } = await importInto(records, {
        'orders.ndjson': withFields(`{"n":[${number}]}`),
      })
      const shown = number.length > 100 ? `${number.slice(0, 100)}…` : number
      assert.deepEqual(reported, [['orders.ndjson:1', '/customFields/n/0', shown, lossOf(stored)]])
    })
  }

  it('beyond what is exact is refused as before, and once only', async () => {
    const json = '{"a":12345678901234567890,"b":1e400}'
    const { reported } = await importInto(records, { 'orders.ndjson': withFields(json) })
    assert.deepEqual(
      reported.map(([, field, , reason]) => [field, reason]),
      [
        [
          '/customFields/a',
          'is a whole number too large to be kept digit for digit; write it as a string',
        ],
        ['/customFields/b', 'must be a finite number'],
      ],
    )
  })

  it('whose value is kept is taken, however it is written', async () => {
    const json =
      '[0.1,1.50,1e3,15E-1,-0,1E+2,0.30000000000000004,5e-324,9007199254740991,1e-7,0e-400]'
    const { reported } = await importInto(records, { 'orders.ndjson': withFields(json) })
    assert.deepEqual(reported, [])
    const { customFields } = (await find('orders', order['id'])) ?? {}
    assert.equal(JSON.stringify(customFields), JSON.stringify(JSON.parse(json)))
  })

  it('is held to the same where a whole number is wanted', async () => {
    const [item] = recordsAt('order-items')
    const row = line({ ...item, qty: 0 }).replace('"qty":0', '"qty":1.00000000000000000001')
    const { reported } = await importInto(records, { 'order-items.ndjson': row })
    assert.deepEqual(reported, [
      ['order-items.ndjson:1', '/qty', '1.00000000000000000001', lossOf('1')],
    ])
  })
})

describe('a record', () => {
  const { maxBytes } = limits.record
  const names = ['firstName', 'lastName', 'jobTitle', 'phone', 'messagingHandle']
  const [contact = {}] = recordsAt('contacts')
  const empty = { ...contact, ...Object.fromEntries(names.map((name) => [name, 'a'])) }
  /** A record of so many bytes, in texts that are as long as they may be. */
  const sized = (bytes: number, letter = 'x') => {
    const most = Math.floor((limits.bounds.textBytes - 1) / Buffer.byteLength(letter))
    let left = (bytes - Buffer.byteLength(JSON.stringify(empty))) / Buffer.byteLength(letter)
    const texts = names.map((name) => {
      const length = Math.min(left, most)
      left -= length
      return [name, `a${letter.repeat(length)}`]
    })
    return { ...empty, ...Object.fromEntries(texts) }
  }
  const tooLong = (bytes: number) =>
    `is a record of ${bytes.toLocaleString('en')} bytes; the limit is 262,144 bytes (256 KiB of JSON)`
  const head = Object.keys(empty)
  const forms = (record: DemoRecord): readonly (readonly [string, string, number])[] => [
    ['contacts.ndjson', line(record), 1],
    ['contacts.ndjson', JSON.stringify(Object.fromEntries(Object.entries(record).reverse())), 1],
    ['contacts.json', JSON.stringify([record], null, 2), 2],
    ['contacts.csv', `${head.join()}\n${head.map((name) => record[name] ?? '').join()}\n`, 2],
  ]

  for (const letter of ['x', 'é', '三']) {
    it(`of ${maxBytes} bytes in ${letter} is taken, and one that is longer is refused, in every format`, async () => {
      const bytes = Buffer.byteLength(letter)
      const fits = sized(maxBytes - (maxBytes % bytes) - bytes, letter)
      for (const [file, content] of forms(fits)) {
        const { reported } = await importInto(records, { [file]: content })
        assert.deepEqual(reported, [], file)
      }
      const long = sized(maxBytes + 3 * bytes, letter)
      const size = Buffer.byteLength(JSON.stringify(long))
      for (const [file, content, at] of forms(long)) {
        const { reported, written } = await importInto(records, { [file]: content })
        assert.deepEqual(reported, [[`${file}:${at}`, '', '', tooLong(size)]])
        assert.equal(written, false)
      }
    })
  }

  it('of exactly as many bytes is taken, with one more it is refused', async () => {
    for (const [bytes, expected] of [
      [maxBytes, []],
      [maxBytes + 1, [['contacts.ndjson:1', '', '', tooLong(maxBytes + 1)]]],
    ] as const) {
      const { reported } = await importInto(records, { 'contacts.ndjson': line(sized(bytes)) })
      assert.deepEqual(reported, expected)
    }
  })

  it('beyond the bounds of a value is refused with its line and field', async () => {
    const name = 'é'.repeat(1_001)
    const { reported, written } = await importInto(records, {
      'tags.ndjson': [tag(5), tag(6, { name })].map(line).join(''),
    })
    assert.deepEqual(
      reported.map(([at, field, , reason]) => [at, field, reason]),
      [['tags.ndjson:2', '/name', 'must have at most 1,000 characters']],
    )
    assert.equal(written, false)
  })
})

describe('CSV', () => {
  const rows = [
    ['id', 'name', 'code', 'createdAt', 'updatedAt'],
    [idOf(31), 'a, b; c\td', '', at, at],
    [idOf(32), 'x', '""', at, at],
  ]
  const written = (sign: string, header = (cell: string) => cell) =>
    rows
      .map((row, index) =>
        row
          .map((cell) => (index === 0 ? header(cell) : /[,;\t]/.test(cell) ? `"${cell}"` : cell))
          .join(sign),
      )
      .join('\r\n')

  for (const [name, file, content] of [
    ['with semicolons', 'tags.csv', written(';')],
    ['with tabs', 'tags.csv', written('\t')],
    ['named .tsv', 'tags.tsv', written('\t')],
    [
      'with semicolons, a byte order mark and quoted names',
      'tags.csv',
      `\ufeff${written(';', (cell) => `"${cell}"`)}`,
    ],
    ['with tabs after blank lines', 'tags.csv', `\n\r\n${written('\t')}`],
    ['with commas and quoted names', 'tags.csv', written(',', (cell) => `"${cell}"`)],
    ['with semicolons, compressed', 'tags.csv.gz', gzipSync(written(';'))],
  ] as const) {
    it(`${name} is read`, async () => {
      const { reported, collections } = await importInto(records, { [file]: content })
      assert.deepEqual(reported, [])
      assert.equal(collections[0]?.read, 2)
      assert.equal((await find('tags', idOf(31)))?.['name'], 'a, b; c\td')
      assert.equal((await find('tags', idOf(32)))?.['code'], '')
    })
  }

  for (const [name, file, header, problems] of [
    [
      'names that are almost fields, all at once',
      'tags.csv',
      'ID,Name,Created At,updated_at,uiColour',
      [
        'column "ID" is not a field; did you mean id?',
        'column "Name" is not a field; did you mean name?',
        'column "Created At" is not a field; did you mean createdAt?',
        'column "updated_at" is not a field; did you mean updatedAt?',
        'column "uiColour" is not a field; did you mean uiColor?',
        'missing: id, name, createdAt, updatedAt',
      ],
    ],
    [
      'names that are unlike any, once more and without a name',
      'tags.csv',
      'id;name;createdAt;updatedAt;__proto__;name;',
      [
        'column "__proto__" is not a field',
        'column "name" appears twice',
        'column "" is not a field',
        'the fields are id, name, code, uiColor, createdAt, updatedAt',
      ],
    ],
    [
      'what a terminal would obey',
      'tags.csv',
      'id,name,createdAt,updatedAt,\u001b[2J\u009b',
      [
        'column "\\\\u001b[2J\\\\u009b" is not a field',
        'the fields are id, name, code, uiColor, createdAt, updatedAt',
      ],
    ],
    ['too few names', 'tags.csv', 'id,code,createdAt,updatedAt', ['missing: name']],
    [
      'no more than one name',
      'brand.csv',
      'name',
      ['missing: id, slug, countryCode, baseCurrencyCode, timezone, createdAt, updatedAt'],
    ],
  ] as const) {
    it(`whose header has ${name} is refused`, async () => {
      await assert.rejects(importInto(records, { [file]: `${header}\n` }), {
        constructor: SourceError,
        message: [
          `${file} does not have the columns of ${file.replace('.csv', '')}:`,
          ...problems.map((each) => `  ${each}`),
        ].join('\n'),
      })
    })
  }

  it('whose header has a column for an object, or inside a list or a free value, is refused', async () => {
    for (const [path, column] of [
      ['partners', 'relationship'],
      ['checklists', 'items.sequence'],
      ['orders', 'customFields.a'],
    ] as const) {
      await assert.rejects(
        importInto(records, { [`${path}.csv`]: `id,${column}\n` }),
        (error: Error) => error.message.includes(`\n  column "${column}" is not a field`),
      )
    }
  })
})

describe('a file of another kind', () => {
  for (const [name, file, content, message] of [
    [
      'a JSON array in NDJSON',
      'tags.ndjson',
      `\ufeff\n ${JSON.stringify([tag(1)], null, 1)}`,
      'tags.ndjson is a JSON array, not one record on each line: rename it to .json, or use --format json',
    ],
    [
      'old Excel by its name',
      'tags.xls',
      '',
      'tags.xls: old Excel files are not supported: save it as .xlsx',
    ],
    [
      'Excel by its content',
      'tags.csv',
      'PK\u0003\u0004',
      'tags.csv is an Excel workbook or a ZIP file: name a workbook .xlsx, or use --format xlsx',
    ],
    [
      'Parquet by its content',
      'tags.ndjson',
      'PAR1',
      'tags.ndjson is a Parquet file: name it .parquet, or use --format parquet',
    ],
    [
      'gzip without its name',
      'tags.ndjson',
      gzipSync(line(tag(1))),
      'tags.ndjson is compressed with gzip: name it .gz, or unpack it',
    ],
    [
      'a name that is almost a collection',
      'tag.csv',
      '',
      'tag.csv: there is no collection tag; did you mean tags?',
    ],
  ] as const) {
    it(`is refused with what to do: ${name}`, async () => {
      await assert.rejects(importInto(records, { [file]: content }), {
        constructor: SourceError,
        message,
      })
    })
  }

  it('needs no --format where its name has one, and says so where it has none', async () => {
    const options = { collection: 'tags' } as const
    const { reported } = await importInto(records, { 'file1.ndjson': line(tag(1)) }, options)
    assert.deepEqual(reported, [])
    await assert.rejects(importInto(records, { file1: line(tag(1)) }, options), {
      message:
        'file1 has no known file extension: use .ndjson, .json, .csv, .tsv, .xlsx or .parquet (each also with .gz), or --format',
    })
  })
})

describe('the command', () => {
  const place = openSandbox()
  after(() => place.close())

  it('tells problems that are alike once, with how many rows have them', async () => {
    await place.run(['brands', 'add', 'acme', '--name', 'Acme'])
    const rows = Array.from({ length: 60 }, (_, index) =>
      line({
        ...tag(index),
        createdAt: '2026-03-01',
        [`b\u001b[2J`]: 1,
        ...(index === 7 && { name: 7 }),
      }),
    )
    place.put({ 'tags.ndjson': rows.join(''), 'one.ndjson': line(tag(1)) })
    const { code, stderr } = await place.run(['import', 'tags.ndjson', '--brand', 'acme'])
    assert.equal(code, 1)
    assert.deepEqual(stderr.trimEnd().split('\n').slice(1), [
      'error: tags.ndjson /createdAt must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z: 60 rows, first at line 1, name "core 00000000-0000-4000-8000-000000000000" (2026-03-01)',
      'error: tags.ndjson /b\\u001b[2J is not a field: 60 rows, first at line 1, name "core 00000000-0000-4000-8000-000000000000" (1)',
      'error: tags.ndjson:8 /name (7) must be a string',
    ])
    const json = await place.run(['import', 'tags.ndjson', '--brand', 'acme', '--json'])
    const { groups, problems, errors } = JSON.parse(json.stdout)
    assert.deepEqual([errors, problems.length], [121, 121])
    assert.equal(problems[1].field, '/b\\u001b[2J')
    assert.deepEqual(
      groups.map(({ field, line: at, rows: of }: { [name: string]: unknown }) => [field, at, of]),
      [
        ['/createdAt', 1, 60],
        ['/b\\u001b[2J', 1, 60],
        ['/name', 8, 1],
      ],
    )
    const one = ['import', 'one.ndjson', '--collection', 'tags', '--brand', 'acme']
    assert.match((await place.run(one)).stderr, /^one\.ndjson: 1 row in /)
  })
})

/** Records as CSV, with some cells as given. */
function csvOf(
  fields: (typeof catalog.resources)[number]['fields'],
  rows: readonly DemoRecord[],
  cells: { readonly [name: string]: string },
): string {
  const names: string[] = []
  const collect = (of: typeof fields, prefix: string) => {
    for (const [name, field] of Object.entries(of)) {
      if (field.kind === 'object') collect(field.fields ?? {}, `${prefix}${name}.`)
      else names.push(prefix + name)
    }
  }
  collect(fields, '')
  const valueAt = (record: DemoRecord, name: string) =>
    name.split('.').reduce((value: unknown, part) => (value as DemoRecord | null)?.[part], record)
  const cell = (record: DemoRecord, name: string): string => {
    const value = cells[name] ?? valueAt(record, name) ?? ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return `"${text.replaceAll('"', '""')}"`
  }
  const lines = rows.map((record) => names.map((name) => cell(record, name)).join())
  return `${[names.join(), ...lines].join('\n')}\n`
}
