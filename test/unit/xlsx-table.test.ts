/** Excel workbooks as imports read them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SourceError } from '#ingest'
import type { TableOptions } from '../../src/ingest/table.ts'
import {
  archiveOf,
  type ReadTable,
  readTable,
  textCell,
  textRow,
  type WorkbookParts,
  workbookOf,
} from '../support/workbook.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-xlsx-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = async (
  parts: WorkbookParts | Buffer,
  table: TableOptions = {},
): Promise<ReadTable> => {
  const bytes = Buffer.isBuffer(parts) ? parts : await workbookOf(parts)
  return readTable(join(folder, 'book.xlsx'), bytes, { format: 'xlsx', table })
}

/** The only cell below a header. */
const readCell = async (cell: string, parts: Partial<WorkbookParts> = {}): Promise<unknown> => {
  const { rows } = await read({
    ...parts,
    sheets: {
      Data: `${textRow(1, 'value', 'other')}<row r="2">${cell}${textCell('B2', 'x')}</row>`,
    },
  })
  const [row] = rows
  if (!row) return 'no row'
  return 'cells' in row ? row.cells[0] : [row.problem, row.text]
}

const refused = (reading: Promise<unknown>, message: string | RegExp) =>
  assert.rejects(reading, (error) => {
    assert.ok(error instanceof SourceError, String(error))
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    return true
  })

