/** What filters find, and which values each kind of filter refuses. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Filter } from '#contract'
import {
  absentValue,
  allFilters,
  brandRecord,
  eachOf,
  idOf,
  inOrder,
  passes,
  recordsAt,
  valuesOf,
  walk,
} from '../support/model.ts'
import { createRefusals } from '../support/refusals.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())
const { refusedFor, total } = createRefusals(service)

const ofKind = (kind: Filter['kind']) => allFilters.filter(({ filter }) => filter.kind === kind)

describe('each filter', () => {
  it('is by text or identifier, and one by number', () => {
    assert.deepEqual(
      ofKind('integer').map(({ resource, filter }) => `${resource.path}.${filter.name}`),
      ['production-runs.runNumber'],
    )
  })

  it('finds exactly what the model finds, for every value in the story', () =>
    eachOf(allFilters, async ({ resource, filter }) => {
      const { path } = resource
      for (const value of valuesOf(resource, filter)) {
        const expected = recordsAt(path).filter((record) => passes(record, filter, value))
        const { items, totals } = await walk(service, path, { [filter.name]: value, limit: 4 })
        const where = `${path}?${filter.name}=${value}`
        assert.deepEqual(items, expected, where)
        assert.deepEqual([...new Set(totals)], [expected.length], where)
      }
    }))

  it('finds nothing for a value that is not in the story', () =>
    eachOf(allFilters, async ({ resource, filter }) => {
      const { text } = await service.get(`${resource.path}?${filter.name}=${absentValue(filter)}`)
      assert.equal(text, '{"items":[],"nextCursor":null,"totalItems":0}')
    }))

  it('has a value in the story for most, so that the model finds something', () => {
    const idle = allFilters.filter(({ resource, filter }) => valuesOf(resource, filter).length < 1)
    assert.ok(idle.length < 40, idle.map(({ filter }) => filter.name).join())
  })
})

describe('a string filter', () => {
  const names = [
    'Core',
    'core',
    'CORE',
    ' Core',
    'Core ',
    'Core  ',
    'Co re',
    'Core\t',
    'Core\n',
    'é', // one character
    'e\u0301', // two that look the same
    'É',
    'Ａ', // full width
    'A',
    'а', // Cyrillic
    'a',
    'ß',
    'SS',
    'ss',
    'İ',
    'i',
    'I',
    'ı',
    'a\u200bb',
    'ab',
    '\ufeffab',
    'ﬁ',
    'fi',
    '日本',
    '🧵',
    '🧵🧵',
    '%',
    '_',
    'a%',
    'a_',
    '*',
    '?',
    '\\',
    '\\\\',
    "'",
    "''",
    '"',
    '`',
    ';--',
    '/*',
    '$1',
    '?1',
    ':name',
    '@name',
    "' OR 1=1--",
    '{"$ne":1}',
    '*)(uid=*',
    `\${7*7}`,
    '[a]',
    '^Core$',
    '1',
    '1.0',
    '01',
    '+1',
    '1e0',
    'null',
    'undefined',
    'true',
    'NaN',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '&',
    '=',
    '+',
    '#',
    '/',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\uffff',
    '\u{10ffff}',
    'x'.repeat(255),
    '🧵'.repeat(255),
    '日'.repeat(255),
  ]
  const tags = inOrder(
    ['id'],
    names.map((name, index) => ({ ...recordsAt('tags')[0], id: idOf(index + 1), name })),
  )
  const base = '/api/public/v1/brands/exact/tags'
  const open = (async () => {
    await service.write('exact', { brand: [brandRecord('exact', 9)], tags })
    return service.key('exact')
  })()

  it('matches exactly: no case, no trimming, no normalising, no wildcards', async () => {
    const key = await open
    assert.equal(new Set(names).size, names.length)
    await eachOf(names, async (name) => {
      const { status, body, text } = await service.get(`${base}?name=${encodeURIComponent(name)}`, {
        key,
      })
      assert.equal(status, 200, text.slice(0, 200))
      assert.deepEqual(
        body.items,
        tags.filter((tag) => tag['name'] === name),
        name.slice(0, 20),
      )
      assert.equal(body.totalItems, 1)
    })
  })

  it('takes spaces and metacharacters literally in every filter', () => {
    const metacharacters = ['%', '_', '*', "'", '"', "' OR 1=1--", '\\', ';--', '$1', '\u0001']
    return eachOf(ofKind('string'), async ({ resource, filter }) => {
      for (const value of metacharacters) {
        const query = `${resource.path}?${filter.name}=${encodeURIComponent(value)}`
        assert.equal(await total(query), 0, query)
      }
    })
  })

  it('reads + as a space, and %2B as a plus', async () => {
    const key = await open
    const namesFor = async (query: string) =>
      (await service.get(`${base}?${query}`, { key })).body.items.map(
        ({ name }: { name: string }) => name,
      )
    assert.deepEqual(await namesFor('name=Co+re'), ['Co re'])
    assert.deepEqual(await namesFor('name=Co%20re'), ['Co re'])
    assert.deepEqual(await namesFor('name=Core+'), ['Core '])
    assert.deepEqual(await namesFor('name=%2B'), ['+'])
    assert.deepEqual(await namesFor('name=%2B1'), ['+1'])
  })

  it('takes 1 to 255 characters, counted in code points', () =>
    eachOf(ofKind('string'), async ({ resource: { path }, filter: { name } }) => {
      for (const [value, accepted] of [
        ['a', true],
        ['🧵', true],
        ['x'.repeat(255), true],
        ['🧵'.repeat(255), true],
        ['', false],
        ['x'.repeat(256), false],
        ['🧵'.repeat(256), false],
        [`${'🧵'.repeat(255)}x`, false],
        ['x'.repeat(5_000), false],
      ] as const) {
        const query = `${path}?${name}=${encodeURIComponent(value)}`
        if (accepted) await total(query)
        else await refusedFor(query, name)
      }
    }))
})

describe('an identifier filter', () => {
  const id = 'a3bb189e-8bf9-3888-9912-ace4e6543002'

  it('takes a lower-case UUID, the nil one too', () =>
    eachOf(ofKind('identifier'), async ({ resource: { path }, filter: { name } }) => {
      assert.equal(await total(`${path}?${name}=00000000-0000-0000-0000-000000000000`), 0)
      assert.equal(await total(`${path}?${name}=${id}`), 0)
    }))

  it('refuses everything else, naming itself', () => {
    const bad = [
      '',
      id.toUpperCase(),
      `{${id}}`,
      id.replaceAll('-', ''),
      id.slice(1),
      `${id}0`,
      `${id}%0A`,
      `%0A${id}`,
      ` ${id}`,
      `${id}+`,
      `urn:uuid:${id}`,
      id.replace('a', 'g'),
      id.replace('3', '３'),
      id.replaceAll('-', '_'),
      'null',
      '1',
      `${id},${id}`,
      '*',
    ]
    return eachOf(ofKind('identifier'), async ({ resource: { path }, filter: { name } }) => {
      for (const value of bad) {
        await refusedFor(`${path}?${name}=${value.replace('３', '%EF%BC%93')}`, name)
      }
    })
  })
})

describe('the integer filter', () => {
  it('takes whole numbers from 0 to 2147483647', async () => {
    for (const value of ['0', '7', '10', '2147483647', '2147483646']) {
      assert.equal(await total(`production-runs?runNumber=${value}`), 0, value)
    }
    assert.equal(await total('production-runs?runNumber=1'), 1)
  })

  for (const value of [
    '00',
    '007',
    '01',
    '-1',
    '-0',
    '%2B1',
    '+1',
    '2147483648',
    '9999999999',
    '4294967297',
    '21474836470',
    '00000000001',
    '1.0',
    '1.',
    '.5',
    '1e3',
    '1E0',
    '0x1',
    '1_0',
    '1,0',
    '%201',
    '1%20',
    '1%0A',
    '1%00',
    '',
    'one',
    'true',
    'null',
    'NaN',
    'Infinity',
    '%EF%BC%91',
    '%D9%A1',
    '%C2%B2',
  ]) {
    it(`refuses ${value || 'nothing'}`, () =>
      refusedFor(`production-runs?runNumber=${value}`, 'runNumber'))
  }
})
