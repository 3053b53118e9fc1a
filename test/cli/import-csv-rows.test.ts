/** Import: rows of CSV that are refused. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { csvRows, messages, openStoryRecords } from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { idOf } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'csv-rows.db')
const { notString, notUuid, nul, notInteger, integerRange, dangling } = messages

describe('a row of CSV', () => {
  const head = 'id,name,code,uiColor,createdAt,updatedAt'
  const at = '2026-01-01T00:00:00.000Z'
  const good = (number: number, name = 'a') => `${idOf(number)},${name},,,${at},${at}`

  for (const [name, path, rows, expected] of [
    [
      'with too few or too many cells is refused, and the others are read',
      'tags',
      [head, `${idOf(1)},a`, good(2), `${good(3)},x,y`, 'a', good(4).replace('a', '"a')],
      null,
    ],
    [
      'is named by the line it begins in, however many its cells are over',
      'tags',
      [
        head,
        '',
        good(1, '"a\r\nb\nc\rd"'),
        good(2, '"\n\n"').replace('-4', '-X'),
        good(3).replace('-4', '-Y'),
        '',
        `${idOf(4)}`,
      ],
      [
        ['tags.csv:7', '/id', idOf(2).replace('-4', '-X'), notUuid],
        ['tags.csv:10', '/id', idOf(3).replace('-4', '-Y'), notUuid],
        ['tags.csv:12', '', idOf(4), 'has 1 cell, but the header has 6'],
      ],
    ],
    [
      'with an empty cell where there must be a value is refused',
      'tags',
      [head, good(1, ''), good(2).replace(at, '')],
      [
        ['tags.csv:2', '/name', 'null', 'must not be null'],
        ['tags.csv:3', '/createdAt', 'null', 'must not be null'],
      ],
    ],
    [
      'with a NUL character in a cell is refused',
      'tags',
      [head, good(1, 'a\u0000b')],
      [['tags.csv:2', '/name', 'a\\u0000b', nul]],
    ],
    [
      'with no number where there must be one is refused',
      'options',
      csvRows(
        'options',
        ['sequence'],
        [['one'], ['1.0'], ['9007199254740992'], ['12345678901234567'], ['0x10'], [' 1']],
      ),
      [
        ['options.csv:2', '/sequence', 'one', notInteger],
        ['options.csv:3', '/sequence', '1.0', notInteger],
        ['options.csv:4', '/sequence', '9007199254740992', integerRange],
        ['options.csv:5', '/sequence', '12345678901234567', notInteger],
        ['options.csv:6', '/sequence', '0x10', notInteger],
        ['options.csv:7', '/sequence', ' 1', notInteger],
      ],
    ],
    [
      'with no truth where there must be one is refused',
      'contacts',
      csvRows('contacts', ['isPrimary'], [['yes'], ['TRUE'], ['1'], ['']]),
      [
        ['contacts.csv:2', '/isPrimary', 'yes', 'must be true or false'],
        ['contacts.csv:3', '/isPrimary', 'TRUE', 'must be true or false'],
        ['contacts.csv:4', '/isPrimary', '1', 'must be true or false'],
        ['contacts.csv:5', '/isPrimary', 'null', 'must not be null'],
      ],
    ],
    [
      'with a cell that is not the JSON it should be is refused',
      'partners',
      csvRows(
        'partners',
        ['certifications', 'relationship.customFields'],
        [
          ['GOTS', ''],
          ['["a"]', '{a:1}'],
          ['{}', '1'],
          ['["a",1]', '{"__proto__":1}'],
        ],
      ),
      [
        [
          'partners.csv:2',
          '/certifications',
          'GOTS',
          'is not JSON: a cell of this field must hold JSON',
        ],
        [
          'partners.csv:3',
          '/relationship/customFields',
          '{a:1}',
          'is not JSON: a cell of this field must hold JSON',
        ],
        ['partners.csv:4', '/certifications', '{}', 'must be an array of strings'],
        ['partners.csv:5', '/certifications/1', '1', notString],
        [
          'partners.csv:5',
          '/relationship/customFields/__proto__',
          '1',
          'is not a name a field may have',
        ],
      ],
    ],
    [
      'that points at nothing is refused by the nested field’s name',
      'partners',
      csvRows('partners', ['relationship.defaultPaymentTermId'], [[idOf(9)]]),
      [
        [
          'partners.csv:2',
          '/relationship/defaultPaymentTermId',
          idOf(9),
          dangling('payment-terms'),
        ],
      ],
    ],
  ] as const) {
    it(name, async () => {
      const files = { [`${path}.csv`]: `${rows.join('\n')}\n` }
      if (expected === null) {
        await assert.rejects(importInto(main, files), /Quote Not Closed/)
        const fewer = { [`${path}.csv`]: `${rows.slice(0, -1).join('\n')}\n` }
        const { reported, collections } = await importInto(main, fewer, { dryRun: true })
        assert.deepEqual(
          reported.map(([place, , , reason]) => [place, reason]),
          [
            ['tags.csv:2', 'has 2 cells, but the header has 6'],
            ['tags.csv:4', 'has 8 cells, but the header has 6'],
            ['tags.csv:5', 'has 1 cell, but the header has 6'],
          ],
        )
        assert.deepEqual([collections[0]?.read, collections[0]?.refused], [4, 3])
        return
      }
      const { reported, written } = await importInto(main, files)
      assert.deepEqual(reported, expected)
      assert.equal(written, false)
    })
  }
})