describe('a cell of a workbook', () => {
  const texts =
    '<si><t>plain</t></si><si><r><t>two </t></r><r><rPr><b/></rPr><t xml:space="preserve">parts </t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t/></si><si><t>a_x000D_b &lt;&#233;&#x20AC;&gt; _x005F_x0041_</t></si><si><t>007</t></si>'
  for (const [name, cell, value] of [
    ['a shared text', '<c r="A2" t="s"><v>0</v></c>', 'plain'],
    ['a text in several fonts', '<c r="A2" t="s"><v>1</v></c>', 'two parts '],
    ['a text with its pronunciation', '<c r="A2" t="s"><v>2</v></c>', '東京'],
    ['an empty text', '<c r="A2" t="s"><v>3</v></c>', ''],
    ['characters that XML escapes', '<c r="A2" t="s"><v>4</v></c>', 'a\rb <é€> _x0041_'],
    ['a text that looks like a number', '<c r="A2" t="s"><v>5</v></c>', '007'],
    [
      'an inline text',
      '<c r="A2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>',
      'inline',
    ],
    [
      'a CDATA section',
      '<c r="A2" t="inlineStr"><is><t><![CDATA[<b>&amp;]]></t></is></c>',
      '<b>&amp;',
    ],
    ['a whole number', '<c r="A2"><v>42</v></c>', 42],
    ['a number with an exponent', '<c r="A2"><v>1.5E-3</v></c>', 0.0015],
    ['what Excel stores for 19.99', '<c r="A2"><v>19.989999999999998</v></c>', 19.99],
    ['a sum of binary fractions', '<c r="A2"><v>0.30000000000000004</v></c>', 0.3],
    ['true', '<c r="A2" t="b"><v>1</v></c>', true],
    ['false', '<c r="A2" t="b"><v>0</v></c>', false],
    ['nothing but a style', '<c r="A2" s="0"/>', null],
    [
      'the text that a formula shows',
      '<c r="A2" t="str"><f>A1&amp;"x"</f><v>shown</v></c>',
      'shown',
    ],
    ['a formula that shows nothing', '<c r="A2" t="str"><f>""</f><v></v></c>', null],
    ['the number that a formula shows', '<c r="A2"><f>1+1</f><v>2</v></c>', 2],
    ['a date as a text', '<c r="A2" t="d"><v>2026-03-14</v></c>', '~2026-03-14'],
    [
      'a time as a text',
      '<c r="A2" t="d"><v>2026-03-14T09:30:00.5</v></c>',
      '~2026-03-14T09:30:00.500',
    ],
    ['attributes in another order', "<c t='s' r='A2'><v>0</v></c>", 'plain'],
    ['a prefix', '<x:c r="A2" t="s"><x:v>0</x:v></x:c>', 'plain'],
    [
      'an error',
      '<c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
      ['column value contains a formula error', '#DIV/0!'],
    ],
    ...['', '<v></v>', '<v/>'].map(
      (result) =>
        [
          `a formula that was never calculated (${result})`,
          `<c r="A2"><f>1+1</f>${result}</c>`,
          [
            'column value contains a formula without a stored result: open the file in Excel or LibreOffice, and save it',
            '',
          ],
        ] as const,
    ),
  ] as const) {
    it(`holds ${name}`, async () => {
      assert.deepEqual(await readCell(cell, { texts }), value)
    })
  }

  for (const [code, number, value] of [
    ['yyyy\\-mm\\-dd', '46095', '~2026-03-14'],
    ['dd.mm.yyyy', '46095', '~2026-03-14'],
    ['[$-407]d\\. mmmm yyyy;@', '46095', '~2026-03-14'],
    ['mmm-yy', '46095', '~2026-03-14'],
    ['mmmm', '46095', '~2026-03-14'],
    ['dd.mm.yyyy', '46095.5', '~2026-03-14T12:00:00.000'],
    ['dd.mm.yyyy hh:mm', '46095', '~2026-03-14T00:00:00.000'],
    ['dd.mm.yyyy hh:mm', '46095.395833333336', '~2026-03-14T09:30:00.000'],
    ['yyyy-mm-dd hh:mm:ss.000', '46095.3958334491', '~2026-03-14T09:30:00.010'],
    ['dd.mm.yyyy', '1', '~1900-01-01'],
    ['dd.mm.yyyy', '59', '~1900-02-28'],
    ['dd.mm.yyyy', '60', 60],
    ['dd.mm.yyyy', '61', '~1900-03-01'],
    ['dd.mm.yyyy', '2958465', '~9999-12-31'],
    ['dd.mm.yyyy', '2958467', 2_958_467],
    ['dd.mm.yyyy', '0', 0],
    ['dd.mm.yyyy', '-1', -1],
    ['hh:mm', '0.395833333333333', '09:30:00'],
    ['[h]:mm', '1.5', '36:00:00'],
    ['mm:ss', '0.000694444444444444', '00:01:00'],
    ['0.00', '46095', 46_095],
    ['#,##0.00\\ "days"', '46095', 46_095],
    ['"d"0', '46095', 46_095],
    ['[Red]0', '46095', 46_095],
    ['_-* #,##0\\ _€_-', '46095', 46_095],
    ['General', '46095', 46_095],
    ['@', '46095', 46_095],
    ['0.00E+00', '46095', 46_095],
  ] as const) {
    it(`with ${number} as ${code} is ${value}`, async () => {
      const cell = `<c r="A2" s="1"><v>${number}</v></c>`
      assert.deepEqual(await readCell(cell, { formats: [code] }), value)
    })
  }

  for (const [format, value] of [
    [14, '~2026-03-14'],
    [22, '~2026-03-14T00:00:00.000'],
    [2, 46_095],
    [49, 46_095],
  ] as const) {
    it(`with a number in the built-in format ${format} is ${value}`, async () => {
      const cell = '<c r="A2" s="1"><v>46095</v></c>'
      assert.deepEqual(await readCell(cell, { builtIn: [format] }), value)
    })
  }

  it('counts days from 1904 where the workbook says so', async () => {
    const parts = { formats: ['dd.mm.yyyy'], workbookProperties: '<workbookPr date1904="1"/>' }
    assert.equal(await readCell('<c r="A2" s="1"><v>44633</v></c>', parts), '~2026-03-14')
    assert.equal(await readCell('<c r="A2" s="1"><v>0</v></c>', parts), '~1904-01-01')
  })
})

describe('a sheet', () => {
  const header = textRow(1, 'No', 'Name', 'Count')

  it('is the first one that is shown, or the one that is named', async () => {
    const sheets = {
      Notes: textRow(1, 'a', 'b'),
      'Vendors &amp; more': `${header}${textRow(2, '1', 'x', 'y')}`,
    }
    const states = { Notes: ' state="hidden"' }
    assert.deepEqual((await read({ sheets, states })).columns, ['No', 'Name', 'Count'])
    assert.deepEqual((await read({ sheets }, { sheet: 'Notes' })).columns, ['a', 'b'])
    const named = await read({ sheets }, { sheet: 'Vendors & more' })
    assert.deepEqual(named.rows, [{ line: 2, cells: ['1', 'x', 'y'] }])
    await refused(read({ sheets }, { sheet: 'Note' }), 'has no sheet "Note"; did you mean "Notes"?')
    await refused(
      read({ sheets }, { sheet: 'Orders' }),
      'has no sheet "Orders"; its sheets are "Notes", "Vendors & more"',
    )
  })

  it('has rows with gaps, without numbers, and without anything', async () => {
    const rows = [
      header,
      `<row r="3">${textCell('C3', 'third')}</row>`,
      '<row r="5"><c r="A5" s="0"/></row>',
      `<row><c t="inlineStr"><is><t>first</t></is></c><c/><c><v>3</v></c></row>`,
    ]
    assert.deepEqual((await read({ sheets: { Data: rows.join('') } })).rows, [
      { line: 3, cells: [null, null, 'third'] },
      { line: 6, cells: ['first', null, 3] },
    ])
  })

  it('has its header below a title and notes', async () => {
    const rows = [
      textRow(1, 'Vendors of Halden'),
      `<row r="2">${textCell('A2', 'As of')}<c r="B2"><v>46095</v></c></row>`,
      '<row r="3"/>',
      textRow(4, 'No', ' Name ', 'City', 'Since'),
      textRow(5, 'V1', 'One', 'Oslo', 'x'),
      textRow(6, 'V2', 'Two', 'Bergen', 'y'),
    ]
    const table = await read({ sheets: { Data: rows.join('') } })
    assert.deepEqual(table.columns, ['No', 'Name', 'City', 'Since'])
    assert.deepEqual(table.rows[1], { line: 6, cells: ['V2', 'Two', 'Bergen', 'y'] })
    const below = await read({ sheets: { Data: rows.join('') } }, { headerRow: 5 })
    assert.deepEqual([below.columns[0], below.rows.length], ['V1', 1])
    await refused(
      read({ sheets: { Data: rows.join('') } }, { headerRow: 3 }),
      'has nothing in row 3, which should name the columns',
    )
  })

  it('of a single column has its header in the first row', async () => {
    const rows = ['code', 'A', 'B'].map((text, index) => textRow(index + 1, text)).join('')
    const { columns, rows: records } = await read({ sheets: { Data: rows } })
    assert.deepEqual([columns, records.length], [['code'], 2])
  })

  it('refuses a row with a value under no name', async () => {
    const rows = `${header}${textRow(2, '1', 'x', 'y', 'note')}<row r="3"><c r="AB3"><v>1</v></c></row>`
    assert.deepEqual((await read({ sheets: { Data: rows } })).rows, [
      { line: 2, problem: 'has a value in column D, which the header does not name', text: 'note' },
      { line: 3, problem: 'has a value in column AB, which the header does not name', text: '1' },
    ])
  })

  it('that is empty is refused', async () => {
    await refused(
      read({ sheets: { Data: '<row r="1"/>' } }),
      'has an empty sheet: a row must name the columns',
    )
    await refused(read({ sheets: {} }), 'has no sheet with cells')
  })
})

describe('a workbook of another program', () => {
  for (const program of ['openpyxl', 'libreoffice']) {
    it(`is read: ${program}`, async () => {
      const path = new URL(`../support/workbooks/${program}.xlsx`, import.meta.url).pathname
      const table = await readTable(path, null, { format: 'xlsx' })
      assert.deepEqual(table, {
        columns: ['VENDOR_NO', 'NAME', 'SINCE', 'CHANGED', 'LIMIT', 'ACTIVE', 'ZIP'],
        rows: [
          {
            line: 5,
            cells: [
              'V0042',
              'Nähwerk Öst & Søn <GmbH>',
              '~2019-02-28',
              '~2026-03-14T09:30:00.000',
              19.99,
              true,
              '07745',
            ],
          },
          {
            line: 6,
            cells: [
              'V0043',
              'Two\nlines',
              '~2024-02-29',
              '~2026-03-14T00:00:00.000',
              120_000,
              false,
              null,
            ],
          },
        ],
      })
      const notes = await readTable(path, null, { format: 'xlsx', table: { sheet: 'Notes' } })
      assert.deepEqual(notes, { columns: ['x'], rows: [] })
    })
  }
})

describe('a file that is not a workbook', async () => {
  const valid = { sheets: { Data: textRow(1, 'a', 'b') } }

  for (const [name, bytes, message] of [
    ['a text', Buffer.from('id,name\n'), 'is not an Excel workbook (.xlsx)'],
    ['empty', Buffer.alloc(0), 'is not an Excel workbook (.xlsx)'],
    [
      'an old or an encrypted workbook',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'is an old or an encrypted Excel file: save it as .xlsx, without a password',
    ],
    [
      'cut off',
      (await workbookOf(valid)).subarray(0, 900),
      'is not a whole Excel workbook: the file is not complete',
    ],
  ] as const) {
    it(`is refused: ${name}`, () => refused(read(bytes), message))
  }

  it('is refused: another archive', async () => {
    await refused(read(await archiveOf({ 'readme.txt': 'x' })), 'has no sheet with cells')
  })

  for (const [name, rows, reason] of [
    ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]>', 'it has a document type'],
    ['an unknown entity', textRow(1, '&lol;', 'b'), '&lol; is not a character'],
    ['crossed elements', '<row r="1"><c></row></c>', '</row> ends nothing that was begun'],
    ['an end that is missing', '<row r="1"><c>', '</sheetData> ends nothing that was begun'],
    ['elements in elements', '<a>'.repeat(200), 'its elements are nested too deep'],
    [
      'a text without an end',
      textCell('A1', 'x'.repeat(1_200_000)),
      'it has a text that is too long',
    ],
  ] as const) {
    it(`is refused: XML with ${name}`, () =>
      refused(
        read({ sheets: { Data: rows } }),
        `is not a workbook that can be read: a part of it is not valid XML: ${reason}`,
      ))
  }

  it('is refused: damaged data', async () => {
    const bytes = Buffer.from(await workbookOf({ sheets: { Data: textRow(1, 'a'.repeat(5_000)) } }))
    const at = bytes.indexOf('xl/worksheets/sheet1.xml') + 40
    bytes.fill(0xff, at, at + 20)
    await refused(read(bytes), /^is not a whole Excel workbook: Z_/)
  })

  it('is refused: a text that is not there, a row and a column that no sheet has', async () => {
    await refused(
      readCell('<c r="A2" t="s"><v>9</v></c>'),
      'refers to text 9, which the workbook does not have',
    )
    await refused(
      read({ sheets: { Data: '<row r="1048577"/>' } }),
      'has a row with the number 1048577',
    )
    await refused(
      read({ sheets: { Data: '<row r="1"><c r="XFE1"><v>1</v></c></row>' } }),
      'has too many columns in row 1',
    )
  })

  it('is refused: a small file with a large part', async () => {
    const styles = '<!-- -->'.repeat(9 * 1_024 * 1_024)
    const bytes = await workbookOf({ sheets: {}, workbookProperties: styles })
    assert.ok(bytes.length < 1_000_000, `${bytes.length}`)
    await refused(
      read(bytes),
      'is too large: its xl/workbook.xml has more than 67,108,864 bytes; save it as CSV UTF-8',
    )
  })
})
